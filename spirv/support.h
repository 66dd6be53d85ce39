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

/* Reads, writes, reserves or asks about a pipe. */
bool lw_is_pipe_op(uint32_t op);
/* A conversion or cast, as of a pointer, from or to a queue, an event of the device or a reservation. */
bool lw_casts_handle(const lw_module *m, const struct lw_inst *inst);
/* A module-scope variable with a BuiltIn decoration: Input, or global or constant memory in DPC++'s modules.
 */
bool lw_is_builtin_variable(const lw_module *m, uint32_t id);

uint32_t lw_op_flags(uint32_t op); /* of enum lw_op_flag */

/* Functions that clang-22 leaves as imports: imported_builtins.def, and every convert_*
 * (lw_import_conversion). */
enum lw_import_kind {
    LW_IMPORT_ATOMIC, /* old value = op on (pointer[, value]); cmpxchg (pointer, comparator, value) */
    LW_IMPORT_ATOMIC_EXPLICIT, /* (pointer, value, memory_order, memory_scope) */
    LW_IMPORT_TO_SPACE,  /* generic pointer -> pointer of storage class `op`, NULL where it is of another */
    LW_IMPORT_GET_FENCE, /* generic pointer -> cl_mem_fence_flags */
    LW_IMPORT_FENCE,     /* (flags) */
    LW_IMPORT_SUB_GROUP_BARRIER, /* (flags[, scope]) */
    LW_IMPORT_DOT,               /* of four packed bytes each: (a, b[, accumulator]) */
    LW_IMPORT_DOT_SWAPPED,       /* the same with the signed operand second */
    LW_IMPORT_INTEL_SHUFFLE,     /* the operands of `op` */
    LW_IMPORT_INTEL_BLOCK,       /* the operands of `op`: (pointer[, value]) */
    LW_IMPORT_IMAGE,       /* (image, coordinate), (image, sampler, coordinate), (image, coordinate, texel) */
    LW_IMPORT_IMAGE_QUERY, /* (image): a CLK_ constant */
    LW_IMPORT_GROUP,       /* see lw_import_group */
    LW_IMPORT_BLOCK,       /* a query of a block: ([ndrange,] function, literal) */
    LW_IMPORT_NULL_HANDLE, /* (int) -> the null of the type `op` */
    LW_IMPORT_CONVERT      /* see lw_import_conversion */
};

struct lw_imported_builtin {
    const char *name;     /* unmangled: "atomic_inc" */
    enum lw_import_kind kind;
    uint32_t op;          /* the SPIR-V instruction that it stands for; TO_SPACE: the storage class */
    uint32_t alternative; /* the same for unsigned operands, or `op` again */
};

/* The row for a name ("_Z10atomic_incPU3AS1Vi"), NULL where unknown. */
const struct lw_imported_builtin *lw_find_imported_builtin(const char *mangled);
/* The same for the function that an OpFunctionCall calls; NULL: it is no import, or no call. */
const struct lw_imported_builtin *lw_called_import(const lw_module *m, const struct lw_inst *inst);
/* Is the row one of an atomic? NULL: no. */
bool lw_import_is_atomic(const struct lw_imported_builtin *row);
/* The instruction on floating-point operands that an imported atomic is, 0: there is none. */
uint32_t lw_import_float_op(uint32_t op);
/* Whether the pointee of an imported atomic is an unsigned integer. */
bool lw_import_is_unsigned(const char *mangled);

/* convert_<type>[<n>][_sat][_rte|_rtz|_rtp|_rtn](<source>) */
struct lw_import_conversion {
    char from, to;          /* 'f' floating, 's' signed, 'u' unsigned */
    uint32_t to_width;
    uint32_t lanes;
    bool saturated;
    int rounding;           /* SpvFPRoundingMode, -1 where not given */
};
bool lw_import_conversion(const char *mangled, struct lw_import_conversion *out);

/* imported_groups.c: a reduction, scan, vote or broadcast (of numbers, not of booleans: logical operations
 * and votes take and give ints). */
struct lw_import_group {
    uint32_t op;        /* SpvOpGroup*, of work-groups and sub-groups alike */
    uint32_t scope;     /* SpvScopeWorkgroup or SpvScopeSubgroup */
    uint32_t operation; /* SpvGroupOperation of reductions and scans */
};
bool lw_import_group(const char *mangled, struct lw_import_group *out);

/* Length of the plain name of an Itanium-mangled function, or of a name that is not mangled, and its start;
 * `parameters` is what follows it. */
uint32_t lw_unmangle(const char *mangled, const char **name, const char **parameters);

struct lw_mangled_type {
    char kind;      /* 'f' floating, 's' signed, 'u' unsigned; 0: no number, and the rest of it is not read */
    uint8_t width;  /* of a component, in bits */
    uint32_t lanes; /* 1: no vector */
    bool points;    /* all this of the pointee */
};
/* Reads the first of mangled parameters, "f", "Dv4_h", "PU3AS1VKDv2_Dh"; returns what is behind it. */
const char *lw_unmangle_type(const char *parameters, struct lw_mangled_type *out);

#endif
