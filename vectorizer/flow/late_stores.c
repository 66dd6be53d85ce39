/* SPDX-License-Identifier: MIT */
/* What is stored to one place on several ways is stored once, where they meet.
 *
 *     x[i] = a;                                   v = a;
 *     if (a < 0) x[i] = a + box;          ->      if (a < 0) v = a + box;
 *     else if (a > box) x[i] = a - box;           else if (a > box) v = a - box;
 *                                                 x[i] = v;
 *
 * Enters: the scalar kernel, loops simple; accesses are marked as apart where they are (workgroup/spaces.c).
 * Leaves: the same memory where ways have met; what a place holds until then is a variable, which sroa makes
 * a value. Where the place was only read before, a variable more tells whether anybody stored:
 *
 *     a = x[i];                                   v = a; stored = false;
 *     for (..) if (..) x[i] = v;          ->      for (..) if (..) { v = ..; stored = true; }
 *                                                 if (stored) x[i] = v;
 *
 * Legal: between the first access and where the ways meet nothing else may touch the place, there is no
 * barrier, fence, atomic or volatile access, and nothing leaves: who looked at the place from outside had a
 * race. A store that no way makes is not made. Why: a store on a way that not all lanes go is one under a
 * mask, at places that differ a scatter, and then not one of a whole record. Never: looks at private memory.
 */
#include "late_stores.h"

#include "../../spirv/intrinsics.h"
#include "../facts/calls.h"
#include "../facts/gep.h"
#include "../facts/instructions.h"
#include "../facts/memory_effects.h"
#include "../facts/model.h"
#include "module_pass.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

enum {
    MOST_PLACES = 16,  /* known at the end of one block */
    MOST_BLOCKS = 256, /* until ways meet */
    MOST_SCOPES = 64,
    MOST_LOOKS = 8, /* at each instruction, on average, in large kernels */
    FREE_LOOKS = 20000
};

struct place {
    V base; /* an address without constant steps */
    int64_t offset;
    uint64_t bytes;
    LLVMTypeRef type; /* of what lies there */
};

/* A place whose value is known from `first` on, the last access in its block: what it stores, or loads. */
struct known {
    V first;
    struct place place;
    unsigned stores; /* behind its block */
    bool repeated;   /* one of them in a loop that began there */
};

struct late {
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    const struct lw_model *m;
    uint64_t looks;
    uint32_t block; /* the one at hand; where its ways meet; what lies between */
    uint32_t meeting;
    uint32_t *between, between_count;
    uint32_t *seen; /* by block: the last one that it lay behind */
    struct known known[MOST_PLACES];
    unsigned known_count;
    bool changed, parted; /* `parted`: the model is of the past */
};

/* ---- places ---- */

static bool
step_of(const struct late *s, V gep, int64_t *sum)
{
    for (struct lw_gep_walk g = lw_gep_walk(s->layout, gep); lw_gep_step(&g);)
        if (g.index || __builtin_add_overflow(*sum, (int64_t)g.bytes, sum))
            return false;
    return true;
}

static struct place
place_of(const struct late *s, V access)
{
    LLVMTypeRef type = LLVMTypeOf(lw_moved_by(access));
    struct place p = {lw_address_of(access), 0, LLVMStoreSizeOfType(s->layout, type), type};

    for (int64_t sum = 0; LLVMIsAGetElementPtrInst(p.base) && step_of(s, p.base, &sum); p.offset = sum)
        p.base = LLVMGetOperand(p.base, 0);
    return p;
}

static bool
is_same(const struct place *a, const struct place *b)
{
    return a->base == b->base && a->offset == b->offset && a->type == b->type;
}

static unsigned
nodes_of(V access, const char *kind, size_t length, V *nodes)
{
    V list = LLVMGetMetadata(access,
                             LLVMGetMDKindIDInContext(LLVMGetValueContext(access), kind, (unsigned)length));
    unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;

    if (count > MOST_SCOPES)
        return 0;
    if (count)
        LLVMGetMDNodeOperands(list, nodes);
    return count;
}

/* Does `b` say that it is apart from all that `a` belongs to? */
static bool
is_marked_apart(V a, V b)
{
    V scopes[MOST_SCOPES], apart[MOST_SCOPES];
    unsigned count = nodes_of(a, "alias.scope", 11, scopes), others = nodes_of(b, "noalias", 7, apart);
    unsigned found = 0;

    for (unsigned k = 0; k < count; k++) {
        unsigned n = 0;
        while (n < others && apart[n] != scopes[k])
            n++;
        found += n < others;
    }
    return count && found == count;
}

