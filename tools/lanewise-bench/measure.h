/* SPDX-License-Identifier: MIT */
/* Measures one kernel on all targets, round after round, target after target. */
#ifndef LANEWISE_BENCH_MEASURE_H
#define LANEWISE_BENCH_MEASURE_H

#include "results.h"

struct measurement {
    struct workshop *workshop;
    struct results *results;
    struct target *reference; /* the worker that makes data */
    const struct options *options;
    /* Told before each round; NULL: nobody listens. */
    void (*progress)(void *listener, const char *what);
    void *listener;
};

/* Fills the row; a kernel that nothing can be done with has outcomes that say why. */
void measure_kernel(struct measurement *measurement, const struct suite_kernel *kernel,
                    const struct configuration *configuration, struct row *row);

#endif
