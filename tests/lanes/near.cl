/* SPDX-License-Identifier: MIT */
/* Loads at indices that are near each other, most of the time; ELEMENT has 8 to 64 bits. */
#define KERNELS(ELEMENT)                                                                                     \
    kernel void scaled_##ELEMENT(global int *out, global const ELEMENT *a, float scale, float offset)        \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        out[i] = a[max((int)floor(i * scale + offset), 0)];                                                  \
    }                                                                                                        \
                                                                                                             \
    /* i / n, or i % n: pieces of rows. */                                                                   \
    kernel void divided_##ELEMENT(global int *out, global const ELEMENT *a, int n, int rest)                 \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        out[i] = a[(rest ? i % n : i / n) & 1023];                                                           \
    }                                                                                                        \
                                                                                                             \
    /* Butterflies of m, a power of two. */                                                                  \
    kernel void butterflies_##ELEMENT(global int *out, global const ELEMENT *a, int m, int unused)           \
    {                                                                                                        \
        int i = get_global_id(0), j = i & (m - 1);                                                           \
        out[i] = a[((((i - j) << 1) + j) & 1023)];                                                           \
    }                                                                                                        \
                                                                                                             \
    /* Back around a ring of n: front ends make two indices of it, one of them a choice. */                   \
    kernel void ring_##ELEMENT(global int *out, global const ELEMENT *a, int n, int rounds)                  \
    {                                                                                                        \
        int i = get_global_id(0), sum = 0;                                                                   \
        for (int k = 0; k < rounds; k++) {                                                                   \
            int j = i - k;                                                                                   \
            if (j < 0)                                                                                       \
                j += n;                                                                                      \
            sum = 3 * sum + (int)a[j];                                                                       \
        }                                                                                                    \
        out[i] = sum;                                                                                        \
    }                                                                                                        \
                                                                                                             \
    /* Strides in memory, which may be 1. */                                                                 \
    kernel void loaded_##ELEMENT(global int *out, global const ELEMENT *a, global const int *strides, int k) \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        out[i * strides[0]] = a[i * strides[k] + 2];                                                         \
    }                                                                                                        \
                                                                                                             \
    /* One side or the other, by data. */                                                                    \
    kernel void upwind_##ELEMENT(global int *out, global const ELEMENT *a, float scale, int unused)          \
    {                                                                                                        \
        int i = get_global_id(0), c = (int)(i * scale);                                                      \
        out[i] = a[out[i] > 0 ? c + 1 : max(c - 1, 0)];                                                      \
    }                                                                                                        \
                                                                                                             \
    /* Stores where those of sorts go, by some lanes. */                                                     \
    kernel void exchanged_##ELEMENT(global int *out, global const ELEMENT *a, int j, int m)                  \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if (i % 7 != m)                                                                                      \
            out[i ^ j] = a[i];                                                                               \
    }                                                                                                        \
                                                                                                             \
    kernel void pairs_##ELEMENT(global int *out, global const ELEMENT *a, int j, int m)                      \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        ELEMENT##2 v = ((global const ELEMENT##2 *)a)[i ^ j];                                                \
        if (i % 7 != m)                                                                                      \
            out[i] = v.x + 3 * v.y;                                                                          \
    }                                                                                                        \
                                                                                                             \
    /* Some lanes, the first of a sub-group or not; where none is, the place is nowhere. */                  \
    kernel void some_##ELEMENT(global int *out, global const ELEMENT *a, int n, int far)                     \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if (out[i] > 0)                                                                                      \
            out[i] = a[i / n + (i >= 512 ? far : 0)];                                                        \
    }                                                                                                        \
                                                                                                             \
    /* Sub-groups without a lane still come to barriers. */                                                  \
    kernel void left_##ELEMENT(global int *out, global const ELEMENT *a, int n, int far)                     \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if (out[i] <= 0)                                                                                     \
            return;                                                                                          \
        int x = a[i / n + (i >= 512 ? far : 0)];                                                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        out[i] = x;                                                                                          \
    }

KERNELS(uchar)
KERNELS(ushort)
KERNELS(int)
KERNELS(long)
