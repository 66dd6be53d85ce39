/* SPDX-License-Identifier: MIT */
/* How often a region had better be written, and for how many sub-groups at once: found by counting what it
 * would consist of, before regions.c writes anything.
 *
 * Enters: a plan (slots.c), f->straight, and a region.
 * Leaves: numbers. Writes f->region, f->sub_group, f->places and f->reached, which each instance sets anew.
 * Relies on: pieces of a region come in reverse post-order; no instance is being written; fold.h, so that
 * what is counted here is what regions.c leaves once a sub-group's number is a constant.
 * Never: writes an instruction.
 */
#include "fold.h"
#include "../lanes/lanes.h"
#include "../subgroup/atomic.h"
#include "../subgroup/reduce.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "regions.h"

#include <string.h>

#define MOST_JAMMED 520   /* instructions of all copies */
#define MOST_STRAIGHT 260 /* the same where no vector goes round a loop: copies only fill registers there */
#define MOST_SIDE_BY_SIDE 160
#define MOST_SHORT 60 /* of code that gains no more than fewer jumps */
#define LOOP_JAM 4
#define CHAIN_JAM 8
#define SHORTEST_CHAIN 12
#define LOCAL_RMW 3 /* what becomes of an atomic of local memory */

/* ---- how much of a region is left for one sub-group ---- */

static LLVMValueRef evaluate(struct lw_former *f, const struct lw_carried *v);

/* Depth is bounded: what is fixed elsewhere takes few instructions. */
static LLVMValueRef
known(struct lw_former *f, LLVMValueRef x)
{
    struct lw_carried *v = lw_find_carried(f, x);

    if (!v)
        return LLVMIsConstant(x) ? x : NULL;
    return v->now[0] ? v->now[0] : v->fixed && v->region != f->region ? evaluate(f, v) : NULL;
}

static LLVMValueRef
evaluate(struct lw_former *f, const struct lw_carried *v)
{
    LLVMValueRef operands[LW_FOLD_OPERANDS];
    int count = LLVMGetNumOperands(v->ref);
    bool gone;

    if (v->query == LW_Q_SUB_GROUP_ID)
        return f->sub_group;
    if (v->query != LW_Q_NONE || count > LW_FOLD_OPERANDS || !lw_may_fold(v->ref))
        return NULL;
    for (int k = 0; k < count; k++)
        operands[k] = known(f, LLVMGetOperand(v->ref, (unsigned)k));
    LLVMValueRef folded = lw_fold(f->body, v->ref, operands, &gone);
    return gone ? f->sub_group : folded; /* any constant stands for nothing */
}

/* The successor that `end` chooses, where that is known; LW_NONE. */
static uint32_t
known_way(struct lw_former *f, LLVMValueRef end)
{
    bool parts = (LLVMIsABranchInst(end) || LLVMIsASwitchInst(end)) && LLVMGetNumSuccessors(end) > 1;
    LLVMValueRef c = parts ? known(f, LLVMGetOperand(end, 0)) : NULL;

    if (!c || !LLVMIsAConstantInt(c))
        return LW_NONE;
    if (LLVMIsABranchInst(end))
        return LLVMIsNull(c);
    for (unsigned k = 1; k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSwitchCaseValue(end, k) == c)
            return k;
    return 0;
}

static void
reach(struct lw_former *f, uint32_t r, const struct lw_piece *p)
{
    bool ends = p->end || f->cuts->regions[r].irreducible;
    uint32_t way = ends ? LW_NONE : known_way(f, LLVMGetBasicBlockTerminator(p->block));

    for (uint32_t e = p->succ_begin; e < p->succ_end; e++) {
        uint32_t to = f->cuts->succs[e];
        bool not_taken = way != LW_NONE && e != p->succ_begin + way;
        if (f->cuts->pieces[to].region == r && f->cuts->regions[r].cut != to && !not_taken)
            f->reached[f->places[to]] = true;
    }
}

/* By a constant: of what follows the sub-group's number a constant too, which LLVM finds. */
static bool
is_division(LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return lw_is_int_division(op) && LLVMIsConstant(LLVMGetOperand(i, 1));
}

/* What is asked of each value of a walk; v->now[0]: what it folds to. False: that is enough. */
typedef bool look_at(struct lw_former *f, const struct lw_carried *v, void *data);

