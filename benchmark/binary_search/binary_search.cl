/* SPDX-License-Identifier: MIT */
/* Where each needle stands in a sorted array: the first element that is not less. */
kernel void
binary_search(uint n, global const uint *sorted, global const uint *needles, global uint *out)
{
    uint i = get_global_id(0), needle = needles[i];
    uint low = 0, high = n;

    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < needle)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}
