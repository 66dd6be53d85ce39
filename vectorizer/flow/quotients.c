/* SPDX-License-Identifier: MIT */
/* `i / d` and `i % d` where i goes on from lane to lane and d is the same in all of them, known or not: most
 * sub-groups lie in one row of d, and there the quotient is one number, and the remainder goes on as i does.
 * So that is asked, once for all such divisions of a piece of code, and the piece is there twice:
 *
 *     row = i / d; column = i % d; ...          first = i - lane;  rest = first % d
 *     out[row * pitch + column] = ...    ->     if (d - rest >= lanes) row = first / d, column = rest + lane,
 * ... else as it was
 *
 * In chains, (i / a) % b and (i % a) / b, the inner operation counts as what it is where the outer one's
 * condition is asked, which is before all of them.
 *
 * Where rows are parts of longer ones, i / a and i / (a * b), many sub-groups that lie across the end of a
 * short row lie in one long row: the piece as it was is split once more, by all but the shortest. And where
 * what lies across is few rows, the piece is run for one after the other (quotient_rows.c).
 *
 * Enters: lw.kernel in canonical form. Leaves: the same values, but not the form.
 * Legal: whichever arm is taken, each lane computes what it would have. For that the conditions say that no
 * lane's i is negative as a signed number or lies across a wrap (then signed and unsigned division are one),
 * and that d is 1 to 2^30. They are computed before it is known that the divisions are: d is frozen, and 1
 * where it is none of these. No operation between lanes and no barrier is in the piece: work-items meet in
 * one place. Pays (but for private arrays): where the piece accesses memory at an address that varies.
 */
#include <string.h>

#include "quotients_internal.h"

#include "../facts/arena.h"
#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "../facts/uniformity.h"
#include "../widen/kept.h"
#include "module_pass.h"
#include "../../spirv/intrinsics.h"

#define DONE "lw.quotient"           /* metadata of divisions that were looked at, */
#define LONG "lw.quotient.long_rows" /* and of those that are looked at once more */
#define MOST_WRITTEN 600             /* instructions of a piece */
#define MOST_DECIDED 8
#define MOST_REACH (1 << 16)
#define MOST_DIVISOR (1u << 30)
#define DEPTH 16

static bool
is_division(LLVMValueRef v)
{
    unsigned width = LLVMIsABinaryOperator(v) ? lw_int_width(v) : 0;
    return (width == 32 || width == 64) && lw_is_int_division(LLVMGetInstructionOpcode(v));
}

static bool
is_quotient(LLVMValueRef division)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(division);
    return op == LLVMUDiv || op == LLVMSDiv;
}

/* The program's own: the emission divides by umax(d, 1), which is d wherever the conditions hold. */
static LLVMValueRef
divisor_of(LLVMValueRef division)
{
    LLVMValueRef d = LLVMGetOperand(division, 1);
    uint64_t least;
    if (lw_is_call_like(d, "llvm.umax.") && lw_is_int_constant(LLVMGetOperand(d, 1), &least) && least == 1)
        return LLVMGetOperand(d, 0);
    return d;
}

static bool
is_marked(const struct split *s, LLVMValueRef v, const char *mark)
{
    return LLVMGetMetadata(v, LLVMGetMDKindIDInContext(s->context, mark, (unsigned)strlen(mark))) != NULL;
}

static void
set_mark(const struct split *s, LLVMValueRef v, const char *mark, bool on)
{
    LLVMValueRef node = on ? LLVMMDNodeInContext(s->context, NULL, 0) : NULL;
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(s->context, mark, (unsigned)strlen(mark)), node);
}

/* ---- the piece ---- */

/* A division that varies by its index alone. */
static bool
opens(const struct split *s, LLVMValueRef v)
{
    if (!is_division(v) || is_marked(s, v, DONE))
        return false;
    struct lw_vinfo index = lw_form_of(s->u, s->m, LLVMGetOperand(v, 0));
    return lw_form_of(s->u, s->m, v).form == LW_VARYING && index.form == LW_STRIDED && index.linear &&
           index.stride > 0 && !index.assumes_no_wrap && index.stride * (int64_t)s->lanes < MOST_REACH &&
           lw_form_of(s->u, s->m, divisor_of(v)).form == LW_UNIFORM;
}

