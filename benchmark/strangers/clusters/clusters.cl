/* SPDX-License-Identifier: MIT */
/* Clustering and nearest neighbours as data-mining benchmarks write them: FLT_MAX, int indices, features either way. */
#ifndef REAL
#define REAL float
#define REAL2 float2
#define REAL3 float3
#define REAL4 float4
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif


kernel void
kmeans_assign(global const REAL *feature, global const REAL *clusters, global int *membership, int npoints,
              int nclusters, int nfeatures)
{
    unsigned int point_id = get_global_id(0);
    int index = 0;
    REAL min_dist = (REAL)3.40282347e+38;

    if (point_id < npoints) {
        for (int i = 0; i < nclusters; i++) {
            REAL dist = 0;
            for (int l = 0; l < nfeatures; l++) {
                REAL d = feature[l * npoints + point_id] - clusters[i * nfeatures + l];
                dist += d * d;
            }
            if (dist < min_dist) {
                min_dist = dist;
                index = i;
            }
        }
        membership[point_id] = index;
    }
}

/* The same with the features of a point together. */
kernel void
kmeans_rows(global const float *feature, global const float *clusters, global int *membership, int npoints,
            int nclusters, int nfeatures)
{
    int p = get_global_id(0);
    int best = -1;
    float least = INFINITY;

    if (p >= npoints)
        return;
    for (int c = 0; c < nclusters; c++) {
        float sum = 0;
        for (int f = 0; f < nfeatures; f++)
            sum += pown(feature[p * nfeatures + f] - clusters[c * nfeatures + f], 2);
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    membership[p] = best;
}

kernel void
features_swap(global const float *feature, global float *swapped, int npoints, int nfeatures)
{
    unsigned int tid = get_global_id(0);

    if (tid >= npoints)
        return;
    for (int i = 0; i < nfeatures; i++)
        swapped[i * npoints + tid] = feature[tid * nfeatures + i];
}

typedef struct {
    float lat, lng;
} Place;

kernel void
nearest_place(global const Place *places, global float *distances, int count, float lat, float lng)
{
    int id = get_local_size(0) * get_group_id(0) + get_local_id(0);

    if (id < count) {
        global const Place *place = places + id;
        distances[id] = (float)sqrt((lat - place->lat) * (lat - place->lat) + (lng - place->lng) * (lng - place->lng));
    }
}

/* k nearest of 1024 references of three coordinates, the best 4 kept sorted in private memory. */
kernel void
k_nearest(global const REAL *queries, global const REAL *references, global int *found, int n)
{
    int q = get_global_id(0);
    REAL best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    int at[4] = {-1, -1, -1, -1};

    for (int r = 0; r < n; r++) {
        REAL3 d = vload3(q, queries) - vload3(r, references);
        REAL distance = dot(d, d);
        if (distance < best[3]) {
            int i = 3;
            while (i > 0 && best[i - 1] > distance) {
                best[i] = best[i - 1];
                at[i] = at[i - 1];
                i--;
            }
            best[i] = distance;
            at[i] = r;
        }
    }
    for (int i = 0; i < 4; i++)
        found[q * 4 + i] = at[i];
}

/* Cost of opening a new centre, streamed points. */
kernel void
open_gain(global const float *coord, global const float *weight, global const float *cost, global const int *assign,
          global const int *centre_index, global char *switches, global float *lower, int num, int dim, int x, int k)
{
    int id = get_global_id(0);
    float sum = 0;

    if (id >= num)
        return;
    for (int i = 0; i < dim; i++)
        sum += (coord[i * num + id] - coord[i * num + x]) * (coord[i * num + id] - coord[i * num + x]);
    sum *= weight[id];
    if (sum < cost[id]) {
        switches[id] = 1;
        lower[id * (k + 1) + k] = sum - cost[id];
    } else {
        lower[id * (k + 1) + centre_index[assign[id]]] += cost[id] - sum;
    }
}
