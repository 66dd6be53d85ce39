/* SPDX-License-Identifier: MIT */
/* Matrix products as people write them first. REAL: float unless the description says another. */
#ifndef REAL
#define REAL float
#endif
#if __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

/* 1: one element a work-item, the column in dimension 0. */
kernel void
gemm_naive(global const REAL *A, global const REAL *B, global REAL *C, int n)
{
    int col = get_global_id(0), row = get_global_id(1);
    REAL sum = 0;

    for (int k = 0; k < n; k++)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

/* 2: the row in dimension 0, so that neighbours are n apart. */
kernel void
gemm_rows_first(const int M, const int N, const int K, const global REAL *A, const global REAL *B, global REAL *C)
{
    const int row = get_global_id(0);
    const int col = get_global_id(1);

    if (row >= M || col >= N)
        return;
    REAL acc = 0.0f;
    for (int k = 0; k < K; k++)
        acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
}

/* 3: a whole row a work-item, the sum in global memory, flat index. */
kernel void
gemm_row_item(global const REAL *a, global const REAL *b, global REAL *c, const uint n)
{
    uint i = get_global_id(0);

    for (uint j = 0; j < n; j++) {
        c[i * n + j] = 0;
        for (uint k = 0; k < n; k++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* 4: one-dimensional index taken apart, alpha and beta, B transposed. */
kernel void
gemm_flat(global const REAL *a, global const REAL *bt, global REAL *c, REAL alpha, REAL beta, int n)
{
    int id = get_global_id(0);
    int row = id / n, col = id % n;
    REAL acc = 0;

    for (int k = 0; k < n; k++)
        acc += a[row * n + k] * bt[col * n + k];
    c[id] = alpha * acc + beta * c[id];
}

/* 5: tiles in local memory, A's tile turned, padding by conditions. */
#define TS 16
kernel void
gemm_tiles(const int M, const int N, const int K, const global REAL *A, const global REAL *B, global REAL *C)
{
    const int row = get_local_id(0), col = get_local_id(1);
    const int globalRow = TS * get_group_id(0) + row, globalCol = TS * get_group_id(1) + col;
    local REAL Asub[TS][TS];
    local REAL Bsub[TS][TS];
    REAL acc = 0.0f;

    for (int t = 0; t < (K + TS - 1) / TS; t++) {
        const int tiledRow = TS * t + row, tiledCol = TS * t + col;
        Asub[col][row] = tiledCol < K && globalRow < M ? A[tiledCol * M + globalRow] : (REAL)0;
        Bsub[col][row] = tiledRow < K && globalCol < N ? B[globalCol * K + tiledRow] : (REAL)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc += Asub[k][row] * Bsub[col][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (globalRow < M && globalCol < N)
        C[globalCol * M + globalRow] = acc;
}

/* A times A transposed, added to what is there, the sum in C. */
kernel void
rank_k_update(global REAL *a, global REAL *c, REAL alpha, REAL beta, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++)
            c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}

kernel void
matvec_row(global const REAL *A, global const REAL *x, global REAL *y, int ncols)
{
    size_t i = get_global_id(0);
    global const REAL *row = A + i * ncols;
    REAL sum = 0;

    for (int j = 0; j < ncols; j++)
        sum += row[j] * x[j];
    y[i] = sum;
}

/* The transposed matrix times a vector. */
kernel void
matvec_transposed(global const REAL *A, global const REAL *x, global REAL *y, int nrows, int ncols)
{
    int j = get_global_id(0);

    if (j < ncols) {
        y[j] = 0;
        for (int i = 0; i < nrows; i++)
            y[j] += A[i * ncols + j] * x[i];
    }
}

/* A 4 x 4 product a work-item, arrays in private memory. */
kernel void
batched_4x4(global const REAL *A, global const REAL *B, global REAL *C)
{
    int g = get_global_id(0) * 16;
    REAL a[4][4], b[4][4];

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            a[i][j] = A[g + i * 4 + j];
            b[i][j] = B[g + i * 4 + j];
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            REAL s = 0;
            for (int k = 0; k < 4; k++)
                s += a[i][k] * b[k][j];
            C[g + i * 4 + j] = s;
        }
}

/* Inverses of 3 x 3 matrices by cofactors, one after the other in memory. */
kernel void
batched_inverse_3x3(global const REAL *in, global REAL *out)
{
    global const REAL *m = in + 9 * get_global_id(0);
    global REAL *o = out + 9 * get_global_id(0);
    REAL c00 = m[4] * m[8] - m[5] * m[7], c01 = m[5] * m[6] - m[3] * m[8], c02 = m[3] * m[7] - m[4] * m[6];
    REAL det = m[0] * c00 + m[1] * c01 + m[2] * c02;
    REAL inv = (REAL)1 / det;

    o[0] = c00 * inv;
    o[1] = (m[2] * m[7] - m[1] * m[8]) * inv;
    o[2] = (m[1] * m[5] - m[2] * m[4]) * inv;
    o[3] = c01 * inv;
    o[4] = (m[0] * m[8] - m[2] * m[6]) * inv;
    o[5] = (m[2] * m[3] - m[0] * m[5]) * inv;
    o[6] = c02 * inv;
    o[7] = (m[1] * m[6] - m[0] * m[7]) * inv;
    o[8] = (m[0] * m[4] - m[1] * m[3]) * inv;
}
