/* SPDX-License-Identifier: MIT */
/* How private arrays lie in memory once a sub-group shares them. */
#ifndef LW_VECTORIZER_PRIVATE_ARRAYS_H
#define LW_VECTORIZER_PRIVATE_ARRAYS_H

#include <llvm-c/Target.h>

#include "model.h"

enum lw_private_layout {
    LW_PRIVATE_UNIFORM,    /* one object for all lanes: what is stored in it is uniform (says uniformity.c) */
    LW_PRIVATE_LANE_MINOR, /* element e of lane L at (e * W + L) * granule: rows of lanes */
    LW_PRIVATE_PER_LANE    /* lane L's object at L * size: byte-punned, mixed or escaping */
};

struct lw_private {
    uint8_t layout;   /* enum lw_private_layout */
    uint32_t granule; /* LANE_MINOR: bytes of an element */
    uint64_t size;    /* bytes of one lane's object, padded to `align` */
    uint32_t align;
    bool few; /* LANE_MINOR: so few elements that they are chosen among all rows (forms/few.c) */
};

/* By value number. */
struct lw_privates {
    struct lw_private *arrays; /* of allocas */
    uint32_t *root; /* the lane-minor alloca that a pointer is derived from, LW_NONE for any other value */
};

/* Finds the layout of every alloca: LANE_MINOR where every use is an access of whole elements of one size
 * through GEPs, casts and phis of this alloca alone, else PER_LANE. Never UNIFORM. */
struct lw_privates lw_find_private_layouts(struct lw_arena *arena, const struct lw_model *model);

#endif
