/* SPDX-License-Identifier: MIT */
/* The declared functions through which scalar kernel IR speaks to the vectorizer: intrinsics.def is the table
 * of them. Address spaces of both.
 *
 * spirv/ emits calls of them, vectorizer/ removes every one. All are `nounwind`, other attributes follow from
 * their effect; a type suffix keeps overloads apart: i1 i8 i16 i32 i64 f16 f32 f64, vectors v4f32.
 */
#ifndef LW_SPIRV_INTRINSICS_H
#define LW_SPIRV_INTRINSICS_H

/* What a debugger is to be told of: rows of name, encoding (debug_encoding.h), line, whether its value is
 * known, and of a pointer what it points to, if that is known. A name may be a part's: "v.x", "a[2].b". The
 * column of a volatile store's debug location is a row of it, from 1 on. */
#define LW_VARIABLES "lw.variables"

/* NAME, and the identity's description in one place: X(enum suffix, "name in IR") */
#define LW_GROUP_OPS(X)                                                                                      \
    X(IADD, "iadd")                                                                                          \
    X(FADD, "fadd") X(IMUL, "imul") X(FMUL, "fmul") X(SMIN, "smin") X(UMIN, "umin") X(FMIN, "fmin")          \
        X(SMAX, "smax") X(UMAX, "umax") X(FMAX, "fmax") X(AND, "and") X(OR, "or") X(XOR, "xor")              \
            X(LAND, "land") X(LOR, "lor") X(LXOR, "lxor")

enum lw_group_op {
#define X(e, n) LW_GROUP_##e,
    LW_GROUP_OPS(X)
#undef X
        LW_GROUP_OP_COUNT
};

/* "iadd" ... */
const char *lw_group_op_name(enum lw_group_op op);

/* The columns of intrinsics.def, which says what they mean. */
enum lw_call_effect { LW_DOES_NOTHING, LW_DOES_COMPUTES, LW_DOES_TELLS, LW_DOES_ORDERS, LW_DOES_RUNTIME };
enum lw_call_meets { LW_MEETS_ALONE, LW_MEETS_SUB_GROUP, LW_MEETS_WORK_GROUP };
enum lw_call_same {
    LW_SAME_OWN,
    LW_SAME_ITEM,
    LW_SAME_LANE,
    LW_SAME_OPERANDS,
    LW_SAME_SUB_GROUP,
    LW_SAME_GROUP
};
enum lw_call_id {
#define CALL(id, name, effect, meets, same, how) LW_CALL_##id,
#include "intrinsics.def"
#undef CALL
    LW_CALL_COUNT
};

struct lw_call_row {
    enum lw_call_id id;
    enum lw_call_effect effect;
    enum lw_call_meets meets;
    enum lw_call_same same;
    const char *name; /* behind "lw." */
};

/* The row of a function; NULL: none of the table. */
const struct lw_call_row *lw_find_call(const char *function);
/* Of one of the rows that have an operation behind their names; LW_GROUP_OP_COUNT: there is none. */
enum lw_group_op lw_group_op_of(const struct lw_call_row *row, const char *function);

/* LLVM address spaces = OpenCL storage classes. */
enum lw_address_space {
    LW_AS_PRIVATE = 0,  /* Function */
    LW_AS_GLOBAL = 1,   /* CrossWorkgroup */
    LW_AS_CONSTANT = 2, /* UniformConstant */
    LW_AS_LOCAL = 3,    /* Workgroup */
    LW_AS_GENERIC = 4
};
#endif
