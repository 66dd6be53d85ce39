/* SPDX-License-Identifier: MIT */
/* Elements of a table in the order of an index. */
kernel void
gather(global const uint *index, global const float *table, global float *out)
{
    size_t i = get_global_id(0);

    out[i] = table[index[i]];
}
