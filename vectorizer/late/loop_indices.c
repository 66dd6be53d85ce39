/* SPDX-License-Identifier: MIT */
/* Addresses of 32-bit indices in loops that count to a constant, as that over the sub-groups does, see
 * loop_indices.h.
 *
 *   p[(long)(row + x + 8 * n - width)]   ->   q = &p[(long)(row + x - width)] before the loop; q[8 * n]
 *
 * Enters: lw_run. Leaves: the same accesses; addresses that nothing is loaded from or stored to stay as they
 * are. Relies on: accesses lying less than 4 GiB from what a pointer argument points to, and elements of four
 * bytes or more: an index whose element is there is less than 2^30 from zero, and without what the loop adds,
 * which is less than 2^20, it does not wrap. Never: moves an access. Why: where sums of 32 bits may wrap,
 * LLVM extends each in every round, and an access cannot add them itself.
 */
#include "loop_indices.h"

#include <llvm-c/Target.h>
#include <stdint.h>
#include <string.h>

#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"
#include "loop_blocks.h"

enum { MOST_TERMS = 12, MOST_HOISTED = 12, DEPTH = 10, MOST_OFFSET = 1 << 28 };
#define MOST_VARIES ((uint64_t)1 << 20) /* what the loop adds */

struct term {
    V value;
    int64_t times;
};

/* What an index is the sum of. */
struct sum {
    struct term narrow[MOST_TERMS]; /* before the extension, not changed by the loop: modulo 2^32 */
    struct term wide[MOST_TERMS];   /* not changed by the loop either */
    struct term varies[MOST_TERMS]; /* small, and exact */
    unsigned narrow_count, wide_count, varies_count;
    int64_t narrow_constant, wide_constant;
    bool extended;
};

struct hoisted {
    struct sum sum; /* what varies does not count */
    V base, pointer;
    LLVMTypeRef element;
};

struct hoister {
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef i32, i64;
    V args; /* the parameter that points to the kernel's arguments */
    /* The loop: */
    struct lw_loop_blocks loop;
    V counter;
    uint64_t last; /* value of the counter */
    struct hoisted *hoisted;
    unsigned hoisted_count;
};

/* ---- the loop ---- */

/* `phi` counts up in equal steps from zero in the block that it stands in: where from, where round, and the
 * last value where that is a small constant. */
static bool
read_counter(struct hoister *h, V phi)
{
    struct lw_round r;
    struct lw_round_test t;
    uint64_t start, step, last;
    if (LLVMTypeOf(phi) != h->i64 || !lw_read_counter(phi, &r) || !lw_is_int_constant(r.first, &start) ||
        start || !lw_is_int_constant(r.step, &step) || !lw_read_round_test(phi, &r, &t) ||
        !lw_is_int_constant(t.bound, &last))
        return false;
    h->loop.before = r.from;
    h->loop.latch = r.latch;
    h->loop.header = LLVMGetInstructionParent(phi);
    h->counter = phi;
    h->last = last + step;
    return step > 0 && step < MOST_VARIES && last > 0 && last < MOST_VARIES &&
           (t.p == LLVMIntULT || (t.p == LLVMIntNE && last % step == 0));
}

/* ---- sums ---- */

/* The largest value that an integer of the loop has, UINT64_MAX: unknown or too large. */
static uint64_t
bound(struct hoister *h, V v, int depth)
{
    uint64_t most = UINT64_MAX, by;

    if (v == h->counter)
        return h->last;
    if (depth == DEPTH || !LLVMIsAInstruction(v))
        return UINT64_MAX;
    V second = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
    by = second && LLVMIsAConstantInt(second) && LLVMGetIntTypeWidth(LLVMTypeOf(second)) <= 64
             ? LLVMConstIntGetZExtValue(second)
             : UINT64_MAX;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd:
        return by < MOST_VARIES ? by : UINT64_MAX;
    case LLVMShl:
    case LLVMMul:
        most = by < MOST_VARIES ? bound(h, LLVMGetOperand(v, 0), depth + 1) : UINT64_MAX;
        if (most != UINT64_MAX)
            most = LLVMGetInstructionOpcode(v) == LLVMMul ? most * by : by < 20 ? most << by : UINT64_MAX;
        break;
    case LLVMFreeze:
    case LLVMZExt:
    case LLVMTrunc:
        most = bound(h, LLVMGetOperand(v, 0), depth + 1);
        break;
    default:
        break;
    }
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    return most < MOST_VARIES && bits >= 32 ? most : UINT64_MAX;
}

