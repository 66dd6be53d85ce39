/* SPDX-License-Identifier: MIT */
/* What is measured beside throughput, by opencl-latency: builds, start of a process, dispatch, memory. */
#ifndef LANEWISE_BENCH_FIGURES_H
#define LANEWISE_BENCH_FIGURES_H

#include "results.h"

/* False: opencl-latency is not there or gives nothing, `error` says why. */
bool figures_measure(struct results *results, struct workshop *workshop, unsigned rounds, char *error,
                     size_t error_bytes);
/* The cold build of the suite's kernels, a median, measured on the way. */
void figures_add_builds(struct results *results);

#endif
