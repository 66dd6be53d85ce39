/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

static int
nearest(const float *feature, size_t step, const float *clusters, int nclusters, int nfeatures)
{
    float least = INFINITY;
    int best = 0;

    for (int c = 0; c < nclusters; c++) {
        float sum = 0;
        for (int f = 0; f < nfeatures; f++) {
            float d = feature[(size_t)f * step] - clusters[c * nfeatures + f];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

LIMIT_LOOP(kmeans_rows)
{
    LIMIT_BUFFER(const float, feature);
    LIMIT_BUFFER(const float, clusters);
    LIMIT_BUFFER(int, membership);
    LIMIT_VALUE(int, nclusters);
    LIMIT_VALUE(int, nfeatures);

#pragma omp parallel for
    for (size_t p = 0; p < limit->size; p++)
        membership[p] = nearest(feature + p * (size_t)nfeatures, 1, clusters, nclusters, nfeatures);
}

LIMIT_LOOP(features_swap)
{
    LIMIT_BUFFER(const float, feature);
    LIMIT_BUFFER(float, swapped);
    LIMIT_VALUE(int, npoints);
    LIMIT_VALUE(int, nfeatures);

#pragma omp parallel for
    for (int p = 0; p < npoints; p++)
        for (int i = 0; i < nfeatures; i++)
            swapped[i * npoints + p] = feature[p * nfeatures + i];
}

LIMIT_LOOP(nearest_place)
{
    LIMIT_BUFFER(const float, places);
    LIMIT_BUFFER(float, distances);
    LIMIT_VALUE(float, lat);
    LIMIT_VALUE(float, lng);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        float a = lat - places[2 * i], b = lng - places[2 * i + 1];
        distances[i] = sqrtf(a * a + b * b);
    }
}

LIMIT_LOOP(open_gain)
{
    LIMIT_BUFFER(const float, coord);
    LIMIT_BUFFER(const float, weight);
    LIMIT_BUFFER(const float, cost);
    LIMIT_BUFFER(const int, assign);
    LIMIT_BUFFER(const int, centre_index);
    LIMIT_BUFFER(char, switches);
    LIMIT_BUFFER(float, lower);
    LIMIT_VALUE(int, num);
    LIMIT_VALUE(int, dim);
    LIMIT_VALUE(int, x);
    LIMIT_VALUE(int, k);

#pragma omp parallel for
    for (int id = 0; id < num; id++) {
        float sum = 0;
        for (int i = 0; i < dim; i++) {
            float d = coord[i * num + id] - coord[i * num + x];
            sum += d * d;
        }
        sum *= weight[id];
        if (sum < cost[id]) {
            switches[id] = 1;
            lower[id * (k + 1) + k] = sum - cost[id];
        } else {
            lower[id * (k + 1) + centre_index[assign[id]]] += cost[id] - sum;
        }
    }
}

#define WITH_REALS "clusters/clusters_real.h"
#include "strangers/each_real.h"
