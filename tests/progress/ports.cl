/* SPDX-License-Identifier: MIT */
/* Kernels that wait as ports of CUDA programs do: volatile polling beside fences, atomic functions without an
 * order, persistent work-groups, barriers over the grid. Part of progress.cl. */
#define FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device)

/* Decoupled look-back by one sub-group, a work-group to a lane. flags: 1 its own sum, 2 all up to it. */
kernel void
warp_look_back(global const int *in, global int *out, volatile global int *flags, volatile global int *sums)
{
    local int number, all_before;
    int lane = (int)get_sub_group_local_id(), width = (int)get_max_sub_group_size();

    if (get_local_id(0) == 0)
        number = atomic_inc(&flags[4095]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int me = number;
    size_t at = me * get_local_size(0) + get_local_id(0);
    int sum = work_group_scan_inclusive_add(in[at]), total = work_group_reduce_add(in[at]);
    if (get_sub_group_id() == 0) {
        int before = 0;
        if (lane == 0) {
            sums[2 * me + (me == 0)] = total;
            FENCE();
            flags[me] = me ? 1 : 2;
        }
        width = (int)get_sub_group_size();
        for (int last = me - 1; last >= 0; last -= width) {
            int i = last - lane, flag = 2, value = 0;
            if (i >= 0) {
                while ((flag = flags[i]) == 0)
                    ;
                FENCE();
                value = sums[2 * i + flag - 1];
            }
            int stop = sub_group_reduce_min(lane + (2 - flag) * width);
            before += sub_group_reduce_add(lane <= stop ? value : 0);
            if (stop < width)
                break;
        }
        if (lane == 0) {
            if (me) {
                sums[2 * me + 1] = before + total;
                FENCE();
                flags[me] = 2;
            }
            all_before = before;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = all_before + sum;
}

/* The same, where all lanes look until each has seen something. */
kernel void
voting_look_back(global const int *in, global int *out, volatile global int *flags, volatile global int *sums)
{
    int me = (int)get_group_id(0), lane = (int)get_sub_group_local_id();
    int total = work_group_reduce_add(in[get_global_id(0)]), before = 0;
    local int all_before;

    if (get_sub_group_id() == get_num_sub_groups() - 1) {
        int width = (int)get_sub_group_size();
        if (lane == 0) {
            sums[me] = total;
            FENCE();
            flags[me] = 1;
        }
        for (int last = me - 1; last >= 0; last -= width) {
            int i = last - lane, flag;
            do
                flag = i < 0 || flags[i];
            while (!sub_group_all(flag));
            FENCE();
            before += sub_group_reduce_add(i < 0 ? 0 : sums[i]);
        }
        if (lane == 0)
            all_before = before;
    }
    int sum = work_group_scan_inclusive_add(in[get_global_id(0)]);
    out[get_global_id(0)] = all_before + sum;
}

/* Work-groups that stay, and take tasks of a queue that tasks fill. ends: taken, filled. */
kernel void
persistent(global int *out, volatile global int *slots, volatile global int *ends)
{
    local int task;
    int tasks = (int)get_global_size(0);

    if (get_global_id(0) == get_global_size(0) - 1)
        slots[atomic_inc(&ends[1])] = 1;
    for (;;) {
        if (get_local_id(0) == 0) {
            int mine = atomic_inc(&ends[0]), seen = 0;
            if (mine < tasks) {
                do
                    seen = slots[mine];
                while (seen == 0);
                FENCE();
            }
            task = seen - 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int t = task;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < 0)
            break;
        if (get_local_id(0) == (uint)t % get_local_size(0)) {
            out[t] = t;
            for (int child = 2 * t + 1; child <= 2 * t + 2 && child < tasks; child++) {
                int at = atomic_inc(&ends[1]);
                FENCE();
                slots[at] = child + 1;
            }
        }
    }
}

/* A barrier of all work-groups, whose last one turns a sense that the others look at. */
kernel void
sense_barrier(global int *out, volatile global int *state, volatile global int *values)
{
    int groups = (int)get_num_groups(0), sum = 0;

    for (int round = 1; round <= 6; round++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == get_local_size(0) - 1) {
            values[get_group_id(0)] = (int)get_group_id(0) * ((round + 1) / 2);
            FENCE();
            int sense = state[16];
            if (atomic_inc(&state[0]) == groups - 1) {
                state[0] = 0;
                FENCE();
                state[16] = !sense;
            } else {
                while (state[16] == sense)
                    ;
            }
            FENCE();
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (round % 2)
            for (int i = 0; i < groups; i++)
                sum += values[i];
    }
    out[get_global_id(0)] = sum;
}

/* Each work-group waits for the next one. */
kernel void
backwards(global int *out, volatile global int *flags)
{
    size_t g = get_group_id(0), n = get_num_groups(0);
    local int seen;

    if (get_local_id(0) == 0) {
        int before = 0;
        if (g + 1 < n) {
            while (atomic_or(&flags[g + 1], 0) == 0)
                ;
            before = flags[g + 1];
        }
        seen = before;
        atomic_xchg(&flags[g], before + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = seen;
}

/* The first and the last work-group throw a ball, from any work-item. */
kernel void
ping_pong(global int *out, volatile global int *ball)
{
    size_t g = get_group_id(0), last = get_num_groups(0) - 1;

    if (get_local_id(0) == get_local_size(0) / 2 && last > 0 && (g == 0 || g == last))
        for (int k = 0; k < 20; k++) {
            while (*ball != 2 * k + (g == last))
                mem_fence(CLK_GLOBAL_MEM_FENCE);
            *ball = 2 * k + (g == last) + 1;
        }
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* A ring of four places in local memory, from the last sub-group to the first. */
kernel void
bounded_buffer(global int *out)
{
    local volatile int ring[4], ends[2];
    local int sum;

    if (get_local_id(0) == 0)
        ends[0] = ends[1] = sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_num_sub_groups() == 1) {
        if (get_local_id(0) == 0)
            sum = 4950;
    } else if (get_sub_group_local_id() == 0) {
        if (get_sub_group_id() == 0) {
            for (int k = 0; k < 100; k++) {
                while (ends[1] == k)
                    ;
                mem_fence(CLK_LOCAL_MEM_FENCE);
                sum += ring[k % 4];
                ends[0] = k + 1;
            }
        } else if (get_sub_group_id() == get_num_sub_groups() - 1) {
            for (int k = 0; k < 100; k++) {
                while (k - ends[0] == 4)
                    ;
                ring[k % 4] = k;
                mem_fence(CLK_LOCAL_MEM_FENCE);
                ends[1] = k + 1;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + (int)get_global_id(0) - 4950;
}

/* ---- locks ---- */

void __attribute__((noinline))
take(volatile global int *lock)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
    FENCE();
}

void __attribute__((noinline))
give(volatile global int *lock)
{
    FENCE();
    atomic_xchg(lock, 0);
}

/* One lock in the other, by one lane, in functions. */
kernel void
nested_locks(global int *out, volatile global int *locks, volatile global int *count)
{
    if (get_sub_group_local_id() == 0) {
        take(&locks[0]);
        take(&locks[1 + get_sub_group_id() % 3]);
        *count += 1;
        give(&locks[1 + get_sub_group_id() % 3]);
        give(&locks[0]);
    }
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* Counted by one function, begun anew by another. */
__attribute__((noinline)) void
count_up(volatile global int *lock)
{
    while (atomic_inc(lock) > 0)
        ;
}

__attribute__((noinline)) void
count_anew(volatile global int *lock)
{
    FENCE();
    *lock = 0;
}

kernel void
called_counts(global int *out, volatile global int *lock, volatile global int *count)
{
    count_up(lock);
    *count += 1;
    out[get_global_id(0)] = (int)get_global_id(0);
    count_anew(lock);
}

/* By every work-item. */
kernel void
called_locks(global int *out, volatile global int *locks, volatile global int *count)
{
    take(&locks[0]);
    take(&locks[1]);
    *count += 1;
    give(&locks[1]);
    give(&locks[0]);
    out[get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0)] = (int)get_global_id(0);
}

/* What is guarded is done by functions, two of each to a kernel. */
int __attribute__((noinline))
stir(int x)
{
    for (int k = 0; k < (x & 15); k++)
        x = x * 3 + k;
    return x;
}

int __attribute__((noinline))
add_to(volatile global int *count, int x)
{
    *count += 1;
    return stir(x) + stir(x + 1);
}

kernel void
called_between(global int *out, volatile global int *lock, volatile global int *count)
{
    int id = (int)get_global_id(0), local_id = (int)get_local_id(0);

    while (atomic_cmpxchg(lock, 0, 1))
        ;
    FENCE();
    int sum = id % 2 ? add_to(count, id) : add_to(count, local_id);
    sum = stir(sum);
    FENCE();
    atomic_xchg(lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[id] = sub_group_all(sum == 7) ? -1 : id;
}

/* Tried, and given back where the second is not to be had: sub-groups have another order of the two. */
kernel void
tried_locks(global int *out, volatile global int *locks, volatile global int *count)
{
    int first = (int)get_sub_group_id() % 2;
    bool done = false;

    while (!done) {
        if (atomic_cmpxchg(&locks[first], 0, 1) == 0) {
            if (atomic_cmpxchg(&locks[1 - first], 0, 1) == 0) {
                FENCE();
                *count += 1;
                give(&locks[1 - first]);
                done = true;
            }
            give(&locks[first]);
        }
    }
    out[get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0)] = (int)get_global_id(0);
}

/* Waits a while between, and gives up where a counter says so (it never does). */
kernel void
backing_off(global int *out, volatile global int *locks, volatile global int *count)
{
    uint tries = 0, pause = 1;

    if (get_sub_group_local_id() == get_sub_group_size() - 1) {
        for (; tries < 4000000000u && atomic_cmpxchg(locks, 0, 1); tries++) {
            for (volatile uint k = 0; k < pause; k++)
                ;
            pause = pause < 64 ? 2 * pause : pause;
        }
        FENCE();
        *count += 1;
        give(locks);
    }
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* Who holds it is in a struct, behind a pointer. */
struct queue {
    volatile int turn;
    int next;
    volatile global int *count;
};

kernel void
held_in_struct(global int *out, global struct queue *q, volatile global int *count)
{
    if (get_sub_group_local_id() == 0) {
        int mine = atomic_inc(&q->next);
        while (1) {
            if (q->turn == mine)
                goto mine_now;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
        }
    mine_now:
        *count += 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        q->turn = mine + 1;
    }
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* ---- locks held across what needs all: one work-item takes them for its sub-group or work-group ---- */

kernel void
held_by_group(global int *out, volatile global int *lock, volatile global int *count)
{
    uint n = (uint)get_local_size(0), taker = (uint)get_group_id(0) % n;
    local int before;

    if (get_local_id(0) == taker) {
        while (atomic_xchg(lock, 1))
            ;
        FENCE();
        before = *count;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int sum = work_group_reduce_add(1);
    if (get_local_id(0) == n - 1)
        *count = before + sum;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == taker)
        give(lock);
    out[get_global_id(0)] = (int)get_global_id(0);
}

kernel void
held_by_sub_group(global int *out, volatile global int *lock, volatile global int *count)
{
    uint n = get_sub_group_size(), lane = get_sub_group_local_id(), taker = get_sub_group_id() % n;

    if (lane == taker)
        take(lock);
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    int before = sub_group_broadcast(*count, 0), sum = sub_group_reduce_add(1);
    if (lane == n - 1)
        *count = before + sum;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (lane == taker)
        give(lock);
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* All lanes hear who has got it. */
kernel void
heard_by_sub_group(global int *out, volatile global int *lock, volatile global int *count)
{
    uint lane = get_sub_group_local_id();
    int got;

    do {
        got = 0;
        if (lane == 0)
            got = atomic_cmpxchg(lock, 0, 1) == 0;
        got = sub_group_broadcast(got, 0);
    } while (!got);
    FENCE();
    int sum = sub_group_scan_inclusive_add(1);
    if (lane == get_sub_group_size() - 1)
        *count += sum;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (lane == 0)
        give(lock);
    out[get_global_id(0)] = (int)get_global_id(0);
}

kernel void
heard_by_group(global int *out, volatile global int *lock, volatile global int *count)
{
    for (int got = 0; !got;) {
        got = get_local_id(0) == 0 && atomic_xchg(lock, 1) == 0;
        got = work_group_any(got);
    }
    FENCE();
    int sum = work_group_scan_inclusive_add(1);
    if (get_local_id(0) == get_local_size(0) - 1) {
        *count += sum;
        give(lock);
    }
    out[get_global_id(0)] = (int)get_global_id(0);
}

/* Work-items of one sub-group: those of one half wait for their neighbours. */
kernel void
halves(global int *out, volatile global int *flags, int down)
{
    size_t id = get_global_id(0), local_id = get_local_id(0), other = local_id ^ 1;

    if (other < get_local_size(0)) {
        if ((local_id & 1) == (down ? 0 : 1)) {
            while (flags[id] == 0)
                ;
        } else {
            flags[local_id & 1 ? id - 1 : id + 1] = 1;
        }
    }
    out[id] = (int)id;
}
