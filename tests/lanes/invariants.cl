/* SPDX-License-Identifier: MIT */
/* Loops in which conditions do not change from round to round: by an argument, by a number of rounds, by lanes. */
kernel void
by_argument(int n, int flag, global const int *at, global const float *x, global float *y)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        if (flag > 3)
            s += x[at[i]];
        else
            s -= k;
    y[i] = s;
}

kernel void
by_rounds(int n, int m, global const int *at, global const float *x, global float *y)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < m; j++)
            s += x[at[i]];
    y[i] = s;
}

kernel void
by_lanes(int n, int m, global const int *at, global const float *x, global float *y)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        if (at[i] > m)
            s += x[at[i]];
    y[i] = s;
}

/* Not copied: what meets in a loop meets there. */
kernel void
meeting(int n, int flag, global const int *at, global const float *x, global float *y)
{
    local float part[64];
    int i = get_global_id(0), l = get_local_id(0);
    float s = 0;
    for (int k = 0; k < n; k++) {
        part[l] = x[at[i]] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (flag > 3)
            s += part[63 - l];
        else
            s -= part[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = s;
}
