/* SPDX-License-Identifier: MIT */
/* cl_ext_float_atomics. Sums are of small integers, exact in any order; cells begin with subnormal numbers, which such
 * sums swallow. */
#include "language.h"

#ifdef REFERENCE
#define OPERATIONS(T, S)                                                                                           \
    static T __attribute__((overloadable)) add(volatile S T *p, T v) { T old = *p; *p = old + v; return old; }     \
    static T __attribute__((overloadable)) sub(volatile S T *p, T v) { T old = *p; *p = old - v; return old; }     \
    static T __attribute__((overloadable)) low(volatile S T *p, T v)                                               \
    {                                                                                                              \
        T old = *p;                                                                                                \
        *p = v != v ? old : old != old || v < old ? v : old;                                                       \
        return old;                                                                                                \
    }                                                                                                              \
    static T __attribute__((overloadable)) high(volatile S T *p, T v)                                              \
    {                                                                                                              \
        T old = *p;                                                                                                \
        *p = v != v ? old : old != old || v > old ? v : old;                                                       \
        return old;                                                                                                \
    }                                                                                                              \
    static T __attribute__((overloadable)) swap(volatile S T *p, T v) { T old = *p; *p = v; return old; }          \
    static T __attribute__((overloadable)) get(volatile S T *p) { return *p; }                                     \
    static void __attribute__((overloadable)) put(volatile S T *p, T v) { *p = v; }
#else
#define ORDER memory_order_relaxed, memory_scope_device
#define A(T, S, p) ((volatile S atomic_##T *)(p))
#define OPERATIONS(T, S)                                                                                           \
    static T __attribute__((overloadable)) add(volatile S T *p, T v)                                               \
    {                                                                                                              \
        return atomic_fetch_add_explicit(A(T, S, p), v, ORDER);                                                    \
    }                                                                                                              \
    static T __attribute__((overloadable)) sub(volatile S T *p, T v)                                               \
    {                                                                                                              \
        return SUB(A(T, S, p), v);                                                                                 \
    }                                                                                                              \
    static T __attribute__((overloadable)) low(volatile S T *p, T v)                                               \
    {                                                                                                              \
        return atomic_fetch_min_explicit(A(T, S, p), v, ORDER);                                                    \
    }                                                                                                              \
    static T __attribute__((overloadable)) high(volatile S T *p, T v)                                              \
    {                                                                                                              \
        return atomic_fetch_max_explicit(A(T, S, p), v, ORDER);                                                    \
    }                                                                                                              \
    static T __attribute__((overloadable)) swap(volatile S T *p, T v)                                              \
    {                                                                                                              \
        return atomic_exchange_explicit(A(T, S, p), v, ORDER);                                                     \
    }                                                                                                              \
    static T __attribute__((overloadable)) get(volatile S T *p)                                                    \
    {                                                                                                              \
        return atomic_load_explicit(A(T, S, p), ORDER);                                                            \
    }                                                                                                              \
    static void __attribute__((overloadable)) put(volatile S T *p, T v)                                            \
    {                                                                                                              \
        atomic_store_explicit(A(T, S, p), v, ORDER);                                                               \
    }
#endif
#ifdef LLVM_SPIRV /* llvm-spirv-15 makes an integer subtraction of it */
#define SUB(p, v) atomic_fetch_add_explicit(p, -(v), ORDER)
#else
#define SUB(p, v) atomic_fetch_sub_explicit(p, v, ORDER)
#endif

#define GROUP ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))
#define SAME(x) ((x) != (x) ? 77 : (x)) /* one NaN */

#define KERNELS(T)                                                                                                 \
    OPERATIONS(T, global)                                                                                          \
    OPERATIONS(T, local)                                                                                           \
    kernel void float_atomic_##T(global T *out, global const uint *in, local uint *slots, uint n)                  \
    {                                                                                                              \
        local T *l = (local T *)slots;                                                                             \
        uint x = in[ITEM];                                                                                         \
        T small = x & 3, wide = x % 7 == 0 ? (T)NAN : (T)(x % 2000) - (T)1000;                                     \
        if (LID < 16)                                                                                              \
            l[LID] = LID == 7 ? (T)NAN : 0;                                                                        \
        if (LID == 0)                                                                                              \
            for (int k = 1; k < 16; k++)                                                                           \
                l[k] = k == 7 || k == 8 ? (T)NAN : 0;                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
        add(&out[0], small); /* all work-items of the range */                                                     \
        if (x & 4)                                                                                                 \
            add(&l[0], small);                                                                                     \
        sub(&l[1 + x % 3], small);                                                                                 \
        low(&l[4], wide);                                                                                          \
        high(&l[5 + (x >> 4) % 2], wide);                                                                          \
        low(&l[7], (T)NAN);                                                                                        \
        if (x % 3)                                                                                                 \
            high(&l[8], wide);                                                                                     \
        for (uint k = 0; k < x % 4; k++)                                                                           \
            add(&l[9 + k], 1);                                                                                     \
        /* one work-item's place: what was there comes back */                                                     \
        global T *own = out + 2000 + ITEM * 4;                                                                     \
        put(own, small);                                                                                           \
        T a = add(own, 2), b = sub(own, 1), c = high(own, 3), d = low(own, wide), e = swap(own + 1, small);        \
        put(own + 1, get(own) == small ? e != e : 9);                                                              \
        own[2] = a + b * 4 + c * 16;                                                                               \
        own[3] = SAME(d);                                                                                          \
        own[0] = SAME(own[0]);                                                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
        if (LID == 0)                                                                                              \
            for (int k = 0; k < 16; k++)                                                                           \
                out[200 + GROUP * 16 + k] = SAME(l[k]);                                                            \
    }

KERNELS(float)
KERNELS(double)
#ifndef LLVM_SPIRV /* clang-15 has no atomic_half */
KERNELS(half)
#endif

/* Tickets by floats: what comes back is a count that nobody else got. */
kernel void float_atomic_ticket(global float *out, global const uint *in, local float *l, uint n)
{
    uint x = in[ITEM];
    if (LID == 0)
        for (int k = 0; k < 1024; k++)
            l[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float ticket = x & 1 ? add(&l[0], 1) : 0;
    if (x & 1)
        add(&l[1 + (uint)ticket % 512], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (LID == 0)
        for (int k = 0; k < 600; k++)
            out[GROUP * 600 + k] = l[k];
}
