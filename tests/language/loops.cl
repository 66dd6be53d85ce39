/* SPDX-License-Identifier: MIT */
/* Counted loops over private arrays inside of others that are left first: written out from the inside, the outer one
 * would lead into code of which nothing dominates it. */
#include "language.h"

/* By labels, the way out first, and behind it a jump back to before the count, to the head, or into the body. */
#define LABELS(NAME, AGAIN)                                                                                        \
    kernel void NAME(global uint *out, global const uint *in, uint n, local uint *shared)                          \
    {                                                                                                              \
        uint i = 0u, s = in[ITEM], t[8], r = 0u;                                                                   \
        for (uint k = 0u; k < 8u; k++)                                                                             \
            t[k] = k * s;                                                                                          \
    Before:                                                                                                        \
        i = 0u;                                                                                                    \
    Head:                                                                                                          \
        if (i == 8u)                                                                                                \
            goto Out;                                                                                              \
        t[i] += s;                                                                                                 \
    Body:                                                                                                          \
        s = s * 5u + t[(i + 1u) & 7u];                                                                             \
        i++;                                                                                                       \
        goto Head;                                                                                                 \
    Out:                                                                                                           \
        r++;                                                                                                       \
        if (r > 6u)                                                                                                \
            goto End;                                                                                              \
        AGAIN;                                                                                                     \
    End:                                                                                                           \
        out[ITEM] = s ^ t[3] ^ t[7] ^ r;                                                                           \
    }
LABELS(label_all, if (r < n) goto Before)
LABELS(label_some, if (s & 3u) goto Before)
LABELS(label_head, if (s & 3u) { i = r; goto Head; })
LABELS(label_head_all, if (r < n) { i = r; goto Head; })
LABELS(label_body, if (s & 3u) { i = s & 3u; goto Body; })
LABELS(label_body_all, if (r < n) { i = r & 3u; goto Body; })
LABELS(label_two, if (s & 3u) { i = 5u; goto Head; } if (s & 8u) goto Before)
LABELS(label_both, if (s & 3u) { i = 6u; goto Body; } if (r < n) goto Before)
LABELS(label_cases, switch (s & 3u) { case 0u: i = 2u; goto Head; case 1u: i = 4u; goto Body; case 2u: goto Before; default: goto End; })

/* A loop that all lanes go through in step, left by two ways, in one that lanes leave one by one. */
kernel void loop_two_ways_out(global uint *out, global const uint *in, uint n)
{
    uint a = in[ITEM & 4095u], b = a >> 5;
    for (uint k = 0u; k < (a & 7u) + 1u; k++) {
        global const uchar *p = (global const uchar *)in + 16u;
        uint left = (n & 7u) + 1u;
        while (left--) {
            if ((*p & 1u) != 0u) {
                p += 2;
                continue;
            }
            a += (uint)*p--;
        }
        for (uint k = 0u; k < 3u; k++)
            b += in[(ITEM + k) & 4095u];
    }
    out[ITEM] = a + 3u * b;
}

/* Elements in a row, by a pointer, until one of them or their number ends it. */
kernel void loop_until_either(global uint *out, global const uint *in, uint n)
{
    uint a = n, b = in[ITEM & 4095u];
    global const uint *p = in + (b & 2047u), *end = p + 12u;
    do {
        a += *p;
        p += 1;
    } while (p < end && (*p & 3u) != 0u);
    p = in + (b >> 5 & 2047u), end = p + (n & 31u);
    do
        a = a * 3u + *p++;
    while (p < end && (*p & 7u) != 1u);
    out[ITEM] = a;
}

/* As loop_two_ways_out, where what comes by either way is the same in all lanes. */
kernel void loop_two_ways_out_alike(global uint *out, global const uint *in, uint n)
{
    uint a = ITEM * 3u, b = in[ITEM & 4095u];
    for (uint k = 0u; k < (ITEM & 3u) + 2u; k++) {
        global const uchar *p = (global const uchar *)in + 16u + (n & 8191u);
        uint left = (n & 7u) + 1u;
        while (left--) {
            if ((*p & 1u) != 0u) {
                p += 2;
                continue;
            }
            a += (uint)*p--;
        }
        b = b * 5u + k;
    }
    out[ITEM] = a + b;
}
