/* SPDX-License-Identifier: MIT */
/* cl_intel_subgroups, _char, _short, _long and _local_block_io: shuffles of every type with varying lanes, blocks of every
 * width. No front end has a header for them, so they are declared here. */
#include "language.h"

#define SG __attribute__((overloadable, convergent))
#define LANE get_sub_group_local_id()
#define MAX get_max_sub_group_size()

#ifdef REFERENCE
#define PAIR(T)                                                                                                    \
    static T __attribute__((overloadable)) intel_sub_group_shuffle_down(T a, T b, uint d)                          \
    {                                                                                                              \
        uint k = LANE + d;                                                                                         \
        T x = intel_sub_group_shuffle(a, k % MAX), y = intel_sub_group_shuffle(b, k % MAX);                        \
        return k < MAX ? x : y;                                                                                    \
    }                                                                                                              \
    static T __attribute__((overloadable)) intel_sub_group_shuffle_up(T a, T b, uint d)                            \
    {                                                                                                              \
        uint k = LANE - d + MAX;                                                                                   \
        T x = intel_sub_group_shuffle(a, k % MAX), y = intel_sub_group_shuffle(b, k % MAX);                        \
        return k < MAX ? x : y;                                                                                    \
    }
#define SHUFFLE(T)                                                                                                 \
    T __attribute__((overloadable)) sub_group_shuffle(T, uint);                                                    \
    static T __attribute__((overloadable)) intel_sub_group_shuffle(T x, uint k) { return sub_group_shuffle(x, k); } \
    static T __attribute__((overloadable)) intel_sub_group_shuffle_xor(T x, uint k)                                \
    {                                                                                                              \
        return sub_group_shuffle(x, LANE ^ k);                                                                     \
    }                                                                                                              \
    PAIR(T)