static bool
may_be_twice(LLVMValueRef v)
{
    return !LLVMIsAAllocaInst(v) && (!LLVMIsACallInst(v) || lw_call_computes(v));
}

/* Twice as many accesses may be more than a private array in registers has (forms/few.c). */
static bool
is_private_array(const struct split *s, LLVMValueRef v)
{
    bool load = LLVMIsALoadInst(v);
    LLVMValueRef at = load || LLVMIsAStoreInst(v) ? LLVMGetOperand(v, load ? 0 : 1) : NULL;
    return at && LLVMGetPointerAddressSpace(LLVMTypeOf(at)) == LW_AS_PRIVATE &&
           lw_form_of(s->u, s->m, at).form != LW_UNIFORM;
}

bool
lw_access_varies(const struct split *s, LLVMValueRef v)
{
    bool load = LLVMIsALoadInst(v);
    return (load || LLVMIsAStoreInst(v)) &&
           lw_form_of(s->u, s->m, LLVMGetOperand(v, load ? 0 : 1)).form == LW_VARYING;
}

static bool
is_worth_it(const struct split *s)
{
    uint32_t count = 0;
    bool pays = false;
    for (uint32_t b = s->p.head; b < s->m->block_count; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t k = 0; k < block->value_count; k++) {
            uint32_t id = block->first_value + k;
            if (!lw_is_twice(&s->p, b, id))
                continue;
            LLVMValueRef v = s->m->values[id];
            if (!may_be_twice(v) || is_private_array(s, v) || ++count > MOST_WRITTEN)
                return false;
            pays |= lw_access_varies(s, v);
        }
    }
    return pays;
}

/* Does all that the head dominates stay in the head's loop, and end in a round? */
static bool
stays_inside(const struct split *s)
{
    uint32_t loop = s->m->blocks[s->p.head].loop;
    if (loop == LW_NONE)
        return true;
    if (lw_dominates(s->m, s->p.head, s->m->loops[loop].latch))
        return false;
    for (uint32_t e = 0; e < s->m->loops[loop].exit_count; e++)
        if (lw_dominates(s->m, s->p.head, s->m->loops[loop].exit_edges[2 * e]))
            return false;
    return true;
}

/* The last block that the head dominates, of those that it leads to in any case and in its round. */
static uint32_t
last_block(const struct split *s)
{
    const struct lw_model *m = s->m;
    uint32_t last = s->p.head, loop = m->blocks[last].loop;
    for (uint32_t b = m->blocks[last].ipdom; b != LW_NONE && m->blocks[b].loop == loop &&
                                             m->loops[loop].header != b && lw_dominates(m, s->p.head, b);
         b = m->blocks[b].ipdom)
        last = b;
    return last;
}

/* Goes round or leaves, and nothing else. */
static bool
only_decides(const struct split *s, uint32_t b)
{
    const struct lw_vblock *block = &s->m->blocks[b];
    for (uint32_t k = 0; k < block->value_count; k++) {
        LLVMValueRef v = s->m->values[block->first_value + k];
        if (lw_memory_effect(v) != LW_NO_MEMORY || LLVMIsACallInst(v) || is_division(v))
            return false;
    }
    return true;
}

/* Is it there for `decision` alone, the last instructions of the block? */
static bool
serves(LLVMValueRef v, const LLVMValueRef *decision, unsigned count)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (!lw_is_int_operation(op) && !lw_is_int_cast(op) && op != LLVMICmp)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        unsigned k = 0;
        while (k < count && decision[k] != LLVMGetUser(use))
            k++;
        if (k == count)
            return false;
    }
    return true;
}

