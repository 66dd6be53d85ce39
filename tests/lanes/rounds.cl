/* SPDX-License-Identifier: MIT */
/* The loop of rows goes round while all lanes do, by code of its own, and must forget then which lanes left it. */
#define ITEM ((uint)get_global_linear_id())

kernel void
label_rows(global uint *out, global const uint *in)
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
    out[1024 + ITEM] += ((uint)l << 4) + (uint)e;
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