static bool
may_touch(const struct late *s, V access, const struct known *k)
{
    struct place p = place_of(s, access);
    unsigned space = lw_space_of(p.base), other = lw_space_of(k->place.base);

    if (p.base == k->place.base)
        return p.offset < k->place.offset + (int64_t)k->place.bytes &&
               k->place.offset < p.offset + (int64_t)p.bytes;
    if (space == LW_AS_CONSTANT)
        space = LW_AS_GLOBAL;
    if (space != other && space != LW_AS_GENERIC)
        return false;
    return !is_marked_apart(access, k->first) && !is_marked_apart(k->first, access);
}

static bool
is_plain_access(V i)
{
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !lw_is_ordered_access(i);
}

/* LLVM's marks, which its attributes say write memory. */
static bool
is_mark(V i)
{
    return LLVMIsACallInst(i) && (lw_is_call_like(i, "llvm.lifetime.") || lw_is_call_like(i, "llvm.assume") ||
                                  lw_is_call_like(i, "llvm.experimental.noalias.scope.decl"));
}

static enum lw_memory_effect
effect_of(V i)
{
    return is_mark(i) ? LW_NO_MEMORY : lw_memory_effect(i);
}

static void
forget(struct late *s, unsigned k)
{
    s->known[k] = s->known[--s->known_count];
}

/* ---- what is known at the end of a block ---- */

static bool
may_be_known(const struct place *p)
{
    LLVMTypeKind kind = LLVMGetTypeKind(p->type);
    unsigned space = lw_space_of(p->base);

    return (space == LW_AS_GLOBAL || space == LW_AS_LOCAL) && kind != LLVMStructTypeKind &&
           kind != LLVMArrayTypeKind;
}

/* A plain access: which places it makes known, which it may change, or read too late. */
static void
see_access(struct late *s, V i)
{
    bool stores = LLVMIsAStoreInst(i) != NULL;
    struct known mine = {.first = i, .place = place_of(s, i)};

    for (unsigned k = s->known_count; k-- > 0;) {
        struct known *other = &s->known[k];
        if (is_same(&other->place, &mine.place)) {
            if (!stores)
                return;
            forget(s, k);
        } else if ((stores || LLVMIsAStoreInst(other->first)) && may_touch(s, i, other)) {
            forget(s, k);
        }
    }
    if (s->known_count < MOST_PLACES && may_be_known(&mine.place))
        s->known[s->known_count++] = mine;
}

static void
see_block(struct late *s)
{
    s->known_count = 0;
    for (V i = LLVMGetFirstInstruction(s->m->blocks[s->block].ref); i; i = LLVMGetNextInstruction(i)) {
        enum lw_memory_effect effect = effect_of(i);
        s->looks++;
        if (is_plain_access(i)) {
            see_access(s, i);
            continue;
        }
        for (unsigned k = s->known_count; k-- > 0 && effect != LW_NO_MEMORY;)
            if (effect == LW_WRITES_MEMORY || LLVMIsAStoreInst(s->known[k].first))
                forget(s, k);
    }
}

/* ---- until ways meet ---- */

/* The blocks between the one at hand and the meeting; false: there are other ways to them, or too many. */
static bool
find_between(struct late *s)
{
    const struct lw_vblock *blocks = s->m->blocks;

    s->between_count = 0;
    for (uint32_t next = 0, at = s->block;; at = s->between[next++]) {
        for (uint32_t e = 0; e < blocks[at].succ_count; e++) {
            uint32_t to = blocks[at].succs[e];
            if (to == s->meeting || s->seen[to] == s->block)
                continue;
            if (to == s->block || s->between_count == MOST_BLOCKS || !lw_dominates(s->m, s->block, to))
                return false;
            s->seen[to] = s->block;
            s->between[s->between_count++] = to;
        }
        if (next == s->between_count)
            return true;
    }
}

static void
look_at(struct late *s, V i, bool repeated)
{
    enum lw_memory_effect effect = effect_of(i);
    bool plain = is_plain_access(i);

    s->looks++;
    if (effect == LW_NO_MEMORY)
        return;
    struct place p = plain ? place_of(s, i) : (struct place){0};
    for (unsigned k = s->known_count; k-- > 0;) {
        struct known *known = &s->known[k];
        if (plain && is_same(&p, &known->place)) {
            known->stores += LLVMIsAStoreInst(i) != NULL;
            known->repeated |= LLVMIsAStoreInst(i) && repeated;
        } else if (!plain || may_touch(s, i, known)) {
            forget(s, k);
        }
    }
}

