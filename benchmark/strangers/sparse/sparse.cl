/* SPDX-License-Identifier: MIT */
/* Sparse matrices in the formats that solvers use. REAL as in gemm.cl. */
#ifndef REAL
#define REAL float
#endif

kernel void
csr_scalar(const int num_rows, global const int *row_ptr, global const int *col_ind, global const REAL *val,
           global const REAL *x, global REAL *y)
{
    for (int row = get_global_id(0); row < num_rows; row += get_global_size(0)) {
        REAL sum = 0;
        int row_end = row_ptr[row + 1];
        for (int i = row_ptr[row]; i < row_end; i++)
            sum += val[i] * x[col_ind[i]];
        y[row] = sum;
    }
}

/* 8 work-items a row, the tree at the end in local memory. */
#define PER_ROW 8
kernel void
csr_vector(global const int *row_ptr, global const int *col_ind, global const REAL *val, global const REAL *x,
           global REAL *y, int num_rows)
{
    local REAL partial[128];
    int t = get_local_id(0), lane = t & (PER_ROW - 1), row = get_global_id(0) / PER_ROW;
    REAL sum = 0;

    if (row < num_rows)
        for (int j = row_ptr[row] + lane; j < row_ptr[row + 1]; j += PER_ROW)
            sum += val[j] * x[col_ind[j]];
    partial[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = PER_ROW / 2; half_way > 0; half_way /= 2) {
        if (lane < half_way)
            partial[t] += partial[t + half_way];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < num_rows)
        y[row] = partial[t];
}

kernel void
ell_columns(global const int *cols, global const REAL *vals, global const REAL *x, global REAL *y, int rows, int width)
{
    int r = get_global_id(0);
    REAL s = 0;

    if (r >= rows)
        return;
    for (int k = 0; k < width; k++) {
        int c = cols[k * rows + r];
        if (c >= 0)
            s += vals[k * rows + r] * x[c];
    }
    y[r] = s;
}

kernel void
coo_atomic(global const int *row, global const int *col, global const int *val, global const int *x, global int *y,
           int entries)
{
    int i = get_global_id(0);

    if (i < entries)
        atomic_add(&y[row[i]], val[i] * x[col[i]]);
}

/* Blocks of 3 x 3, as finite elements have them. */
kernel void
bsr_3x3(global const int *starts, global const int *blocks, global const REAL *values, global const REAL *x,
        global REAL *y)
{
    int b = get_global_id(0);
    REAL y0 = 0, y1 = 0, y2 = 0;

    for (int k = starts[b]; k < starts[b + 1]; k++) {
        global const REAL *v = values + 9 * k;
        int c = 3 * blocks[k];
        REAL x0 = x[c], x1 = x[c + 1], x2 = x[c + 2];
        y0 += v[0] * x0 + v[1] * x1 + v[2] * x2;
        y1 += v[3] * x0 + v[4] * x1 + v[5] * x2;
        y2 += v[6] * x0 + v[7] * x1 + v[8] * x2;
    }
    y[3 * b] = y0;
    y[3 * b + 1] = y1;
    y[3 * b + 2] = y2;
}

/* A step of Jacobi, diagonal found in the row. */
kernel void
jacobi_csr(global const int *starts, global const int *columns, global const REAL *values, global const REAL *b,
           global const REAL *x, global REAL *next)
{
    uint i = get_global_id(0);
    REAL diagonal = 1, sum = b[i];

    for (int k = starts[i]; k < starts[i + 1]; ++k) {
        if (columns[k] == i)
            diagonal = values[k];
        else
            sum -= values[k] * x[columns[k]];
    }
    next[i] = sum / diagonal;
}

/* Each row's columns above a limit are listed, `count` of them behind one another for each row. */
kernel void
rows_append(global const REAL *values, global REAL *found, global int *counts, REAL above, int n, int width)
{
    int i = get_global_id(0), count = 0;

    for (int j = 0; j < width; j++)
        if (values[j * n + i] > above)
            found[i * width + count++] = values[j * n + i];
    counts[i] = count;
}
