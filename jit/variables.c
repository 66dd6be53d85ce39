/* SPDX-License-Identifier: MIT */
/* Accesses to one of several private variables become accesses to all of them.
 *
 * Enters: the scalar kernel, loops unrolled, arrays at constant places taken apart by sroa. Leaves: the same
 * values; where an address is chosen among variables by phis and selects (`t[j] = v` behind a loop over j
 * that was unrolled), the choice is a number, a load is one of each variable and selects, a store writes back
 * to each variable what it had unless it is the one. mem2reg then makes values of them. Relies on: private
 * memory is the work-item's own, so that writing back what was there is not seen. Never: touches variables
 * that are used in other ways, or by accesses of other sizes.
 */
#include "jit.h"
#include "../spirv/arena.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/memory_effects.h"
#include "../vectorizer/facts/value_map.h"

#include <stdint.h>
#include <stdlib.h>

enum { MOST_VARIABLES = 64, MOST_CHOICES = 256, MOST_ROUNDS = 64, MOST_WRITTEN = 2048 };

struct choice {
    LLVMValueRef pointer, number; /* the phi or select, and the same of numbers */
    uint64_t among;               /* variables */
    bool fits;
};

struct variables {
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMTypeRef type;             /* of numbers */
    struct lw_value_map *numbers; /* of variables; of choices, from MOST_VARIABLES up */
    LLVMValueRef variable[MOST_VARIABLES];
    struct choice choices[MOST_CHOICES];
    unsigned count, choice_count;
    uint64_t fit; /* variables that are only accessed, or chosen */
};

static bool
is_choice(LLVMValueRef v)
{
    return LLVMIsAPHINode(v) || LLVMIsASelectInst(v);
}

static unsigned
operand_count(LLVMValueRef choice)
{
    return LLVMIsAPHINode(choice) ? LLVMCountIncoming(choice) : 2;
}

static LLVMValueRef
operand(LLVMValueRef choice, unsigned k)
{
    return LLVMIsAPHINode(choice) ? LLVMGetIncomingValue(choice, k) : LLVMGetOperand(choice, k + 1);
}

static uint64_t
accessed_bytes(struct variables *v, LLVMValueRef access)
{
    return LLVMStoreSizeOfType(v->layout, LLVMTypeOf(lw_moved_by(access)));
}

/* A plain load or store at the address. */
static bool
is_access(LLVMValueRef user, LLVMValueRef pointer)
{
    return lw_plain_address(user) && lw_moved_by(user) != pointer;
}

static bool
find_variables(struct variables *v, LLVMValueRef kernel)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);

    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i) || v->count == MOST_VARIABLES ||
            !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) || LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) != 1)
            continue;
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetAllocatedType(i));
        if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
            continue;
        lw_value_map_add(v->numbers, i, v->count);
        v->variable[v->count++] = i;
    }
    return v->count > 1;
}

/* The choices among them, and among those. false: there are none, or too many. */
static bool
find_choices(struct variables *v)
{
    for (unsigned k = 0; k < v->count + v->choice_count; k++) {
        LLVMValueRef pointer = k < v->count ? v->variable[k] : v->choices[k - v->count].pointer;
        for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (!is_choice(user) || lw_value_map_get(v->numbers, user) != UINT32_MAX)
                continue;
            if (v->choice_count == MOST_CHOICES)
                return false;
            lw_value_map_add(v->numbers, user, MOST_VARIABLES + v->choice_count);
            v->choices[v->choice_count++] = (struct choice){.pointer = user, .fits = true};
        }
    }
    return v->choice_count > 0;
}

/* Are all uses accesses of the size, lifetimes, or choices that fit? */
static bool
uses_fit(struct variables *v, LLVMValueRef pointer, uint64_t bytes)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        uint32_t number = is_choice(user) ? lw_value_map_get(v->numbers, user) : UINT32_MAX;
        if (number != UINT32_MAX ? !v->choices[number - MOST_VARIABLES].fits
                                 : !lw_is_call_like(user, "llvm.lifetime.") &&
                                       (!is_access(user, pointer) || accessed_bytes(v, user) != bytes))
            return false;
    }
    return true;
}

