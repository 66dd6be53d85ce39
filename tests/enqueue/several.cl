/* Several blocks. The first has as many sub-groups as there may be, the second so much private memory that it cannot have
 * them, the third would have a sub-group size of its own: it tells its sub-groups' results in a loop. */
kernel void ask_several(global uint *out, int global_size, int local_size)
{
    ndrange_t range = ndrange_1D(global_size, local_size);
    out[0] = get_kernel_sub_group_count_for_ndrange(range, ^{ out[8] = 1; });
    out[1] = get_kernel_sub_group_count_for_ndrange(range, ^{
        int big[40000];
        for (int k = 0; k < 40000; k++)
            big[k] = (int)out[k];
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[10] = (uint)big[out[11]];
    });
    out[2] = get_kernel_max_sub_group_size_for_ndrange(range, ^(local void *p) {
        local int *room = p;
        for (int k = 0; k < 1000; k++) {
            room[get_local_id(0)] += sub_group_reduce_add(k + room[0]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    });
    out[3] = get_kernel_max_sub_group_size_for_ndrange(range, ^{ out[8] = 1; });
}
