/* SPDX-License-Identifier: MIT */
/* The kernels to measure: descriptions found in folders, and the files that belong to each. */
#ifndef LANEWISE_BENCH_SUITE_H
#define LANEWISE_BENCH_SUITE_H

#include "description.h"

struct suite_kernel {
    struct description *description;
    /* Files; NULL where there are none. Compiled ones of user folders are made when first asked for. */
    char *il, *source, *reference, *limit, *openmp[2]; /* the second with -ffast-math */
    char *il_error;                                    /* what clang-22 says */
    bool built_in, prepared;
};

struct suite {
    struct suite_kernel *kernels;
    size_t count;
};

/* All *.txt in `folder` and in the folders in it. `built_in`: files made by the build. */
bool suite_add(struct suite *suite, const char *folder, bool built_in, char *error, size_t error_bytes);
/* Keeps the kernels whose name matches one of the comma-separated patterns (with * and ?); NULL keeps all.
 * False: a pattern matches nothing. */
bool suite_keep(struct suite *suite, const char *names, const char *groups, char *error, size_t error_bytes);
/* Groups together, in the order of the documentation; by name within. */
void suite_sort(struct suite *suite);
/* What versions in C are wanted beside the reference. */
struct suite_wants {
    const char *limit; /* the instruction set of the version by hand; NULL: none */
    const char *isa;   /* the most that the OpenMP loops may use; NULL: all */
    bool openmp;
};
/* Finds or compiles the files, those of a file once for all kernels in it. False: a C file of the user's does
 * not compile, `error` says how. */
bool suite_prepare(struct suite_kernel *kernel, const char *folder, const struct suite_wants *wants,
                   char *error, size_t error_bytes);
void suite_free(struct suite *suite);

#endif
