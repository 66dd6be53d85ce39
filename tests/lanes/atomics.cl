/* Atomics on one address. With one thread the work-items may be told the same as if they came one after the other. */
kernel void compact(global const int *a, global int *b, global uint *c)
{
    int x = a[get_global_id(0)];
    uint keep = x > 0, place = sub_group_scan_exclusive_add(keep), kept = sub_group_reduce_add(keep), base = 0;
    if (get_sub_group_local_id() == 0)
        base = atomic_add(c, kept);
    base = sub_group_broadcast(base, 0);
    if (keep)
        b[base + place] = x;
}

kernel void compact_bytes(global const int *a, global uchar *b, global uint *c)
{
    int x = a[get_global_id(0)];
    uint keep = x > 0, place = sub_group_scan_exclusive_add(keep), kept = sub_group_reduce_add(keep), base = 0;
    if (get_sub_group_local_id() == 0)
        base = atomic_add(c, kept);
    base = sub_group_broadcast(base, 0);
    if (keep)
        b[base + place] = (uchar)x;
}

kernel void compact_shorts(global const int *a, global short *b, global uint *c)
{
    int x = a[get_global_id(0)];
    uint keep = x & 1, place = sub_group_scan_exclusive_add(keep), kept = sub_group_reduce_add(keep), base = 0;
    if (get_sub_group_local_id() == 0)
        base = atomic_add(c, kept);
    base = sub_group_broadcast(base, 0);
    if (keep)
        b[base + place] = (short)(3 * x);
}

/* Sub-groups with nothing to say leave early. */
kernel void filter(global const int *a, global int *b, global uint *c)
{
    uint i = get_global_id(0);
    bool in = a[i] > 350;
    if (!sub_group_any(in))
        return;
    uint place = sub_group_scan_exclusive_add(in ? 1u : 0u), kept = sub_group_reduce_add(in ? 1u : 0u), base = 0;
    if (get_sub_group_local_id() == 0)
        base = atomic_add(c, kept);
    base = sub_group_broadcast(base, 0);
    if (in)
        b[base + place] = a[i];
}

kernel void tickets(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    b[i] = (int)atomic_inc(c) * 2 + a[i];
}

kernel void some_tickets(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    int mine = -1;
    if (a[i] % 3 == 0)
        mine = (int)atomic_add(c, (uint)(a[i] & 7));
    b[i] = mine;
}

kernel void returned(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    if (a[i] < -300)
        return;
    b[i] = (int)atomic_sub(c, 3u);
}

kernel void two(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    uint x = atomic_max(c + 1, (uint)(a[i] & 1023)), y = atomic_xor(c + 3, (uint)a[i]);
    b[i] = (int)(x ^ y * 3);
}

kernel void by_group(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    uint g = get_group_id(0) & 3;
    if ((i & 31) < 20)
        b[i] = (int)atomic_or(c + g, 1u << (a[i] & 31)) + (int)get_sub_group_id() * 0;
    else
        b[i] = (int)g;
}

kernel void sums(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    int x = a[i];
    atomic_add(c, (uint)x);
    if (x > 0)
        atomic_min((volatile global int *)c + 1, -x);
    if (sub_group_all(x > -490))
        atomic_inc(c + 2);
    atomic_and(c + 3, ~(1u << (x & 31)));
    atomic_sub(c + 4, 5u);
    b[i] = x;
}

/* Nobody does it, and the address is none. */
kernel void nobody(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    uint x = 7;
    if (a[i] > 1000000)
        x = atomic_add(c + ((size_t)1 << 44), 1u);
    if (a[i] > 1000001)
        atomic_add(c + ((size_t)1 << 45), 1u);
    b[i] = (int)x + a[i];
}

/* Behind barriers, between them, and for the first work-item alone. */
kernel void barriers(global const int *a, global int *b, global uint *c)
{
    local uint first, seen[8];
    size_t i = get_global_id(0), l = get_local_id(0);
    for (size_t k = l; k < 8; k += get_local_size(0))
        seen[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&seen[a[i] & 7], 1u);
    if (l == 0)
        first = atomic_add(c, (uint)get_local_size(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = atomic_inc(c + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = (int)(first * 5 + mine + seen[(a[i] + 1) & 7]);
}

/* Each work-item's own words and one of four for all: most maxima and minima stand there already. */
kernel void extremes(global const int *a, global int *b, global uint *c)
{
    size_t i = get_global_id(0);
    int x = a[i];
    atomic_max((volatile global int *)c + 4 + (x & 3), x);
    uint was = atomic_min((volatile global uint *)b + i, (uint)x);
    int low = atomic_max(b + i, 100), most = atomic_min(b + i, 7);
    if (x & 4)
        atomic_max(c + 1, (uint)(x & 1023));
    b[i] += (int)(was * 3) ^ low * 5 ^ most * 7;
}
