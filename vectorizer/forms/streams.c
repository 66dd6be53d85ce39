/* SPDX-License-Identifier: MIT */
/* Loops in which each lane reads its own consecutive elements, until it has enough of them: the rows of a
 * sparse matrix, the neighbours of a vertex. A gather costs as much as an access for each lane, in every
 * round; here four rounds share the accesses:
 *
 *     first of four rounds    16 bytes of each lane, four by four transposed in registers
 *     the other three         the elements that are there already
 *     a plain round           gathers, where the 16 bytes of an active lane may lie in two pages
 *
 *     round 0 -> round 1 -> round 2 -> round 3 -> round 0;    round 0 -> plain -> round 0
 *
 * For how many times four rounds all lanes stay in their pages is counted once. In a short loop only the last
 * of four rounds asks whether any lane is left: the others run with none as with some.
 *
 * Enters: a divergent loop about to be widened. Leaves: its blocks written once for each of these five.
 * Relies on: slots, which let blocks be written any number of times; a loop that does not write memory, nor
 * waits for who does, reading the same earlier; each round that a lane is in reading the element behind the
 * last.
 * Never: reads a page that no active lane reads.
 */
#include <stdlib.h>
#include <string.h>

#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "../subgroup/subgroup_ops.h"
#include "../widen/widener.h"

#define ROUNDS 4 /* that share accesses */
#define PLAIN ROUNDS
#define MOST_STREAMS 4
#define MOST_VALUES 40 /* instructions of a loop */
#define MOST_STEP 4096 /* of an index, and of what one of it stands for */
#define BYTES 16       /* of an access */
#define MOST_LANES 16  /* an access for each: code grows with them */
#define MOST_IDLE 28   /* instructions of a loop of which up to three rounds may be in vain */

struct stream {
    LLVMValueRef load;
    V element[ROUNDS];
};

struct lw_streams {
    bool *loops;   /* by loop: is it written in this way? */
    uint32_t loop; /* being written; LW_NONE */
    unsigned round;
    bool is_short;                 /* the loop: see MOST_IDLE */
    LLVMBasicBlockRef next, plain; /* where the next round begins, and the plain one */
    struct stream stream[MOST_STREAMS];
    unsigned count;
    LLVMValueRef carried; /* the index of the streams that are told by one; NULL: of none */
    V safe;               /* alloca: of each lane, an index that may be read at */
    V sure;               /* alloca: i32, how often the next four rounds stay in their pages; 0: not known */
    V lanes;              /* of `carried`, where they are active; else what is safe */
};

/* ---- which loops ---- */

bool
lw_find_step(lw_widener *w, uint32_t loop, LLVMValueRef v, int64_t *step)
{
    const struct lw_loop *l = &w->m->loops[loop];

    *step = 0;
    if (!lw_loop_computes(w->m, loop, v))
        return true;
    if (!LLVMIsAPHINode(v) || LLVMGetInstructionParent(v) != w->m->blocks[l->header].ref)
        return false;
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32)
        return false; /* may begin anew within the buffer */
    struct lw_round r;
    if (!lw_read_round(v, w->m->blocks[l->latch].ref, &r) || !r.step)
        return false;
    *step = LLVMConstIntGetSExtValue(r.step);
    if (*step > MOST_STEP || *step < -MOST_STEP)
        return false;
    if (LLVMIsAGetElementPtrInst(r.next))
        *step *= (int64_t)LLVMABISizeOfType(w->layout, LLVMGetGEPSourceElementType(r.next));
    return true;
}

/* Does the address grow by `size` bytes in each round? */
static bool
walks(lw_widener *w, uint32_t loop, LLVMValueRef pointer, int64_t size, struct lw_place *p)
{
    int64_t step, sum;

    if (!lw_find_place(w, pointer, p) || !lw_find_step(w, loop, p->root, &sum))
        return false;
    for (unsigned k = 0; k < p->terms; k++) {
        /* A narrow index that wraps between two rounds would lead out of the buffer. */
        if (!lw_find_step(w, loop, p->term[k], &step) ||
            (step && p->extension[k] != LLVMAdd && !p->in_buffer) || p->scale[k] > MOST_STEP ||
            p->scale[k] < -MOST_STEP)
            return false;
        sum += step * p->scale[k];
    }
    return sum == size;
}

