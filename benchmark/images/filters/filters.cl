/* SPDX-License-Identifier: MIT */
/* Filters of images at whole coordinates, each with a twin over buffers that reads the same texels. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t inside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

#define AT (int2)(get_global_id(0), get_global_id(1))
#define INDEX (get_global_id(1) * get_global_size(0) + get_global_id(0))

kernel void
copy_rgba8(read_only image2d_t in, write_only image2d_t out)
{
    write_imageui(out, AT, read_imageui(in, inside, AT));
}

kernel void
copy_rgba8_buffer(global const uchar4 *in, global uchar4 *out)
{
    out[INDEX] = in[INDEX];
}

kernel void
copy_r32f(read_only image2d_t in, write_only image2d_t out)
{
    write_imagef(out, AT, read_imagef(in, inside, AT));
}

kernel void
copy_r32f_buffer(global const float *in, global float *out)
{
    out[INDEX] = in[INDEX];
}

static uchar4
bytes_of(float4 c)
{
    return convert_uchar4_sat_rte(c * 255.0f);
}

static float4
numbers_of(uchar4 c)
{
    return convert_float4(c) * (1 / 255.0f);
}

kernel void
gain_rgba8(read_only image2d_t in, write_only image2d_t out, float4 gain)
{
    write_imagef(out, AT, read_imagef(in, inside, AT) * gain);
}

kernel void
gain_rgba8_buffer(global const uchar4 *in, global uchar4 *out, float4 gain)
{
    out[INDEX] = bytes_of(numbers_of(in[INDEX]) * gain);
}

kernel void
convolve_rgba8(read_only image2d_t in, write_only image2d_t out, constant float *weights)
{
    float4 sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += read_imagef(in, edge, AT + (int2)(i, j)) * weights[(j + 2) * 5 + i + 2];
    write_imagef(out, AT, sum);
}

static int
index_at(int2 at, int w, int h)
{
    return clamp(at.y, 0, h - 1) * w + clamp(at.x, 0, w - 1);
}

kernel void
convolve_rgba8_buffer(global const uchar4 *in, global uchar4 *out, constant float *weights)
{
    int w = get_global_size(0), h = get_global_size(1);
    float4 sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += numbers_of(in[index_at(AT + (int2)(i, j), w, h)]) * weights[(j + 2) * 5 + i + 2];
    out[INDEX] = bytes_of(sum);
}

kernel void
convolve_r32f(read_only image2d_t in, write_only image2d_t out, constant float *weights)
{
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += read_imagef(in, edge, AT + (int2)(i, j)).x * weights[(j + 2) * 5 + i + 2];
    write_imagef(out, AT, (float4)(sum, 0, 0, 1));
}

kernel void
convolve_r32f_buffer(global const float *in, global float *out, constant float *weights)
{
    int w = get_global_size(0), h = get_global_size(1);
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += in[index_at(AT + (int2)(i, j), w, h)] * weights[(j + 2) * 5 + i + 2];
    out[INDEX] = sum;
}

kernel void
bilateral_rgba8(read_only image2d_t in, write_only image2d_t out, float near, float like)
{
    float4 middle = read_imagef(in, edge, AT), sum = 0;
    float weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float4 c = read_imagef(in, edge, AT + (int2)(i, j)), d = c - middle;
            float weight = exp(-(i * i + j * j) * near - dot(d, d) * like);
            sum += c * weight;
            weights += weight;
        }
    write_imagef(out, AT, sum / weights);
}

kernel void
bilateral_rgba8_buffer(global const uchar4 *in, global uchar4 *out, float near, float like)
{
    int w = get_global_size(0), h = get_global_size(1);
    float4 middle = numbers_of(in[INDEX]), sum = 0;
    float weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float4 c = numbers_of(in[index_at(AT + (int2)(i, j), w, h)]), d = c - middle;
            float weight = exp(-(i * i + j * j) * near - dot(d, d) * like);
            sum += c * weight;
            weights += weight;
        }
    out[INDEX] = bytes_of(sum / weights);
}

kernel void
bilateral_r32f(read_only image2d_t in, write_only image2d_t out, float near, float like)
{
    float middle = read_imagef(in, edge, AT).x, sum = 0, weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float c = read_imagef(in, edge, AT + (int2)(i, j)).x, d = c - middle;
            float weight = exp(-(i * i + j * j) * near - d * d * like);
            sum += c * weight;
            weights += weight;
        }
    write_imagef(out, AT, sum / weights);
}

kernel void
bilateral_r32f_buffer(global const float *in, global float *out, float near, float like)
{
    int w = get_global_size(0), h = get_global_size(1);
    float middle = in[INDEX], sum = 0, weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float c = in[index_at(AT + (int2)(i, j), w, h)], d = c - middle;
            float weight = exp(-(i * i + j * j) * near - d * d * like);
            sum += c * weight;
            weights += weight;
        }
    out[INDEX] = sum / weights;
}

static float4
rgb_of(float y, float2 uv)
{
    uv -= 0.5f;
    return (float4)(y + 1.402f * uv.y, y - 0.344136f * uv.x - 0.714136f * uv.y, y + 1.772f * uv.x, 1);
}

kernel void
yuv_to_rgb(read_only image2d_t luma, read_only image2d_t chroma, write_only image2d_t out)
{
    write_imagef(out, AT, rgb_of(read_imagef(luma, inside, AT).x, read_imagef(chroma, inside, AT / 2).xy));
}

kernel void
yuv_to_rgb_buffer(global const uchar *luma, global const uchar2 *chroma, global uchar4 *out)
{
    int2 half_at = AT / 2;
    uchar2 uv = chroma[half_at.y * (int)(get_global_size(0) / 2) + half_at.x];
    out[INDEX] = bytes_of(rgb_of(luma[INDEX] * (1 / 255.0f), convert_float2(uv) * (1 / 255.0f)));
}

/* A work-item goes down a column. */
kernel void
histogram_rgba8(read_only image2d_t in, global uint *bins)
{
    local uint own[256];
    own[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) {
        uint4 c = read_imageui(in, inside, (int2)(get_global_id(0), get_global_id(1) * 16 + k));
        atomic_inc(&own[(c.x * 77 + c.y * 150 + c.z * 29) >> 8]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
}

kernel void
histogram_rgba8_buffer(global const uchar4 *in, global uint *bins)
{
    local uint own[256];
    own[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) {
        uchar4 c = in[(get_global_id(1) * 16 + k) * get_global_size(0) + get_global_id(0)];
        atomic_inc(&own[(c.x * 77 + c.y * 150 + c.z * 29) >> 8]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
}

kernel void
gradient_rgba8(write_only image2d_t out, float step)
{
    write_imagef(out, AT, (float4)(get_global_id(0) * step, get_global_id(1) * step, 0.25f, 1));
}

kernel void
gradient_rgba8_buffer(global uchar4 *out, float step)
{
    out[INDEX] = bytes_of((float4)(get_global_id(0) * step, get_global_id(1) * step, 0.25f, 1));
}
