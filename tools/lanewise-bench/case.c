/* SPDX-License-Identifier: MIT */
/* A case: the description's expressions evaluated for a size, a local size and a sub-group size. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "description.h"
#include "expression.h"
#include "text.h"

#define MAX_BYTES ((int64_t)1 << 36)
#define MAX_TEXELS 65536 /* of an image, each way */
#define ASSUMED_SUBGROUP 16

struct maker {
    const struct description *from;
    struct bench_case *made;
    struct expression_name names[3]; /* size, local, subgroup */
    unsigned line;
    char *error;
    size_t error_bytes;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(struct maker *maker, const char *format, ...)
{
    int place = snprintf(maker->error, maker->error_bytes, "%s:%u: ", maker->from->path, maker->line);
    va_list list;

    if (place < 0 || (size_t)place >= maker->error_bytes)
        return false;
    va_start(list, format);
    vsnprintf(maker->error + place, maker->error_bytes - (size_t)place, format, list);
    va_end(list);
    return false;
}

static bool
evaluate(struct maker *maker, const char *text, int64_t least, int64_t most, int64_t *value)
{
    char error[200];

    if (!expression_evaluate(text, maker->names, 3, value, error, sizeof error))
        return refuse(maker, "'%s': %s", text, error);
    if (*value < least || *value > most)
        return refuse(maker, "'%s' is %lld: %lld to %lld is expected", text, (long long)*value,
                      (long long)least, (long long)most);
    return true;
}

/* Numbers with a point or exponent for floating types, expressions for all. */
static bool
evaluate_component(struct maker *maker, const struct element *element, const char *text, void *to, size_t i)
{
    int64_t value;
    char *end;
    double number = strtod(text, &end);

    if (element->kind == ELEMENT_FLOAT && end != text && !*end) {
        element_store(element, to, i, number);
        return true;
    }
    if (!evaluate(maker, text, INT64_MIN, INT64_MAX, &value))
        return false;
    element_store_integer(element, to, i, value);
    return true;
}

static bool
make_value(struct maker *maker, const struct argument_line *line, struct case_argument *argument)
{
    unsigned lanes = line->element.lanes;

    argument->count = 1;
    argument->bytes = (size_t)line->element.bytes * lanes;
    if (line->word_count != 1 && line->word_count != lanes && !(line->word_count == 3 && lanes == 4))
        return refuse(maker, "'%s' has %u components, %u values are given", line->name, lanes,
                      line->word_count);
    for (unsigned i = 0; i < lanes; i++)
        if (i < line->word_count || line->word_count == 1)
            if (!evaluate_component(maker, &line->element, line->words[line->word_count == 1 ? 0 : i],
                                    argument->value, i))
                return false;
    return true;
}

static bool
make_argument(struct maker *maker, const struct argument_line *line, struct case_argument *argument)
{
    int64_t count;
    size_t size = (size_t)line->element.bytes * line->element.lanes;

    maker->line = line->line;
    argument->line = line;
    if (line->kind == ARGUMENT_VALUE)
        return make_value(maker, line, argument);
    if (line->kind == ARGUMENT_SAMPLER)
        return true;
    for (unsigned d = 0; d < 3; d++) {
        int64_t texels = 1;

        if (d < line->dimensions && !evaluate(maker, line->extent[d], 1, MAX_TEXELS, &texels))
            return false;
        argument->extent[d] = (size_t)texels;
    }
    if (!evaluate(maker, line->count, 1, MAX_BYTES / (int64_t)size, &count))
        return false;
    argument->count = (size_t)count;
    argument->bytes = argument->count * size;
    return true;
}

static int
find_argument(const struct description *from, const char *name)
{
    for (unsigned i = 0; i < from->argument_count; i++)
        if (!strcmp(from->arguments[i].name, name))
            return (int)i;
    return -1;
}

static bool
make_launch_arguments(struct maker *maker, const struct launch_line *line, struct case_launch *launch)
{
    launch->argument_count = line->argument_count ? line->argument_count : maker->from->argument_count;
    for (unsigned i = 0; i < launch->argument_count; i++) {
        int at = line->argument_count ? find_argument(maker->from, line->arguments[i]) : (int)i;

        if (at < 0)
            return refuse(maker, "there is no argument '%s'", line->arguments[i]);
        launch->arguments[i] = (unsigned)at;
    }
    for (unsigned i = 0; i < line->with_count; i++) {
        int at = find_argument(maker->from, line->with_name[i]);

        if (at < 0 || maker->from->arguments[at].kind != ARGUMENT_VALUE)
            return refuse(maker, "there is no value '%s'", line->with_name[i]);
        launch->with[i] = (unsigned)at;
        for (unsigned lane = 0; lane < maker->from->arguments[at].element.lanes; lane++)
            if (!evaluate_component(maker, &maker->from->arguments[at].element, line->with_value[i],
                                    launch->with_value[i], lane))
                return false;
    }
    return true;
}

static bool
make_launch(struct maker *maker, const struct launch_line *line, const struct overrides *overrides,
            struct case_launch *launch)
{
    bool replaced = overrides->local_dimensions != 0 && line->local_dimensions != 0;
    int64_t value, product = 1;

