/* SPDX-License-Identifier: MIT */
/* Keeps the elements above a threshold. A scan gives each lane its place among its sub-group's survivors,
 * and one atomic per sub-group reserves their room: in order within a sub-group, in any order between
 * them. */
kernel void
subgroup_compact(int threshold, global const int *in, global int *out, volatile global uint *count)
{
    size_t i = get_global_id(0);
    int value = in[i];
    uint keep = value > threshold;
    uint place = sub_group_scan_exclusive_add(keep);
    uint survivors = sub_group_reduce_add(keep);
    uint base = 0;

    if (get_sub_group_local_id() == 0)
        base = atomic_add(count, survivors);
    base = sub_group_broadcast(base, 0);
    if (keep)
        out[base + place] = value;
}
