/* SPDX-License-Identifier: MIT */
/* Each work-group sorts one block of 128 integers in local memory by a bitonic network. Any work-group
 * shape; one work-group per block. */
#define BLOCK 128u

kernel void
bitonic_sort(global int *data)
{
    local int keys[BLOCK];
    uint lid = get_local_linear_id();
    uint width = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint groups = get_num_groups(0), row = get_group_id(2) * get_num_groups(1) + get_group_id(1);
    size_t group = (size_t)row * groups + get_group_id(0);

    for (uint i = lid; i < BLOCK; i += width)
        keys[i] = data[group * BLOCK + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= BLOCK; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            for (uint pair = lid; pair < BLOCK / 2; pair += width) {
                uint low = 2 * pair - (pair & (stride - 1)), high = low + stride;
                int a = keys[low], b = keys[high];
                bool ascending = (low & size) == 0;
                if ((a > b) == ascending) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (uint i = lid; i < BLOCK; i += width)
        data[group * BLOCK + i] = keys[i];
}
