/* SPDX-License-Identifier: MIT */
/* Loops whose rounds are pages apart: sums, counters of both signs at the ends of their ranges, bounds and
 * steps that are not the work-group's, work-items that never come to the loop or into it, values that are
 * wanted behind it. */
#include "language.h"

#define WORDS 4096u
#define STEP (n + 605u) /* more than there are work-items: each has its own words, and 512 words are far */
#define END 60000u

kernel void
far_sums(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint sum = 7u, least = ~0u;
    for (uint i = ITEM; i < END; i += STEP) {
        uint x = out[i];
        sum += x;
        least = min(least, x);
        out[i] = sum ^ (x << 3);
    }
    out[ITEM] = sum + least * 3u;
}

/* Another way through each round, and inner branches that only some work-items take. */
kernel void
far_branches(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint count = 0u;
    for (size_t i = ITEM; i < END; i += STEP) {
        uint x = out[i] + in[i % WORDS];
        if (x & 1u)
            count += 3u;
        else if (x & 8u)
            out[i] = x * 5u + count;
    }
    out[ITEM] += count;
}

kernel void
far_negative(global uint *out, global const uint *in, uint n, local uint *shared)
{
    int from = -30000, k = (int)ITEM * 2;
    for (int i = (int)ITEM + from; i < 29000; i += (int)STEP) {
        out[i - from] += (uint)(i * 3 + k);
        k -= 5;
    }
}

/* From the lowest number to one near the highest: what is between them is no signed number. */
kernel void
far_across(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint k = ITEM;
    for (int i = INT_MIN + (int)ITEM; i < 0x70000000; i += 1 << 27) {
        out[k] += (uint)i;
        k += STEP;
    }
}

/* Unsigned, to beyond the highest signed number; and work-items that begin above the bound, as unsigned. */
kernel void
far_unsigned(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint low = 0x80000000u - END / 2u;
    for (uint i = low + ITEM; i < low + END; i += STEP)
        out[i - low] = out[i - low] * 5u + i;
    for (uint i = ITEM - 7u; i < END; i += STEP)
        out[i + 7u] ^= i * 9u;
}

/* Each sub-group has a bound, or a step, of its own, or each round. */
kernel void
far_own(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint end = END - LID / get_max_sub_group_size() % 16u * 3000u, sum = 0u;
    uint step = STEP * (1u + LID / get_max_sub_group_size() % 2u);
    for (uint i = ITEM; i < end; i += STEP)
        sum += out[i];
    for (uint i = ITEM; i < END; i += step)
        out[i] += sum;
    for (uint i = ITEM, k = n; i < END; i += 700u + (uint)get_local_size(k++ & 1u))
        sum ^= in[i % WORDS] + i;
    out[ITEM] ^= sum;
}

/* Only some work-items come to the loop, only some sub-groups; then all, and it has rounds for one. */
kernel void
far_guarded(global uint *out, global const uint *in, uint n, local uint *shared)
{
    if (in[ITEM % WORDS] & 2u) {
        out[ITEM] ^= 0x55u; /* or the two conditions would be one */
        for (uint i = ITEM; i < END; i += STEP)
            out[i] = out[i] * 3u + 1u;
    }
    if (LID >= 24u) {
        out[ITEM] += 7u;
        for (uint i = ITEM; i < END; i += STEP)
            out[i] = out[i] * 5u + 3u;
    }
    for (uint i = ITEM * (END + 1u); i < END; i += STEP)
        out[i] += 5u;
}

/* An int that goes on by a size of 64 bits, of which the low half is added, and by one of a sub-group's own; the
 * largest of all, which nobody asks for. Then two counters, by steps that are made of one size. */
kernel void
far_largest(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint most = 0u;
    for (int i = ITEM; i < (int)END - 1000; i += get_global_size(0))
        most = max(most, out[i]);
    uint at = n;
    for (int k = n, i = ITEM; i < (int)END - 1000; k += get_global_size(0) * 6u, i += get_global_size(0))
        at ^= (uint)k * 5u + out[i];
    most = max(most, at);
    for (int i = ITEM; i < (int)END - 1000; i += get_global_size(0) * (1u + LID / get_max_sub_group_size() % 2u))
        most = max(most, out[i] ^ 5u);
    atomic_max(&out[END - 1u], most);
}

/* Other types, and two counters by two steps. */
kernel void
far_types(global uint *out, global const uint *in, uint n, local uint *shared)
{
    global double *d = (global double *)out;
    global uchar *c = (global uchar *)(out + END / 2u);
    double sum = 0.0;
    for (long i = ITEM, k = 3; i < (long)(END / 4u); i += STEP, k += 7) {
        double x = (double)(in[(uint)k % WORDS] >> 8);
        sum += x;
        d[i] = sum;
    }
    for (ushort i = (ushort)ITEM; i < 50000; i += (ushort)(STEP + 2048u))
        c[i] = (uchar)(c[i] * 3 + i);
    for (uint i = ITEM; i < END * 2u; i += STEP + 2048u)
        c[i] = (uchar)(c[i] ^ i);
}

/* What the last round leaves, of a loop whose bound is met exactly, and missed by one. */
kernel void
far_ends(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint last = 0u, at = 0u, end = min(STEP * 12u, END);
    for (uint i = ITEM; i < end; i += STEP) {
        last = out[i];
        at = i;
    }
    for (uint i = ITEM; i < STEP * 6u + 1u; i += STEP)
        out[i] += last + at;
    for (uint i = ITEM; i < STEP * 6u - 1u; i += STEP)
        out[i] ^= at;
}

/* Through local memory, and a barrier behind. */
kernel void
far_local(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint size = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    shared[LID] = 0u;
    for (uint i = ITEM; i < END; i += STEP)
        shared[LID] += out[i] * in[LID % WORDS];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[ITEM] = shared[LID] + shared[(LID + 1u) % size];
}
