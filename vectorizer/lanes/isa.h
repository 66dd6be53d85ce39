/* SPDX-License-Identifier: MIT */
/* What an instruction set has, by isa.def. */
#ifndef LW_VECTORIZER_ISA_H
#define LW_VECTORIZER_ISA_H

#include <lanewise/lanewise.h>
#include <limits.h>
#include <stdbool.h>

struct lw_isa_row {
    const char *text, *processor, *features;
    unsigned register_bits;
    bool mask_registers;
    /* of the narrowest elements */
    unsigned move_bits, gather_bits, scatter_bits, look_up_bits, compress_bits;
    bool dots, halves, computes_halves, unsigned_conversions;
};

static inline const struct lw_isa_row *
lw_isa_row(lw_isa isa)
{
    static const struct lw_isa_row rows[] = {
#define NONE UINT_MAX
#define ISA(name, ...) [LW_ISA_##name] = {__VA_ARGS__},
#include "isa.def"
#undef ISA
#undef NONE
    };
    return &rows[isa == LW_ISA_AUTO ? LW_ISA_SSE42 : isa];
}

#endif