    maker->line = line->line;
    launch->line = line;
    if (replaced && overrides->local_dimensions != line->dimensions)
        return refuse(maker, "the local size has %u dimensions, the kernel %u", overrides->local_dimensions,
                      line->dimensions);
    if (!replaced && line->local_dimensions && line->local_dimensions != line->dimensions)
        return refuse(maker, "%u local sizes, %u global sizes", line->local_dimensions, line->dimensions);
    for (unsigned i = 0; i < 3; i++) {
        launch->local[i] = line->local_dimensions ? 1 : 0;
        launch->global[i] = 1;
        if (i >= line->local_dimensions)
            continue;
        if (replaced)
            value = overrides->local[i];
        else if (!evaluate(maker, line->local[i], 1, 1 << 20, &value))
            return false;
        launch->local[i] = (size_t)value;
        product *= value;
    }
    maker->names[1].value = product;
    for (unsigned i = 0; i < line->dimensions; i++) {
        if (!evaluate(maker, line->global[i], 1, (int64_t)1 << 40, &value))
            return false;
        launch->global[i] = (size_t)value;
    }
    return make_launch_arguments(maker, line, launch);
}

/* bytes, flops and packets may well be estimates: an expression, or a number such as 1.5e6. */
static bool
make_rate(struct maker *maker, const char *text, unsigned line, double *to)
{
    int64_t value;
    char *end;

    maker->line = line;
    *to = 0;
    if (!text)
        return true;
    *to = strtod(text, &end);
    if (end != text && !*end)
        return isfinite(*to) ? true : refuse(maker, "'%s' is no number", text);
    if (!evaluate(maker, text, 0, INT64_MAX, &value))
        return false;
    *to = (double)value;
    return true;
}

static bool
make_all(struct maker *maker, const struct overrides *overrides, int64_t chosen)
{
    const struct description *from = maker->from;
    struct bench_case *made = maker->made;
    bool demanded;
    int64_t first_local;

    maker->names[0].value = maker->names[1].value = 1;
    maker->names[2].value = chosen ? chosen : ASSUMED_SUBGROUP;
    maker->line = from->size_line;
    if (overrides->size)
        made->size = overrides->size;
    else if (!evaluate(maker, from->size, 1, (int64_t)1 << 40, &made->size))
        return false;
    maker->names[0].value = made->size;
    maker->line = from->subgroup_line;
    demanded = overrides->subgroup || from->subgroup;
    if (overrides->subgroup)
        made->subgroup = overrides->subgroup;
    else if (from->subgroup && !evaluate(maker, from->subgroup, 1, 1024, &made->subgroup))
        return false;
    if (demanded)
        maker->names[2].value = made->subgroup;
    made->subgroup_used = maker->names[2].value;
    if (!make_launch(maker, &from->launches[0], overrides, &made->launches[0]))
        return false;
    first_local = maker->names[1].value;
    for (unsigned i = 1; i < from->launch_count; i++)
        if (!make_launch(maker, &from->launches[i], overrides, &made->launches[i]))
            return false;
    maker->names[1].value = first_local; /* `local` outside of launches is the first one's */
    for (unsigned i = 0; i < from->argument_count; i++)
        if (!make_argument(maker, &from->arguments[i], &made->arguments[i]))
            return false;
    return make_rate(maker, from->bytes, from->bytes_line, &made->bytes) &&
           make_rate(maker, from->flops, from->flops_line, &made->flops) &&
           make_rate(maker, from->packets, from->packets_line, &made->packets);
}

bool
case_make(const struct description *description, const struct overrides *overrides, int64_t subgroup,
          struct bench_case *made, char *error, size_t error_bytes)
{
    struct maker maker = {description, made,  {{"size", 1}, {"local", 1}, {"subgroup", 1}},
                          0,           error, error_bytes};

    *made = (struct bench_case){.description = description};
    made->launches = memory_get(description->launch_count * sizeof *made->launches);
    if (make_all(&maker, overrides, subgroup))
        return true;
    case_free(made);
    return false;
}

void
case_free(struct bench_case *made)
{
    free(made->launches);
    made->launches = NULL;
}
