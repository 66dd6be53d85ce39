// SPDX-License-Identifier: MIT
/* Sums and products of floats over a work-group, in kernels that cannot tell their sub-groups: test_sums.py. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define DECLARE(T)                                                                                            \
    __attribute__((overloadable, convergent)) T work_group_reduce_add(T);                                     \
    __attribute__((overloadable, convergent)) T work_group_reduce_mul(T);
DECLARE(half)
DECLARE(float)
DECLARE(double)

#define SUMS(T)                                                                                               \
    kernel void sums_##T(global const T *in, global T *out)                                                   \
    {                                                                                                         \
        size_t i = get_global_linear_id();                                                                    \
        out[2 * i] = work_group_reduce_add(in[i]);                                                            \
        out[2 * i + 1] = work_group_reduce_mul(in[i]);                                                        \
    }
SUMS(half)
SUMS(float)
SUMS(double)

/* Each round's sum goes into the next round's summands. */
kernel void rounds_float(global const float *in, global float *out)
{
    size_t i = get_global_linear_id();
    float x = in[i], y = x;
    for (int k = 0; k < 3; k++) {
        x = work_group_reduce_add(y) * 0.01f;
        y = in[i] + x;
    }
    out[2 * i] = x;
    out[2 * i + 1] = work_group_reduce_mul(y - 0.5f);
}
