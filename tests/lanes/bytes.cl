/* SPDX-License-Identifier: MIT */
/* Bytes that are widened to 16 bits, changed and narrowed again: see test_bytes.py. */
#define KERNEL(name, expression)                                                                      \
    kernel void name(uint width, global const uchar *in, global const uchar *other, global uchar *out)\
    {                                                                                                 \
        size_t i = get_global_id(0);                                                                  \
        global const uchar *p = in + i + 2, *q = p + width;                                           \
        uchar r = other[i];                                                                           \
        out[i] = (uchar)(expression);                                                                 \
    }

/* Side by side: pairs, a pair and one, two pairs, five in a row. */
KERNEL(two, (p[0] * 3u + p[1] * 5u + 4) / 8)
KERNEL(three, (p[-1] + 2u * p[0] + p[1] + 2) / 4)
KERNEL(four, (p[-1] * 7u + p[0] * 57u + p[1] * 57u + p[2] * 7u + 64) / 128)
KERNEL(five, (p[-2] + 4u * p[-1] + 6u * p[0] + 4u * p[1] + p[2] + 8) / 16)
KERNEL(rows, (p[-1] + 2u * p[0] + p[1] + 2u * q[-1] + 4u * q[0] + 2u * q[1] + r * 4u + 8) / 16)
/* One apart, backwards, the same byte twice. */
KERNEL(apart, (p[-2] * 3u + p[0] * 9u + p[2] * 4u) / 16)
KERNEL(again, (ushort)(p[0] + p[1] + p[0] * 11u + r) >> 4)
/* Differences; what falls below zero wraps. */
KERNEL(edge, (short)(p[1] - p[-1] + 2 * (q[1] - q[-1])) >> 3)
KERNEL(sharper, (short)(p[0] * 5 - p[-1] - p[1] - q[0] - r) >> 1)
/* As much as pmaddubsw can, and more than that. */
KERNEL(most, (ushort)(p[0] * 127u + p[1]) >> 8)
KERNEL(more, (ushort)(p[0] * 127u + p[1] * 2u) >> 8)
KERNEL(much, (ushort)(p[0] * 255u + p[1] * 200u + r * 300u) >> 8)
KERNEL(least, (ushort)(p[0] * -128 + p[1] * -1) >> 7)
/* Averages of two, and what is none. */
KERNEL(average, (p[0] + q[0] + 1) >> 1)
KERNEL(averages, (((p[0] + p[1] + 1) >> 1) + ((q[0] + r + 1) >> 1) + 1) >> 1)
KERNEL(lower, (p[0] + q[0]) >> 1)
KERNEL(higher, (p[0] + q[0] + 2) >> 1)
KERNEL(quarter, (p[0] + q[0] + 1) >> 2)
KERNEL(of_three, (ushort)(p[0] + q[0] + r + 1) >> 1)
KERNEL(in_sum, (((p[0] + q[0] + 1) >> 1) * 3u + p[1]) >> 2)
/* Not only sums. */
KERNEL(blended, (ushort)(p[0] * r + q[0] * (255 - r) + 128) >> 8)
KERNEL(clamped, min((ushort)(p[0] + p[1] + r), (ushort)255))
KERNEL(distance, abs_diff((ushort)(p[0] * 2), (ushort)(p[1] + r)) >> 1)
KERNEL(uniform, (ushort)(p[0] * (ushort)(width + 3) + p[1]) >> 3)
KERNEL(twice, (((p[0] + p[1] + r) & 0x1ff) * 3u + ((p[0] + p[1] + r) >> 2)) >> 3)

/* Memory changes between two loads: the byte behind is another one. One sub-group to a work-group. */
__attribute__((intel_reqd_sub_group_size(64))) kernel void
changes(uint width, global uchar *in, global const uchar *other, global uchar *out)
{
    size_t i = get_global_id(0);
    uchar a = in[i];

    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    in[i] = (uchar)(a + width);
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    uchar b = in[i + 1];
    out[i] = (uchar)((a * 2u + b * 6u + other[i] + 4) / 8);
}
