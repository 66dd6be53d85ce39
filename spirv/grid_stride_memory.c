/* SPDX-License-Identifier: MIT */
/* Do no two rounds of a grid-stride loop meet in the memory of one argument?
 *
 * They do not in one that is only read. What is stored to is to be accessed at one address for all, which
 * does not change in the loop, and a multiple of i from there on, and what a round accesses there is to lie
 * within that multiple. Private and local memory would keep what a round wrote for the next: no access to
 * either.
 *
 * Enters: a loop whose values are known (grid_stride.h).  Leaves: the answer.
 */
#include "grid_stride.h"

#include <stdlib.h>

#include "chains.h"
#include "evaluate.h"
#include "support.h"

#define MOST_STEPS 100 /* from a pointer to the argument that it is made of */

#define MOST_STEP UINT32_MAX /* bytes from round to round: times 31 bits these come to no place twice */

/* What is accessed of an argument. */
struct room {
    bool accessed, stored, strays; /* strays: not as what is stored to must be */
    uint32_t anchor;               /* the address that multiples of i are added to */
    uint64_t times;
    int64_t begin, end; /* bytes, from there on */
};

struct address {
    uint32_t root, anchor; /* root: the parameter, or variable */
    uint64_t times, plus;  /* bytes */
    bool known;            /* times and plus are, from the anchor on */
};

/* Adds `size` times the index. False: it is neither a constant nor one of the loop's. */
static bool
add_index(struct lw_stride_search *s, uint32_t id, uint64_t size, struct address *a)
{
    const struct lw_stride_value *v = &s->at[id];
    uint64_t bits;
    int64_t constant;
    if (lw_constant_bits(s->m, id, &bits) && lw_stride_evaluate(s->m, s->desc, id, NULL, &constant)) {
        a->plus += size * (uint64_t)constant;
        return true;
    }
    if (v->kind != LW_STRIDE_INDEX || v->displaced)
        return false;
    if (lw_value_of_type(s->m, lw_type_of(s->m, id)).width < 64)
        lw_stride_widen(s, *v); /* indices are signed */
    a->times += size * v->times;
    a->plus += size * v->plus;
    return true;
}

/* What the chain adds to its pointer. */
static bool
add_chain(struct lw_stride_search *s, const struct lw_inst *chain, struct address *a)
{
    const lw_module *m = s->m;
    uint32_t type = lw_pointee_of(m, lw_type_of(m, lw_word(m, chain, 3)));
    bool element = lw_chain_has_element(chain->op);
    struct lw_layout layout;
    for (uint32_t n = 4; n < chain->count; n++, element = false) {
        uint32_t index = lw_word(m, chain, n), part = element ? type : lw_indexed_type(m, type, index);
        uint64_t member;
        if (!part)
            return false;
        if (!element && lw_op_of(m, type) == SpvOpTypeStruct) {
            if (!lw_constant_bits(m, index, &member))
                return false;
            a->plus += lw_member_offset(m, type, (uint32_t)member);
        } else if (!lw_type_layout(m, part, &layout) || !add_index(s, index, layout.size, a)) {
            return false;
        }
        type = part;
    }
    return type == lw_pointee_of(m, chain->type);
}

/* False: nobody knows where the pointer leads. */
static bool
find_address(struct lw_stride_search *s, uint32_t pointer, struct address *a)
{
    *a = (struct address){.known = true};
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        const struct lw_inst *inst = lw_def(s->m, pointer);
        const struct lw_inst *type = inst ? lw_def(s->m, inst->type) : NULL;
        if (!type || type->op != SpvOpTypePointer)
            return false;
        uint32_t storage = lw_word(s->m, type, 2);
        if (storage != SpvStorageClassCrossWorkgroup && storage != SpvStorageClassUniformConstant)
            return false;
        if (inst->op == SpvOpFunctionParameter ||
            (inst->op == SpvOpVariable && storage == SpvStorageClassUniformConstant &&
             !lw_is_builtin_variable(s->m, pointer))) {
            a->root = pointer;
            a->anchor = a->known ? pointer : a->anchor;
            return true;
        }
        if (lw_is_access_chain(inst->op)) {
            struct address moved = *a;
            if (a->known && add_chain(s, inst, &moved)) {
                *a = moved;
            } else if (a->known) {
                a->known = false;
                a->anchor = pointer;
            }
        } else if (inst->op != SpvOpBitcast && inst->op != SpvOpCopyObject) {
            return false;
        }
        pointer = lw_word(s->m, inst, 3);
    }
    return false;
}

static bool
note_access(struct lw_stride_search *s, struct room *rooms, const struct lw_inst *inst)
{
    const lw_module *m = s->m;
    bool store = inst->op == SpvOpStore;
    uint32_t pointer = lw_word(m, inst, store ? 1 : 3);
    struct lw_layout layout;
    struct address a;
    if (lw_word(m, inst, store ? 3 : 4) & SpvMemoryAccessVolatileMask || !find_address(s, pointer, &a) ||
        !lw_type_layout(m, lw_pointee_of(m, lw_type_of(m, pointer)), &layout))
        return false;
    if (lw_op_of(m, a.root) != SpvOpFunctionParameter)
        return !store;
    uint32_t argument = lw_stride_argument(m, a.root);
    if (argument >= s->desc->arg_count)
        return false;
    struct room *room = &rooms[argument];
    int64_t begin = (int64_t)a.plus, end = begin + (int64_t)layout.size;
    bool first = !room->accessed;
    const struct lw_inst *anchor = lw_def(m, a.anchor);
    room->stored |= store;
    room->accessed = true;
    room->strays |= !lw_stride_is_in_loop(s, inst) || lw_stride_is_in_loop(s, anchor) ||
                    (!first && (room->anchor != a.anchor || room->times != a.times));
    room->anchor = a.anchor;
    room->times = a.times;
    room->begin = first || begin < room->begin ? begin : room->begin;
    room->end = first || end > room->end ? end : room->end;
    return true;
}

static bool
is_apart(const struct room *room)
{
    int64_t times = (int64_t)room->times;
    uint64_t step = times < 0 ? -room->times : room->times;
    return !room->stored || (!room->strays && step && step <= MOST_STEP &&
                             (uint64_t)room->end - (uint64_t)room->begin <= step);
}

bool
lw_stride_rounds_are_apart(struct lw_stride_search *s)
{
    const lw_module *m = s->m;
    struct room *rooms = calloc(s->desc->arg_count + 1u, sizeof *rooms);
    bool apart = rooms != NULL;
    for (uint32_t i = s->function->inst; apart && i < s->function->end; i++) {
        const struct lw_inst *inst = &m->insts[i];
        bool variable = inst->op == SpvOpLoad && s->at[inst->result].kind == LW_STRIDE_VECTOR;
        if ((inst->op == SpvOpLoad && !variable) || inst->op == SpvOpStore)
            apart = note_access(s, rooms, inst);
    }
    for (uint32_t k = 0; apart && k < s->desc->arg_count; k++)
        apart = is_apart(&rooms[k]) && !s->desc->args[k].is_volatile;
    free(rooms);
    return apart;
}
