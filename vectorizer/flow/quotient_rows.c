/* SPDX-License-Identifier: MIT */
/* Sub-groups that lie across the ends of a few rows of `i / d` and `i % d` (quotients.c): the piece once
 * more, in a loop over these rows, for the lanes of one at a time.
 *
 *     for (k = 0; k <= (rest + reach) / d; k++) {
 *         start = first - rest + k * d;  column = rest + lane - k * d;
 *         if (column is one of 0 .. d - 1)
 *             the piece, with start / d for i / d and column for i % d
 *     }
 *
 * so that accesses go along the rows there, too, under a mask. Of rows that are parts of longer ones, it is
 * the shortest that are gone over; start says where the others are.
 *
 * Enters: the piece, what is asked of its divisions, and that not all lanes lie in one row. Leaves: the loop,
 * and the question whether it serves.
 * Legal: each lane is in one row, and comes to the piece once, with the values that it had: for that no index
 * is negative or wraps, divisors are what quotients.c says (`good`), and the longer rows have whole numbers
 * of the shortest ones, which is asked as the code runs. Nothing that the piece computes is read behind it,
 * and it ends in one place. Pays: where accesses that vary are many beside what is computed once more,
 * divisions of the rows' begins above all: in loops, or several.
 */
#include "quotients_internal.h"

#include "../facts/integers.h"

#define MOST_ROWS 4
#define ROW_BITS 28      /* columns are below 2^28 */
#define MOST_WRITTEN 240 /* instructions of a piece */
#define LEAST_ACCESSES 3 /* for each division, but in loops */
#define MOST_COMPUTED 8  /* operations for each access at an address that varies, but for those of indices */

struct rows {
    struct split *s;
    struct lw_twice p;
    const struct asked *shortest;
    LLVMBasicBlockRef end;            /* where the piece ends; NULL: it returns */
    LLVMValueRef start[MOST_ASKED];   /* by what is asked: the index at the begin of the row */
    LLVMValueRef columns[MOST_ASKED]; /* its remainder in each lane */
};

/* ---- may it be? ---- */

static const struct asked *
row_above(const struct split *s, const struct asked *a)
{
    for (uint32_t k = 0; k < s->asked_count; k++)
        if (s->asked[k].rest == a->index)
            return &s->asked[k];
    return NULL;
}

static LLVMValueRef
index_of_all(const struct split *s, const struct asked *a)
{
    for (const struct asked *above = row_above(s, a); above; above = row_above(s, a))
        a = above;
    return a->index;
}

/* The rows that are parts of all others; NULL: none, or they are not of one index. */
static const struct asked *
find_rows(const struct split *s)
{
    const struct asked *shortest = s->asked_count == 1 ? s->asked : NULL;
    for (uint32_t k = 0; k < s->asked_count && s->asked_count > 1; k++) {
        if (s->asked[k].shortest && shortest && s->asked[k].divisor != shortest->divisor)
            return NULL;
        shortest = s->asked[k].shortest && !shortest ? &s->asked[k] : shortest;
    }
    for (uint32_t k = 0; shortest && k < s->asked_count; k++)
        if (index_of_all(s, &s->asked[k]) != index_of_all(s, shortest) ||
            LLVMTypeOf(s->asked[k].index) != LLVMTypeOf(shortest->index) ||
            s->asked[k].stride != shortest->stride)
            return NULL;
    return shortest;
}

/* Does the block lead on in the piece, to one place behind it, or return? A phi there would tell where lanes
 * come from, or what the piece has computed: what is read behind it has one since the first copy. */
static bool
has_one_end(struct rows *r, uint32_t b, bool *found)
{
    const struct split *s = r->s;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->m->blocks[b].ref);
    if (LLVMIsAReturnInst(end)) {
        bool first = !*found;
        *found = true;
        return first || !r->end;
    }
    if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end))
        return false;
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, k);
        uint32_t at = lw_block_id(s->m, to);
        if (at != LW_NONE && at != s->p.head && s->p.blocks[at])
            continue;
        if (at == LW_NONE || at == s->p.head || (*found && to != r->end) ||
            LLVMIsAPHINode(LLVMGetFirstInstruction(to)))
            return false;
        *found = true;
        r->end = to;
    }
    return true;
}

/* Is it more than an index, and done once more for each row? */
static bool
computes(const struct split *s, LLVMValueRef v)
{
    bool number = lw_int_width(v) || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
    return lw_form_of(s->u, s->m, v).form == LW_VARYING &&
           (LLVMIsACallInst(v) || (!number && !LLVMIsALoadInst(v) && !LLVMIsAPHINode(v) &&
                                   !LLVMIsAStoreInst(v) && !LLVMIsATerminatorInst(v)));
}

