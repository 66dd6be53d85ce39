/* SPDX-License-Identifier: MIT */
/* Vectors of OpenCL C whose components are all computed alike, from vectors that lie in memory as they do:
 * computed in the order of memory, lane after lane with all its components, so that nothing is shuffled.
 *
 *     c[i] = a[i] * 2 + b[i]        of float4: four registers of 16 components each, in place of four loads
 *                                   taken apart, the fields computed, and put together again
 *
 * Enters: a store of whole records of all lanes, all of them active. Leaves: the store, and loads beside
 * those that read what it is made of; fields that nothing else needs are left for clean-up.
 * Relies on: loads of the same block, noted as they are widened; everything between them and the store
 * working on each component alone. Never: moves an access; computes twice what only fields can be had of: it
 * is told first whether all components are alike; computes with halves, which are only converted.
 */
#include <stdlib.h>
#include <string.h>

#include "../facts/elementwise.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define MOST_PARTS 16 /* components */
#define MOST_NODES 64
#define MOST_LOADS 16 /* of a block */
#define MOST_DEPTH 32

/* Component `at` of a vector, or a scalar. */
struct part {
    LLVMValueRef of;
    uint64_t at;
};

/* What all components are: */
enum kind {
    UNIFORM, /* the same for all lanes */
    LOADED,  /* components of one load, in any order */
    SPREAD,  /* one value of each lane */
    COMPUTED /* by equal instructions */
};

struct node {
    struct part part[MOST_PARTS];
    enum kind kind;
    unsigned load;       /* number */
    unsigned operand[3]; /* nodes before this one */
    unsigned operands;
    V made;  /* of the register being written */
    V whole; /* UNIFORM: all components; SPREAD: all lanes */
};

struct lw_as_stored_load {
    LLVMValueRef load;
    V before, pointer; /* an instruction of its place; its address */
    LLVMTypeRef element;
    unsigned count, align;
};

struct lw_as_stored {
    uint32_t turn;
    unsigned loads;
    struct lw_as_stored_load load[MOST_LOADS];
};

struct tree {
    lw_widener *w;
    unsigned parts, count;
    unsigned length; /* components in a register */
    lw_lanes wide;   /* as many lanes */
    struct node node[MOST_NODES];
};

/* ---- what the components are ---- */

/* Can the value be asked for in the block being written? Another block keeps only what its own users are
 * elsewhere. */
static bool
is_at_hand(const lw_widener *w, LLVMValueRef v)
{
    uint32_t id = lw_value_id(w->m, v);

    return id == LW_NONE || id < w->m->param_count || w->escapes[id] || lw_block_id_of(w->m, v) == w->block;
}

/* The first component that is the same one: all are of a vector made of one number. */
static uint64_t
first_equal(LLVMValueRef vector, uint64_t at)
{
    if (LLVMIsAInstruction(vector) && LLVMGetInstructionOpcode(vector) == LLVMShuffleVector &&
        LLVMGetMaskValue(vector, (unsigned)at) >= 0)
        for (unsigned k = 0; k < at; k++)
            if (LLVMGetMaskValue(vector, k) == LLVMGetMaskValue(vector, (unsigned)at))
                return k;
    return at;
}

/* Through what only puts vectors together, as far as what comes out can be asked for here. */
static struct part
find_part(const lw_widener *w, struct part p)
{
    struct part at_hand = {0};
    for (unsigned k = 0; k < 4 * MOST_DEPTH && LLVMIsAInstruction(p.of); k++) {
        LLVMOpcode op = LLVMGetInstructionOpcode(p.of);
        if (is_at_hand(w, p.of))
            at_hand = (struct part){p.of, first_equal(p.of, p.at)};
        if (op == LLVMInsertElement && LLVMIsAConstantInt(LLVMGetOperand(p.of, 2))) {
            bool here = LLVMConstIntGetZExtValue(LLVMGetOperand(p.of, 2)) == p.at;
            p = here ? (struct part){LLVMGetOperand(p.of, 1), 0}
                     : (struct part){LLVMGetOperand(p.of, 0), p.at};
        } else if (op == LLVMExtractElement && LLVMIsAConstantInt(LLVMGetOperand(p.of, 1))) {
            p.at = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(p.of, 1));
            p.of = LLVMGetOperand(p.of, 0);
        } else if (op == LLVMShuffleVector) {
            unsigned length = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(p.of, 0)));
            int from = LLVMGetMaskValue(p.of, p.at);
            if (from < 0)
                break;
            p.of = LLVMGetOperand(p.of, (unsigned)from < length ? 0 : 1);
            p.at = (unsigned)from % length;
        } else {
            break;
        }
    }
    return at_hand.of && !is_at_hand(w, p.of) ? at_hand : p;
}

