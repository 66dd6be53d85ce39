/* SPDX-License-Identifier: MIT */
/* The data of a case: initial contents and expected results, and whether results are right. */
#ifndef LANEWISE_BENCH_CONTENTS_H
#define LANEWISE_BENCH_CONTENTS_H

#include "description.h"

/* All but those that the reference's C file fills. The same on every machine: seeded by the names. */
bool contents_fill(const struct bench_case *of, unsigned argument, void *data, char *error,
                   size_t error_bytes);
/* Where an argument's initial contents and its expected results lie in the data of a case; all of it is
 * `data_bytes` long. Values and local memory have none. */
struct data_place {
    size_t initial, expected;
};
size_t data_places(const struct bench_case *of, struct data_place places[MAX_ARGUMENTS]);

/* A float64, float32, float16 or integer .npy file of the buffer's type and at least its count. */
bool npy_read(const char *path, const struct element *element, size_t components, void *data, char *error,
              size_t error_bytes);

/* False leaves "NAME[INDEX] is GOT, must be EXPECTED" in `text`. */
bool results_compare(const struct bench_case *of, unsigned argument, const void *expected, const void *got,
                     char *text, size_t text_bytes);

#endif
