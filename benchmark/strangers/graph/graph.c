/* SPDX-License-Identifier: MIT */
#include "limit.h"

static uint32_t
scrambled(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352d;
    x = (x ^ (x >> 15)) * 0x846ca68b;
    return x ^ (x >> 16);
}

/* Up to 8 edges a node, 4 on average. */
static void
fill_rows(int *starts, int *edges, size_t n)
{
    starts[0] = 0;
    for (size_t v = 0; v < n; v++) {
        starts[v + 1] = starts[v] + (int)(scrambled((uint32_t)v) % 9);
        for (int e = starts[v]; e < starts[v + 1]; e++)
            edges[e] = (int)(scrambled((uint32_t)e + 77777) % n);
    }
}

LIMIT_FILL(bfs_expand)
{
    LIMIT_BUFFER(int, nodes);
    LIMIT_BUFFER(int, edges);
    LIMIT_BUFFER(char, mask);
    LIMIT_BUFFER(char, visited);
    LIMIT_BUFFER(int, cost);
    int *starts = malloc((limit->size + 1) * sizeof *starts);

    fill_rows(starts, edges, limit->size);
    for (size_t v = 0; v < limit->size; v++) {
        nodes[2 * v] = starts[v];
        nodes[2 * v + 1] = starts[v + 1] - starts[v];
        mask[v] = scrambled((uint32_t)v + 5) % 4 == 0;
        visited[v] = mask[v] || scrambled((uint32_t)v + 9) % 4 == 0;
        cost[v] = visited[v] ? 3 : -1;
    }
    free(starts);
}

LIMIT_LOOP(bfs_expand)
{
    LIMIT_BUFFER(const int, nodes);
    LIMIT_BUFFER(const int, edges);
    LIMIT_BUFFER(const char, mask);
    LIMIT_BUFFER(char, updating);
    LIMIT_BUFFER(const char, visited);
    LIMIT_BUFFER(int, cost);

#pragma omp parallel for
    for (size_t v = 0; v < limit->size; v++) {
        if (!mask[v])
            continue;
        for (int i = nodes[2 * v]; i < nodes[2 * v] + nodes[2 * v + 1]; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = cost[v] + 1;
                updating[id] = 1;
            }
        }
    }
}

LIMIT_LOOP(bfs_commit)
{
    LIMIT_BUFFER(char, mask);
    LIMIT_BUFFER(char, updating);
    LIMIT_BUFFER(char, visited);
    LIMIT_BUFFER(char, over);
    char any = 0;

#pragma omp parallel for reduction(| : any)
    for (size_t v = 0; v < limit->size; v++)
        if (updating[v]) {
            mask[v] = visited[v] = any = 1;
            updating[v] = 0;
        }
    *over |= any;
}

LIMIT_FILL(components_step)
{
    LIMIT_BUFFER(int, starts);
    LIMIT_BUFFER(int, edges);

    fill_rows(starts, edges, limit->size);
}

LIMIT_LOOP(components_step)
{
    LIMIT_BUFFER(const int, starts);
    LIMIT_BUFFER(const int, edges);
    LIMIT_BUFFER(const int, labels);
    LIMIT_BUFFER(int, next);

#pragma omp parallel for
    for (size_t v = 0; v < limit->size; v++) {
        int best = labels[v];
        for (int e = starts[v]; e < starts[v + 1]; e++)
            best = labels[edges[e]] < best ? labels[edges[e]] : best;
        next[v] = best;
    }
}

LIMIT_FILL(pagerank_pull)
{
    LIMIT_BUFFER(int, starts);
    LIMIT_BUFFER(int, edges);

    fill_rows(starts, edges, limit->size);
}

LIMIT_LOOP(pagerank_pull)
{
    LIMIT_BUFFER(const int, starts);
    LIMIT_BUFFER(const int, edges);
    LIMIT_BUFFER(const float, rank);
    LIMIT_BUFFER(const int, degree);
    LIMIT_BUFFER(float, next);
    LIMIT_VALUE(float, damping);

#pragma omp parallel for
    for (size_t v = 0; v < limit->size; v++) {
        float sum = 0;
        for (int e = starts[v]; e < starts[v + 1]; e++)
            sum += rank[edges[e]] / (float)degree[edges[e]];
        next[v] = (1 - damping) / (float)limit->size + damping * sum;
    }
}

LIMIT_LOOP(sssp_relax)
{
    LIMIT_BUFFER(const int, from);
    LIMIT_BUFFER(const int, to);
    LIMIT_BUFFER(const int, weight);
    LIMIT_BUFFER(const int, distance);
    LIMIT_BUFFER(int, next);

#pragma omp parallel for
    for (size_t e = 0; e < limit->size; e++) {
        int candidate = distance[from[e]] + weight[e], old;
        if (candidate >= distance[to[e]])
            continue;
        old = __atomic_load_n(&next[to[e]], __ATOMIC_RELAXED);
        while (candidate < old && !__atomic_compare_exchange_n(&next[to[e]], &old, candidate, 1,
                                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
}