static LLVMTypeRef
part_type(struct part p)
{
    LLVMTypeRef type = LLVMTypeOf(p.of);

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* An operand that is no component: as it is. */
static bool
is_scalar_operand(LLVMValueRef i, unsigned k)
{
    int scalar;

    return LLVMIsACallInst(i) && lw_is_call_by_component(i, &scalar) && (int)k == scalar;
}

static bool
are_equal(LLVMValueRef a, LLVMValueRef b)
{
    if (a == b)
        return true;
    if (!LLVMIsAInstruction(b) || LLVMTypeOf(a) != LLVMTypeOf(b) || !lw_is_same_operation(a, b))
        return false;
    for (unsigned k = 0; LLVMIsACallInst(a) && k < LLVMGetNumArgOperands(a); k++)
        if (is_scalar_operand(a, k) && LLVMGetOperand(a, k) != LLVMGetOperand(b, k))
            return false;
    return true;
}

static int
find_load(const struct tree *t, LLVMValueRef load)
{
    const struct lw_as_stored *s = t->w->forms[LW_FORM_AS_STORED];

    for (unsigned k = 0; k < s->loads; k++)
        if (s->load[k].load == load && s->load[k].count == t->parts)
            return (int)k;
    return -1;
}

static int plan(struct tree *t, const struct part *parts, unsigned depth);

static bool
is_half(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

/* Halves are loaded and stored as they lie, and converted from and to float: what else is computed of them
 * has sequences of its own, but where the ISA computes with them. */
static bool
is_moved_half(const struct tree *t, LLVMTypeRef type)
{
    return is_half(type) && !lw_isa_row(t->w->l.isa)->computes_halves;
}

static bool
widens_half(LLVMValueRef i)
{
    return LLVMGetInstructionOpcode(i) == LLVMFPExt &&
           LLVMGetTypeKind(part_type((struct part){i, 0})) == LLVMFloatTypeKind;
}

static bool
plan_operands(struct tree *t, struct node *made, unsigned depth)
{
    LLVMValueRef first = made->part[0].of;
    struct part parts[MOST_PARTS];

    if (!LLVMIsAInstruction(first) || !lw_is_by_component(first))
        return false;
    bool call = LLVMIsACallInst(first);
    unsigned operands = call ? LLVMGetNumArgOperands(first) : (unsigned)LLVMGetNumOperands(first);
    if (operands > sizeof made->operand / sizeof *made->operand)
        return false;
    for (unsigned j = 1; j < t->parts; j++)
        if (!are_equal(first, made->part[j].of))
            return false;
    for (unsigned k = 0; k < operands; k++) {
        if (is_scalar_operand(first, k))
            continue;
        for (unsigned j = 0; j < t->parts; j++) {
            LLVMValueRef of = LLVMGetOperand(made->part[j].of, k);
            bool vector = lw_lane_is_vector(of);
            parts[j] = (struct part){of, vector ? made->part[j].at : 0};
        }
        int n = plan(t, parts, depth + 1);
        if (n < 0 || (is_moved_half(t, part_type(parts[0])) && !widens_half(first)))
            return false;
        made->operand[k] = (unsigned)n;
    }
    made->operands = operands;
    return true;
}

static bool
is_plain_half(const struct tree *t, const struct node *n)
{
    LLVMValueRef i = n->part[0].of;

    for (unsigned j = 0; n->kind == LOADED && j < t->parts; j++)
        if (n->part[j].at != j)
            return false;
    return n->kind == LOADED ||
           (n->kind == COMPUTED && LLVMGetInstructionOpcode(i) == LLVMFPTrunc &&
            LLVMGetTypeKind(part_type((struct part){LLVMGetOperand(i, 0), 0})) == LLVMFloatTypeKind);
}

/* The number of the node that is these; -1: they are not alike. */
static int
plan(struct tree *t, const struct part *parts, unsigned depth)
{
    struct node made = {0};
    bool uniform = true, same = true, one = true;

    for (unsigned j = 0; j < t->parts; j++) {
        made.part[j] = find_part(t->w, parts[j]);
        struct part p = made.part[j];
        uniform = uniform && is_at_hand(t->w, p.of) &&
                  (LLVMIsAConstant(p.of) || lw_info(t->w, p.of).form == LW_UNIFORM);
        same = same && is_at_hand(t->w, p.of) && p.of == made.part[0].of && p.at == made.part[0].at;
        one = one && p.of == made.part[0].of;
        if ((!lw_lane_computes(&t->w->l, part_type(p)) && !is_half(part_type(p))) ||
            part_type(p) != part_type(made.part[0]))
            return -1;
    }
    for (unsigned n = 0; n < t->count; n++)
        if (!memcmp(t->node[n].part, made.part, t->parts * sizeof *made.part))
            return (int)n;
    int load = one ? find_load(t, made.part[0].of) : -1;
    made.load = (unsigned)load;
    if (uniform)
        made.kind = UNIFORM;
    else if (load >= 0)
        made.kind = LOADED;
    else if (same)
        made.kind = SPREAD;
    else if (depth < MOST_DEPTH && plan_operands(t, &made, depth))
        made.kind = COMPUTED;
    else
        return -1;
    if (t->count == MOST_NODES || (is_moved_half(t, part_type(made.part[0])) && !is_plain_half(t, &made)))
        return -1;
    t->node[t->count] = made;
    return (int)t->count++;
}

/* Registers begin with a record, or are parts of one. */
static bool
can_be_moved(const struct tree *t, LLVMTypeRef element)
{
    lw_lanes wide = t->wide;

    return !t->w->mask || lw_lane_moves_together(&wide, lw_lane_bits(element), t->parts);
}

/* Is anything loaded, by instructions that are there; components within a lane in another order only where
 * registers begin with a lane? */
static bool
can_be_loaded(const struct tree *t)
{
    bool loads = false;

    for (unsigned k = 0; k < t->count; k++) {
        const struct node *n = &t->node[k];
        if (n->kind != LOADED)
            continue;
        loads = true;
        if (!can_be_moved(t, part_type(n->part[0])))
            return false;
        for (unsigned j = 0; j < t->parts && t->length % t->parts; j++)
            if (n->part[j].at != j)
                return false;
    }
    return loads;
}

/* ---- writing ---- */

/* Which component of which lane is element i of register r. */
static unsigned
component_of(const struct tree *t, unsigned r, unsigned i)
{
    return (r * t->length + i) % t->parts;
}

/* The mask of a register's components; NULL: all. */
static V
mask_of(struct tree *t, unsigned r)
{
    return lw_lane_mask_of_records(&t->w->l, t->w->mask, t->parts, r, t->length);
}

static V
write_loaded(struct tree *t, const struct node *n, unsigned r)
{
    lw_lanes *l = &t->w->l, wide = t->wide;
    const struct lw_as_stored *s = t->w->forms[LW_FORM_AS_STORED];
    const struct lw_as_stored_load *from = &s->load[n->load];
    LLVMBasicBlockRef block = LLVMGetInsertBlock(l->builder);
    unsigned bytes = r * t->length * lw_lane_bits(from->element) / 8;
    int lanes[64];

    LLVMPositionBuilderBefore(l->builder, from->before);
    V at = lw_lane_gep(l, from->element, from->pointer, lane_int(l, 64, (int64_t)r * t->length));
    V made = lw_lane_load_records(&wide, from->element, t->parts, at, mask_of(t, r),
                                  lw_align_at(from->align, bytes));
    LLVMPositionBuilderAtEnd(l->builder, block);
    for (unsigned i = 0; i < t->length; i++)
        lanes[i] = (int)(i - i % t->parts + n->part[i % t->parts].at);
    return t->length % t->parts ? made : lw_lane_shuffle_const(l, made, NULL, lanes, t->length);
}

static V
write_uniform(struct tree *t, struct node *n, unsigned r)
{
    lw_widener *w = t->w;
    LLVMTypeRef type = part_type(n->part[0]);
    bool same = true;
    int lanes[64];

    if (!n->whole) {
        V whole = LLVMGetPoison(LLVMVectorType(type, t->parts));
        for (unsigned j = 0; j < t->parts; j++) {
            V one = lw_use_scalar(w, n->part[j].of);
            if (lw_lane_is_vector(one))
                one = LLVMBuildExtractElement(w->l.builder, one, lane_int(&w->l, 32, n->part[j].at), "");
            whole = LLVMBuildInsertElement(w->l.builder, whole, one, lane_int(&w->l, 32, j), "");
        }
        n->whole = whole;
    }
    for (unsigned j = 1; j < t->parts; j++)
        same = same && n->part[j].of == n->part[0].of && n->part[j].at == n->part[0].at;
    for (unsigned i = 0; i < t->length; i++)
        lanes[i] = same ? 0 : (int)component_of(t, r, i);
    return lw_lane_shuffle_const(&w->l, n->whole, NULL, lanes, t->length);
}

static V
write_spread(struct tree *t, struct node *n, unsigned r)
{
    int lanes[64];

    if (!n->whole)
        n->whole = lw_use_vector(t->w, n->part[0].of, n->part[0].at);
    for (unsigned i = 0; i < t->length; i++)
        lanes[i] = (int)((r * t->length + i) / t->parts);
    return lw_lane_shuffle_const(&t->w->l, n->whole, NULL, lanes, t->length);
}

static V
write_computed(struct tree *t, const struct node *n)
{
    LLVMValueRef like = n->part[0].of;
    LLVMTypeRef type = LLVMVectorType(part_type(n->part[0]), t->length);
    V x[3];

    for (unsigned k = 0; k < n->operands; k++)
        x[k] = is_scalar_operand(like, k) ? LLVMGetOperand(like, k) : t->node[n->operand[k]].made;
    if (is_moved_half(t, part_type(n->part[0])))
        return lane_float_to_half(&t->w->l, x[0]);
    if (widens_half(like) && is_half(LLVMGetElementType(LLVMTypeOf(x[0]))))
        return lane_half_to_float(&t->w->l, x[0]);
    return lw_build_like(t->w->l.builder, like, type, x);
}

static V
write_register(struct tree *t, unsigned r)
{
    for (unsigned k = 0; k < t->count; k++) {
        struct node *n = &t->node[k];
        n->made = n->kind == UNIFORM  ? write_uniform(t, n, r)
                  : n->kind == LOADED ? write_loaded(t, n, r)
                  : n->kind == SPREAD ? write_spread(t, n, r)
                                      : write_computed(t, n);
    }
    return t->node[t->count - 1].made;
}

/* ---- loads and stores of the block ---- */

bool
lw_note_as_stored(lw_widener *w, LLVMValueRef load, uint32_t count, V pointer, LLVMBasicBlockRef block,
                  V last)
{
    LLVMTypeRef element = lw_leaf_at(w, LLVMTypeOf(load), 0).type;

    struct lw_as_stored *s = lw_form_state(w, LW_FORM_AS_STORED, sizeof *s);
    if (!s)
        return false;
    if (s->turn != w->turn) {
        s->turn = w->turn;
        s->loads = 0;
    }
    if (s->loads == MOST_LOADS || LLVMGetVolatile(load) ||
        (!lw_lane_computes(&w->l, element) && !is_half(element)))
        return true;
    V before = last ? LLVMGetNextInstruction(last) : LLVMGetFirstInstruction(block);
    if (before)
        s->load[s->loads++] =
            (struct lw_as_stored_load){load, before, pointer, element, count, LLVMGetAlignment(load)};
    return true;
}

/* Registers of the components that are stored, filled by those of whole lanes. */
static bool
plan_store(struct tree *t, lw_widener *w, LLVMValueRef value, uint32_t count, LLVMTypeRef element)
{
    unsigned bits = lw_lane_bits(element), whole = w->l.n * count;
    unsigned width = lw_isa_row(w->l.isa)->register_bits;
    struct part parts[MOST_PARTS];

    if (bits < 8)
        return false;
    t->w = w;
    t->parts = count;
    t->count = 0;
    t->length = width / bits;
    while (t->length > 1 && whole % t->length)
        t->length /= 2;
    t->wide = w->l;
    t->wide.n = t->length;
    for (uint32_t j = 0; j < count; j++)
        parts[j] = (struct part){value, j};
    return t->length > 1 && can_be_moved(t, element) && plan(t, parts, 0) >= 0 && can_be_loaded(t);
}

bool
lw_store_as_stored(lw_widener *w, struct lw_access *a)
{
    lw_lanes *l = &w->l;
    LLVMValueRef store = a->access, value = a->value;
    const struct lw_as_stored *s = w->forms[LW_FORM_AS_STORED];
    uint32_t count = a->leaves;
    LLVMTypeRef element = lw_leaf_at(w, LLVMTypeOf(value), 0).type;
    V made[MOST_PARTS * 64];

    if (LLVMGetVolatile(store) || count > MOST_PARTS || !s || s->turn != w->turn ||
        !lw_lane_is_vector(value))
        return false;
    struct tree *t = malloc(sizeof *t);
    bool alike = t && plan_store(t, w, value, count, element);
    V pointer = alike ? lw_use_scalar(w, LLVMGetOperand(store, 1)) : NULL;
    unsigned registers = alike ? l->n * count / t->length : 0;
    for (unsigned r = 0; r < registers; r++)
        made[r] = write_register(t, r);
    for (unsigned r = 0; r < registers; r++) {
        V at = lw_lane_gep(l, element, pointer, lane_int(l, 64, (int64_t)r * t->length));
        unsigned bytes = r * t->length * lw_lane_bits(element) / 8;
        lw_lane_store_records(&t->wide, made[r], t->parts, at, mask_of(t, r),
                              lw_align_at(LLVMGetAlignment(store), bytes));
    }
    free(t);
    return alike;
}
