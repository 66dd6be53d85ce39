/* SPDX-License-Identifier: MIT */
/* One step of heat flow in a plate: five points; the border stays. */
kernel void
stencil_2d(float rate, global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    int i = y * width + x;
    float middle = in[i];

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        middle += rate * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * middle);
    out[i] = middle;
}