/* Forgets what others touch there, and what storing later is no use for. */
static void
look_between(struct late *s)
{
    const struct lw_vblock *blocks = s->m->blocks;

    for (uint32_t b = 0; b < s->between_count && s->known_count; b++) {
        uint32_t loop = blocks[s->between[b]].loop;
        bool repeated = loop != LW_NONE && !lw_loop_contains(s->m, loop, s->block);
        for (V i = LLVMGetFirstInstruction(blocks[s->between[b]].ref); i; i = LLVMGetNextInstruction(i))
            look_at(s, i, repeated);
    }
    for (unsigned k = s->known_count; k-- > 0;) {
        const struct known *known = &s->known[k];
        bool pays = LLVMIsAStoreInst(known->first) ? known->stores : known->stores > 1 || known->repeated;
        if (!pays)
            forget(s, k);
    }
}

/* ---- one place ---- */

static bool
is_between(const struct late *s, LLVMBasicBlockRef block)
{
    uint32_t b = lw_block_id(s->m, block);

    return b == s->block || (b != LW_NONE && b != s->meeting && s->seen[b] == s->block);
}

/* A block that all ways of these meet in, before they go on to the meeting. */
static LLVMBasicBlockRef
meet_before(struct late *s)
{
    LLVMBasicBlockRef meeting = s->m->blocks[s->meeting].ref;
    LLVMContextRef context = LLVMGetValueContext(s->m->function); /* known[0].first may be gone */
    LLVMBasicBlockRef made = LLVMInsertBasicBlockInContext(context, meeting, "met");

    LLVMPositionBuilderAtEnd(s->builder, made);
    LLVMBuildBr(s->builder, meeting);
    for (V phi = LLVMGetFirstInstruction(meeting), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(s->builder, LLVMGetBasicBlockTerminator(made));
        V met = LLVMBuildPhi(s->builder, LLVMTypeOf(phi), "");
        LLVMPositionBuilderBefore(s->builder, phi);
        V all = LLVMBuildPhi(s->builder, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
            V value = LLVMGetIncomingValue(phi, k);
            LLVMAddIncoming(is_between(s, from) ? met : all, &value, &from, 1);
        }
        LLVMAddIncoming(all, &met, &made, 1);
        lw_replace(phi, all);
    }
    for (uint32_t k = 0; k < s->m->blocks[s->meeting].pred_count; k++) {
        LLVMBasicBlockRef from = s->m->blocks[s->m->blocks[s->meeting].preds[k]].ref;
        V end = LLVMGetBasicBlockTerminator(from);
        for (unsigned e = 0; is_between(s, from) && e < LLVMGetNumSuccessors(end); e++)
            if (LLVMGetSuccessor(end, e) == meeting)
                LLVMSetSuccessor(end, e, made);
    }
    return made;
}

static bool
all_come_from_between(const struct late *s)
{
    const struct lw_vblock *j = &s->m->blocks[s->meeting];

    for (uint32_t k = 0; k < j->pred_count; k++)
        if (!is_between(s, s->m->blocks[j->preds[k]].ref))
            return false;
    return true;
}

static V
make_variable(struct late *s, LLVMTypeRef type)
{
    LLVMBasicBlockRef entry = s->m->blocks[0].ref;

    LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(entry));
    return LLVMBuildAlloca(s->builder, type, "");
}

/* The accesses behind `first` in its block, and those between, become the variable's. */
static void
redirect(struct late *s, const struct known *known, V variable, V stored)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(LLVMGetValueContext(variable));

    for (uint32_t b = 0; b <= s->between_count; b++) {
        V first = b ? LLVMGetFirstInstruction(s->m->blocks[s->between[b - 1]].ref)
                    : LLVMGetNextInstruction(known->first);
        for (V i = first, next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            struct place p = is_plain_access(i) ? place_of(s, i) : (struct place){0};
            if (!is_same(&p, &known->place))
                continue;
            LLVMPositionBuilderBefore(s->builder, i);
            if (LLVMIsALoadInst(i)) {
                LLVMReplaceAllUsesWith(i, LLVMBuildLoad2(s->builder, p.type, variable, ""));
            } else {
                LLVMBuildStore(s->builder, LLVMGetOperand(i, 0), variable);
                if (stored)
                    LLVMBuildStore(s->builder, LLVMConstInt(bit, 1, false), stored);
            }
            LLVMInstructionEraseFromParent(i);
        }
    }
}

/* The one store, before `end`. */
static void
store_there(struct late *s, const struct known *known, V store, V variable, V end)
{
    LLVMPositionBuilderBefore(s->builder, end);
    V value = LLVMBuildLoad2(s->builder, known->place.type, variable, "");
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(store));
    LLVMInsertIntoBuilder(s->builder, store);
    LLVMSetOperand(store, 0, value);
    LLVMSetOperand(store, 1, LLVMGetOperand(known->first, LLVMIsAStoreInst(known->first) ? 1 : 0));
}

