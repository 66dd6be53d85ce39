/* SPDX-License-Identifier: MIT */
/* Indices taken apart by / and % of what is not known when code is made: rows of all lengths, divisors that are
 * negative, indices below zero and across a wrap, chains of divisions. */
#include "language.h"

#define WORDS 1024u

/* Work-items along a row read what stands beside: out of rows, chains, and a loop that strides by the range. */
kernel void
quotient_rows(global uint *out, global const uint *in, uint n, local uint *shared)
{
    for (uint d = 1u; d < n; d += d / 2u + 3u) {
        uint row = ITEM / d, column = ITEM % d;
        out[ITEM] += in[(row * 3u + column) % WORDS] * (row + 1u) + column;
    }
}

kernel void
quotient_signed(global uint *out, global const uint *in, uint n, local uint *shared)
{
    int d = (int)(n / 2u + 1u), i = (int)ITEM - (int)(n / 3u);
    int row = i / d, column = i % d, other = i / -d, rest = i % -d;
    out[ITEM] = in[(uint)(column + d) % WORDS] + (uint)row * 5u + (uint)column * 7u + (uint)other * 11u + (uint)rest;
}

/* The index comes to 2^32 and begins again, as unsigned and as signed numbers; and to 2^31. */
kernel void
quotient_wraps(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint i = ITEM - n / 2u, k = ITEM + 0x80000000u - n / 2u, d = n + 61u;
    out[ITEM] = in[i / d % WORDS] + in[i % d % WORDS] * 3u + in[(k / d) % WORDS] * 5u + in[k % d % WORDS] * 7u +
                in[(uint)((int)k / (int)d) % WORDS] * 9u + in[(uint)((int)k % (int)d + (int)d) % WORDS];
}

/* Divisors of 2^30 and more, and as long as no index is. */
kernel void
quotient_large(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint d = 0x40000000u + (n & 1u), e = 0xffffff00u + (n & 7u), i = ITEM + 0x3ffffff8u;
    out[ITEM] = in[i / d] + in[i % d % WORDS] * 3u + in[i / e] * 5u + in[i % e % WORDS] * 7u;
}

/* Divided by nothing where no work-item is. */
kernel void
quotient_guarded(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint d = n / 1000000u, i = ITEM, r = in[i % WORDS];
    if (d != 0u || in[i % 7u] == 0xfffffff1u)
        r = in[i / d % WORDS] + in[i % d % WORDS];
    out[ITEM] = r + i / (n | 1u);
}

/* Four dimensions out of one, the other way round, with a way out in between. */
kernel void
quotient_chain(global uint *out, global const uint *in, uint n, local uint *shared)
{
    int i = (int)ITEM, a = (int)(n / 7u + 3u), b = (int)(n / 11u + 2u), c = 5;
    int w = i % a, z = i / a % b, y = i / (a * b) % c, x = i / (a * b * c);
    if (w > z + 2) {
        out[i] = in[(w * 3 + z) % (int)WORDS] + (uint)x;
        return;
    }
    int rest = i % (a * b), p = rest / (a + 1), q = rest % (a + 1);
    uint sum = 0u;
    for (int k = 0; k < y + 3; k++)
        sum += in[(p * 2 + q + k) % (int)WORDS] * (uint)(z + 1);
    out[i] = sum + (uint)(x * 7 + y * 5 + z * 3 + w);
}

/* Round by round, over more than the range; the sums go on behind the rows. */
kernel void
quotient_stride(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint sum = 0u, step = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2)), d = n / 3u + 1u;
    for (uint i = ITEM; i < 3u * n; i += step) {
        uint row = i / d, column = i % d, x = in[(row + column) % WORDS];
        if (x & 1u)
            sum += x * row;
        sum = sum * 3u + column;
    }
    out[ITEM] = sum;
}

/* In 64 bits; every third index. */
kernel void
quotient_long(global uint *out, global const uint *in, uint n, local uint *shared)
{
    ulong i = (ulong)ITEM * 3u + 1u, d = n + 2u;
    long k = (long)ITEM - (long)(n / 2u), e = (long)d;
    out[ITEM] = in[(i / d + i % d) % WORDS] + (uint)(i / d) + (uint)(k / e) * 3u + in[(uint)(k % e + e) % WORDS];
}

/* Barriers behind the rows, and before them. */
kernel void
quotient_barrier(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint d = n / 2u + 1u;
    shared[LID] = in[(ITEM / d + ITEM % d) % WORDS];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint last = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)) - 1u;
    out[ITEM] = shared[last - LID] + ITEM / d;
}

