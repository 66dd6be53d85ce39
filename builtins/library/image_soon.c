/* SPDX-License-Identifier: MIT */
/* The bodies of image.c with their loops written out where they are compiled, for first code: it unrolls
 * nothing, and its arrays would be memory. The code that stays gets the loops, and unrolls them itself: what
 * LLVM makes of them here (a freeze of each word) costs it a quarter of its speed. */
#define EACH(k, count) _Pragma("clang loop unroll(full)") for (int k = 0; k < (count); k++)
#define CORNERS(dims) 8 /* a known number */
#define BODY(name) lw_image_soon_##name
#include "image.c"
