/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(kmeans_assign))
{
    LIMIT_BUFFER(const REAL, feature);
    LIMIT_BUFFER(const REAL, clusters);
    LIMIT_BUFFER(int, membership);
    LIMIT_VALUE(int, nclusters);
    LIMIT_VALUE(int, nfeatures);

#pragma omp parallel for
    for (size_t p = 0; p < limit->size; p++) {
        REAL least = INFINITY;
        for (int c = 0; c < nclusters; c++) {
            REAL sum = 0;
            for (int f = 0; f < nfeatures; f++) {
                REAL d = feature[(size_t)f * limit->size + p] - clusters[c * nfeatures + f];
                sum += d * d;
            }
            membership[p] = sum < least ? c : membership[p];
            least = sum < least ? sum : least;
        }
    }
}

LIMIT_LOOP(NAME(k_nearest))
{
    LIMIT_BUFFER(const REAL, queries);
    LIMIT_BUFFER(const REAL, references);
    LIMIT_BUFFER(int, found);
    LIMIT_VALUE(int, n);

#pragma omp parallel for
    for (size_t q = 0; q < limit->size; q++) {
        REAL best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
        int at[4] = {-1, -1, -1, -1};
        for (int r = 0; r < n; r++) {
            REAL d = 0;
            for (int k = 0; k < 3; k++) {
                REAL e = queries[3 * q + (size_t)k] - references[3 * r + k];
                d += e * e;
            }
            int i = 4;
            if (d >= best[3])
                continue;
            for (i = 3; i > 0 && best[i - 1] > d; i--) {
                best[i] = best[i - 1];
                at[i] = at[i - 1];
            }
            best[i] = d;
            at[i] = r;
        }
        memcpy(found + 4 * q, at, sizeof at);
    }
}
