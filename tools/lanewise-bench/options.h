/* SPDX-License-Identifier: MIT */
/* The command line of lanewise-bench. */
#ifndef LANEWISE_BENCH_OPTIONS_H
#define LANEWISE_BENCH_OPTIONS_H

#include "description.h"

#define MAX_ROUNDS 1000

enum sweep { SWEEP_NONE, SWEEP_SUB_GROUP, SWEEP_ISA, SWEEP_LOCAL_SIZE };

struct options {
    char **icds;
    size_t icd_count;
    char **folders;
    size_t folder_count;
    char *kernels, *groups; /* patterns, joined by commas */
    struct overrides overrides;
    const char *isa, *subject, *source, *json, *html, *baseline;
    enum sweep sweep;
    unsigned threads, rounds;
    double seconds, timeout;
    bool strangers, images, pipes, openmp; /* the suites of that name; the column */
    bool list, no_limit, no_suite, no_figures, quick, verbose, progress, quiet, help, version;
};

/* False: `error` says what is wrong. */
bool options_parse(struct options *options, int count, char **arguments, char *error, size_t error_bytes);
void options_free(struct options *options);
void help_print(void);

#endif