static bool
is_stream(lw_widener *w, uint32_t loop, LLVMValueRef i, struct lw_place *p)
{
    if (!LLVMIsALoadInst(i) || LLVMGetInstructionParent(i) != w->m->blocks[w->m->loops[loop].header].ref)
        return false;
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    unsigned bits = kind == LLVMPointerTypeKind ? 0 : lw_lane_bits(type);
    return (bits == 32 || bits == 64) && lw_info(w, pointer).form == LW_VARYING &&
           !lw_lane_minor_behind(w, pointer) && lw_info(w, i).form == LW_VARYING &&
           walks(w, loop, pointer, bits / 8, p);
}

bool
lw_lets_read_early(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return !lw_is_ordered_access(i);
    case LLVMCall:
        return lw_is_call_like(i, "llvm.") && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMAlloca:
        return false;
    default:
        return true;
    }
}

static bool
has_streams(lw_widener *w, uint32_t loop)
{
    const struct lw_loop *l = &w->m->loops[loop];
    uint32_t first = w->m->blocks[l->header].first_value, end = w->m->blocks[l->end - 1].value_end;
    unsigned streams = 0;
    struct lw_place p;

    if (!w->u->divergent_loop[loop] || w->plan->blocks[l->latch].group_loop || w->l.n > MOST_LANES ||
        end - first > MOST_VALUES)
        return false;
    for (uint32_t b = l->header; b < l->end; b++)
        if (w->m->blocks[b].loop != loop)
            return false;
    for (uint32_t id = first; id < end; id++) {
        if (!lw_lets_read_early(w->m->values[id]))
            return false;
        streams += is_stream(w, loop, w->m->values[id], &p);
    }
    return streams > 0;
}

void
lw_streams_open(lw_widener *w)
{
    if (w->m->loop_count == 0)
        return;
    struct lw_streams *s = lw_form_state(w, LW_FORM_STREAMS, sizeof *s);
    s->loop = LW_NONE;
    s->loops = LW_ARENA_NEW(w->arena, bool, w->m->loop_count);
    for (uint32_t l = 0; l < w->m->loop_count; l++)
        s->loops[l] = has_streams(w, l);
}

bool
lw_begins_streams(lw_widener *w, uint32_t b)
{
    uint32_t loop = w->m->blocks[b].loop;

    return lw_in_rounds(w, loop) && w->m->loops[loop].header == b;
}

/* ---- rounds ---- */

LLVMBasicBlockRef
lw_entry_of(lw_widener *w, uint32_t b)
{
    const struct lw_streams *s = w->forms[LW_FORM_STREAMS];

    return s && s->loop != LW_NONE && w->m->loops[s->loop].header == b ? s->next : w->entries[b];
}

bool
lw_in_rounds(lw_widener *w, uint32_t loop)
{
    const struct lw_streams *s = w->forms[LW_FORM_STREAMS];

    return s && loop != LW_NONE && s->loops[loop];
}

bool
lw_goes_on_empty(lw_widener *w)
{
    const struct lw_streams *s = w->forms[LW_FORM_STREAMS];

    return s && s->loop != LW_NONE && s->round < ROUNDS - 1 && s->is_short;
}

/* The index, or the pointer, by which a stream is found, where one phi of the loop is all that moves its
 * address. */
static LLVMValueRef
index_of(lw_widener *w, const struct lw_place *p)
{
    struct lw_vinfo root = lw_info(w, p->root);

    if (p->terms == 0 && root.form == LW_VARYING)
        return p->root;
    bool indexed = LLVMIsAArgument(p->root) && root.form == LW_UNIFORM && p->terms == 1 && p->scale[0] > 0 &&
                   lw_info(w, p->term[0]).form == LW_VARYING;
    return indexed ? p->term[0] : NULL;
}

