/* What is asked of blocks, from both front ends. The rest is asked by queries15.cl. */
kernel void ask(global uint *out, int global_size, int local_size)
{
    void (^block)(void) = ^{ out[3 + get_global_id(0)] = get_max_sub_group_size() + 1000 * get_num_sub_groups(); };
    size_t i = get_global_id(0);
    out[0] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(global_size, local_size), block);
    out[1] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(global_size, local_size), block);
}
