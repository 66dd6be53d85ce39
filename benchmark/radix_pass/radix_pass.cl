/* SPDX-License-Identifier: MIT */
/* One pass of a radix sort, four bits: digits of each block of 1024 keys counted (digits x blocks, so that
 * its scan is the order of the output), scanned by one work-group, keys scattered: each work-item has a
 * counter per digit for its own consecutive keys, the scan of these is the rank of its first key. Stable. */
#define DIGITS 16
#define GROUP 256
#define ITEMS 4

kernel void
radix_count(uint shift, uint blocks, global const uint *keys, global uint *counts)
{
    local uint mine[DIGITS];
    uint lid = get_local_id(0), base = get_group_id(0) * GROUP * ITEMS;

    if (lid < DIGITS)
        mine[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < ITEMS; k++)
        atomic_inc(&mine[keys[base + k * GROUP + lid] >> shift & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < DIGITS)
        counts[lid * blocks + get_group_id(0)] = mine[lid];
}

kernel void
radix_scan(uint n, global uint *counts)
{
    local uint sums[GROUP];
    uint lid = get_local_id(0), each = n / GROUP;
    uint sum = 0;

    for (uint i = 0; i < each; i++)
        sum += counts[lid * each + i];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
        uint other = lid >= step ? sums[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = sums[lid] - sum;
    for (uint i = 0; i < each; i++) {
        uint count = counts[lid * each + i];
        counts[lid * each + i] = sum;
        sum += count;
    }
}

kernel void
radix_scatter(uint shift, uint blocks, global const uint *keys, global const uint *counts, global uint *out)
{
    local uint ranks[DIGITS][GROUP], sums[GROUP];
    uint lid = get_local_id(0), base = get_group_id(0) * GROUP * ITEMS + lid * ITEMS;
    uint mine[ITEMS];

    for (uint d = 0; d < DIGITS; d++)
        ranks[d][lid] = 0;
    for (uint k = 0; k < ITEMS; k++) {
        mine[k] = keys[base + k];
        ranks[mine[k] >> shift & (DIGITS - 1)][lid]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Sixteen work-items a digit: each sums a run of sixteen counters, then the runs before it. */
    uint digit = lid / 16, part = lid % 16;
    uint sum = 0;
    for (uint i = 0; i < GROUP / 16; i++)
        sum += ranks[digit][part * (GROUP / 16) + i];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = counts[digit * blocks + get_group_id(0)];
    for (uint i = 0; i < part; i++)
        before += sums[digit * 16 + i];
    for (uint i = 0; i < GROUP / 16; i++) {
        uint count = ranks[digit][part * (GROUP / 16) + i];
        ranks[digit][part * (GROUP / 16) + i] = before;
        before += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < ITEMS; k++)
        out[ranks[mine[k] >> shift & (DIGITS - 1)][lid]++] = mine[k];
}
