/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

static int
at_edge(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static uint8_t
byte_of(float x)
{
    x *= 255.0f;
    return (uint8_t)(x > 0 ? x < 255 ? nearbyintf(x) : 255 : 0);
}

LIMIT_REFERENCE(copy_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    memcpy(out, in, limit->size * limit->size * 4);
}

LIMIT_REFERENCE(copy_r32f)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    memcpy(out, in, limit->size * limit->size * 4);
}

LIMIT_REFERENCE(gain_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    const float *gain = limit_find(limit, "gain", 16);
    for (size_t i = 0; i < limit->size * limit->size * 4; i++)
        out[i] = byte_of((float)in[i] / 255.0f * gain[i % 4]);
}

LIMIT_REFERENCE(convolve_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    LIMIT_BUFFER(const float, weights);
    int n = (int)limit->size;

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int c = 0; c < 4; c++) {
                float sum = 0;
                for (int k = 0; k < 25; k++)
                    sum += weights[k] *
                           (float)in[(at_edge(y + k / 5 - 2, n) * n + at_edge(x + k % 5 - 2, n)) * 4 + c];
                out[(y * n + x) * 4 + c] = byte_of(sum / 255.0f);
            }
}

LIMIT_REFERENCE(convolve_r32f)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, weights);
    int n = (int)limit->size;

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int k = 0; k < 25; k++)
                sum += weights[k] * in[at_edge(y + k / 5 - 2, n) * n + at_edge(x + k % 5 - 2, n)];
            out[y * n + x] = sum;
        }
}

LIMIT_REFERENCE(bilateral_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    LIMIT_VALUE(float, near);
    LIMIT_VALUE(float, like);
    int n = (int)limit->size;

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const uint8_t *middle = in + (y * n + x) * 4;
            float sum[4] = {0, 0, 0, 0}, weights = 0;
            for (int k = 0; k < 25; k++) {
                int j = k / 5 - 2, i = k % 5 - 2;
                const uint8_t *other = in + (at_edge(y + j, n) * n + at_edge(x + i, n)) * 4;
                float far = 0;
                for (int c = 0; c < 4; c++) {
                    float d = (float)(other[c] - middle[c]) / 255.0f;
                    far += d * d;
                }
                float weight = expf(-(float)(i * i + j * j) * near - far * like);
                weights += weight;
                for (int c = 0; c < 4; c++)
                    sum[c] += weight * (float)other[c] / 255.0f;
            }
            for (int c = 0; c < 4; c++)
                out[(y * n + x) * 4 + c] = byte_of(sum[c] / weights);
        }
}

LIMIT_REFERENCE(bilateral_r32f)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    LIMIT_VALUE(float, near);
    LIMIT_VALUE(float, like);
    int n = (int)limit->size;

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0, weights = 0;
            for (int k = 0; k < 25; k++) {
                int j = k / 5 - 2, i = k % 5 - 2;
                float other = in[at_edge(y + j, n) * n + at_edge(x + i, n)], d = other - in[y * n + x];
                float weight = expf(-(float)(i * i + j * j) * near - d * d * like);
                weights += weight;
                sum += weight * other;
            }
            out[y * n + x] = sum / weights;
        }
}

LIMIT_REFERENCE(yuv_to_rgb)
{
    LIMIT_BUFFER(const uint8_t, luma);
    LIMIT_BUFFER(const uint8_t, chroma);
    LIMIT_BUFFER(uint8_t, out);
    size_t n = limit->size;

    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            const uint8_t *uv = chroma + (y / 2 * (n / 2) + x / 2) * 2;
            float g = (float)luma[y * n + x] / 255.0f, u = (float)uv[0] / 255.0f - 0.5f;
            float v = (float)uv[1] / 255.0f - 0.5f;
            uint8_t *to = out + (y * n + x) * 4;
            to[0] = byte_of(g + 1.402f * v);
            to[1] = byte_of(g - 0.344136f * u - 0.714136f * v);
            to[2] = byte_of(g + 1.772f * u);
            to[3] = 255;
        }
}

LIMIT_REFERENCE(histogram_rgba8)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint32_t, bins);
    for (size_t i = 0; i < limit->size * limit->size; i++)
        bins[(in[4 * i] * 77 + in[4 * i + 1] * 150 + in[4 * i + 2] * 29) >> 8]++;
}

LIMIT_REFERENCE(gradient_rgba8)
{
    LIMIT_BUFFER(uint8_t, out);
    LIMIT_VALUE(float, step);
    size_t n = limit->size;

    for (size_t i = 0; i < n * n; i++) {
        out[4 * i] = byte_of((float)(i % n) * step);
        out[4 * i + 1] = byte_of((float)(i / n) * step);
        out[4 * i + 2] = 64;
        out[4 * i + 3] = 255;
    }
}

