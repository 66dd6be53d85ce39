/* SPDX-License-Identifier: MIT */
#ifndef LANEWISE_BENCH_STATISTICS_H
#define LANEWISE_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Of no numbers: NaN. Percentiles interpolate between neighbours. */
double statistics_percentile(const double *values, size_t count, double percent);
double statistics_median(const double *values, size_t count);

/* Geometric mean, least and most, of positive numbers added one by one. */
struct geometric {
    double logarithms;
    size_t count;
    double least, most;
    size_t least_at, most_at; /* as given when they were added */
};

void geometric_add(struct geometric *geometric, double value, size_t at);
double geometric_mean(const struct geometric *geometric); /* NaN of none */

/* How often `a` is faster than `b`, round by round: the median of b[i] / a[i] over rounds that both have, and
 * its 10th and 90th percentiles. Rounds without a time are NaN. */
struct ratio {
    double median, low, high;
};
struct ratio statistics_ratio(const double *a, const double *b, size_t rounds);

#endif
