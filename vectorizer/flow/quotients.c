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
 * condition is asked, which is before all of them. A remainder that is divided by a constant may have been
 * made narrower, by nothing but zeros: what is asked is asked of the number as it was.
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

#include "../../spirv/arena.h"
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../facts/uniformity.h"
#include "module_pass.h"
#include "../../spirv/intrinsics.h"
#include "../facts/kept.h"

#define MOST_BITS 30
#define MOST_DIVISOR (1u << MOST_BITS)
#define DEPTH 16

static void
set_mark(const struct split *s, LLVMValueRef v, const char *mark, bool on)
{
    LLVMValueRef node = on ? LLVMMDNodeInContext(s->context, NULL, 0) : NULL;
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(s->context, mark, (unsigned)strlen(mark)), node);
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

/* Does the remainder of what was asked have no more bits than that? */
static bool
rest_fits(const struct asked *a, unsigned width)
{
    uint64_t d;
    return width >= MOST_BITS ||
           (lw_is_int_constant(a->divisor, &d) && d - 1 <= lw_zero_extend(UINT64_MAX, width));
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
    if (!a.known || !b.known ||
        ((a.stride || b.stride) && op != LLVMAdd && op != LLVMSub && op != LLVMTrunc))
        return (struct linear){0};
    if (cast) {
        struct linear same = {.known = true, .stride = a.stride};
        same.base = LLVMBuildCast(s->b, op, a.base, LLVMTypeOf(v), "");
        same.rest = a.rest && rest_fits(&s->asked[a.rest - 1], lw_int_width(v)) ? a.rest : 0;
        return same;
    }
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
    uint32_t block = parameter ? 0 : lw_block_id_of(s->m, v);
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
    LLVMValueRef index, product;
    if (lw_is_division(v))
        return v;
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMPHI;
    if (op != LLVMSub)
        return op == LLVMAdd || op == LLVMTrunc ? lw_division_of_sum(v) : NULL;
    index = LLVMGetOperand(v, 0);
    product = LLVMGetOperand(v, 1);
    bool times = LLVMIsABinaryOperator(product) && LLVMGetInstructionOpcode(product) == LLVMMul;
    for (unsigned k = 0; k < 2 && times; k++) {
        LLVMValueRef q = LLVMGetOperand(product, k);
        if (lw_is_division(q) && lw_is_quotient(q) && LLVMGetOperand(q, 0) == index &&
            lw_divisor_of(q) == LLVMGetOperand(product, !k))
            return q;
    }
    return lw_division_of_sum(v);
}

/* What a division is of, and by: of fewer bits than the remainder that its index is, it is that of all of
 * them. false: not known, or by too much. */
static bool
has_operands(struct split *s, LLVMValueRef division, struct linear *index, LLVMValueRef *divisor)
{
    LLVMValueRef by = lw_divisor_of(division);
    LLVMOpcode op = LLVMGetInstructionOpcode(division);
    unsigned width = lw_int_width(division) - (op == LLVMSDiv || op == LLVMSRem);
    uint64_t constant = 1;
    *index = linear_of(s, LLVMGetOperand(division, 0), 0);
    if (!index->known || index->stride <= 0 || index->stride * (int64_t)s->lanes >= MOST_REACH)
        return false;
    struct linear d = linear_of(s, by, 0);
    if (!d.known || d.stride || (lw_is_int_constant(d.base, &constant) && constant - 1 >= MOST_DIVISOR))
        return false;
    *divisor = d.base;
    if (index->rest && LLVMIsAConstantInt(d.base) && rest_fits(&s->asked[index->rest - 1], width)) {
        index->base = s->asked[index->rest - 1].rest;
        *divisor = number(LLVMTypeOf(index->base), constant);
    }
    return lw_has_index(index->base);
}

