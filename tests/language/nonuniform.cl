/* SPDX-License-Identifier: MIT */
/* The sub-group extensions: shuffles, ballots, clustered and non-uniform forms, under uniform and divergent flow, of
 * every type. Values are small, so that no order of additions changes a floating result. */
#include "language.h"

#define WORD(x) ((uint)(long)(x))
#define STEP(x) h = h * 31 + WORD(x)

/* A lane that another reads must be there: indices stay below the sub-group's size. */
#define TYPE(T)                                                                                                    \
    kernel void nu_moves_##T(global uint *out, global const uint *in, uint n)                                      \
    {                                                                                                              \
        T x = (T)(in[ITEM] & 127);                                                                                 \
        uint h = 0, s = get_sub_group_size(), me = get_sub_group_local_id(), r = in[ITEM] >> 9;                    \
        STEP(sub_group_shuffle(x, r % s));                                                                         \
        STEP(sub_group_shuffle(x, n % s));                                                                         \
        for (uint m = 1; m < 8; m *= 2) {                                                                          \
            T y = sub_group_shuffle_xor(x, m);                                                                     \
            if ((me ^ m) < s)                                                                                      \
                STEP(y);                                                                                           \
            y = sub_group_shuffle_up(x, m);                                                                        \
            if (me >= m)                                                                                           \
                STEP(y);                                                                                           \
            y = sub_group_shuffle_down(x, m);                                                                      \
            if (me + m < s)                                                                                        \
                STEP(y);                                                                                           \
        }                                                                                                          \
        T y = sub_group_shuffle_down(x, r & 3);                                                                    \
        if (me + (r & 3) < s)                                                                                      \
            STEP(y);                                                                                               \
        STEP(sub_group_non_uniform_broadcast(x, 0));                                                               \
        STEP(sub_group_broadcast_first(x));                                                                        \
        STEP(sub_group_non_uniform_all_equal(x));                                                                  \
        STEP(sub_group_non_uniform_all_equal((T)5));                                                               \
        out[ITEM] = h;                                                                                             \
    }                                                                                                              \
    kernel void nu_rotate_##T(global uint *out, global const uint *in, uint n)                                     \
    {                                                                                                              \
        T x = (T)(in[ITEM] & 127);                                                                                 \
        uint h = 0, s = get_sub_group_size();                                                                      \
        if (s == get_max_sub_group_size()) {                                                                       \
            STEP(sub_group_rotate(x, 1));                                                                          \
            STEP(sub_group_rotate(x, -1));                                                                         \
            STEP(sub_group_rotate(x, (int)(n % 9) - 4));                                                           \
            STEP(sub_group_clustered_rotate(x, 1, 2));                                                             \
            STEP(sub_group_clustered_rotate(x, (int)(n % 5), 4));                                                  \
        }                                                                                                          \
        out[ITEM] = h;                                                                                             \
    }                                                                                                              \
    kernel void nu_sums_##T(global uint *out, global const uint *in, uint n)                                       \
    {                                                                                                              \
        T x = (T)(in[ITEM] & 3), e = (T)((in[ITEM] & 7) == 0 ? 2 : 1), b = (T)(in[ITEM] >> 5 & 127);               \
        uint h = 0;                                                                                                \
        STEP(sub_group_non_uniform_reduce_add(x));                                                                 \
        STEP(sub_group_non_uniform_scan_inclusive_add(x));                                                         \
        STEP(sub_group_non_uniform_scan_exclusive_add(x));                                                         \
        STEP(sub_group_non_uniform_reduce_mul(e));                                                                 \
        STEP(sub_group_non_uniform_scan_inclusive_min(b));                                                         \
        STEP(sub_group_non_uniform_reduce_max(b));                                                                 \
        JOIN();                                                                                                    \
        if (in[ITEM] & 16) {                                                                                       \
            STEP(sub_group_non_uniform_reduce_add(x));                                                             \
            STEP(sub_group_non_uniform_scan_inclusive_add(x));                                                     \
            STEP(sub_group_non_uniform_scan_exclusive_mul(e));                                                     \
            STEP(sub_group_non_uniform_reduce_min(b));                                                             \
            STEP(sub_group_non_uniform_scan_inclusive_max(b));                                                     \
            STEP(sub_group_broadcast_first(b));                                                                    \
            STEP(sub_group_non_uniform_all_equal(x));                                                              \
        } else if (in[ITEM] & 32) {                                                                                \
            STEP(sub_group_non_uniform_scan_exclusive_add(b));                                                     \
            STEP(sub_group_non_uniform_scan_inclusive_mul(e));                                                     \
            STEP(sub_group_non_uniform_reduce_max(b));                                                             \
        }                                                                                                          \
        JOIN();                                                                                                    \
        STEP(sub_group_clustered_reduce_add(x, 4));                                                                \
        STEP(sub_group_clustered_reduce_min(b, 2));                                                                \
        STEP(sub_group_clustered_reduce_max(b, 4));                                                                \
        STEP(sub_group_clustered_reduce_mul(e, 1));                                                                \
        if (get_max_sub_group_size() >= 16)                                                                        \
            STEP(sub_group_clustered_reduce_add(x, 16));                                                           \
        out[ITEM] = h;                                                                                             \
    }
