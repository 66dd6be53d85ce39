/* SPDX-License-Identifier: MIT */
/* Does a kernel access memory by columns: neighbours in dimension 1 beside each other, neighbours in
 * dimension 0 a row's length apart, as a transpose does? Rows of work-items touch as many cache lines then as
 * they are long, and every line again for the next row.
 *
 * Follows the global ids in steps of sums, products and conversions to the addresses of loads and stores.
 * Whatever else happens to an id is taken for no id at all: a kernel that is not recognised is run as all
 * others are.
 */
#include "reflect.h"

#include <stdlib.h>

#include "uses.h"

enum { NONE, UNIT, FAR }; /* how far neighbours in a dimension are apart */

#define NEAR 8 /* times an id: still beside each other */

struct ids {
    uint8_t x, y;
};

static uint8_t
larger(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static struct ids
sum(struct ids a, struct ids b)
{
    return (struct ids){larger(a.x, b.x), larger(a.y, b.y)};
}

static struct ids
times(struct ids a, uint32_t factor)
{
    return factor && factor <= NEAR ? a : (struct ids){a.x ? FAR : NONE, a.y ? FAR : NONE};
}

static bool
is_global_id(const lw_module *m, uint32_t vector)
{
    const struct lw_inst *load = lw_def(m, vector);
    if (!load || load->op != SpvOpLoad)
        return false;
    const struct lw_decoration *b =
        lw_find_decoration(m, lw_word(m, load, 3), LW_NO_MEMBER, SpvDecorationBuiltIn);
    return b && b->count && m->words[b->at] == SpvBuiltInGlobalInvocationId;
}

/* `at`: what is known of each id so far. */
static struct ids
follow(const lw_module *m, const struct lw_inst *i, const struct ids *at)
{
    struct ids a = {0}, b = {0};

    switch (i->op) {
    case SpvOpCompositeExtract:
        if (is_global_id(m, lw_word(m, i, 3)))
            a = (struct ids){lw_word(m, i, 4) == 0, lw_word(m, i, 4) == 1};
        return a;
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpCopyObject:
        return at[lw_word(m, i, 3)];
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpBitwiseOr:
        return sum(at[lw_word(m, i, 3)], at[lw_word(m, i, 4)]);
    case SpvOpIMul:
        a = at[lw_word(m, i, 3)];
        b = at[lw_word(m, i, 4)];
        if (b.x || b.y)
            return a.x || a.y ? (struct ids){0} : times(b, lw_constant_operand(m, i, 3, 0));
        return times(a, lw_constant_operand(m, i, 4, 0));
    case SpvOpShiftLeftLogical: {
        uint32_t by = lw_constant_operand(m, i, 4, 31);
        return times(at[lw_word(m, i, 3)], by < 31 ? UINT32_C(1) << by : 0);
    }
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        for (uint32_t k = 3; k < i->count; k++)
            a = sum(a, at[lw_word(m, i, k)]);
        return a;
    default:
        return a;
    }
}

bool
lw_accesses_columns(const lw_module *m, const struct lw_spirv_function *function)
{
    struct ids *at = calloc(m->bound, sizeof *at);
    bool found = false;

    for (uint32_t k = function->inst; at && k < function->end && !found; k++) {
        const struct lw_inst *i = &m->insts[k];
        if (i->op == SpvOpLoad || i->op == SpvOpStore) {
            struct ids address = at[lw_word(m, i, i->op == SpvOpStore ? 1 : 3)];
            found = address.x == FAR && address.y == UNIT;
        } else if (i->result) {
            at[i->result] = follow(m, i, at);
        }
    }
    free(at);
    return found;
}
