/* SPDX-License-Identifier: MIT */
/* Images of several samples are refused by name; kernels that read images often; a loop. */
#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
kernel void
fetch(read_only image2d_msaa_t image, global float4 *out)
{
    out[0] = read_imagef(image, (int2)(0, 0), 1);
}

/* Each work-item's sum of `TIMES` reads along its row, past both edges, by a function that is called often. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__attribute__((noinline)) static uint
ten(read_only image2d_t image, int x, int y)
{
    uint sum = 0;
#pragma unroll
    for (int k = 0; k < 10; k++)
        sum += read_imageui(image, edge, (int2)(x + k, y)).x;
    return sum;
}

#define FIVE(x)                                                        \
    ten(image, x, y) + ten(image, x + 1, y) + ten(image, x + 2, y) + ten(image, x + 3, y) + ten(image, x + 4, y)

kernel void
many_reads(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0) - 7, y = get_global_id(1);
    out[y * get_global_size(0) + get_global_id(0)] =
        FIVE(x) + FIVE(x + 1) + FIVE(x + 2) + FIVE(x + 3) + FIVE(x + 4) + FIVE(x + 5);
}

kernel void
some_reads(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0) - 7, y = get_global_id(1);
    out[y * get_global_size(0) + get_global_id(0)] = FIVE(x) + FIVE(x + 1) + FIVE(x + 2);
}

/* Neighbours at sums of vectors, zeros outside. */
kernel void
neighbours(read_only image2d_t image, global uint *out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    uint sum = 0;

    for (int j = -1; j <= 1; j++)
        for (int i = -2; i <= 2; i++)
            sum = 3 * sum + read_imageui(image, p + (int2)(i, j)).x;
    out[p.y * get_global_size(0) + p.x] = sum;
}

/* Each work-item has elements of its own, one behind the other. (Not in kernels.cl: with a kernel more, clang-22
 * refuses that file's printf.) */
kernel void
chunks(global const int *in, global int *out, int per)
{
    in += get_global_id(0) * (size_t)per;
    out += get_global_id(0) * (size_t)per;
    for (int i = 0; i < per; i++)
        out[i] = in[i] * 3 + 1;
}
