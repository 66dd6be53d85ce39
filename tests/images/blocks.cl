/* SPDX-License-Identifier: MIT */
/* Blocks of images by sub-groups: copied to a buffer, and written back changed, a row further down. */
#define BLOCKS(name, T, N, suffix)                                                                              \
    T##N __attribute__((overloadable)) intel_sub_group_block_read##suffix##N(read_only image2d_t, int2);        \
    void __attribute__((overloadable)) intel_sub_group_block_write##suffix##N(write_only image2d_t, int2, T##N); \
    kernel void name(read_only image2d_t i, write_only image2d_t o, global T##N *out, int dx)                   \
    {                                                                                                           \
        int x = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();            \
        int rows = sizeof(T##N) / sizeof(T);                                                                    \
        int2 at = (int2)((x + dx) * (int)sizeof(T), get_global_id(1) * rows);                                   \
        T##N v = intel_sub_group_block_read##suffix##N(i, at);                                                  \
        out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v;                                      \
        intel_sub_group_block_write##suffix##N(o, at, v + (T)1);                                                \
    }

BLOCKS(blocks_i, uint, , )
BLOCKS(blocks_i2, uint, 2, )
BLOCKS(blocks_s4, ushort, 4, _us)