static bool
may_be(struct rows *r)
{
    const struct split *s = r->s;
    uint32_t count = 0, computed = 0, accesses = 0;
    bool found = false, loops = false;
    if (s->isa < LW_ISA_AVX2) /* no masks: one lane after the other either way */
        return false;
    for (uint32_t b = s->p.head; b < s->m->block_count; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        if (!s->p.blocks[b])
            continue;
        if (!has_one_end(r, b, &found))
            return false;
        for (uint32_t n = block->first_value; n < block->value_end; n++) {
            LLVMValueRef v = s->m->values[n];
            if (!lw_is_twice(&s->p, b, n))
                continue;
            count++;
            computed += computes(s, v);
            bool access = lw_access_varies(s, v);
            accesses += access;
            loops |= access && block->loop != s->m->blocks[s->p.head].loop;
        }
    }
    return found && (loops || accesses >= LEAST_ACCESSES * s->asked_count) && count <= MOST_WRITTEN &&
           computed <= MOST_COMPUTED * accesses;
}

/* ---- the loop ---- */

/* i1: the loop serves; *last: the number of the last row. */
static LLVMValueRef
ask_for_few(struct rows *r, LLVMValueRef *last)
{
    const struct split *s = r->s;
    LLVMBuilderRef b = s->b;
    const struct asked *row = r->shortest;
    LLVMTypeRef type = LLVMTypeOf(row->index);
    uint64_t reach = (uint64_t)row->stride * (s->lanes - 1);
    *last = LLVMBuildAdd(b, row->rest, LLVMConstInt(type, reach, false), "");
    *last = LLVMBuildUDiv(b, *last, row->sane, "");
    LLVMValueRef small = LLVMBuildLShr(b, row->sane, LLVMConstInt(type, ROW_BITS, false), "");
    LLVMValueRef whole = LLVMBuildICmp(b, LLVMIntULT, *last, LLVMConstInt(type, MOST_ROWS, false), "");
    whole = LLVMBuildAnd(b, whole, LLVMBuildICmp(b, LLVMIntEQ, small, LLVMConstNull(type), ""), "");
    for (uint32_t k = 0; k < s->asked_count; k++) {
        const struct asked *a = &s->asked[k];
        whole = LLVMBuildAnd(b, whole, a->good, "");
        if (a == row)
            continue;
        LLVMValueRef part = LLVMBuildURem(b, a->sane, row->sane, "");
        part = LLVMBuildICmp(b, LLVMIntEQ, part, LLVMConstNull(type), "");
        whole = LLVMBuildAnd(b, whole, part, "");
    }
    return whole;
}

/* Of what is asked as number k, and of the rows that it is part of. */
static void
start_row(struct rows *r, const struct asked *a, LLVMValueRef start, LLVMValueRef column)
{
    const struct split *s = r->s;
    const struct asked *above = row_above(s, a);
    uint32_t k = (uint32_t)(a - s->asked);
    if (r->start[k])
        return;
    r->start[k] = start;
    if (above) {
        start_row(r, above, start, column);
        r->start[k] = LLVMBuildURem(s->b, r->start[above - s->asked], above->sane, "");
    }
    r->columns[k] = column;
    if (a->divisor != r->shortest->divisor)
        r->columns[k] = LLVMBuildAdd(s->b, LLVMBuildURem(s->b, r->start[k], a->sane, ""), column, "");
}

/* What divisions come to, in the row's own block. Remainders may be below zero in lanes that do not come
 * here, and then so are those that are made wider. */
static void
replace_divisions(struct rows *r, LLVMValueRef row, LLVMValueRef start, LLVMValueRef column)
{
    const struct split *s = r->s;
    LLVMValueRef quotients[MOST_ASKED];
    for (uint32_t k = 0; k < s->asked_count; k++) {
        const struct asked *a = &s->asked[k];
        start_row(r, a, start, column);
        bool goes_on = a == r->shortest && !row_above(s, a); /* a part of a longer row begins again with it */
        quotients[k] = goes_on ? LLVMBuildAdd(s->b, a->quotient, row, "")
                               : LLVMBuildUDiv(s->b, r->start[k], a->sane, "");
    }
    for (uint32_t id = 0; id < s->m->value_count; id++) {
        if (!s->p.replaced[id])
            continue;
        uint32_t k = s->linear[id].asked - 1u;
        r->p.replaced[id] = true;
        r->p.copies[id] = LLVMBuildIntCast2(s->b, s->linear[id].stride ? r->columns[k] : quotients[k],
                                            LLVMTypeOf(s->m->values[id]), true, "");
    }
}

