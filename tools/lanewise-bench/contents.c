/* SPDX-License-Identifier: MIT */
/* Initial contents of buffers. */
#include "contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expression.h"
#include "text.h"

#define PLACE_ALIGNMENT 4096

/* splitmix64: every seed gives a good sequence. */
static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t
seed_of(const struct bench_case *of, const struct argument_line *line)
{
    const char *names[2] = {of->description->name, line->name};
    uint64_t seed = 0xcbf29ce484222325;

    for (int i = 0; i < 2; i++)
        for (const char *c = names[i]; *c; c++)
            seed = (seed ^ (unsigned char)*c) * 0x100000001b3;
    return seed;
}

static bool
number_of(const struct bench_case *of, const struct argument_line *line, const char *text, double *real,
          int64_t *integer, char *error, size_t error_bytes)
{
    size_t local = 1;
    char why[200], *end;
    struct expression_name names[3] = {{"size", of->size}, {"local", 1}, {"subgroup", of->subgroup_used}};

    *real = strtod(text, &end);
    if (line->element.kind == ELEMENT_FLOAT && end != text && !*end)
        return true;
    for (int i = 0; i < 3; i++)
        local *= of->launches[0].local[i] ? of->launches[0].local[i] : 1;
    names[1].value = (int64_t)local;
    if (!expression_evaluate(text, names, 3, integer, why, sizeof why)) {
        snprintf(error, error_bytes, "%s:%u: '%s': %s", of->description->path, line->line, text, why);
        return false;
    }
    *real = (double)*integer;
    return true;
}

static bool
fill_random(const struct bench_case *of, const struct argument_line *line, size_t components, void *data,
            char *error, size_t error_bytes)
{
    uint64_t state = seed_of(of, line);
    double low, high;
    int64_t least = 0, most = 0;

    if (!number_of(of, line, line->words[0], &low, &least, error, error_bytes) ||
        !number_of(of, line, line->words[1], &high, &most, error, error_bytes))
        return false;
    if (high < low) {
        snprintf(error, error_bytes, "%s:%u: random: %s is above %s", of->description->path, line->line,
                 line->words[0], line->words[1]);
        return false;
    }
    for (size_t i = 0; i < components; i++) {
        uint64_t bits = next_random(&state);

        if (line->element.kind == ELEMENT_FLOAT) {
            element_store(&line->element, data, i, low + (high - low) * ((double)(bits >> 11) * 0x1p-53));
        } else {
            uint64_t range = (uint64_t)most - (uint64_t)least + 1; /* 0: all 64 bits */
            int64_t value = (int64_t)((uint64_t)least + (range ? bits % range : bits));

            element_store_integer(&line->element, data, i, value);
        }
    }
    return true;
}

static void
fill_permutation(const struct bench_case *of, const struct argument_line *line, size_t components, void *data)
{
    uint64_t state = seed_of(of, line);

    for (size_t i = 0; i < components; i++)
        element_store_integer(&line->element, data, i, (int64_t)i);
    for (size_t i = components; i > 1; i--) {
        size_t other = next_random(&state) % i;
        unsigned char *a = (unsigned char *)data + (i - 1) * line->element.bytes;
        unsigned char *b = (unsigned char *)data + other * line->element.bytes, swapped[8];

        memcpy(swapped, a, line->element.bytes);
        memcpy(a, b, line->element.bytes);
        memcpy(b, swapped, line->element.bytes);
    }
}

bool
contents_fill(const struct bench_case *of, unsigned argument, void *data, char *error, size_t error_bytes)
{
    const struct argument_line *line = of->arguments[argument].line;
    size_t components = of->arguments[argument].count * line->element.lanes;
    double real = 0;
    int64_t integer = 0;

    switch (line->initial) {
    case INITIAL_NONE:
        element_poison(&line->element, data, components);
        return true;
    case INITIAL_RANDOM:
        return fill_random(of, line, components, data, error, error_bytes);
    case INITIAL_IOTA:
        for (size_t i = 0; i < components; i++)
            element_store_integer(&line->element, data, i, (int64_t)i);
        return true;
    case INITIAL_FILL:
        if (line->word_count && !number_of(of, line, line->words[0], &real, &integer, error, error_bytes))
            return false;
        for (size_t i = 0; i < components; i++) {
            if (line->element.kind == ELEMENT_FLOAT)
                element_store(&line->element, data, i, real);
            else
                element_store_integer(&line->element, data, i, integer);
        }
        return true;
    case INITIAL_PERMUTATION:
        fill_permutation(of, line, components, data);
        return true;
    case INITIAL_FILE: {
        char *path = line->words[0][0] == '/' ? text_copy(line->words[0])
                                              : text_make("%s/%s", of->description->folder, line->words[0]);
        bool good = npy_read(path, &line->element, components, data, error, error_bytes);

        free(path);
        return good;
    }
    case INITIAL_C:
        memset(data, 0, of->arguments[argument].bytes);
        return true;
    }
    return true;
}

static size_t
rounded(size_t bytes)
{
    return (bytes + PLACE_ALIGNMENT - 1) / PLACE_ALIGNMENT * PLACE_ALIGNMENT;
}

size_t
data_places(const struct bench_case *of, struct data_place places[MAX_ARGUMENTS])
{
    size_t total = 0;

    for (unsigned i = 0; i < of->description->argument_count; i++) {
        places[i] = (struct data_place){0, 0};
        if (!has_contents(of->arguments[i].line))
            continue;
        places[i].initial = total;
        total += rounded(of->arguments[i].bytes);
        if (of->arguments[i].line->result) {
            places[i].expected = total;
            total += rounded(of->arguments[i].bytes);
        }
    }
    return total ? total : PLACE_ALIGNMENT;
}
