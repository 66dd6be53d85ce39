/* SPDX-License-Identifier: MIT */
/* How numbers are encoded, in SPIR-V's debug information and in DWARF's. */
#ifndef LW_SPIRV_DEBUG_ENCODING_H
#define LW_SPIRV_DEBUG_ENCODING_H

#include <stdint.h>

#include <spirv/unified1/OpenCLDebugInfo100.h>

#define LW_ENCODED_POINTER 256u /* else as DebugTypeBasic has it */

/* DWARF's DW_ATE_ of what DebugTypeBasic has. */
static inline unsigned
lw_dwarf_encoding(uint32_t encoding)
{
    enum { BOOLEAN = 2, FLOAT = 4, SIGNED = 5, UNSIGNED = 7 };

    switch (encoding) {
    case OpenCLDebugInfo100Boolean:
        return BOOLEAN;
    case OpenCLDebugInfo100Float:
        return FLOAT;
    case OpenCLDebugInfo100Unsigned:
    case OpenCLDebugInfo100UnsignedChar:
        return UNSIGNED;
    default:
        return SIGNED;
    }
}

#endif
