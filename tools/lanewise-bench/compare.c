/* SPDX-License-Identifier: MIT */
/* Whether results are right, as the description's `compare` says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contents.h"
#include "text.h"

#define RELATIVE_BY_DEFAULT 1e-5

/* Floating numbers as integers whose order and distance are the numbers'. */
static int64_t
order_of(const struct element *element, const void *data, size_t i)
{
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * element->bytes - 1);

    memcpy(&bits, (const char *)data + i * element->bytes, element->bytes);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

struct rule {
    enum comparison comparison;
    double tolerance;
    double scale; /* the root mean square of what is expected */
};

static bool
same(const struct rule *rule, const struct element *element, const void *expected, const void *got, size_t i)
{
    double a, b;

    if (element->kind != ELEMENT_FLOAT && rule->comparison == COMPARE_ULP)
        return llabs(element_load_integer(element, expected, i) - element_load_integer(element, got, i)) <=
               (long long)rule->tolerance;
    if (element->kind != ELEMENT_FLOAT)
        return !memcmp((const char *)expected + i * element->bytes, (const char *)got + i * element->bytes,
                       element->bytes);
    a = element_load(element, expected, i);
    b = element_load(element, got, i);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (a == b || isinf(a) || isinf(b))
        return a == b;
    if (rule->comparison == COMPARE_ULP)
        return isfinite(a) && isfinite(b) &&
               fabs((double)order_of(element, expected, i) - (double)order_of(element, got, i)) <=
                   rule->tolerance;
    if (rule->comparison != COMPARE_RELATIVE)
        return false;
    return fabs(a - b) <= rule->tolerance * fmax(fabs(a), rule->scale);
}

static int
by_integer(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The bits of each element in one order; `set` keeps each once. Returns the count. */
static size_t
sorted_bits(const struct element *element, const void *data, size_t components, bool once, int64_t *to)
{
    size_t kept = 0;

    for (size_t i = 0; i < components; i++)
        to[i] = element->kind == ELEMENT_FLOAT ? order_of(element, data, i)
                                               : element_load_integer(element, data, i);
    qsort(to, components, sizeof *to, by_integer);
    for (size_t i = 0; i < components; i++)
        if (!once || kept == 0 || to[i] != to[kept - 1])
            to[kept++] = to[i];
    return kept;
}

static void
describe_bits(const struct element *element, int64_t bits, char *text, size_t text_bytes)
{
    uint64_t raw = (uint64_t)bits;

    if (element->kind == ELEMENT_FLOAT && bits < 0)
        raw = (uint64_t)-bits | (uint64_t)1 << (8 * element->bytes - 1);
    element_print(element, &raw, 0, text, text_bytes);
}

static bool
compare_unordered(const struct bench_case *of, unsigned argument, const void *expected, const void *got,
                  char *text, size_t text_bytes)
{
    const struct argument_line *line = of->arguments[argument].line;
    size_t components = of->arguments[argument].count * line->element.lanes, a_count, b_count;
    int64_t *a = memory_get(components * sizeof *a), *b = memory_get(components * sizeof *b);
    bool once = of->description->comparison == COMPARE_SET, good = true;
    char is[64], must[64];

    a_count = sorted_bits(&line->element, expected, components, once, a);
    b_count = sorted_bits(&line->element, got, components, once, b);
    if (a_count != b_count) {
        snprintf(text, text_bytes, "%s: %zu different values, must be %zu", line->name, b_count, a_count);
        good = false;
    }
    for (size_t i = 0; good && i < a_count; i++)
        if (a[i] != b[i]) {
            describe_bits(&line->element, b[i], is, sizeof is);
            describe_bits(&line->element, a[i], must, sizeof must);
            snprintf(text, text_bytes, "%s[%zu] once sorted is %s, must be %s", line->name, i, is, must);
            good = false;
        }
    free(a);
    free(b);
    return good;
}

bool
results_compare(const struct bench_case *of, unsigned argument, const void *expected, const void *got,
                char *text, size_t text_bytes)
{
    const struct argument_line *line = of->arguments[argument].line;
    const struct element *element = &line->element;
    size_t components = of->arguments[argument].count * element->lanes, finite = 0;
    struct rule rule = {of->description->comparison, of->description->tolerance, 0};
    char is[64], must[64];

    if (rule.comparison == COMPARE_SORTED || rule.comparison == COMPARE_SET)
        return compare_unordered(of, argument, expected, got, text, text_bytes);
    if (!of->description->compared && element->kind == ELEMENT_FLOAT)
        rule = (struct rule){COMPARE_RELATIVE, RELATIVE_BY_DEFAULT, 0};
    if (rule.comparison == COMPARE_RELATIVE && element->kind == ELEMENT_FLOAT) {
        for (size_t i = 0; i < components; i++) {
            double value = element_load(element, expected, i);

            if (isfinite(value)) {
                rule.scale += value * value;
                finite++;
            }
        }
        rule.scale = finite ? sqrt(rule.scale / (double)finite) : 0;
    }
    for (size_t i = 0; i < components; i++) {
        if (same(&rule, element, expected, got, i))
            continue;
        element_print(element, got, i, is, sizeof is);
        element_print(element, expected, i, must, sizeof must);
        snprintf(text, text_bytes, "%s[%zu] is %s, must be %s", line->name, i, is, must);
        return false;
    }
    return true;
}
