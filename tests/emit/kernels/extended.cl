/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_arithmetic : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_clustered_reduce : enable
int sub_group_shuffle(int, uint) __attribute__((overloadable, convergent));
int sub_group_shuffle_xor(int, uint) __attribute__((overloadable, convergent));
int sub_group_shuffle_up(int, uint) __attribute__((overloadable, convergent));
int sub_group_shuffle_down(int, uint) __attribute__((overloadable, convergent));
kernel void shuffles(global int *o)
{
    size_t i = get_global_id(0);
    int x = o[i];
    x += sub_group_shuffle(x, x & 7) + sub_group_shuffle_xor(x, 1u);
    x += sub_group_shuffle_up(x, 2u) + sub_group_shuffle_down(x, 3u);
    o[i] = x;
}
kernel void ballots(global int *o)
{
    size_t i = get_global_id(0);
    int x = o[i];
    uint4 b = sub_group_ballot(x > 3);
    x += sub_group_ballot_bit_count(b) + sub_group_ballot_inclusive_scan(b) + sub_group_ballot_exclusive_scan(b);
    x += sub_group_ballot_find_lsb(b) + sub_group_ballot_find_msb(b) + sub_group_inverse_ballot(b);
    x += sub_group_ballot_bit_extract(b, 3) + b.x + get_sub_group_ge_mask().x + get_sub_group_lt_mask().y;
    x += sub_group_elect() + sub_group_non_uniform_all_equal(x) + sub_group_broadcast_first(x);
    x += sub_group_non_uniform_reduce_add(x) + sub_group_non_uniform_scan_inclusive_xor(x);
    x += sub_group_clustered_reduce_max(x, 4);
    o[i] = x;
}
