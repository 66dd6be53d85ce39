/* SPDX-License-Identifier: MIT */
/* Kernels that are refused by name, and a sibling that is not. */
#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable

kernel void
fine(global int *out)
{
    out[get_global_id(0)] = 1;
}

kernel void
images(read_only image2d_msaa_t image, global float4 *out)
{
    out[0] = read_imagef(image, (int2)(0, 0), 1);
}
