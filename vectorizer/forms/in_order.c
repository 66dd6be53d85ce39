/* SPDX-License-Identifier: MIT */
/* Vectors of OpenCL C kept in the order of memory wherever they go, through branches and loops:
 *
 *     float4 sum = 0;
 *     for (int k = 0; k < n; k++)
 *         sum += a[k * m + id] * weight[k];     loads that are taken apart, and the store put together, are
 *     b[id] = sum;                              plain ones, and what is between computes as before
 *
 * A value of `count` components over n lanes has `count` registers of n elements in either way: of a
 * component each, or all components lane after lane. What works on each component alone is the same code for
 * both. Values that such code joins make a web, which is in one order or the other: in that of memory where
 * that takes fewer shuffles, counted by the depth of loops. Whoever asks for a component of a value that is
 * in the order of memory is given it by shuffles (lw_use_vector), so that the choice is of speed alone.
 *
 * Enters: the scalar function, its facts. Leaves: which values are in the order of memory; loads and stores
 * of them. Legal: loads and stores are of records that tile memory (LW_REACH_INTERLEAVED), masks become those
 * of the elements that a lane has. Never: moves an access. Webs of a single block are as_stored.c's.
 */
#include <stdlib.h>
#include <string.h>

#include "../facts/elementwise.h"
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define MOST_COMPONENTS 16
#define MOST_DEPTH 4 /* of loops that count */
#define ROUNDS 3     /* as a power of two: what a loop is taken to have */

struct lw_in_order {
    bool *kept; /* by value: in the order of memory */
};

/* While webs are found; all by value, what is of a web at its root. */
struct webs {
    lw_widener *w;
    uint32_t *next; /* towards the root; LW_NONE: no value that can be in the order of memory */
    int64_t *gain;  /* shuffles that are saved */
    bool *crosses;  /* it goes from block to block */
};

/* ---- which values can be in the order of memory ---- */

static unsigned
count_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static bool
has_plain_type(const lw_widener *w, LLVMTypeRef type)
{
    unsigned count = count_of(type);

    if (count < 2 || count > MOST_COMPONENTS || (count & (count - 1)) || w->l.n % count)
        return false;
    return lw_lane_computes(&w->l, LLVMGetElementType(type));
}

static bool
is_access_in_order(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef address = lw_plain_address(i);

    if (!address)
        return false;
    LLVMTypeRef type = LLVMTypeOf(lw_moved_by(i));
    return has_plain_type(w, type) && LLVMGetElementType(type) != LLVMInt1TypeInContext(w->l.context) &&
           !lw_lane_minor_behind(w, address) && lw_reach_of(w, i) == LW_REACH_INTERLEAVED &&
           (!w->u->masked[lw_block_id_of(w->m, i)] ||
            lw_lane_moves_together(&w->l, lw_lane_bits(LLVMGetElementType(type)), count_of(type)));
}

/* A scalar of each lane in all components: the insertelement that has it. */
static LLVMValueRef
spread_source(LLVMValueRef i)
{
    if (!LLVMIsAShuffleVectorInst(i))
        return NULL;
    LLVMValueRef from = LLVMGetOperand(i, 0);
    for (unsigned k = 0; k < count_of(LLVMTypeOf(i)); k++)
        if (LLVMGetMaskValue(i, k) != 0)
            return NULL;
    bool first = LLVMIsAInsertElementInst(from) && LLVMIsAConstantInt(LLVMGetOperand(from, 2)) &&
                 !LLVMConstIntGetZExtValue(LLVMGetOperand(from, 2));
    return first ? from : NULL;
}

/* Components of each lane in another order, or of two vectors. */
static bool
is_rearranged(LLVMValueRef i)
{
    return LLVMIsAShuffleVectorInst(i) &&
           count_of(LLVMTypeOf(LLVMGetOperand(i, 0))) == count_of(LLVMTypeOf(i));
}