/* As integers, which nobody else changes. */
static V
index_lanes(lw_widener *w, LLVMValueRef index)
{
    lw_lanes *l = &w->l;
    V lanes = LLVMBuildFreeze(l->builder, lw_use_vector(w, index, 0), "");

    if (LLVMGetTypeKind(lw_lane_element(lanes)) != LLVMPointerTypeKind)
        return lanes;
    return LLVMBuildPtrToInt(l->builder, lanes, lane_type(l, lw_lane_int_type(l, 64)), "");
}

static LLVMValueRef
find_carried(lw_widener *w, uint32_t header)
{
    const struct lw_vblock *k = &w->m->blocks[header];
    struct lw_place p;

    for (uint32_t n = k->first_value; n < k->value_end; n++) {
        LLVMValueRef index = is_stream(w, k->loop, w->m->values[n], &p) ? index_of(w, &p) : NULL;
        if (index)
            return index;
    }
    return NULL;
}

/* ---- the accesses ---- */

/* What the address of each lane is made of: base + scale * the lane of an index, or its pointer. */
struct origin {
    V base, lanes;
    LLVMTypeRef pointer; /* where there is no base */
    LLVMOpcode extension;
    int64_t scale;
};

/* All in registers: processors put off gathers until the stores before them are done. */
V
lw_only_active(lw_widener *w, V lanes)
{
    lw_lanes *l = &w->l;

    if (!w->mask)
        return lanes;
    V somebody = lw_subgroup_shuffle(l, lanes, lane_splat(l, lane_first(l, w->mask)));
    return lane_select(l, w->mask, lanes, somebody);
}

static struct origin
find_origin(lw_widener *w, const struct lw_streams *s, LLVMValueRef pointer, const struct lw_place *p)
{
    lw_lanes *l = &w->l;
    LLVMValueRef index = index_of(w, p);
    struct origin o = {.pointer = LLVMTypeOf(pointer)};

    if (!index || index != s->carried) {
        o.lanes = lw_only_active(w, index_lanes(w, pointer));
        return o;
    }
    o.lanes = s->lanes;
    if (index == p->root) {
        V on = lane_splat(l, lane_int(l, 64, p->constant));
        o.lanes = p->constant ? LLVMBuildAdd(l->builder, o.lanes, on, "") : o.lanes;
        return o;
    }
    o.extension = p->natural[0] ? LLVMZExt : p->extension[0]; /* what extracts a lane clears the rest */
    o.scale = p->scale[0];
    o.base = lw_use_scalar(w, p->root);
    int64_t behind = (int64_t)((uint64_t)p->constant - (uint64_t)p->within[0] * (uint64_t)o.scale);
    if (p->within[0]) { /* it may wrap: `x[k + 1]` with k = -1, unsigned */
        V within = LLVMConstInt(lw_lane_element(o.lanes), (uint64_t)p->within[0], true);
        o.lanes = LLVMBuildAdd(l->builder, o.lanes, lane_splat(l, within), "");
    }
    if (behind)
        o.base = lw_lane_gep(l, lw_lane_int_type(l, 8), o.base, lane_int(l, 64, behind));
    return o;
}

#define ABOVE_PAGE (32 - 12) /* bits of a number with the place in a page on top */

/* How many bytes further on a page ends, from where each lane is: less one, in the upper bits. */
static V
before_page_end(lw_widener *w, const struct origin *o)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i32 = lw_lane_int_type(l, 32), i64 = lw_lane_int_type(l, 64);
    V at = LLVMBuildIntCast2(b, o->lanes, lane_type(l, i32), true, ""), end = lane_int(l, 32, -1);

    if (o->base) {
        V base = LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, o->base, i64, ""), i32, "");
        end = LLVMBuildSub(b, end, LLVMBuildShl(b, base, lane_int(l, 32, ABOVE_PAGE), ""), "");
        at = LLVMBuildMul(b, at, lane_splat(l, lane_int(l, 32, o->scale)), "");
    }
    at = LLVMBuildShl(b, at, lane_splat(l, lane_int(l, 32, ABOVE_PAGE)), "");
    return LLVMBuildSub(b, lane_splat(l, end), at, "");
}

