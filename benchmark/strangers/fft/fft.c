/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

#define TAU 6.283185307179586476925286766559

/* The definition in double: what must come out. */
#define DEFINITION(name, real, points)                                                                       \
    LIMIT_REFERENCE(name)                                                                                    \
    {                                                                                                        \
        LIMIT_BUFFER(const real, in);                                                                        \
        LIMIT_BUFFER(real, out);                                                                             \
        double c[points], s[points];                                                                         \
        for (int i = 0; i < points; i++) {                                                                   \
            c[i] = cos(TAU * i / points);                                                                    \
            s[i] = -sin(TAU * i / points);                                                                   \
        }                                                                                                    \
        for (size_t g = 0; g < limit->size; g++)                                                             \
            for (int k = 0; k < points; k++) {                                                               \
                const real *x = in + g * 2 * points;                                                         \
                double re = 0, im = 0;                                                                       \
                for (int i = 0; i < points; i++) {                                                           \
                    int at = i * k % points;                                                                 \
                    re += (double)x[2 * i] * c[at] - (double)x[2 * i + 1] * s[at];                           \
                    im += (double)x[2 * i] * s[at] + (double)x[2 * i + 1] * c[at];                           \
                }                                                                                            \
                out[g * 2 * points + (size_t)(2 * k)] = (real)re;                                            \
                out[g * 2 * points + (size_t)(2 * k + 1)] = (real)im;                                        \
            }                                                                                                \
    }

/* What a C programmer would write: radix 2 with a table. */
#define FFT(name, real, points)                                                                              \
    DEFINITION(name, real, points)                                                                           \
    LIMIT_OPENMP(name)                                                                                       \
    {                                                                                                        \
        LIMIT_BUFFER(const real, in);                                                                        \
        LIMIT_BUFFER(real, out);                                                                             \
        static real c[points / 2], s[points / 2];                                                            \
        for (int i = 0; i < points / 2 && c[0] == 0; i++) {                                                  \
            c[points / 2 - 1 - i] = (real)cos(TAU * (points / 2 - 1 - i) / points);                          \
            s[points / 2 - 1 - i] = (real)-sin(TAU * (points / 2 - 1 - i) / points);                         \
        }                                                                                                    \
        _Pragma("omp parallel for") for (size_t g = 0; g < limit->size; g++)                                 \
        {                                                                                                    \
            real re[points], im[points];                                                                     \
            for (unsigned i = 0; i < points; i++) {                                                          \
                unsigned r = __builtin_bitreverse32(i) >> (32 - __builtin_ctz(points));                      \
                re[r] = in[(g * points + i) * 2];                                                            \
                im[r] = in[(g * points + i) * 2 + 1];                                                        \
            }                                                                                                \
            for (int h = 1; h < points; h *= 2)                                                              \
                for (int b = 0; b < points; b += 2 * h)                                                      \
                    for (int j = 0; j < h; j++) {                                                            \
                        real wr = c[j * (points / 2 / h)], wi = s[j * (points / 2 / h)];                     \
                        real vr = re[b + j + h] * wr - im[b + j + h] * wi;                                   \
                        real vi = re[b + j + h] * wi + im[b + j + h] * wr;                                   \
                        re[b + j + h] = re[b + j] - vr, im[b + j + h] = im[b + j] - vi;                      \
                        re[b + j] += vr, im[b + j] += vi;                                                    \
                    }                                                                                        \
            for (size_t i = 0; i < points; i++) {                                                            \
                out[(g * points + i) * 2] = re[i];                                                           \
                out[(g * points + i) * 2 + 1] = im[i];                                                       \
            }                                                                                                \
        }                                                                                                    \
    }
FFT(fft_radix2, float, 256)
FFT(fft_radix2_double, double, 256)
FFT(fft_radix4, float, 256)
FFT(fft_radix4_double, double, 256)
FFT(fft_radix8, float, 64)

#define FACTORS(name, real)                                                                                  \
    LIMIT_FILL(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(real, factors);                                                                         \
        for (int i = 0; i < 256; i++) {                                                                      \
            factors[2 * i] = (real)cos(TAU * i / 256);                                                       \
            factors[2 * i + 1] = (real)-sin(TAU * i / 256);                                                  \
        }                                                                                                    \
    }
FACTORS(fft_radix4, float)
FACTORS(fft_radix4_double, double)

#define NAIVE(name, real, cosine, sine)                                                                      \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, re);                                                                        \
        LIMIT_BUFFER(const real, im);                                                                        \
        LIMIT_BUFFER(real, out_re);                                                                          \
        LIMIT_BUFFER(real, out_im);                                                                          \
        LIMIT_VALUE(int, n);                                                                                 \
        _Pragma("omp parallel for") for (int k = 0; k < n; k++)                                              \
        {                                                                                                    \
            real sr = 0, si = 0;                                                                             \
            for (int i = 0; i < n; i++) {                                                                    \
                real angle = (real)-TAU * (real)(i * k % n) / (real)n, c = cosine(angle), s = sine(angle);   \
                sr += re[i] * c - im[i] * s;                                                                 \
                si += re[i] * s + im[i] * c;                                                                 \
            }                                                                                                \
            out_re[k] = sr;                                                                                  \
            out_im[k] = si;                                                                                  \
        }                                                                                                    \
    }
NAIVE(dft_naive, float, cosf, sinf)
NAIVE(dft_naive_double, double, cos, sin)

LIMIT_FILL(dct_8x8)
{
    LIMIT_BUFFER(float, c);

    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            c[k * 8 + i] = (float)(sqrt(k ? 0.25 : 0.125) * cos(TAU * (2 * i + 1) * k / 32));
}

LIMIT_LOOP(dct_8x8)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, c);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int top = 0; top < n; top += 8)
        for (int left = 0; left < n; left += 8) {
            float rows[8][8];
            for (int k = 0; k < 8; k++)
                for (int x = 0; x < 8; x++) {
                    float sum = 0;
                    for (int i = 0; i < 8; i++)
                        sum += c[k * 8 + i] * in[(top + i) * n + left + x];
                    rows[k][x] = sum;
                }
            for (int y = 0; y < 8; y++)
                for (int k = 0; k < 8; k++) {
                    float sum = 0;
                    for (int i = 0; i < 8; i++)
                        sum += c[k * 8 + i] * rows[y][i];
                    out[(top + y) * n + left + k] = sum;
                }
        }
}
