/* SPDX-License-Identifier: MIT */
/* Kernels that are refused by name, and a sibling that is not. */
kernel void
fine(global int *out)
{
    out[get_global_id(0)] = 1;
}

kernel void
images(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    out[0] = read_imagef(image, sampler, (float2)(0.5f, 0.5f));
}
