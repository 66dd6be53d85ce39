/* SPDX-License-Identifier: MIT */
/* Sorting as SDKs' samples and their readers write it. */

/* A step of the bitonic network over global memory, one comparison a work-item. */
kernel void
bitonic_step(global uint *data, uint stage, uint pass, uint direction)
{
    uint id = get_global_id(0);
    uint distance = 1 << (stage - pass), width = 2 * distance;
    uint left = (id % distance) + (id / distance) * width, right = left + distance;
    uint a = data[left], b = data[right], up = direction;

    if ((id / (1 << stage)) % 2 == 1)
        up = 1 - up;
    uint greater = a > b ? a : b, lesser = a > b ? b : a;
    data[left] = up ? lesser : greater;
    data[right] = up ? greater : lesser;
}

/* 1024 keys and values in local memory, two each work-item. */
kernel void
bitonic_local(global const uint *keys, global const uint *values, global uint *out_keys, global uint *out_values)
{
    local uint k[1024], v[1024];
    uint t = get_local_id(0), base = get_group_id(0) * 1024;

    k[t] = keys[base + t];
    v[t] = values[base + t];
    k[t + 512] = keys[base + t + 512];
    v[t + 512] = values[base + t + 512];
    for (uint size = 2; size <= 1024; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint pos = 2 * t - (t & (stride - 1));
            bool up = (t & (size / 2)) == 0 || size == 1024;
            if ((k[pos] > k[pos + stride]) == up) {
                uint x = k[pos];
                k[pos] = k[pos + stride];
                k[pos + stride] = x;
                x = v[pos];
                v[pos] = v[pos + stride];
                v[pos + stride] = x;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out_keys[base + t] = k[t];
    out_values[base + t] = v[t];
    out_keys[base + t + 512] = k[t + 512];
    out_values[base + t + 512] = v[t + 512];
}

/* Odd-even transposition in local memory. */
kernel void
odd_even_local(global float *data)
{
    local float tile[128];
    int t = get_local_id(0), n = get_local_size(0);

    tile[t] = data[get_global_id(0)];
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((t & 1) == (i & 1) && t + 1 < n && tile[t] > tile[t + 1]) {
            float x = tile[t];
            tile[t] = tile[t + 1];
            tile[t + 1] = x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = tile[t];
}

/* Rank sort: each element counts those before it. */
kernel void
rank_sort(global const int *in, global int *out, int n)
{
    int i = get_global_id(0), mine = in[i], rank = 0;

    for (int j = 0; j < n; j++) {
        int other = in[j];
        rank += other < mine || (other == mine && j < i);
    }
    out[rank] = mine;
}

/* Two sorted runs of float4, merged by one work-item: keys move as vectors. */
kernel void
merge_float4(global const float4 *in, global float4 *out, int run)
{
    int id = get_global_id(0);
    global const float4 *a = in + id * 2 * run, *b = a + run;
    global float4 *to = out + id * 2 * run;
    int i = 0, j = 0;
    float4 x = a[0], y = b[0];

    for (int k = 0; k < 2 * run; k++) {
        if (j >= run || (i < run && x.x <= y.x)) {
            to[k] = x;
            i++;
            if (i < run)
                x = a[i];
        } else {
            to[k] = y;
            j++;
            if (j < run)
                y = b[j];
        }
    }
}

/* Insertion sort of 16 numbers in private memory, by each work-item. */
kernel void
insertion_private(global const short *in, global short *out, int n)
{
    int g = get_global_id(0);
    short v[16];

    for (int i = 0; i < 16; i++)
        v[i] = in[i * n + g];
    for (int i = 1; i < 16; i++) {
        short x = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > x) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = x;
    }
    for (int i = 0; i < 16; i++)
        out[i * n + g] = v[i];
}

/* Radix sort's histogram: 16 counters a work-item in local memory. */
kernel void
radix_histogram(global const uint *keys, global uint *counts, int shift, int per_item)
{
    local uint bins[64 * 16];
    uint t = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);

    for (int i = 0; i < 16; i++)
        bins[i * 64 + t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < per_item; i++) {
        uint key = keys[(group * 64 + t) * per_item + i];
        bins[((key >> shift) & 15) * 64 + t]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 16) {
        uint sum = 0;
        for (int i = 0; i < 64; i++)
            sum += bins[t * 64 + i];
        counts[t * groups + group] = sum;
    }
}

/* Work-efficient scan in local memory, up and down the tree, with padding against bank conflicts. */
#define PAD(n) ((n) + ((n) >> 4))
kernel void
blelloch_scan(global const int *in, global int *out, local int *temp, int n)
{
    int t = get_local_id(0), base = get_group_id(0) * n, offset = 1;

    temp[PAD(t)] = in[base + t];
    temp[PAD(t + n / 2)] = in[base + t + n / 2];
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            temp[PAD(offset * (2 * t + 2) - 1)] += temp[PAD(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0)
        temp[PAD(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            int ai = PAD(offset * (2 * t + 1) - 1), bi = PAD(offset * (2 * t + 2) - 1);
            int x = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + t] = temp[PAD(t)];
    out[base + t + n / 2] = temp[PAD(t + n / 2)];
}

/* Hillis and Steele, two buffers in local memory. */
kernel void
hillis_steele(global const float *in, global float *out, local float *a, local float *b)
{
    uint gid = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);

    a[lid] = b[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < size; s <<= 1) {
        b[lid] = lid > s - 1 ? a[lid] + a[lid - s] : a[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        local float *x = a;
        a = b;
        b = x;
    }
    out[gid] = a[lid];
}

/* Stream compaction: a place by a global atomic for each that stays. */
kernel void
compact_atomic(global const int *in, global int *out, global int *count, int above)
{
    int v = in[get_global_id(0)];

    if (v > above) {
        int at = atomic_inc(count);
        out[at] = v;
    }
}
