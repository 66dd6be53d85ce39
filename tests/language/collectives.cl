/* SPDX-License-Identifier: MIT */
/* Collectives in special places: loops, uniform ifs, after divergent flow, with retired work-items, vector types. */
#include "language.h"

int __attribute__((overloadable)) work_group_reduce_mul(int);
int __attribute__((overloadable)) work_group_scan_inclusive_mul(int);

kernel void coll_loop(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], sum = 0;
    for (uint k = 0; k < n % 7 + 2; k++) {
        sum += sub_group_reduce_add(x + k);
        sum ^= sub_group_scan_inclusive_max(x ^ k);
        x = x * 3 + sub_group_broadcast(x, k % get_sub_group_size());
    }
    out[ITEM] = sum + x;
}

kernel void coll_uniform_if(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = 0;
    if (n & 1)
        y = sub_group_reduce_add(x);
    else
        y = sub_group_scan_exclusive_add(x);
    if (get_sub_group_id() & 1)
        y += sub_group_reduce_max(x);
    if (in[3] > 5)
        y += work_group_reduce_add(x);
    if (get_group_id(0) & 1)
        y ^= work_group_scan_inclusive_add(x);
    out[ITEM] = y;
}

kernel void coll_after_divergent(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = x;
    if (x & 1)
        y = x * 7;
    else if (x & 2)
        for (uint k = 0; k < x % 13; k++) /* a power of two becomes i3 in clang-22 -O2, and its SPIR-V drops the mask */
            y = y * 5 + k;
    uint a = sub_group_reduce_add(y);
    for (uint k = 0; k < (x >> 8) % 7; k++)
        y ^= in[(ITEM + k) & 4095];
    uint b = sub_group_scan_inclusive_add(y);
    while (y > 100)
        y /= 3;
    out[ITEM] = a ^ b ^ sub_group_scan_exclusive_max(y) ^ work_group_reduce_add(y);
}

kernel void coll_retired(global uint *out, global const uint *in, uint n)
{
    uint i = ITEM;
    if (i >= n - 11)
        return;
    uint x = in[i];
    uint a = sub_group_reduce_add(x);
    uint b = sub_group_scan_exclusive_add(x);
    out[i] = a ^ b * 3;
}

kernel void coll_retired_group(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint i = ITEM;
    l[LID] = 0;
    if (i >= n - 11)
        return;
    uint x = in[i];
    uint a = work_group_reduce_add(x);
    uint b = work_group_scan_exclusive_add(x);
    l[LID] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a ^ b * 3 ^ l[LID / 2] ^ (uint)work_group_all(x > 5) ^ (uint)work_group_any(x == 5) << 3;
}

kernel void coll_retired_scattered(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint i = ITEM, x = in[i];
    if (x % 3 == 0)
        return;
    uint a = work_group_reduce_add(x);
    uint b = sub_group_scan_inclusive_add(x);
    for (uint k = 0; k < 3; k++) {
        if (k == 1 && x % 7 == 1) {
            out[i] = a;
            return;
        }
        a += work_group_scan_inclusive_max(x + k) + sub_group_reduce_min(x);
    }
    out[i] = a ^ b;
}

kernel void coll_row(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    uint a = sub_group_scan_inclusive_add(x), b = sub_group_scan_inclusive_add(a);
    uint c = work_group_scan_inclusive_add(b), d = work_group_scan_exclusive_add(c);
    out[ITEM * 2] = a ^ b;
    out[ITEM * 2 + 1] = c + d;
}

kernel void coll_barrier_loop(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM];
    for (uint k = 0; k < 4; k++) {
        l[LID] = x + sub_group_scan_exclusive_add(x);
        barrier(CLK_LOCAL_MEM_FENCE);
        x += l[(LID + 1) % (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))];
        x ^= work_group_reduce_add(x);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[ITEM] = x;
}

/* A result as the condition of a branch and of a loop. */
kernel void coll_condition(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] & 0xff, y = 0, guard = 0;
    while (sub_group_any(x > 3) && guard++ < 100)
        if (x > 3) {
            x = x / 2;
            y++;
        }
    if (sub_group_all(y < 9))
        y += sub_group_reduce_add(y);
    guard = 0;
    while (work_group_any((int)(x > 0)) && guard++ < 9)
        if (x)
            x--;
    if (work_group_all(y > 1))
        y += 1000;
    if (work_group_reduce_max(y) > 40)
        y += work_group_reduce_min(y);
    out[ITEM] = x + y * 16;
}

kernel void coll_broadcast(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = sub_group_broadcast(x, 0);
    y ^= sub_group_broadcast(x, get_sub_group_size() - 1);
    y = y * 3 + sub_group_broadcast(x, n % get_sub_group_size());
    y = y * 3 + sub_group_broadcast(x, in[n] % get_sub_group_size());
    y = y * 3 + sub_group_broadcast(get_sub_group_local_id() * 7, get_sub_group_size() / 2);
    out[ITEM] = y;
}

