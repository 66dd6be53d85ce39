/* SPDX-License-Identifier: MIT */
/* y += a * x: the plainest kernel there is; the range may be larger than n. */
kernel void
saxpy(uint n, float a, global const float *x, global float *y)
{
    uint i = get_global_id(0);

    if (i < n)
        y[i] = a * x[i] + y[i];
}