/* Takes what is not for the decision how the loop goes on to a block before it. */
static void
cut_decision(struct split *s, uint32_t b)
{
    LLVMValueRef decision[MOST_DECIDED];
    unsigned count = 1;
    decision[0] = LLVMGetBasicBlockTerminator(s->m->blocks[b].ref);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(decision[0]), before; i && count < MOST_DECIDED;
         i = before) {
        before = LLVMGetPreviousInstruction(i);
        if (!serves(i, decision, count))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(s->b, decision[count - 1]);
        LLVMInsertIntoBuilder(s->b, i);
        decision[count++] = i;
    }
    LLVMPositionBuilderAtEnd(s->b, lw_part_block(s->b, decision[count - 1]));
    LLVMBuildBr(s->b, s->m->blocks[b].ref);
    s->cut = true;
}

/* Where the piece ends; false: there is no place for it as things stand. Lanes that leave a loop from two
 * copies of its end would meet as if they had come different ways: there is one end, behind the piece. */
static bool
find_end(struct split *s)
{
    s->p.end = LW_NONE;
    if (stays_inside(s))
        return true;
    uint32_t last = last_block(s);
    if (last == s->p.head || !only_decides(s, last)) {
        cut_decision(s, last);
        return false;
    }
    s->p.end = last;
    return true;
}

static bool
is_inside(const struct split *s, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) &&
           lw_is_twice(&s->p, lw_block_id(s->m, LLVMGetInstructionParent(v)), lw_value_id(s->m, v));
}

/* Is it computed of what is there before the piece? */
static bool
may_go_before(const struct split *s, LLVMValueRef v, unsigned depth)
{
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
    if (!is_inside(s, v))
        return true;
    if (depth == MOST_DECIDED || is_division(v) ||
        (!lw_is_int_operation(op) && !lw_is_int_cast(op) && !lw_is_call_like(v, "lw.num_groups")))
        return false;
    for (int k = 0; op != LLVMCall && k < LLVMGetNumOperands(v); k++)
        if (!may_go_before(s, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return false;
    return true;
}

/* What was taken once has the model's number still, but stands in front. */
static bool
is_taken(const struct split *s, LLVMValueRef v)
{
    for (LLVMValueRef i = LLVMGetPreviousInstruction(s->m->values[s->p.first]); i;
         i = LLVMGetPreviousInstruction(i))
        if (i == v)
            return true;
    return false;
}

static void
take_before(struct split *s, LLVMValueRef v)
{
    if (!is_inside(s, v) || is_taken(s, v))
        return;
    for (int k = 0; !LLVMIsACallInst(v) && k < LLVMGetNumOperands(v); k++)
        take_before(s, LLVMGetOperand(v, (unsigned)k));
    LLVMInstructionRemoveFromParent(v);
    LLVMPositionBuilderBefore(s->b, s->m->values[s->p.first]);
    LLVMInsertIntoBuilder(s->b, v);
    s->cut = true;
}

static bool
is_read_behind(const struct split *s, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (!is_inside(s, LLVMGetUser(use)))
            return true;
    return false;
}

/* What is the next round's index anyhow is one value, and no phi of two copies. */
static bool
take_all_before(struct split *s)
{
    for (uint32_t b = s->p.head; b < s->m->block_count && !s->cut; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t k = 0; k < block->value_count && !s->cut; k++) {
            LLVMValueRef v = s->m->values[block->first_value + k];
            if (lw_is_twice(&s->p, b, block->first_value + k) && is_read_behind(s, v) &&
                may_go_before(s, v, 0))
                take_before(s, v);
        }
    }
    return s->cut;
}

static bool
find_piece(struct split *s)
{
    for (s->p.head = 0; s->p.head < s->m->block_count; s->p.head++) {
        const struct lw_vblock *block = &s->m->blocks[s->p.head];
        for (uint32_t k = 0; k < block->value_count; k++) {
            s->p.first = block->first_value + k;
            if (!opens(s, s->m->values[s->p.first]))
                continue;
            if (!find_end(s))
                return false;
            if (is_worth_it(s))
                return !take_all_before(s);
        }
    }
    return false;
}

/* ---- values where the conditions hold ---- */

static LLVMValueRef
number(LLVMTypeRef type, uint64_t value)
{
    return LLVMConstInt(type, value, false);
}

LLVMValueRef
lw_lane_offset(struct split *s, LLVMTypeRef type, int64_t stride)
{
    LLVMValueRef lane = LLVMBuildIntCast2(s->b, s->lane, type, false, "");
    return stride == 1 ? lane : LLVMBuildMul(s->b, lane, number(type, (uint64_t)stride), "");
}

static struct linear
at_hand(struct split *s, LLVMValueRef v)
{
    struct lw_vinfo info = lw_form_of(s->u, s->m, v);
    if (info.form == LW_UNIFORM)
        return (struct linear){.known = true, .base = v};
    if (info.form != LW_STRIDED || !info.linear || info.assumes_no_wrap)
        return (struct linear){0};
    LLVMValueRef base = LLVMBuildSub(s->b, v, lw_lane_offset(s, LLVMTypeOf(v), info.stride), "");
    return (struct linear){.known = true, .stride = info.stride, .base = base};
}

static struct linear linear_of(struct split *s, LLVMValueRef v, unsigned depth);

/* Made of the bases, before the piece, where no operand makes it trap. */
static struct linear
remade(struct split *s, LLVMValueRef v, unsigned depth)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool cast = lw_is_int_cast(op);
    struct linear a, b = {.known = true};
    if (!cast && !lw_is_int_operation(op))
        return (struct linear){0};
    a = linear_of(s, LLVMGetOperand(v, 0), depth + 1);
    if (a.known && !cast)
        b = linear_of(s, LLVMGetOperand(v, 1), depth + 1);
    if (!a.known || !b.known || ((a.stride || b.stride) && op != LLVMAdd && op != LLVMSub))
        return (struct linear){0};
    if (cast)
        return (struct linear){.known = true, .base = LLVMBuildCast(s->b, op, a.base, LLVMTypeOf(v), "")};
    return (struct linear){.known = true,
                           .stride = op == LLVMSub ? a.stride - b.stride : a.stride + b.stride,
                           .base = LLVMBuildBinOp(s->b, op, a.base, b.base, "")};
}