#define VECTOR_BROADCAST(name, T, N, bits)                                                                         \
    kernel void coll_broadcast_##name(global uint *out, global const uint *in, uint n)                             \
    {                                                                                                              \
        T##N v = convert_##T##N((bits)), w;                                                                        \
        w = sub_group_broadcast(v, in[5] % get_sub_group_size());                                                  \
        w += sub_group_broadcast(v, 0);                                                                            \
        T e[N];                                                                                                    \
        vstore##N(w, 0, e);                                                                                        \
        uint h = 0;                                                                                                \
        for (int k = 0; k < N; k++)                                                                                \
            h = h * 31 + (uint)(int)e[k];                                                                          \
        out[ITEM] = h;                                                                                             \
    }
#ifdef REFERENCE
#define vstore2(v, i, p) (*(p) = (v).s0, (p)[1] = (v).s1)
#define vstore3(v, i, p) (*(p) = (v).s0, (p)[1] = (v).s1, (p)[2] = (v).s2)
#define vstore4(v, i, p) vstore2((v).lo, 0, p), vstore2((v).hi, 0, (p) + 2)
#define vstore8(v, i, p) vstore4((v).lo, 0, p), vstore4((v).hi, 0, (p) + 4)
#define vstore16(v, i, p) vstore8((v).lo, 0, p), vstore8((v).hi, 0, (p) + 8)
#define convert_int4(v) __builtin_convertvector(v, int4)
#define convert_float2(v) __builtin_convertvector(v, float2)
#define convert_half8(v) __builtin_convertvector(v, half8)
#define convert_uchar16(v) __builtin_convertvector(v, uchar16)
#define convert_long3(v) __builtin_convertvector(v, long3)
#define convert_double4(v) __builtin_convertvector(v, double4)
#define convert_short2(v) __builtin_convertvector(v, short2)
#endif
VECTOR_BROADCAST(int4, int, 4, ((uint4)(1, 2, 3, 4)) * in[ITEM])
VECTOR_BROADCAST(float2, float, 2, ((uint2)(in[ITEM] & 255, 7)))
VECTOR_BROADCAST(half8, half, 8, ((uint8)(1, 2, 3, 4, 5, 6, 7, 8)) * (in[ITEM] & 15))
VECTOR_BROADCAST(uchar16, uchar, 16, ((uint16)(in[ITEM] & 127)) + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1, 1, 5))
VECTOR_BROADCAST(long3, long, 3, ((uint3)(in[ITEM])) >> (uint3)(1, 2, 3))
VECTOR_BROADCAST(double4, double, 4, ((uint4)(in[ITEM] & 0xffff)) + (uint4)(0, 1, 2, 3))
VECTOR_BROADCAST(short2, short, 2, ((uint2)(in[ITEM] & 0xfff)) + (uint2)(0, 1))

kernel void coll_group_broadcast(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y;
    size_t a = get_local_size(0) - 1, b = get_local_size(1) - 1, c = get_local_size(2) - 1;
    if (get_work_dim() == 1)
        y = work_group_broadcast(x, a) + work_group_broadcast(x, (size_t)n % (a + 1));
    else if (get_work_dim() == 2)
        y = work_group_broadcast(x, a, b) + work_group_broadcast(x, (size_t)n % (a + 1), 0);
    else
        y = work_group_broadcast(x, a, b, c) + work_group_broadcast(x, 0, b / 2, (size_t)n % (c + 1));
    out[ITEM] = y;
}

kernel void coll_group_mul(global uint *out, global const uint *in, uint n)
{
    int x = (int)(in[ITEM] | 1);
    out[ITEM] = (uint)work_group_reduce_mul(x) * 3 + (uint)work_group_scan_inclusive_mul(x);
}

#ifndef LLVM_SPIRV /* which leaves these as imported functions */
uint __attribute__((overloadable)) work_group_reduce_xor(uint);
int __attribute__((overloadable)) work_group_reduce_logical_xor(int);
uint __attribute__((overloadable)) work_group_scan_exclusive_and(uint);

kernel void coll_group_bits(global uint *out, global const uint *in, uint n)
{
    int x = (int)(in[ITEM] | 1);
    uint y = work_group_reduce_xor((uint)x);
    y = y * 3 + (uint)work_group_reduce_logical_xor(x & 6);
    y = y * 3 + work_group_scan_exclusive_and((uint)x);
    out[ITEM] = y;
}
#endif

#define REDUCTIONS(T, cut)                                                                                         \
    kernel void coll_type_##T(global uint *out, global const uint *in, uint n)                                     \
    {                                                                                                              \
        T x = (T)(in[ITEM] & cut);                                                                                 \
        uint y = 0;                                                                                                \
        y = y * 31 + (uint)(long)sub_group_reduce_add(x);                                                          \
        y = y * 31 + (uint)(long)sub_group_scan_inclusive_add(x);                                                  \
        y = y * 31 + (uint)(long)sub_group_scan_exclusive_add(x);                                                  \
        y = y * 31 + (uint)(long)sub_group_reduce_min(x);                                                          \
        y = y * 31 + (uint)(long)sub_group_scan_inclusive_min(x);                                                  \
        y = y * 31 + (uint)(long)sub_group_reduce_max(x);                                                          \
        y = y * 31 + (uint)(long)sub_group_scan_inclusive_max(x);                                                  \
        y = y * 31 + (uint)(long)sub_group_broadcast(x, get_sub_group_size() / 3);                                 \
        T below = sub_group_scan_exclusive_max(x);                                                                 \
        if (get_sub_group_local_id())                                                                              \
            y = y * 31 + (uint)(long)below;                                                                        \
        out[ITEM] = y;                                                                                             \
    }