/* Goes through the region's code as it is left for one sub-group. */
static void
walk(struct lw_former *f, uint32_t r, uint64_t number, look_at *look, void *data)
{
    const struct lw_region *region = &f->cuts->regions[r];
    const uint32_t *pieces = f->cuts->region_pieces, begin = region->piece_begin, end = region->piece_end;
    bool goes_on = true;

    f->region = r;
    f->sub_group = lw_c64(f, number);
    memset(f->reached, 0, end - begin);
    f->reached[0] = true;
    for (uint32_t k = begin; k < end; k++)
        f->places[pieces[k]] = k - begin;
    for (uint32_t k = begin; k < end && goes_on; k++) {
        if (!f->reached[k - begin])
            continue;
        for (uint32_t n = f->piece_values[pieces[k]]; n < f->piece_values[pieces[k] + 1] && goes_on; n++) {
            f->values[n].now[0] = evaluate(f, &f->values[n]);
            goes_on = look(f, &f->values[n], data);
        }
        reach(f, r, &f->cuts->pieces[pieces[k]]);
    }
    for (uint32_t k = begin; k < end; k++)
        for (uint32_t n = f->piece_values[pieces[k]]; n < f->piece_values[pieces[k] + 1]; n++)
            f->values[n].now[0] = NULL;
}

struct count {
    uint64_t written, most;
    bool first; /* of the sub-groups */
};

static bool
count(struct lw_former *f, const struct lw_carried *v, void *data)
{
    struct count *c = data;

    f->folded += v->now[0] != NULL;
    f->divisions += is_division(v->ref);
    if (!v->now[0] && (c->first || !v->uniform) && !LLVMIsAGetElementPtrInst(v->ref))
        c->written += lw_is_local_rmw(v->ref) ? LOCAL_RMW : 1;
    return c->written <= c->most;
}

uint64_t
lw_count_written(struct lw_former *f, uint32_t r, uint64_t number, uint64_t most)
{
    struct count c = {.most = most, .first = number == 0};

    walk(f, r, number, count, &c);
    return c.written;
}

/* ---- sub-groups with nothing to do ---- */

/* Does anybody notice that it is executed, but by its value? Stores without lanes have been folded. */
static bool
is_unnoticed(struct lw_former *f, const struct lw_carried *v, void *noticed)
{
    (void)f;
    if (v->query != LW_Q_NONE)
        *(bool *)noticed = v->query == LW_Q_UNKNOWN;
    else
        *(bool *)noticed = !v->now[0] && lw_memory_effect(v->ref) == LW_WRITES_MEMORY;
    return !*(bool *)noticed;
}

bool
lw_region_acts(struct lw_former *f, uint32_t r, uint64_t number)
{
    bool acts = false;

    walk(f, r, number, is_unnoticed, &acts);
    return acts;
}

/* ---- sub-groups together ---- */

static bool
is_unknown_call(const struct lw_carried *v)
{
    LLVMValueRef callee = LLVMIsACallInst(v->ref) ? LLVMGetCalledValue(v->ref) : NULL;
    return callee && v->query == LW_Q_NONE && !(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)) &&
           !lw_is_reduction(v->ref, NULL);
}

/* What happens in an order, or has one place for all sub-groups. */
static bool
keeps_order(struct lw_former *f, const struct lw_carried *v)
{
    if (v->query == LW_Q_GROUP_SCRATCH || v->query == LW_Q_SUB_GROUP_FIRST || v->query == LW_Q_SUB_GROUP_LAST)
        return true;
    if (is_unknown_call(v) || LLVMIsAAllocaInst(v->ref) || lw_is_ordered_access(v->ref))
        return true;
    for (int k = 0; k < LLVMGetNumOperands(v->ref); k++) {
        const struct lw_carried *x = lw_find_carried(f, LLVMGetOperand(v->ref, (unsigned)k));
        if (x && x->carrier == LW_CARRY_ROOM)
            return true;
    }
    return false;
}