/* A block of its own for it, that only those who stored go through. */
static V
part_ways(struct late *s, V stored)
{
    LLVMBasicBlockRef meeting = s->m->blocks[s->meeting].ref, met = meet_before(s);
    LLVMContextRef context = LLVMGetValueContext(stored);
    LLVMBasicBlockRef store = LLVMInsertBasicBlockInContext(context, meeting, "stored");

    for (V phi = LLVMGetFirstInstruction(meeting); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        V value = LLVMGetIncomingValue(phi, LLVMCountIncoming(phi) - 1);
        LLVMAddIncoming(phi, &value, &store, 1);
    }
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(met));
    LLVMPositionBuilderAtEnd(s->builder, met);
    V did = LLVMBuildLoad2(s->builder, LLVMInt1TypeInContext(context), stored, "");
    LLVMBuildCondBr(s->builder, did, store, meeting);
    LLVMPositionBuilderAtEnd(s->builder, store);
    return LLVMBuildBr(s->builder, meeting);
}

/* Where all come from between the two, that needs no block. */
static V
end_of_ways(struct late *s)
{
    if (!all_come_from_between(s)) {
        s->parted = true;
        return LLVMGetBasicBlockTerminator(meet_before(s));
    }
    return lw_behind_phis(LLVMGetFirstInstruction(s->m->blocks[s->meeting].ref));
}

/* A store between the two, from which the one is made. */
static V
any_store(const struct late *s, const struct known *known)
{
    for (uint32_t b = 0; b < s->between_count; b++) {
        LLVMBasicBlockRef block = s->m->blocks[s->between[b]].ref;
        for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            struct place p = LLVMIsAStoreInst(i) ? place_of(s, i) : (struct place){0};
            if (is_same(&p, &known->place))
                return i;
        }
    }
    return NULL;
}

static void
store_late(struct late *s, const struct known *known)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(LLVMGetValueContext(known->first));
    bool stores = LLVMIsAStoreInst(known->first);
    V variable = make_variable(s, known->place.type), stored = stores ? NULL : make_variable(s, bit);
    V store = LLVMInstructionClone(stores ? known->first : any_store(s, known));

    redirect(s, known, variable, stored);
    LLVMPositionBuilderBefore(s->builder, LLVMGetNextInstruction(known->first));
    LLVMBuildStore(s->builder, stores ? LLVMGetOperand(known->first, 0) : known->first, variable);
    if (stored)
        LLVMBuildStore(s->builder, LLVMConstInt(bit, 0, false), stored);
    store_there(s, known, store, variable, stored ? part_ways(s, stored) : end_of_ways(s));
    s->parted |= stored != NULL;
    s->changed = true;
    if (stores)
        LLVMInstructionEraseFromParent(known->first);
}

/* ---- the kernel ---- */

static void
visit_block(struct late *s)
{
    const struct lw_vblock *b = &s->m->blocks[s->block];

    if (b->succ_count < 2 || b->ipdom == LW_NONE)
        return;
    s->meeting = b->ipdom;
    see_block(s);
    if (!s->known_count || !find_between(s))
        return;
    look_between(s);
    for (unsigned k = 0; k < s->known_count && !s->parted; k++)
        store_late(s, &s->known[k]);
}

/* Until the model is of the past, or all is done: false. */
static bool
visit_blocks(struct late *s, struct lw_arena *arena, uint64_t most)
{
    s->parted = false;
    s->between = LW_ARENA_NEW(arena, uint32_t, MOST_BLOCKS);
    s->seen = lw_arena_fill(arena, s->m->block_count, LW_NONE);
    for (s->block = 0; s->block < s->m->block_count && s->looks < most && !s->parted; s->block++)
        visit_block(s);
    return s->parted;
}

static void
visit_kernel(lw_lanes *l, struct lw_arena *arena, void *data)
{
    struct late s = {.builder = l->builder, .layout = LLVMGetModuleDataLayout(l->module)};
    V kernel = LLVMGetNamedFunction(l->module, "lw.kernel");
    uint64_t most = 0;
    const char *why;

    for (bool again = kernel != NULL; again;) {
        struct lw_model *m = lw_model_build(kernel, &why);
        if (!m)
            break;
        s.m = m;
        most = most ? most : FREE_LOOKS + (uint64_t)MOST_LOOKS * m->value_count;
        s.looks += m->value_count;
        again = visit_blocks(&s, arena, most);
        lw_model_free(m);
    }
    *(bool *)data = s.changed;
}

bool
lw_store_late(LLVMModuleRef module)
{
    bool changed = false;

    lw_run_pass(module, LW_ISA_AUTO, visit_kernel, &changed);
    return changed;
}
