/* SPDX-License-Identifier: MIT */
/* Keeps the points inside a sphere: sub-groups with none are left at once, in the others a ballot gives the
 * survivors their places. */
#pragma OPENCL FP_CONTRACT OFF

kernel void
subgroup_filter(float radius, global const float *x, global const float *y, global const float *z,
                global uint *out, volatile global uint *count)
{
    uint i = get_global_id(0);
    float px = x[i], py = y[i], pz = z[i];
    bool inside = px * px + py * py + pz * pz < radius * radius;

    if (!sub_group_any(inside))
        return;
    uint4 ballot = sub_group_ballot(inside);
    uint base = 0;
    if (get_sub_group_local_id() == 0)
        base = atomic_add(count, sub_group_ballot_bit_count(ballot));
    base = sub_group_broadcast(base, 0);
    if (inside)
        out[base + sub_group_ballot_exclusive_scan(ballot)] = i;
}
