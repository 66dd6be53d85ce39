/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

static int
at_edge(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static uint8_t
byte_of(double x)
{
    return (uint8_t)(x > 0 ? x < 255 ? nearbyint(x) : 255 : 0);
}

/* Between the texels around (x, y) in texels, of channel c of `channels`; `border`: zeros outside. */
#define BETWEEN(type)                                                                                        \
    static double between_##type(const type *in, int w, int h, int channels, int c, double x, double y,      \
                                 int border)                                                                 \
    {                                                                                                        \
        double sum = 0, fx = floor(x - 0.5), fy = floor(y - 0.5), px = x - 0.5 - fx, py = y - 0.5 - fy;      \
        for (int k = 0; k < 4; k++) {                                                                        \
            int i = (int)fx + k % 2, j = (int)fy + k / 2;                                                    \
            double weight = (k % 2 ? px : 1 - px) * (k / 2 ? py : 1 - py);                                   \
            if (!border || (i >= 0 && i < w && j >= 0 && j < h))                                             \
                sum += weight * (double)in[(at_edge(j, h) * w + at_edge(i, w)) * channels + c];              \
        }                                                                                                    \
        return sum;                                                                                          \
    }
BETWEEN(uint8_t)
BETWEEN(float)

LIMIT_REFERENCE(resize_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    int n = (int)limit->size, m = n * 3 / 4;

    for (int i = 0; i < n * n * 4; i++)
        out[i] = byte_of(between_uint8_t(in, m, m, 4, i % 4, (i / 4 % n + 0.5) / n * m,
                                         (i / 4 / n + 0.5) / n * m, 0));
}

LIMIT_REFERENCE(resize_r32f)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    int n = (int)limit->size, m = n * 3 / 4;

    for (int i = 0; i < n * n; i++)
        out[i] = (float)between_float(in, m, m, 1, 0, (i % n + 0.5) / n * m, (i / n + 0.5) / n * m, 0);
}

LIMIT_REFERENCE(warp_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    const float *row0 = limit_find(limit, "row0", 16), *row1 = limit_find(limit, "row1", 16);
    int n = (int)limit->size;

    for (int i = 0; i < n * n * 4; i++) {
        double x = i / 4 % n, y = i / 4 / n;
        out[i] = byte_of(between_uint8_t(in, n, n, 4, i % 4, row0[0] * x + row0[1] * y + row0[2] + 0.5,
                                         row1[0] * x + row1[1] * y + row1[2] + 0.5, 1));
    }
}

#define STEPS 64 /* as in sampling.cl */

LIMIT_REFERENCE(volume_r32f)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    const float *tilt = limit_find(limit, "tilt", 16);
    int m = (int)limit->size, n = m / 4;

    for (int i = 0; i < m * m; i++) {
        double sum = 0;
        for (int k = 0; k < STEPS; k++) {
            double z = (k + 0.5) / STEPS, at = z * n - 0.5, low = floor(at), part = at - low;
            double x = (i % m + 0.5) / m + tilt[0] * z, y = (i / m + 0.5) / m + tilt[1] * z;
            const float *a = in + at_edge((int)low, n) * n * n, *b = in + at_edge((int)low + 1, n) * n * n;
            sum += between_float(a, n, n, 1, 0, x * n, y * n, 0) * (1 - part) +
                   between_float(b, n, n, 1, 0, x * n, y * n, 0) * part;
        }
        out[i] = (float)(sum / STEPS);
    }
}

#if LIMIT_SIMD
#include "vec.h"

INLINE vi
clamped(vi x, int n)
{
    return min_i(max_i(x, splat_i(0)), splat_i(n - 1));
}

INLINE vf
mixed(vf a, vf b, vf part)
{
    return fma_f(b - a, part, a);
}

INLINE vf
channel(vi texel, int k)
{
    return from_i((vi)((vu)texel >> (8 * k)) & 255);
}

/* Four texels of bytes around a place, between them. */
INLINE vi
mixed_texel(vi a, vi b, vi c, vi d, vf px, vf py)
{
    vi all = {0};
    for (int k = 0; k < 4; k++) {
        vf upper = mixed(channel(a, k), channel(b, k), px), lower = mixed(channel(c, k), channel(d, k), px);
        all |= round_i(mixed(upper, lower, py)) << (8 * k);
    }
    return all;
}

/* The columns of a row, which all rows share; rows are one number each. */
struct row {
    const int32_t *upper, *lower;
    vf part;
};

INLINE struct row
row_of(const int32_t *in, int y, int n, int m)
{
    float at = ((float)y + 0.5f) / (float)n * (float)m - 0.5f, low = floorf(at);
    return (struct row){in + at_edge((int)low, m) * m, in + at_edge((int)low + 1, m) * m, splat_f(at - low)};
}

