/* SPDX-License-Identifier: MIT */
/* What the outcome of a compilation depends on beside what its key says; see dependencies.c. */
#ifndef LW_OPENCL_DEPENDENCIES_H
#define LW_OPENCL_DEPENDENCIES_H

#include <time.h>

#include "../objects.h"
#include "producer.h"

/* Of a compilation that began at `start` and about which clang wrote `rule`, for make: the files that it read
 * and the places where it looked for them in vain, into `out`. false: the outcome may change although these
 * do not, or nobody can tell. */
bool lw_cl_list_dependencies(cl_program program, const struct lw_cl_source *source, const char *rule,
                             const struct timespec *start, struct lw_cl_words *out);
/* Whether a list of `size` bytes still holds. */
bool lw_cl_dependencies_hold(const char *list, size_t size);
/* Where relative names of folders begin matters. */
bool lw_cl_has_relative_folder(const struct lw_cl_options *options);

#endif
