/* SPDX-License-Identifier: MIT */
/* Sub-groups, work-groups and work-items that wait for each other. `down`: for those of higher numbers. */
#define LOAD(p, scope) atomic_load_explicit(p, memory_order_acquire, scope)
#define STORE(p, v, scope) atomic_store_explicit(p, v, memory_order_release, scope)
#define GROUP memory_scope_work_group
#define DEVICE memory_scope_device

/* One sub-group produces, the others wait for it. */
kernel void
local_flag(global int *out, int down)
{
    local atomic_int flag;
    local int message;
    uint me = get_sub_group_id(), all = get_num_sub_groups(), from = down ? all - 1 : 0;

    if (get_local_linear_id() == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == from) {
        message = 17 + (int)get_group_id(0);
        STORE(&flag, 1, GROUP);
    } else {
        while (LOAD(&flag, GROUP) == 0)
            ;
    }
    out[get_global_id(0)] = message + (int)get_local_id(0);
}

/* Each sub-group of the work-group waits for the one before, or behind; private values live across. */
kernel void
local_chain(global int *out, int down)
{
    local atomic_int flags[2048];
    uint me = get_sub_group_id(), all = get_num_sub_groups(), n = down ? all - 1 - me : me;
    int mine[5], gid = (int)get_global_id(0);

    for (int i = 0; i < 5; i++)
        mine[i] = gid * i;
    for (uint i = get_local_linear_id(); i < all; i += get_local_size(0))
        atomic_init(&flags[i], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0;
    if (n > 0) {
        do {
            before = LOAD(&flags[n - 1], GROUP);
        } while (before == 0);
    }
    STORE(&flags[n], before + 1, GROUP);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = before + mine[(uint)gid % 5] + LOAD(&flags[all - 1], GROUP);
}

/* Each sub-group of all of the range waits for another; flags are zero. */
kernel void
global_chain(global int *out, global atomic_int *flags, int down)
{
    uint n = get_group_id(0) * get_enqueued_num_sub_groups() + get_sub_group_id();
    uint all = (get_num_groups(0) - 1) * get_enqueued_num_sub_groups();
    int before = 0;

    all += (get_global_size(0) - (get_num_groups(0) - 1) * get_enqueued_local_size(0) +
            get_max_sub_group_size() - 1) /
           get_max_sub_group_size();
    if (down)
        n = all - 1 - n;
    if (n > 0)
        while ((before = LOAD(&flags[n - 1], DEVICE)) == 0)
            ;
    if (get_sub_group_local_id() == 0)
        STORE(&flags[n], before + 1, DEVICE);
    out[get_global_id(0)] = before;
}

/* As before there were atomics to say it with. READ: of what the others wait for. */
#define PLAIN_FLAG(READ)                                                                                     \
    uint me = get_sub_group_id(), all = get_num_sub_groups(), from = down ? all - 1 : 0;                     \
    volatile global int *flag = flags + 2 * get_group_id(0);                                                 \
    if (me == from) {                                                                                        \
        flag[1] = 5;                                                                                         \
        mem_fence(CLK_GLOBAL_MEM_FENCE);                                                                     \
        flag[0] = 1;                                                                                         \
    } else {                                                                                                 \
        while (READ == 0)                                                                                    \
            ;                                                                                                \
        mem_fence(CLK_GLOBAL_MEM_FENCE);                                                                     \
    }                                                                                                        \
    out[get_global_id(0)] = flag[1];

kernel void
volatile_flag(global int *out, volatile global int *flags, int down)
{
    PLAIN_FLAG(flag[0])
}

/* By a function without a loop. */
__attribute__((noinline)) int
look(ulong flag)
{
    return *(volatile global int *)flag;
}

kernel void
called_flag(global int *out, volatile global int *flags, int down)
{
    PLAIN_FLAG(look((ulong)flag))
}

/* One lane of each sub-group takes a lock around what is no atomic operation. */
kernel void
spin_lock(global int *out, global atomic_int *lock, global int *count)
{
    if (get_sub_group_local_id() == 0) {
        int expected = 0;
        while (!atomic_compare_exchange_weak_explicit(lock, &expected, 1, memory_order_acquire,
                                                      memory_order_relaxed, DEVICE))
            expected = 0;
        *count += 1;
        STORE(lock, 0, DEVICE);
    }
    out[get_global_id(0)] = sub_group_reduce_add(1);
}

kernel void
exchange_lock(global int *out, global atomic_int *lock, global int *count)
{
    if (get_sub_group_local_id() == get_sub_group_size() - 1) {
        while (atomic_exchange_explicit(lock, 1, memory_order_acquire, DEVICE))
            ;
        *count += 1;
        atomic_exchange_explicit(lock, 0, memory_order_release, DEVICE);
    }
    out[get_global_id(0)] = sub_group_broadcast((int)get_local_id(0), 0);
}

kernel void
ticket_lock(global int *out, global atomic_int *next, global atomic_int *serving, global int *count)
{
    int old = 0;

    if (get_sub_group_local_id() == 0) {
        int ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, DEVICE);
        while (LOAD(serving, DEVICE) != ticket)
            ;
        old = *count;
        *count = old + 1;
        STORE(serving, ticket + 1, DEVICE);
    }
    out[get_global_id(0)] = sub_group_broadcast(old, 0);
}