/* What `v` is, which is the quotient or the remainder of `division`. */
static void
assume(struct split *s, LLVMValueRef v, uint32_t id, LLVMValueRef division)
{
    LLVMValueRef divisor;
    LLVMTypeRef type = LLVMTypeOf(v);
    struct linear index;
    uint32_t k = 0;
    if (!has_operands(s, division, &index, &divisor))
        return;
    while (k < s->asked_count && (s->asked[k].index != index.base || s->asked[k].divisor != divisor))
        k++;
    if (k == MOST_ASKED)
        return;
    struct asked *a = &s->asked[k];
    if (k == s->asked_count) {
        s->asked[s->asked_count++] = (struct asked){.index = index.base, .divisor = divisor};
        ask(s, a, index.stride);
    }
    bool quotient = v == division && lw_is_quotient(v);
    struct linear *known = &s->linear[id];
    *known = (struct linear){.known = true, .seen = true, .asked = (uint8_t)(k + 1)};
    known->stride = quotient ? 0 : index.stride;
    known->rest = !quotient && rest_fits(a, lw_int_width(v)) ? known->asked : 0;
    known->base = LLVMBuildIntCast2(s->b, quotient ? a->quotient : a->rest, type, false, "");
    s->p.replaced[id] = true;
    s->p.copies[id] = quotient ? known->base
                               : LLVMBuildAdd(s->b, known->base, lw_lane_offset(s, type, index.stride), "");
}

/* A remainder that is made wider is as wide as it was asked for. */
static void
widen_rest(struct split *s, LLVMValueRef v, uint32_t id)
{
    uint32_t of = LLVMIsAZExtInst(v) ? lw_value_id(s->m, LLVMGetOperand(v, 0)) : LW_NONE;
    uint8_t rest = of != LW_NONE && s->p.replaced[of] ? s->linear[of].rest : 0;
    if (!rest)
        return;
    const struct asked *a = &s->asked[rest - 1];
    LLVMValueRef base = LLVMBuildIntCast2(s->b, a->rest, LLVMTypeOf(v), false, "");
    s->linear[id] = (struct linear){true, true, rest, rest, a->stride, base};
    s->p.replaced[id] = true;
    s->p.copies[id] = LLVMBuildAdd(s->b, base, lw_lane_offset(s, LLVMTypeOf(v), a->stride), "");
}

/* All divisions of the piece, in the order in which they depend on each other. */
static void
ask_all(struct split *s)
{
    for (uint32_t b = s->p.head; b < s->m->block_count; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t id = block->first_value; id < block->value_end; id++) {
            LLVMValueRef v = s->m->values[id];
            if (!lw_is_twice(&s->p, b, id))
                continue;
            widen_rest(s, v, id);
            LLVMValueRef division = lw_is_marked(s, v, LW_QUOTIENT_DONE) ? NULL : division_of(v);
            if (!division)
                continue;
            set_mark(s, v, LW_QUOTIENT_DONE, true);
            assume(s, v, id, division);
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
        set_mark(s, s->m->values[id], LW_QUOTIENT_DONE, false);
        set_mark(s, s->m->values[id], LW_QUOTIENT_LONG, true);
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
    if (!lw_find_piece(s))
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
    bool serves_all, longer = !lw_is_marked(s, first, LW_QUOTIENT_LONG) && find_shortest(s);
    lw_write_twice(&s->p);
    lw_add_ways_twice(&s->p, before); /* where it is a loop's header */
    LLVMBasicBlockRef otherwise = lw_write_rows(s, &serves_all);
    if (longer && !serves_all)
        leave_long_rows(s);
    LLVMPositionBuilderAtEnd(s->b, before);
    LLVMBuildCondBr(s->b, s->holds, s->p.blocks[s->p.head], otherwise);
}

static bool
has_division(const struct split *s, LLVMValueRef function)
{
    for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        if (lw_is_division(i) && lw_has_index(i) && !lw_is_marked(s, i, LW_QUOTIENT_DONE))
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
