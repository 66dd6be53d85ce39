/* SPDX-License-Identifier: MIT */
/* The functions of one work-item for the reference machine: of scalars as the OpenCL texts define them, of vectors
 * element by element. Compiled to x86-64 with the reference of every kernel. */
#include <opencl-c-base.h>
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
#define OVERLOAD __attribute__((overloadable))

#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
#define INTEGERS(f) f(char) f(uchar) f(short) f(ushort) f(int) f(uint) f(long) f(ulong)
#define FLOATS(f) f(half) f(float) f(double)
#define SCALARS(f) INTEGERS(f) FLOATS(f)

/* R##n f(A##n, ...) for every n but one, from that of one. */
#define VECTOR1(f, R, A, n)                                                                                        \
    R##n OVERLOAD f(A##n a)                                                                                        \
    {                                                                                                              \
        R##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = f(a[k]);                                                                                        \
        return y;                                                                                                  \
    }
#define VECTOR2(f, R, A, B, n)                                                                                     \
    R##n OVERLOAD f(A##n a, B##n b)                                                                                \
    {                                                                                                              \
        R##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = f(a[k], b[k]);                                                                                  \
        return y;                                                                                                  \
    }
#define VECTOR3(f, R, n)                                                                                           \
    R##n OVERLOAD f(R##n a, R##n b, R##n c)                                                                        \
    {                                                                                                              \
        R##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = f(a[k], b[k], c[k]);                                                                            \
        return y;                                                                                                  \
    }
#define VECTORS1(f, R, A) VECTOR1(f, R, A, 2) VECTOR1(f, R, A, 3) VECTOR1(f, R, A, 4) VECTOR1(f, R, A, 8) VECTOR1(f, R, A, 16)
#define VECTORS2(f, R, A, B)                                                                                       \
    VECTOR2(f, R, A, B, 2) VECTOR2(f, R, A, B, 3) VECTOR2(f, R, A, B, 4) VECTOR2(f, R, A, B, 8)                    \
    VECTOR2(f, R, A, B, 16)
#define VECTORS3(f, R) VECTOR3(f, R, 2) VECTOR3(f, R, 3) VECTOR3(f, R, 4) VECTOR3(f, R, 8) VECTOR3(f, R, 16)

/* ---- Vectors in memory ----------------------------------------------------------------------------------------- */

#define LOAD(T, N, S)                                                                                              \
    T##N OVERLOAD vload##N(size_t i, const S T *p)                                                                 \
    {                                                                                                              \
        T##N v;                                                                                                    \
        for (int k = 0; k < N; k++)                                                                                \
            v[k] = p[i * N + k];                                                                                   \
        return v;                                                                                                  \
    }
#define STORE(T, N, S)                                                                                             \
    void OVERLOAD vstore##N(T##N v, size_t i, S T *p)                                                              \
    {                                                                                                              \
        for (int k = 0; k < N; k++)                                                                                \
            p[i * N + k] = v[k];                                                                                   \
    }
#define WIDTHS(f, T, S) f(T, 2, S) f(T, 3, S) f(T, 4, S) f(T, 8, S) f(T, 16, S)
#define MEMORY(T)                                                                                                  \
    WIDTHS(LOAD, T, global) WIDTHS(LOAD, T, local) WIDTHS(LOAD, T, private) WIDTHS(LOAD, T, constant)              \
    WIDTHS(LOAD, T, generic) WIDTHS(STORE, T, global) WIDTHS(STORE, T, local) WIDTHS(STORE, T, private)            \
    WIDTHS(STORE, T, generic)
SCALARS(MEMORY)
/* Halves of other numbers, rounded as one of e, z, p, n says: the nearest, then its neighbour where that is wrong. */
#define HALF_ROUNDED(T)                                                                                            \
    static half OVERLOAD half_rounded(T v, char mode)                                                              \
    {                                                                                                              \
        half h = (half)v;                                                                                          \
        bool above = (T)h > v, below = (T)h < v;                                                                   \
        if (mode == 'e' || (above ? mode == 'p' || (mode == 'z' && v < 0)                                          \
                                  : !below || mode == 'n' || (mode == 'z' && v > 0)))                              \
            return h;                                                                                              \
        ushort bits = as_ushort(h), away = (bits >> 15) == below ? -1 : 1; /* next to it, the way that is wanted */  \
        if (!(bits & 0x7fff))                                                                                      \
            return as_half((ushort)(above ? 0x8001 : 1));                                                          \
        return as_half((ushort)(bits + away));                                                                     \
    }