#define SHUFFLE_VECTOR(T, N)                                                                                       \
    static T##N __attribute__((overloadable)) intel_sub_group_shuffle(T##N x, uint k)                              \
    {                                                                                                              \
        T##N y;                                                                                                    \
        for (int c = 0; c < N; c++)                                                                                \
            y[c] = sub_group_shuffle(x[c], k);                                                                     \
        return y;                                                                                                  \
    }                                                                                                              \
    static T##N __attribute__((overloadable)) intel_sub_group_shuffle_xor(T##N x, uint k)                          \
    {                                                                                                              \
        return intel_sub_group_shuffle(x, LANE ^ k);                                                               \
    }                                                                                                              \
    PAIR(T##N)
#define BLOCK(T, N, V, name, S)                                                                                    \
    static V __attribute__((overloadable)) intel_sub_group_block_read##name(const S T *p)                          \
    {                                                                                                              \
        T v[N];                                                                                                    \
        for (int k = 0; k < N; k++)                                                                                \
            v[k] = p[LANE + k * MAX];                                                                              \
        return *(V *)v;                                                                                            \
    }                                                                                                              \
    static void __attribute__((overloadable)) intel_sub_group_block_write##name(S T *p, V value)                   \
    {                                                                                                              \
        for (int k = 0; k < N; k++)                                                                                \
            p[LANE + k * MAX] = ((T *)&value)[k];                                                                  \
    }
#else
#define SHUFFLE(T)                                                                                                 \
    T SG intel_sub_group_shuffle(T, uint);                                                                         \
    T SG intel_sub_group_shuffle_xor(T, uint);                                                                     \
    T SG intel_sub_group_shuffle_down(T, T, uint);                                                                 \
    T SG intel_sub_group_shuffle_up(T, T, uint);
#define SHUFFLE_VECTOR(T, N) SHUFFLE(T##N)
#define BLOCK(T, N, V, name, S)                                                                                    \
    V SG intel_sub_group_block_read##name(const S T *);                                                            \
    void SG intel_sub_group_block_write##name(S T *, V);
#endif

/* Values that are looked at come from work-items that exist. */
#define SHUFFLES(T, name, value)                                                                                   \
    kernel void intel_shuffle_##name(global T *out, global const uint *in, uint n)                                 \
    {                                                                                                              \
        uint x = in[ITEM], y = in[(ITEM * 5 + 1) & 4095], size = get_sub_group_size(), lane = LANE;                \
        uint d = n % size, e = x % size, up = lane - d, far = lane - e, down = lane + d, over = lane + e;          \
        T v = (T)value(x), w = (T)value(y), zero = (T)0;                                                           \
        global T *o = out + ITEM * 6;                                                                              \
        o[0] = intel_sub_group_shuffle(v, x % size);                                                               \
        T a = intel_sub_group_shuffle_xor(v, 1 + n % 3), b = intel_sub_group_shuffle_xor(v, x & 3);                \
        o[1] = (lane ^ (1 + n % 3)) < size ? a : zero;                                                             \
        o[2] = (lane ^ (x & 3)) < size ? b : zero;                                                                 \
        a = intel_sub_group_shuffle_down(v, w, d);                                                                 \
        b = intel_sub_group_shuffle_down(v, w, e);                                                                 \
        o[3] = down % MAX < size ? a : zero;                                                                       \
        o[4] = over % MAX < size ? b : zero;                                                                       \
        a = intel_sub_group_shuffle_up(v, w, d);                                                                   \
        b = intel_sub_group_shuffle_up(v, w, e);                                                                   \
        o[5] = (up + MAX) % MAX < size && (far + MAX) % MAX < size ? a : zero;                                     \
        if ((far + MAX) % MAX < size)                                                                              \
            o[5] = o[5] + b;                                                                                       \
    }
#define AS_IS(x) (x)
#define SMALL(x) ((x) % 1000)
SHUFFLE(char) SHUFFLE(uchar) SHUFFLE(short) SHUFFLE(ushort) SHUFFLE(int) SHUFFLE(uint) SHUFFLE(long) SHUFFLE(ulong)
SHUFFLE(half) SHUFFLE(float) SHUFFLE(double)
SHUFFLE_VECTOR(uint, 2) SHUFFLE_VECTOR(float, 4) SHUFFLE_VECTOR(int, 8) SHUFFLE_VECTOR(uint, 16)
SHUFFLE_VECTOR(char, 4) SHUFFLE_VECTOR(ushort, 8) SHUFFLE_VECTOR(half, 2)
SHUFFLES(char, char, AS_IS)
SHUFFLES(uchar, uchar, AS_IS)
SHUFFLES(short, short, AS_IS)
SHUFFLES(ushort, ushort, AS_IS)
SHUFFLES(int, int, AS_IS)
SHUFFLES(uint, uint, AS_IS)
#define LONG(x) ((ulong)(x) * 0x9e3779b97f4a7c15ul)
SHUFFLES(long, long, LONG)
SHUFFLES(ulong, ulong, LONG)
SHUFFLES(half, half, SMALL)
SHUFFLES(float, float, SMALL)
SHUFFLES(double, double, SMALL)
#define EACH2(x) ((x), (x) * 3)
#define EACH4(x) (SMALL(x), SMALL((x) >> 3), 5, SMALL((x) >> 9))
#define EACH8(x) ((x), 1, (x) >> 3, 5, (x) >> 9, (x) * 3, 7, (x) * 5)
#define EACH16(x) ((x), 1, (x) >> 3, 5, (x) >> 9, (x) * 3, 7, (x) * 5, (x) * 7, 2, (x) * 9, 3, (x) >> 4, (x) >> 5, 9, 10)
#define SHORT8(x) ((x), 1, (x) >> 3, 5, (x) >> 9, (x) * 3, 7, (x) * 5)
#define EACH2H(x) (SMALL(x), 7)
SHUFFLES(uint2, uint2, EACH2)
SHUFFLES(float4, float4, EACH4)
SHUFFLES(int8, int8, EACH8)
SHUFFLES(uint16, uint16, EACH16)
SHUFFLES(char4, char4, EACH4)
SHUFFLES(ushort8, ushort8, SHORT8)
SHUFFLES(half2, half2, EACH2H)

/* Among the work-items that are there. */
kernel void intel_shuffle_divergent(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = 0, all = sub_group_reduce_add(1), lane = LANE;
    if (lane % 3 != 1 || all < 3)
        y = intel_sub_group_shuffle(x, lane / 3 * 3); /* lanes 0, 3, 6 ... are there */
    JOIN();
    out[ITEM] = y + 1;
}

/* Sub-groups read and write blocks of their own; those of odd number write some lanes only. */
#define BLOCKS(T, N, V, name)                                                                                      \
    BLOCK(T, N, V, name, global)                                                                                   \
    BLOCK(T, N, V, name, local)                                                                                    \
    kernel void intel_block##name(global T *out, global const T *in, local T *l, uint n)                           \
    {                                                                                                              \
        uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0); \
        uint id = get_sub_group_id(), sg = group * get_enqueued_num_sub_groups() + id;                             \
        global T *o = out + sg * N * MAX;                                                                          \
        local T *own = l + id * N * MAX;                                                                           \
        V v = intel_sub_group_block_read##name(in + sg * 7 % 13);                                                  \
        intel_sub_group_block_write##name(own, v * (T)3);                                                          \
        if (sg & 1)                                                                                                \
            v = v + (T)LANE;                                                                                       \
        else                                                                                                       \
            v = v + intel_sub_group_block_read##name(in + id);                                                     \
        v = v ^ intel_sub_group_block_read##name((const local T *)own);                                            \
        if (!(sg & 1) || LANE % 3 != 1)                                                                            \
            intel_sub_group_block_write##name(o, v);                                                               \
    }
