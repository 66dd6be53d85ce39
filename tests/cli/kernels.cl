/* SPDX-License-Identifier: MIT */
/* Kernels for the tests of spirv-run: every kind of argument, faults, endless loops. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void
copy(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}

kernel void
add_one(global int *data)
{
    data[get_global_id(0)] += 1;
}

/* Lanes lie along dimension 1. */
kernel void
columns(global int *out)
{
    int i = get_global_id(0), j = get_global_id(1);
    out[i * 16 + j] = out[i * 16 + j] + i * 100 + j;
}

kernel void
count_up(global const int *data, volatile global int *counts)
{
    int mine = atomic_add(counts, data[get_global_id(0)]);
    if (mine < 0)
        atomic_inc(counts + get_sub_group_id());
}

kernel void
scalars(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j, global double *out)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    out[6] = g;
    out[7] = h;
    out[8] = i;
    out[9] = j;
}

kernel void
vectors(float4 a, int3 b, uchar2 c, global float *out)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = a.w;
    out[4] = b.x;
    out[5] = b.y;
    out[6] = b.z;
    out[7] = c.x;
    out[8] = c.y;
}

struct pair {
    int a;
    float b;
};

kernel void
structs(struct pair p, global float *out)
{
    out[0] = p.a;
    out[1] = p.b;
}

kernel void
locals(local int *shared, global int *out)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    shared[i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[n - 1 - i];
}

kernel void
is_null(global const int *maybe, global int *out)
{
    out[0] = maybe == 0;
}

/* Work-item `where` writes `distance` elements past the last work-item's. */
kernel void
stray(global int *out, uint where, long distance)
{
    size_t i = get_global_id(0);
    out[i == where ? (long)get_global_size(0) + distance : (long)i] = 1;
}

kernel void
spin(volatile global int *flag)
{
    while (flag[0] == 0)
        ;
    flag[1] = 1;
}

/* A float4 view of a buffer whose length is no multiple of four: legal, its tail is left to scalars. */
kernel void
view(global const float *in, global float *out)
{
    global const float4 *four = (global const float4 *)in;
    size_t i = get_global_id(0);
    float4 v = four[i];
    out[i] = v.x + v.y + v.z + v.w;
}

kernel void
where_am_i(global uint *out)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
    out[i] = get_global_id(0);
}

kernel void __attribute__((reqd_work_group_size(8, 2, 1)))
required(global uint *out)
{
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_id(1);
}

kernel void
sub_groups(global uint *out)
{
    out[get_global_id(0)] = get_max_sub_group_size();
}

kernel void
print_and_stray(global int *data)
{
    printf("item %d\n", (int)get_global_id(0));
    data[1 << 20] = 1;
}

kernel void
print_and_spin(global int *data)
{
    printf("item %d\n", (int)get_global_id(0));
    while (data[0] == 0)
        ;
}

/* Each lane walks through elements of its own. */
kernel void
sums(global const uint *starts, global const int *in, global int *out)
{
    size_t row = get_global_id(0);
    int sum = 0;
    for (uint i = starts[row]; i < starts[row + 1]; i++)
        sum += in[i];
    out[row] = sum;
}

/* Each lane leaves when it has found its place. */
kernel void
search(uint n, global const uint *sorted, global const uint *needles, global uint *out)
{
    uint low = 0, high = n, needle = needles[get_global_id(0)];
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < needle)
            low = middle + 1;
        else
            high = middle;
    }
    out[get_global_id(0)] = low;
}

kernel void
print_and_store(global int *data)
{
    int i = (int)get_global_id(0);
    data[i] = printf("item %d %v2hld %s\n", i, (int2)(i, 7), "text") + 5;
}

/* A tile with margins, bounds, and rows: what --explain says of them. */
kernel void
tile(global const int *in, global int *out)
{
    local int part[20][24];
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    uint at = get_local_id(1) * 16 + get_local_id(0);

    for (uint i = at; i < 400; i += 256)
        part[i / 20][i % 20] = in[i / 20 * 64 + i % 20];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * width + x] = part[get_local_id(1) + 2][get_local_id(0) + 2];
    if (x > 0 && x < width - 1)
        out[y * width + x] += in[x - 1] * in[x + 1] - in[x];
}