#if LIMIT_SIMD
#include "vec.h"

/* Pieces are rows. */
#define ROWS(name)                                                                                           \
    LIMIT_PHASES(name, 1)                                                                                    \
    LIMIT_UNITS(name, phase) { return limit->size % (LANES * 4) ? 0 : limit->size / 4; }
#define ROW_BEGIN ((int)begin * 4)
#define ROW_END ((int)end * 4)

INLINE vf
channel(vi texel, int k)
{
    return from_i((vi)((vu)texel >> (8 * k)) & 255);
}

/* Sums of 0 to 255 as texels. */
INLINE vi
texel_of(const vf c[4])
{
    vi all = {0};
    for (int k = 0; k < 4; k++)
        all |= round_i(min_f(max_f(c[k], splat_f(0)), splat_f(255))) << (8 * k);
    return all;
}

/* Columns x + i: contiguous but at the ends of a row. */
INLINE vi
near_i(const int32_t *row, int x, int n)
{
    return x >= 0 && x + LANES <= n ? load_i(row + x)
                                    : gather_i(row, min_i(max_i(iota() + x, splat_i(0)), splat_i(n - 1)));
}

ROWS(copy_rgba8)
LIMIT_RUN(copy_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    for (size_t i = begin * 4 * limit->size; i < end * 4 * limit->size; i += LANES)
        store_i(out + i, load_i(in + i));
}

ROWS(copy_r32f)
LIMIT_RUN(copy_r32f, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    for (size_t i = begin * 4 * limit->size; i < end * 4 * limit->size; i += LANES)
        store_i(out + i, load_i(in + i));
}

ROWS(gain_rgba8)
LIMIT_RUN(gain_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    const float *gain = limit_find(limit, "gain", 16);
    for (size_t i = begin * 4 * limit->size; i < end * 4 * limit->size; i += LANES) {
        vi t = load_i(in + i);
        vf c[4];
        for (int k = 0; k < 4; k++)
            c[k] = channel(t, k) * gain[k];
        store_i(out + i, texel_of(c));
    }
}

ROWS(convolve_rgba8)
LIMIT_RUN(convolve_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_BUFFER(const float, weights);
    int n = (int)limit->size;
    for (int y = ROW_BEGIN; y < ROW_END; y++)
        for (int x = 0; x < n; x += LANES) {
            vf c[4] = {{0}, {0}, {0}, {0}};
            for (int k = 0; k < 25; k++) {
                vi t = near_i(in + at_edge(y + k / 5 - 2, n) * n, x + k % 5 - 2, n);
                for (int m = 0; m < 4; m++)
                    c[m] = fma_f(channel(t, m), splat_f(weights[k]), c[m]);
            }
            store_i(out + y * n + x, texel_of(c));
        }
}

ROWS(convolve_r32f)
LIMIT_RUN(convolve_r32f, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_BUFFER(const float, weights);
    int n = (int)limit->size;
    for (int y = ROW_BEGIN; y < ROW_END; y++)
        for (int x = 0; x < n; x += LANES) {
            vf sum = {0};
            for (int k = 0; k < 25; k++)
                sum = fma_f((vf)near_i(in + at_edge(y + k / 5 - 2, n) * n, x + k % 5 - 2, n),
                            splat_f(weights[k]), sum);
            store_i(out + y * n + x, (vi)sum);
        }
}

ROWS(bilateral_rgba8)
LIMIT_RUN(bilateral_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_VALUE(float, near);
    LIMIT_VALUE(float, like);
    int n = (int)limit->size;
    float scaled = like / (255.0f * 255.0f);
    for (int y = ROW_BEGIN; y < ROW_END; y++)
        for (int x = 0; x < n; x += LANES) {
            vi middle = load_i(in + y * n + x);
            vf sum[4] = {{0}, {0}, {0}, {0}}, weights = {0}, d;
            for (int k = 0; k < 25; k++) {
                int j = k / 5 - 2, i = k % 5 - 2;
                vi t = near_i(in + at_edge(y + j, n) * n, x + i, n);
                vf far = {0};
                for (int m = 0; m < 4; m++) {
                    d = channel(t, m) - channel(middle, m);
                    far = fma_f(d, d, far);
                }
                vf weight = exp_f(splat_f(-(float)(i * i + j * j) * near) - far * scaled);
                weights += weight;
                for (int m = 0; m < 4; m++)
                    sum[m] = fma_f(weight, channel(t, m), sum[m]);
            }
            vf one = 1.0f / weights;
            for (int m = 0; m < 4; m++)
                sum[m] *= one;
            store_i(out + y * n + x, texel_of(sum));
        }
}

