/* SPDX-License-Identifier: MIT */
/* Networks of minima and maxima, as sorting and medians make them: which operations their results need. */
#ifndef LW_VECTORIZER_MINMAX_NETWORK_H
#define LW_VECTORIZER_MINMAX_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

enum { LW_NETWORK_INPUTS = 9, LW_NETWORK_OPS = 96, LW_NETWORK_WORDS = 1 << (LW_NETWORK_INPUTS - 6) };

/* Values are numbered: `inputs` first, then the operations in an order in which operands come first. */
struct lw_network {
    unsigned inputs, count; /* count: of operations */
    struct lw_network_op {
        uint8_t a, b;
        bool max, output, live;
        uint8_t becomes; /* out: the value that it is replaced by, itself where it stays */
    } ops[LW_NETWORK_OPS];
    uint64_t tables[LW_NETWORK_INPUTS + LW_NETWORK_OPS][LW_NETWORK_WORDS];
};

/* Fills in `live` and `becomes`, and gives live ones operands that are live or inputs. */
void lw_simplify_network(struct lw_network *n);
/* What stands for a value then. */
unsigned lw_network_value(const struct lw_network *n, unsigned value);

#endif
