/* Kernels for the OpenCL tests: simple ones, whose results C computes. */
kernel void add(global int *out, global const int *in, int value)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + value;
}

kernel void reverse(global int *data, local int *room)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    room[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = room[n - 1 - l];
}

kernel void groups(global uint *out)
{
    size_t i = get_global_linear_id();
    out[4 * i] = get_sub_group_size();
    out[4 * i + 1] = get_num_sub_groups();
    out[4 * i + 2] = get_max_sub_group_size();
    out[4 * i + 3] = get_sub_group_id();
}

kernel __attribute__((reqd_work_group_size(8, 4, 1))) void fixed(global int *out)
{
    out[get_global_linear_id()] = (int)get_local_linear_id();
}

kernel void indirect(global ulong *addresses)
{
    global int *target = (global int *)addresses[0];
    target[get_global_id(0)] = (int)get_global_id(0) * 3;
}

kernel void slow(global int *out, int rounds)
{
    int x = out[get_global_id(0)];
    for (int i = 0; i < rounds; i++)
        x = x * 1664525 + 1013904223;
    out[get_global_id(0)] = x;
}

kernel void append(global int *log, int value)
{
    log[++log[0]] = value;
}
