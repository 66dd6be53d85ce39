/* SPDX-License-Identifier: MIT */
/* What quotients.c, quotient_piece.c and quotient_rows.c share. */
#ifndef LW_VECTORIZER_QUOTIENTS_INTERNAL_H
#define LW_VECTORIZER_QUOTIENTS_INTERNAL_H

#include <string.h>

#include "quotients.h"

#include "../../spirv/arena.h"
#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../facts/uniformity.h"
#include "twice.h"

#define MOST_ASKED 8
#define MOST_REACH (1 << 16) /* of all lanes' indices */

/* A value where all conditions hold: base + stride * lane. */
struct linear {
    bool known, seen;
    uint8_t asked; /* of what was asked, and 1 */
    uint8_t rest;  /* the remainder of what was asked, and 1, which has no more bits than this */
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

/* Metadata of divisions that were looked at, and of those that are looked at once more. */
#define LW_QUOTIENT_DONE "lw.quotient"
#define LW_QUOTIENT_LONG "lw.quotient.long_rows"

static inline bool
lw_is_division(LLVMValueRef v)
{
    unsigned width = LLVMIsABinaryOperator(v) ? lw_int_width(v) : 0;
    return width >= 8 && width <= 64 && lw_is_int_division(LLVMGetInstructionOpcode(v));
}

static inline bool
lw_is_quotient(LLVMValueRef division)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(division);
    return op == LLVMUDiv || op == LLVMSDiv;
}

/* As the program has it, and of fewer bits only where it is of the remainder of another one. */
static inline bool
lw_has_index(LLVMValueRef division)
{
    return lw_int_width(division) == 32 || lw_int_width(division) == 64;
}

/* The program's own: the emission divides by umax(d, 1), which is d wherever the conditions hold. */
static inline LLVMValueRef
lw_divisor_of(LLVMValueRef division)
{
    LLVMValueRef d = LLVMGetOperand(division, 1);
    uint64_t least;
    if (lw_is_call_like(d, "llvm.umax.") && lw_is_int_constant(LLVMGetOperand(d, 1), &least) && least == 1)
        return LLVMGetOperand(d, 0);
    return d;
}

static inline bool
lw_is_marked(const struct split *s, LLVMValueRef v, const char *mark)
{
    return LLVMGetMetadata(v, LLVMGetMDKindIDInContext(s->context, mark, (unsigned)strlen(mark))) != NULL;
}

/* ---- quotients.c ---- */

/* stride * lane, of an integer type. */
LLVMValueRef lw_lane_offset(struct split *s, LLVMTypeRef type, int64_t stride);

/* ---- remainders.c ---- */

/* The division whose remainder `v` is, a sum of multiples; NULL: none. */
LLVMValueRef lw_division_of_sum(LLVMValueRef v);

/* ---- quotient_piece.c ---- */

/* The first piece that is worth it; false: none, or a block was cut. */
bool lw_find_piece(struct split *s);
/* A load or store at an address that varies? */
bool lw_access_varies(const struct split *s, LLVMValueRef v);

/* ---- quotient_rows.c ---- */

/* A copy of the piece that runs for one row of the sub-group after the other. The block that asks whether
 * there are few, and else leads to the piece as it was; that one's first block where no copy was made.
 * *serves_all: hardly anything will come to the piece as it was. */
LLVMBasicBlockRef lw_write_rows(struct split *s, bool *serves_all);

#endif