HALF_ROUNDED(float) HALF_ROUNDED(double)
#define HALF_LOAD(n, from, name, step, S)                                                                          \
    float##n OVERLOAD name(size_t i, const S half *p)                                                              \
    {                                                                                                              \
        float##n v;                                                                                                \
        for (int k = 0; k < from; k++)                                                                             \
            ((float *)&v)[k] = (float)p[step * i + k];                                                             \
        return v;                                                                                                  \
    }
#define HALF_STORE(T, n, count, name, mode, step, S)                                                               \
    void OVERLOAD name(T##n v, size_t i, S half *p)                                                                \
    {                                                                                                              \
        for (int k = 0; k < count; k++)                                                                            \
            p[step * i + k] = half_rounded(((T *)&v)[k], mode);                                                    \
    }
#define HALF_STORES(T, n, count, name, step, S)                                                                    \
    HALF_STORE(T, n, count, name, 'e', step, S) HALF_STORE(T, n, count, name##_rte, 'e', step, S)                  \
    HALF_STORE(T, n, count, name##_rtz, 'z', step, S) HALF_STORE(T, n, count, name##_rtp, 'p', step, S)            \
    HALF_STORE(T, n, count, name##_rtn, 'n', step, S)
#define HALF_BOTH(n, step, S)                                                                                      \
    HALF_LOAD(n, n, vload_half##n, n, S) HALF_LOAD(n, n, vloada_half##n, step, S)
#define HALF_LOADS(S)                                                                                              \
    HALF_LOAD(, 1, vload_half, 1, S) HALF_BOTH(2, 2, S) HALF_BOTH(3, 4, S) HALF_BOTH(4, 4, S) HALF_BOTH(8, 8, S)   \
    HALF_BOTH(16, 16, S)
#define HALF_STORES_OF(T, S)                                                                                       \
    HALF_STORES(T, , 1, vstore_half, 1, S) HALF_STORES(T, 2, 2, vstore_half2, 2, S)                                \
    HALF_STORES(T, 3, 3, vstore_half3, 3, S) HALF_STORES(T, 4, 4, vstore_half4, 4, S)                              \
    HALF_STORES(T, 8, 8, vstore_half8, 8, S) HALF_STORES(T, 16, 16, vstore_half16, 16, S)                          \
    HALF_STORES(T, 3, 3, vstorea_half3, 4, S) HALF_STORES(T, 4, 4, vstorea_half4, 4, S)
HALF_LOADS(global) HALF_LOADS(local) HALF_LOADS(private) HALF_LOADS(generic) HALF_LOADS(constant)
HALF_STORES_OF(float, global) HALF_STORES_OF(float, local) HALF_STORES_OF(float, private) HALF_STORES_OF(float, generic)
HALF_STORES_OF(double, global) HALF_STORES_OF(double, private) HALF_STORES_OF(double, generic)

/* ---- Conversions ----------------------------------------------------------------------------------------------- */

#define CONVERT(T, N, F)                                                                                           \
    T##N OVERLOAD convert_##T##N(F##N v) { return __builtin_convertvector(v, T##N); }
#define CONVERTS(T, F)                                                                                             \
    T OVERLOAD convert_##T(F v) { return (T)v; }                                                                   \
    CONVERT(T, 2, F) CONVERT(T, 3, F) CONVERT(T, 4, F) CONVERT(T, 8, F) CONVERT(T, 16, F)
#define CONVERTED(T)                                                                                               \
    CONVERTS(T, char) CONVERTS(T, uchar) CONVERTS(T, short) CONVERTS(T, ushort) CONVERTS(T, int) CONVERTS(T, uint) \
    CONVERTS(T, long) CONVERTS(T, ulong) CONVERTS(T, half) CONVERTS(T, float) CONVERTS(T, double)
SCALARS(CONVERTED)

double trunc_d(double) __asm__("trunc");
double ceil_d(double) __asm__("ceil");
double floor_d(double) __asm__("floor");
double rint_d(double) __asm__("rint");
static char OVERLOAD limits(char x, bool up) { return up ? CHAR_MAX : CHAR_MIN; }
static uchar OVERLOAD limits(uchar x, bool up) { return up ? UCHAR_MAX : 0; }
static short OVERLOAD limits(short x, bool up) { return up ? SHRT_MAX : SHRT_MIN; }
static ushort OVERLOAD limits(ushort x, bool up) { return up ? USHRT_MAX : 0; }
static int OVERLOAD limits(int x, bool up) { return up ? INT_MAX : INT_MIN; }
static uint OVERLOAD limits(uint x, bool up) { return up ? UINT_MAX : 0; }
static long OVERLOAD limits(long x, bool up) { return up ? LONG_MAX : LONG_MIN; }
static ulong OVERLOAD limits(ulong x, bool up) { return up ? ULONG_MAX : 0; }
/* Of a floating number: 0 of a NaN. Double is exact for half and float. */
#define SATURATED(T, F, mode, rounded)                                                                             \
    T OVERLOAD convert_##T##_sat##mode(F v)                                                                        \
    {                                                                                                              \
        double x = rounded((double)v), high = (double)limits((T)0, true), low = (double)limits((T)0, false);       \
        return x != x ? 0 : x <= low ? limits((T)0, false) : x >= high ? limits((T)0, true) : (T)x;                \
    }
#define SATURATED_ALL(T, F, mode, rounded)                                                                         \
    SATURATED(T, F, mode, rounded)                                                                                 \
    SATURATED_WIDE(T, F, mode, 2) SATURATED_WIDE(T, F, mode, 3) SATURATED_WIDE(T, F, mode, 4)                      \
    SATURATED_WIDE(T, F, mode, 8) SATURATED_WIDE(T, F, mode, 16)
#define SATURATED_WIDE(T, F, mode, n)                                                                              \
    T##n OVERLOAD convert_##T##n##_sat##mode(F##n v)                                                               \
    {                                                                                                              \
        T##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = convert_##T##_sat##mode(v[k]);                                                                  \
        return y;                                                                                                  \
    }
#define SATURATED_FROM(T, F)                                                                                       \
    SATURATED_ALL(T, F, , trunc_d) SATURATED_ALL(T, F, _rtz, trunc_d) SATURATED_ALL(T, F, _rte, rint_d)            \
    SATURATED_ALL(T, F, _rtp, ceil_d) SATURATED_ALL(T, F, _rtn, floor_d)
#define SATURATED_TO(T) SATURATED_FROM(T, half) SATURATED_FROM(T, float) SATURATED_FROM(T, double)
INTEGERS(SATURATED_TO)

/* ---- Integer functions ----------------------------------------------------------------------------------------- */

#define INTEGER(T, U, W)                                                                                           \
    static T OVERLOAD clip(W w, T x)                                                                               \
    {                                                                                                              \
        T low = limits(x, false), high = limits(x, true);                                                          \
        return w < (W)low ? low : w > (W)high ? high : (T)w;                                                       \
    }                                                                                                              \
    T OVERLOAD add_sat(T a, T b) { return clip((W)a + b, a); }                                                     \
    T OVERLOAD sub_sat(T a, T b) { return clip((W)a - b, a); }                                                     \
    T OVERLOAD mul_hi(T a, T b) { return (T)((W)a * b >> sizeof(T) * 8); }                                         \
    T OVERLOAD mad_hi(T a, T b, T c) { return (T)((U)mul_hi(a, b) + (U)c); }                                       \
    T OVERLOAD hadd(T a, T b) { return (T)(((W)a + b) >> 1); }                                                     \
    T OVERLOAD rhadd(T a, T b) { return (T)(((W)a + b + 1) >> 1); }                                                \
    T OVERLOAD max(T a, T b) { return MAX(a, b); }                                                                 \
    T OVERLOAD min(T a, T b) { return MIN(a, b); }                                                                 \
    T OVERLOAD clamp(T a, T b, T c) { return MIN(MAX(a, b), c); }                                                  \
    T OVERLOAD popcount(T a)                                                                                       \
    {                                                                                                              \
        T n = 0;                                                                                                   \
        for (ulong k = 0; k < sizeof(T) * 8; k++)                                                                  \
            n += a >> k & 1;                                                                                       \
        return n;                                                                                                  \
    }                                                                                                              \
    T OVERLOAD clz(T a)                                                                                            \
    {                                                                                                              \
        T n = 0;                                                                                                   \
        while (n < sizeof(T) * 8 && !(a >> (sizeof(T) * 8 - 1 - n) & 1))                                           \
            n++;                                                                                                   \
        return n;                                                                                                  \
    }                                                                                                              \
    T OVERLOAD ctz(T a)                                                                                            \
    {                                                                                                              \
        T n = 0;                                                                                                   \
        while (n < sizeof(T) * 8 && !(a >> n & 1))                                                                 \
            n++;                                                                                                   \
        return n;                                                                                                  \
    }                                                                                                              \
    T OVERLOAD rotate(T a, T b)                                                                                    \
    {                                                                                                              \
        ulong w = sizeof(T) * 8, s = (ulong)b % w, u = (U)a;                                                       \
        return s ? (T)(u << s | u >> (w - s)) : a;                                                                 \
    }                                                                                                              \
    U OVERLOAD abs(T a) { return a < 0 ? (U)0 - (U)a : (U)a; }                                                     \
    U OVERLOAD abs_diff(T a, T b) { return a < b ? (U)b - (U)a : (U)a - (U)b; }                                    \
    T OVERLOAD bitselect(T a, T b, T c) { return (a & ~c) | (b & c); }                                             \
    VECTORS2(add_sat, T, T, T) VECTORS2(sub_sat, T, T, T) VECTORS2(mul_hi, T, T, T) VECTORS2(hadd, T, T, T)        \
    VECTORS2(rhadd, T, T, T) VECTORS2(max, T, T, T) VECTORS2(min, T, T, T) VECTORS2(rotate, T, T, T)               \
    VECTORS2(abs_diff, U, T, T) VECTORS1(abs, U, T) VECTORS1(popcount, T, T) VECTORS1(clz, T, T)                   \
    VECTORS1(ctz, T, T) VECTORS3(mad_hi, T) VECTORS3(clamp, T) VECTORS3(bitselect, T)
INTEGER(char, uchar, long)
INTEGER(uchar, uchar, long)
INTEGER(short, ushort, long)
INTEGER(ushort, ushort, long)
INTEGER(int, uint, long)
INTEGER(uint, uint, long)
INTEGER(long, ulong, __int128)
INTEGER(ulong, ulong, __int128)
#define MAD_SAT(T)                                                                                                 \
    T OVERLOAD mad_sat(T a, T b, T c)                                                                              \
    {                                                                                                              \
        __int128 w = (__int128)a * b + c;                                                                          \
        T low = limits(a, false), high = limits(a, true);                                                          \
        return w < low ? low : w > high ? high : (T)w;                                                             \
    }
MAD_SAT(char) MAD_SAT(uchar) MAD_SAT(short) MAD_SAT(ushort) MAD_SAT(int) MAD_SAT(uint) MAD_SAT(long)
ulong OVERLOAD mad_sat(ulong a, ulong b, ulong c)
{
    unsigned __int128 w = (unsigned __int128)a * b + c;
    return w > ULONG_MAX ? ULONG_MAX : (ulong)w;
}
#define MAD_SATS(T) VECTORS3(mad_sat, T)
INTEGERS(MAD_SATS)
#define FACTORS24(T)                                                                                               \
    T OVERLOAD mul24(T a, T b) { return (T)((uint)a * (uint)b); }                                                  \
    T OVERLOAD mad24(T a, T b, T c) { return (T)((uint)a * (uint)b + (uint)c); }                                   \
    VECTORS2(mul24, T, T, T) VECTORS3(mad24, T)
FACTORS24(int) FACTORS24(uint)
#define UPSAMPLE(T, H, L)                                                                                          \
    T OVERLOAD upsample(H h, L l) { return (T)((ulong)h << sizeof(H) * 8 | l); }                                   \
    VECTORS2(upsample, T, H, L)
UPSAMPLE(short, char, uchar) UPSAMPLE(ushort, uchar, uchar) UPSAMPLE(int, short, ushort)
UPSAMPLE(uint, ushort, ushort) UPSAMPLE(long, int, uint) UPSAMPLE(ulong, uint, uint)

/* ---- Choices of elements --------------------------------------------------------------------------------------- */

#define SELECT_WIDE(T, M, n)                                                                                       \
    T##n OVERLOAD select(T##n a, T##n b, M##n c)                                                                   \
    {                                                                                                              \
        T##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = c[k] >> (sizeof(M) * 8 - 1) & 1 ? b[k] : a[k];                                                  \
        return y;                                                                                                  \
    }
#define SELECT(T, M)                                                                                               \
    T OVERLOAD select(T a, T b, M c) { return c ? b : a; }                                                         \
    SELECT_WIDE(T, M, 2) SELECT_WIDE(T, M, 3) SELECT_WIDE(T, M, 4) SELECT_WIDE(T, M, 8) SELECT_WIDE(T, M, 16)
#define SELECTS(T, S, U) SELECT(T, S) SELECT(T, U)
SELECTS(char, char, uchar) SELECTS(uchar, char, uchar) SELECTS(short, short, ushort) SELECTS(ushort, short, ushort)
SELECTS(int, int, uint) SELECTS(uint, int, uint) SELECTS(long, long, ulong) SELECTS(ulong, long, ulong)
SELECTS(half, short, ushort) SELECTS(float, int, uint) SELECTS(double, long, ulong)

#define VOTE_WIDE(T, n)                                                                                            \
    int OVERLOAD any(T##n a)                                                                                       \
    {                                                                                                              \
        int y = 0;                                                                                                 \
        for (int k = 0; k < n; k++)                                                                                \
            y |= a[k] < 0;                                                                                         \
        return y;                                                                                                  \
    }                                                                                                              \
    int OVERLOAD all(T##n a)                                                                                       \
    {                                                                                                              \
        int y = 1;                                                                                                 \
        for (int k = 0; k < n; k++)                                                                                \
            y &= a[k] < 0;                                                                                         \
        return y;                                                                                                  \
    }
#define VOTE(T)                                                                                                    \
    int OVERLOAD any(T a) { return a < 0; }                                                                        \
    int OVERLOAD all(T a) { return a < 0; }                                                                        \
    VOTE_WIDE(T, 2) VOTE_WIDE(T, 3) VOTE_WIDE(T, 4) VOTE_WIDE(T, 8) VOTE_WIDE(T, 16)
VOTE(char) VOTE(short) VOTE(int) VOTE(long)

#define SHUFFLE(T, U, m, n)                                                                                        \
    T##n OVERLOAD shuffle(T##m a, U##n mask)                                                                       \
    {                                                                                                              \
        T##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = a[mask[k] % m];                                                                                 \
        return y;                                                                                                  \
    }                                                                                                              \
    T##n OVERLOAD shuffle2(T##m a, T##m b, U##n mask)                                                              \
    {                                                                                                              \
        T##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = mask[k] % (2 * m) < m ? a[mask[k] % m] : b[mask[k] % m];                                        \
        return y;                                                                                                  \
    }
#define SHUFFLES_TO(T, U, n) SHUFFLE(T, U, 2, n) SHUFFLE(T, U, 4, n) SHUFFLE(T, U, 8, n) SHUFFLE(T, U, 16, n)
#define SHUFFLES(T, U) SHUFFLES_TO(T, U, 2) SHUFFLES_TO(T, U, 4) SHUFFLES_TO(T, U, 8) SHUFFLES_TO(T, U, 16)
SHUFFLES(char, uchar) SHUFFLES(uchar, uchar) SHUFFLES(short, ushort) SHUFFLES(ushort, ushort) SHUFFLES(int, uint)
SHUFFLES(uint, uint) SHUFFLES(long, ulong) SHUFFLES(ulong, ulong) SHUFFLES(half, ushort) SHUFFLES(float, uint)
SHUFFLES(double, ulong)

/* ---- Floating-point functions ---------------------------------------------------------------------------------- */

double round_d(double) __asm__("round");
float fma_f(float, float, float) __asm__("fmaf");
double fma_d(double, double, double) __asm__("fma");
float OVERLOAD fma(float a, float b, float c) { return fma_f(a, b, c); }
double OVERLOAD fma(double a, double b, double c) { return fma_d(a, b, c); }
VECTORS3(fma, float) VECTORS3(fma, double)
#define SIGN(U) ((U)1 << (sizeof(U) * 8 - 1))
#define FLOATING(T, M, U, largest, least)                                                                          \
    T OVERLOAD fabs(T a) { return as_##T((U)(as_##U(a) & ~SIGN(U))); }                                             \
    T OVERLOAD copysign(T a, T b) { return as_##T((U)((as_##U(a) & ~SIGN(U)) | (as_##U(b) & SIGN(U)))); }          \
    T OVERLOAD floor(T a) { return (T)floor_d((double)a); }                                                        \
    T OVERLOAD ceil(T a) { return (T)ceil_d((double)a); }                                                          \
    T OVERLOAD trunc(T a) { return (T)trunc_d((double)a); }                                                        \
    T OVERLOAD rint(T a) { return (T)rint_d((double)a); }                                                          \
    T OVERLOAD round(T a) { return (T)round_d((double)a); }                                                        \
    T OVERLOAD fmin(T a, T b) { return a != a ? b : b != b ? a : MIN(a, b); }                                      \
    T OVERLOAD fmax(T a, T b) { return a != a ? b : b != b ? a : MAX(a, b); }                                      \
    T OVERLOAD bitselect(T a, T b, T c)                                                                            \
    {                                                                                                              \
        return as_##T((U)((as_##U(a) & ~as_##U(c)) | (as_##U(b) & as_##U(c))));                                    \
    }                                                                                                              \
    VECTORS1(fabs, T, T) VECTORS1(floor, T, T) VECTORS1(ceil, T, T) VECTORS1(trunc, T, T) VECTORS1(rint, T, T)     \
    VECTORS1(round, T, T) VECTORS2(copysign, T, T, T) VECTORS2(fmin, T, T, T) VECTORS2(fmax, T, T, T)              \
    VECTORS3(bitselect, T)                                                                                         \
    RELATION(isnan, T, M, a != a) RELATION(isinf, T, M, fabs(a) > largest) RELATION(isfinite, T, M, fabs(a) <= largest)  \
    RELATION(isnormal, T, M, fabs(a) <= largest && fabs(a) >= least)                                               \
    RELATION(signbit, T, M, (as_##U(a) & SIGN(U)) != 0)                                                            \
    RELATION2(isless, T, M, a < b) RELATION2(isgreaterequal, T, M, a >= b) RELATION2(isequal, T, M, a == b)        \
    RELATION2(isnotequal, T, M, a != b) RELATION2(islessgreater, T, M, a < b || a > b)                             \
    RELATION2(isunordered, T, M, a != a || b != b)
/* 1 of scalars, all bits of vectors. */
#define RELATION(f, T, M, holds)                                                                                   \
    int OVERLOAD f(T a) { return holds; }                                                                          \
    static M OVERLOAD f##_element(T a) { return -(holds); }                                                        \
    RELATION_WIDE(f, T, M, 2) RELATION_WIDE(f, T, M, 3) RELATION_WIDE(f, T, M, 4) RELATION_WIDE(f, T, M, 8)        \
    RELATION_WIDE(f, T, M, 16)
#define RELATION_WIDE(f, T, M, n)                                                                                  \
    M##n OVERLOAD f(T##n a)                                                                                        \
    {                                                                                                              \
        M##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = f##_element(a[k]);                                                                              \
        return y;                                                                                                  \
    }
#define RELATION2(f, T, M, holds)                                                                                  \
    int OVERLOAD f(T a, T b) { return holds; }                                                                     \
    static M OVERLOAD f##_element(T a, T b) { return -(holds); }                                                   \
    RELATION2_WIDE(f, T, M, 2) RELATION2_WIDE(f, T, M, 3) RELATION2_WIDE(f, T, M, 4) RELATION2_WIDE(f, T, M, 8)    \
    RELATION2_WIDE(f, T, M, 16)
#define RELATION2_WIDE(f, T, M, n)                                                                                 \
    M##n OVERLOAD f(T##n a, T##n b)                                                                                \
    {                                                                                                              \
        M##n y;                                                                                                    \
        for (int k = 0; k < n; k++)                                                                                \
            y[k] = f##_element(a[k], b[k]);                                                                        \
        return y;                                                                                                  \
    }
FLOATING(half, short, ushort, (half)65504.0f, (half)0x1p-14f)
FLOATING(float, int, uint, FLT_MAX, FLT_MIN)
FLOATING(double, long, ulong, DBL_MAX, DBL_MIN)

/* The host's library: kernels that call these are compared by tolerance. */
float sqrtf(float); float expf(float); float logf(float); float sinf(float); float cosf(float);
float exp2f(float); float exp10f(float); float log2f(float); float log10f(float); float tanhf(float);
float sinhf(float); float coshf(float); float erfcf(float);
float powf(float, float);
float OVERLOAD sqrt(float x) { return sqrtf(x); }
float OVERLOAD exp(float x) { return expf(x); }
float OVERLOAD log(float x) { return logf(x); }
float OVERLOAD exp2(float x) { return exp2f(x); }
float OVERLOAD exp10(float x) { return exp10f(x); }
float OVERLOAD log2(float x) { return log2f(x); }
float OVERLOAD log10(float x) { return log10f(x); }
float OVERLOAD tanh(float x) { return tanhf(x); }
float OVERLOAD sinh(float x) { return sinhf(x); }
float OVERLOAD cosh(float x) { return coshf(x); }
float OVERLOAD erfc(float x) { return erfcf(x); }
float OVERLOAD rsqrt(float x) { return 1.0f / sqrtf(x); }
float OVERLOAD sin(float x) { return sinf(x); }
float OVERLOAD cos(float x) { return cosf(x); }
float OVERLOAD pow(float x, float y) { return powf(x, y); }
