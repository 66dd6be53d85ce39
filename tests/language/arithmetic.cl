/* SPDX-License-Identifier: MIT */
/* Arithmetic: division where work-items are not there, every width, shifts, saturation, conversions, specials. */
#include "language.h"

/* Division by zero, and of the least by -1: undefined, but neither traps nor spoils what other work-items have. */
#ifdef REFERENCE
#define UNDEFINED(T, a, b) 0
#else
#define UNDEFINED(T, a, b) (sink += (uint)(a / b) + (uint)(a % b))
#endif
#define DIVISION(T, U, least)                                                                                      \
    kernel void arith_division_##T(global uint *out, global const uint *in, uint n)                                \
    {                                                                                                              \
        T x = (T)in[ITEM], y = (T)(in[ITEM] >> 7), z = in[ITEM] & 1 ? (T)0 : (T)-1, least_ = least;                \
        uint h = 0, sink = 0;                                                                                      \
        if (y != 0 && !(x == least_ && y == (T)-1))                                                                \
            h = (uint)(x / y) * 31 + (uint)(x % y);                                                                \
        if (in[ITEM] & 4) {                                                                                        \
            UNDEFINED(T, least_, z);                                                                               \
            UNDEFINED(T, x, (T)(x & 0));                                                                           \
        }                                                                                                          \
        h = h * 31 + (uint)(x / (T)7) + (uint)(x % (T)10) * 3 + (uint)(x / (T)16) + (uint)(x % (T)8);              \
        if (n % 3)                                                                                                 \
            h += (uint)(x / (T)(n % 3));                                                                           \
        T u = (T)(n % 5);                                                                                          \
        if (in[ITEM] & 8 && u != 0)                                                                                \
            h ^= (uint)(x / u) + (uint)(x % u);                                                                    \
        out[ITEM] = h;                                                                                             \
        if (sink == 0x12345u && n == 0xffffffffu)                                                                  \
            out[ITEM] = sink;                                                                                      \
    }                                                                                                              \
    kernel void arith_integer_##T(global uint *out, global const uint *in, uint n)                                 \
    {                                                                                                              \
        T x = (T)in[ITEM], y = (T)(in[ITEM] >> 9), z = (T)in[ITEM + 1];                                            \
        ulong w = sizeof(T) * 8, s = in[ITEM + 2] % w;                                                             \
        ulong h = 0;                                                                                               \
        h = h * 31 + (ulong)add_sat(x, z);                                                                         \
        h = h * 31 + (ulong)sub_sat(x, z);                                                                         \
        h = h * 31 + (ulong)mul_hi(x, z);                                                                          \
        h = h * 31 + (ulong)hadd(x, y);                                                                            \
        h = h * 31 + (ulong)rhadd(x, y);                                                                           \
        h = h * 31 + (ulong)max(x, y) + (ulong)min(x, z);                                                          \
        h = h * 31 + (ulong)clamp(x, (T)3, (T)100);                                                                \
        h = h * 31 + (ulong)popcount(x) + (ulong)clz(y);                                                           \
        h = h * 31 + (ulong)rotate(x, (T)s);                                                                       \
        h = h * 31 + (ulong)bitselect(x, y, z);                                                                    \
        h = h * 31 + (ulong)(T)(x << s) + (ulong)(T)(x >> s);                                                      \
        h = h * 31 + (ulong)(T)(x << (n % w)) + (ulong)(T)(x >> 3) + (ulong)(T)(x * y - z);                        \
        out[ITEM] = (uint)h ^ (uint)(h >> 32);                                                                     \
    }
DIVISION(char, uchar, CHAR_MIN)
DIVISION(uchar, uchar, 0)
DIVISION(short, ushort, SHRT_MIN)
DIVISION(ushort, ushort, 0)
DIVISION(int, uint, INT_MIN)
DIVISION(uint, uint, 0)
DIVISION(long, ulong, LONG_MIN)
DIVISION(ulong, ulong, 0)

/* any and all look at the most significant bits, of scalars too. */
#ifdef REFERENCE
#define ANY(x) ((x) < 0)
#define ALL(x) ((x) < 0)
#else
#define ANY(x) any(x)
#define ALL(x) all(x)
#endif
kernel void arith_any_all(global uint *out, global const uint *in, uint n)
{
    int x = (int)in[ITEM];
    long y = (long)in[ITEM] << 32;
    char c = (char)(in[ITEM] >> 8);
    out[ITEM] = (uint)(ANY(x) + 2 * ALL(x) + 4 * ANY(y) + 8 * ALL(c) + 16 * ANY((short)(x & 1)));
}

/* To an unsigned type and on to a wider one: of these clang-22 makes masks of wider numbers at -O0. */
kernel void arith_narrowed(global uint *out, global const uint *in, uint n)
{
    ulong x = (ulong)in[ITEM] * 0x9e3779b97f4a7c15ul;
    long y = -(long)(x >> 7);
    uint z = in[ITEM] ^ 0xffff0000u;
    uint h = (uint)(ushort)x;
    h = h * 31 + (uint)(uchar)y;
    h = h * 31 + (ushort)(uchar)z;
    h = h * 31 + (uint)(int)(uchar)(int)z;
    h = h * 31 + (ushort)(uchar)(x >> 40);
    h = h * 31 + (uint)(int)(ushort)y;
    out[ITEM] = h;
}

