/* SPDX-License-Identifier: MIT */
/* Accesses by strides that are arguments. test_strides.c runs each on the host too, one work-item after the other, and
 * one kernel object by strides that change from run to run. */
#ifndef __OPENCL_C_VERSION__
typedef unsigned int uint;
#endif

#define ARGUMENTS \
    int n, global const int *x, int ox, int p, global int *y, int oy, int q, int ra, long rs, long cs

kernel void
axpy(ARGUMENTS)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    (void)ra, (void)rs, (void)cs;
    if (i < n)
        y[oy + i * q] += 3 * x[ox + i * p];
}

/* The stride is a number, too. */
kernel void
told(ARGUMENTS)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    (void)ra, (void)rs, (void)cs;
    if (i < n)
        y[oy + i * q] = q == 1 ? x[ox + i * p] + p : x[ox + i * p] * p - q;
}

/* Rows or columns of a matrix, and a vector. */
kernel void
gemv(ARGUMENTS)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0), sum = 0;
    (void)ra;
    if (i >= n)
        return;
    for (int k = 0; k < 9; k++)
        sum += x[i * rs + k * cs] * x[ox + k * p];
    y[oy + i * q] = sum;
}

/* By pointers that go on. */
kernel void
walk(ARGUMENTS)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0), sum = 0;
    global const int *at = x + ox + i * p;
    (void)ra, (void)rs;
    if (i >= n)
        return;
    for (int k = 0; k < 7; k++) {
        sum = sum * 3 + *at;
        at += cs;
    }
    y[oy + i * q] = sum;
}

/* A matrix by both strides; either dimension may be the one in one piece. */
kernel void
both(ARGUMENTS)
{
    int i = get_global_id(0), j = get_global_id(1);
    (void)n, (void)ox, (void)p, (void)oy;
    y[i * rs + j * cs] = x[i * rs + j * cs] * 5 + q;
}

kernel void
turned(ARGUMENTS)
{
    int i = get_global_id(0), j = get_global_id(1);
    (void)n, (void)ox, (void)oy;
    y[j * (uint)ra + i] = x[i * cs + j * rs] + p - q;
}

static int
place(int offset, int i, int stride)
{
    return offset + i * stride;
}

kernel void
called(ARGUMENTS)
{
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    (void)ra, (void)rs, (void)cs;
    if (i < n)
        y[place(oy, i, q)] = x[place(ox, n - 1 - i, p)] - 7;
}

/* Products that wrap: of a multiple of four by 2^30 and a little. */
kernel void
wraps(ARGUMENTS)
{
    uint i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    (void)rs, (void)cs, (void)p, (void)ox;
    if ((int)i < n)
        y[oy + (int)i * q] = x[i * 4u * (uint)ra] + 1;
}
