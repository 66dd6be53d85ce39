/* SPDX-License-Identifier: MIT */
/* What LLVM's SPIR-V back end may write; without an extension it ends where a function needs it. */
#ifndef LW_PRODUCER_SPIRV_OPTIONS_H
#define LW_PRODUCER_SPIRV_OPTIONS_H

#define LW_SPIRV_EXTENSIONS                                                                                  \
    "--spirv-ext=+SPV_EXT_relaxed_printf_string_address_space,+SPV_KHR_bit_instructions,"                    \
    "+SPV_KHR_subgroup_rotate,+SPV_KHR_uniform_group_instructions,+SPV_KHR_integer_dot_product,"             \
    "+SPV_KHR_expect_assume,"                                                                                \
    "+SPV_KHR_linkonce_odr,+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float16_add,"             \
    "+SPV_EXT_shader_atomic_float_min_max,+SPV_INTEL_subgroups"

#endif