static bool
can_be_in_order(lw_widener *w, LLVMValueRef i)
{
    return LLVMIsAInstruction(i) && has_plain_type(w, LLVMTypeOf(i)) && lw_is_varying(w, i) &&
           (LLVMIsALoadInst(i) ? is_access_in_order(w, i)
                               : lw_is_by_component(i) || LLVMIsAPHINode(i) || spread_source(i) ||
                                     is_rearranged(i));
}

/* ---- what it saves ---- */

static uint32_t
find_root(struct webs *a, uint32_t v)
{
    while (a->next[v] != v)
        v = a->next[v] = a->next[a->next[v]];
    return v;
}

static int64_t
times(lw_widener *w, LLVMValueRef i)
{
    uint32_t loop = w->m->blocks[lw_block_id_of(w->m, i)].loop;
    unsigned depth = loop == LW_NONE ? 0 : w->m->loops[loop].depth;

    return (int64_t)1 << ROUNDS * (depth < MOST_DEPTH ? depth : MOST_DEPTH);
}

/* Shuffles between the two orders. */
static int64_t
cost_of_turning(unsigned count)
{
    int64_t steps = 0;

    while (count >> (steps + 1))
        steps++;
    return steps * count;
}

static bool
is_varying_mask(lw_widener *w, LLVMValueRef i)
{
    return LLVMIsASelectInst(i) && count_of(LLVMTypeOf(LLVMGetOperand(i, 0))) == 1 &&
           lw_info(w, LLVMGetOperand(i, 0)).form != LW_UNIFORM;
}

static bool
is_blended(lw_widener *w, LLVMValueRef phi)
{
    const struct lw_vblock *k = &w->m->blocks[lw_block_id_of(w->m, phi)];
    bool blended = k->loop != LW_NONE && w->u->divergent_loop[k->loop];

    for (uint32_t p = 0; p < k->pred_count && !blended; p++)
        blended = w->u->masked[k->preds[p]] || w->u->divergent_branch[k->preds[p]];
    return blended && !lw_may_run_full(w, lw_block_id_of(w->m, phi));
}

/* What it takes beside what it takes in the other order. */
static int64_t
own_cost(lw_widener *w, LLVMValueRef i)
{
    unsigned count = count_of(LLVMTypeOf(i));

    if (LLVMIsAPHINode(i))
        return is_blended(w, i) ? 2 * count : 0;
    if (LLVMIsAShuffleVectorInst(i))
        return count;
    return is_varying_mask(w, i) ? 2 * count : 0;
}

static bool
is_component_operand(LLVMValueRef i, unsigned k)
{
    return count_of(LLVMTypeOf(LLVMGetOperand(i, k))) == count_of(LLVMTypeOf(i));
}

static void
join_operands(struct webs *a, uint32_t v)
{
    lw_widener *w = a->w;
    LLVMValueRef i = w->m->values[v];
    bool phi = LLVMIsAPHINode(i) != NULL;
    unsigned operands = phi ? LLVMCountIncoming(i) : (unsigned)LLVMGetNumOperands(i);

    if (LLVMIsALoadInst(i) || spread_source(i))
        return;
    for (unsigned k = 0; k < operands; k++) {
        LLVMValueRef from = phi ? LLVMGetIncomingValue(i, k) : LLVMGetOperand(i, k);
        uint32_t id = lw_value_id(w->m, from);
        if (id == LW_NONE || (!phi && !is_component_operand(i, k)))
            continue;
        if (a->next[id] == LW_NONE) {
            if (lw_is_varying(w, from))
                a->gain[find_root(a, v)] -= cost_of_turning(count_of(LLVMTypeOf(i))) * times(w, i);
            continue;
        }
        uint32_t root = find_root(a, v), other = find_root(a, id);
        if (root == other)
            continue;
        a->next[other] = root;
        a->gain[root] += a->gain[other];
        a->crosses[root] |= a->crosses[other];
    }
}

