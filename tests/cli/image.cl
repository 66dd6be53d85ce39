/* SPDX-License-Identifier: MIT */
/* Images of several samples are refused by name. */
#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
kernel void
fetch(read_only image2d_msaa_t image, global float4 *out)
{
    out[0] = read_imagef(image, (int2)(0, 0), 1);
}