/* Decoupled look-back. state: per work-group 0, or 1 + 2 * sum of it alone, or 2 + 2 * sum of all up to it.
 */
kernel void
look_back(global const int *in, global int *out, global atomic_int *state, global atomic_int *next)
{
    local int number, before;
    size_t n = get_enqueued_local_size(0);

    if (get_local_id(0) == 0)
        number = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, DEVICE);
    barrier(CLK_LOCAL_MEM_FENCE);
    int me = number;
    size_t at = me * n + get_local_id(0);
    int x = at < get_global_size(0) ? in[at] : 0;
    int sum = work_group_scan_inclusive_add(x), total = work_group_broadcast(sum, get_local_size(0) - 1);
    if (get_local_id(0) == 0) {
        int sums = 0;
        STORE(&state[me], 2 * total + (me ? 1 : 2), DEVICE);
        for (int i = me - 1; i >= 0;) {
            int seen = LOAD(&state[i], DEVICE);
            if (seen == 0)
                continue;
            sums += (seen - 1) / 2;
            if (seen % 2 == 0)
                break;
            i--;
        }
        if (me)
            STORE(&state[me], 2 * (sums + total) + 2, DEVICE);
        before = sums;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < get_global_size(0))
        out[at] = before + sum;
}

/* All work-groups wait for all of them, between barriers: as many as may have begun at once. */
kernel void
grid_barrier(global int *out, global atomic_int *arrived, global int *values)
{
    int groups = (int)get_num_groups(0), round = 1, sum = 0;

    for (; round <= 3; round++) {
        if (get_local_id(0) == 0)
            values[get_group_id(0)] = (int)get_group_id(0) * round;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, DEVICE);
            while (LOAD(arrived, DEVICE) < (2 * round - 1) * groups)
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < groups; i++)
            sum += values[i];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
            atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, DEVICE);
            while (LOAD(arrived, DEVICE) < 2 * round * groups)
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

/* Every work-item takes the lock, between barriers, with local ids. */
kernel void
item_lock(global int *out, global atomic_int *lock, global int *count, local int *seen)
{
    int id = (int)get_local_id(0);

    seen[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed, DEVICE))
        expected = 0;
    *count += 1;
    seen[(id + 1) % (int)get_local_size(0)] = id + 1;
    STORE(lock, 0, DEVICE);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = seen[id];
}

kernel void
item_ticket(global int *out, global atomic_int *next, global atomic_int *serving, global int *count)
{
    int ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, DEVICE);

    while (LOAD(serving, DEVICE) != ticket)
        ;
    int old = *count;
    *count = old + 1;
    STORE(serving, ticket + 1, DEVICE);
    out[ticket] = old + (int)(get_local_id(0) - get_local_id(0));
}

/* What goes back to the loop's begin is a switch. */
kernel void
switch_lock(global int *out, volatile global int *lock, global int *count)
{
    for (;;) {
        switch (atomic_xchg(lock, 1)) {
        case 0:
            *count += 1;
            out[get_global_id(0)] = (int)get_global_id(0);
            atomic_xchg(lock, 0);
            return;
        case 5:
            out[get_global_id(0)] = -5;
            return;
        case 9:
            out[get_global_id(0)] = -9;
            return;
        default:
            break;
        }
    }
}

