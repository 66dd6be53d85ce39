/* SPDX-License-Identifier: MIT */
/* Dozens of breaks, early returns and cases: the compiler has code of its own for more than 32 exits of a loop
 * and for 100 blocks. */
#include "language.h"

#define TIMES4(M, k) M(k) M((k) + 1) M((k) + 2) M((k) + 3)
#define TIMES16(M, k) TIMES4(M, k) TIMES4(M, (k) + 4) TIMES4(M, (k) + 8) TIMES4(M, (k) + 12)
#define TIMES64(M, k) TIMES16(M, k) TIMES16(M, (k) + 16) TIMES16(M, (k) + 32) TIMES16(M, (k) + 48)

#define STEP(k) x = x * (2 * (k) + 3) + (k);
#define SELDOM(k) (x % ((k) % 50 + 137) == 5)

/* To one place. */
kernel void ways_break(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], r;
    for (r = 0; r < 30 + (n & 3); r++) {
#define WAY(k) STEP(k) if (SELDOM(k)) break;
        TIMES64(WAY, 0)
#undef WAY
    }
    out[ITEM] = x ^ r;
}

/* To one place, with what each has to say. */
kernel void ways_found(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], found = n;
    ulong sum = 0;
    float f = 1;
    for (uint r = 0; r < 30; r++) {
#define WAY(k) STEP(k) if (SELDOM(k)) { found = (k) * 3; sum += x; f += (k); break; }
        TIMES64(WAY, 0)
#undef WAY
        sum ^= x;
    }
    out[ITEM] = x ^ found ^ (uint)sum ^ (uint)(sum >> 32) ^ (uint)f;
}

/* Each with code of its own: stores, returns, jumps to other places. */
kernel void ways_apart(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = n;
    ulong z = x;
    for (uint r = 0; r < 20; r++) {
#define WAY(k)                                                                                               \
    STEP(k)                                                                                                  \
    if (SELDOM(k)) {                                                                                         \
        out[ITEM] = x + (k);                                                                                 \
        if ((k) % 5 == 0)                                                                                    \
            return;                                                                                          \
        z = z * x + (k);                                                                                     \
        if ((k) % 5 == 1)                                                                                    \
            break;                                                                                           \
        if ((k) % 5 == 2)                                                                                    \
            goto first;                                                                                      \
        if ((k) % 5 == 3)                                                                                    \
            continue;                                                                                        \
        y ^= r;                                                                                              \
        goto second;                                                                                         \
    }
        TIMES64(WAY, 0)
#undef WAY
        y += x >> 3;
    }
    y *= 3;
first:
    y ^= 77;
second:
    out[ITEM] = x + y + (uint)(z >> 7);
}

/* Out of two loops at once, and of either. */
kernel void ways_nested(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = 0;
    for (uint q = 0; q < 3 + (x & 3); q++) {
        for (uint r = 0; r < 5 + (y & 7); r++) {
#define WAY(k)                                                                                               \
    STEP(k)                                                                                                  \
    if (SELDOM(k)) {                                                                                         \
        y += (k) % 3 == 0 ? q : r;                                                                           \
        if ((k) % 4 == 0)                                                                                    \
            goto out;                                                                                        \
        if ((k) % 4 == 1)                                                                                    \
            goto next;                                                                                       \
        if ((k) % 4 == 2) {                                                                                  \
            out[ITEM] = y * 5;                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        break;                                                                                               \
    }
            TIMES64(WAY, 0)
#undef WAY
            y += r;
        }
        x += y;
    next:
        y ^= q + n;
        if (y % 11 == 3)
            break;
    }
    y *= 5;
out:
    out[ITEM] = x + 3 * y;
}

/* Work-items of a work-group together, around a barrier. */
kernel void ways_together(global uint *out, global const uint *in, local uint *shared, uint n)
{
    uint x = n, y = in[ITEM], m = 1;
    for (uint r = 0; r < 6; r++) {
        shared[LID] = y;
        barrier(CLK_LOCAL_MEM_FENCE);
        y += shared[0];
        barrier(CLK_LOCAL_MEM_FENCE);
#define WAY(k) STEP(k) if (x % 197 == (k)) { m = (k); y ^= m; break; }
        TIMES64(WAY, 0)
#undef WAY
        y *= 3;
    }
    out[ITEM] = x ^ y ^ m;
}

/* Early returns, and a switch in a loop. */
kernel void ways_return(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] ^ n;
#define WAY(k) STEP(k) if (x % ((k) + 137) == 5) { out[ITEM] = x + (k); return; }
    TIMES64(WAY, 0)
#undef WAY
    out[ITEM] = x;
}

kernel void ways_case(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = n;
    for (uint r = 0; r < 10; r++) {
        switch (x % 67) {
#define WAY(k)                                                                                               \
    case (k):                                                                                                \
        x = x * (2 * (k) * (k) + 3) + y;                                                                     \
        if ((k) % 7 == 3)                                                                                    \
            continue;                                                                                        \
        if ((k) % 7 == 4)                                                                                    \
            goto out;                                                                                        \
        y ^= x >> ((k) % 5);                                                                                 \
        if ((k) % 7)                                                                                         \
            break;
            TIMES64(WAY, 0)
#undef WAY
        default: y += 7;
        }
        x ^= y;
    }
    y = ~y;
out:
    out[ITEM] = x + y;
}