kernel void
counted(global const int *in, global int *out)
{
    int x = get_global_id(0), sum = 0;
    uchar count[8] = {0};
    for (int k = 0; k < 40; k++)
        count[in[(x + k) % 64] & 7] += k;
    for (int k = 0; k < 8; k++)
        sum = sum * 7 + count[k];
    out[x] = sum;
}

kernel void
clamped(global const int *in, global int *out)
{
    int x = get_global_id(0), end = get_global_size(0) - 1;
    out[x] = in[clamp(x - 1, 0, end)] + 100 * in[x + 3 < end ? x + 3 : end];
}

kernel void
row_sums(global const int *in, global int *out, int n)
{
    int x = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[x * n + k];
    out[x] = sum;
}

kernel void
rows(global const int *in, global int *out)
{
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[at] = in[at] + in[get_global_id(1)];
}

/* Accesses of local memory beyond its objects: arguments and variables, small enough for registers or not. */
kernel void
stray_local(local int *first, local float4 *second, global int *out, int at, int group)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    first[i] = (int)i;
    second[i] = (float)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 1 && get_group_id(0) == group)
        first[at] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first[n - 1 - i] + (int)second[i].y;
}

kernel void
stray_variable(global int *out, int at, int group)
{
    local int first[16], second[16];
    local uchar odd[5];
    size_t i = get_local_id(0);
    first[i] = (int)i;
    second[i] = 2 * (int)i;
    if (i < 5)
        odd[i] = (uchar)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 1 && get_group_id(0) == group)
        first[at] = 7;
    if (i == 2 && get_group_id(0) == group + 100)
        odd[at] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first[15 - i] + second[i] + odd[i % 5];
}

kernel void
stray_read(global int *out, int at)
{
    local int values[16];
    size_t i = get_local_id(0);
    values[i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = values[(int)i + at];
}

/* Accesses up to the last byte of local objects of odd sizes, which no vector of the code's may pass. */
kernel void
odd_local(global int *out)
{
    local uchar bytes[61];
    local float3 threes[7];
    local int tile[17][17], row[60];
    size_t i = get_local_id(0);
    if (i < 61)
        bytes[i] = (uchar)(3 * i);
    if (i < 7)
        threes[i] = (float3)(i, 2 * i, 3 * i);
    if (i < 60)
        row[i] = (int)i;
    for (size_t k = i; k < 289; k += get_local_size(0))
        ((local int *)tile)[k] = (int)k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = bytes[60 - i % 61] + (int)threes[i % 7].z + vload3(i % 20, row).z;
    for (int k = 0; k < 17; k++)
        sum += tile[i % 17][k] - tile[k][16];
    out[get_global_id(0)] = sum;
}

/* The first sub-group waits for the last. */
kernel void
wait_for_flag(global int *out, global atomic_int *flag)
{
    if (get_sub_group_id() == 0)
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
            ;
    if (get_sub_group_id() == get_num_sub_groups() - 1)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    out[get_global_id(0)] = (int)get_local_id(0);
}

/* Each work-item takes the lock. */
kernel void
give_back_in_loop(global int *count, volatile global int *lock)
{
    for (bool done = false; !done;)
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            *count += 1;
            atomic_store_explicit((volatile global atomic_int *)lock, 0, memory_order_release,
                                  memory_scope_device);
            done = true;
        }
}

/* Who fails has seen what another has just written: nobody waits. */
kernel void
add_by_tries(global int *sums)
{
    volatile global int *sum = sums + get_global_id(0) % 4;
    float seen = as_float(*sum);
    int found = atomic_cmpxchg(sum, as_int(seen), as_int(seen + 1.0f));

    if (found == as_int(seen))
        return;
    do {
        seen = as_float(found);
        found = atomic_cmpxchg(sum, as_int(seen), as_int(seen + 1.0f));
    } while (found != as_int(seen));
}

kernel void
take_lock(global int *count, global atomic_int *lock)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    *count += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
