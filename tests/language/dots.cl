/* SPDX-License-Identifier: MIT */
/* cl_khr_integer_dot_product: four bytes a side, as vectors and packed, uniform and varying, saturating. */
#include "language.h"

#ifdef REFERENCE
/* The four products summed up in 64 bits. */
#define DOT(name, A, B, R, C, low, high)                                                                        \
    R __attribute__((overloadable)) name(A a, B b)                                                                 \
    {                                                                                                              \
        long sum = 0;                                                                                              \
        for (int k = 0; k < 4; k++)                                                                                \
            sum += (long)a[k] * b[k];                                                                              \
        return (R)sum;                                                                                             \
    }                                                                                                              \
    R __attribute__((overloadable)) name##_acc_sat(A a, B b, R c)                                                  \
    {                                                                                                              \
        long sum = c;                                                                                              \
        for (int k = 0; k < 4; k++)                                                                                \
            sum += (long)a[k] * b[k];                                                                              \
        return (R)(sum < low ? low : sum > high ? high : sum);                                                     \
    }                                                                                                              \
    R name##_##C(uint a, uint b) { return name(as_##A(a), as_##B(b)); }                                            \
    R name##_acc_sat_##C(uint a, uint b, R c) { return name##_acc_sat(as_##A(a), as_##B(b), c); }
DOT(dot, char4, char4, int, ss, INT_MIN, INT_MAX)
DOT(dot, uchar4, uchar4, uint, uu, 0, UINT_MAX)
DOT(dot, char4, uchar4, int, su, INT_MIN, INT_MAX)
DOT(dot, uchar4, char4, int, us, INT_MIN, INT_MAX)
#define dot_4x8packed_ss_int dot_ss
#define dot_4x8packed_uu_uint dot_uu
#define dot_4x8packed_su_int dot_su
#define dot_4x8packed_us_int dot_us
#define dot_acc_sat_4x8packed_ss_int dot_acc_sat_ss
#define dot_acc_sat_4x8packed_uu_uint dot_acc_sat_uu
#define dot_acc_sat_4x8packed_su_int dot_acc_sat_su
#define dot_acc_sat_4x8packed_us_int dot_acc_sat_us
#endif

/* Values at the ends of the range among others. */
static uint edge(uint x)
{
    return x % 5 == 0 ? 0x80808080u : x & 0x100 ? 0xffffffffu : x % 7 == 2 ? 0x7f80ff00u : x;
}

kernel void dot_vectors(global uint *out, global const uint *in, uint n)
{
    uint a = edge(in[ITEM]), b = edge(in[(ITEM * 7 + 3) & 4095]);
    char4 ca = as_char4(a), cb = as_char4(b);
    uchar4 ua = as_uchar4(a), ub = as_uchar4(b);
    out[ITEM * 4] = (uint)dot(ca, cb);
    out[ITEM * 4 + 1] = dot(ua, ub);
    out[ITEM * 4 + 2] = (uint)dot(ca, ub);
    out[ITEM * 4 + 3] = (uint)dot(ua, cb);
}

kernel void dot_vectors_saturating(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], a = edge(x), b = edge(in[(ITEM * 7 + 3) & 4095]);
    uint c = x & 1 ? 0x7fffff00u + x % 300 : x & 2 ? 0x80000000u + x % 90000 : x & 4 ? 0xffffff00u : x;
    char4 ca = as_char4(a), cb = as_char4(b);
    uchar4 ua = as_uchar4(a), ub = as_uchar4(b);
    out[ITEM * 4] = (uint)dot_acc_sat(ca, cb, (int)c);
    out[ITEM * 4 + 1] = dot_acc_sat(ua, ub, c);
    out[ITEM * 4 + 2] = (uint)dot_acc_sat(ca, ub, (int)c);
    out[ITEM * 4 + 3] = (uint)dot_acc_sat(ua, cb, (int)c);
}

kernel void dot_packed(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], a = edge(x), b = edge(in[(ITEM * 7 + 3) & 4095]);
    uint c = x & 1 ? 0x7fffff00u + x % 300 : x & 2 ? 0x80000000u + x % 90000 : x & 4 ? 0xffffff00u : x;
    uint8 r = 0;
    if (x % 3) { /* some lanes only */
        r.s0 = (uint)dot_4x8packed_ss_int(a, b);
        r.s1 = dot_4x8packed_uu_uint(a, b);
        r.s2 = (uint)dot_4x8packed_su_int(a, b);
        r.s3 = (uint)dot_4x8packed_us_int(a, b);
    } else {
        r.s4 = (uint)dot_acc_sat_4x8packed_ss_int(a, b, (int)c);
        r.s5 = dot_acc_sat_4x8packed_uu_uint(a, b, c);
        r.s6 = (uint)dot_acc_sat_4x8packed_su_int(a, b, (int)c);
        r.s7 = (uint)dot_acc_sat_4x8packed_us_int(a, b, (int)c);
    }
    vstore8(r, ITEM, out);
}

/* A row of a matrix of bytes by a vector: the vector's words are the same for all. */
kernel void dot_uniform(global uint *out, global const uint *in, uint n)
{
    int sum = 0;
    uint total = 0;
    for (uint k = 0; k < 9; k++) {
        sum = dot_acc_sat_4x8packed_ss_int(in[(ITEM * 9 + k) & 4095], in[k + n % 5], sum);
        total += dot_4x8packed_uu_uint(in[k], in[k + 9]) + (uint)dot(as_char4(in[k]), as_uchar4(in[k + 20]));
    }
    out[ITEM * 2] = (uint)sum;
    out[ITEM * 2 + 1] = total;
}
