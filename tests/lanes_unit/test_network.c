/* SPDX-License-Identifier: MIT */
/* Networks of minima and maxima, simplified: the outputs are what the whole network gives, for numbers of
 * which some are equal; and a median needs fewer operations than the sort that it is taken from. */
#include "tests.h"

#include "vectorizer/late/minmax_network.h"

enum { VALUES = LW_NETWORK_INPUTS + LW_NETWORK_OPS, TRIES = 400 };

static int
operate(const struct lw_network_op *op, const int *values)
{
    int a = values[op->a], b = values[op->b];
    return (a > b) == op->max ? a : b;
}

static unsigned
below(unsigned limit)
{
    return (unsigned)(random_bits() >> 16) % limit;
}

static void
make_network(struct lw_network *n)
{
    n->inputs = 1 + below(LW_NETWORK_INPUTS);
    n->count = 1 + below(LW_NETWORK_OPS);
    for (unsigned k = 0; k < n->count; k++) {
        unsigned values = n->inputs + k, recent = values < 12 ? values : 12;
        n->ops[k] = (struct lw_network_op){.a = (uint8_t)(values - 1 - below(recent)),
                                           .b = (uint8_t)below(values),
                                           .max = below(2),
                                           .output = below(8) == 0 || k + 1 == n->count};
    }
}

static void
compare(const struct lw_network *whole, const struct lw_network *n)
{
    int want[VALUES], got[VALUES];

    for (unsigned k = 0; k < n->inputs; k++)
        want[k] = got[k] = (int)below(n->inputs + 3);
    for (unsigned k = 0; k < n->count; k++) {
        const struct lw_network_op *op = &n->ops[k];
        want[n->inputs + k] = operate(&whole->ops[k], want);
        if (!op->live)
            continue;
        ck_assert(op->a < n->inputs || n->ops[op->a - n->inputs].live);
        ck_assert(op->b < n->inputs || n->ops[op->b - n->inputs].live);
        got[n->inputs + k] = operate(op, got);
    }
    for (unsigned k = 0; k < n->count; k++) {
        unsigned value = lw_network_value(n, n->inputs + k);
        if (!whole->ops[k].output)
            continue;
        ck_assert(value < n->inputs || n->ops[value - n->inputs].live);
        ck_assert_int_eq(got[value], want[n->inputs + k]);
    }
}

START_TEST(random_networks)
{
    static struct lw_network whole, n;

    for (unsigned k = 0; k < TRIES; k++) {
        make_network(&whole);
        n = whole;
        lw_simplify_network(&n);
        for (unsigned j = 0; j < TRIES / 4; j++)
            compare(&whole, &n);
    }
}
END_TEST

/* As far sorted by selection as the element in the middle takes. */
static void
make_median(struct lw_network *n, unsigned inputs)
{
    uint8_t place[LW_NETWORK_INPUTS];

    n->inputs = inputs;
    n->count = 0;
    for (unsigned k = 0; k < inputs; k++)
        place[k] = (uint8_t)k;
    for (unsigned k = 0; k <= inputs / 2; k++)
        for (unsigned j = k + 1; j < inputs; j++) {
            for (unsigned max = 0; max < 2; max++)
                n->ops[n->count + max] = (struct lw_network_op){.a = place[k], .b = place[j], .max = max};
            place[k] = (uint8_t)(inputs + n->count);
            place[j] = (uint8_t)(inputs + n->count + 1);
            n->count += 2;
        }
    n->ops[place[inputs / 2] - inputs].output = true;
}

START_TEST(medians)
{
    static const unsigned most[LW_NETWORK_INPUTS + 1] = {[3] = 4, [5] = 12, [7] = 24, [9] = 40};
    static struct lw_network whole, n;

    for (unsigned inputs = 3; inputs <= LW_NETWORK_INPUTS; inputs += 2) {
        unsigned live = 0;
        make_median(&whole, inputs);
        n = whole;
        lw_simplify_network(&n);
        for (unsigned k = 0; k < n.count; k++)
            live += n.ops[k].live;
        ck_assert_uint_le(live, most[inputs]);
        for (unsigned j = 0; j < TRIES; j++)
            compare(&whole, &n);
    }
}
END_TEST

void
add_network(TCase *tests)
{
    tcase_add_test(tests, random_networks);
    tcase_add_test(tests, medians);
}
