/* SPDX-License-Identifier: MIT */
/* Instructions of AVX-512 that LLVM has no operations for, on all lanes.
 *
 * The bodies of builtins/ call their scalar forms, which work on lane 0 of a register of 128 bits: valid and
 * right where a value is uniform. Here they become the forms for whole registers.
 *
 * Enters: the name of a scalar form and vectors of any number of lanes. Leaves: the same of every lane.
 * Relies on: the target having the instructions, which is why builtins/ called them.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"

struct native {
    const char *scalar, *vector; /* the latter ends in the register's bits */
    unsigned operands;           /* of the vector form */
    unsigned immediate;          /* which operand of the scalar form it is; 0: there is none */
    /* With a mask; the same, and of 512 bits with a rounding mode, which MXCSR has; of 512 bits alone, the
     * immediate being the rounding mode. */
    enum { MASKED, ROUNDED_IF_WIDE, ROUNDED } form;
    unsigned bits; /* of an element */
};

static const struct native natives[] = {
    {"llvm.x86.avx512.mask.add.ss.round", "llvm.x86.avx512.add.ps.", 2, 4, ROUNDED, 32},
    {"llvm.x86.avx512.rcp14.ss", "llvm.x86.avx512.rcp14.ps.", 1, 0, MASKED, 32},
    {"llvm.x86.avx512.rsqrt14.ss", "llvm.x86.avx512.rsqrt14.ps.", 1, 0, MASKED, 32},
    {"llvm.x86.avx512.mask.scalef.ss", "llvm.x86.avx512.mask.scalef.ps.", 2, 0, ROUNDED_IF_WIDE, 32},
    {"llvm.x86.avx512.mask.getexp.ss", "llvm.x86.avx512.mask.getexp.ps.", 1, 0, ROUNDED_IF_WIDE, 32},
    {"llvm.x86.avx512.mask.getmant.ss", "llvm.x86.avx512.mask.getmant.ps.", 1, 2, ROUNDED_IF_WIDE, 32},
    {"llvm.x86.avx512.rcp14.sd", "llvm.x86.avx512.rcp14.pd.", 1, 0, MASKED, 64},
    {"llvm.x86.avx512.rsqrt14.sd", "llvm.x86.avx512.rsqrt14.pd.", 1, 0, MASKED, 64},
    {"llvm.x86.avx512.mask.scalef.sd", "llvm.x86.avx512.mask.scalef.pd.", 2, 0, ROUNDED_IF_WIDE, 64},
    {"llvm.x86.avx512.mask.getexp.sd", "llvm.x86.avx512.mask.getexp.pd.", 1, 0, ROUNDED_IF_WIDE, 64},
    {"llvm.x86.avx512.mask.getmant.sd", "llvm.x86.avx512.mask.getmant.pd.", 1, 2, ROUNDED_IF_WIDE, 64},
};

static const struct native *
find(const char *name)
{
    for (size_t k = 0; k < sizeof natives / sizeof *natives; k++)
        if (!strcmp(name, natives[k].scalar))
            return &natives[k];
    return NULL;
}

bool
lane_is_native(const char *name)
{
    return find(name) != NULL;
}

/* Operands of a register each. */
static V
native_register(lw_lanes *l, const struct native *row, V a, V b, V immediate)
{
    char name[64];
    unsigned width = lw_lane_count(a), count = 0, mask_bits = width < 8 ? 8 : width;
    V args[6];

    snprintf(name, sizeof name, "%s%u", row->vector, row->bits * width);
    args[count++] = a;
    if (row->operands == 2)
        args[count++] = b;
    if (row->immediate)
        args[count++] = immediate;
    if (row->form != ROUNDED) {
        args[count++] = LLVMConstNull(LLVMTypeOf(a));
        args[count++] = lane_int(l, mask_bits, -1);
    }
    if (row->form == ROUNDED_IF_WIDE && row->bits * width == 512)
        args[count++] = lane_int(l, 32, 4); /* as MXCSR says */
    return lw_lane_call(l, name, NULL, 0, args, count);
}

V
lane_native(lw_lanes *l, const char *name, V scalar, V a, V b)
{
    const struct native *row = find(name);
    unsigned most = 512 / row->bits, width = l->n < most && row->form != ROUNDED ? l->n : most;
    V parts[8], immediate = row->immediate ? LLVMGetOperand(scalar, row->immediate) : NULL;

    if (row->operands == 1)
        a = b;
    for (unsigned p = 0; p * width < l->n; p++)
        parts[p] = native_register(l, row, lw_lane_part(l, a, p * width, width),
                                   lw_lane_part(l, b, p * width, width), immediate);
    return l->n < width ? lw_lane_part(l, parts[0], 0, l->n) : lw_lane_concat(l, parts, l->n / width);
}
