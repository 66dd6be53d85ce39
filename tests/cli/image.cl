/* SPDX-License-Identifier: MIT */
/* Images come with a later version: refused by name. */
kernel void
fetch(read_only image2d_t image, global float4 *out)
{
    out[0] = read_imagef(image, (int2)(0, 0));
}
