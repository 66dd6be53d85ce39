/* SPDX-License-Identifier: MIT */
/* Data bases: trees, hash tables, joins, filters over columns. */
#define ORDER 16

typedef struct {
    int location;
    int indices[ORDER + 1];
    int keys[ORDER + 1];
    int is_leaf;
    int num_keys;
} knode;

/* B+ tree, a work-group a query, the work-items of a group compare the keys of a node at once. */
kernel void
btree_group(global const knode *nodes, global const int *queries, global int *answers, int height)
{
    local int current;
    int t = get_local_id(0), q = get_group_id(0), key = queries[q];

    if (t == 0) {
        current = 0;
        answers[q] = -1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int i = 0; i < height; i++) {
        int node = current;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < nodes[node].num_keys && nodes[node].keys[t] <= key && nodes[node].keys[t + 1] > key)
            current = nodes[node].indices[t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (nodes[current].keys[t] == key)
        answers[q] = nodes[current].indices[t];
}

/* The same, a query a work-item. */
kernel void
btree_item(global const knode *nodes, global const int *queries, global int *answers, int height)
{
    int q = get_global_id(0), key = queries[q], node = 0, answer = -1;

    for (int i = 0; i < height; i++) {
        int k = 0;
        while (k + 1 < nodes[node].num_keys && nodes[node].keys[k + 1] <= key)
            k++;
        node = nodes[node].indices[k];
    }
    for (int k = 0; k < nodes[node].num_keys; k++)
        if (nodes[node].keys[k] == key)
            answer = nodes[node].indices[k];
    answers[q] = answer;
}

/* Open addressing, linear probing, 64-bit slots of key and value. */
kernel void
hash_probe(global const ulong *table, global const uint *keys, global uint *values, uint mask)
{
    int i = get_global_id(0);
    uint key = keys[i], at = key * 2654435761u & mask;

    values[i] = 0xffffffffu;
    while (true) {
        ulong slot = table[at];
        if (slot == 0)
            break;
        if ((uint)(slot >> 32) == key) {
            values[i] = (uint)slot;
            break;
        }
        at = (at + 1) & mask;
    }
}

kernel void
hash_insert(volatile global uint *table, global const uint *keys, uint mask)
{
    uint key = keys[get_global_id(0)], at = key * 2654435761u & mask;

    for (;;) {
        uint old = atomic_cmpxchg(&table[at], 0u, key);
        if (old == 0 || old == key)
            return;
        at = (at + 1) & mask;
    }
}

/* A filter over columns of several types, results as bytes. */
kernel void
filter_columns(global const int *day, global const float *discount, global const uchar *flag, global const long *price,
               global uchar *keep, global long *revenue, int from, int to)
{
    int i = get_global_id(0);
    bool good = day[i] >= from && day[i] < to && discount[i] >= 0.05f && discount[i] <= 0.07f && flag[i] != 'N';

    keep[i] = good;
    revenue[i] = good ? price[i] * (long)(discount[i] * 100.0f + 0.5f) : 0;
}

/* Sums by group: 64 groups, counters of a work-group in local memory. */
kernel void
group_by(global const uchar *group_of, global const int *amounts, global int *sums, global int *counts, int n)
{
    local int sum[64], count[64];
    int t = get_local_id(0);

    if (t < 64)
        sum[t] = count[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        atomic_add(&sum[group_of[i]], amounts[i]);
        atomic_inc(&count[group_of[i]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 64) {
        atomic_add(&sums[t], sum[t]);
        atomic_add(&counts[t], count[t]);
    }
}

/* A bloom filter with four hashes. */
kernel void
bloom_test(global const uint *bits, global const ulong *keys, global char *maybe, uint mask)
{
    int i = get_global_id(0);
    ulong h = keys[i] * 0x9e3779b97f4a7c15UL;
    uint a = (uint)h, b = (uint)(h >> 32);
    char all = 1;

    for (uint k = 0; k < 4; k++) {
        uint bit = (a + k * b) & mask;
        all &= (bits[bit >> 5] >> (bit & 31)) & 1;
    }
    maybe[i] = all;
}