static struct linear
linear_of(struct split *s, LLVMValueRef v, unsigned depth)
{
    uint32_t id = lw_value_id(s->m, v);
    if (!lw_int_width(v) || lw_int_width(v) > 64 || depth == DEPTH)
        return (struct linear){0};
    if (id == LW_NONE)
        return (struct linear){.known = LLVMIsAConstantInt(v) != NULL, .base = v};
    if (s->linear[id].seen)
        return s->linear[id];
    bool parameter = id < s->m->param_count;
    uint32_t block = parameter ? 0 : lw_block_id(s->m, LLVMGetInstructionParent(v));
    if (!parameter && lw_is_twice(&s->p, block, id))
        s->linear[id] = remade(s, v, depth);
    else if (parameter || lw_dominates(s->m, block, s->p.head))
        s->linear[id] = at_hand(s, v);
    s->linear[id].seen = true;
    return s->linear[id];
}

/* ---- conditions ---- */

static LLVMValueRef
frozen(struct split *s, LLVMValueRef v)
{
    return LLVMIsAConstant(v) ? v : LLVMBuildFreeze(s->b, v, "");
}

static void
ask(struct split *s, struct asked *a, int64_t stride)
{
    LLVMBuilderRef b = s->b;
    LLVMTypeRef type = LLVMTypeOf(a->index);
    uint64_t reach = (uint64_t)stride * (s->lanes - 1), top = UINT64_C(1) << (lw_int_width(a->index) - 1);
    LLVMValueRef one = number(type, 1), index = frozen(s, a->index), divisor = frozen(s, a->divisor);
    LLVMValueRef small = LLVMBuildSub(b, divisor, one, "");
    small = LLVMBuildICmp(b, LLVMIntULT, small, number(type, MOST_DIVISOR), "");
    LLVMValueRef low = LLVMBuildICmp(b, LLVMIntULT, index, number(type, top - reach), "");
    divisor = LLVMBuildSelect(b, small, divisor, one, "");
    a->good = LLVMBuildAnd(b, small, low, "");
    a->sane = divisor;
    a->stride = stride;
    a->quotient = LLVMBuildUDiv(b, index, divisor, "");
    /* Not a division of its own: LLVM would sink that of the quotient into the arm, and divide twice. */
    a->rest = LLVMBuildSub(b, index, LLVMBuildMul(b, a->quotient, divisor, ""), "");
    LLVMValueRef left = LLVMBuildSub(b, divisor, a->rest, "");
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntUGT, left, number(type, reach), "");
    fits = LLVMBuildAnd(b, a->good, fits, "");
    s->holds = s->holds ? LLVMBuildAnd(b, s->holds, fits, "") : fits;
    /* Below the largest divisor in the arm where it is used: what the facts are told. */
    a->rest = LLVMBuildAnd(b, a->rest, number(type, MOST_DIVISOR - 1), "");
}