/* Who asks for a component alone; stores. */
static void
count_uses(struct webs *a, uint32_t v)
{
    lw_widener *w = a->w;
    LLVMValueRef i = w->m->values[v];
    int64_t turned = 0, gain = 0, turning = cost_of_turning(count_of(LLVMTypeOf(i)));
    bool crosses = LLVMIsAPHINode(i) != NULL;

    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        uint32_t id = lw_value_id(w->m, user);
        if (id == LW_NONE)
            continue;
        crosses |= LLVMGetInstructionParent(user) != LLVMGetInstructionParent(i);
        if (a->next[id] != LW_NONE && !spread_source(user))
            continue;
        if (LLVMIsAStoreInst(user) && is_access_in_order(w, user))
            gain += turning * times(w, user);
        else if (turned < turning * times(w, user))
            turned = turning * times(w, user);
    }
    if (LLVMIsALoadInst(i))
        gain += turning * times(w, i);
    uint32_t root = find_root(a, v);
    a->gain[root] += gain - turned - own_cost(w, i) * times(w, i);
    a->crosses[root] |= crosses;
}

static bool
choose(struct webs *a, bool *kept)
{
    lw_widener *w = a->w;
    bool any = false;

    for (uint32_t v = w->m->param_count; v < w->m->value_count; v++) {
        a->next[v] = can_be_in_order(w, w->m->values[v]) ? v : LW_NONE;
        any |= a->next[v] != LW_NONE;
    }
    for (uint32_t v = 0; v < w->m->param_count; v++)
        a->next[v] = LW_NONE;
    for (uint32_t v = 0; any && v < w->m->value_count; v++)
        if (a->next[v] != LW_NONE)
            join_operands(a, v);
    for (uint32_t v = 0; any && v < w->m->value_count; v++)
        if (a->next[v] != LW_NONE)
            count_uses(a, v);
    any = false;
    for (uint32_t v = 0; v < w->m->value_count; v++) {
        kept[v] = a->next[v] != LW_NONE && a->gain[find_root(a, v)] > 0 && a->crosses[find_root(a, v)];
        any |= kept[v];
    }
    return any;
}

void
lw_in_order_open(lw_widener *w)
{
    struct lw_in_order *s = lw_form_state(w, LW_FORM_IN_ORDER, sizeof *s);
    uint32_t n = w->m->value_count;
    struct webs a = {w, LW_ARENA_NEW(w->arena, uint32_t, n), LW_ARENA_NEW(w->arena, int64_t, n),
                     LW_ARENA_NEW(w->arena, bool, n)};
    bool *kept = LW_ARENA_NEW(w->arena, bool, n);

    if (choose(&a, kept))
        s->kept = kept;
}

bool
lw_is_in_order(const lw_widener *w, LLVMValueRef v)
{
    const struct lw_in_order *s = w->forms[LW_FORM_IN_ORDER];
    uint32_t id = s && s->kept ? lw_value_id(w->m, v) : LW_NONE;

    return id != LW_NONE && s->kept[id];
}

/* ---- writing ---- */

V
lw_mask_in_order(lw_widener *w, V mask, unsigned count, unsigned r)
{
    return lw_lane_mask_of_records(&w->l, mask, count, r, w->l.n);
}

/* The same for all lanes, by component. */
static V
write_uniform(lw_widener *w, LLVMValueRef v, unsigned count, unsigned r)
{
    V whole = lw_use_scalar(w, v);
    int lanes[LW_MAX_LANES];

    if (lw_value_id(w->m, v) == LW_NONE) { /* components that are undefined are zeros, as others have them */
        V part[MOST_COMPONENTS], zero = lane_int(&w->l, 32, 0);
        for (unsigned k = 0; k < count; k++)
            part[k] = LLVMBuildExtractElement(w->l.builder, lw_use_vector(w, v, k), zero, "");
        whole = LLVMGetPoison(LLVMTypeOf(v));
        for (unsigned k = 0; k < count; k++)
            whole = LLVMBuildInsertElement(w->l.builder, whole, part[k], lane_int(&w->l, 32, k), "");
    }
    for (unsigned i = 0; i < w->l.n; i++)
        lanes[i] = (int)((r * w->l.n + i) % count);
    return lw_lane_shuffle_const(&w->l, whole, NULL, lanes, w->l.n);
}

