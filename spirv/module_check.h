/* SPDX-License-Identifier: MIT */
/* The complete check: after it, compiling a kernel fails only for lack of resources. */
#ifndef LW_SPIRV_MODULE_CHECK_H
#define LW_SPIRV_MODULE_CHECK_H

#include "module.h"

/* Module level: what no kernel could survive (memory model, undefined ids, broken types). */
bool lw_module_check(const lw_module *module, lw_error *error);

/* One kernel and every function it can reach: operands typed as SPIR-V demands, blocks dominated and phis
 * complete, no recursion, a limit on what is compiled (LW_MAX_WRITTEN instructions), every opcode, extended
 * instruction, storage class and capability-dependent feature supported. LW_BAD_MODULE or LW_UNSUPPORTED with
 * the construct named ("OpImageRead (images) at word 1234 in kernel blur: images come with a later version").
 */
bool lw_kernel_check(const lw_module *module, uint32_t entry_point, lw_error *error);

/* Instructions of the kernel and the functions that it reaches: each once, but where they have to be inlined
 * (check_calls.c). */
#define LW_MAX_WRITTEN 1000000u

#endif
