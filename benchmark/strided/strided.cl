/* SPDX-License-Identifier: MIT */
/* Grey from red, green and blue that stand one after the other. */
kernel void
strided(global const float *rgb, global float *grey)
{
    size_t i = get_global_id(0);

    grey[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
}
