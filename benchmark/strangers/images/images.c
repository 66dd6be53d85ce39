/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

static int
inside(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static float
saturated(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

LIMIT_LOOP(sobel_uchar4)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int c = 0; c < 4; c++) {
                int p[3][3], gx, gy;
                for (int j = 0; j < 3; j++)
                    for (int i = 0; i < 3; i++)
                        p[j][i] = in[(inside(y + j - 1, n) * n + inside(x + i - 1, n)) * 4 + c];
                gx = p[0][0] + 2 * p[1][0] + p[2][0] - p[0][2] - 2 * p[1][2] - p[2][2];
                gy = p[0][0] - p[2][0] + 2 * p[0][1] - 2 * p[2][1] + p[0][2] - p[2][2];
                out[(y * n + x) * 4 + c] =
                    (uint8_t)saturated(sqrtf((float)(gx * gx + gy * gy)) / 2 + 0.25f, 0, 255);
            }
}

LIMIT_LOOP(blur_char4)
{
    LIMIT_BUFFER(const int8_t, in);
    LIMIT_BUFFER(int8_t, out);
    LIMIT_BUFFER(const float, filter);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 2; y < n - 2; y++)
        for (int x = 2 * 4; x < (n - 2) * 4; x++) {
            float sum = 0;
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++)
                    sum += (float)in[((y + j) * n + i) * 4 + x] * filter[(j + 2) * 5 + i + 2];
            out[y * n * 4 + x] = (int8_t)saturated(rintf(sum), -128, 127);
        }
}

LIMIT_LOOP(convolve_rgb)
{
    LIMIT_BUFFER(const uint8_t, src);
    LIMIT_BUFFER(uint8_t, dst);
    LIMIT_BUFFER(const int, mask);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int c = 0; c < 3; c++) {
                int sum = 0, weight = 0;
                for (int j = y > 0 ? -1 : 0; j <= (y < n - 1); j++)
                    for (int i = x > 0 ? -1 : 0; i <= (x < n - 1); i++) {
                        sum += mask[j * 3 + i + 4] * src[((y + j) * n + x + i) * 3 + c];
                        weight += mask[j * 3 + i + 4];
                    }
                dst[(y * n + x) * 3 + c] = (uint8_t)(sum / weight > 255 ? 255 : sum / weight);
            }
}

LIMIT_LOOP(tonemap_float3)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    LIMIT_VALUE(float, exposure);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        const float *c = in + 4 * i;
        float lum = (0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]) * exposure;
        float scale = (1 + lum / 16) / (1 + lum);
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = powf(saturated(c[k] * exposure * scale, 0, 1), 0.4545f);
    }
}

LIMIT_LOOP(pyramid_down)
{
    LIMIT_BUFFER(const uint8_t, src);
    LIMIT_BUFFER(uint8_t, dst);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++)
            for (size_t c = 0; c < 4; c++) {
                const uint8_t *p = src + (2 * y * 2 * n + 2 * x) * 4 + c;
                dst[(y * n + x) * 4 + c] = (uint8_t)((p[0] + p[4] + p[8 * n] + p[8 * n + 4] + 2) / 4);
            }
}

LIMIT_LOOP(rgb_to_yuv)
{
    LIMIT_BUFFER(const uint8_t, rgb);
    LIMIT_BUFFER(uint8_t, y_plane);
    LIMIT_BUFFER(uint8_t, u_plane);
    LIMIT_BUFFER(uint8_t, v_plane);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        y_plane[i] = (uint8_t)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
        u_plane[i] = (uint8_t)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
        v_plane[i] = (uint8_t)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
    }
}

LIMIT_LOOP(brightness_histogram)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint32_t, bins);
    uint32_t mine[256] = {0};

#pragma omp parallel for reduction(+ : mine)
    for (size_t i = 0; i < limit->size; i++)
        mine[(in[4 * i] * 77 + in[4 * i + 1] * 151 + in[4 * i + 2] * 28) >> 8]++;
    for (int i = 0; i < 256; i++)
        bins[i] += mine[i];
}

LIMIT_LOOP(median_bytes)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            uint8_t v[9];
            for (int i = 0; i < 9; i++) {
                uint8_t p = in[(y + i / 3 - 1) * n + x + i % 3 - 1];
                int k = i;
                for (; k > 0 && v[k - 1] > p; k--)
                    v[k] = v[k - 1];
                v[k] = p;
            }
            out[y * n + x] = v[4];
        }
}

LIMIT_LOOP(rotate_nearest)
{
    LIMIT_BUFFER(const int, src);
    LIMIT_BUFFER(int, dst);
    LIMIT_VALUE(float, s);
    LIMIT_VALUE(float, c);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float dx = (float)x - (float)n / 2, dy = (float)y - (float)n / 2;
            int sx = (int)(dx * c + dy * s + (float)n / 2), sy = (int)(dy * c - dx * s + (float)n / 2);
            dst[y * n + x] = sx >= 0 && sx < n && sy >= 0 && sy < n ? src[sy * n + sx] : 0;
        }
}

LIMIT_LOOP(warp_uchar4)
{
    LIMIT_BUFFER(const uint8_t, src);
    LIMIT_BUFFER(uint8_t, dst);
    LIMIT_VALUE(float, a);
    LIMIT_VALUE(float, b);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sx = (int)floorf((float)x * a + (float)y * b), sy = (int)floorf((float)y * a - (float)x * b);
            int holds = sx >= 0 && sy >= 0 && sx < n && sy < n;
            for (int k = 0; k < 4; k++)
                dst[4 * (y * n + x) + k] = holds ? src[4 * (sy * n + sx) + k] : k == 3 ? 255 : 0;
        }
}

#define HALF_TOO
#define WITH_REALS "images/images_real.h"
#include "strangers/each_real.h"
