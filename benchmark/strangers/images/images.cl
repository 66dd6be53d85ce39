/* SPDX-License-Identifier: MIT */
/* Images in buffers, as people process them who have no image objects: uchar4, char4, float3, clamped indices. */
#ifndef REAL
#define REAL float
#define REAL2 float2
#define REAL3 float3
#define REAL4 float4
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif


kernel void
sobel_uchar4(global const uchar4 *in, global uchar4 *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    int l = clamp(x - 1, 0, width - 1), r = clamp(x + 1, 0, width - 1);
    int u = clamp(y - 1, 0, height - 1), d = clamp(y + 1, 0, height - 1);
    float4 i00 = convert_float4(in[u * width + l]), i10 = convert_float4(in[u * width + x]), i20 = convert_float4(in[u * width + r]);
    float4 i01 = convert_float4(in[y * width + l]), i21 = convert_float4(in[y * width + r]);
    float4 i02 = convert_float4(in[d * width + l]), i12 = convert_float4(in[d * width + x]), i22 = convert_float4(in[d * width + r]);
    float4 gx = i00 + 2.0f * i01 + i02 - i20 - 2.0f * i21 - i22;
    float4 gy = i00 - i02 + 2.0f * i10 - 2.0f * i12 + i20 - i22;

    out[y * width + x] = convert_uchar4_sat(hypot(gx, gy) / 2.0f + 0.25f);
}

/* Only inside, borders are left alone. */
kernel void
blur_char4(global const char4 *in, global char4 *out, constant float *filter, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0.0f;

    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2)
        return;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += convert_float4(in[(y + j) * width + x + i]) * filter[(j + 2) * 5 + i + 2];
    out[y * width + x] = convert_char4_sat_rte(sum);
}

/* Bytes, three channels behind one another, a dimension for the channel. */
kernel void
convolve_rgb(global const uchar *src, global uchar *dst, global const int *mask, int w, int h)
{
    int c = get_global_id(0) % 3, x = get_global_id(0) / 3, y = get_global_id(1), sum = 0, weight = 0;

    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h) {
                int m = mask[(j + 1) * 3 + i + 1];
                sum += m * src[((y + j) * w + x + i) * 3 + c];
                weight += m;
            }
    dst[(y * w + x) * 3 + c] = (uchar)clamp(sum / max(weight, 1), 0, 255);
}

/* Tone mapping, float3 in 16 bytes an element, out packed. */
kernel void
tonemap_float3(global const float3 *in, global float *out, float exposure)
{
    int i = get_global_id(0);
    float3 c = in[i] * exposure;
    float lum = dot(c, (float3)(0.2126f, 0.7152f, 0.0722f));
    float scale = (1.0f + lum / 16.0f) / (1.0f + lum);

    c = clamp(c * scale, 0.0f, 1.0f);
    vstore3(native_powr(c, (float3)(0.4545f)), i, out);
}

/* A level of a pyramid: four pixels become one. */
kernel void
pyramid_down(global const uchar4 *src, global uchar4 *dst, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    global const uchar4 *p = src + 2 * y * w + 2 * x;
    int4 s = convert_int4(p[0]) + convert_int4(p[1]) + convert_int4(p[w]) + convert_int4(p[w + 1]);

    dst[y * (w / 2) + x] = convert_uchar4((s + 2) >> 2);
}

/* And up again, bilinear, float. */
kernel void
pyramid_up(global const REAL *src, global REAL *dst, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    REAL fx = (x + (REAL)0.5) * (REAL)0.5 - (REAL)0.5, fy = (y + (REAL)0.5) * (REAL)0.5 - (REAL)0.5;
    int x0 = (int)floor(fx), y0 = (int)floor(fy);
    REAL ax = fx - x0, ay = fy - y0;
    int xa = max(x0, 0), xb = min(x0 + 1, w - 1), ya = max(y0, 0), yb = min(y0 + 1, h - 1);

    dst[y * 2 * w + x] = mix(mix(src[ya * w + xa], src[ya * w + xb], ax), mix(src[yb * w + xa], src[yb * w + xb], ax), ay);
}

kernel void
rgb_to_yuv(global const uchar *rgb, global uchar *y_plane, global uchar *u_plane, global uchar *v_plane)
{
    int i = get_global_id(0);
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];

    y_plane[i] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    u_plane[i] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    v_plane[i] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
}

/* Histogram of brightness, 256 bins in local memory, by atomics. */
kernel void
brightness_histogram(global const uchar4 *in, global uint *bins, int n)
{
    local uint mine[256];
    int t = get_local_id(0);

    mine[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        uchar4 p = in[i];
        atomic_inc(&mine[(p.x * 77 + p.y * 151 + p.z * 28) >> 8]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], mine[t]);
}

/* Median of 3 x 3 bytes by sorting a private array. */
kernel void
median_bytes(global const uchar *in, global uchar *out, int w)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    uchar v[9];
    int n = 0;

    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            v[n++] = in[(y + j) * w + x + i];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) {
                uchar t = v[i];
                v[i] = v[j];
                v[j] = t;
            }
    out[y * w + x] = v[4];
}

/* Bilateral filter, exp of differences. */
kernel void
bilateral(global const REAL *in, global REAL *out, int w, int h, REAL ss, REAL sr)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const REAL c = in[mad24(y, w, x)];
    REAL sum = 0, weights = 0;

    for (int j = max(y - 2, 0); j <= min(y + 2, h - 1); ++j)
        for (int i = max(x - 2, 0); i <= min(x + 2, w - 1); ++i) {
            REAL v = in[mad24(j, w, i)], d = v - c;
            REAL weight = native_exp(-(REAL)((i - x) * (i - x) + (j - y) * (j - y)) * ss - d * d * sr);
            sum += weight * v;
            weights += weight;
        }
    out[mad24(y, w, x)] = sum / weights;
}

/* A rotation with bounds, nearest pixel. */
kernel void
rotate_nearest(global const int *src, global int *dst, int w, int h, float s, float c)
{
    int ix = get_global_id(0), iy = get_global_id(1);
    float x0 = w / 2.0f, y0 = h / 2.0f;
    float xoff = ix - x0, yoff = iy - y0;
    int xpos = (int)(xoff * c + yoff * s + x0), ypos = (int)(yoff * c - xoff * s + y0);

    if ((xpos >= 0) && (xpos < w) && (ypos >= 0) && (ypos < h))
        dst[iy * w + ix] = src[ypos * w + xpos];
    else
        dst[iy * w + ix] = 0;
}

/* A warp of four channels of bytes; what lies outside has the border's colour. */
kernel void
warp_uchar4(global const uchar4 *src, global uchar4 *dst, int w, int h, float a, float b)
{
    int x = get_global_id(0), y = get_global_id(1);
    int sx = convert_int_rtn(x * a + y * b), sy = convert_int_rtn(y * a - x * b);

    dst[y * w + x] = (sx < 0 || sy < 0 || sx >= w || sy >= h) ? (uchar4)(0, 0, 0, 255) : src[sy * w + sx];
}