static uint64_t
variable_bytes(struct variables *v, unsigned k)
{
    return LLVMStoreSizeOfType(v->layout, LLVMGetAllocatedType(v->variable[k]));
}

/* Adds what its operands may be; does it still fit? */
static bool
check_choice(struct variables *v, struct choice *c)
{
    if (LLVMIsASelectInst(c->pointer) && LLVMIsConstant(LLVMGetOperand(c->pointer, 0)))
        return false;
    for (unsigned k = 0; k < operand_count(c->pointer); k++) {
        uint32_t number = lw_value_map_get(v->numbers, operand(c->pointer, k));
        if (number == UINT32_MAX)
            return false;
        if (number < MOST_VARIABLES)
            c->among |= UINT64_C(1) << number;
        else if (v->choices[number - MOST_VARIABLES].fits)
            c->among |= v->choices[number - MOST_VARIABLES].among;
        else
            return false;
    }
    if (c->among & ~v->fit)
        return false;
    return !c->among || uses_fit(v, c->pointer, variable_bytes(v, (unsigned)__builtin_ctzll(c->among)));
}

/* All of one size? */
static bool
sizes_agree(struct variables *v, uint64_t among)
{
    uint64_t bytes = variable_bytes(v, (unsigned)__builtin_ctzll(among));
    for (; among; among &= among - 1)
        if (variable_bytes(v, (unsigned)__builtin_ctzll(among)) != bytes)
            return false;
    return true;
}

/* Until nothing changes: what is chosen among, and what does not fit. false: it takes too long. */
static bool
settle(struct variables *v)
{
    bool changed = true;

    v->fit = v->count < 64 ? (UINT64_C(1) << v->count) - 1 : UINT64_MAX;
    for (unsigned round = 0; changed; round++) {
        if (round == MOST_ROUNDS)
            return false;
        changed = false;
        for (unsigned k = 0; k < v->count; k++) {
            if (v->fit >> k & 1 && !uses_fit(v, v->variable[k], variable_bytes(v, k))) {
                v->fit &= ~(UINT64_C(1) << k);
                changed = true;
            }
        }
        for (unsigned k = 0; k < v->choice_count; k++) {
            struct choice *c = &v->choices[k];
            uint64_t before = c->among;
            if (!c->fits)
                continue;
            c->fits = check_choice(v, c) && (!c->among || sizes_agree(v, c->among));
            changed |= !c->fits || c->among != before;
        }
    }
    return true;
}

/* How many accesses there will be instead; 0: nothing to do. */
static unsigned
count_written(struct variables *v)
{
    unsigned written = 0;

    for (unsigned k = 0; k < v->choice_count; k++)
        for (LLVMUseRef u = v->choices[k].fits ? LLVMGetFirstUse(v->choices[k].pointer) : NULL; u;
             u = LLVMGetNextUse(u))
            if (!is_choice(LLVMGetUser(u)))
                written += (unsigned)__builtin_popcountll(v->choices[k].among);
    return written <= MOST_WRITTEN ? written : 0;
}

static LLVMValueRef
number_of(struct variables *v, LLVMValueRef pointer)
{
    uint32_t number = lw_value_map_get(v->numbers, pointer);
    return number < MOST_VARIABLES ? LLVMConstInt(v->type, number, false)
                                   : v->choices[number - MOST_VARIABLES].number;
}

/* The choices, of numbers: phis first, which others may be made of. */
static void
write_numbers(struct variables *v)
{
    LLVMBuilderRef b = v->builder;

    for (unsigned k = 0; k < v->choice_count; k++) {
        struct choice *c = &v->choices[k];
        if (!c->fits)
            continue;
        LLVMPositionBuilder(b, LLVMGetInstructionParent(c->pointer), c->pointer);
        LLVMValueRef none = LLVMConstNull(v->type);
        c->number = LLVMIsAPHINode(c->pointer)
                        ? LLVMBuildPhi(b, v->type, "")
                        : LLVMBuildSelect(b, LLVMGetOperand(c->pointer, 0), LLVMGetUndef(v->type), none, "");
    }
    for (unsigned k = 0; k < v->choice_count; k++) {
        struct choice *c = &v->choices[k];
        for (unsigned o = 0; c->fits && o < operand_count(c->pointer); o++) {
            LLVMValueRef number = number_of(v, operand(c->pointer, o));
            if (LLVMIsAPHINode(c->pointer)) {
                LLVMBasicBlockRef from = LLVMGetIncomingBlock(c->pointer, o);
                LLVMAddIncoming(c->number, &number, &from, 1);
            } else {
                LLVMSetOperand(c->number, o + 1, number);
            }
        }
    }
}

