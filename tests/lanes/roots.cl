/* SPDX-License-Identifier: MIT */
/* What is divided by roots, and the geometric functions that divide by one. x and y have 4 floats an item. */

kernel void
quotient(global float *out, global const float *x, global const float *y)
{
    int i = get_global_id(0);
    out[i] = x[i] / sqrt(y[i]);
}

kernel void
quotient_native(global float *out, global const float *x, global const float *y)
{
    int i = get_global_id(0);
    out[i] = i & 1 ? x[i] / native_sqrt(y[i]) : x[i] / half_sqrt(y[i]);
}

kernel void
quotient4(global float4 *out, global const float4 *x, global const float4 *y)
{
    int i = get_global_id(0);
    out[i] = x[i] / sqrt(y[i]);
}

/* The same root for three components, and the root itself in the fourth. */
kernel void
quotient3(global float *out, global const float *x, global const float *y)
{
    int i = get_global_id(0);
    float root = sqrt(y[4 * i]);
    vstore3(vload3(0, x + 4 * i) / root, 0, out + 4 * i);
    out[4 * i + 3] = root;
}

kernel void
root_native(global float *out, global const float *x, global const float *y)
{
    int i = get_global_id(0);
    out[i] = i & 1 ? native_sqrt(y[i]) : half_sqrt(y[i]);
}

kernel void
lengths(global float4 *out, global const float4 *x, global const float4 *y)
{
    int i = get_global_id(0);
    out[i] = (float4)(length(x[i].xy), length(x[i].xyz), length(x[i]), distance(x[i].xyz, y[i].xyz));
}

kernel void
normals(global float4 *out, global const float4 *x, global const float4 *y)
{
    int i = get_global_id(0);
    out[i] = i % 3 == 0   ? normalize(x[i])
             : i % 3 == 1 ? (float4)(normalize(x[i].xyz), 0)
                          : (float4)(normalize(x[i].xy), 0, 0);
}
