/* SPDX-License-Identifier: MIT */
/* Walking the operands of any instruction by the grammar's tables. */
#ifndef LW_SPIRV_OPERANDS_H
#define LW_SPIRV_OPERANDS_H

#include "module.h"
#include "spirv_tables.h"

enum lw_operand_kind {
    LW_OPERAND_ID,      /* one word; result type and result are not walked */
    LW_OPERAND_LITERAL, /* one word */
    LW_OPERAND_NUMBER,  /* literal words whose type comes from the context */
    LW_OPERAND_STRING,
    LW_OPERAND_ENUM,    /* an enumerant or mask; its parameters follow as operands of their own */
    LW_OPERAND_OPAQUE   /* everything from here on is unknown to the grammar */
};

struct lw_operand {
    enum lw_operand_kind kind;
    uint8_t code;   /* enum lw_operand_code */
    uint32_t at;    /* word offset in the module */
    uint32_t count; /* words */
};

struct lw_operand_walk {
    const lw_module *m;
    const struct lw_inst *inst;
    uint32_t at, end;
    const uint8_t *codes;      /* what comes next */
    const uint8_t *after;      /* what comes after the parameters of an enumerant, or NULL */
    const struct lw_enum_kind *mask_kind;
    uint32_t mask;             /* bits whose parameters are still to come */
    uint8_t pair;              /* second half of a pair that is due, 0: none */
    bool bad;                  /* an operand was missing or a string did not end */
};

void lw_operands_start(struct lw_operand_walk *walk, const lw_module *m, const struct lw_inst *inst);
/* false at the end, or where `bad` was set. */
bool lw_operands_next(struct lw_operand_walk *walk, struct lw_operand *out);

/* The row of an opcode; row 0 (no operands, no result) for unknown ones. */
const struct lw_op_info *lw_op_info(uint32_t op);
bool lw_op_known(uint32_t op);
/* Words of each literal of an OpSwitch: 1, or 2 for a 64-bit selector. */
uint32_t lw_switch_literal_words(const lw_module *m, const struct lw_inst *inst);
/* Label of the n-th successor of a terminator, the default of a switch first; 0 after the last. */
uint32_t lw_successor(const lw_module *m, const struct lw_inst *inst, uint32_t n);
/* The next label of its function that the instruction branches back to, as at a loop's end, from its *n-th
 * successor on; NULL after the last. */
const struct lw_inst *lw_next_back_branch(const lw_module *m, const struct lw_spirv_function *function,
                                          const struct lw_inst *inst, uint32_t *n);

/* Operands, one or two from word 3 on, of an operation on integers that leaves one; 0: it is another. */
unsigned lw_integer_operands(uint32_t op);

#endif
