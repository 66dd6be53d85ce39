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
    bool immediate;              /* operand 2 of the scalar form */
    bool rounds;                 /* the form for 512 bits has a rounding mode */
    unsigned bits;               /* of an element */
};

static const struct native natives[] = {
    {"llvm.x86.avx512.rcp14.ss", "llvm.x86.avx512.rcp14.ps.", 1, false, false, 32},
    {"llvm.x86.avx512.rsqrt14.ss", "llvm.x86.avx512.rsqrt14.ps.", 1, false, false, 32},
    {"llvm.x86.avx512.mask.scalef.ss", "llvm.x86.avx512.mask.scalef.ps.", 2, false, true, 32},
    {"llvm.x86.avx512.mask.getexp.ss", "llvm.x86.avx512.mask.getexp.ps.", 1, false, true, 32},
    {"llvm.x86.avx512.mask.getmant.ss", "llvm.x86.avx512.mask.getmant.ps.", 1, true, true, 32},
    {"llvm.x86.avx512.rcp14.sd", "llvm.x86.avx512.rcp14.pd.", 1, false, false, 64},
    {"llvm.x86.avx512.rsqrt14.sd", "llvm.x86.avx512.rsqrt14.pd.", 1, false, false, 64},
    {"llvm.x86.avx512.mask.scalef.sd", "llvm.x86.avx512.mask.scalef.pd.", 2, false, true, 64},
    {"llvm.x86.avx512.mask.getexp.sd", "llvm.x86.avx512.mask.getexp.pd.", 1, false, true, 64},
    {"llvm.x86.avx512.mask.getmant.sd", "llvm.x86.avx512.mask.getmant.pd.", 1, true, true, 64},
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

static V
native_register(lw_lanes *l, const struct native *row, V a, V b, V immediate, unsigned width)
{
    char name[64];
    unsigned count = 0, mask_bits = width < 8 ? 8 : width;
    V args[6];

    snprintf(name, sizeof name, "%s%u", row->vector, row->bits * width);
    args[count++] = a;
    if (row->operands == 2)
        args[count++] = b;
    if (row->immediate)
        args[count++] = immediate;
    args[count++] = LLVMConstNull(LLVMTypeOf(a));
    args[count++] = lane_int(l, mask_bits, -1);
    if (row->rounds && row->bits * width == 512)
        args[count++] = lane_int(l, 32, 4); /* as MXCSR says */
    return lw_lane_call(l, name, NULL, 0, args, count);
}

V
lane_native(lw_lanes *l, const char *name, V a, V b, V immediate)
{
    const struct native *row = find(name);
    unsigned most = 512 / row->bits, width = l->n < most ? l->n : most;
    V parts[8];

    if (row->operands == 1)
        a = b;
    for (unsigned p = 0; p < l->n / width; p++)
        parts[p] = native_register(l, row, lw_lane_part(l, a, p * width, width),
                                   lw_lane_part(l, b, p * width, width), immediate, width);
    return lw_lane_concat(l, parts, l->n / width);
}
