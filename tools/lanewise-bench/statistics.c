/* SPDX-License-Identifier: MIT */
/* Medians, percentiles, geometric means, ratios of paired rounds. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double
statistics_percentile(const double *values, size_t count, double percent)
{
    double *sorted, at, low, high, result;
    size_t below;

    if (count == 0)
        return NAN;
    sorted = memory_get(count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    at = percent / 100 * (double)(count - 1);
    below = (size_t)at;
    low = sorted[below];
    high = sorted[below + 1 < count ? below + 1 : below];
    result = low + (high - low) * (at - (double)below);
    free(sorted);
    return result;
}

double
statistics_median(const double *values, size_t count)
{
    return statistics_percentile(values, count, 50);
}

void
geometric_add(struct geometric *geometric, double value, size_t at)
{
    if (!(value > 0) || !isfinite(value))
        return;
    geometric->logarithms += log(value);
    if (geometric->count == 0 || value < geometric->least) {
        geometric->least = value;
        geometric->least_at = at;
    }
    if (geometric->count == 0 || value > geometric->most) {
        geometric->most = value;
        geometric->most_at = at;
    }
    geometric->count++;
}

double
geometric_mean(const struct geometric *geometric)
{
    return geometric->count ? exp(geometric->logarithms / (double)geometric->count) : NAN;
}

struct ratio
statistics_ratio(const double *a, const double *b, size_t rounds)
{
    double *ratios = memory_get(rounds * sizeof *ratios);
    size_t count = 0;
    struct ratio ratio;

    for (size_t i = 0; i < rounds; i++)
        if (a[i] > 0 && b[i] > 0)
            ratios[count++] = b[i] / a[i];
    ratio.median = statistics_median(ratios, count);
    ratio.low = statistics_percentile(ratios, count, 10);
    ratio.high = statistics_percentile(ratios, count, 90);
    free(ratios);
    return ratio;
}
