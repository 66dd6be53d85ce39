/* SPDX-License-Identifier: MIT */
/* The plain C twins of the random kernels (random_kernels.py). */
#ifndef LW_TESTS_RANDOM_KERNELS_H
#define LW_TESTS_RANDOM_KERNELS_H

#include <stddef.h>

struct random_kernel {
    const char *name;
    int seed;
    void (*run)(const unsigned *in, unsigned *out, size_t global, size_t local, int n, int rounds);
};

extern const struct random_kernel random_kernels[]; /* ends with a NULL name */

#endif
