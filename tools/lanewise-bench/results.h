/* SPDX-License-Identifier: MIT */
/* What was measured: for each configuration and kernel, an outcome of each target. */
#ifndef LANEWISE_BENCH_RESULTS_H
#define LANEWISE_BENCH_RESULTS_H

#include "options.h"
#include "platform.h"
#include "statistics.h"
#include "suite.h"

enum outcome_status {
    OUTCOME_NONE, /* nothing to run: no version by hand */
    OUTCOME_RIGHT,
    OUTCOME_WRONG,
    OUTCOME_CRASHED,
    OUTCOME_HUNG,
    OUTCOME_NOT_BUILT,
    OUTCOME_NOT_RUN,
};

struct outcome {
    enum outcome_status status;
    char *reason, *log; /* where it is not right */
    int64_t subgroup;   /* what it ran with; 0: has none */
    double build;       /* seconds: program and kernels; the limit has none */
    double first;       /* the first run, in which platforms compile for the shape */
    double *times;      /* seconds, of every run */
    size_t count;
    double rounds[MAX_ROUNDS]; /* medians of the slices; NaN: none */
};

struct row {
    const struct suite_kernel *kernel;
    int64_t size, subgroup;
    unsigned dimensions;
    size_t global[3], local[3];
    double bytes, flops, packets;
    char *expected_from; /* the platform whose results the others must give; NULL: the reference's */
    struct outcome outcomes[MAX_TARGETS];
};

struct configuration {
    char *label; /* of a sweep: "16", "avx2", "128" */
    struct overrides overrides;
    const char *isa;
    struct row *rows;
};

/* The figures beside throughput, from opencl-latency: one a line of the table. */
struct figure {
    char *name, *unit, *text;
    double goal;                /* 0: none */
    double values[MAX_TARGETS]; /* NaN: none */
};

struct results {
    struct target targets[MAX_TARGETS]; /* the platforms, then the limit if there is one */
    unsigned target_count;
    int subject; /* the platform that the others are compared with */
    int limit;   /* -1: none */
    const char *limit_isa;
    struct suite suite;
    unsigned rounds;
    struct configuration *configurations; /* 1 without a sweep */
    size_t configuration_count;
    struct figure *figures;
    size_t figure_count;
    double memory[MAX_TARGETS]; /* KiB: of the worker at the end; NaN: unknown */
    char *date, *processor, *system, *command;
};

double outcome_median(const struct outcome *outcome);
/* Half the way from the 10th to the 90th percentile, relative to the median. */
double outcome_spread(const struct outcome *outcome);
const char *outcome_word(enum outcome_status status);
/* How many times as fast as `other` the subject is, by rounds; NaN where one has no time. */
struct ratio row_ratio(const struct results *results, const struct row *row, unsigned other);
/* The limit's time over the target's; NaN where one has no time. */
double row_share(const struct results *results, const struct row *row, unsigned target);
/* From IL to the end of the first run, less a steady run; NaN where there was none. */
double outcome_cold_build(const struct outcome *outcome);

/* Ratios to a target over the kernels of a group (NULL: all). To the limit, it is the share. */
struct geometric results_geometric(const struct results *results, const struct configuration *configuration,
                                   const char *group, unsigned target);
/* To the faster of the peers in each kernel. */
struct geometric results_best_peer(const struct results *results, const struct configuration *configuration);
void results_free(struct results *results);

#endif