kernel void arith_conversions(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    float f = (float)(int)x;
    double d = (double)(long)((ulong)x << 21 | x);
    half g = (half)(x & 1023);
    ulong h = as_uint(f);
    h = h * 31 + as_ulong(d);
    h = h * 31 + as_ushort(g);
    h = h * 31 + as_uint((float)(ulong)((ulong)x << 32 | x));
    h = h * 31 + as_ulong((double)x);
    h = h * 31 + (uint)(int)(f / 3.0f);
    h = h * 31 + (ulong)(long)(d / 7.0);
    h = h * 31 + as_uint((float)d);
    h = h * 31 + (ulong)(char)(x >> 3) + (ulong)(ushort)x + (ulong)(short)x;
    h = h * 31 + (uint)(x & 3 ? (uchar)(float)(x & 255) : 9);
    h = h * 31 + as_ushort((half)(float)(x & 0xffff)) + as_uint((float)(half)((float)(x & 0xfff) * 0.3f));
    out[ITEM] = (uint)h ^ (uint)(h >> 32);
}

kernel void arith_specials(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    float v[8] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, 1e-40f, 3e38f};
    float a = v[x & 7], b = v[x >> 3 & 7];
    uint h = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6;
    h |= (a != a) << 7 | (x & 1 ? a < b : b < a) << 8;
    float s = a + b, m = a * b, d = a / b;
    h = h * 31 + (s != s ? 7 : as_uint(s));
    h = h * 31 + (m != m ? 7 : as_uint(m));
    h = h * 31 + (d != d ? 7 : as_uint(d));
    h = h * 31 + as_uint(fabs(a == a ? a : 1.0f));
    out[ITEM] = h;
}

kernel void arith_half(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    half a = (half)((x & 1023) * 0.125f), b = (half)((x >> 10 & 1023) * 0.5f - 100.0f), c = (half)3;
    half s = a + b, m = a * c, d = b / (a + (half)1), t = a - b * c;
    if (a < b)
        s += m;
    half2 v = (half2)(a, b) * (half2)(c, d);
    out[ITEM * 2] = as_ushort(s) | (uint)as_ushort(m) << 16;
    out[ITEM * 2 + 1] = (as_ushort(d) | (uint)as_ushort(t) << 16) ^ as_ushort(v.x) ^ (uint)as_ushort(v.y) << 16;
}

kernel void arith_double(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    double a = x * 0.37, b = (double)(int)in[ITEM + 1], c = a;
    for (uint k = 0; k < x % 5; k++)
        c = c * 0.5 + b / (a + 1.0);
    if (x & 1)
        c -= a * b;
    out[ITEM] = (uint)(as_ulong(c) >> 32) ^ (uint)as_ulong(c);
}

/* Functions under divergent flow, where the others hold wild values. */
kernel void arith_math_near(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    float wild = as_float(x), r = 1.0f;
    if (wild > 0.01f && wild < 100.0f)
        r = sqrt(wild) + exp(-wild) * log(wild) + sin(wild) + pow(wild, 1.5f);
    else if (x & 1)
        r = cos((float)(x & 255)) + fma((float)(x & 15), 0.1f, 2.0f);
    else
        r = floor((float)(int)x / 1000.0f) + trunc((float)(x & 0xffff) * 0.3f);
    out[ITEM] = as_uint(r);
}

/* Functions whose bodies are instructions of their own on AVX-512, of varying and of uniform operands. */
kernel void arith_exponential_near(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    float small = (float)(x & 0xffff) * 0x1p-13f - 4.0f, large = 0.001f + (float)(x >> 8), same = (float)n * 0.37f + 0.5f;
    float r = exp2(small) + exp10(small * 0.5f) + log2(large) * log10(large) + rsqrt(large);
    if (x & 1)
        r = tanh(small) + 2.0f + sinh(small) * 0.5f + cosh(small);
    if (x & 2)
        r += rsqrt(same) + tanh(same) + log2(same) + exp(-same) + erfc(small);
    out[ITEM] = as_uint(r);
}

/* Whatever zero fmin and fmax give: 0 is added, and no -0 is left. */
kernel void arithmetic_zeros(global uint *out, global const uint *in, uint n)
{
    float x = as_float((in[ITEM & 4095u] & 0x8fffffffu) | 0x1000u);
    float y = as_float(in[(ITEM + 1) & 4095u] & 0x80000000u);
    double v = as_double((ulong)as_uint(x) << 32), w = as_double((ulong)as_uint(y) << 32);
    x += 0.0f;
    v += 0.0;
    out[ITEM] = as_uint(fmax(x, y + 0.0f) + 0.0f) ^ 3 * as_uint(fmin(fabs(x), y + 0.0f) + 0.0f) ^
                5 * (uint)(as_ulong(fmax(v, w + 0.0) + 0.0) >> 32);
}
