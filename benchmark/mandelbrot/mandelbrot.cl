/* SPDX-License-Identifier: MIT */
/* Iterations until a point leaves the circle: each lane leaves the loop when it is done. */
#pragma OPENCL FP_CONTRACT OFF

kernel void
mandelbrot(float left, float top, float step, uint bound, global uint *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float cr = left + step * x, ci = top + step * y;
    float zr = 0, zi = 0;
    uint n = 0;

    while (n < bound && zr * zr + zi * zi <= 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    out[y * get_global_size(0) + x] = n;
}
