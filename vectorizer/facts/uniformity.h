/* SPDX-License-Identifier: MIT */
/* Which values are equal in all lanes, which are a uniform base plus a constant offset per lane, which vary;
 * which branches and loops diverge.
 *
 * Strided values: value(lane) = base + offsets[lane] in modular arithmetic of the value's width (pointers:
 * bytes, 64 bit), for every lane of the sub-group, active or not, where `base` is what the same expression
 * gives with every strided operand replaced by its base. So the base of `a + b` is base(a) + base(b), and so
 * on: the widener emits the scalar instruction over the bases. Roots: lw.global_id(d), lw.local_id(d),
 * lw.sub_group_local_id, lw.local_linear_id, lw.global_linear_id where the shape makes them so; the base of a
 * root is its value in lane 0. A zext, sext or trunc of a strided value stays strided only where no lane can
 * wrap, active or not.
 */
#ifndef LW_VECTORIZER_UNIFORMITY_H
#define LW_VECTORIZER_UNIFORMITY_H

#include "model.h"
#include "private_arrays.h"
#include "../../src/compiler.h"

enum lw_form { LW_UNIFORM, LW_STRIDED, LW_VARYING };

struct lw_vinfo {
    uint8_t form;           /* enum lw_form: over the lanes of one sub-group */
    bool group_uniform;     /* LW_UNIFORM and equal over the whole work-group */
    bool linear;            /* LW_STRIDED: offsets[i] == stride * i */
    int64_t stride;         /* where linear */
    const int64_t *offsets; /* LW_STRIDED: `lanes` entries, interned, offsets[0] == 0 */
    bool exact;             /* LW_STRIDED: no lane lies across a wrap of unsigned numbers */
    int64_t lo, hi;         /* signed range over all lanes, integers only; lo > hi: unknown */
    bool assumes_no_wrap;   /* a zext or sext that is strided only because the active lanes do not wrap: nsw
                               or nuw says so, or they all access one buffer of less than 4 GiB with it. Its
                               base is that of the first active lane, less that lane's offset */
};

struct lw_uniformity {
    struct lw_vinfo *values; /* by dense value number */
    bool *divergent_branch;  /* by block: its terminator's condition varies */
    bool *divergent_loop;    /* by loop: lanes may leave in different iterations */
    bool *masked;            /* by block: its execution depends on a divergent branch (control dependence,
                                transitively), so it needs a mask of its own */
    bool *varying_alloca;    /* by value: an alloca whose content differs between lanes */
    uint32_t *alloca_base;   /* by value: the one alloca that a pointer is derived from, LW_NONE for others,
                                LW_NONE - 1 where it may be one of several objects (such pointers vary) */
    bool *batched;           /* by value: an atomic of the whole work-group (batches.h); NULL: there is none.
                                Branches on the way there that the work-group does not take alike diverge */
    struct lw_privates privates; /* the layouts that were assumed: a varying alloca that is not lane-minor,
                                    and all pointers into it, vary */
    void *arena;
};

/* Relies on canonical form. Never fails but for memory (NULL). */
struct lw_uniformity *lw_find_uniformity(const struct lw_model *model, const struct lw_shape *shape);

/* Neighbouring lanes that are looked at on their own: a part of a sub-group. */
struct lw_piece {
    uint32_t lanes;     /* as many, from a multiple of as many on; or all lanes, where `index` is there: */
    LLVMValueRef index; /* lanes with the same index / divisor; the index is strided by 1 and does not wrap */
    uint64_t divisor;
};

/* The forms over the lanes of each piece: base and offsets are those of the piece's own first lane. Where a
 * value passes no phi, load or call, they are true of all lanes; else where all lanes of the piece are
 * active.
 */
struct lw_uniformity *lw_find_piece_uniformity(const struct lw_model *model, const struct lw_shape *shape,
                                               const struct lw_piece *piece);
/* index % divisor, as an instruction or as index - index / divisor * divisor. */
bool lw_is_remainder(LLVMValueRef instruction, LLVMValueRef index, uint64_t divisor);
void lw_uniformity_free(struct lw_uniformity *u);
/* The form of any operand: constants, globals and functions are uniform. */
struct lw_vinfo lw_form_of(const struct lw_uniformity *u, const struct lw_model *model, LLVMValueRef value);

#endif
