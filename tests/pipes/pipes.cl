/* SPDX-License-Identifier: MIT */
/* Every function of pipes; test_pipes.c says what must come out. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

typedef struct {
    int id;
    char tag[5];
    short rest;
} packet; /* 12 bytes */

kernel void
write_some(global int *results, uint modulus, write_only pipe int out)
{
    int id = get_global_id(0);
    results[id] = 1;
    if (id % modulus == 0)
        results[id] = write_pipe(out, &id);
}

kernel void
read_some(global int *values, uint modulus, read_only pipe int in)
{
    int id = get_global_id(0), value = -7;
    values[id] = -9;
    if (id % modulus == 0)
        values[id] = read_pipe(in, &value) ? -7 : value;
}

/* Each work-item a reservation of its own: 0 to 3 packets. */
kernel void
write_reserved(global int *results, write_only pipe packet out)
{
    int id = get_global_id(0), count = id % 4, failed = 0;
    reserve_id_t r = reserve_write_pipe(out, count);
    results[id] = is_valid_reserve_id(r);
    if (!is_valid_reserve_id(r))
        return;
    for (int i = count - 1; i >= 0; i--) {
        packet p = {id, {(char)i, 1, 2, 3, 4}, (short)(id + i)};
        failed |= write_pipe(out, r, i, &p);
    }
    packet none;
    failed |= write_pipe(out, r, count, &none) == 0; /* there is no such packet */
    commit_write_pipe(out, r);
    results[id] = failed ? -1 : 1;
}

kernel void
read_reserved(global packet *values, global int *results, read_only pipe packet in)
{
    int id = get_global_id(0), failed = 0;
    reserve_id_t r = reserve_read_pipe(in, 2);
    results[id] = is_valid_reserve_id(r);
    if (!is_valid_reserve_id(r))
        return;
    failed |= read_pipe(in, r, 1, &values[2 * id + 1]);
    failed |= read_pipe(in, r, 0, &values[2 * id]);
    commit_read_pipe(in, r);
    results[id] = failed ? -1 : 1;
}

kernel void
write_sub_group(global int *results, write_only pipe double3 out)
{
    int id = get_global_id(0);
    reserve_id_t r = sub_group_reserve_write_pipe(out, get_sub_group_size());
    results[id] = is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        double3 v = (double3)(id, get_sub_group_local_id(), get_sub_group_size());
        if (write_pipe(out, r, get_sub_group_local_id(), &v))
            results[id] = -1;
        sub_group_commit_write_pipe(out, r);
    }
}

kernel void
read_sub_group(global double *values, global int *results, read_only pipe double3 in)
{
    int id = get_global_id(0);
    reserve_id_t r = sub_group_reserve_read_pipe(in, get_sub_group_size());
    results[id] = is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        double3 v = 0;
        if (read_pipe(in, r, get_sub_group_size() - 1 - get_sub_group_local_id(), &v))
            results[id] = -1;
        values[id] = v.x;
        sub_group_commit_read_pipe(in, r);
    }
}

kernel void
write_work_group(global int *results, write_only pipe uchar out, local uchar *room)
{
    int id = get_global_id(0);
    room[get_local_id(0)] = (uchar)id;
    barrier(CLK_LOCAL_MEM_FENCE);
    reserve_id_t r = work_group_reserve_write_pipe(out, get_local_size(0));
    results[id] = is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        if (write_pipe(out, r, get_local_size(0) - 1 - get_local_id(0), room + get_local_id(0)))
            results[id] = -1;
        work_group_commit_write_pipe(out, r);
    }
}

kernel void
read_work_group(global uchar *values, global int *results, read_only pipe uchar in, local uchar *room)
{
    int id = get_global_id(0), last = get_local_size(0) - 1;
    room[get_local_id(0)] = 0;
    reserve_id_t r = work_group_reserve_read_pipe(in, get_local_size(0));
    results[id] = is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        if (read_pipe(in, r, get_local_id(0), room + get_local_id(0)))
            results[id] = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        values[id] = room[last - get_local_id(0)];
        work_group_commit_read_pipe(in, r);
    }
}