static bool
add_term(struct term *terms, unsigned *count, V value, int sign)
{
    for (unsigned k = 0; k < *count; k++)
        if (terms[k].value == value) {
            terms[k].times += sign;
            return true;
        }
    if (*count == MOST_TERMS)
        return false;
    terms[(*count)++] = (struct term){value, sign};
    return true;
}

/* A value of the loop that is no sum. */
static bool
add_small(struct hoister *h, struct sum *s, V v, int sign)
{
    if (bound(h, v, 0) == UINT64_MAX)
        return false;
    while (LLVMIsAInstruction(v) && (LLVMIsAZExtInst(v) || LLVMIsATruncInst(v) || LLVMIsAFreezeInst(v)))
        v = LLVMGetOperand(v, 0); /* small values stay what they are */
    return add_term(s->varies, &s->varies_count, v, sign);
}

static bool
add_up(struct hoister *h, struct sum *s, V v, int sign, bool narrow, int depth)
{
    if (LLVMIsAConstantInt(v)) {
        int64_t *constant = narrow ? &s->narrow_constant : &s->wide_constant;
        uint64_t by = (uint64_t)LLVMConstIntGetSExtValue(v);
        *constant = (int64_t)((uint64_t)*constant + (sign > 0 ? by : -by));
        return true;
    }
    if (!lw_is_in_loop(&h->loop, v))
        return narrow ? add_term(s->narrow, &s->narrow_count, v, sign)
                      : add_term(s->wide, &s->wide_count, v, sign);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    V first = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    bool adds = op == LLVMAdd || op == LLVMSub || (op == LLVMOr && LLVMGetIsDisjoint(v));
    if (depth == DEPTH)
        return false;
    if (adds)
        return add_up(h, s, first, sign, narrow, depth + 1) &&
               add_up(h, s, LLVMGetOperand(v, 1), op == LLVMSub ? -sign : sign, narrow, depth + 1);
    if (op == LLVMSExt && !narrow && !s->extended && sign > 0 && LLVMTypeOf(first) == h->i32) {
        s->extended = true;
        return add_up(h, s, first, sign, true, depth + 1);
    }
    if (bound(h, v, 0) != UINT64_MAX)
        return add_small(h, s, v, sign);
    if (op == LLVMFreeze || (op == LLVMTrunc && narrow && LLVMTypeOf(first) == h->i64))
        return add_up(h, s, first, sign, narrow, depth + 1);
    return false;
}

static void
drop_zeros(struct term *terms, unsigned *count)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < *count; k++)
        if (terms[k].times)
            terms[kept++] = terms[k];
    *count = kept;
}

static bool
same_terms(const struct term *a, unsigned count, const struct term *b, unsigned other)
{
    if (count != other)
        return false;
    for (unsigned k = 0; k < count; k++) {
        bool found = false;
        for (unsigned i = 0; i < count && !found; i++)
            found = a[k].value == b[i].value && a[k].times == b[i].times;
        if (!found)
            return false;
    }
    return true;
}

