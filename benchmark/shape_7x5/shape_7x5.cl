/* SPDX-License-Identifier: MIT */
/* The strength of edges (Sobel) in work-groups of 7 x 5. */
kernel void
shape_7x5(uint width, global const float *in, global float *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    global const float *p = in + y * width + x;
    float a = p[0], b = p[1], c = p[2], d = p[width], f = p[width + 2];
    float g = p[2 * width], h = p[2 * width + 1], i = p[2 * width + 2];
    float across = c + 2 * f + i - a - 2 * d - g, down = g + 2 * h + i - a - 2 * b - c;

    out[y * get_global_size(0) + x] = sqrt(across * across + down * down);
}
