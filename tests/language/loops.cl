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

/* The loop of rows goes round while all lanes do, by code of its own, and must forget then which lanes left it. */
kernel void label_rows(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint x = in[ITEM], a = x, b = x >> 3, c = ITEM, d = 1u, t[8];
    uint fuel = 6u + (x & 3u), i0 = x & 3u, i1, i2 = 0u;
    short s = (short)x;
    uchar e = (uchar)(x >> 5);
    ulong l = (ulong)x * 0x100000001ul;
    uint *q = &t[x & 7u];
    for (uint k = 0u; k < 8u; k++)
        t[k] = x * k;
Again:
    i1 = 0u;
Row:
    if (i1 < 2u) {
        t[(i1 + 4u) & 7u] = (uint)s + (uint)(l >> 29);
        i1++;
        goto Row;
    }
    if ((uint)l > d && fuel > 0u) {
        fuel--;
        goto Row;
    }
Round:
    a = b > c ? (uint)s : 2u;
    out[1024u + ITEM] += ((uint)l << 4) + (uint)e;
    e = (uchar)(c - (uint)e);
    i2++;
    if (i2 < 5u)
        goto Round;
    i0++;
    if (i0 < 2u)
        goto Again;
    if ((x & 31u) < 29u && fuel > 0u) {
        fuel--;
        goto Again;
    }
    out[ITEM] = a + *q;
}
