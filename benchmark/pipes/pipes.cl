/* SPDX-License-Identifier: MIT */
/* All packets go into a pipe, then out of it: each by its work-item alone, or by reservations of work-groups (of
 * sub-groups: pipe_sub_group.cl). */

kernel void
put_item(global const int *in, write_only pipe int p)
{
    int value = in[get_global_id(0)];
    write_pipe(p, &value);
}

kernel void
get_item(read_only pipe int p, global int *out)
{
    int value = 0;
    read_pipe(p, &value);
    out[get_global_id(0)] = value;
}

kernel void
put_item_wide(global const float4 *in, write_only pipe float4 p)
{
    float4 value = in[get_global_id(0)];
    write_pipe(p, &value);
}

kernel void
get_item_wide(read_only pipe float4 p, global float4 *out)
{
    float4 value = 0;
    read_pipe(p, &value);
    out[get_global_id(0)] = value;
}

kernel void
put_positive(global const int *in, write_only pipe int p)
{
    int value = in[get_global_id(0)];
    if (value > 0)
        write_pipe(p, &value);
}

kernel void
put_work_group(global const int *in, write_only pipe int p)
{
    int value = in[get_global_id(0)];
    reserve_id_t r = work_group_reserve_write_pipe(p, get_local_size(0));
    if (is_valid_reserve_id(r)) {
        write_pipe(p, r, get_local_id(0), &value);
        work_group_commit_write_pipe(p, r);
    }
}

kernel void
get_work_group(read_only pipe int p, global int *out)
{
    int value = 0;
    reserve_id_t r = work_group_reserve_read_pipe(p, get_local_size(0));
    if (is_valid_reserve_id(r)) {
        read_pipe(p, r, get_local_id(0), &value);
        work_group_commit_read_pipe(p, r);
    }
    out[get_global_id(0)] = value;
}