LIMIT_PHASES(resize_rgba8, 1)
LIMIT_UNITS(resize_rgba8, phase) { return limit->size % (LANES * 4) ? 0 : limit->size / 4; }
LIMIT_RUN(resize_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    int n = (int)limit->size, m = n * 3 / 4;
    for (int y = (int)begin * 4; y < (int)end * 4; y++) {
        struct row r = row_of(in, y, n, m);
        for (int x = 0; x < n; x += LANES) {
            vf at = (from_i(iota() + x) + 0.5f) * ((float)m / (float)n) - 0.5f, low = floor_f(at);
            vi x0 = clamped(to_i(low), m), x1 = clamped(to_i(low) + 1, m);
            store_i(out + y * n + x, mixed_texel(gather_i(r.upper, x0), gather_i(r.upper, x1),
                                                 gather_i(r.lower, x0), gather_i(r.lower, x1), at - low,
                                                 r.part));
        }
    }
}

LIMIT_PHASES(resize_r32f, 1)
LIMIT_UNITS(resize_r32f, phase) { return limit->size % (LANES * 4) ? 0 : limit->size / 4; }
LIMIT_RUN(resize_r32f, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(float, out);
    int n = (int)limit->size, m = n * 3 / 4;
    for (int y = (int)begin * 4; y < (int)end * 4; y++) {
        struct row r = row_of(in, y, n, m);
        const float *a = (const float *)r.upper, *b = (const float *)r.lower;
        for (int x = 0; x < n; x += LANES) {
            vf at = (from_i(iota() + x) + 0.5f) * ((float)m / (float)n) - 0.5f, low = floor_f(at);
            vi x0 = clamped(to_i(low), m), x1 = clamped(to_i(low) + 1, m);
            vf upper = mixed(gather_f(a, x0), gather_f(a, x1), at - low);
            vf lower = mixed(gather_f(b, x0), gather_f(b, x1), at - low);
            store_f(out + y * n + x, mixed(upper, lower, r.part));
        }
    }
}

/* Texels, zeros outside. */
INLINE vi
or_black(const int32_t *in, vi x, vi y, int n)
{
    vm inside = and_m(and_m(gt_i(x, splat_i(-1)), gt_i(splat_i(n), x)),
                      and_m(gt_i(y, splat_i(-1)), gt_i(splat_i(n), y)));
    vi at = y * n + x;
#if LIMIT_SIMD == 512
    return (vi)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside, (__m512i)at, in, 4);
#else
    return (vi)_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)in, (__m256i)at,
                                           (__m256i)inside, 4);
#endif
}

LIMIT_PHASES(warp_rgba8, 1)
LIMIT_UNITS(warp_rgba8, phase) { return limit->size % (LANES * 4) ? 0 : limit->size / 4; }
LIMIT_RUN(warp_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    const float *row0 = limit_find(limit, "row0", 16), *row1 = limit_find(limit, "row1", 16);
    int n = (int)limit->size;
    for (int y = (int)begin * 4; y < (int)end * 4; y++)
        for (int x = 0; x < n; x += LANES) {
            vf fx = from_i(iota() + x);
            vf u = fma_f(fx, splat_f(row0[0]), splat_f(row0[1] * (float)y + row0[2])), lowu = floor_f(u);
            vf v = fma_f(fx, splat_f(row1[0]), splat_f(row1[1] * (float)y + row1[2])), lowv = floor_f(v);
            vi i = to_i(lowu), j = to_i(lowv);
            store_i(out + y * n + x,
                    mixed_texel(or_black(in, i, j, n), or_black(in, i + 1, j, n), or_black(in, i, j + 1, n),
                                or_black(in, i + 1, j + 1, n), u - lowu, v - lowv));
        }
}

LIMIT_PHASES(volume_r32f, 1)
LIMIT_UNITS(volume_r32f, phase) { return limit->size % (LANES * 4) ? 0 : limit->size / 2; }
LIMIT_RUN(volume_r32f, phase, begin, end)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    const float *tilt = limit_find(limit, "tilt", 16);
    int m = (int)limit->size, n = m / 4;
    float scale = (float)n / (float)m;
    for (int y = (int)begin * 2; y < (int)end * 2; y++)
        for (int x = 0; x < m; x += LANES) {
            vf sum = {0};
            for (int k = 0; k < STEPS; k++) {
                float z = ((float)k + 0.5f) / STEPS, at = z * (float)n - 0.5f, lowz = floorf(at);
                vf u = (from_i(iota() + x) + 0.5f) * scale + (tilt[0] * z * (float)n - 0.5f);
                float v = ((float)y + 0.5f) * scale + tilt[1] * z * (float)n - 0.5f, lowv = floorf(v);
                vf lowu = floor_f(u), px = u - lowu, slices[2];
                vi x0 = clamped(to_i(lowu), n), x1 = clamped(to_i(lowu) + 1, n);
                for (int d = 0; d < 2; d++) {
                    const float *slice = in + at_edge((int)lowz + d, n) * n * n;
                    const float *a = slice + at_edge((int)lowv, n) * n;
                    const float *b = slice + at_edge((int)lowv + 1, n) * n;
                    slices[d] = mixed(mixed(gather_f(a, x0), gather_f(a, x1), px),
                                      mixed(gather_f(b, x0), gather_f(b, x1), px), splat_f(v - lowv));
                }
                sum += mixed(slices[0], slices[1], splat_f(at - lowz));
            }
            store_f(out + y * m + x, sum * (1.0f / STEPS));
        }
}
#endif