/* The division whose result `v` is; a remainder also as index - index / divisor * divisor. NULL: none. */
static LLVMValueRef
division_of(LLVMValueRef v)
{
    if (is_division(v))
        return v;
    LLVMValueRef index, product;
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMSub)
        return NULL;
    index = LLVMGetOperand(v, 0);
    product = LLVMGetOperand(v, 1);
    if (!LLVMIsABinaryOperator(product) || LLVMGetInstructionOpcode(product) != LLVMMul)
        return NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef q = LLVMGetOperand(product, k);
        if (is_division(q) && is_quotient(q) && LLVMGetOperand(q, 0) == index &&
            divisor_of(q) == LLVMGetOperand(product, !k))
            return q;
    }
    return NULL;
}

static void
assume(struct split *s, LLVMValueRef v, uint32_t id)
{
    LLVMValueRef division = division_of(v);
    struct linear index = linear_of(s, LLVMGetOperand(division, 0), 0), divisor = {0};
    uint64_t constant = 1;
    uint32_t k = 0;
    if (index.known && index.stride > 0 && index.stride * (int64_t)s->lanes < MOST_REACH)
        divisor = linear_of(s, divisor_of(division), 0);
    if (!divisor.known || divisor.stride ||
        (lw_is_int_constant(divisor.base, &constant) && constant - 1 >= MOST_DIVISOR))
        return;
    while (k < s->asked_count && (s->asked[k].index != index.base || s->asked[k].divisor != divisor.base))
        k++;
    if (k == MOST_ASKED)
        return;
    if (k == s->asked_count) {
        s->asked[s->asked_count++] = (struct asked){.index = index.base, .divisor = divisor.base};
        ask(s, &s->asked[k], index.stride);
    }
    bool quotient = v == division && is_quotient(v);
    LLVMValueRef rest = s->asked[k].rest;
    s->linear[id] = (struct linear){.known = true,
                                    .seen = true,
                                    .asked = (uint8_t)(k + 1),
                                    .stride = quotient ? 0 : index.stride,
                                    .base = quotient ? s->asked[k].quotient : rest};
    s->p.replaced[id] = true;
    s->p.copies[id] = quotient ? s->asked[k].quotient
                               : LLVMBuildAdd(s->b, rest, lw_lane_offset(s, LLVMTypeOf(v), index.stride), "");
}

/* All divisions of the piece, in the order in which they depend on each other. */
static void
ask_all(struct split *s)
{
    for (uint32_t b = s->p.head; b < s->m->block_count; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t k = 0; k < block->value_count; k++) {
            uint32_t id = block->first_value + k;
            LLVMValueRef v = s->m->values[id];
            if (!lw_is_twice(&s->p, b, id) || !division_of(v) || is_marked(s, v, DONE))
                continue;
            set_mark(s, v, DONE, true);
            assume(s, v, id);
        }
    }
}

/* ---- short rows in long ones ---- */

static bool
has_factor(LLVMValueRef product, LLVMValueRef d, unsigned depth)
{
    uint64_t a, b;
    if (lw_is_int_constant(product, &a) && lw_is_int_constant(d, &b))
        return b && a > b && a % b == 0;
    if (!LLVMIsABinaryOperator(product) || LLVMGetInstructionOpcode(product) != LLVMMul || depth == DEPTH)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (LLVMGetOperand(product, k) == d || has_factor(LLVMGetOperand(product, k), d, depth + 1))
            return true;
    return false;
}

