/* SPDX-License-Identifier: MIT */
/* Operations of a network of minima and maxima that its results do not need.
 *
 * What minima and maxima give is known for all orders of all inputs once it is known for inputs of 0 and 1
 * (the 0-1 principle: they commute with every monotone function, and a threshold is one). So each value has a
 * table of one bit for each of the 2^inputs such inputs, in which a minimum is `and` and a maximum is `or`.
 * An operation that may as well be one of its operands, with the tables of all outputs as before, is that
 * operand. From a sort for the median of nine a quarter goes away: what comes out of an early step too low to
 * be the median need not be compared with the rest.
 *
 * Relies on: a total order, so no NaN. Takes: two passes over pairs of operations at most, bits 64 at a time.
 */
#include "minmax_network.h"

#include <string.h>

enum { MOST_PASSES = 2 };

static unsigned
words(const struct lw_network *n)
{
    return n->inputs > 6 ? 1u << (n->inputs - 6) : 1;
}

static void
fill_inputs(struct lw_network *n)
{
    for (unsigned i = 0; i < n->inputs; i++)
        for (unsigned w = 0; w < words(n); w++) {
            uint64_t bits = 0;
            for (unsigned k = 0; k < 64; k++)
                bits |= (uint64_t)((w * 64 + k) >> i & 1) << k;
            n->tables[i][w] = bits;
        }
}

static void
operate(const struct lw_network *n, const struct lw_network_op *op, const uint64_t *a, const uint64_t *b,
        uint64_t *out)
{
    for (unsigned w = 0; w < words(n); w++)
        out[w] = op->max ? a[w] | b[w] : a[w] & b[w];
}

static bool
same(const struct lw_network *n, const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, words(n) * sizeof *a) == 0;
}

unsigned
lw_network_value(const struct lw_network *n, unsigned value)
{
    while (value >= n->inputs && n->ops[value - n->inputs].becomes != value)
        value = n->ops[value - n->inputs].becomes;
    return value;
}

static void
find_live(struct lw_network *n)
{
    for (unsigned k = 0; k < n->count; k++)
        n->ops[k].live = false;
    for (unsigned k = 0; k < n->count; k++) {
        unsigned value = n->ops[k].output ? lw_network_value(n, n->inputs + k) : 0;
        if (value >= n->inputs)
            n->ops[value - n->inputs].live = true;
    }
    for (unsigned k = n->count; k-- > 0;) {
        struct lw_network_op *op = &n->ops[k];
        if (!op->live)
            continue;
        op->a = (uint8_t)lw_network_value(n, op->a);
        op->b = (uint8_t)lw_network_value(n, op->b);
        if (op->a >= n->inputs)
            n->ops[op->a - n->inputs].live = true;
        if (op->b >= n->inputs)
            n->ops[op->b - n->inputs].live = true;
    }
}

/* Are the outputs what they were where operation k is `value`? Then tables are as they are with that. */
static bool
may_become(struct lw_network *n, unsigned k, unsigned value)
{
    uint64_t made[LW_NETWORK_OPS][LW_NETWORK_WORDS];
    bool changed[LW_NETWORK_OPS] = {false};

    changed[k] = true;
    memcpy(made[k], n->tables[value], sizeof made[k]);
    for (unsigned j = k; j < n->count; j++) {
        const struct lw_network_op *op = &n->ops[j];
        if (j > k) {
            bool x = op->a >= n->inputs && changed[op->a - n->inputs];
            bool y = op->b >= n->inputs && changed[op->b - n->inputs];
            if (!op->live || (!x && !y))
                continue;
            operate(n, op, x ? made[op->a - n->inputs] : n->tables[op->a],
                    y ? made[op->b - n->inputs] : n->tables[op->b], made[j]);
            changed[j] = !same(n, made[j], n->tables[n->inputs + j]);
        }
        if (changed[j] && op->output && !same(n, made[j], n->tables[n->inputs + j]))
            return false;
    }
    for (unsigned j = k; j < n->count; j++)
        if (changed[j])
            memcpy(n->tables[n->inputs + j], made[j], sizeof made[j]);
    return true;
}

void
lw_simplify_network(struct lw_network *n)
{
    bool changed = true;

    fill_inputs(n);
    for (unsigned k = 0; k < n->count; k++) {
        struct lw_network_op *op = &n->ops[k];
        op->becomes = (uint8_t)(n->inputs + k);
        operate(n, op, n->tables[op->a], n->tables[op->b], n->tables[n->inputs + k]);
    }
    find_live(n);
    for (unsigned pass = 0; changed && pass < MOST_PASSES; pass++) {
        changed = false;
        for (unsigned k = n->count; k-- > 0;) {
            struct lw_network_op *op = &n->ops[k];
            for (unsigned o = 0; op->live && o < 2; o++) {
                unsigned value = o ? op->b : op->a;
                if (!may_become(n, k, value))
                    continue;
                op->becomes = (uint8_t)value;
                if (op->output && value >= n->inputs)
                    n->ops[value - n->inputs].output = true;
                changed = true;
                find_live(n);
            }
        }
    }
}
