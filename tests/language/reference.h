/* SPDX-License-Identifier: MIT */
/* The reference machine: runs an OpenCL C kernel that clang compiled to plain x86-64 code, each work-item a
 * coroutine of its own; barriers and group functions are places where the coroutines of a group meet. Knows
 * nothing of Lanewise.
 */
#ifndef LANEWISE_TESTS_LANGUAGE_REFERENCE_H
#define LANEWISE_TESTS_LANGUAGE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ref_range {
    unsigned dimensions;
    size_t global[3], local[3], offset[3];
};

/* Runs `kernel(arguments...)` over the range with sub-groups of `size`; `count` is at most 6. A false return
 * says in `*why` what went wrong in the kernel itself (work-items that wait at different barriers). */
bool ref_run(void *kernel, const uintptr_t *arguments, unsigned count, const struct ref_range *range,
             unsigned size,
             const char **why);

#endif
