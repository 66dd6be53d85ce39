/* SPDX-License-Identifier: MIT */
/* Gaussian elimination, LU and Cholesky steps with small two-dimensional groups, rows along dimension 0. */

kernel void
gauss_column(global const float *a, global float *m, int n, int t)
{
    int i = get_global_id(0);

    if (i >= n - 1 - t)
        return;
    m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

/* x is the row: neighbours in dimension 0 are n elements apart. */
kernel void
gauss_update(global float *a, global float *b, global const float *m, int n, int t)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= n - 1 - t || y >= n - t)
        return;
    a[n * (x + 1 + t) + (y + t)] -= m[n * (x + 1 + t) + t] * a[n * t + (y + t)];
    if (y == 0)
        b[x + 1 + t] -= m[n * (x + 1 + t) + (y + t)] * b[t];
}

/* LU of a diagonal tile in local memory by 16 work-items, each tile of a batch a work-group. */
kernel void
lu_diagonal(global float *m)
{
    local float tile[16][17];
    int t = get_local_id(0), i, j;
    global float *mine = m + get_group_id(0) * 256;

    for (i = 0; i < 16; i++)
        tile[i][t] = mine[i * 16 + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = 0; i < 15; i++) {
        if (t > i) {
            for (j = 0; j < i; j++)
                tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > i)
            for (j = 0; j < i + 1; j++)
                tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (i = 0; i < 16; i++)
        mine[i * 16 + t] = tile[i][t];
}

/* The inner tiles of a blocked LU: C -= A * B, 16 by 16 work-items. */
kernel void
lu_internal(global float *c, global const float *a, global const float *b, int n)
{
    local float row[16][16], col[16][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int gx = get_group_id(0) * 16 + tx, gy = get_group_id(1) * 16 + ty;
    float sum = 0;

    row[ty][tx] = a[gy * 16 + tx];
    col[ty][tx] = b[ty * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++)
        sum += row[ty][i] * col[i][tx];
    c[gy * n + gx] -= sum;
}

/* A system of 8 unknowns a work-item, without pivots, in global memory where they lie. */
kernel void
solve_small(global double *a, global double *x)
{
    int id = get_global_id(0);
    global double *m = a + id * 72;

    for (int k = 0; k < 8; k++)
        for (int i = k + 1; i < 8; i++) {
            double f = m[i * 9 + k] / m[k * 9 + k];
            for (int j = k; j < 9; j++)
                m[i * 9 + j] -= f * m[k * 9 + j];
        }
    for (int i = 7; i >= 0; i--) {
        double s = m[i * 9 + 8];
        for (int j = i + 1; j < 8; j++)
            s -= m[i * 9 + j] * x[id * 8 + j];
        x[id * 8 + i] = s / m[i * 9 + i];
    }
}
