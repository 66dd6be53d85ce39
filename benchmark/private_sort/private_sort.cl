/* SPDX-License-Identifier: MIT */
/* Each work-item sorts eight numbers in a private array by odd-even transposition; element k of all items
 * stands together. */
kernel void
private_sort(uint n, global const float *in, global float *out)
{
    uint i = get_global_id(0);
    float keys[8];

    for (uint k = 0; k < 8; k++)
        keys[k] = in[k * n + i];
    for (uint round = 0; round < 8; round++)
        for (uint k = round & 1; k + 1 < 8; k += 2) {
            float a = keys[k], b = keys[k + 1];
            keys[k] = fmin(a, b);
            keys[k + 1] = fmax(a, b);
        }
    for (uint k = 0; k < 8; k++)
        out[k * n + i] = keys[k];
}
