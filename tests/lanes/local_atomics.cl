/* Atomics of local memory, and of one counter for each work-group: sums, tickets, exchanges, many counters. What
 * comes out is of the type that they have, and does not depend on the order of the work-items. `at`: the counter of
 * this work-group. Short kernels are what sub-groups go through side by side. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define ORDER memory_order_relaxed, memory_scope_work_group
#define ITEMS (get_local_size(0) * get_local_size(1) * get_local_size(2))
#define FULL (get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2))
#define GROUP (get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)))
#define SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

/* The value after all of them, read by everyone. */
#define SUM(NAME, T, S, PLACE, OP, FIRST, X)                                                                       \
    kernel void NAME(global const int *a, global long *b, global long *c)                                          \
    {                                                                                                              \
        size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;                                          \
        PLACE;                                                                                                     \
        *v = (T)(FIRST);                                                                                           \
        SYNC;                                                                                                      \
        T x = (T)(X);                                                                                              \
        OP((volatile S atomic_##T *)v, x, ORDER);                                                                  \
        SYNC;                                                                                                      \
        ((global T *)b)[i] = *v;                                                                                   \
    }
/* The old values. */
#define TICKETS(NAME, T, S, PLACE, OP, FIRST, X)                                                                   \
    kernel void NAME(global const int *a, global long *b, global long *c)                                          \
    {                                                                                                              \
        size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;                                          \
        PLACE;                                                                                                     \
        *v = (T)(FIRST);                                                                                           \
        SYNC;                                                                                                      \
        ((global T *)b)[i] = OP((volatile S atomic_##T *)v, (T)(X), ORDER);                                        \
        SYNC;                                                                                                      \
        if (l == 0)                                                                                                \
            c[at] = (long)*v;                                                                                      \
    }
#define L(T) local T v[1]
#define G(T) global T *v = (global T *)(c + at)
#define VL(T) volatile local T v[1]

#define ONE(T)                                                                                                     \
    SUM(one_add_##T, T, local, L(T), atomic_fetch_add_explicit, 7, 1)                                              \
    SUM(one_sub_##T, T, local, L(T), atomic_fetch_sub_explicit, 7, 1)                                              \
    SUM(one_xor_##T, T, local, L(T), atomic_fetch_xor_explicit, 5, 1)                                              \
    SUM(one_volatile_add_##T, T, local, VL(T), atomic_fetch_add_explicit, 7, 1)
ONE(int)
ONE(long)
#define OPERATIONS(T)                                                                                              \
    SUM(sum_add_##T, T, local, L(T), atomic_fetch_add_explicit, 7, a[i])                                           \
    SUM(sum_sub_##T, T, local, L(T), atomic_fetch_sub_explicit, 7, a[i])                                           \
    SUM(sum_or_##T, T, local, L(T), atomic_fetch_or_explicit, 1, 1 << (a[i] & 15))                                 \
    SUM(sum_and_##T, T, local, L(T), atomic_fetch_and_explicit, 0xffff, ~(1 << (a[i] & 15)))                       \
    SUM(sum_xor_##T, T, local, L(T), atomic_fetch_xor_explicit, 5, a[i])                                           \
    SUM(sum_min_##T, T, local, L(T), atomic_fetch_min_explicit, 300, a[i])                                         \
    SUM(sum_max_##T, T, local, L(T), atomic_fetch_max_explicit, -300, a[i])                                        \
    SUM(volatile_add_##T, T, local, VL(T), atomic_fetch_add_explicit, 7, a[i])                                     \
    SUM(global_add_##T, T, global, G(T), atomic_fetch_add_explicit, 7, a[i])                                       \
    SUM(global_max_##T, T, global, G(T), atomic_fetch_max_explicit, -300, a[i])                                    \
    TICKETS(ticket_add_##T, T, local, L(T), atomic_fetch_add_explicit, 100, 1)                                     \
    TICKETS(ticket_sub_##T, T, local, L(T), atomic_fetch_sub_explicit, 100, 1)                                     \
    TICKETS(ticket_volatile_##T, T, local, VL(T), atomic_fetch_add_explicit, 100, 1)                               \
    TICKETS(ticket_global_##T, T, global, G(T), atomic_fetch_add_explicit, 100, 1)                                 \
    TICKETS(swap_##T, T, local, L(T), atomic_exchange_explicit, -1, l)                                             \
    TICKETS(swap_global_##T, T, global, G(T), atomic_exchange_explicit, -1, l)
OPERATIONS(int)
OPERATIONS(long)

SUM(sum_add_float, float, local, L(float), atomic_fetch_add_explicit, 7, a[i])
SUM(sum_min_float, float, local, L(float), atomic_fetch_min_explicit, 300, a[i])
SUM(sum_max_float, float, local, L(float), atomic_fetch_max_explicit, -300, a[i])
TICKETS(ticket_float, float, local, L(float), atomic_fetch_add_explicit, 100, 1)
TICKETS(swap_float, float, local, L(float), atomic_exchange_explicit, -1, l)

/* In one dimension, and as short as can be. */
kernel void plain_count_int(global const int *a, global uint *b, global long *c)
{
    local uint v;
    v = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&v);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0) - get_global_offset(0)] = v;
}
kernel void plain_order_int(global const int *a, global uint *b, global long *c)
{
    local uint v;
    v = 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0) - get_global_offset(0)] = atomic_inc(&v);
}

/* A compare-exchange of each work-item, until it has counted itself. */
kernel void exchange_add(global const int *a, global long *b, global long *c)
{
    size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;
    local int v[1];
    if (l == 0)
        *v = 7;
    SYNC;
    int old = *(volatile local int *)v, seen;
    while ((seen = atomic_cmpxchg(v, old, old + a[i])) != old)
        old = seen;
    SYNC;
    b[i] = *v;
}

/* Sixteen counters, two in turns, and what stands beside them; barriers in a counted loop. */
kernel void histogram(global const int *a, global long *b, global long *c)
{
    size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;
    local int v[16], w[16];
    for (size_t k = l; k < 16; k += ITEMS)
        v[k] = w[k] = 0;
    for (int k = 0; k < 3; k++) {
        SYNC;
        int x = (a[i] >> k) & 15;
        atomic_inc(&v[x]);
        atomic_add(&w[15 - x], atomic_inc(&w[x]) * 0 + 2);
    }
    SYNC;
    b[i] = v[a[i] & 15] * 4096 + w[a[i] & 15];
}
/* Tickets under a condition, and a place in a list for them. */
kernel void list(global const int *a, global long *b, global long *c)
{
    size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;
    local int v, places[8192];
    v = 0;
    SYNC;
    if (a[i] & 1)
        places[atomic_inc(&v)] = a[i];
    SYNC;
    b[i] = (int)l < v ? places[l] : 100000;
}
/* Counted by every work-item in a loop of its own length. */
kernel void rounds(global const int *a, global long *b, global long *c)
{
    size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;
    local int v;
    v = 0;
    SYNC;
    for (int k = 0; k < (a[i] & 7); k++)
        atomic_add(&v, k + 1);
    SYNC;
    b[i] = v;
}
/* Read-modify-writes without atomics: each work-item's own element, one of them for all, behind barriers. */
kernel void turns(global const int *a, global long *b, global long *c)
{
    size_t l = get_local_linear_id(), at = GROUP, i = at * FULL + l;
    local int v, w[8192];
    v = 5;
    w[l] = a[i];
    SYNC;
    for (int k = 0; k < 4; k++) {
        if (l == (size_t)k)
            v = v * 3 + w[(l + 1) % ITEMS];
        SYNC;
        w[l] += v;
        SYNC;
        w[(l + 1) % ITEMS] ^= k;
        SYNC;
    }
    b[i] = w[l] + (long)v * 65536;
}
