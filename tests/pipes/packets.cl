/* SPDX-License-Identifier: MIT */
/* Single packets of every form that moves them; test_packets.c makes the same packets from the same ids. */
typedef struct {
    uint a;
    float b;
} pair;
typedef struct {
    ulong a, b;
} longs;
typedef struct {
    uint a[4];
} quad;
typedef struct {
    uchar a, b, c;
} three;
typedef struct {
    uint a, b, c;
} twelve;

#define PACKETS(name, type, ...)                                                                             \
    kernel void write_##name(global int *results, uint modulus, write_only pipe type out)                    \
    {                                                                                                        \
        uint id = get_global_id(0);                                                                          \
        type packet = __VA_ARGS__;                                                                           \
        results[id] = 1;                                                                                     \
        if ((id ^ id >> 3) % modulus == 0)                                                                   \
            results[id] = write_pipe(out, &packet);                                                          \
    }                                                                                                        \
    kernel void read_##name(global type *values, global int *results, uint modulus, read_only pipe type in)  \
    {                                                                                                        \
        uint id = get_global_id(0);                                                                          \
        results[id] = 1;                                                                                     \
        if ((id ^ id >> 3) % modulus == 0)                                                                   \
            results[id] = read_pipe(in, values + id);                                                        \
    }

PACKETS(byte, uchar, (uchar)(id * 7))
PACKETS(half, ushort, (ushort)(id * 40503))
PACKETS(word, float, (float)id * 0.5f)
PACKETS(long, ulong, id * 0x9e3779b97f4a7c15ul)
PACKETS(pair, pair, {id * 3, (float)id})
PACKETS(four, uint4, (uint4)(id, id * 3, ~id, id ^ 0x55))
PACKETS(doubles, double2, (double2)(id, id * -0.25))
PACKETS(longs, longs, {id * 0x9e3779b97f4a7c15ul, ~(ulong)id})
PACKETS(quad, quad, {{id, id * 5, ~id, id ^ 0x33}})
PACKETS(three, three, {(uchar)id, (uchar)(id >> 8), (uchar)(id * 3)})
PACKETS(twelve, twelve, {id, id * 7, ~id})
