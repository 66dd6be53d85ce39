/* SPDX-License-Identifier: MIT */
/* Work-items' places against bounds, in every way: see test_places.py. */
#define KERNEL(name, T, S, place, limit)                                                                     \
    kernel void name(T off, T bound, global ushort *out)                                                     \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        T x = place, y = limit;                                                                              \
        S s = (S)x, t = (S)y;                                                                                \
        ushort r = x < y;                                                                                    \
        r |= (x <= y) << 1;                                                                                  \
        r |= (x > y) << 2;                                                                                   \
        r |= (x >= y) << 3;                                                                                  \
        r |= (x == y) << 4;                                                                                  \
        r |= (x != y) << 5;                                                                                  \
        r |= (s < t) << 6;                                                                                   \
        r |= (s <= t) << 7;                                                                                  \
        r |= (y < x) << 8;                                                                                   \
        r |= (t <= s) << 9;                                                                                  \
        out[i] = r;                                                                                          \
    }

KERNEL(ids, ulong, long, i, bound)
KERNEL(moved, ulong, long, i + off, bound)
KERNEL(ints, uint, int, (uint)i, bound)
KERNEL(moved_ints, uint, int, (uint)i + off, bound)
KERNEL(halves, ulong, long, i, bound & 255)
KERNEL(signs, ulong, long, (ulong)(long)((int)i - 100), (ulong)(long)(int)bound)
KERNEL(local_ids, uint, int, (uint)get_local_id(0), bound)
KERNEL(twice, ulong, long, i * 2, bound)
KERNEL(far, ulong, long, i * 3, bound)
KERNEL(down, ulong, long, 255 - i, bound)
KERNEL(masked, uint, int, (uint)i & 15, bound)
