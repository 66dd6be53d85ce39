/* SPDX-License-Identifier: MIT */
/* What is known of one value over the lanes of a sub-group, and how operations carry it on.
 *
 * A uniform value is a strided one whose offsets are all zero. Offsets are interned tables of one entry per
 * lane, sign-extended from the value's width, entry 0 zero: equal tables have equal addresses.
 */
#ifndef LW_VECTORIZER_OFFSETS_H
#define LW_VECTORIZER_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include "../../spirv/arena.h"

enum lw_level { LW_LEVEL_UNSEEN, LW_LEVEL_UNIFORM, LW_LEVEL_STRIDED, LW_LEVEL_VARYING };
enum lw_proof { LW_NOT_PROVED, LW_ASSUMED, LW_PROVED };

struct lw_fact {
    uint8_t level;
    bool group_uniform;
    bool assumes;   /* a sext or zext that trusts nsw or nuw */
    bool in_buffer; /* it relies on all active lanes accessing one buffer with it, see lw_fact_reaches */
    uint8_t exact_signed; /* enum lw_proof: read as signed numbers, lanes differ by exactly their offsets */
    uint8_t exact_unsigned;
    uint8_t known; /* so many low bits of the base are those of `residue`; 64: all bits of any width */
    uint64_t residue;
    const int64_t *offsets; /* NULL where varying */
    int64_t lo, hi;         /* signed range over all lanes, active or not; integers of up to 64 bits */
};

struct lw_offsets;

struct lw_offsets *lw_offsets_create(struct lw_arena *arena, unsigned lanes);
/* The interned table equal to `table`. */
const int64_t *lw_offsets_intern(struct lw_offsets *o, const int64_t *table);
/* The multiples of `stride`. */
const int64_t *lw_offsets_linear(struct lw_offsets *o, int64_t stride);
bool lw_offsets_are_linear(const struct lw_offsets *o, const int64_t *table);

/* Of an integer's or pointer's width in bits; 0 for other types, which are uniform or varying only. */
unsigned lw_fact_width(LLVMTypeRef type);
struct lw_fact lw_fact_varying(unsigned width);
struct lw_fact lw_fact_uniform(struct lw_offsets *o, unsigned width, bool group_uniform);
struct lw_fact lw_fact_constant(struct lw_offsets *o, unsigned width, uint64_t value);
/* Derives level and the proofs that follow from range and alignment. Call it after setting the fields of a
 * fact. */
void lw_fact_finish(const struct lw_offsets *o, struct lw_fact *fact, unsigned width);
/* The best fact that both imply, for phis, selects and the fixpoint. */
struct lw_fact lw_fact_join(struct lw_fact a, struct lw_fact b, unsigned width);

/* The operands may have any level but UNSEEN. `nsw`, `nuw`: the instruction's flags. */
struct lw_fact lw_fact_binary(struct lw_offsets *o, LLVMOpcode op, struct lw_fact a, struct lw_fact b,
                              unsigned width, bool nsw, bool nuw);
/* `together`: no two active lanes lie on the two sides of a wrap. */
struct lw_fact lw_fact_cast(struct lw_offsets *o, LLVMOpcode op, struct lw_fact a, unsigned from, unsigned to,
                            bool together);
/* Two lanes of one buffer (compiler.h: buffers_4g) are less than 2^32 - 2^28 bytes apart. Where their offsets
 * differ by 2^27 at most, no multiple of 2^32 can have come between: true unless the fact relies on that and
 * has more. */
bool lw_fact_reaches(const struct lw_offsets *o, const struct lw_fact *f);

#endif
