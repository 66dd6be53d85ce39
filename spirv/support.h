/* SPDX-License-Identifier: MIT */
/* Facts about opcodes, and the imported built-in functions that the emitter resolves by name. */
#ifndef LW_SPIRV_SUPPORT_H
#define LW_SPIRV_SUPPORT_H

#include "module.h"

enum lw_op_flag {
    LW_OP_ATOMIC = 1,
    LW_OP_SUB_GROUP = 2,     /* a sub-group operation whatever its scope operand says */
    LW_OP_SCOPED_GROUP = 4   /* a collective over the scope in word 3: work-group or sub-group */
};

uint32_t lw_op_flags(uint32_t op); /* of enum lw_op_flag */

/* Functions that clang-22 leaves as imports with Itanium-mangled names: imported_builtins.def. */
enum lw_import_kind {
    LW_IMPORT_ATOMIC,  /* old value = atomic op on (pointer[, value[, comparator]]) */
    LW_IMPORT_TO_SPACE, /* generic pointer -> pointer of a space, NULL where it is of another */
    LW_IMPORT_CONVERT  /* conversion between scalars or vectors */
};

struct lw_imported_builtin {
    const char *name; /* unmangled: "atomic_inc" */
    enum lw_import_kind kind;
    uint32_t op;      /* the SPIR-V instruction that it stands for */
    uint32_t alternative; /* the same for unsigned operands, or `op` again */
};

/* The row for a mangled name ("_Z10atomic_incPU3AS1Vi"), NULL where unknown. */
const struct lw_imported_builtin *lw_find_imported_builtin(const char *mangled);
/* Length of the unmangled name inside of "_Z<n>name...", its start in `name`; 0 where it is no such name. */
uint32_t lw_unmangle(const char *mangled, const char **name);

#endif