static void
write_access(struct variables *v, const struct choice *c, LLVMValueRef access)
{
    LLVMBuilderRef b = v->builder;
    bool store = LLVMIsAStoreInst(access);
    LLVMValueRef stored = store ? LLVMGetOperand(access, 0) : access, chosen = NULL;
    LLVMTypeRef type = LLVMTypeOf(stored);

    LLVMPositionBuilderBefore(b, access);
    for (uint64_t left = c->among; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        unsigned align = LLVMGetAlignment(v->variable[k]);
        LLVMValueRef before = LLVMBuildLoad2(b, type, v->variable[k], "");
        LLVMSetAlignment(before, align);
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, c->number, LLVMConstInt(v->type, k, false), "");
        if (store) {
            LLVMValueRef after = LLVMBuildSelect(b, is, stored, before, "");
            LLVMSetAlignment(LLVMBuildStore(b, after, v->variable[k]), align);
        } else {
            chosen = chosen ? LLVMBuildSelect(b, is, before, chosen, "") : before;
        }
    }
    if (!store)
        LLVMReplaceAllUsesWith(access, chosen);
    LLVMInstructionEraseFromParent(access);
}

static void
rewrite(struct variables *v)
{
    write_numbers(v);
    for (unsigned k = 0; k < v->choice_count; k++) {
        struct choice *c = &v->choices[k];
        for (LLVMUseRef u = c->fits ? LLVMGetFirstUse(c->pointer) : NULL, next; u; u = next) {
            LLVMValueRef user = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if (!is_choice(user))
                write_access(v, c, user);
        }
    }
    /* They may be made of one another. */
    for (unsigned k = 0; k < v->choice_count; k++)
        if (v->choices[k].fits)
            LLVMReplaceAllUsesWith(v->choices[k].pointer, LLVMGetPoison(LLVMTypeOf(v->choices[k].pointer)));
    for (unsigned k = 0; k < v->choice_count; k++)
        if (v->choices[k].fits)
            LLVMInstructionEraseFromParent(v->choices[k].pointer);
}

/* Of variables that are written where they would not have been. */
static void
erase_lifetimes(struct variables *v)
{
    for (unsigned k = 0; k < v->count; k++)
        for (LLVMUseRef u = LLVMGetFirstUse(v->variable[k]), next; u; u = next) {
            next = LLVMGetNextUse(u);
            if (lw_is_call_like(LLVMGetUser(u), "llvm.lifetime."))
                LLVMInstructionEraseFromParent(LLVMGetUser(u));
        }
}

struct job {
    LLVMModuleRef module;
    LLVMValueRef kernel;
    bool changed;
};

static void
work(struct lw_arena *arena, void *data)
{
    struct job *job = data;
    struct variables *v = LW_ARENA_NEW(arena, struct variables, 1);
    LLVMContextRef context = LLVMGetModuleContext(job->module);

    v->numbers = lw_value_map_create(arena, MOST_VARIABLES + MOST_CHOICES);
    v->layout = LLVMGetModuleDataLayout(job->module);
    v->type = LLVMInt32TypeInContext(context);
    if (!find_variables(v, job->kernel) || !find_choices(v) || !settle(v) || !count_written(v))
        return;
    v->builder = LLVMCreateBuilderInContext(context);
    rewrite(v);
    erase_lifetimes(v);
    LLVMDisposeBuilder(v->builder);
    job->changed = true;
}

bool
lw_take_all_variables(LLVMModuleRef module)
{
    struct job job = {module, LLVMGetNamedFunction(module, "lw.kernel"), false};

    return job.kernel && lw_with_arena(work, &job) && job.changed;
}
