/* SPDX-License-Identifier: MIT */
/* A grey image of 8 bits blurred by 1 2 1 / 2 4 2 / 1 2 1; the border is left out of the range. */
kernel void
image_filter(uint width, global const uchar *in, global uchar *out)
{
    size_t i = (get_global_id(1) + 1) * width + get_global_id(0) + 1;
    uint sum = in[i - width - 1] + 2 * in[i - width] + in[i - width + 1] + 2 * in[i - 1] + 4 * in[i] +
               2 * in[i + 1] + in[i + width - 1] + 2 * in[i + width] + in[i + width + 1];

    out[i] = (sum + 8) / 16;
}