ROWS(bilateral_r32f)
LIMIT_RUN(bilateral_r32f, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_VALUE(float, near);
    LIMIT_VALUE(float, like);
    int n = (int)limit->size;
    for (int y = ROW_BEGIN; y < ROW_END; y++)
        for (int x = 0; x < n; x += LANES) {
            vf middle = (vf)load_i(in + y * n + x), sum = {0}, weights = {0};
            for (int k = 0; k < 25; k++) {
                int j = k / 5 - 2, i = k % 5 - 2;
                vf other = (vf)near_i(in + at_edge(y + j, n) * n, x + i, n), d = other - middle;
                vf weight = exp_f(splat_f(-(float)(i * i + j * j) * near) - d * d * like);
                weights += weight;
                sum = fma_f(weight, other, sum);
            }
            store_i(out + y * n + x, (vi)(sum / weights));
        }
}

ROWS(yuv_to_rgb)
LIMIT_RUN(yuv_to_rgb, phase, begin, end)
{
    LIMIT_BUFFER(const uint8_t, luma);
    LIMIT_BUFFER(const uint8_t, chroma);
    LIMIT_BUFFER(int32_t, out);
    int n = (int)limit->size;
    for (int y = ROW_BEGIN; y < ROW_END; y++)
        for (int x = 0; x < n; x += LANES) {
            /* LANES / 2 pairs of 16 bits, each twice */
#if LIMIT_SIMD == 512
            vi g = (vi)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(luma + y * n + x)));
            __m128i pairs = _mm_loadu_si128((const __m128i *)(chroma + y / 2 * n + x));
            vi uv = (vi)_mm512_cvtepu16_epi32(_mm256_set_m128i(_mm_unpackhi_epi16(pairs, pairs),
                                                              _mm_unpacklo_epi16(pairs, pairs)));
#else
            vi g = (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(luma + y * n + x)));
            __m128i pairs = _mm_loadl_epi64((const __m128i *)(chroma + y / 2 * n + x));
            vi uv = (vi)_mm256_cvtepu16_epi32(_mm_unpacklo_epi16(pairs, pairs));
#endif
            vf l = from_i(g), u = channel(uv, 0) - 127.5f, v = channel(uv, 1) - 127.5f;
            vf c[4] = {fma_f(v, splat_f(1.402f), l),
                       fma_f(v, splat_f(-0.714136f), fma_f(u, splat_f(-0.344136f), l)),
                       fma_f(u, splat_f(1.772f), l), splat_f(255)};
            store_i(out + y * n + x, texel_of(c));
        }
}

/* Each thread's own four tables, summed up by one. */
#define TABLES 4
LIMIT_SCRATCH(histogram_rgba8, limit->threads * TABLES * 256 * sizeof(uint32_t))
LIMIT_PHASES(histogram_rgba8, 3)
LIMIT_UNITS(histogram_rgba8, phase)
{
    return phase != 1 ? 1 : limit->size % LANES ? 0 : limit->size / 4;
}

LIMIT_RUN(histogram_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(uint32_t, bins);
    uint32_t *tables = limit->scratch, *own = tables + limit->thread * TABLES * 256;
    if (phase == 0)
        memset(tables, 0, limit->threads * TABLES * 256 * sizeof *tables);
    for (size_t i = begin * 4 * limit->size; phase == 1 && i < end * 4 * limit->size; i += LANES) {
        vi t = load_i(in + i), bin;
        bin = ((t & 255) * 77 + ((t >> 8) & 255) * 150 + ((t >> 16) & 255) * 29) >> 8;
        for (int k = 0; k < LANES; k++)
            own[k % TABLES * 256 + bin[k]]++;
    }
    for (size_t k = 0; phase == 2 && k < limit->threads * TABLES * 256; k++)
        bins[k % 256] += tables[k];
}

ROWS(gradient_rgba8)
LIMIT_RUN(gradient_rgba8, phase, begin, end)
{
    LIMIT_BUFFER(int32_t, out);
    LIMIT_VALUE(float, step);
    int n = (int)limit->size;
    for (int y = ROW_BEGIN; y < ROW_END; y++)
        for (int x = 0; x < n; x += LANES) {
            vf c[4] = {from_i(iota() + x) * (step * 255.0f), splat_f((float)y * step * 255.0f), splat_f(64),
                       splat_f(255)};
            store_i(out + y * n + x, texel_of(c));
        }
}
#endif
