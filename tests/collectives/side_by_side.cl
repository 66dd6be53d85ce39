/* SPDX-License-Identifier: MIT */
/* Short kernels, several of whose sub-groups go together: what they store lies side by side. For each type TYPE:
 * one result of each sub-group, or a vector of them. test_side_by_side.c has their results in C. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define KERNELS(NAME, T)                                                                                     \
    kernel void sum_##NAME(global const T *in, global T *out, global T *more)                                \
    {                                                                                                        \
        T sum = sub_group_reduce_add(in[get_global_id(0)]);                                                  \
        if (get_sub_group_local_id() == 0)                                                                   \
            out[get_group_id(0) * get_enqueued_num_sub_groups() + get_sub_group_id()] = sum;                 \
    }                                                                                                        \
    /* Two stores of each sub-group; one of the loads serves both. */                                        \
    kernel void ends_##NAME(global const T *in, global T *out, global T *more)                               \
    {                                                                                                        \
        T x = in[get_global_id(0)], least = sub_group_reduce_min(x), most = sub_group_reduce_max(x);         \
        if (get_sub_group_local_id() == 0) {                                                                 \
            size_t at = get_group_id(0) * get_enqueued_num_sub_groups() + get_sub_group_id();                \
            out[at] = least;                                                                                 \
            more[at] = most;                                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    /* The results go through more arithmetic, and come back to all lanes. */                                \
    kernel void spread_##NAME(global const T *in, global T *out, global T *more)                             \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        T x = in[i], sum = sub_group_reduce_add(x + (T)1) * (T)2;                                            \
        more[i] = sum - x;                                                                                   \
        if (get_sub_group_local_id() == 0)                                                                   \
            out[get_group_id(0) * get_enqueued_num_sub_groups() + get_sub_group_id()] = sum;                 \
    }                                                                                                        \
    kernel void scans_##NAME(global const T *in, global T *out, global T *more)                              \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        T x = in[i];                                                                                         \
        out[i] = sub_group_scan_inclusive_add(x);                                                            \
        more[i] = sub_group_scan_exclusive_add(x);                                                           \
    }                                                                                                        \
    /* In place. */                                                                                          \
    kernel void tops_##NAME(global const T *in, global T *out, global T *more)                               \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        more[i] = in[i];                                                                                     \
        more[i] = sub_group_scan_inclusive_max(more[i]);                                                     \
    }                                                                                                        \
    /* As wide as the code likes: two elements of each work-item. */                                         \
    kernel void group_##NAME(global const T *in, global T *out, global T *more)                              \
    {                                                                                                        \
        T sum = 0;                                                                                           \
        uint n = (uint)(2 * get_global_size(0));                                                             \
        for (uint i = (uint)get_global_id(0); i < n; i += (uint)get_global_size(0))                          \
            sum += in[i];                                                                                    \
        more[get_global_id(0)] = sum;                                                                        \
        sum = work_group_reduce_add(sum);                                                                    \
        if (get_local_id(0) == 0)                                                                            \
            out[get_group_id(0)] = sum;                                                                      \
    }

KERNELS(char, char)
KERNELS(short, short)
KERNELS(int, int)
KERNELS(long, long)
KERNELS(half, half)
KERNELS(float, float)
KERNELS(double, double)

/* Eight results of a work-group, and the same where another thread may look on. */
#define EIGHT(NAME, T)                                                                                       \
    kernel void eight_##NAME(global const int *in, global T *out, global int *more)                          \
    {                                                                                                        \
        size_t at = 8 * get_group_id(0);                                                                     \
        int x[8];                                                                                            \
        if (get_local_id(0) == 0) {                                                                          \
            for (size_t k = 0; k < 8; k++)                                                                   \
                x[k] = in[at + k] * 5;                                                                       \
            for (size_t k = 0; k < 8; k++)                                                                   \
                out[at + k] = x[k];                                                                          \
        }                                                                                                    \
    }
EIGHT(plain, int)
EIGHT(volatile, volatile int)
