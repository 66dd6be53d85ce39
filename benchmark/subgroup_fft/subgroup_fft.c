/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

#define POINTS 64

LIMIT_FILL(subgroup_fft)
{
    LIMIT_BUFFER(float, twiddles);

    for (int i = 0; i < POINTS; i++) {
        twiddles[2 * i] = (float)cos(2 * M_PI * i / POINTS);
        twiddles[2 * i + 1] = (float)-sin(2 * M_PI * i / POINTS);
    }
}

LIMIT_REFERENCE(subgroup_fft)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    double c[POINTS], s[POINTS];

    for (int i = 0; i < POINTS; i++) {
        c[i] = cos(2 * M_PI * i / POINTS);
        s[i] = -sin(2 * M_PI * i / POINTS);
    }
    for (size_t f = 0; f < limit->size; f++)
        for (int k = 0; k < POINTS; k++) {
            const float *x = in + f * POINTS * 2;
            double re = 0, im = 0;
            for (int n = 0; n < POINTS; n++) {
                int w = n * k % POINTS;
                re += (double)x[2 * n] * c[w] - (double)x[2 * n + 1] * s[w];
                im += (double)x[2 * n] * s[w] + (double)x[2 * n + 1] * c[w];
            }
            out[(f * POINTS + (size_t)k) * 2] = (float)re;
            out[(f * POINTS + (size_t)k) * 2 + 1] = (float)im;
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 64

LIMIT_PHASES(subgroup_fft, 1)

LIMIT_UNITS(subgroup_fft, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* One radix-4 step of transforms of 4 * m points in place: outputs k of a butterfly go to its place k. */
INLINE void
butterfly(vf *x, int m, int j, const float *twiddles)
{
    vf ar = x[2 * j], ai = x[2 * j + 1], br = x[2 * (j + m)], bi = x[2 * (j + m) + 1];
    vf cr = x[2 * (j + 2 * m)], ci = x[2 * (j + 2 * m) + 1], dr = x[2 * (j + 3 * m)],
       di = x[2 * (j + 3 * m) + 1];
    vf sr = ar + cr, si = ai + ci, tr = ar - cr, ti = ai - ci, ur = br + dr, ui = bi + di, vr = bi - di,
       vj = dr - br;
    vf yr[4] = {sr + ur, tr + vr, sr - ur, tr - vr}, yi[4] = {si + ui, ti + vj, si - ui, ti - vj};

    x[2 * j] = yr[0];
    x[2 * j + 1] = yi[0];
    for (int k = 1; k < 4; k++) {
        vf re = yr[k], im = yi[k];
        if (m > 1) {
            const float *w = twiddles + 2 * (j * k * (POINTS / 4 / m));
            re = fma_f(yr[k], splat_f(w[0]), yi[k] * -w[1]);
            im = fma_f(yr[k], splat_f(w[1]), yi[k] * w[0]);
        }
        x[2 * (j + k * m)] = re;
        x[2 * (j + k * m) + 1] = im;
    }
}

/* As many transforms at once as there are lanes: transposed in, three radix-4 steps, transposed out. */
LIMIT_RUN(subgroup_fft, phase, begin, end)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, twiddles);

    FOR_PIECES(f, PIECE, LANES)
    {
        const float *from = in + f * POINTS * 2;
        float *to = out + f * POINTS * 2;
        vf x[2 * POINTS];
        vi v[LANES];

        for (int i = 0; i < 2 * POINTS; i += LANES) {
            for (int r = 0; r < LANES; r++)
                v[r] = (vi)load_f(from + r * 2 * POINTS + i);
            transpose(v);
            for (int r = 0; r < LANES; r++)
                x[i + r] = (vf)v[r];
        }
        for (int j = 0; j < 16; j++)
            butterfly(x, 16, j, twiddles);
        for (int part = 0; part < 4; part++)
            for (int j = 0; j < 4; j++)
                butterfly(x + part * 32, 4, j, twiddles);
        for (int part = 0; part < 16; part++)
            butterfly(x + part * 8, 1, 0, twiddles);
        /* Output k of the three digits a b c (base 4) stands at c b a. */
        for (int i = 0; i < 2 * POINTS; i += LANES) {
            for (int r = 0; r < LANES; r++) {
                int k = (i + r) / 2, at = k % 4 * 16 + k / 4 % 4 * 4 + k / 16;
                v[r] = (vi)x[2 * at + r % 2];
            }
            transpose(v);
            for (int r = 0; r < LANES; r++)
                store_f(to + r * 2 * POINTS + i, (vf)v[r]);
        }
    }
}
#endif