bool
lw_some_in_region(struct lw_former *f, uint32_t r, bool (*is)(const struct lw_carried *v))
{
    const struct lw_region *region = &f->cuts->regions[r];

    for (uint32_t k = region->piece_begin; k < region->piece_end; k++) {
        uint32_t piece = f->cuts->region_pieces[k];
        for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1]; n++)
            if (is(&f->values[n]))
                return true;
    }
    return false;
}

static bool
keeps_sub_groups_order(const struct lw_carried *v)
{
    return v->query == LW_Q_NONE && (lw_is_ordered_access(v->ref) || is_unknown_call(v));
}

/* Nothing in it that sub-groups could tell each other by. */
bool
lw_region_has_no_order(struct lw_former *f, uint32_t r)
{
    return !lw_some_in_region(f, r, keeps_sub_groups_order);
}

/* Registers that a vector takes. */
static unsigned
registers(struct lw_former *f, LLVMTypeRef type)
{
    unsigned bytes = lw_isa_row((lw_isa)f->shape->isa)->register_bits / 8;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 0;
    return (unsigned)((LLVMABISizeOfType(f->layout, type) + bytes - 1) / bytes);
}

/* Sub-groups whose results of a reduction, or whose vectors, fill a register together: pack.c makes one of
 * them. */
static uint32_t
side_by_side(struct lw_former *f, const struct lw_carried *v)
{
    unsigned bits = lw_isa_row((lw_isa)f->shape->isa)->register_bits;
    LLVMTypeRef type = LLVMTypeOf(v->ref);
    uint64_t size = 0;

    if (lw_is_reduction(v->ref, NULL))
        size = LLVMSizeOfTypeInBits(f->layout, type);
    else if (LLVMIsAStoreInst(v->ref) && registers(f, LLVMTypeOf(LLVMGetOperand(v->ref, 0))))
        size = LLVMSizeOfTypeInBits(f->layout, LLVMTypeOf(LLVMGetOperand(v->ref, 0)));
    if (!size || size >= bits)
        return 1;
    return bits / size < LW_JAM ? (uint32_t)(bits / size) : LW_JAM;
}

/* ---- a chain of sums ---- */

static bool
is_sum(LLVMValueRef i)
{
    static const char fused[] = "llvm.fm";
    LLVMTypeRef type = LLVMTypeOf(i);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind)
        return false;
    if (LLVMIsACallInst(i))
        return strncmp(LLVMGetValueName(LLVMGetCalledValue(i)), fused, sizeof fused - 1) == 0;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul;
}

/* What several sub-groups would do together of a piece in which each sum waits for the one before. */
struct chain {
    unsigned longest, sums;
    unsigned loads;  /* of one sub-group */
    unsigned places; /* that all copies load from, where each of these loads stands for one */
    unsigned instructions;
};

static unsigned
different_steps(struct lw_former *f, LLVMValueRef address)
{
    const int64_t *steps = lw_find_steps(f, address);
    unsigned different = 1;

    for (uint32_t c = 1; steps && c < f->copies; c++) {
        uint32_t before = 0;
        while (before < c && steps[before] != steps[c])
            before++;
        different += before == c;
    }
    return steps ? different : f->copies;
}

static void
follow_chain(struct lw_former *f, struct lw_carried *v, struct chain *chain)
{
    unsigned depth = 0;

    if (!registers(f, LLVMTypeOf(v->ref)))
        lw_find_steps(f, v->ref); /* operands before what uses them */
    for (int k = 0; k < LLVMGetNumOperands(v->ref) && !LLVMIsAPHINode(v->ref); k++) {
        const struct lw_carried *x = lw_find_carried(f, LLVMGetOperand(v->ref, (unsigned)k));
        if (x && x->region == v->region && x->depth > depth)
            depth = x->depth;
    }
    depth += is_sum(v->ref);
    v->depth = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
    chain->longest = depth > chain->longest ? depth : chain->longest;
    chain->sums += is_sum(v->ref);
    if (LLVMIsALoadInst(v->ref) && registers(f, LLVMTypeOf(v->ref))) {
        chain->loads++;
        chain->places += different_steps(f, LLVMGetOperand(v->ref, 0));
    }
    bool moves = LLVMIsAInsertElementInst(v->ref) || LLVMIsAShuffleVectorInst(v->ref);
    unsigned each = registers(f, LLVMTypeOf(v->ref));
    if (!v->uniform && !moves && (each || LLVMIsALoadInst(v->ref) || LLVMIsAStoreInst(v->ref)))
        chain->instructions += each ? each : 1;
}

