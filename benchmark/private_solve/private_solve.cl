/* SPDX-License-Identifier: MIT */
/* Systems of four linear equations, one to a work-item, by Gauss-Jordan elimination in a private matrix;
 * the elements of all items' matrices that belong together stand together. Diagonally dominant, so no
 * pivots. */
kernel void
private_solve(uint n, global const float *matrix, global const float *right, global float *out)
{
    uint i = get_global_id(0);
    float a[4][5];

    for (uint r = 0; r < 4; r++) {
        for (uint c = 0; c < 4; c++)
            a[r][c] = matrix[(r * 4 + c) * n + i] + (r == c ? 4.0f : 0.0f);
        a[r][4] = right[r * n + i];
    }
    for (uint k = 0; k < 4; k++) {
        float scale = 1 / a[k][k];
        for (uint c = k; c < 5; c++)
            a[k][c] *= scale;
        for (uint r = 0; r < 4; r++)
            if (r != k) {
                float factor = a[r][k];
                for (uint c = k; c < 5; c++)
                    a[r][c] -= factor * a[k][c];
            }
    }
    for (uint r = 0; r < 4; r++)
        out[r * n + i] = a[r][4];
}