/* i32: how often all streams that are told by the carried index can be read at before one leaves its page. */
static V
count_accesses(lw_widener *w, const struct lw_streams *s)
{
    const struct lw_vblock *k = &w->m->blocks[w->block];
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i64 = lw_lane_int_type(&w->l, 64);
    unsigned bits = 32;
    V nearest = NULL;

    for (uint32_t n = k->first_value; n < k->value_end; n++) {
        LLVMValueRef load = w->m->values[n];
        struct lw_place p;
        if (!is_stream(w, s->loop, load, &p) || index_of(w, &p) != s->carried)
            continue;
        struct origin o = find_origin(w, s, LLVMGetOperand(load, 0), &p);
        V mine = before_page_end(w, &o);
        nearest = nearest ? lw_group_combine(&w->l, LW_GROUP_UMIN, nearest, mine) : mine;
        bits = lw_lane_bits(LLVMTypeOf(load)) > bits ? lw_lane_bits(LLVMTypeOf(load)) : bits;
    }
    V least = LLVMBuildZExt(b, lw_subgroup_reduce(&w->l, LW_GROUP_UMIN, nearest, NULL), i64, "");
    unsigned shift = ABOVE_PAGE + (bits == 32 ? 4 : 5); /* ROUNDS elements */
    V bytes = LLVMBuildAdd(b, least, lane_int(&w->l, 64, 1), "");
    V count = LLVMBuildLShr(b, bytes, lane_int(&w->l, 64, shift), "");
    return LLVMBuildTrunc(b, count, lw_lane_int_type(&w->l, 32), "");
}

/* A stream of its own: every time. The plain round begins at the header, with the lanes that this one has. */
static void
check_pages(lw_widener *w, struct lw_streams *s, const struct origin *o, unsigned bytes)
{
    lw_lanes *l = &w->l;
    LLVMBasicBlockRef go_on = lw_lane_block(l, "stream"), leave = lw_lane_block(l, "stream.pages");
    V waiting = w->mask_slots[w->block], least = lane_int(l, 32, (int64_t)(bytes - 1) << ABOVE_PAGE);
    V leaving = LLVMBuildICmp(l->builder, LLVMIntULT, before_page_end(w, o), lane_splat(l, least), "");
    V good = LLVMBuildNot(l->builder, lane_any(l, leaving), "");

    if (!s->carried && w->may_be_empty && w->mask)
        good = LLVMBuildAnd(l->builder, good, lane_any(l, w->mask), "");
    lw_lane_branch_likely(l, good, go_on, leave);
    LLVMPositionBuilderAtEnd(l->builder, leave);
    if (waiting)
        LLVMBuildStore(l->builder, w->mask ? w->mask : lane_all_true(l), waiting);
    LLVMBuildBr(l->builder, s->plain);
    LLVMPositionBuilderAtEnd(l->builder, go_on);
}

static V
address_of(lw_widener *w, const struct origin *o, unsigned lane)
{
    lw_lanes *l = &w->l;
    LLVMTypeRef i64 = lw_lane_int_type(l, 64);
    V at = LLVMBuildExtractElement(l->builder, o->lanes, lane_int(l, 32, lane), "");

    if (!o->base)
        return LLVMBuildIntToPtr(l->builder, at, o->pointer, "");
    if (o->extension == LLVMZExt)
        at = LLVMBuildZExt(l->builder, at, i64, "");
    else if (o->extension == LLVMSExt)
        at = LLVMBuildSExt(l->builder, at, i64, "");
    bool fits = o->scale == 1 || o->scale == 2 || o->scale == 4 || o->scale == 8;
    if (!fits)
        at = LLVMBuildMul(l->builder, at, lane_int(l, 64, o->scale), "");
    return lw_lane_gep(l, lw_lane_int_type(l, fits ? 8 * (unsigned)o->scale : 8), o->base, at);
}

/* Elements from, from + 2, ... of two vectors' pairs. */
static V
every_other(lw_lanes *l, V a, V b, unsigned from)
{
    int lanes[64];

    for (unsigned i = 0; i < l->n; i++)
        lanes[i] = (int)(i / 2 * 2 + from + (i % 2 ? l->n : 0));
    return lw_lane_shuffle_const(l, a, b, lanes, l->n);
}

