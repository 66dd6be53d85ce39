/* SPDX-License-Identifier: MIT */
/* Places that are stored to on several ways; what a place holds is seen in between in every way that counts. */

struct body {
    int x[2], v[2], mass;
};

kernel void
reflect(global struct body *bodies, int box)
{
    global struct body *b = bodies + get_global_id(0);

    for (int d = 0; d < 2; d++) {
        b->v[d] += b->mass;
        b->x[d] += b->v[d];
        if (b->x[d] < 0) {
            b->x[d] = -b->x[d];
            b->v[d] = -b->v[d];
        } else if (b->x[d] > box) {
            b->x[d] = 2 * box - b->x[d];
            b->v[d] = -b->v[d];
        }
    }
}

/* One place that was stored to, and one that was only read. */
kernel void
reflect_once(global struct body *bodies, int box)
{
    global struct body *b = bodies + get_global_id(0);

    b->v[0] = b->v[1] + b->mass;
    int x = b->x[0];
    if (x < 50) {
        b->x[0] = x + 7;
        b->v[0] = -x;
    } else if (x > box - 90) {
        b->x[0] = x - 9;
        b->v[0] = x * 3;
    }
}

kernel void
largest(global int *a, global const int *in, int rounds)
{
    int i = get_global_id(0);

    for (int k = 0; k < rounds; k++)
        if (in[(i + k * 5) & 1023] > a[i])
            a[i] = in[(i + k * 5) & 1023];
}

kernel void
shared_end(global int *a, global const int *in, int unused)
{
    int i = get_global_id(0), x = in[i];

    if (x & 4) {
        a[i] = x;
        if (x & 1)
            a[i] = x * 3;
        else if (x & 8)
            a[i] += 5;
    }
}

/* `k` is 0: the place by another address. */
kernel void
read_between(global int *a, global const int *in, int k)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    if (x & 1) {
        int y = a[i + k];
        a[i] = y * 2 + 1;
    }
}

kernel void
read_before_it(global int *a, global const int *in, int k)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x + 1;
    int y = a[i + k];
    if (x & 1)
        a[i] = y * 3;
    else if (x & 2)
        a[i] = y * 5;
}

/* Who reads a place that the lane before it stores to leaves it alone. */
kernel void
neighbours_place(global int *a, global const int *in, int unused)
{
    int i = get_global_id(0), x = in[i];

    if (a[i & ~1] > 400 && !(i & 1)) {
        if (x & 2)
            a[i & ~1] = x;
        else if (x & 4)
            a[i & ~1] = 5;
    }
}

kernel void
written_between(global int *a, global const int *in, int k)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    if (x & 1) {
        if (x & 2)
            a[i] = 3;
        a[i + k] = 7;
    }
}

kernel void
bytes_between(global int *a, global const int *in, int unused)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    if (x & 1)
        ((global uchar *)(a + i))[1] = 9;
    else if (x & 2)
        a[i] = 4;
}

kernel void
barrier_between(global int *a, global const int *in, int uniform)
{
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0);

    shared[l] = in[i];
    if (uniform) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int y = shared[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] = y + 1;
    }
    a[i] = shared[l];
}

kernel void
atomic_between(global int *a, global const int *in, int unused)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    if (x & 1) {
        atomic_add(a + i, 5);
        if (x & 2)
            a[i] = 3;
    }
}

kernel void
left_between(global int *a, global const int *in, int unused)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    if (x & 1)
        return;
    if (x & 2)
        a[i] = 5;
    else if (x & 4)
        a[i]++;
}

kernel void
fall_through(global int *a, global const int *in, int rounds)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    for (int k = 0; k < rounds; k++)
        switch ((x + k) & 3) {
        case 0:
            a[i] += 2;
        case 1:
            a[i] = a[i] * 3 & 4095;
            break;
        case 2:
            if (a[i] > 4000)
                return;
        }
}

/* `uniform` is 1: what is added is found by a wide shift where it is not asked for. */
kernel void
small_arms(global int *a, global const int *in, int uniform)
{
    int i = get_global_id(0), x = in[i], y = 0;

    a[i] = x;
    if (x < 32) {
        if ((uniform << x) & 0x55555555)
            y = 3 + x;
        else if (x & 1)
            y = 4 * x;
    } else if (x > 500) {
        y = x - 500;
    }
    a[i] += y;
}

/* Values that meet where the branch is. */
kernel void
meets_before(global int *a, global const int *in, int rounds)
{
    int i = get_global_id(0), x = in[i], y = 0, last = x;

    for (int k = 0; k < rounds; k++) {
        last = y + in[(i + k) & 1023];
        y += last & 7;
    }
    a[i] = last;
    if (x < 300) {
        if (y & 1)
            last = x + y;
        else if (y & 2)
            last = x - y;
    } else if (last > 500) {
        last -= y;
    }
    a[i] += last;
}

/* A loop that only computes. */
kernel void
loop_between(global int *a, global const int *in, int bound)
{
    int i = get_global_id(0), x = in[i];

    a[i] = x;
    if (x > 400)
        while (x & bound)
            x = (x >> 1) + 3;
    else if (x > 300)
        x = 7;
    a[i] += x;
}
