/* SPDX-License-Identifier: MIT */
/* Quicksort by device-side enqueue. A child is one work-group with one stretch of the data: it sorts a short one in
 * local memory, and parts a longer one by a pivot, with work-group scans for the places, and enqueues a child for
 * each side. What equals the pivot is home at once. The sides come to lie in `to`; parent and child take the two
 * buffers in turns. */
#define GROUP 64
#define FEW 256u /* a power of two */

void part(global uint *from, global uint *to, global uint *home, uint begin, uint end);

void sort_few(global const uint *from, global uint *home, uint begin, uint n, local uint *room)
{
    uint l = get_local_id(0);
    for (uint i = l; i < FEW; i += GROUP)
        room[i] = i < n ? from[begin + i] : UINT_MAX;
    for (uint size = 2; size <= FEW; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = l; i < FEW / 2; i += GROUP) {
                uint low = 2 * i - (i & (stride - 1)), high = low + stride;
                bool down = low & size;
                uint a = room[low], b = room[high];
                if ((a > b) != down) {
                    room[low] = b;
                    room[high] = a;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < n; i += GROUP)
        home[begin + i] = room[i];
}

uint median(uint a, uint b, uint c)
{
    return max(min(a, b), min(max(a, b), c));
}

void sort(global uint *from, global uint *to, global uint *home, uint begin, uint end, local uint *room)
{
    uint l = get_local_id(0), less = 0, more = 0;
    if (end - begin <= FEW) {
        sort_few(from, home, begin, end - begin, room);
        return;
    }
    uint pivot = median(from[begin], from[begin + (end - begin) / 2], from[end - 1]);
    for (uint base = begin; base < end; base += GROUP) {
        uint i = base + l, x = i < end ? from[i] : pivot, below = x < pivot, above = x > pivot;
        uint a = work_group_scan_inclusive_add(below), b = work_group_scan_inclusive_add(above);
        if (below)
            to[begin + less + a - 1] = x;
        if (above)
            to[end - more - b] = x;
        less += work_group_broadcast(a, GROUP - 1);
        more += work_group_broadcast(b, GROUP - 1);
    }
    for (uint i = begin + less + l; i < end - more; i += GROUP)
        home[i] = pivot;
    if (l == 0) {
        part(to, from, home, begin, begin + less);
        part(to, from, home, end - more, end);
    }
}

void part(global uint *from, global uint *to, global uint *home, uint begin, uint end)
{
    if (begin < end)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(GROUP, GROUP),
                       ^(local void *room) { sort(from, to, home, begin, end, room); }, (uint)(FEW * sizeof(uint)));
}

kernel void quicksort(global uint *data, global uint *other, uint count)
{
    if (get_global_linear_id() == 0)
        part(data, other, data, 0, count);
}
