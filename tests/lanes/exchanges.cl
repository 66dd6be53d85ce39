// SPDX-License-Identifier: MIT
// Loops around compare-and-exchange: additions, and what looks like them. `at` says which element an item changes.

// Two types of one place, as programs have it.
static void
add_to(volatile global float *p, float x)
{
    union { uint u; float f; } old, made;
    do {
        old.f = *p;
        made.f = old.f + x;
    } while (atomic_cmpxchg((volatile global uint *)p, old.u, made.u) != old.u);
}

kernel void
floats(global float *out, global const int *at)
{
    int i = (int)get_global_id(0);
    add_to(out + at[i], (float)(i + 1));
}

// One place for all: each addend is rounded away, all of them together are not.
kernel void
rounded(global float *out, global const int *at)
{
    add_to(out, 0x1p-24f);
}

// What stood there comes from the round before.
kernel void
carried(global uint *out, global const int *at)
{
    int i = (int)get_global_id(0);
    volatile global uint *p = out + at[i];
    uint old = *p, expected;
    do {
        expected = old;
        old = atomic_cmpxchg(p, expected, as_uint((float)(i + 1) + as_float(expected)));
    } while (old != expected);
}

kernel void
integers(global int *out, global const int *at)
{
    int i = (int)get_global_id(0), old;
    volatile global int *p = out + at[i];
    do
        old = *p;
    while (atomic_cmpxchg(p, old, old + i + 1) != old);
}

kernel void
locals(global float *out, global const int *at)
{
    local uint sums[16];
    int i = (int)get_global_id(0), me = (int)get_local_id(0);
    if (me < 16)
        sums[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile local uint *p = sums + at[i];
    uint old;
    do
        old = *p;
    while (atomic_cmpxchg(p, old, as_uint(as_float(old) + (float)(i + 1))) != old);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < 16 && sums[me])
        add_to(out + me, as_float(sums[me]));
}

// Not by the same in every round.
kernel void
own_addend(global int *out, global const int *at)
{
    int i = (int)get_global_id(0), old;
    volatile global int *p = out + i;
    do
        old = *p;
    while (atomic_cmpxchg(p, old, old + (old >> 1)) != old);
}

// Somebody asks what stood there.
kernel void
asked(global int *out, global const int *at)
{
    int i = (int)get_global_id(0), old;
    volatile global int *p = out + i;
    do
        old = *p;
    while (atomic_cmpxchg(p, old, old + 5) != old);
    *p = old * 2;
}

// Waits until it is this item's turn.
kernel void
turns(global int *out, global const int *at)
{
    int i = (int)get_global_id(0);
    while (atomic_cmpxchg((volatile global int *)out, i, i + 1) != i)
        ;
}

// What is expected stands elsewhere.
kernel void
elsewhere(global int *out, global const int *at)
{
    int i = (int)get_global_id(0), old;
    volatile global int *p = out + i, *q = out + 64 + i;
    do
        old = *q;
    while (atomic_cmpxchg(p, old, old + 5) != old);
}

// No addition; nobody waits for others by it either.
kernel void
products(global int *out, global const int *at)
{
    int i = (int)get_global_id(0), old;
    volatile global int *p = out + at[i];
    do
        old = *p;
    while (atomic_cmpxchg(p, old, old * 3) != old);
}