static void
lead_back(struct rows *r, LLVMBasicBlockRef latch)
{
    LLVMBuilderRef builder = r->s->b;
    for (uint32_t b = r->p.head; b < r->p.m->block_count; b++) {
        LLVMValueRef end = r->p.blocks[b] ? LLVMGetBasicBlockTerminator(r->p.blocks[b]) : NULL;
        if (end && LLVMIsAReturnInst(end)) {
            LLVMInstructionEraseFromParent(end);
            LLVMPositionBuilderAtEnd(builder, r->p.blocks[b]);
            LLVMBuildBr(builder, latch);
            continue;
        }
        for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
            if (LLVMGetSuccessor(end, k) == r->end)
                LLVMSetSuccessor(end, k, latch);
    }
}

static LLVMBasicBlockRef
write_loop(struct rows *r)
{
    struct split *s = r->s;
    LLVMBuilderRef b = s->b;
    const struct asked *row = r->shortest;
    LLVMTypeRef type = LLVMTypeOf(row->index);
    LLVMValueRef function = s->m->function, zero = LLVMConstNull(type), last;
    LLVMBasicBlockRef ask, loop, piece, latch, after;
    ask = LLVMAppendBasicBlockInContext(s->context, function, "few_rows");
    loop = LLVMAppendBasicBlockInContext(s->context, function, "row_of_few");
    piece = LLVMAppendBasicBlockInContext(s->context, function, "in_row");
    latch = LLVMAppendBasicBlockInContext(s->context, function, "next_row");
    after = LLVMAppendBasicBlockInContext(s->context, function, "rows_done");

    LLVMPositionBuilderAtEnd(b, ask);
    LLVMValueRef few = ask_for_few(r, &last);
    LLVMBuildCondBr(b, few, loop, s->m->blocks[s->p.head].ref);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef k = LLVMBuildPhi(b, type, "");
    LLVMValueRef before = LLVMBuildSub(b, row->rest, LLVMBuildMul(b, k, row->sane, ""), "");
    LLVMValueRef start = LLVMBuildSub(b, index_of_all(s, row), before, "");
    /* Far from where it would wrap, which the facts are told by two shifts. */
    LLVMValueRef one = LLVMConstInt(type, 1, false);
    LLVMValueRef unused = LLVMConstInt(type, lw_int_width(row->index) - ROW_BITS - 1, false);
    before = LLVMBuildAShr(b, LLVMBuildShl(b, before, unused, ""), unused, "");
    LLVMValueRef column = LLVMBuildAdd(b, before, lw_lane_offset(s, type, row->stride), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, column, row->sane, ""), piece, latch);
    LLVMPositionBuilderAtEnd(b, piece);
    replace_divisions(r, k, start, column);
    lw_write_twice(&r->p);
    LLVMPositionBuilderAtEnd(b, piece);
    LLVMBuildBr(b, r->p.blocks[r->p.head]);
    lead_back(r, latch);
    LLVMPositionBuilderAtEnd(b, latch);
    LLVMValueRef next = LLVMBuildAdd(b, k, one, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, next, last, ""), after, loop);
    LLVMAddIncoming(k, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){ask, latch}, 2);
    LLVMPositionBuilderAtEnd(b, after);
    if (r->end)
        LLVMBuildBr(b, r->end);
    else
        LLVMBuildRetVoid(b);
    return ask;
}

/* Are they few whatever the index is, if it is what it must be? */
static bool
are_always_few(const struct rows *r)
{
    uint64_t d, longer;
    if (!lw_is_int_constant(r->shortest->divisor, &d) || d >> ROW_BITS)
        return false;
    for (uint32_t k = 0; k < r->s->asked_count; k++)
        if (!lw_is_int_constant(r->s->asked[k].divisor, &longer) || longer % d != 0)
            return false;
    uint64_t reach = (uint64_t)r->shortest->stride * (r->s->lanes - 1);
    return (d - 1 + reach) / d < MOST_ROWS;
}

LLVMBasicBlockRef
lw_write_rows(struct split *s, bool *serves_all)
{
    *serves_all = false;
    struct rows r = {.s = s, .p = s->p, .shortest = find_rows(s)};
    if (!r.shortest || !may_be(&r))
        return s->m->blocks[s->p.head].ref;
    r.p.copies = LW_ARENA_NEW(s->arena, LLVMValueRef, s->m->value_count);
    r.p.replaced = LW_ARENA_NEW(s->arena, bool, s->m->value_count);
    r.p.blocks = LW_ARENA_NEW(s->arena, LLVMBasicBlockRef, s->m->block_count);
    *serves_all = are_always_few(&r);
    return write_loop(&r);
}
