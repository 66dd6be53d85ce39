/* SPDX-License-Identifier: MIT */
#include "limit.h"

struct knode {
    int location, indices[17], keys[17], is_leaf, num_keys;
};

/* Three levels of 16: every third number from 0 to 3 * 4095. */
static void
fill_tree(struct knode *nodes)
{
    memset(nodes, 0, 273 * sizeof *nodes);
    for (int n = 0; n < 273; n++) {
        int level = n == 0 ? 0 : n < 17 ? 1 : 2, first = level == 0 ? 0 : level == 1 ? n - 1 : n - 17;
        int step = level == 0 ? 256 : level == 1 ? 16 : 1;
        nodes[n].location = n;
        nodes[n].is_leaf = level == 2;
        nodes[n].num_keys = 16;
        for (int k = 0; k < 17; k++) {
            int value = first * step * 16 + k * step;
            nodes[n].keys[k] = k == 16 && level < 2 ? 0x7fffffff : 3 * value;
            nodes[n].indices[k] = level == 0 ? 1 + k : level == 1 ? 17 + first * 16 + k : 7 * value + 1;
        }
    }
}

LIMIT_FILL(btree_group)
{
    LIMIT_BUFFER(struct knode, nodes);
    fill_tree(nodes);
}

LIMIT_FILL(btree_item)
{
    LIMIT_BUFFER(struct knode, nodes);
    fill_tree(nodes);
}

/* What the tree holds is known: the reference looks nothing up. */
static void
answers_known(const struct limit *limit)
{
    LIMIT_BUFFER(const int, queries);
    LIMIT_BUFFER(int, answers);

    for (size_t q = 0; q < limit->size; q++)
        answers[q] = queries[q] % 3 || queries[q] / 3 > 4095 ? -1 : 7 * (queries[q] / 3) + 1;
}

LIMIT_REFERENCE(btree_group)
{
    answers_known(limit);
}

LIMIT_REFERENCE(btree_item)
{
    answers_known(limit);
}

static void
answers_found(const struct limit *limit)
{
    LIMIT_BUFFER(const struct knode, nodes);
    LIMIT_BUFFER(const int, queries);
    LIMIT_BUFFER(int, answers);

#pragma omp parallel for
    for (size_t q = 0; q < limit->size; q++) {
        const struct knode *node = nodes;
        int key = queries[q], k;
        for (int i = 0; i < 2; i++) {
            for (k = 0; k + 1 < node->num_keys && node->keys[k + 1] <= key; k++)
                ;
            node = nodes + node->indices[k];
        }
        answers[q] = -1;
        for (k = 0; k < node->num_keys; k++)
            if (node->keys[k] == key)
                answers[q] = node->indices[k];
    }
}

LIMIT_OPENMP(btree_group)
{
    answers_found(limit);
}

LIMIT_OPENMP(btree_item)
{
    answers_found(limit);
}

LIMIT_FILL(hash_probe)
{
    LIMIT_BUFFER(uint64_t, table);

    for (uint32_t key = 1; key < 65000; key++) {
        uint32_t at = key * 2654435761u & 65535;
        if (key % 3 == 0)
            continue;
        while (table[at])
            at = (at + 1) & 65535;
        table[at] = (uint64_t)key << 32 | (key ^ 0x5555);
    }
}

LIMIT_REFERENCE(hash_probe)
{
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(uint32_t, values);

    for (size_t i = 0; i < limit->size; i++)
        values[i] = keys[i] < 65000 && keys[i] % 3 ? keys[i] ^ 0x5555 : 0xffffffff;
}

LIMIT_OPENMP(hash_probe)
{
    LIMIT_BUFFER(const uint64_t, table);
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(uint32_t, values);
    LIMIT_VALUE(uint32_t, mask);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        uint32_t at = keys[i] * 2654435761u & mask;
        while (table[at] && table[at] >> 32 != keys[i])
            at = (at + 1) & mask;
        values[i] = table[at] ? (uint32_t)table[at] : 0xffffffff;
    }
}

LIMIT_LOOP(hash_insert)
{
    LIMIT_BUFFER(uint32_t, table);
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_VALUE(uint32_t, mask);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++)
        for (uint32_t at = keys[i] * 2654435761u & mask;; at = (at + 1) & mask) {
            uint32_t old = 0;
            if (__atomic_compare_exchange_n(&table[at], &old, keys[i], 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED) ||
                old == keys[i])
                break;
        }
}

LIMIT_LOOP(filter_columns)
{
    LIMIT_BUFFER(const int, day);
    LIMIT_BUFFER(const float, discount);
    LIMIT_BUFFER(const uint8_t, flag);
    LIMIT_BUFFER(const int64_t, price);
    LIMIT_BUFFER(uint8_t, keep);
    LIMIT_BUFFER(int64_t, revenue);
    LIMIT_VALUE(int, from);
    LIMIT_VALUE(int, to);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        keep[i] =
            day[i] >= from && day[i] < to && discount[i] >= 0.05f && discount[i] <= 0.07f && flag[i] != 'N';
        revenue[i] = keep[i] ? price[i] * (int64_t)(discount[i] * 100 + 0.5f) : 0;
    }
}

LIMIT_LOOP(group_by)
{
    LIMIT_BUFFER(const uint8_t, group_of);
    LIMIT_BUFFER(const int, amounts);
    LIMIT_BUFFER(int, sums);
    LIMIT_BUFFER(int, counts);
    int sum[64] = {0}, count[64] = {0};

#pragma omp parallel for reduction(+ : sum, count)
    for (size_t i = 0; i < limit->size; i++) {
        sum[group_of[i]] += amounts[i];
        count[group_of[i]]++;
    }
    for (int g = 0; g < 64; g++) {
        sums[g] += sum[g];
        counts[g] += count[g];
    }
}

LIMIT_LOOP(bloom_test)
{
    LIMIT_BUFFER(const uint32_t, bits);
    LIMIT_BUFFER(const uint64_t, keys);
    LIMIT_BUFFER(char, maybe);
    LIMIT_VALUE(uint32_t, mask);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        uint64_t h = keys[i] * 0x9e3779b97f4a7c15;
        int all = 1;
        for (uint32_t k = 0; k < 4 && all; k++) {
            uint32_t bit = ((uint32_t)h + k * (uint32_t)(h >> 32)) & mask;
            all = bits[bit / 32] >> bit % 32 & 1;
        }
        maybe[i] = (char)all;
    }
}