V
lw_use_in_order(lw_widener *w, LLVMValueRef v, uint32_t r)
{
    unsigned count = count_of(LLVMTypeOf(v));
    V field[MOST_COMPONENTS], made[MOST_COMPONENTS];

    if (lw_is_in_order(w, v))
        return lw_use_leaf(w, v, r);
    if (lw_info(w, v).form == LW_UNIFORM)
        return write_uniform(w, v, count, r);
    for (unsigned k = 0; k < count; k++)
        field[k] = lw_use_vector(w, v, k);
    lw_lane_put_together(&w->l, field, count, made);
    return made[r];
}

V
lw_use_component(lw_widener *w, LLVMValueRef v, uint32_t k)
{
    unsigned count = count_of(LLVMTypeOf(v));
    V made[MOST_COMPONENTS], field[MOST_COMPONENTS];

    for (unsigned r = 0; r < count; r++)
        made[r] = lw_use_leaf(w, v, r);
    lw_lane_take_apart(&w->l, made, count, field);
    return field[k];
}

/* Elements of each lane by those of the scalar shuffle. */
static V
write_rearranged(lw_widener *w, LLVMValueRef i, unsigned count, unsigned r)
{
    V a = lw_use_in_order(w, LLVMGetOperand(i, 0), r), b = lw_use_in_order(w, LLVMGetOperand(i, 1), r);
    int lanes[LW_MAX_LANES];

    for (unsigned e = 0; e < w->l.n; e++) {
        int from = LLVMGetMaskValue(i, e % count);
        bool second = from >= (int)count;
        lanes[e] = from < 0 ? 0 : (int)(e - e % count) + from % (int)count + (second ? (int)w->l.n : 0);
    }
    return lw_lane_shuffle_const(&w->l, a, b, lanes, w->l.n);
}

void
lw_widen_shuffle_in_order(lw_widener *w, LLVMValueRef i)
{
    unsigned count = count_of(LLVMTypeOf(i));
    LLVMValueRef from = spread_source(i);

    for (unsigned r = 0; r < count; r++)
        lw_define_leaf(w, i, r,
                       from ? lw_mask_in_order(w, lw_use_vector(w, from, 0), count, r)
                            : write_rearranged(w, i, count, r));
}

/* ---- loads and stores ---- */

/* Where register r of the access lies. */
static V
place_of(lw_widener *w, V pointer, LLVMTypeRef element, unsigned r, unsigned *align)
{
    *align = lw_align_at(*align, r * w->l.n * lw_lane_bits(element) / 8);
    return lw_lane_gep(&w->l, element, pointer, lane_int(&w->l, 64, (int64_t)r * w->l.n));
}

bool
lw_load_in_order(lw_widener *w, struct lw_access *a)
{
    LLVMTypeRef element = LLVMGetElementType(a->type);
    V pointer, made[MOST_COMPONENTS];

    if (!lw_is_in_order(w, a->access))
        return false;
    pointer = lw_use_scalar(w, a->pointer);
    for (unsigned r = 0; r < a->leaves; r++) {
        unsigned align = a->align;
        V at = place_of(w, pointer, element, r, &align);
        V mask = lw_mask_in_order(w, w->mask, a->leaves, r);
        made[r] = lw_lane_load_records(&w->l, element, a->leaves, at, mask, align);
    }
    for (unsigned r = 0; r < a->leaves; r++)
        lw_define_leaf(w, a->access, r, made[r]);
    return true;
}

bool
lw_store_in_order(lw_widener *w, struct lw_access *a)
{
    V pointer, value[MOST_COMPONENTS];

    if (!lw_is_in_order(w, a->value) || !is_access_in_order(w, a->access))
        return false;
    for (unsigned r = 0; r < a->leaves; r++)
        value[r] = lw_use_leaf(w, a->value, r);
    pointer = lw_use_scalar(w, a->pointer);
    for (unsigned r = 0; r < a->leaves; r++) {
        unsigned align = a->align;
        V at = place_of(w, pointer, LLVMGetElementType(a->type), r, &align);
        lw_lane_store_records(&w->l, value[r], a->leaves, at,
                              lw_mask_in_order(w, w->mask, a->leaves, r), align);
    }
    return true;
}
