/* SPDX-License-Identifier: MIT */
/* Fourier transforms in local memory, one work-group a signal. REAL as in gemm.cl. */
#ifndef REAL
#define REAL float
#define REAL2 float2
#endif
#define TAU ((REAL)6.283185307179586476925286766559)

static REAL2
times(REAL2 a, REAL2 b)
{
    return (REAL2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* Radix 2, decimation in time, bits reversed on the way in, sines computed where they are needed. */
kernel void
fft_radix2(global const REAL2 *in, global REAL2 *out, int log2n)
{
    local REAL2 x[256];
    int t = get_local_id(0), n = 1 << log2n, base = get_group_id(0) * n;

    for (int k = 0; k < 2; k++) {
        int i = t + k * n / 2, r = 0;
        for (int b = 0; b < log2n; b++)
            r |= ((i >> b) & 1) << (log2n - 1 - b);
        x[r] = in[base + i];
    }
    for (int half_size = 1; half_size < n; half_size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int j = t % half_size, i = (t / half_size) * half_size * 2 + j;
        REAL angle = -TAU * j / (2 * half_size);
        REAL2 u = x[i], v = times(x[i + half_size], (REAL2)(cos(angle), sin(angle)));
        x[i] = u + v;
        x[i + half_size] = u - v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + t] = x[t];
    out[base + t + n / 2] = x[t + n / 2];
}

/* Stockham, radix 4, between two buffers, factors from a table. */
kernel void
fft_radix4(global const REAL2 *in, global REAL2 *out, global const REAL2 *factors)
{
    local REAL2 x[2 * 256];
    int from = 0, to = 256;
    int t = get_local_id(0), base = get_group_id(0) * 256;

    for (int k = 0; k < 4; k++)
        x[from + t + 64 * k] = in[base + t + 64 * k];
    for (int p = 1; p < 256; p *= 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = t & (p - 1), step = 64 / p;
        REAL2 u0 = x[from + t], u1 = times(x[from + t + 64], factors[k * step]);
        REAL2 u2 = times(x[from + t + 128], factors[2 * k * step]), u3 = times(x[from + t + 192], factors[3 * k * step]);
        REAL2 v0 = u0 + u2, v1 = u0 - u2, v2 = u1 + u3, v3 = (REAL2)(u1.y - u3.y, u3.x - u1.x);
        int at = ((t - k) << 2) + k;
        x[to + at] = v0 + v2;
        x[to + at + p] = v1 + v3;
        x[to + at + 2 * p] = v0 - v2;
        x[to + at + 3 * p] = v1 - v3;
        int swap = from;
        from = to;
        to = swap;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
        out[base + t + 64 * k] = x[from + t + 64 * k];
}

/* 64 points in the registers of eight work-items, radix 8, real and imaginary parts exchanged one after another. */
#define SQ ((REAL)0.70710678118654752440)
static void
fft8(REAL2 *a)
{
    REAL2 b[8], c[8];

    for (int i = 0; i < 4; i++) {
        b[i] = a[i] + a[i + 4];
        b[i + 4] = a[i] - a[i + 4];
    }
    b[5] = (REAL2)(b[5].x + b[5].y, b[5].y - b[5].x) * SQ;
    b[6] = (REAL2)(b[6].y, -b[6].x);
    b[7] = (REAL2)(b[7].y - b[7].x, -b[7].x - b[7].y) * SQ;
    for (int h = 0; h < 8; h += 4) {
        c[h] = b[h] + b[h + 2];
        c[h + 1] = b[h + 1] + b[h + 3];
        c[h + 2] = b[h] - b[h + 2];
        REAL2 d = b[h + 1] - b[h + 3];
        c[h + 3] = (REAL2)(d.y, -d.x);
    }
    a[0] = c[0] + c[1];
    a[4] = c[0] - c[1];
    a[2] = c[2] + c[3];
    a[6] = c[2] - c[3];
    a[1] = c[4] + c[5];
    a[5] = c[4] - c[5];
    a[3] = c[6] + c[7];
    a[7] = c[6] - c[7];
}

kernel void
fft_radix8(global const REAL2 *in, global REAL2 *out)
{
    local REAL exchange[8 * 64];
    int lane = get_local_id(0), signal = get_local_id(1);
    REAL2 a[8];
    int base = (get_group_id(1) * 8 + signal) * 64;

    for (int i = 0; i < 8; i++)
        a[i] = in[base + lane + 8 * i];
    fft8(a);
    for (int i = 1; i < 8; i++) {
        REAL angle = -TAU * (lane * i) / 64;
        a[i] = times(a[i], (REAL2)(cos(angle), sin(angle)));
    }
    for (int i = 0; i < 8; i++)
        exchange[signal * 64 + i * 8 + lane] = a[i].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        a[i].x = exchange[signal * 64 + lane * 8 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        exchange[signal * 64 + i * 8 + lane] = a[i].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        a[i].y = exchange[signal * 64 + lane * 8 + i];
    fft8(a);
    for (int i = 0; i < 8; i++)
        out[base + lane + 8 * i] = a[i];
}

/* The definition, one output a work-item. */
kernel void
dft_naive(global const REAL *re, global const REAL *im, global REAL *out_re, global REAL *out_im, int n)
{
    int k = get_global_id(0);
    REAL sr = 0, si = 0;

    for (int i = 0; i < n; i++) {
        REAL angle = -TAU * ((i * k) % n) / n;
        REAL c = cos(angle), s = sin(angle);
        sr += re[i] * c - im[i] * s;
        si += re[i] * s + im[i] * c;
    }
    out_re[k] = sr;
    out_im[k] = si;
}

/* Cosine transform of 8 x 8 blocks, a work-item a row, then a column. */
kernel void
dct_8x8(global const REAL *in, global REAL *out, constant REAL *c, int width)
{
    local REAL tile[8][8][9];
    int x = get_local_id(0), block = get_local_id(1);
    int left = (get_group_id(0) * 8 + block) * 8, top = get_group_id(1) * 8;

    for (int k = 0; k < 8; k++) {
        REAL s = 0;
        for (int i = 0; i < 8; i++)
            s += c[k * 8 + i] * in[(top + i) * width + left + x];
        tile[block][k][x] = s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) {
        REAL s = 0;
        for (int i = 0; i < 8; i++)
            s += c[k * 8 + i] * tile[block][x][i];
        out[(top + x) * width + left + k] = s;
    }
}
