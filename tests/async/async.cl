// SPDX-License-Identifier: MIT
// Asynchronous copies in and out of local memory, of every size of element: out = in, taken apart and put together by
// strides in global memory. Behind each copy every work-item looks at what others have copied.
#define KERNELS(T)                                                                                           \
    kernel void copy_##T(global const T *in, global T *out, local T *tile, int n, int in_stride,             \
                         int out_stride, global int *sum)                                                    \
    {                                                                                                        \
        size_t group = get_group_id(0);                                                                      \
        in += group * n * in_stride;                                                                         \
        out += group * n * out_stride;                                                                       \
        event_t e = async_work_group_strided_copy(tile, in, n, in_stride, 0);                                \
        wait_group_events(1, &e);                                                                            \
        int total = 0;                                                                                       \
        for (int i = 0; i < n; i++)                                                                          \
            total += ((local const uchar *)(tile + i))[0];                                                   \
        sum[get_global_id(0)] = total;                                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        e = async_work_group_strided_copy(out, tile, n, out_stride, 0);                                      \
        prefetch(in, n);                                                                                     \
        wait_group_events(1, &e);                                                                            \
    }                                                                                                        \
    kernel void plain_##T(global const T *in, global T *out, local T *tile, int n, int in_stride,            \
                          int out_stride, global int *sum)                                                   \
    {                                                                                                        \
        size_t group = get_group_id(0);                                                                      \
        int part = n / 2;                                                                                    \
        event_t events[2];                                                                                   \
        in += group * n;                                                                                     \
        out += group * n;                                                                                    \
        events[0] = async_work_group_copy(tile, in, part, 0);                                                \
        events[1] = async_work_group_copy(tile + part, in + part, n - part, events[0]);                      \
        wait_group_events(2, events);                                                                        \
        int total = 0;                                                                                       \
        for (int i = 0; i < n; i++)                                                                          \
            total += ((local const uchar *)(tile + i))[0];                                                   \
        sum[get_global_id(0)] = total;                                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        events[0] = async_work_group_copy(out, (local const T *)tile, n, 0);                                 \
        wait_group_events(1, events);                                                                        \
    }                                                                                                        \
    kernel void array_##T(global const T *in, global T *out, local T *unused, int n, int in_stride,          \
                          int out_stride, global int *sum)                                                   \
    {                                                                                                        \
        local T array[100];                                                                                  \
        in += get_group_id(0) * n;                                                                           \
        out += get_group_id(0) * n;                                                                          \
        event_t e = async_work_group_copy(array, in, n, 0);                                                  \
        wait_group_events(1, &e);                                                                            \
        int total = 0;                                                                                       \
        for (int i = 0; i < n; i++)                                                                          \
            total += ((local const uchar *)(array + i))[0];                                                  \
        sum[get_global_id(0)] = total;                                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        e = async_work_group_copy(out, array, n, 0);                                                         \
        wait_group_events(1, &e);                                                                            \
    }

KERNELS(char)
KERNELS(short)
KERNELS(int)
KERNELS(float)
KERNELS(double)
KERNELS(uchar3)
KERNELS(short2)
KERNELS(float3)
KERNELS(float4)
KERNELS(long4)
KERNELS(double8)
KERNELS(ulong16)
