/* SPDX-License-Identifier: MIT */
/* Images of every kind, read, sampled and written: one work-item per coordinate c[i]. Names: what, kind, what comes
 * out (f, i, u). Coordinates that a kind does not have are not looked at. */
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define FLOAT_1d(c) (c).x
#define FLOAT_1d_array(c) (c).xy
#define FLOAT_2d(c) (c).xy
#define FLOAT_2d_array(c) (c)
#define FLOAT_3d(c) (c)
#define INT_1d(c) convert_int((c).x)
#define INT_1d_buffer(c) convert_int((c).x)
#define INT_1d_array(c) convert_int2((c).xy)
#define INT_2d(c) convert_int2((c).xy)
#define INT_2d_array(c) convert_int4(c)
#define INT_3d(c) convert_int4(c)

#define SAMPLED(K)                                                                                              \
    kernel void sample_##K##_f(read_only image##K##_t i, sampler_t s, global const float4 *c, global float4 *o) \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        o[g] = read_imagef(i, s, FLOAT_##K(c[g]));                                                              \
    }                                                                                                           \
    kernel void fetch_##K##_f(read_only image##K##_t i, sampler_t s, global const float4 *c, global float4 *o)  \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        o[g] = read_imagef(i, s, INT_##K(c[g]));                                                                \
    }                                                                                                           \
    kernel void sample_##K##_i(read_only image##K##_t i, sampler_t s, global const float4 *c, global int4 *o)   \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        o[g] = read_imagei(i, s, FLOAT_##K(c[g]));                                                              \
    }                                                                                                           \
    kernel void fetch_##K##_u(read_only image##K##_t i, sampler_t s, global const float4 *c, global uint4 *o)   \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        o[g] = read_imageui(i, s, INT_##K(c[g]));                                                               \
    }

