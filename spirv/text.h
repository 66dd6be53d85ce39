/* SPDX-License-Identifier: MIT */
/* SPIR-V text and SPIRV-Tools' validator, for the tools only: the compiler never depends on either. */
#ifndef LW_SPIRV_TEXT_H
#define LW_SPIRV_TEXT_H

#include <lanewise/lanewise.h>

/* Assembles `.spvasm` text. `*words` is malloc'ed and the caller's. The error names line and column. */
bool lw_text_assemble(const char *text, size_t size, uint32_t **words, size_t *count, lw_error *error);
/* Runs the validator for OpenCL, of the version in the module's header. It also rejects some modules that
 * compilers emit and Lanewise runs; its verdict is the user's to judge. Either endianness. */
bool lw_text_validate(const uint32_t *words, size_t count, lw_error *error);
/* The module as text, each instruction on a line that ends in its byte offset ("; 0x000000d4"); NULL where
 * SPIRV-Tools cannot read it. malloc'ed. */
char *lw_text_disassemble(const uint32_t *words, size_t count);

#endif