static V
build_terms(struct hoister *h, const struct term *terms, unsigned count, int64_t constant, LLVMTypeRef type)
{
    LLVMBuilderRef b = h->builder;
    V sum = NULL;

    for (unsigned k = 0; k < count; k++) {
        V value = terms[k].value;
        if (LLVMTypeOf(value) != type)
            value = type == h->i32 ? LLVMBuildTrunc(b, value, type, "") : LLVMBuildZExt(b, value, type, "");
        if (terms[k].times != 1)
            value = LLVMBuildMul(b, value, LLVMConstInt(type, (uint64_t)terms[k].times, true), "");
        sum = sum ? LLVMBuildAdd(b, sum, value, "") : value;
    }
    V number = LLVMConstInt(type, (uint64_t)constant, true);
    return !sum ? number : constant ? LLVMBuildAdd(b, sum, number, "") : sum;
}

/* ---- addresses ---- */

static bool
is_argument(struct hoister *h, V base)
{
    if (!LLVMIsALoadInst(base) || lw_is_in_loop(&h->loop, base))
        return false;
    V from = LLVMGetOperand(base, 0);
    if (LLVMIsAGetElementPtrInst(from) && LLVMGetNumOperands(from) == 2 &&
        LLVMIsConstant(LLVMGetOperand(from, 1)))
        from = LLVMGetOperand(from, 0);
    return from == h->args;
}

/* Does the call access what operand `at` points to, under a mask? */
static bool
is_masked_access(V user, V pointer)
{
    return (lw_is_call_like(user, "llvm.masked.load.") && LLVMGetOperand(user, 0) == pointer) ||
           (lw_is_call_like(user, "llvm.masked.store.") && LLVMGetOperand(user, 1) == pointer);
}

static bool
serves_accesses_only(V pointer, int depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || is_masked_access(user, pointer) ||
            (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer))
            continue;
        V offset =
            LLVMIsAGetElementPtrInst(user) && LLVMGetNumOperands(user) == 2 ? LLVMGetOperand(user, 1) : NULL;
        if (!offset || depth == 2 || !LLVMIsAConstantInt(offset) ||
            LLVMGetTypeKind(LLVMGetGEPSourceElementType(user)) != LLVMIntegerTypeKind ||
            LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(user)) != 8 ||
            LLVMConstIntGetSExtValue(offset) > MOST_OFFSET ||
            LLVMConstIntGetSExtValue(offset) < -MOST_OFFSET || !serves_accesses_only(user, depth + 1))
            return false;
    }
    return true;
}

/* Is what the loop adds small in all? */
static bool
varies_little(struct hoister *h, const struct sum *s)
{
    uint64_t most = 0;

    for (unsigned k = 0; k < s->varies_count; k++) {
        int64_t times = s->varies[k].times;
        uint64_t value = bound(h, s->varies[k].value, 0);
        most = value == UINT64_MAX ? MOST_VARIES : most + value * (uint64_t)(times < 0 ? -times : times);
        if (most >= MOST_VARIES)
            return false;
    }
    return s->wide_constant < (int64_t)MOST_VARIES && s->wide_constant > -(int64_t)MOST_VARIES;
}

static bool
read_index(struct hoister *h, V gep, struct sum *s)
{
    if (LLVMGetNumOperands(gep) != 2 || LLVMTypeOf(LLVMGetOperand(gep, 1)) != h->i64 ||
        !lw_is_in_loop(&h->loop, LLVMGetOperand(gep, 1)) || !is_argument(h, LLVMGetOperand(gep, 0)) ||
        LLVMABISizeOfType(h->layout, LLVMGetGEPSourceElementType(gep)) < 4 || !serves_accesses_only(gep, 0))
        return false;
    memset(s, 0, sizeof *s);
    if (!add_up(h, s, LLVMGetOperand(gep, 1), 1, false, 0) || !s->extended)
        return false;
    int64_t small = (int32_t)(uint32_t)(uint64_t)s->narrow_constant;
    if (small < (int64_t)MOST_VARIES && small > -(int64_t)MOST_VARIES) {
        s->wide_constant += small; /* exact, as what varies is */
        s->narrow_constant = 0;
    }
    drop_zeros(s->narrow, &s->narrow_count);
    drop_zeros(s->wide, &s->wide_count);
    drop_zeros(s->varies, &s->varies_count);
    /* What stands beside the extension could take an index anywhere. */
    return s->wide_count == 0 && varies_little(h, s);
}

