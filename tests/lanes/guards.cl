/* SPDX-License-Identifier: MIT */
/* Loads of which whole registers have no active lane: by a work-item's place, and by what it has read. */
#define GUARDED(low, high, more)                                                                             \
    if (l >= low && l < high && (x & 3) != 1)                                                                \
        v ^= in[l + more];
#define KERNEL(T)                                                                                            \
    kernel void guards_##T(global T *out, global const T *in)                                                \
    {                                                                                                        \
        size_t l = get_local_id(0), i = get_global_id(0);                                                    \
        T v = in[i], x = in[(i + 1) & 127];                                                                  \
        GUARDED(0, 17, 64)                                                                                   \
        GUARDED(0, 23, 65)                                                                                   \
        GUARDED(1, 4, 66)                                                                                    \
        GUARDED(9, 12, 67)                                                                                   \
        GUARDED(9, 64, 68)                                                                                   \
        GUARDED(17, 64, 69)                                                                                  \
        GUARDED(24, 64, 70)                                                                                  \
        GUARDED(18, 21, 71)                                                                                  \
        GUARDED(28, 36, 72)                                                                                  \
        GUARDED(33, 49, 73)                                                                                  \
        GUARDED(0, 55, 74)                                                                                   \
        GUARDED(57, 60, 75)                                                                                  \
        if (x & l & 24)                                                                                      \
            v ^= in[l + 76];                                                                                 \
        out[i] = v;                                                                                          \
    }
KERNEL(int)
KERNEL(long)
