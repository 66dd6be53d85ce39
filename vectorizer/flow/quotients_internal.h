/* SPDX-License-Identifier: MIT */
/* What quotients.c and quotient_rows.c share. */
#ifndef LW_VECTORIZER_QUOTIENTS_INTERNAL_H
#define LW_VECTORIZER_QUOTIENTS_INTERNAL_H

#include "quotients.h"

#include "../facts/arena.h"
#include "../facts/uniformity.h"
#include "twice.h"

#define MOST_ASKED 8

/* A value where all conditions hold: base + stride * lane. */
struct linear {
    bool known, seen;
    uint8_t asked; /* of what was asked, and 1 */
    int64_t stride;
    LLVMValueRef base; /* at hand before the piece */
};

struct asked {
    LLVMValueRef index, divisor, quotient, rest;
    LLVMValueRef sane; /* the divisor, 1 where it is none */
    LLVMValueRef good; /* i1: index and divisor are what the text of quotients.c wants, whatever the row */
    int64_t stride;
    bool shortest; /* rows are parts of others, and no others of them */
};

struct split {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    struct lw_arena *arena;
    const struct lw_model *m;
    const struct lw_uniformity *u;
    uint32_t lanes;
    lw_isa isa;
    struct lw_twice p;     /* what will be there twice; replaced: what the conditions are asked for */
    bool cut;              /* a block was cut, all else is as it was */
    struct linear *linear; /* by value: divisions that conditions stand for */
    struct asked asked[MOST_ASKED];
    uint32_t asked_count;
    LLVMValueRef lane; /* i64 */
    LLVMValueRef holds;
    bool changed;
};

/* ---- quotients.c ---- */

LLVMValueRef lw_lane_offset(struct split *s, LLVMTypeRef type, int64_t stride);
/* A load or store at an address that varies? */
bool lw_access_varies(const struct split *s, LLVMValueRef v);

/* ---- quotient_rows.c ---- */

/* A copy of the piece that runs for one row of the sub-group after the other. The block that asks whether
 * there are few, and else leads to the piece as it was; that one's first block where no copy was made. */
LLVMBasicBlockRef lw_write_rows(struct split *s);

#endif
