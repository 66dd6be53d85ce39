/* SPDX-License-Identifier: MIT */
/* What the files of the check share. */
#ifndef LW_SPIRV_CHECK_PARTS_H
#define LW_SPIRV_CHECK_PARTS_H

#include "module_check.h"
#include "error.h"
#include "operands.h"
#include "support.h"
#include "uses.h"
#include "graph.h"

#define LW_MAX_VALUE_LEAVES 4096u          /* of a value in a function: they become LLVM values one by one */
#define LW_MAX_CONSTANT_LEAVES (1u << 22)  /* of an initialiser */
#define LW_MAX_PRIVATE_BYTES (4u << 20)    /* of a kernel's variables, per work-item */

struct lw_check {
    const lw_module *m;
    const char *kernel;
    lw_error *error;
    uint64_t private_bytes;
    uint32_t *builtin_of; /* [bound] see check_builtins.c; 0: not looked at */
    struct lw_flow *flow; /* of the function that is checked */
    uint32_t at;          /* index of the instruction that is checked */
};

/* Both return false. */
bool lw_invalid(struct lw_check *c, const struct lw_inst *inst, const char *what);
bool lw_refused(struct lw_check *c, const struct lw_inst *inst, const char *what);

/* ---- check_types.c ---- */

enum lw_class {
    LW_CLASS_NONE, /* undefined, or no type of a value */
    LW_CLASS_VOID,
    LW_CLASS_BOOL,
    LW_CLASS_INT,
    LW_CLASS_FLOAT,
    LW_CLASS_POINTER,
    LW_CLASS_PIPE,    /* a pipe, or a pipe's storage */
    LW_CLASS_IMAGE,   /* an image, a sampler, or both */
    LW_CLASS_STRUCT,
    LW_CLASS_ARRAY
};

/* A type seen from outside. Vectors have the class of their components. */
struct lw_shape {
    enum lw_class class;
    uint32_t width;   /* bits of a component; 64 for a pointer */
    uint32_t lanes;   /* 1 for a scalar; 0 where that means nothing */
    uint32_t storage; /* of a pointer; tells pipes' ends and storage apart */
    uint32_t pointee; /* of a pointer: type id */
    uint32_t id;      /* of the type */
};

struct lw_shape lw_shape_of_type(const lw_module *m, uint32_t type);
/* Of the type of a value. */
struct lw_shape lw_shape_of(const lw_module *m, uint32_t id);
/* Equal but for the sign of integers and the pointee. */
bool lw_same_shape(struct lw_shape a, struct lw_shape b);
/* A value of this type can be computed with. */
bool lw_is_value(const lw_module *m, struct lw_shape s);
/* Types, constants and variables that the kernel uses. */
bool lw_check_globals(struct lw_check *c, const struct lw_uses *uses);

/* ---- check_flow.c ---- */

/* Control flow of one function, over its blocks by local number. */
struct lw_flow {
    const struct lw_spirv_function *function;
    struct lw_arena *arena; /* that the rest lies in */
    struct lw_graph graph;
    uint32_t *dominator; /* the immediate one; LW_NONE: the entry, or what is not reached */
    uint32_t *enter;     /* intervals of their tree */
    uint32_t *leave;
};

bool lw_flow_make(struct lw_check *c, const struct lw_spirv_function *f, struct lw_flow *out);
void lw_flow_free(struct lw_flow *flow);
/* Local number of the block that holds an instruction. */
uint32_t lw_flow_block_at(const struct lw_check *c, uint32_t inst);
/* Every operand is defined where it is used, phis are complete. */
bool lw_check_uses(struct lw_check *c);

/* ---- check_builtins.c ---- */

/* Whether the instruction may use a pointer, if it leads to one. */
bool lw_check_builtin_pointer(struct lw_check *c, const struct lw_inst *inst, uint32_t id);

/* ---- check_calls.c ---- */

/* No recursion, and not too much to compile, from the kernel's function on. */
bool lw_check_calls(struct lw_check *c, uint32_t function);

/* ---- check_code.c and the files by topic ---- */
bool lw_check_instruction(struct lw_check *c, const struct lw_inst *inst);
/* Operands against a signature, see check_signature.c. */
bool lw_check_signature(struct lw_check *c, const struct lw_inst *inst, char result, const char *operands,
                        uint32_t first);
/* true: it was one of this topic's and `*fine` tells how it went. */
bool lw_check_memory(struct lw_check *c, const struct lw_inst *inst, bool *fine);
bool lw_check_composite(struct lw_check *c, const struct lw_inst *inst, bool *fine);
bool lw_check_pipe(struct lw_check *c, const struct lw_inst *inst, bool *fine);
bool lw_check_image(struct lw_check *c, const struct lw_inst *inst, bool *fine);
bool lw_check_image_type(struct lw_check *c, const struct lw_inst *inst);
bool lw_check_sampler_constant(struct lw_check *c, const struct lw_inst *inst);
/* Of a call of an imported function: read_image*, write_image*, get_image_*. */
bool lw_import_image_fits(struct lw_check *c, const struct lw_inst *inst,
                          const struct lw_imported_builtin *b);
bool lw_check_enqueue(struct lw_check *c, const struct lw_inst *inst, bool *fine);
/* A call of an import that stands for this query of a block. */
bool lw_check_block_import(struct lw_check *c, const struct lw_inst *inst, uint32_t op);
bool lw_check_group(struct lw_check *c, const struct lw_inst *inst, bool *fine);
/* Whether a block of such values is read or written through such a pointer. */
bool lw_fits_block(struct lw_shape pointer, struct lw_shape value, bool written);
/* The code of the numbers that a group instruction computes with, 0: others. */
char lw_group_kind(uint32_t op);
bool lw_check_ext_inst(struct lw_check *c, const struct lw_inst *inst);
bool lw_check_call(struct lw_check *c, const struct lw_inst *inst);

/* ---- check_support.c ---- */

/* A signature row for opcodes that need no more than operand types. */
struct lw_signature {
    uint16_t op;
    char result;          /* 0: none */
    const char *operands;
};
const struct lw_signature *lw_signature_of(uint32_t op);
/* NULL, or why an opcode is refused: `topic` names what it belongs to. */
const char *lw_refusal_of(uint32_t op, const char **topic);

#endif
