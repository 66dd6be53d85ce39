/* SPDX-License-Identifier: MIT */
/* Ors of a multiple of a power of two and of a counter that stays below it, or does not: see test_sums.py. */
#define KERNEL(name, loops, index)                                                                           \
    kernel void name(int n, global const int *in, global int *out)                                           \
    {                                                                                                        \
        int i = get_global_id(0), sum = 0;                                                                   \
        loops                                                                                                \
            sum = sum * 3 + in[index];                                                                       \
        out[i] = sum;                                                                                        \
    }

KERNEL(below, for (int j = 0; j < n; j++) for (int k = 0; k < 64; k++), i << 6 | k)
KERNEL(up_to, for (int j = 0; j < n; j++) for (int k = 0; k <= 64; k++), i << 6 | k)
KERNEL(steps, for (int j = 0; j < n; j++) for (int k = 3; k < 64; k += 4), i << 6 | k)
KERNEL(over, for (int j = 0; j < n; j++) for (int k = 0; k < 65; k += 4), i << 6 | k)
KERNEL(two, for (int j = 0; j < n; j++) for (int k = 0; k < 64; k += 8) for (int q = 0; q < 8; q++),
       i << 6 | k | q)
KERNEL(more, for (int j = 0; j < n; j++) for (int k = 0; k < 64; k += 8) for (int q = 0; q < 9; q++),
       i << 6 | k | q)
KERNEL(halved, for (int j = 0; j < n; j++) for (int k = 0; k < 128; k++), i << 6 | (k >> 1))
KERNEL(halved_more, for (int j = 0; j < n; j++) for (int k = 0; k < 130; k++), i << 6 | (k >> 1))
KERNEL(open, for (int j = 0; j < n; j++), i << 6 | j)
