/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void halves(global half *o, global const half *a, global half3 *v, global float *f)
{
    size_t i = get_global_id(0);
    half x = a[i];
    o[i] = x * x + (half)2 - x / (half)3;
    o[i + 1] = fmod(x, (half)2) + exp(x) + dot(v[i], v[i]) + length(v[i]);
    v[i] = normalize(v[i]) + cross(v[i], v[i].yzx);
    o[i + 2] = convert_half(f[i]) + convert_half_rtz(f[i + 1]) + convert_half_rtp((double)f[i]) + convert_half(i);
    f[i] = convert_float(x) + convert_int_sat(x) + isnan(x);
}