/* The next four elements of each lane. */
static void
load_stream(lw_widener *w, LLVMTypeRef type, const struct origin *o, unsigned align, V *elements)
{
    lw_lanes *l = &w->l;
    unsigned length = BYTES * 8 / lw_lane_bits(type), count = ROUNDS / length;
    LLVMTypeRef part = LLVMVectorType(type, length);
    V parts[2][64], rows[ROUNDS];

    for (unsigned i = 0; i < l->n; i++) {
        V at = address_of(w, o, i);
        for (unsigned k = 0; k < count; k++) { /* grouped by the row that they are part of */
            V from = lw_lane_gep(l, part, at, lane_int(l, 64, k));
            V load = LLVMBuildLoad2(l->builder, part, from, "");
            LLVMSetAlignment(load, align);
            /* Others may write behind the lane's last element. */
            parts[k][i % length * (l->n / length) + i / length] = LLVMBuildFreeze(l->builder, load, "");
        }
    }
    for (unsigned k = 0; k < count; k++) {
        for (unsigned r = 0; r < length; r++)
            rows[r] = lw_lane_concat(l, &parts[k][r * (l->n / length)], l->n / length);
        if (length == 4) {
            lw_lane_turn_quads(l, rows);
            memcpy(elements, rows, sizeof rows);
        } else {
            elements[2 * k] = every_other(l, rows[0], rows[1], 0);
            elements[2 * k + 1] = every_other(l, rows[0], rows[1], 1);
        }
    }
}

static void
begin_stream(lw_widener *w, struct lw_streams *s, LLVMValueRef load, const struct lw_place *p)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    struct stream *made = &s->stream[s->count];
    unsigned align = LLVMGetAlignment(load), size = lw_lane_bits(type) / 8;
    bool indexed = s->carried && index_of(w, p) == s->carried, again = indexed && s->lanes;

    if (indexed && !again) {
        V lanes = index_lanes(w, s->carried);
        V safe = LLVMBuildLoad2(w->l.builder, LLVMTypeOf(lanes), s->safe, "");
        s->lanes = lane_select(&w->l, w->mask, lanes, safe);
        LLVMBuildStore(w->l.builder, s->lanes, s->safe);
    }
    struct origin o = find_origin(w, s, LLVMGetOperand(load, 0), p);
    if (!indexed)
        check_pages(w, s, &o, ROUNDS * size);
    load_stream(w, type, &o, align && align < size ? align : size, made->element);
    made->load = load;
    s->count++;
}

bool
lw_widen_stream(lw_widener *w, struct lw_access *a)
{
    struct lw_streams *s = w->forms[LW_FORM_STREAMS];
    LLVMValueRef load = a->access;
    struct lw_place p;

    if (!s || s->loop == LW_NONE || s->round == PLAIN || !is_stream(w, s->loop, load, &p))
        return false;
    if (s->round == 0 && s->count < MOST_STREAMS)
        begin_stream(w, s, load, &p);
    for (unsigned k = 0; k < s->count; k++) {
        if (s->stream[k].load != load)
            continue;
        lw_define_leaf(w, load, 0, s->stream[k].element[s->round]);
        return true;
    }
    return false;
}

/* ---- the rounds ---- */

/* Before the first round, behind a plain one, and where it is not sure that the accesses stay in their pages:
 * lanes that are not there get the index of one that is. */
