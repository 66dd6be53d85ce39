/* SPDX-License-Identifier: MIT */
/* Points (x, y, z, 1) through a matrix and back to w = 1. */
kernel void
float4_transform(constant float4 *matrix, global const float4 *in, global float4 *out)
{
    size_t i = get_global_id(0);
    float4 p = in[i];
    float4 q = matrix[0] * p.x + matrix[1] * p.y + matrix[2] * p.z + matrix[3];

    out[i] = q / q.w;
}
