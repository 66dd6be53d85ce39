/* SPDX-License-Identifier: MIT */
/* The grammar's rows, by opcode and by number of an extended instruction. */
#include "operands.h"

const struct lw_op_info *
lw_op_info(uint32_t op)
{
    return &lw_op_table[op < LW_OP_LIMIT ? lw_op_rows[op] : 0];
}

bool
lw_op_known(uint32_t op)
{
    return op < LW_OP_LIMIT && lw_op_rows[op] != 0;
}

const char *
lw_op_name(uint32_t op)
{
    return lw_op_info(op)->name;
}

const char *
lw_opencl_std_name(uint32_t instruction)
{
    return instruction < LW_CL_STD_LIMIT ? lw_cl_std_table[instruction].name : NULL;
}
