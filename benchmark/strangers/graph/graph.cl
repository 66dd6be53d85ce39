/* SPDX-License-Identifier: MIT */
/* Graphs in compressed rows, with flags of bytes and one work-item a node, as ports of CUDA benchmarks have it. */
typedef struct {
    int starting;
    int no_of_edges;
} Node;

kernel void
bfs_expand(global const Node *nodes, global const int *edges, global const char *mask, global char *updating,
           global const char *visited, global int *cost, int count)
{
    int tid = get_global_id(0);

    if (tid < count && mask[tid]) {
        for (int i = nodes[tid].starting; i < nodes[tid].starting + nodes[tid].no_of_edges; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = cost[tid] + 1;
                updating[id] = 1;
            }
        }
    }
}

kernel void
bfs_commit(global char *mask, global char *updating, global char *visited, global char *over, int count)
{
    int tid = get_global_id(0);

    if (tid < count && updating[tid]) {
        mask[tid] = 1;
        visited[tid] = 1;
        *over = 1;
        updating[tid] = 0;
    }
}

/* Label propagation: the least label among the neighbours. */
kernel void
components_step(global const int *starts, global const int *edges, global const int *labels, global int *next)
{
    int v = get_global_id(0);
    int best = labels[v];

    for (int e = starts[v]; e < starts[v + 1]; e++)
        best = min(best, labels[edges[e]]);
    next[v] = best;
}

/* PageRank, pull. */
kernel void
pagerank_pull(global const int *starts, global const int *edges, global const float *rank, global const int *degree,
              global float *next, float damping, int n)
{
    int v = get_global_id(0);
    float sum = 0.0f;

    for (int e = starts[v]; e < starts[v + 1]; e++) {
        int u = edges[e];
        sum += rank[u] / (float)degree[u];
    }
    next[v] = (1.0f - damping) / (float)n + damping * sum;
}

/* Relaxation of all edges by atomics, as single-source shortest paths does. */
kernel void
sssp_relax(global const int *from, global const int *to, global const int *weight, global const int *distance,
           global int *next)
{
    int e = get_global_id(0);
    int candidate = distance[from[e]] + weight[e];

    if (candidate < distance[to[e]])
        atomic_min(&next[to[e]], candidate);
}
