/* SPDX-License-Identifier: MIT */
kernel void
triad(float s, global const float *b, global const float *c, global float *a)
{
    size_t i = get_global_id(0);

    a[i] = b[i] + s * c[i];
}