#define PLAIN(K)                                                                                                \
    kernel void read_##K##_f(read_only image##K##_t i, global const float4 *c, global float4 *o)                \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        o[g] = read_imagef(i, INT_##K(c[g]));                                                                   \
    }                                                                                                           \
    kernel void read_##K##_i(read_only image##K##_t i, global const float4 *c, global int4 *o)                  \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        o[g] = read_imagei(i, INT_##K(c[g]));                                                                   \
    }                                                                                                           \
    kernel void write_##K##_f(write_only image##K##_t i, global const float4 *c, global const float4 *v)        \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        write_imagef(i, INT_##K(c[g]), v[g]);                                                                   \
    }                                                                                                           \
    kernel void write_##K##_i(write_only image##K##_t i, global const float4 *c, global const int4 *v)          \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        write_imagei(i, INT_##K(c[g]), v[g]);                                                                   \
    }                                                                                                           \
    kernel void write_##K##_u(write_only image##K##_t i, global const float4 *c, global const uint4 *v)         \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        write_imageui(i, INT_##K(c[g]), v[g]);                                                                  \
    }                                                                                                           \
    kernel void change_##K##_f(read_write image##K##_t i, global const float4 *c, global float4 *o)             \
    {                                                                                                           \
        size_t g = get_global_id(0);                                                                            \
        float4 t = read_imagef(i, INT_##K(c[g]));                                                               \
        o[g] = t;                                                                                               \
        write_imagef(i, INT_##K(c[g]), 1.0f - t);                                                               \
    }

SAMPLED(1d) SAMPLED(1d_array) SAMPLED(2d) SAMPLED(2d_array) SAMPLED(3d)
PLAIN(1d) PLAIN(1d_buffer) PLAIN(1d_array) PLAIN(2d) PLAIN(2d_array) PLAIN(3d)

/* Depths: one number. */
kernel void depth_2d(read_only image2d_depth_t i, sampler_t s, global const float4 *c, global float *o)
{
    size_t g = get_global_id(0);
    o[g] = read_imagef(i, s, c[g].xy);
}

kernel void depth_write(write_only image2d_depth_t i, global const float4 *c, global const float4 *v)
{
    size_t g = get_global_id(0);
    write_imagef(i, INT_2d(c[g]), v[g].x);
}

/* Halves. */
kernel void half_2d(read_only image2d_t i, sampler_t s, global const float4 *c, global half4 *o)
{
    size_t g = get_global_id(0);
    o[g] = read_imageh(i, s, c[g].xy);
}

kernel void half_write(write_only image2d_t i, global const float4 *c, global const half4 *v)
{
    size_t g = get_global_id(0);
    write_imageh(i, INT_2d(c[g]), v[g]);
}

/* Constant samplers of the program and of the kernel; functions that images are passed to; divergent flow. */
constant sampler_t outer = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__attribute__((noinline)) float4
from_function(read_only image2d_t i, sampler_t s, float2 at)
{
    return read_imagef(i, s, at);
}

kernel void divergent_2d(read_only image2d_t i, global const float4 *c, global float4 *o)
{
    const sampler_t inner = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    size_t g = get_global_id(0);
    float4 sum = 0;
    if (g % 3 == 0) {
        sum = read_imagef(i, outer, c[g].xy);
    } else if (g % 5 == 0) {
        for (int k = 0; k < (int)(g % 7); k++)
            sum += from_function(i, inner, c[g].xy + (float)k);
    } else if (g % 4) {
        sum = from_function(i, outer, c[g].xy);
    }
    o[g] = sum;
}

kernel void divergent_write(write_only image2d_t i, global const float4 *c, global const float4 *v)
{
    size_t g = get_global_id(0);
    if (g % 3 != 1)
        write_imagef(i, INT_2d(c[g]), v[g]);
}

/* More arguments than code is made for: the format and the sampler are not known before. */
#define SAMPLERS4(n) sampler_t n##0, sampler_t n##1, sampler_t n##2, sampler_t n##3
#define SAMPLERS16(n) SAMPLERS4(n##a), SAMPLERS4(n##b), SAMPLERS4(n##c), SAMPLERS4(n##d)
#define SAMPLERS SAMPLERS16(s), SAMPLERS16(t), SAMPLERS16(u), SAMPLERS16(v), SAMPLERS16(w), SAMPLERS16(x), SAMPLERS16(y), \
        SAMPLERS16(z), SAMPLERS16(q)
kernel void unknown_sample_3d_f(SAMPLERS, read_only image3d_t i, sampler_t s, global const float4 *c, global float4 *o)
{
    size_t g = get_global_id(0);
    o[g] = read_imagef(i, s, c[g]);
}

kernel void unknown_fetch_2d_u(SAMPLERS, read_only image2d_t i, sampler_t s, global const float4 *c, global uint4 *o)
{
    size_t g = get_global_id(0);
    o[g] = read_imageui(i, s, INT_2d(c[g]));
}

kernel void unknown_write_2d_f(SAMPLERS, write_only image2d_t i, global const float4 *c, global const float4 *v)
{
    size_t g = get_global_id(0);
    write_imagef(i, INT_2d(c[g]), v[g]);
}

kernel void unknown_write_2d_u(SAMPLERS, write_only image2d_t i, global const float4 *c, global const uint4 *v)
{
    size_t g = get_global_id(0);
    write_imageui(i, INT_2d(c[g]), v[g]);
}

/* Rows, as filters go along them: where lanes lie side by side. */
kernel void rows(read_only image2d_t i, write_only image2d_t o)
{
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int k = -2; k <= 2; k++)
        sum += read_imagef(i, edge, (int2)(x + k, y - k)) + read_imagef(i, outer, (int2)(x - k, y + k)) * 2;
    write_imagef(o, (int2)(x, y), sum / 15);
}

/* Floats made of integers, rows of them. */
kernel void whole_floats(read_only image2d_t i, write_only image2d_t o)
{
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int k = -2; k <= 2; k++)
        sum += read_imagef(i, edge, (float2)(x + k, y - k) + 0.5f) + read_imagef(i, outer, (float2)(x - k, y + k)) * 2;
    if (x < 0)
        sum += read_imagef(i, edge, (float2)(0x7fffffff - x, y));
    write_imagef(o, (int2)(x, y), sum / 15);
}

/* Questions. */
kernel void ask(read_only image1d_t a, read_only image1d_buffer_t b, read_only image1d_array_t c, read_only image2d_t d,
                read_only image2d_array_t e, read_only image3d_t f, global int *o)
{
    int2 size2 = get_image_dim(d), sizes = get_image_dim(e);
    int4 size3 = get_image_dim(f);
    int n = 0;
    o[n++] = get_image_width(a);
    o[n++] = get_image_width(b);
    o[n++] = get_image_width(c);
    o[n++] = (int)get_image_array_size(c);
    o[n++] = size2.x;
    o[n++] = size2.y;
    o[n++] = get_image_height(d);
    o[n++] = sizes.x;
    o[n++] = sizes.y;
    o[n++] = (int)get_image_array_size(e);
    o[n++] = size3.x;
    o[n++] = size3.y;
    o[n++] = size3.z;
    o[n++] = size3.w;
    o[n++] = get_image_depth(f);
    o[n++] = get_image_channel_order(d);
    o[n++] = get_image_channel_data_type(f);
}