/* One work-item: several reservations at once, committed the other way round. 8 packets fit. */
kernel void
write_turned(global int *got, write_only pipe int out)
{
    int v[4] = {10, 11, 12, 13};
    reserve_id_t a = reserve_write_pipe(out, 2), b = reserve_write_pipe(out, 2),
                 c = reserve_write_pipe(out, 5);
    got[0] = is_valid_reserve_id(a);
    got[1] = is_valid_reserve_id(b);
    got[2] = is_valid_reserve_id(c);
    got[3] = get_pipe_num_packets(out);
    got[4] = write_pipe(out, b, 1, v + 3) | write_pipe(out, b, 0, v + 2);
    commit_write_pipe(out, b);
    got[5] = write_pipe(out, a, 0, v + 0) | write_pipe(out, a, 1, v + 1);
    commit_write_pipe(out, a);
    got[6] = get_pipe_num_packets(out);
    got[7] = get_pipe_max_packets(out);
    got[8] = is_valid_reserve_id(reserve_write_pipe(out, 9));
}

/* The packets between an open reservation and the end cannot be read. */
kernel void
write_open(write_only pipe int out, int value, int commit)
{
    reserve_id_t a = reserve_write_pipe(out, 1), b = reserve_write_pipe(out, 1);
    write_pipe(out, a, 0, &value);
    value++;
    write_pipe(out, b, 0, &value);
    commit_write_pipe(out, b);
    if (commit)
        commit_write_pipe(out, a);
}

/* Producers and consumers at once: they wait for each other. */
kernel void
produce(write_only pipe int out, int count)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0))
        while (write_pipe(out, &i))
            ;
}

kernel void
consume(global uint *seen, read_only pipe int in, int count)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        int value = 0;
        while (read_pipe(in, &value))
            ;
        atomic_inc(seen + value);
    }
}

/* One kernel that writes and reads: odd sub-groups wait for what even ones write, which wait for room. */
kernel void
through(read_only pipe int in, write_only pipe int out, global uint *seen, global int *next, int count)
{
    uint n = get_group_id(0) * get_enqueued_num_sub_groups() + get_sub_group_id();
    int i, v;
    if (n % 2 == 0) {
        while ((i = atomic_inc(next)) < count)
            while (write_pipe(out, &i))
                ;
    } else {
        while (atomic_inc(next + 1) < count) {
            while (read_pipe(in, &v))
                ;
            atomic_inc(seen + v);
        }
    }
}

/* Each work-item waits for a reservation, and commits it behind the loop: one that has got it lets the next
 * one on. */
kernel void
wait_reserved(read_only pipe int in, write_only pipe int out, global uint *seen, int rounds)
{
    int id = (int)get_global_id(0), v;
    for (int k = 0; k < rounds; k++) {
        reserve_id_t r = reserve_write_pipe(out, 2);
        while (!is_valid_reserve_id(r))
            r = reserve_write_pipe(out, 2);
        write_pipe(out, r, 0, &id);
        write_pipe(out, r, 1, &id);
        commit_write_pipe(out, r);
        reserve_id_t s = reserve_read_pipe(in, 2);
        while (!is_valid_reserve_id(s))
            s = reserve_read_pipe(in, 2);
        for (uint j = 0; j < 2; j++) {
            read_pipe(in, s, j, &v);
            atomic_inc(seen + v);
        }
        commit_read_pipe(in, s);
    }
}

/* The same by sub-groups, a packet of each lane. */
kernel void
wait_sub_group(read_only pipe int in, write_only pipe int out, global uint *seen, int rounds)
{
    int id = (int)get_global_id(0), v = 0;
    for (int k = 0; k < rounds; k++) {
        reserve_id_t r;
        do {
            r = sub_group_reserve_write_pipe(out, get_sub_group_size());
        } while (!is_valid_reserve_id(r));
        write_pipe(out, r, get_sub_group_local_id(), &id);
        sub_group_commit_write_pipe(out, r);
        do {
            r = sub_group_reserve_read_pipe(in, get_sub_group_size());
        } while (!is_valid_reserve_id(r));
        read_pipe(in, r, get_sub_group_local_id(), &v);
        atomic_inc(seen + v);
        sub_group_commit_read_pipe(in, r);
    }
}