/* Sub-groups that lie across the ends of a few rows: one row after the other. */
kernel void
quotient_few(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint d = n / 17u + 6u, i = ITEM, row = i / d, column = i % d, sum = 0u;
    global const uint *from = in + (row & 7u) * 64u;
    for (uint k = 0; k < 4u; k++)
        sum += from[column & 511u] * (k + 1u) + in[((row & 7u) * 100u + column + k * 7u) % WORDS] * (column ^ row);
    out[i] = sum;
}

/* Long rows that are no whole number of short ones, and such that are. */
kernel void
quotient_cut(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint b = n / 11u + 9u, a = 2u * b + (n & 1u), i = ITEM, rest = i % a, row = rest / b, column = rest % b;
    uint sum = i / a * 3u;
    for (uint k = 0; k < 3u; k++)
        sum += in[(row * 64u + column + k) % WORDS] * (k + row + 1u) + in[(300u + rest + k * 64u) % WORDS] * column;
    out[i] = sum;
}

/* Signed, in 64 bits, below zero, every second one; with a way out in each row, and round by round. */
kernel void
quotient_few_signed(global uint *out, global const uint *in, uint n, local uint *shared)
{
    int i = (int)ITEM - (int)(n / 3u), d = (int)(n / 5u) + 7, row = i / d, column = i % d;
    uint sum = (uint)row;
    for (int k = 0; k < 3; k++)
        sum += in[(uint)((row & 3) * 128 + column + d + k) % WORDS] * (uint)(k + 1);
    out[ITEM] = sum;
    if (column > 5 && in[row & 15] & 1u)
        return;
    for (int k = 0; k < 3; k++)
        sum = sum * 3u + in[(uint)(column + d + k * (row & 7)) % WORDS];
    out[ITEM] = sum;
}

kernel void
quotient_few_long(global uint *out, global const uint *in, uint n, local uint *shared)
{
    ulong j = 2u * (ulong)ITEM + 1u, e = (ulong)(n / 7u) + 19u, row = j / e, column = j % e;
    uint sum = (uint)row;
    for (uint k = 0; k < 3u; k++)
        sum += in[(row * 10u + column + k) % WORDS] * (k + 1u) ^ (uint)column;
    out[ITEM] = sum;
}

kernel void
quotient_few_stride(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint step = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2)), d = n / 9u + 8u;
    out[ITEM] = 1u;
    for (uint i = ITEM; i < 3u * n; i += step) {
        uint row = i / d, column = i % d, sum = 0u;
        for (uint k = 0; k < 4u; k++)
            sum += column + k < d ? in[((row & 7u) * 64u + column + k) % WORDS] * (k + 1u) : row;
        out[ITEM] = out[ITEM] * 3u + sum;
    }
}

/* Remainders by constants, of which front ends compute as few bits as they have: a cube, its planes and rows, and
 * the same planes once more out of the cube. */
kernel void
quotient_narrow(global uint *out, global const uint *in, uint n, local uint *shared)
{
    ulong i = (ulong)ITEM + n, cube = i % 2457u, plane = i % 273u, other = cube % 273u;
    uint x = (uint)(i / 273u), y = (uint)(plane / 21u), z = (uint)(plane % 21u), sum = x;
    uint u = (uint)(cube / 273u), v = (uint)(other / 21u), w = (uint)(other % 21u);
    for (uint k = 0; k < 3u; k++)
        sum += in[y * 21u + z + k] * (k + 1u) + in[u * 273u + v * 21u + w + 64u * k] * (z ^ u);
    out[ITEM] = sum;
    if (z > 0u && y > 0u)
        out[ITEM] = sum * 3u + in[y * 21u + z - 1u] + in[(y - 1u) * 21u + z];
}

/* Rows that do not fill a plane, a remainder of eight bits, and what is none, since it begins one later. */
kernel void
quotient_narrow_not(global uint *out, global const uint *in, uint n, local uint *shared)
{
    ulong j = (ulong)ITEM + n;
    uint plane = (uint)(j % 100u), y = plane / 13u, z = plane % 13u, sum = 0u;
    uint byte = (uint)(j % 200u), part = byte / 7u, rest = byte % 7u;
    ushort later = (ushort)((ushort)j + 1u - (ushort)(j / 273u) * 273u);
    for (uint k = 0; k < 2u; k++)
        sum += in[y * 16u + z + k] * (k + 1u) + in[part * 9u + rest + k] * (part + 1u) +
               in[later / 21u * 24u + later % 21u + k] * 7u;
    out[ITEM] = sum;
}

