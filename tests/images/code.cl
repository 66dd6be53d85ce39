/* SPDX-License-Identifier: MIT */
/* Kernels whose code test_code.py looks at. */
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define X (int)get_global_id(0)
#define Y (int)get_global_id(1)

kernel void
copy(read_only image2d_t in, write_only image2d_t out)
{
    write_imageui(out, (int2)(X, Y), read_imageui(in, (int2)(X, Y)));
}

kernel void
above(read_only image2d_t in, write_only image2d_t out)
{
    write_imageui(out, (int2)(X, Y), read_imageui(in, edge, (int2)(X, Y - 3)));
}

kernel void
beside(read_only image2d_t in, write_only image2d_t out)
{
    write_imageui(out, (int2)(X, Y), read_imageui(in, edge, (int2)(X - 3, Y)));
}

kernel void
sums(read_only image2d_t in, write_only image2d_t out)
{
    uint4 sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += read_imageui(in, edge, (int2)(X + i, Y + j)) * (uint)(i * 3 + j + 13);
    write_imageui(out, (int2)(X, Y), sum);
}

/* Half as fine, by coordinates that are vectors of floats. */
kernel void
halves(read_only image2d_t in, write_only image2d_t out)
{
    write_imageui(out, (int2)(X, Y), read_imageui(in, edge, (convert_float2((int2)(X, Y)) + 0.5f) * 0.5f));
}
