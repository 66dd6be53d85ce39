/* SPDX-License-Identifier: MIT */
/* Switches of which several cases lead to one block: llvm-spirv-15 names the block of such a switch once for each
 * of them in a phi. In a file of its own, and on numbers from memory, so that it takes this at -O2. */
#include "language.h"

kernel void cases_shared(global uint *out, global const uint *in, uint n)
{
    uint r;
    switch (in[ITEM]) {
    case 0:
    case 15:
    case 35:
    case 50: r = 1; break;
    case 5: r = in[ITEM] * 5 + n; break;
    case 20:
    case 25: r = n ^ 77; break;
    default: r = 9; break;
    }
    out[ITEM] = r;
}

/* In a loop, and with two phis. */
kernel void cases_in_loop(global uint *out, global const uint *in, uint n)
{
    uint s = n;
    for (uint k = 0; k < 5; k++) {
        uint x = in[(ITEM + k) % 40 * 5], a, b; /* 0, 5, ... 195 */
        switch (x) {
        case 5:
        case 10:
        case 30: a = 3, b = s; break;
        case 20:
        case 25:
        case 60: a = 7, b = x; break;
        case 40: a = s * 3, b = 5; break;
        default: a = 3, b = x; break;
        }
        s = s * a + b;
    }
    out[ITEM] = s;
}