/* The part of the address that the loop does not change, made before the loop, or the one made already. */
static V
hoist(struct hoister *h, V gep, const struct sum *s)
{
    LLVMTypeRef element = LLVMGetGEPSourceElementType(gep);
    V base = LLVMGetOperand(gep, 0);

    for (unsigned k = 0; k < h->hoisted_count; k++) {
        struct hoisted *made = &h->hoisted[k];
        if (made->base == base && made->element == element &&
            made->sum.narrow_constant == s->narrow_constant &&
            same_terms(made->sum.narrow, made->sum.narrow_count, s->narrow, s->narrow_count))
            return made->pointer;
    }
    if (h->hoisted_count == MOST_HOISTED)
        return NULL;
    LLVMBuilderRef b = h->builder;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(h->loop.before));
    V index = build_terms(h, s->narrow, s->narrow_count, s->narrow_constant, h->i32);
    index = LLVMBuildSExt(b, index, h->i64, "");
    V pointer = LLVMBuildGEP2(b, element, base, &index, 1, "");
    h->hoisted[h->hoisted_count++] = (struct hoisted){*s, base, pointer, element};
    return pointer;
}

/* An index that nobody reads any more, and what it alone was made of. */
static void
erase_unused(struct hoister *h, V v, int depth)
{
    V operands[2] = {NULL, NULL};

    if (!lw_is_in_loop(&h->loop, v) || LLVMGetFirstUse(v) || depth == DEPTH ||
        !(LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAFreezeInst(v)))
        return;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        operands[k] = LLVMGetOperand(v, (unsigned)k);
    LLVMInstructionEraseFromParent(v);
    for (unsigned k = 0; k < 2; k++)
        if (operands[k] && (k == 0 || operands[1] != operands[0]))
            erase_unused(h, operands[k], depth + 1);
}

static void
replace(struct hoister *h, V gep)
{
    struct sum s;
    V pointer = read_index(h, gep, &s) ? hoist(h, gep, &s) : NULL;

    if (!pointer)
        return;
    LLVMPositionBuilderBefore(h->builder, gep);
    V varies = build_terms(h, s.varies, s.varies_count, 0, h->i64);
    LLVMTypeRef element = LLVMGetGEPSourceElementType(gep);
    V made = LLVMBuildGEP2(h->builder, element, pointer, &varies, 1, ""),
      further = LLVMConstInt(h->i64, (uint64_t)s.wide_constant, true);
    if (s.wide_constant)
        made = LLVMBuildGEP2(h->builder, element, made, &further, 1, "");
    V index = LLVMGetOperand(gep, 1);
    lw_replace(gep, made);
    erase_unused(h, index, 0);
}

static void
hoist_from(struct hoister *h)
{
    V next;

    h->hoisted_count = 0;
    for (unsigned k = 0; k < h->loop.count; k++)
        for (V i = LLVMGetFirstInstruction(h->loop.blocks[k]); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAGetElementPtrInst(i))
                replace(h, i);
        }
}

static void
hoist_indices(lw_lanes *l, struct lw_arena *arena, void *function)
{
    struct hoister *h = LW_ARENA_NEW(arena, struct hoister, 1);

    h->hoisted = LW_ARENA_NEW(arena, struct hoisted, MOST_HOISTED);
    h->builder = l->builder;
    h->layout = LLVMGetModuleDataLayout(l->module);
    h->i32 = LLVMInt32TypeInContext(l->context);
    h->i64 = LLVMInt64TypeInContext(l->context);
    h->args = LLVMGetParam(function, 1);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (read_counter(h, i) && lw_find_loop_blocks(&h->loop)) {
                hoist_from(h);
                break;
            }
}

bool
lw_hoist_indices(LLVMModuleRef module)
{
    V function = LLVMGetNamedFunction(module, "lw_run");
    return !function || lw_run_pass(module, LW_ISA_SSE42, hoist_indices, function);
}
