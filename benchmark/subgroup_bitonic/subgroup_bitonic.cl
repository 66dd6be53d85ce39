/* SPDX-License-Identifier: MIT */
/* Sorts the elements of each sub-group by a bitonic network of shuffles. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void
subgroup_bitonic(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    uint lane = get_sub_group_local_id();
    int key = in[i];

#pragma unroll
    for (uint size = 2; size <= 16; size *= 2)
#pragma unroll
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            int other = sub_group_shuffle_xor(key, stride);
            bool low = ((lane & stride) == 0) == ((lane & size) == 0);
            key = low ? min(key, other) : max(key, other);
        }
    out[i] = key;
}
