/* SPDX-License-Identifier: MIT */
/* As pipes.cl, by reservations of sub-groups: a file of its own, since Intel's runtime has none of them and builds
 * no program that does. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void
put_sub_group(global const int *in, write_only pipe int p)
{
    int value = in[get_global_id(0)];
    reserve_id_t r = sub_group_reserve_write_pipe(p, get_sub_group_size());
    if (is_valid_reserve_id(r)) {
        write_pipe(p, r, get_sub_group_local_id(), &value);
        sub_group_commit_write_pipe(p, r);
    }
}

kernel void
get_sub_group(read_only pipe int p, global int *out)
{
    int value = 0;
    reserve_id_t r = sub_group_reserve_read_pipe(p, get_sub_group_size());
    if (is_valid_reserve_id(r)) {
        read_pipe(p, r, get_sub_group_local_id(), &value);
        sub_group_commit_read_pipe(p, r);
    }
    out[get_global_id(0)] = value;
}