/* A remainder of more bits than are divided, and one that is negative in these. */
kernel void
quotient_narrow_low(global uint *out, global const uint *in, uint n, local uint *shared)
{
    ushort low = (ushort)(((ulong)ITEM + 99990u) % 100003u);
    uint sum = low / 53u;
    for (uint k = 0; k < 3u; k++)
        sum += in[low % 53u + 64u * k] * (low / 53u + k);
    out[ITEM] = sum;
}

kernel void
quotient_narrow_negative(global uint *out, global const uint *in, uint n, local uint *shared)
{
    short x = (short)(((ulong)ITEM + 32750u) % 40000u);
    int sum = x / 53;
    for (int k = 0; k < 3; k++)
        sum += (int)in[x % 53 + 64 + 64 * k] * (x / 53 + k);
    out[ITEM] = (uint)sum;
}

/* Round by round, with counters of fewer bits, some of which begin elsewhere or go on by more. */
kernel void
quotient_narrow_rounds(global uint *out, global const uint *in, uint n, local uint *shared)
{
    int step = (int)(get_global_size(0) * get_global_size(1) * get_global_size(2));
    ushort begun = (ushort)get_local_id(0), faster = (ushort)ITEM;
    out[ITEM] = 1u;
    for (long i = (int)ITEM; i < (long)(3u * n); i += step, begun += (ushort)step, faster += (ushort)n) {
        ulong plane = (ulong)i % 273u;
        uint y = (uint)(plane / 21u), z = (uint)(plane % 21u), sum = 0u;
        ushort q = (ushort)((ulong)i / 273u), b = begun - q * 273u, f = faster - q * 273u;
        for (uint k = 0; k < 3u; k++)
            sum += in[y * 21u + z + k] * (k + 1u) + in[(b / 21u & 15u) * 24u + b % 21u + k] * 5u +
                   in[(f / 21u & 15u) * 24u + f % 21u + k] * 7u;
        out[ITEM] = out[ITEM] * 3u + sum;
    }
}

/* Multiples of an index in 32 bits, which LLVM joins with their extension: the product's upper half counts, or not. */
kernel void
index_multiples(global uint *out, global const uint *in, uint n, local uint *shared)
{
    int i = (int)ITEM - 7;
    global const uchar *bytes = (global const uchar *)(in + 64);
    uint far = (uint)((long)(i * 0x30000000) >> 33) + (uint)(((long)ITEM * 0x3c0ffee11L) >> 32) +
               (uint)((((ulong)ITEM << 40) * 5u) >> 35) + (uint)((long)((ulong)ITEM * 0x700000000UL) >> 20);
    out[ITEM] = bytes[3 * i] | bytes[3 * i + 1] << 8 | bytes[3 * i + 2] << 16 | (uint)bytes[5 * i + 2] << 24;
    out[ITEM] += in[(4 * i + 32) & 1023] * 3u + far;
}

/* The same quotient for all, where some go: LLVM's loop-vectorize had it from the first lane alone. */
kernel void quotients_same_people(global uint *out, global const uint *in, uint n)
{
    out[ITEM] = n;
    if (in[ITEM] & 1)
        out[ITEM] = in[4000000000u / (n + 3) % 64] + in[4000000000u % (n + 7) % 64];
}

/* Counters that are divided round by round, and are in the same row for some: across 2^64, 2^32 and zero, by
 * divisors of all signs and lengths. */
kernel void
quotient_kept(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint sum = in[ITEM % WORDS], d = n / 97u + 2u;
    ulong e = (1ul << 63) + ((ulong)n << 20);
    int f = (int)(n & 3u) + 4, g = -f;
    long h = (n & 1u) ? -7l : (long)n + 9l;
    for (uint k = 0; k < 40u + (n & 7u); k++) {
        uint i = 3u * k - 50u;
        int s = (int)k - 25;
        ulong x = 5ul * k - 90ul;
        long y = 2l * s - 3l;
        sum = sum * 3u + in[(k / d + k % d) % WORDS] + i / d * 5u + i % d;
        sum = sum * 3u + (uint)(x / e) * 7u + (uint)(x % e) + (uint)(x / h);
        sum += (uint)(s / f) * 11u + (uint)(s % g) + (uint)(y / h) * 13u + (uint)(y % h);
    }
    out[ITEM] = sum;
}

/* Divisors that an outer loop changes; counters of both loops, one of which goes down. */
kernel void
quotient_kept_others(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint sum = in[ITEM % WORDS], e = n / 5u + 3u;
    for (uint j = 0; j < 4u + (n & 3u); j++) {
        uint d = in[j] % 29u + 3u;
        for (uint k = n + 6u; k-- > n;)
            sum = sum * 3u + in[(k / d * 3u + k % d) % WORDS] + (j * 64u + k) / e * 5u + (j * 64u + k) % e;
    }
    out[ITEM] = sum;
}
