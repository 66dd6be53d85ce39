/* SPDX-License-Identifier: MIT */
/* What the files that turn sub-groups share: turn.c, turn_write.c. */
#ifndef LW_VECTORIZER_TURN_INTERNAL_H
#define LW_VECTORIZER_TURN_INTERNAL_H

#include "../../spirv/arena.h"
#include "../lanes/internal.h"
#include "turn.h"
#include "../facts/value_map.h"

#define MOST_STEP 16

/* An instruction of the loop. */
struct turned {
    V ref;
    uint64_t wanted; /* lanes */
    bool shuffle, written;
    bool own;            /* a scalar that differs between sub-groups */
    V *lanes;            /* by lane, <step x T> */
    V copies[MOST_STEP]; /* of a scalar, by sub-group */
};

/* The loop at hand. */
struct turner {
    lw_lanes l;
    struct lw_arena *arena;
    LLVMBasicBlockRef block;
    V counter, next, test;
    struct lw_value_map *places;
    struct turned *values;
    uint32_t count, written; /* values; those before are written */
    unsigned step, lanes;    /* sub-groups together; lanes of each */
};

/* ---- turn.c ---- */
struct turned *lw_turn_find(struct turner *t, V x); /* NULL: not of the loop */
/* Arithmetic of addresses, done once for each sub-group. */
bool lw_turn_is_scalar(V i);
/* Where lane `lane` of a shuffle comes from: *from is one of its operands; false: nowhere. */
bool lw_turn_comes_from(struct turner *t, V shuffle, unsigned lane, V *from, unsigned *there);
/* A shuffle that leaves each lane in its place. */
bool lw_turn_is_blend(struct turner *t, V shuffle);

/* ---- turn_write.c ---- */
/* The loop as it was decided, in place of what it was. */
void lw_turn_write(struct turner *t);

#endif