static void
enter_rounds(lw_widener *w, struct lw_streams *s, uint32_t header, LLVMBasicBlockRef body)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef mask_type = lane_type(l, lw_lane_int_type(l, 1)), i32 = lw_lane_int_type(l, 32);

    LLVMPositionBuilderAtEnd(b, w->entries[header]);
    w->block = header;
    w->turn++;
    s->carried = find_carried(w, header);
    s->safe = NULL;
    if (!s->carried || !w->mask_slots[header]) {
        s->carried = NULL;
        LLVMBuildBr(b, body);
        return;
    }
    V mask = LLVMBuildLoad2(b, mask_type, w->mask_slots[header], ""), lanes = index_lanes(w, s->carried);
    LLVMBasicBlockRef some = lw_lane_block(l, "some"), count = lw_lane_block(l, "count");
    s->safe = LLVMBuildAlloca(w->alloca_builder, LLVMTypeOf(lanes), "safe");
    s->sure = LLVMBuildAlloca(w->alloca_builder, i32, "sure");
    LLVMBuildStore(b, lanes, s->safe);
    lw_lane_branch_likely(l, lane_all(l, mask), count, some);
    LLVMPositionBuilderAtEnd(b, some);
    V somebody = lw_subgroup_shuffle(l, lanes, lane_splat(l, lane_first(l, mask)));
    LLVMBuildStore(b, lane_select(l, mask, lanes, somebody), s->safe);
    lw_lane_branch_likely(l, lane_any(l, mask), count, s->plain);
    LLVMPositionBuilderAtEnd(b, count);
    s->lanes = LLVMBuildLoad2(b, LLVMTypeOf(lanes), s->safe, "");
    V times = count_accesses(w, s);
    LLVMBuildStore(b, times, s->sure);
    V good = LLVMBuildICmp(b, LLVMIntNE, times, lane_int(l, 32, 0), "");
    lw_lane_branch_likely(l, good, body, s->plain);
}

/* Behind the last of four rounds. */
static void
count_down(lw_widener *w, struct lw_streams *s, LLVMBasicBlockRef body, LLVMBasicBlockRef enter)
{
    lw_lanes *l = &w->l;
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    V left = LLVMBuildLoad2(l->builder, i32, s->sure, "");

    left = LLVMBuildSub(l->builder, left, lane_int(l, 32, 1), "");
    LLVMBuildStore(l->builder, left, s->sure);
    V sure = LLVMBuildICmp(l->builder, LLVMIntNE, left, lane_int(l, 32, 0), "");
    lw_lane_branch_likely(l, sure, body, enter);
}

/* The blocks of the loop for `round`, the first of them at `entry`. */
static void
widen_round(lw_widener *w, const struct lw_loop *l, unsigned round, LLVMBasicBlockRef entry)
{
    w->entries[l->header] = entry;
    for (uint32_t b = l->header + 1; b < l->end && round; b++)
        w->entries[b] = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "round");
    struct lw_streams *s = w->forms[LW_FORM_STREAMS];
    s->round = round;
    s->lanes = NULL;
    for (uint32_t b = l->header; b < l->end && !w->failed; b++)
        lw_widen_block(w, b);
    w->report = NULL; /* each is told once */
}

void
lw_widen_rounds(lw_widener *w, uint32_t header)
{
    struct lw_streams *s = w->forms[LW_FORM_STREAMS];
    const struct lw_loop *l = &w->m->loops[w->m->blocks[header].loop];
    uint32_t count = l->end - header;
    LLVMBasicBlockRef *first = LW_ARENA_NEW(w->arena, LLVMBasicBlockRef, count), entries[ROUNDS];
    struct lw_report *report = w->report;

    memcpy(first, &w->entries[header], count * sizeof *first);
    for (unsigned k = 0; k < ROUNDS; k++)
        entries[k] = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "round");
    s->loop = w->m->blocks[header].loop;
    s->is_short = w->m->blocks[l->end - 1].value_end - w->m->blocks[header].first_value <= MOST_IDLE;
    s->count = 0;
    s->plain = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "plain");
    enter_rounds(w, s, header, entries[0]);
    LLVMBasicBlockRef again =
        s->carried ? LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "again") : NULL;
    for (unsigned k = 0; k < ROUNDS; k++) {
        s->next = k + 1 < ROUNDS ? entries[k + 1] : s->carried ? again : entries[0];
        widen_round(w, l, k, entries[k]);
    }
    if (s->carried) {
        LLVMPositionBuilderAtEnd(w->l.builder, again);
        count_down(w, s, entries[0], first[0]);
    }
    s->next = first[0];
    widen_round(w, l, PLAIN, s->plain);
    w->report = report;
    s->loop = LW_NONE;
    memcpy(&w->entries[header], first, count * sizeof *first);
}
