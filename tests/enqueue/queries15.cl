#include "queries.cl"
/* The block is run with the range that was asked about. */
kernel void ask_and_run(global uint *out, int gx, int gy, int lx, int ly)
{
    size_t global_size[2] = {gx, gy}, local_size[2] = {lx, ly};
    ndrange_t range = lx ? ndrange_2D(global_size, local_size) : ndrange_2D(global_size);
    void (^block)(void) = ^{
        if (get_group_id(0) == 0 && get_group_id(1) == 0 && get_local_linear_id() == 0) {
            out[4] = get_num_sub_groups();
            out[5] = get_max_sub_group_size();
        }
    };
    out[0] = get_kernel_sub_group_count_for_ndrange(range, block);
    out[1] = get_kernel_max_sub_group_size_for_ndrange(range, block);
    out[2] = get_kernel_work_group_size(block);
    out[3] = get_kernel_preferred_work_group_size_multiple(block);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, range, block);
}
