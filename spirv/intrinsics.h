/* SPDX-License-Identifier: MIT */
/* The declared functions through which scalar kernel IR speaks to the vectorizer.
 *
 * spirv/ emits calls of them, vectorizer/ removes every one. All are `nounwind`; T stands for the type suffix
 * (below), which keeps overloads apart.
 *
 * Work-item functions, `i64 name(i32 dim)` with a constant dim 0..2 (the emitter resolves out-of-range and
 * variable dims), memory(none), speculatable, with the shape's `range` attached:
 *   lw.global_id lw.global_size lw.global_offset lw.local_id lw.local_size lw.enqueued_local_size
 *   lw.group_id lw.num_groups
 * and `i64 name()`:
 *   lw.work_dim lw.global_linear_id lw.local_linear_id lw.sub_group_size lw.max_sub_group_size
 *   lw.num_sub_groups lw.enqueued_num_sub_groups lw.sub_group_id lw.sub_group_local_id
 * Memory: `ptr addrspace(3) lw.local_base()`: the work-group's module-scope local memory (layout by
 * reflect.h).
 *
 *         `ptr addrspace(1) lw.program_base()`: the program's variables (module.h: program_variables).
 *         `i32 lw.space_of(ptr addrspace(4))`: enum lw_address_space of what a generic pointer points to.
 *
 * Barriers, `convergent noduplicate nomerge`, clobber all memory:
 *   void lw.wg.barrier()      void lw.sg.barrier()
 *
 * Collectives, `convergent noduplicate nomerge`, over the active lanes; OP is lw_group_op's name:
 *   T  lw.sg.reduce.OP.T(T)   lw.sg.scan_inclusive.OP.T(T)   lw.sg.scan_exclusive.OP.T(T)
 *   T  lw.sg.clustered.OP.T(T, i32 constant size)
 *   i1 lw.sg.all(i1)  lw.sg.any(i1)  lw.sg.all_equal.T(T)  lw.sg.elect()
 *   T  lw.sg.broadcast.T(T, i32 lane)           uniform lane (the result is undefined otherwise)
 *   T  lw.sg.broadcast_first.T(T)
 *   T  lw.sg.shuffle.T(T, i32 lane)             varying lane
 *   T  lw.sg.shuffle_xor.T(T, i32 mask)  lw.sg.shuffle_up.T(T, i32 d)  lw.sg.shuffle_down.T(T, i32 d)
 *   T  lw.sg.rotate.T(T, i32 d)  lw.sg.rotate_clustered.T(T, i32 d, i32 constant size)
 *   i64 lw.sg.ballot(i1)                        bit L is lane L's predicate; the emitter makes the <4 x i32>
 *   T  lw.wg.reduce.OP.T(T)  lw.wg.scan_inclusive.OP.T(T)  lw.wg.scan_exclusive.OP.T(T)
 *   i1 lw.wg.all(i1)  lw.wg.any(i1)
 *   T  lw.wg.broadcast.T(T, i64 linear local id)
 *
 * printf: `i32 lw.printf.N(ptr addrspace(2) types, i64 format, i64...)`, N words behind the types, which are
 * lw_print_function's (src/compiler.h); -1 where it failed, else 0.
 *
 * Services of the runtime: `i64 lw.service.N(i32 constant service, i64...)`, N words behind the service's
 * number, which is one of enum lw_service (pipe.h); any memory.
 *
 * Dot products of four bytes packed in each operand, memory(none), speculatable, s and u being their
 * signedness: i32 lw.dot4x8.ss(i32, i32)   lw.dot4x8.su(i32, i32)   lw.dot4x8.uu(i32, i32)
 *
 * OpenCL.std: `lw.cl.NAME.T(...)`, T the (scalar) type of the first operand that is not a pointer and NAME
 * the instruction's name in the grammar (`exp`, `s_max`, `native_sin`); vectors are split by the emitter
 * except where the operation is not elementwise, which the emitter expands itself (dot, cross, length,
 * normalize, shuffle, vloadn, ...). builtins/ resolves them before vectorizing. Type suffixes: i1 i8 i16 i32
 * i64 f16 f32 f64, vectors v4f32. Pointer results by out-parameters (fract, modf, sincos, frexp, lgamma_r,
 * remquo): the emitter allocas a private temporary and stores it on.
 */
#ifndef LW_SPIRV_INTRINSICS_H
#define LW_SPIRV_INTRINSICS_H

/* What a debugger is to be told of: rows of name, encoding, line and whether its value is known. The column
 * of a volatile store's debug location is a row of it, from 1 on. */
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

/* LLVM address spaces = OpenCL storage classes. */
enum lw_address_space {
    LW_AS_PRIVATE = 0,  /* Function */
    LW_AS_GLOBAL = 1,   /* CrossWorkgroup */
    LW_AS_CONSTANT = 2, /* UniformConstant */
    LW_AS_LOCAL = 3,    /* Workgroup */
    LW_AS_GENERIC = 4
};
#endif
