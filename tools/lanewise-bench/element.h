/* SPDX-License-Identifier: MIT */
/* The element types of buffers and values: OpenCL C's scalars and their vectors. */
#ifndef LANEWISE_BENCH_ELEMENT_H
#define LANEWISE_BENCH_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element_kind { ELEMENT_SIGNED, ELEMENT_UNSIGNED, ELEMENT_FLOAT };

struct element {
    enum element_kind kind;
    unsigned bytes; /* of one component */
    unsigned lanes; /* components as stored: 3 takes the room of 4 */
};

bool element_parse(const char *name, struct element *element);
/* Converts and stores / loads component `i`. Integers keep their 64 bits through the _integer forms. */
void element_store(const struct element *element, void *data, size_t i, double value);
void element_store_integer(const struct element *element, void *data, size_t i, int64_t value);
double element_load(const struct element *element, const void *data, size_t i);
int64_t element_load_integer(const struct element *element, const void *data, size_t i);
/* As a person writes it. */
void element_print(const struct element *element, const void *data, size_t i, char *text, size_t bytes);
/* What stands in results before a run: NaN, or a number that nobody computes. */
void element_poison(const struct element *element, void *data, size_t components);

#endif
