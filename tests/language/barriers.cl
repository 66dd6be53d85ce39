/* SPDX-License-Identifier: MIT */
/* Barriers: in loops, nested, in uniform ifs, at joins, with much that lives across, in work-groups of any size. */
#include "language.h"

#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define FENCE() barrier(CLK_LOCAL_MEM_FENCE)

kernel void bar_rotate(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096];
    for (uint k = 0; k < 3; k++) {
        l[LID] = x;
        FENCE();
        x = x * 3 + l[(LID + k + 1) % SIZE];
        FENCE();
    }
    out[ITEM] = x;
}

kernel void bar_nested(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], y = x ^ 5;
    for (uint j = 0; j < 2 + n % 2; j++) {
        for (uint k = 0; k <= j; k++) {
            l[LID] = x + y;
            FENCE();
            y += l[SIZE - 1 - LID] * (j + 1);
            FENCE();
        }
        if (j & 1) {
            l[LID] = y;
            FENCE();
            x ^= l[LID / 2];
            FENCE();
        }
        x += j;
    }
    out[ITEM] = x * 31 + y;
}

/* Rows that are read ahead, of buffers and of local memory, between barriers and around them. */
kernel void bar_rows(global uint *out, global const uint *in, local uint *l, uint n)
{
    global const uchar *bytes_in = (global const uchar *)in;
    uint m = 5 + n % 40, x = 0, y = 0;
    for (uint r = 0; r < 2 + n % 2; r++) {
        for (uint k = 0; k < m; k++)
            x = x * 3 + in[ITEM % 89 * 46 + k];
        l[LID] = x;
        FENCE();
        for (uint k = 0; k < m; k++)
            y = y * 5 + bytes_in[ITEM % 301 * 50 + r + k] + x;
        uint first = LID / 8 * 8, last = first + 8 < SIZE ? first + 8 : SIZE;
        for (uint k = first + n % 2; k < last; k++)
            x = x * 7 + l[k];
        FENCE();
    }
    out[ITEM] = x ^ y;
}

/* A join reached from two barriers. */
kernel void bar_join(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], y;
    l[LID] = x;
    if (n & 1) {
        FENCE();
        y = l[(LID + 1) % SIZE] * 3;
    } else if (n & 2) {
        y = x;
        FENCE();
    } else {
        y = 7;
    }
    y += x;
    FENCE();
    l[LID] = y;
    if (get_group_id(0) % 2) {
        FENCE();
        y ^= l[SIZE - 1 - LID];
    } else {
        y = ~y;
        FENCE();
    }
    out[ITEM] = y;
}

kernel void bar_break(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], k = 0;
    while (1) {
        l[LID] = x + k;
        FENCE();
        uint y = l[0];
        FENCE();
        x ^= y;
        if (y % 4 == k % 4 || k > 5)
            break;
        if (y & 8) {
            k += 2;
            continue;
        }
        FENCE();
        k++;
    }
    out[ITEM] = x + k;
}

/* The condition from memory that the work-group changes itself. */
kernel void bar_flag(global uint *out, global const uint *in, local uint *l, uint n)
{
    local uint flag[1];
    uint x = in[ITEM % 4096], rounds = 0;
    if (LID == 0)
        flag[0] = n % 5 + 2;
    FENCE();
    while (flag[0]) {
        FENCE();
        x = x * 5 + flag[0];
        FENCE();
        if (LID == SIZE - 1)
            flag[0]--;
        rounds++;
        FENCE();
    }
    out[ITEM] = x + rounds;
}

/* Much that lives across, and a private array. */
kernel void bar_live(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint a[8], x = in[ITEM % 4096];
    float f = (float)(x & 0xfff);
    double d = (double)x;
    long g = (long)x << 13;
    uchar c = (uchar)x;
    bool p = x & 1;
    uint4 v = (uint4)(x, x + 1, x * 2, ~x);
    for (int k = 0; k < 8; k++)
        a[k] = x >> k;
    l[LID] = x;
    FENCE();
    uint y = l[(LID * 7 + 1) % SIZE];
    a[y & 7] += y;
    v.yz += v.xw;
    FENCE();
    l[LID] = a[x & 7] + v.y;
    g += y;
    c += (uchar)y;
    f = f * 2.0f + (float)c;
    FENCE();
    y ^= l[LID / 3];
    out[ITEM] = a[0] ^ a[3] ^ a[7] ^ a[y & 7] ^ v.x ^ v.y ^ v.z ^ (uint)f ^ (uint)(g >> 7) ^ (p ? y : c) ^ (uint)(d * 0.5);
}

constant uint table[6] = {3, 1, 4, 1, 5, 9};

