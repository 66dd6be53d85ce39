/* SPDX-License-Identifier: MIT */
/* Masks of a function by number, and webs of those that are computed from each other (broaden.c, halves.c).
 */
#ifndef LW_VECTORIZER_MASK_WEBS_H
#define LW_VECTORIZER_MASK_WEBS_H

#include "../facts/value_map.h"
#include "../lanes/internal.h"

struct lw_mask_webs {
    struct lw_value_map *map; /* mask -> number */
    V *masks;
    uint32_t count, room;
    uint32_t *web; /* by mask: another one of its web, itself for the web's root */
    uint32_t *stack;
};

/* Without a mask yet, but with room for all that there are: `is_mask`. false: there are none. */
bool lw_mask_webs_open(struct lw_mask_webs *s, struct lw_arena *arena, V function, bool (*is_mask)(V v));
/* In a web of its own, unless it is there, or there is no room. */
void lw_mask_add(struct lw_mask_webs *s, V mask);
uint32_t lw_mask_number(const struct lw_mask_webs *s, V v); /* UINT32_MAX: none of them */
uint32_t lw_mask_web(struct lw_mask_webs *s, uint32_t k);   /* the number of its web's root */
/* The webs of mask k and of `other` are one, where that is a mask. */
void lw_mask_join(struct lw_mask_webs *s, uint32_t k, V other);
/* Makes mask k, `made` tells whether it is, behind those of its operands that are not yet. */
void lw_mask_make(struct lw_mask_webs *s, uint32_t k, bool (*made)(void *data, uint32_t k),
                  void (*make)(void *data, uint32_t k), void *data);

#endif