TYPE(char)
TYPE(uchar)
TYPE(short)
TYPE(ushort)
TYPE(int)
TYPE(uint)
TYPE(long)
TYPE(ulong)
TYPE(half)
TYPE(float)
TYPE(double)

#define BITS(T)                                                                                                    \
    kernel void nu_bits_##T(global uint *out, global const uint *in, uint n)                                       \
    {                                                                                                              \
        T x = (T)((T)in[ITEM] * 0x0101010101010101L);                                                              \
        uint h = 0;                                                                                                \
        STEP(sub_group_non_uniform_reduce_and((T)(x | 3)));                                                        \
        STEP(sub_group_non_uniform_scan_inclusive_or(x));                                                          \
        STEP(sub_group_non_uniform_scan_exclusive_xor(x));                                                         \
        STEP(sub_group_non_uniform_scan_exclusive_and(x));                                                         \
        JOIN();                                                                                                    \
        if (in[ITEM] & 16) {                                                                                       \
            STEP(sub_group_non_uniform_reduce_or((T)(x & 3)));                                                     \
            STEP(sub_group_non_uniform_reduce_xor(x));                                                             \
            STEP(sub_group_non_uniform_scan_inclusive_and(x));                                                     \
        }                                                                                                          \
        JOIN();                                                                                                    \
        STEP(sub_group_clustered_reduce_xor(x, 4));                                                                \
        STEP(sub_group_clustered_reduce_and(x, 2));                                                                \
        STEP(sub_group_clustered_reduce_or(x, 4));                                                                 \
        out[ITEM] = h;                                                                                             \
    }
BITS(char)
BITS(uchar)
BITS(short)
BITS(ushort)
BITS(int)
BITS(uint)
BITS(long)
BITS(ulong)

kernel void nu_logical(global uint *out, global const uint *in, uint n)
{
    int x = (int)(in[ITEM] & 6);
    uint h = 0;
    STEP(!sub_group_non_uniform_reduce_logical_and(x));
    STEP(!sub_group_non_uniform_reduce_logical_or(x));
    STEP(!sub_group_non_uniform_reduce_logical_xor(x));
    STEP(!sub_group_non_uniform_scan_inclusive_logical_and(x));
    STEP(!sub_group_non_uniform_scan_exclusive_logical_or(x));
    STEP(!sub_group_non_uniform_scan_exclusive_logical_xor(x));
    STEP(!sub_group_clustered_reduce_logical_and(x, 4));
    STEP(!sub_group_clustered_reduce_logical_xor(x, 2));
    JOIN();
    if (x & 2) {
        STEP(!sub_group_non_uniform_any(x & 4));
        STEP(!sub_group_non_uniform_all(x & 2));
        STEP(!sub_group_elect());
    }
    JOIN();
    STEP(!sub_group_elect());
    out[ITEM] = h;
}

#define STEP4(v) { uint4 b = v; STEP(b.x); STEP(b.y); STEP(b.z); STEP(b.w); }
kernel void nu_ballot(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    uint4 all = sub_group_ballot(1), odd = sub_group_ballot((int)(x & 1)), some = (uint4)(n, in[n], in[1], in[2]);
    STEP4(all);
    STEP4(odd);
    STEP(sub_group_ballot_bit_count(odd));
    STEP(sub_group_ballot_inclusive_scan(odd));
    STEP(sub_group_ballot_exclusive_scan(odd));
    if (odd.x | odd.y) {
        STEP(sub_group_ballot_find_lsb(odd));
        STEP(sub_group_ballot_find_msb(odd));
    }
    STEP(!sub_group_inverse_ballot(odd));
    STEP(!sub_group_inverse_ballot(some));
    STEP(!sub_group_ballot_bit_extract(odd, x % get_sub_group_size()));
    JOIN();
    if (x & 8)
        STEP4(sub_group_ballot((int)(x & 4)));
    JOIN();
    for (uint k = 0; k < (x >> 4 & 7); k++)
        STEP(sub_group_ballot((int)(x & k)).x);
    JOIN();
    STEP4(get_sub_group_eq_mask());
    STEP4(get_sub_group_lt_mask());
    STEP4(get_sub_group_le_mask());
    STEP4(get_sub_group_gt_mask() & all);
    STEP4(get_sub_group_ge_mask() & all);
    out[ITEM] = h;
}

/* Active work-items only: in a loop that each leaves in its own round, and by work-items already retired. */
kernel void nu_divergent_loop(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] & 31, h = 0;
    if (in[ITEM] % 11 == 3)
        return;
    JOIN();
    while (x > 2) {
        STEP(sub_group_non_uniform_reduce_add(x));
        STEP(sub_group_non_uniform_scan_exclusive_add((int)x));
        STEP(sub_group_broadcast_first(x));
        x -= 1 + x / 4;
    }
    JOIN();
    STEP(sub_group_non_uniform_reduce_add(h & 0xffff));
    out[ITEM] = h;
}

/* Agreement by waterfall: the usual idiom for varying handles. */
kernel void nu_waterfall(global uint *out, global const uint *in, uint n)
{
    uint key = in[ITEM] % 5, count = 0, rounds = 0;
    for (;;) {
        rounds++;
        uint first = sub_group_broadcast_first(key);
        uint same = sub_group_non_uniform_reduce_add(first == key ? 1u : 0u);
        if (first == key) {
            count = same;
            break;
        }
    }
    JOIN();
    out[ITEM] = key + count * 16 + rounds * 4096;
}