kernel void bar_module_scope(global uint *out, global const uint *in, local uint *l, uint n)
{
    local uint grid[256];
    local struct { uchar tag; uint value; } cell;
    local ushort small[256];
    uint x = in[ITEM % 4096];
    grid[LID % 256] = 0;
    if (LID == 0)
        cell.value = x;
    small[LID % 256] = (ushort)LID;
    FENCE();
    if (LID < 256)
        grid[LID] = x + table[LID % 6] + cell.value;
    l[LID] = small[LID % 256];
    FENCE();
    out[ITEM] = grid[(LID + 3) % (SIZE < 256 ? SIZE : 256)] + l[SIZE / 2];
}

/* Retired before a barrier: the first sub-groups, all but one, and item by item; memory decides afterwards. */
kernel void bar_retired_first(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096];
    l[LID] = x;
    FENCE();
    if (LID < SIZE / 2)
        return;
    uint k = 0;
    while (in[k] < 25) {
        l[LID] += k;
        FENCE();
        x += l[LID == SIZE - 1 ? LID : LID + 1];
        FENCE();
        k += 5;
    }
    if (in[n % 7] & 1) {
        l[LID] = x;
        FENCE();
        x ^= l[SIZE - 1];
    }
    switch (in[5] + n % 2) {
    case 5:
        FENCE();
        x += 5;
    case 6:
        FENCE();
        x *= 3;
        break;
    default:
        x = 0;
    }
    out[ITEM] = x;
}

kernel void bar_retired_loop(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], left = x % 6;
    l[LID] = 0;
    FENCE();
    for (uint k = 0; k < 6; k++) {
        if (left == k) {
            out[ITEM] = x + k;
            return;
        }
        l[LID] += k + 1;
        FENCE();
        x ^= l[(LID + 1) % SIZE] << k;
        FENCE();
    }
    out[ITEM] = x;
}

kernel void bar_one_left(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096];
    l[LID] = x;
    FENCE();
    for (uint s = (SIZE + 1) / 2, end = SIZE; end > 1; end = s, s = (s + 1) / 2) {
        if (LID + s < end)
            l[LID] += l[LID + s];
        FENCE();
    }
    if (LID != 0)
        return;
    FENCE();
    out[ITEM] = l[0];
    FENCE();
    for (uint k = 0; k < in[5]; k++) {
        FENCE();
        out[ITEM] += k;
    }
}

kernel void bar_divergent_between(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096];
    l[LID] = x;
    FENCE();
    if (x & 1)
        for (uint k = 0; k < x % 5; k++)
            x += l[(LID + k) % SIZE];
    else if (x & 2)
        x = l[LID] / (x % 7 + 1);
    FENCE();
    l[LID] = x;
    FENCE();
    uint y = 0;
    do
        y += l[(LID + y) % SIZE] % 9 + 1;
    while (y < x % 50);
    out[ITEM] = y;
}

kernel void bar_global(global uint *out, global const uint *in, uint n)
{
    out[ITEM] = in[ITEM % 4096];
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint first = ITEM - (uint)get_local_id(0), other = first + (uint)get_local_size(0) - 1 - (uint)get_local_id(0);
    uint v = out[other];
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    out[ITEM] = v * 3;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
    v ^= out[other];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[ITEM] = v;
}

static NOINLINE uint exchange(local uint *l, uint x, uint k)
{
    l[LID] = x;
    FENCE();
    uint y = l[(LID + k) % SIZE];
    FENCE();
    return y;
}

kernel void bar_function(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096];
    x += exchange(l, x, 1);
    if (n & 1)
        x ^= exchange(l, x, 2);
    for (uint k = 0; k < 2; k++)
        x += exchange(l, x * 3, k);
    out[ITEM] = x;
}

kernel void bar_sub_group(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], me = get_sub_group_local_id(), base = LID - me;
    for (uint k = 1; k < 5; k++) {
        l[LID] = x;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        x += l[base + (me + k) % get_sub_group_size()];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[ITEM] = x;
}

kernel void bar_escaping(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint a[4] = {1, 2, 3, in[ITEM % 4096]};
    uint *p = in[ITEM % 4096] & 1 ? a + 1 : a + 2;
    l[LID] = *p;
    FENCE();
    *p += l[SIZE - 1 - LID];
    FENCE();
    out[ITEM] = a[0] + a[1] * 3 + a[2] * 5 + a[3];
}

kernel void bar_wide(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096];
    for (uint k = 0; k < 2; k++) {
        l[LID] = x;
        FENCE();
        x = x * 3 + l[SIZE - 1 - LID] + l[(LID + 77) % SIZE];
        FENCE();
    }
    out[ITEM] = x;
}

/* Trees that fewer and fewer work-items take part in: each with its own sum at hand; values that only some compute
 * and all want much later, one by way of a sum of two; a part that the last ones have to themselves; and a store by
 * some of what others loaded before. */
