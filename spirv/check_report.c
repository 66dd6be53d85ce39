/* SPDX-License-Identifier: MIT */
/* What the files of the check say of an instruction that does not pass. */
#include "check_parts.h"

bool
lw_invalid(struct lw_check *c, const struct lw_inst *inst, const char *what)
{
    return lw_spirv_fail(c->error, LW_ERR_INVALID, inst->at, lw_op_name(inst->op), inst->at, c->kernel, what);
}

bool
lw_refused(struct lw_check *c, const struct lw_inst *inst, const char *what)
{
    return lw_spirv_fail(c->error, LW_ERR_REFUSED, inst->at, lw_op_name(inst->op), inst->at, c->kernel, what);
}