/* Sub-groups that hide each other's latency, as many as the registers hold; 1 where nothing waits. Loads that
 * several of them have in common make room for more. */
static uint32_t
chain_copies(struct lw_former *f, uint32_t r, uint64_t sub_groups)
{
    const struct lw_region *region = &f->cuts->regions[r];
    uint32_t piece = f->cuts->region_pieces[region->piece_begin], copies = CHAIN_JAM;
    struct chain chain = {0};

    if (region->piece_end - region->piece_begin != 1)
        return 1;
    f->copies = CHAIN_JAM;
    f->region = r;
    f->step_stamp++;
    for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1]; n++)
        follow_chain(f, &f->values[n], &chain);
    f->copies = 1;
    if (chain.longest < SHORTEST_CHAIN || chain.sums > 2 * chain.longest || 2 * chain.loads < chain.longest)
        return 1;
    if (2 * chain.places > CHAIN_JAM * chain.loads)
        copies /= 2;
    while (copies > 1 && (copies > sub_groups || copies * chain.instructions > MOST_JAMMED))
        copies /= 2;
    return copies;
}

/* ---- how many go together ---- */

/* Does a loop carry this phi: is one of its values made behind it? */
static bool
goes_round(struct lw_former *f, uint32_t phi)
{
    LLVMValueRef ref = f->values[phi].ref;

    for (unsigned k = 0; k < LLVMCountIncoming(ref); k++) {
        const struct lw_carried *x = lw_find_carried(f, LLVMGetIncomingValue(ref, k));
        if (x && x >= &f->values[phi])
            return true;
    }
    return false;
}

/* A loop that all sub-groups go through alike waits for its own results; several at a time fill the gaps, and
 * what they load in common is loaded once, as it is where one sub-group loads more than the registers hold.
 * Short code without loops: sub-groups side by side. */
uint32_t
lw_region_copies(struct lw_former *f, uint32_t r, uint64_t sub_groups)
{
    const struct lw_region *region = &f->cuts->regions[r];
    unsigned instructions = 0, loads = 0, carried = 0, most = f->shape->isa >= LW_ISA_AVX512 ? 16 : 8;
    uint32_t together = 1;
    bool loops = false, phis = false;

    if (!f->straight[r] || f->shape->build & LW_BUILD_FIRST)
        return 1;
    for (uint32_t k = region->piece_begin; k < region->piece_end; k++) {
        uint32_t piece = f->cuts->region_pieces[k];
        for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1]; n++) {
            const struct lw_carried *v = &f->values[n];
            if (keeps_order(f, v))
                return 1;
            bool phi = LLVMIsAPHINode(v->ref) && !v->cut_phi && LLVMCountIncoming(v->ref) > 1;
            phis |= phi;
            if (phi && goes_round(f, n))
                carried += registers(f, LLVMTypeOf(v->ref));
            loops |= phi && registers(f, LLVMTypeOf(v->ref));
            unsigned each = registers(f, LLVMTypeOf(v->ref));
            instructions += each ? each : !v->uniform;
            loads += LLVMIsALoadInst(v->ref) ? each : 0;
            uint32_t neighbours = side_by_side(f, v);
            together = neighbours > together ? neighbours : together;
        }
    }
    uint32_t chained = chain_copies(f, r, sub_groups);
    if (chained > 1)
        return chained;
    unsigned room = loops ? MOST_JAMMED : MOST_STRAIGHT;
    loops |= loads >= 2 * most;
    if (region->piece_end - region->piece_begin == 1 && !loops && !phis) {
        unsigned limit = together > 1 ? MOST_SIDE_BY_SIDE : MOST_SHORT;
        while (together < LW_JAM && 2 * together * instructions <= limit)
            together *= 2;
        while (together > sub_groups || together * instructions > MOST_JAMMED)
            together /= 2;
        return together ? together : 1;
    }
    for (uint32_t copies = LOOP_JAM; loops && copies > 1; copies /= 2)
        if (copies <= sub_groups && carried * copies <= most && instructions * copies <= room)
            return copies;
    return 1;
}
