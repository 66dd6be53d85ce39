/* SPDX-License-Identifier: MIT */
/* Loads at places that data chooses, of all sizes: by signed and unsigned indices of 32 and 64 bits, by pointers
 * of each lane's own; of all lanes, and of some, whose others have indices that lead nowhere. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ALL(type, index)                                                                                     \
    kernel void all_##type##_##index(global type *out, global const type *from, global const index *at)      \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        out[i] = (from + 64)[at[i]];                                                                         \
    }
#define SOME(type, index)                                                                                    \
    kernel void some_##type##_##index(global type *out, global const type *from, global const index *at)     \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        index k = at[i];                                                                                     \
        out[i] = k < 1000 ? (from + 64)[k] : (type)7;                                                        \
    }
#define EACH(index)                                                                                          \
    ALL(uchar, index)                                                                                        \
    ALL(short, index)                                                                                        \
    ALL(int, index)                                                                                          \
    ALL(float, index)                                                                                        \
    ALL(long, index)                                                                                         \
    ALL(double, index)                                                                                       \
    ALL(float2, index)                                                                                       \
    ALL(short4, index)                                                                                       \
    SOME(uchar, index)                                                                                       \
    SOME(int, index)                                                                                         \
    SOME(float, index)                                                                                       \
    SOME(double, index)
EACH(int)
EACH(uint)
EACH(long)
EACH(ulong)

/* From link to link, and back to what the pointer was computed of. */
kernel void
links(global int *out, global const int *from, global const int *at)
{
    size_t i = get_global_id(0);
    global const int *p = from + 64 + at[i];
    for (int k = 0; k < 3; k++)
        p = from + 64 + (*p & 255);
    out[i] = *p + (int)(p - from);
}

/* Indices whose upper bits are known to be zero, and their sums with one, and again where lanes part. */
kernel void
few_bits(global int *out, global const int *from, global const uint *at)
{
    size_t i = get_global_id(0);
    uint k = (at[i] & 511) + 7;
    int x = from[k];
    if (x & 1)
        x += ((global const long *)from)[k] >> 32;
    out[i] = x;
}
