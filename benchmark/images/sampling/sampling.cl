/* SPDX-License-Identifier: MIT */
/* Linear samples of images, each kernel with a twin over buffers that does by itself what the sampler does. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

#define AT (int2)(get_global_id(0), get_global_id(1))
#define INDEX (get_global_id(1) * get_global_size(0) + get_global_id(0))
#define SCALE (float2)(1.0f / get_global_size(0), 1.0f / get_global_size(1))

static uchar4
bytes_of(float4 c)
{
    return convert_uchar4_sat_rte(c * 255.0f);
}

/* Four texels at clamped places and the weights of the second ones. */
#define CORNERS(at, w, h)                                                                                    \
    float2 low = floor(at), part = at - low;                                                                 \
    int x0 = clamp((int)low.x, 0, w - 1), x1 = clamp((int)low.x + 1, 0, w - 1);                              \
    int y0 = clamp((int)low.y, 0, h - 1), y1 = clamp((int)low.y + 1, 0, h - 1);
#define NUMBERS(x, y, w) convert_float4(in[(y) * w + (x)])

kernel void
resize_rgba8(read_only image2d_t in, write_only image2d_t out)
{
    write_imagef(out, AT, read_imagef(in, edge, (convert_float2(AT) + 0.5f) * SCALE));
}

kernel void
resize_rgba8_buffer(global const uchar4 *in, global uchar4 *out)
{
    int w = get_global_size(0) * 3 / 4, h = get_global_size(1) * 3 / 4;
    float2 at = (convert_float2(AT) + 0.5f) * SCALE * (float2)(w, h) - 0.5f;
    CORNERS(at, w, h)
    float4 upper = mix(NUMBERS(x0, y0, w), NUMBERS(x1, y0, w), part.x);
    float4 lower = mix(NUMBERS(x0, y1, w), NUMBERS(x1, y1, w), part.x);
    out[INDEX] = bytes_of(mix(upper, lower, part.y) * (1 / 255.0f));
}

kernel void
resize_r32f(read_only image2d_t in, write_only image2d_t out)
{
    write_imagef(out, AT, read_imagef(in, edge, (convert_float2(AT) + 0.5f) * SCALE));
}

kernel void
resize_r32f_buffer(global const float *in, global float *out)
{
    int w = get_global_size(0) * 3 / 4, h = get_global_size(1) * 3 / 4;
    float2 at = (convert_float2(AT) + 0.5f) * SCALE * (float2)(w, h) - 0.5f;
    CORNERS(at, w, h)
    float upper = mix(in[y0 * w + x0], in[y0 * w + x1], part.x);
    float lower = mix(in[y1 * w + x0], in[y1 * w + x1], part.x);
    out[INDEX] = mix(upper, lower, part.y);
}

static float2
warped(float4 row0, float4 row1)
{
    float2 at = convert_float2(AT);
    return (float2)(row0.x * at.x + row0.y * at.y + row0.z, row1.x * at.x + row1.y * at.y + row1.z);
}

kernel void
warp_rgba8(read_only image2d_t in, write_only image2d_t out, sampler_t how, float4 row0, float4 row1)
{
    write_imagef(out, AT, read_imagef(in, how, warped(row0, row1) + 0.5f));
}

static float4
or_black(global const uchar4 *in, int x, int y, int w, int h)
{
    return x >= 0 && x < w && y >= 0 && y < h ? convert_float4(in[y * w + x]) : 0;
}

kernel void
warp_rgba8_buffer(global const uchar4 *in, global uchar4 *out, float4 row0, float4 row1)
{
    int w = get_global_size(0), h = get_global_size(1);
    float2 at = warped(row0, row1), low = floor(at), part = at - low;
    int x = (int)low.x, y = (int)low.y;
    float4 upper = mix(or_black(in, x, y, w, h), or_black(in, x + 1, y, w, h), part.x);
    float4 lower = mix(or_black(in, x, y + 1, w, h), or_black(in, x + 1, y + 1, w, h), part.x);
    out[INDEX] = bytes_of(mix(upper, lower, part.y) * (1 / 255.0f));
}

/* 64 steps through the volume, the sum of what is there. */
#define STEPS 64

kernel void
volume_r32f(read_only image3d_t in, write_only image2d_t out, float4 tilt)
{
    float2 at = (convert_float2(AT) + 0.5f) * SCALE;
    float sum = 0;
    for (int k = 0; k < STEPS; k++) {
        float z = (k + 0.5f) * (1.0f / STEPS);
        sum += read_imagef(in, edge, (float4)(at + tilt.xy * z, z, 0)).x;
    }
    write_imagef(out, AT, sum * (1.0f / STEPS));
}

kernel void
volume_r32f_buffer(global const float *in, global float *out, float4 tilt)
{
    int n = get_global_size(0) / 4;
    float2 from = (convert_float2(AT) + 0.5f) * SCALE;
    float sum = 0;
    for (int k = 0; k < STEPS; k++) {
        float z = (k + 0.5f) * (1.0f / STEPS), zn = z * n - 0.5f, lowz = floor(zn), partz = zn - lowz;
        float2 at = (from + tilt.xy * z) * n - 0.5f;
        CORNERS(at, n, n)
        global const float *a = in + clamp((int)lowz, 0, n - 1) * n * n;
        global const float *b = in + clamp((int)lowz + 1, 0, n - 1) * n * n;
        float a0 = mix(a[y0 * n + x0], a[y0 * n + x1], part.x);
        float a1 = mix(a[y1 * n + x0], a[y1 * n + x1], part.x);
        float b0 = mix(b[y0 * n + x0], b[y0 * n + x1], part.x);
        float b1 = mix(b[y1 * n + x0], b[y1 * n + x1], part.x);
        sum += mix(mix(a0, a1, part.y), mix(b0, b1, part.y), partz);
    }
    out[INDEX] = sum * (1.0f / STEPS);
}