/* Who counts from zero has the lock. */
kernel void
counted_lock(global int *out, volatile global int *lock, global int *count)
{
    while (atomic_inc(lock) != 0)
        ;
    *count += 1;
    out[get_global_id(0)] = (int)get_global_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *lock = 0;
}

/* Who finds it taken takes back what it has added. */
kernel void
semaphore(global int *out, volatile global int *taken, global int *count)
{
    while (atomic_inc(taken) > 0)
        atomic_dec(taken);
    *count += 1;
    out[get_global_id(0)] = (int)get_global_id(0);
    atomic_dec(taken);
}

kernel void
local_semaphore(global int *out, volatile global int *unused, global int *count)
{
    local int taken, here;

    if (get_local_id(0) == 0)
        taken = here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_inc(&taken) > 0)
        atomic_dec(&taken);
    here++;
    atomic_dec(&taken);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(count, here);
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* Asked for more than zero, and begun anew by who has it. */
kernel void
begun_anew(global int *out, volatile global int *lock, global int *count)
{
    while (atomic_inc(lock) > 0)
        ;
    *count += 1;
    out[get_global_id(0)] = (int)get_global_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *lock = 0;
}

/* Where the address is said to be of any memory. */
kernel void
begun_anew_as_generic(global int *out, volatile global int *lock, global int *count)
{
    while (atomic_inc(lock) > 0)
        ;
    *count += 1;
    out[get_global_id(0)] = (int)get_global_id(0);
    STORE((volatile global atomic_int *)lock, 0, DEVICE);
}

kernel void
begun_anew_here(global int *out, volatile global int *unused, global int *count)
{
    local int lock, here;

    if (get_local_id(0) == 0)
        lock = here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_inc(&lock) > 0)
        ;
    here++;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(count, here);
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* One of many, that is found again to be given back. */
kernel void
begun_anew_of_many(global int *out, volatile global int *locks, global int *count)
{
    while (atomic_inc(&locks[locks[8]]) > 0)
        ;
    *count += 1;
    out[get_global_id(0)] = (int)get_global_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    locks[locks[8]] = 0;
}

/* A store of five, of which each takes as many as it needs, and who finds too few puts them back. */
kernel void
budget(global int *out, volatile global int *taken, global int *count)
{
    int id = (int)get_global_id(0), need = 1 + id % 3;

    while (atomic_add(taken, need) + need > 5)
        atomic_sub(taken, need);
    atomic_inc(count);
    out[id] = id;
    atomic_sub(taken, need);
}

kernel void
budget_here(global int *out, volatile global int *unused, global int *count)
{
    local int taken;
    int id = (int)get_global_id(0), need = 1 + id % 3;

    if (get_local_id(0) == 0)
        taken = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (;;) {
        int before = atomic_add(&taken, need);
        if (before + need <= 5)
            break;
        atomic_add(&taken, -need);
    }
    atomic_inc(count);
    out[id] = id;
    atomic_add(&taken, -need);
}

/* Locks of many, a lock to a place, given back in the loop. */
kernel void
many_locks(global int *out, global atomic_int *locks, global int *counts, int places)
{
    int place = (int)(get_global_id(0) * 7u % (uint)places), done = 0;

    while (!done) {
        if (atomic_exchange_explicit(&locks[place], 1, memory_order_acquire, DEVICE) == 0) {
            counts[place] += 1;
            STORE(&locks[place], 0, DEVICE);
            done = 1;
        }
    }
    out[get_global_id(0)] = done + (int)get_local_id(0);
}

/* ---- each work-item, in kernels whose sub-groups do something together ---- */

kernel void
reduced_lock(global int *out, global atomic_int *lock, global int *count)
{
    int expected = 0, before = sub_group_scan_inclusive_add(1);

    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed, DEVICE))
        expected = 0;
    *count += 1;
    STORE(lock, 0, DEVICE);
    before = sub_group_reduce_add(before);
    atomic_fetch_add_explicit((global atomic_int *)count + 1, 1, memory_order_relaxed, DEVICE);
    out[get_global_id(0)] = before;
}

