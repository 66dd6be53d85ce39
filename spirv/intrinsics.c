/* SPDX-License-Identifier: MIT */
/* The names of the group operations, as they stand in intrinsics.h. */
#include "intrinsics.h"

static const char *const names[LW_GROUP_OP_COUNT] = {
#define X(e, n) [LW_GROUP_##e] = n,
    LW_GROUP_OPS(X)
#undef X
};

const char *
lw_group_op_name(enum lw_group_op op)
{
    return (unsigned)op < LW_GROUP_OP_COUNT ? names[op] : "?";
}
