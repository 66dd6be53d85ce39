/* SPDX-License-Identifier: MIT */
/* Sub-groups that part behind a barrier, and meet at the next one or at the end: test_parting.py computes what
 * comes out. */

/* The last round's stores are reached from two barriers' code once the jump is threaded. */
kernel void
rounds(global int *out, int n, int k)
{
    local int t[64];
    int l = get_local_id(0), done, v = 0;

    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++) {
        done = 0;
        if (l / k >= i + 1 && l / k <= 60 - i) {
            done = 1;
            v = t[(l - 1) & 63] + t[(l + 1) & 63];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == n - 1)
            break;
        if (done)
            t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (done)
        out[get_global_id(0)] = v;
}

/* Two joins, from two barriers each, and a barrier behind. */
kernel void
joins(global int *out, int n, int k)
{
    local int t[64];
    int l = get_local_id(0), v, way = 2; /* a constant by each way */

    t[l] = l * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n > 3) {
        v = t[(l + 1) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l / k & 1)
            goto add;
        v += 5;
        goto out;
    } else {
        v = t[(l + 2) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l / k & 2)
            goto add;
        v += 7;
        goto out;
    }
add:
    for (int j = 0; j <= l / k % 4; j++)
        v = v * 3 + t[(l + j) & 63];
    way = 5;
out:
    v = v * way ^ n;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[(l + 9) & 63];
}

/* Round after round, and a join in each. */
kernel void
rounds_of_joins(global int *out, int n, int k)
{
    local int t[64];
    int l = get_local_id(0), v = 0;

    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++) {
        int x = t[(l + i) & 63];
        if (n & 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if ((l / k + i) & 1)
                goto twice;
            v += x;
        } else {
            x += t[(l + 7) & 63];
            barrier(CLK_LOCAL_MEM_FENCE);
            if ((l / k + i) % 3 == 0)
                goto twice;
            v -= x;
        }
        goto next;
    twice:
        v = v * 2 + x + i;
    next:
        t[l] = v & 1023;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = v;
}

/* So many joins that their regions choose in one place where to go on. */
#define ROUND(i) \
    { \
        int x = t[(l + i) & 63]; \
        if (n & 1) { \
            barrier(CLK_LOCAL_MEM_FENCE); \
            if ((l / k + i) & 1) \
                goto twice##i; \
            v += x; \
        } else { \
            x += t[(l + 7) & 63]; \
            barrier(CLK_LOCAL_MEM_FENCE); \
            if ((l / k + i) % 3 == 0) \
                goto twice##i; \
            v -= x; \
        } \
        goto next##i; \
    twice##i: \
        for (int j = 0; j <= l / k % 4; j++) \
            v = v * 3 + t[(l + j) & 63]; \
    next##i: \
        barrier(CLK_LOCAL_MEM_FENCE); \
        t[l] = v & 1023; \
        barrier(CLK_LOCAL_MEM_FENCE); \
    }
kernel void
many_joins(global int *out, int n, int k)
{
    local int t[64];
    int l = get_local_id(0), v = 0;

    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    ROUND(0) ROUND(1) ROUND(2) ROUND(3) ROUND(4) ROUND(5)
    out[get_global_id(0)] = v;
}

/* A word that no work-item computes for itself, but its way decides: it goes behind the barrier. */
kernel void
words(global int *out, int n, int k)
{
    local int t[64];
    int l = get_local_id(0), v = l, word = n;

    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l / k & 1) {
        for (int j = 0; j < (l & 7); j++)
            v = v * 3 + t[(l + j) & 63];
        word = 3;
        out[get_global_id(0)] = v;
    } else {
        for (int j = 0; j < (l & 3); j++)
            v = v * 5 + t[(l + j) & 63];
        out[get_global_id(0)] = 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[63 - l] * 16 + word;
}