/* With what there was before there were orders of memory; taken and given back in every round. */
kernel void
fenced_lock(global int *out, volatile global int *lock, global int *count)
{
    int sum = 0;

    for (int round = 1; round <= 3; round++) {
        while (atomic_xchg(lock, 1))
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        *count += 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        *(global int *)lock = 0;
        barrier(CLK_GLOBAL_MEM_FENCE);
        sum += work_group_broadcast(round * (int)get_local_id(0), get_local_size(0) - 1);
    }
    out[get_global_id(0)] = sum;
}

/* A turn for each work-item of the work-group, the last one first or the first one; handed on by another
 * pointer. */
kernel void
turns(global int *out, global int *count, int down)
{
    local atomic_int serving[2];
    local int served;
    int id = (int)get_local_id(0), all = (int)get_local_size(0), ticket = down ? all - 1 - id : id;

    if (id == 0) {
        atomic_init(&serving[0], 0);
        served = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (LOAD(&serving[0], GROUP) != ticket)
        ;
    int mine = served++;
    STORE(&serving[ticket >= all], ticket + 1, GROUP);
    atomic_fetch_add_explicit((global atomic_int *)count, 1, memory_order_relaxed, DEVICE);
    out[get_global_id(0)] = mine + (sub_group_all(mine == ticket) ? 0 : 1000000);
}

/* Each work-item waits for the one before, or behind. */
kernel void
item_chain(global int *out, int down)
{
    local atomic_int flags[8192];
    int id = (int)get_local_id(0), all = (int)get_local_size(0), n = down ? all - 1 - id : id, before = 0;

    atomic_init(&flags[id], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n > 0)
        while ((before = LOAD(&flags[down ? id + 1 : id - 1], GROUP)) == 0)
            ;
    STORE(&flags[id], before + 1, GROUP);
    out[get_global_id(0)] = before + (sub_group_any(before > all) ? 1000000 : 0);
}

/* Two locks in their order, the first one held while the second is awaited: each one the second of others. */
kernel void
two_locks(global int *out, global atomic_int *locks, global int *counts, int places)
{
    int first = (int)(get_global_id(0) % (uint)places);

    while (atomic_exchange_explicit(&locks[first], 1, memory_order_acquire, DEVICE))
        ;
    while (atomic_exchange_explicit(&locks[first + 1], 1, memory_order_acquire, DEVICE))
        ;
    counts[first] += 1;
    STORE(&locks[first + 1], 0, DEVICE);
    STORE(&locks[first], 0, DEVICE);
    out[get_global_id(0)] = sub_group_reduce_add(1);
}

/* Not every work-item takes it, and what they did not take is no matter behind it. */
kernel void
some_lock(global int *out, global atomic_int *lock, global int *count)
{
    int id = (int)get_global_id(0), mine = -id;

    if (id % 3) {
        while (atomic_exchange_explicit(lock, 1, memory_order_acquire, DEVICE))
            mine++;
        *count += 1;
        mine = id;
        STORE(lock, 0, DEVICE);
    }
    out[id] = sub_group_broadcast(0, 0) + mine;
}

/* Some more often than others. */
kernel void
lock_in_loop(global int *out, global atomic_int *lock, global int *count)
{
    int id = (int)get_global_id(0), sum = 0;

    for (int i = 0; i < id % 3; i++) {
        while (atomic_exchange_explicit(lock, 1, memory_order_acquire, DEVICE))
            ;
        *count += 1;
        sum += id + i;
        STORE(lock, 0, DEVICE);
    }
    out[id] = sub_group_broadcast(0, 0) + sum;
}

/* No end of the round that all lanes come to: only odd ones may be the last. */
kernel void
lock_and_continue(global int *out, global atomic_int *lock, global int *count)
{
    int id = (int)get_global_id(0), rounds = 0;

    for (int i = id % 4;; i++) {
        for (int done = 0; !done;)
            if (atomic_exchange_explicit(lock, 1, memory_order_acquire, DEVICE) == 0) {
                *count += 1;
                STORE(lock, 0, DEVICE);
                done = 1;
            }
        rounds++;
        if (i % 2 == 0)
            continue;
        atomic_fetch_add_explicit((global atomic_int *)count + 1, 1, memory_order_relaxed, DEVICE);
        if (i > 3)
            break;
    }
    out[id] = sub_group_broadcast(0, 0) + rounds;
}

#include "ports.cl"
