/* SPDX-License-Identifier: MIT */
/* Evaluation of module-scope types and constants, in module order: what layout.c, constants.c, spec_op.c and
 * values.c share. */
#ifndef LW_SPIRV_EVALUATE_H
#define LW_SPIRV_EVALUATE_H

#include "module.h"

#define LW_MAX_LANES_OF_VALUE LW_MAX_VECTOR

/* layout.c: appends the row of a type; `next_offset` is the fill of member_offsets. */
void lw_lay_out(lw_module *m, const struct lw_inst *inst, uint32_t *next_offset);

/* A constant while it is computed. */
struct lw_value {
    uint32_t lanes; /* 0: not known */
    uint32_t width; /* bits of a lane; 1 for a boolean */
    bool is_float;
    uint64_t lane[LW_MAX_LANES_OF_VALUE];
};

/* ---- values.c ---- */

/* Where the SpecId's override stands, or would stand, in the sorted `overrides`. */
uint32_t lw_override_place(const lw_module *m, uint32_t spec_id);

/* Types that have a layout: their slots are rows of those, not values. */
bool lw_is_laid_out(uint32_t op);
/* Lanes, width and kind of a scalar or vector type; lanes 0 where it is neither. */
struct lw_value lw_value_of_type(const lw_module *m, uint32_t type);
bool lw_value_get(const lw_module *m, uint32_t id, struct lw_value *out);

/* spec_op.c: evaluates OpSpecConstantOp; `out` has its shape set, its lanes are filled. false: not known. */
bool lw_evaluate_spec_op(const lw_module *m, const struct lw_inst *inst, struct lw_value *out);

#endif