/* Are b's rows parts of a's? */
static bool
has_rows(const struct asked *a, const struct asked *b)
{
    return b->index == a->rest || (b->index == a->index && has_factor(a->divisor, b->divisor, 0));
}

static bool
find_shortest(struct split *s)
{
    bool found = false;
    for (uint32_t a = 0; a < s->asked_count; a++) {
        bool part = false, whole = false;
        for (uint32_t b = 0; b < s->asked_count; b++) {
            part |= has_rows(&s->asked[b], &s->asked[a]);
            whole |= has_rows(&s->asked[a], &s->asked[b]);
        }
        s->asked[a].shortest = part && !whole;
        found |= s->asked[a].shortest;
    }
    return found;
}

/* To the next time, which is the last for them. */
static void
leave_long_rows(struct split *s)
{
    for (uint32_t id = 0; id < s->m->value_count; id++) {
        if (!s->linear[id].asked || s->asked[s->linear[id].asked - 1].shortest)
            continue;
        set_mark(s, s->m->values[id], DONE, false);
        set_mark(s, s->m->values[id], LONG, true);
    }
}

/* ---- both ---- */

static LLVMValueRef
lane_id(struct split *s)
{
    static const char name[] = "lw.sub_group_local_id";
    LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(s->context), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(s->module, name);
    if (!f)
        f = LLVMAddFunction(s->module, name, type);
    return LLVMBuildCall2(s->b, type, f, NULL, 0, "");
}

static void
split(struct lw_arena *arena, void *data)
{
    struct split *s = data;
    if (!find_piece(s))
        return;
    s->arena = arena;
    s->linear = LW_ARENA_NEW(arena, struct linear, s->m->value_count);
    s->p.copies = LW_ARENA_NEW(arena, LLVMValueRef, s->m->value_count);
    s->p.replaced = LW_ARENA_NEW(arena, bool, s->m->value_count);
    s->p.blocks = LW_ARENA_NEW(arena, LLVMBasicBlockRef, s->m->block_count);
    LLVMValueRef first = s->m->values[s->p.first];
    LLVMPositionBuilderBefore(s->b, first);
    s->lane = lane_id(s);
    ask_all(s);
    s->changed = true;
    if (!s->holds) /* a constant that is too large */
        return;
    LLVMBasicBlockRef before = lw_part_block(s->b, first);
    if (!is_marked(s, first, LONG) && find_shortest(s))
        leave_long_rows(s);
    lw_write_twice(&s->p);
    lw_add_ways_twice(&s->p, before); /* where it is a loop's header */
    LLVMBasicBlockRef otherwise = lw_write_rows(s);
    LLVMPositionBuilderAtEnd(s->b, before);
    LLVMBuildCondBr(s->b, s->holds, s->p.blocks[s->p.head], otherwise);
}

static bool
has_division(const struct split *s, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_division(i) && !is_marked(s, i, DONE))
                return true;
    return false;
}

/* One look at the function as it is. */
static void
look(struct split *s, LLVMValueRef kernel, const struct lw_shape *shape)
{
    const char *why;
    struct lw_model *m = lw_model_build(kernel, &why);
    struct lw_uniformity *u = m ? lw_find_uniformity(m, shape) : NULL;
    s->m = s->p.m = m;
    s->p.b = s->b;
    s->u = u;
    s->cut = false;
    if (u)
        lw_with_arena(split, s);
    lw_uniformity_free(u);
    lw_model_free(m);
}

bool
lw_split_quotients(LLVMModuleRef module, const struct lw_shape *shape)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    unsigned cuts = 0;
    struct split s = {.module = module,
                      .context = LLVMGetModuleContext(module),
                      .lanes = shape->lanes,
                      .isa = (lw_isa)shape->isa};
    if (!kernel || shape->lanes < 2 || lw_has_kept(module) || !has_division(&s, kernel))
        return false;
    s.b = LLVMCreateBuilderInContext(s.context);
    do /* what is taken out of the piece at hand comes first */
        look(&s, kernel, shape);
    while (s.cut && ++cuts < 4);
    LLVMDisposeBuilder(s.b);
    return s.changed || s.cut;
}
