/* SPDX-License-Identifier: MIT */
/* What a device promises of the modules that it takes: SPIR-V capabilities, extensions, instruction sets. */
#ifndef LW_SPIRV_PROMISES_H
#define LW_SPIRV_PROMISES_H

#include <stddef.h>
#include <stdint.h>

const uint32_t *lw_promised_capabilities(size_t *count);
const char *const *lw_promised_extensions(size_t *count);
const char *const *lw_promised_instruction_sets(size_t *count);

#endif
