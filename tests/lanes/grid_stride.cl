/* SPDX-License-Identifier: MIT */
/* Loops over what the global ids stride through (spirv/reflect_grid_stride.c). Each has the buffers a, which is
 * written, b and c, and a number n. */
#define ARGUMENTS global uint *a, global const uint *b, global const uint *c, int n

/* ---- whose rounds any work-item may run ---- */

kernel void
scaled(ARGUMENTS)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = 3 * b[i] + c[i];
}

kernel void
by_groups(ARGUMENTS)
{
    int stride = get_local_size(0) * get_num_groups(0);
    for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += stride)
        a[i] = b[i] ^ i;
}

kernel void
in_place(ARGUMENTS)
{
    uint gid = get_global_id(0);
    if (gid >= n)
        return;
    for (uint i = gid; i < n; i += get_global_size(0))
        a[i] = a[i] * 5 + 1;
}

kernel void
in_pairs(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n / 2; i += get_global_size(0)) {
        uint first = a[2 * i];
        a[2 * i] = a[2 * i + 1] + b[i];
        a[2 * i + 1] = first;
    }
}

kernel void
looked_up(ARGUMENTS)
{
    uint by = n * 7 % 5;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint sum = 0;
        for (uint k = 0; k < (b[i] & 7); k++)
            sum += c[(b[i] + k * by) & 255];
        if (sum & 1)
            a[i] = sum;
    }
}

kernel void
in_threes(ARGUMENTS)
{
    for (uint i = get_global_id(0); i < n / 3; i += get_global_size(0))
        for (uint k = 0; k < 3; k++)
            a[3 * i + k] = b[i] * k;
}

kernel void
beside(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n - 2; i += get_global_size(0))
        a[i + 1] = b[i] + b[i + 1] + b[i + 2];
}

kernel void __attribute__((reqd_work_group_size(64, 1, 1)))
demanded(ARGUMENTS)
{
    for (int i = 64 * get_group_id(0) + get_local_id(0); i < n; i += 64 * get_num_groups(0))
        a[i] = b[i] - i;
}

/* ---- whose rounds are the work-item's ---- */

/* What the round before has written, by four work-items. */
kernel void
after_each_other(ARGUMENTS)
{
    for (size_t i = get_global_id(0); i < n - 4; i += get_global_size(0))
        a[i + 4] = a[i] + b[i];
}

kernel void
summed(ARGUMENTS)
{
    uint sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = sum += b[i];
}

kernel void
counted(ARGUMENTS)
{
    uint round = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = round++;
}

kernel void
signed_by(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = get_global_id(0);
}

kernel void
signed_locally(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = get_local_id(0);
}

kernel void
sized(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = get_global_size(0);
}

/* Tells where another one ends. */
kernel void
chosen(ARGUMENTS)
{
    uint by = get_global_id(0) < 100 ? 2 : 3;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = by * i;
}

kernel void
left(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        if (b[i] % 11 == 0)
            break;
        a[i] = i;
    }
}

kernel void
written_after(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = b[i];
    if (get_global_id(0) < n)
        a[get_global_id(0)] += 1;
}

kernel void
remembered(ARGUMENTS)
{
    uint last[4] = {1, 2, 3, 4};
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        a[i] = last[b[i] & 3];
        last[c[i] & 3] = i;
    }
}

kernel void
at_one_place(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        a[i & 255] = i;
}

kernel void
added_up(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_add(&a[b[i] & 255], i);
}

/* Goes on by twice the size. */
kernel void
every_other(ARGUMENTS)
{
    for (int i = get_global_id(0); i < n; i += 2 * get_global_size(0))
        a[i] = b[i];
}
