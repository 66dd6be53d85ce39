/* SPDX-License-Identifier: MIT */
/* Sub-groups that exchange lanes again and again, that keep what a mask says across an atomic, and that share
 * what they load: what test_turned.py looks for in their code, and their results. */
#define SORT(N)                                                                                              \
    __attribute__((intel_reqd_sub_group_size(N)))                                                            \
    kernel void sort_##N(global const int *in, global int *out)                                              \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        uint lane = get_sub_group_local_id();                                                                \
        int key = in[i];                                                                                     \
        _Pragma("unroll") for (uint size = 2; size <= N; size *= 2)                                          \
            _Pragma("unroll") for (uint stride = size / 2; stride > 0; stride /= 2)                          \
        {                                                                                                    \
            int other = sub_group_shuffle_xor(key, stride);                                                  \
            bool low = ((lane & stride) == 0) == ((lane & size) == 0);                                       \
            key = low ? min(key, other) : max(key, other);                                                   \
        }                                                                                                    \
        out[i] = key;                                                                                        \
    }
SORT(8)
SORT(16)
SORT(32)

/* Lanes turn round and are reversed, on the way through conditions, conversions and a second array; a lane's
 * number takes part. */
#define MIX(N)                                                                                               \
    __attribute__((intel_reqd_sub_group_size(N))) kernel void mix_##N(global const int *in, global int *out) \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        int lane = get_sub_group_local_id();                                                                 \
        int a = in[i], b = in[i] * 3 + lane;                                                                 \
        _Pragma("unroll") for (int round = 1; round < N; round *= 2)                                         \
        {                                                                                                    \
            int x = sub_group_shuffle(a, (lane + round) & (N - 1));                                          \
            int y = sub_group_shuffle(b, N - 1 - lane);                                                      \
            a = x > y ? x - (int)(float)(y & 1023) : x ^ y;                                                  \
            b = sub_group_shuffle_xor(y + a, round);                                                         \
        }                                                                                                    \
        out[i] = a + b;                                                                                      \
    }
MIX(8)
MIX(16)
MIX(32)

kernel void
filter(global const int *in, global int *out, volatile global uint *count)
{
    uint i = get_global_id(0);
    bool inside = in[i] > 900;

    if (!sub_group_any(inside))
        return;
    uint4 ballot = sub_group_ballot(inside);
    uint base = 0;
    if (get_sub_group_local_id() == 0)
        base = atomic_add(count, sub_group_ballot_bit_count(ballot));
    base = sub_group_broadcast(base, 0);
    if (inside)
        out[base + sub_group_ballot_exclusive_scan(ballot)] = (int)i;
}

kernel void
rows(global const int *in, global int *out, global const float *left, global float *product)
{
    uint column = get_global_id(0), lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    float sum[4] = {0};

    for (uint k = 0; k < 64; k += size) {
        float mine[4];
        for (uint r = 0; r < 4; r++)
            mine[r] = left[r * 64 + k + lane];
        for (uint l = 0; l < size; l++) {
            float other = (float)in[(k + l) * get_global_size(0) + column];
            for (uint r = 0; r < 4; r++)
                sum[r] += sub_group_broadcast(mine[r], l) * other;
        }
    }
    for (uint r = 0; r < 4; r++)
        product[r * get_global_size(0) + column] = sum[r];
}
