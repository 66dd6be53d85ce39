/* SPDX-License-Identifier: MIT */
/* The median of 3 x 3 pixels: nine values in a private array, sorted by insertion as far as needed. */
kernel void
private_median(uint width, global const float *in, global float *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float v[9];

    for (uint j = 0; j < 3; j++)
        for (uint i = 0; i < 3; i++)
            v[j * 3 + i] = in[(y + j) * width + x + i];
    for (uint i = 0; i < 5; i++)
        for (uint j = i + 1; j < 9; j++) {
            float low = fmin(v[i], v[j]);
            v[j] = fmax(v[i], v[j]);
            v[i] = low;
        }
    out[y * get_global_size(0) + x] = v[4];
}
