/* SPDX-License-Identifier: MIT */
/* OpenCL.std operations: resolves the `lw.cl.NAME.T` calls of a scalar module by the table builtins.def. */
#ifndef LW_BUILTINS_H
#define LW_BUILTINS_H

#include <llvm-c/Core.h>
#include <lanewise/lanewise.h>

/* Replaces each call of lw.cl.* in `module` by an LLVM instruction or intrinsic, or links the bitcode slice
 * that defines it (internal, alwaysinline, retargeted to the module's triple and data layout). After it, no
 * lw.cl.* declaration is left. `isa`: rows may differ per level (fma without FMA hardware, half without
 * F16C). Thread safe. */
bool lw_builtins_resolve(LLVMModuleRef module, lw_isa isa, lw_error *error);

/* Before it, for AVX-512: x / sqrt(y) of floats becomes x * rsqrt(y) (roots.c). Only where divisions need not
 * be correctly rounded. Thread safe. */
void lw_builtins_invert_roots(LLVMModuleRef module);

#endif
