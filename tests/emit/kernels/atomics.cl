/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void old(volatile global int *o, volatile local uint *l, volatile global uint *u)
{
    o[16] = atomic_add(&o[0], 5) + atomic_sub(&o[1], 3) + atomic_inc(&o[2]) + atomic_dec(&o[3]);
    o[17] = atomic_xchg(&o[4], 9) + atomic_cmpxchg(&o[5], 1, 77) + atomic_min(&o[6], -4) + atomic_max(&o[7], 4);
    o[18] = atomic_and(&o[8], 12) + atomic_or(&o[9], 3) + atomic_xor(&o[10], 6);
    u[0] = atomic_max(&u[1], 3u) + atomic_min(&u[2], 0xfffffff0u);
    l[0] = atomic_inc(l) + atomic_max(l + 1, 3u);
}
kernel void new(global atomic_int *a, global int *o, global atomic_float *f, global atomic_flag *flag)
{
    int expected = 3;
    atomic_store(&a[0], 3);
    o[0] = atomic_load(&a[0]) + atomic_fetch_add_explicit(&a[1], 2, memory_order_relaxed);
    o[1] = atomic_fetch_max(&a[2], 9) + atomic_exchange(&a[3], 2);
    o[2] = atomic_compare_exchange_strong(&a[0], &expected, 8) + expected;
    atomic_store_explicit(f, 1.5f, memory_order_release);
    o[3] = atomic_flag_test_and_set(flag);
    atomic_flag_clear(flag);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}
