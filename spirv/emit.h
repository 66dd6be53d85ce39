/* SPDX-License-Identifier: MIT */
/* SPIR-V kernel -> scalar LLVM IR of one work-item among many (see DESIGN "spirv/" for the four rules).
 *
 * Leaves a module with:
 *  - `void @lw.kernel(...)`, external, one parameter per kernel argument: scalars and vectors by value,
 * pointers in their LLVM address space (intrinsics.h), by-value structs as `ptr addrspace(2)` to the bytes in
 * the argument buffer (the body copies them to an alloca);
 *  - the functions it calls, `internal alwaysinline`;
 *  - constant data as private constant globals in addrspace(2);
 *  - declarations of lw.* functions (intrinsics.def), and LLVM intrinsics.
 * No noalias anywhere. Debug locations on every instruction: line = OpLine's, or, without OpLine, the SPIR-V
 * word offset with the file named "<spirv>". Memory accesses carry the alignment that the module promises, or
 * the element's natural one.
 */
#ifndef LW_SPIRV_EMIT_H
#define LW_SPIRV_EMIT_H

#include <llvm-c/Core.h>
#include "image.h"
#include "reflect.h"

/* Facts known before emission, attached as `range` and constants (0: unknown). */
struct lw_emit_facts {
    uint32_t work_dim;
    uint32_t local_size[3];   /* all or none */
    uint32_t sub_group_size;  /* N, never 0 */
    bool offset_zero;
    bool index31;             /* global ids and sizes below 2^31 - 2^16 */
    unsigned lanes_dimension; /* the facts', and the code's, dimension 0; what it has in its place is 0 */
    bool stretched;           /* a grid-stride loop (reflect.h) ends after one round */
    bool variables;           /* those of the source are kept in memory for a debugger */
    bool soon;                /* the code is for a first run: short rather than fast */
    unsigned fast_math;       /* LLVMFastMathFlags of every floating-point operation of the kernel's own */
    unsigned heads;           /* so many bytes from each buffer argument on may be read */
    uint64_t known;           /* arguments, a bit each, that are integers of known values */
    const uint64_t *values;   /* theirs, in their order */
    uint16_t images[LW_SHAPE_IMAGES]; /* LW_FACT_* of its images and samplers, in their order */
};

/* NULL and `error` on failure (a defect of the check or lack of memory). `context` stays the caller's. */
LLVMModuleRef lw_emit_kernel(LLVMContextRef context, const lw_module *module,
                             const struct lw_kernel_desc *kernel, const struct lw_emit_facts *facts,
                             lw_error *error);

#endif
