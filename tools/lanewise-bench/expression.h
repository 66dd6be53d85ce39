/* SPDX-License-Identifier: MIT */
/* Integer expressions of descriptions: + - * / % ( ), numbers, and names. */
#ifndef LANEWISE_BENCH_EXPRESSION_H
#define LANEWISE_BENCH_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expression_name {
    const char *name;
    int64_t value;
};

/* False leaves the reason in `error`, without the place. */
bool expression_evaluate(const char *text, const struct expression_name *names, size_t count, int64_t *value,
                         char *error, size_t error_bytes);

#endif