kernel void bar_tree_wide(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], mine = x, early = 3, late = 1;
    l[LID] = x;
    FENCE();
    if (LID < 256 && LID + 256 < SIZE) {
        mine += l[LID + 256];
        l[LID] = mine;
        early = mine * x ^ mine >> 7;
    }
    FENCE();
    if (LID < 64 && LID + 128 < SIZE) {
        mine += l[LID + 64] + l[LID + 128];
        l[LID] = mine;
    }
    FENCE();
    if (LID >= 512)
        late = l[LID & 511] * mine;
    FENCE();
    if (LID < 16 && LID + 32 < SIZE)
        l[LID] = mine += l[LID + 16] + l[LID + 32];
    FENCE();
    for (uint o = 8; o > n % 2; o /= 2) {
        if (LID < o && LID + o < SIZE)
            l[LID] += l[LID + o] + mine;
        FENCE();
        x += l[0];
        FENCE();
    }
    if (LID < 32)
        mine ^= late + early;
    FENCE();
    if (LID < 3 && LID + 5 < SIZE)
        l[LID + 5] = early;
    FENCE();
    out[ITEM] = mine + early * 3 + late * 5 + x + l[LID % min(16u, (uint)SIZE)];
}

kernel void bar_retired_wide(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], a[3] = {x, x + 1, x + 2};
    if (ITEM >= n)
        return;
    l[LID] = x;
    FENCE();
    a[x % 3] += l[0];
    FENCE();
    out[ITEM] = a[0] ^ a[1] * 3 ^ a[2] * 7;
}

/* A comparison of before the barrier decides behind it, where nothing else asks for what it compares. */
kernel void bar_compared(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], k = LID * 3;
    if (LID == 0)
        l[0] = 5;
    FENCE();
    k += l[0];
    if (LID != 0)
        x = in[2 * k % 4096];
    out[ITEM] = x;
}

kernel void bar_bounded(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 4096], few = n % 7 + 2;
    bool small = LID < few;
    if (small)
        l[LID] = x;
    FENCE();
    uint y = l[x % min(few, SIZE)];
    if (!small && ITEM < n)
        out[ITEM] = in[y % 4096] + l[0];
    else
        out[ITEM] = y;
}

/* Loops without end, which nobody is in. */
kernel void bar_endless(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint s = 1;
    uint x = in[ITEM % 40 * 5]; /* at most 195 */
    if (x > 1000 + n % 7) {
        for (;;) {
            l[LID] = s;
            barrier(CLK_LOCAL_MEM_FENCE);
            s += l[0];
            out[ITEM] = s;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    if (x > 1000)
        for (uint k = n;; k++) {
            l[LID] = k;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (k & 1)
                s += l[0];
        }
    out[ITEM] = s + in[ITEM];
}

/* Loops that nobody is in, and that do not end by what would be computed in them. */
kernel void bar_nobody(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM % 40 * 5], s = x, none = n >> 31; /* at most 195; 0 */
    if (x > 1000 + n % 7) { /* a barrier behind the loops */
        for (uint k = 0; k < 9; k += none)
            l[LID] += k;
        for (uint e = in[n % 8]; e != 5; e = in[e] / 2)
            s += e;
        for (uint k = n & 1;;) {
            k = (k + 6) % 12;
            if (k == 3) {
                if (in[k] == n)
                    break;
                s++;
            }
            for (uint j = k; j != 4; j += 2 * none)
                s += l[j];
        }
        FENCE();
        s += l[0];
    }
    if (x > 1000) /* and in them */
        for (uint k = n | 1; k != 8; k = k > 100 ? 1 : k + 2) {
            l[LID] = k;
            FENCE();
            for (uint j = k; j > 1000; j += none)
                s ^= l[j];
            FENCE();
        }
    if (x > 1001)
        for (uint k = n & 1;;) {
            k = (k + 6) % 12;
            if (k == 3 && n > 7)
                break;
            FENCE();
            l[LID] = k;
        }
    out[ITEM] = s;
}

/* Sub-groups that have returned walk to the barriers of others through loops over what they did not load. */
kernel void bar_retired(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint s = in[ITEM % 4096];
    if (LID > SIZE / 3) {
        out[ITEM] = s;
        return;
    }
    for (uint e = in[160 + n % 2 * 160]; e != 5; e = in[e] / 10 * 5)
        s = s * 3 + e;
    l[LID] = s;
    FENCE();
    s ^= l[SIZE / 3 - LID];
    for (uint k = 0, by = in[n % 7 * 5 + 5] != 0; k < 9; k += by)
        s += k * l[0];
    FENCE();
    l[LID] = s;
    FENCE();
    out[ITEM] = s + l[SIZE / 3 - LID];
}
