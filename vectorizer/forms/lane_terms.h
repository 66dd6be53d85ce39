/* SPDX-License-Identifier: MIT */
/* Places whose address has one term that differs between lanes. */
#ifndef LW_VECTORIZER_LANE_TERMS_H
#define LW_VECTORIZER_LANE_TERMS_H

#include "../widen/widener.h"

/* Its number; LW_PLACE_TERMS: there is none, there are several, or the root differs. */
unsigned lw_varying_term(lw_widener *w, const struct lw_place *p);
/* With the number in the place of that term; NULL: 0. */
V lw_address_at(lw_widener *w, const struct lw_place *p, unsigned term, V number);
/* The term of all lanes, frozen, as it is before it is extended, and lane 0's. i1: no number of `length` from
 * that one on lies beyond its type's end. */
V lw_run_from_first(lw_widener *w, const struct lw_place *p, unsigned term, unsigned length, V *first,
                    V *lanes);

/* forms/tables.c: of a gather, in instructions that are as long as one of a permutation, about. */
unsigned lw_gather_cost(lw_widener *w, unsigned bits, unsigned leaves);

/* forms/near.c: is an index likely near those of the lanes beside it? */
bool lw_is_near(lw_widener *w, LLVMValueRef index);
/* What lw_gather_near costs, as lw_gather_cost counts; where it makes nothing of the load, LW_NOT_NEAR. */
unsigned lw_near_cost(lw_widener *w, const struct lw_access *a);
#define LW_NOT_NEAR 1000 /* more than any gather */
/* Of a load of one element each, about to be gathered. false: not likely near each other. */
bool lw_gather_near(lw_widener *w, const struct lw_access *a, V addresses, V *out);

#endif