BLOCKS(uchar, 1, uchar, _uc)
BLOCKS(uchar, 2, uchar2, _uc2)
BLOCKS(uchar, 4, uchar4, _uc4)
BLOCKS(uchar, 8, uchar8, _uc8)
BLOCKS(uchar, 16, uchar16, _uc16)
BLOCKS(ushort, 1, ushort, _us)
BLOCKS(ushort, 2, ushort2, _us2)
BLOCKS(ushort, 4, ushort4, _us4)
BLOCKS(ushort, 8, ushort8, _us8)
BLOCKS(uint, 1, uint, )
BLOCKS(uint, 2, uint2, 2)
BLOCKS(uint, 4, uint4, 4)
BLOCKS(uint, 8, uint8, 8)
BLOCKS(ulong, 1, ulong, _ul)
BLOCKS(ulong, 2, ulong2, _ul2)
BLOCKS(ulong, 4, ulong4, _ul4)
BLOCKS(ulong, 8, ulong8, _ul8)
#ifndef LLVM_SPIRV /* llvm-spirv-15 knows sixteen bytes only */
BLOCKS(ushort, 16, ushort16, _us16)
BLOCKS(uint, 16, uint16, _ui16)
#endif

/* Work-items with pointers of their own: the first one's counts. */
#ifdef REFERENCE
#define FIRST(first, x) first
#else
#define FIRST(first, x) (x)
#endif
#define OF_LANE_0(x) FIRST(sub_group_broadcast(x, 0), x)
kernel void intel_blocks_apart(global uint *out, global const uint *in, uint n)
{
    uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    uint sg = group * get_enqueued_num_sub_groups() + get_sub_group_id(), lane = LANE, x = in[ITEM], y = lane;
    uint4 v = intel_sub_group_block_read4(in + OF_LANE_0(lane * 3 + sg % 5)) + x;
    for (uint k = 0, at = lane + n % 7; k <= n % 3; k++, at += 5)
        v ^= intel_sub_group_block_read4(in + OF_LANE_0(at)) + k;
    v += intel_sub_group_block_read4(in + OF_LANE_0(lane & 1 ? 9u : 2u));
    v *= intel_sub_group_block_read4(in + OF_LANE_0(x % 61));
    if (x & 1)
        y = 40 + lane * 2;
    v += intel_sub_group_block_read4(in + OF_LANE_0(y));
    v += intel_sub_group_block_read4(in + OF_LANE_0((uint)get_local_id(0) % 11));
    uint ended = n % 4;
    while (ended < 40 && (in[ended + lane] & 3))
        ended += 3;
    JOIN();
    v += intel_sub_group_block_read4(in + OF_LANE_0(ended));
    if (lane)
        v.x += intel_sub_group_block_read(in + FIRST(1, lane));
    JOIN();
    intel_sub_group_block_write4(out + sg * 4 * MAX + OF_LANE_0(lane), v);
}