REDUCTIONS(char, 0xff)
REDUCTIONS(uchar, 0xff)
REDUCTIONS(short, 0xffff)
REDUCTIONS(ushort, 0xffff)
REDUCTIONS(int, 0xffffffff)
REDUCTIONS(uint, 0xffffffff)
REDUCTIONS(long, 0xffffffff)
REDUCTIONS(ulong, 0xffffffff)
REDUCTIONS(half, 15)
REDUCTIONS(float, 0xfff)
REDUCTIONS(double, 0xffffff)

/* Of a number and a NaN, quiet or signalling, the number; of nothing but NaN, anything. */
#define FOUND(call) (r = (call), y = y * 31 + (r != r || isinf(r) ? 77u : (uint)(int)r))
#define NANS(T, bits, of_bits, quiet, signalling)                                                                  \
    kernel void coll_nan_##T(global uint *out, global const uint *in, uint n)                                      \
    {                                                                                                              \
        uint w = in[ITEM], y = 0;                                                                                  \
        T r, x = (T)(int)(w % 1999 + 1);                                                                           \
        x = w % 3 == 0 ? of_bits((bits)(signalling)) : w % 3 == 1 && w % 5 < 3 ? of_bits((bits)(quiet)) : x;       \
        FOUND(sub_group_reduce_min(x));                                                                            \
        FOUND(sub_group_reduce_max(x));                                                                            \
        FOUND(sub_group_scan_inclusive_min(x));                                                                    \
        FOUND(sub_group_scan_inclusive_max(-x));                                                                   \
        FOUND(sub_group_scan_exclusive_min(-x));                                                                   \
        FOUND(sub_group_scan_exclusive_max(x));                                                                    \
        FOUND(work_group_reduce_min(-x));                                                                          \
        FOUND(work_group_reduce_max(x));                                                                           \
        FOUND(work_group_scan_inclusive_min(x));                                                                   \
        FOUND(work_group_scan_exclusive_max(x));                                                                   \
        out[ITEM] = y;                                                                                             \
    }
NANS(half, ushort, as_half, 0x7e00, 0xfc01)
NANS(float, uint, as_float, 0xffc00000, 0x7f800001)
NANS(double, ulong, as_double, 0x7ff8000000000000, 0xfff0000000000001)

/* Identities at the first work-item, and extreme values. */
kernel void coll_identities(global uint *out, global const uint *in, uint n)
{
    int x = in[ITEM] & 1 ? INT_MIN : INT_MAX;
    float f = in[ITEM] & 1 ? INFINITY : -1.0f;
    out[ITEM * 7] = (uint)sub_group_scan_exclusive_min(x);
    out[ITEM * 7 + 1] = (uint)sub_group_scan_exclusive_max(x);
    out[ITEM * 7 + 2] = as_uint(sub_group_scan_exclusive_min(f));
    out[ITEM * 7 + 3] = as_uint(sub_group_scan_exclusive_max(f));
    out[ITEM * 7 + 4] = (uint)(sub_group_scan_exclusive_min((ulong)x) >> 32);
    out[ITEM * 7 + 5] = (uint)work_group_scan_exclusive_max(x);
    out[ITEM * 7 + 6] = as_uint(work_group_scan_exclusive_min(f));
}

/* The worked example of the text, in every eight work-items of a row. */
kernel void coll_example_row(global uint *out, global const uint *in, uint n)
{
    const uint p[8] = {3, 1, 7, 0, 4, 1, 6, 3};
    uint x = p[LID % 8];
    out[ITEM * 3] = work_group_scan_inclusive_add(x);
    out[ITEM * 3 + 1] = work_group_scan_exclusive_add(x);
    out[ITEM * 3 + 2] = work_group_reduce_add(x);
}

static NOINLINE uint inside(uint x, uint k)
{
    uint y = sub_group_reduce_add(x + k);
    barrier(CLK_LOCAL_MEM_FENCE);
    return y ^ sub_group_scan_inclusive_add(x);
}

kernel void coll_in_function(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    for (uint k = 0; k < 3; k++)
        x ^= inside(x, k);
    out[ITEM] = x;
}

kernel void coll_wide(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096] ^ ITEM;
    uint a = work_group_reduce_add(x), b = work_group_scan_inclusive_add(x);
    l[LID] = a ^ b;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint c = work_group_scan_exclusive_max(l[LID ^ 0] ^ x);
    out[ITEM] = c + l[0] + (uint)work_group_all(x != 77) + sub_group_reduce_add(b);
}
