/* SPDX-License-Identifier: MIT */
/* Ranges of two and three dimensions, of which one alone tells what is read far apart. */

kernel void
transposed(global const int *a, global const int *b, global int *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[x * n + k];
    c[y * 40 + x] = sum;
}

/* The same laid the other way round, behind a guard. */
kernel void
guarded(global const int *a, global const int *b, global int *c, int n)
{
    int x = get_global_id(1), y = get_global_id(0), sum = 0;

    if (x >= 37 || y >= 30)
        return;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + (a[y * n + k] ^ b[x * n + k]);
    c[y * 40 + x] = sum;
}

/* Whole vectors, by vload. */
kernel void
vectors(global const int *a, global const int *b, global int *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int4 sum = 0;

    for (int k = 0; k < n; k += 4)
        sum += vload4(0, a + y * n + k) * vload4(0, b + x * n + k);
    c[y * 40 + x] = sum.x + sum.y * 3 + sum.z * 5 + sum.w * 7;
}

/* Each has its own: nothing is shared. */
kernel void
own(global const int *a, global const int *b, global int *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;

    for (int k = 0; k < n; k++)
        sum = sum * 3 + a[(x + y) * n / 4 + k] + b[k];
    c[y * 40 + x] = sum;
}
