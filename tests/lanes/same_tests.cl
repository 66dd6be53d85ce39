/* SPDX-License-Identifier: MIT */
/* Loops whose ways back end with a test of their own each; see test_same_tests.py. */

/* A flag that one way clears, and that decides behind the loop: LLVM tests the counter once for each way. */
kernel void word(global int *out, global const int *in, int n)
{
    uint i = get_global_id(0), code = 0;
    bool good = true;
    for (int j = 0; j < n; j++) {
        uint c = 0;
        switch (in[(i + j * 5) & 63] & 7) {
        case 0: c = 3; break;
        case 1: c = 9; break;
        case 3: c = 14; break;
        case 4: c = 7; break;
        default: good = false;
        }
        code = code * 16 + c;
    }
    if (good)
        out[i] = code * 3 + n;
}

/* The same with an end of its own behind either way, and a sum that only one way goes on with. */
kernel void ends(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), seen = 1, last = -1, odd = 0, j = 0;
    for (;;) {
        int v = in[(i * 3 + j) & 63];
        if (v & 1) {
            seen = seen * 3 + v;
            odd += 5;
            j++;
            if (j == n) {
                out[i] = seen + last + odd;
                return;
            }
            continue;
        }
        last = v + seen;
        out[64 + i] += v;
        odd ^= v;
        j++;
        if (j == n)
            break;
    }
    out[i] = last * 2 - seen - odd;
}

/* One way goes on by two: these tests are not the same. */
kernel void apart(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), seen = 1, hits = 0, j = 0;
    for (;;) {
        int v = in[(i * 3 + j) & 63];
        if (v & 1) {
            seen = seen * 3 + v;
            j += 1;
            if (j >= n)
                break;
            continue;
        }
        hits = hits * 5 + v;
        out[64 + i] += v;
        j += 2;
        if (j >= n)
            break;
    }
    out[i] = seen * 7 - hits;
}

/* The outer loop counts its rounds where it begins. */
kernel void counted(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), seen = 1, j = 0;
again:
    out[64 + i] += seen;
    for (;;) {
        int v = in[(i * 3 + j) & 63];
        seen = seen * 3 + v;
        if (!(v & 1))
            break;
        out[64 + i] ^= v;
        j++;
        if (j == n)
            goto end;
    }
    j++;
    if (j != n)
        goto again;
end:
    out[i] = seen;
}

/* Who comes to the sum together is the loops' to say. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void together(global int *out, global const int *in, int n)
{
    int i = get_global_id(0), seen = 1, last = 1, j = 0;
    for (;;) {
        int v = in[j & 63];
        if (v & 1) {
            seen = seen * 3 + v;
            j++;
            if (j == n)
                break;
            continue;
        }
        last = last * 5 + sub_group_reduce_max(v + i);
        j++;
        if (j == n)
            break;
    }
    out[i] = last * 2 - seen;
}
