/* SPDX-License-Identifier: MIT */
/* Values of types that SPIR-V does not have, taken apart (lengths.c), and what is computed of their parts
 * (lengths_parts.c). */
#ifndef LW_PRODUCER_LENGTHS_H
#define LW_PRODUCER_LENGTHS_H

#include "legal.h"

#include <stddef.h>

struct split {
    V instruction;
    V words;  /* of a long integer: it as a vector of words, from which the stand-ins are taken */
    V *parts; /* the stand-ins, and behind them what they stand for */
    unsigned count;
};

struct lengths {
    struct lw_legal *l;
    struct split *splits;
    size_t count, room;
};

/* Bits of an integer that is too long, or of the elements of a vector of such; 0 for others. */
unsigned lw_long_bits(T type);
bool lw_is_odd(T type);

/* What a value is taken apart into, and how many: components, or words of them. */
T lw_part_type(struct lengths *s, T type);
unsigned lw_part_count(T type);

/* Of `instruction` among s->splits, which are in the order of lw_compare_splits. NULL: it is none. */
struct split *lw_find_split(struct lengths *s, V instruction);
int lw_compare_splits(const void *left, const void *right);

/* False, with the reason in s->l->why. */
bool lw_refuse_length(struct lengths *s, const char *why);

/* The parts of what `i` makes, written before it. */
bool lw_compute_parts(struct lengths *s, V i, V *out);

/* In place of `i`, which takes such a value and makes none: the same of parts. */
bool lw_rewrite_odd_user(struct lengths *s, V i);

#endif
