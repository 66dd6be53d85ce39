/* SPDX-License-Identifier: MIT */
/* Reads the description of a benchmark kernel: one `word values...` a line. */
#include "description.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "description_reader.h"
#include "text.h"

#define MAX_DESCRIPTION_BYTES (1 << 20)

bool
reader_refuse(struct reader *reader, const char *format, ...)
{
    int place = snprintf(reader->error, reader->error_bytes, "%s:%u: ", reader->to->path, reader->line);
    va_list list;

    if (place < 0 || (size_t)place >= reader->error_bytes)
        return false;
    va_start(list, format);
    vsnprintf(reader->error + place, reader->error_bytes - (size_t)place, format, list);
    va_end(list);
    return false;
}

static char *
skip_space(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
    return reader->at;
}

char *
reader_word(struct reader *reader)
{
    char *start = skip_space(reader), *word;
    int depth = 0;

    if (!*start)
        return NULL;
    for (; *reader->at && (depth > 0 || !isspace((unsigned char)*reader->at)); reader->at++) {
        if (*reader->at == '(' || *reader->at == '[')
            depth++;
        else if ((*reader->at == ')' || *reader->at == ']') && depth > 0)
            depth--;
    }
    word = memory_get((size_t)(reader->at - start) + 1);
    memcpy(word, start, (size_t)(reader->at - start));
    return word;
}

static char *
rest_of_line(struct reader *reader)
{
    char *rest = text_copy(skip_space(reader));

    reader->at += strlen(reader->at);
    for (size_t length = strlen(rest); length && isspace((unsigned char)rest[length - 1]); length--)
        rest[length - 1] = 0;
    return rest;
}

static bool
read_text(struct reader *reader, const char *word, char **to)
{
    if (*to)
        return reader_refuse(reader, "`%s` stands here a second time", word);
    *to = rest_of_line(reader);
    return **to ? true : reader_refuse(reader, "`%s` needs a value", word);
}

static bool
is_launch_word(const char *word)
{
    return !strcmp(word, "global") || !strcmp(word, "local") || !strcmp(word, "with") ||
           !strcmp(word, "args");
}

/* Up to three expressions, to the end of the line; in a `launch` line, to its next word. */
static bool
read_sizes(struct reader *reader, char **sizes, unsigned *count, bool in_launch)
{
    char *word, *before;

    for (*count = 0; before = reader->at, (word = reader_word(reader)); sizes[(*count)++] = word) {
        if (in_launch && is_launch_word(word)) {
            reader->at = before;
            free(word);
            break;
        }
        if (*count == 3) {
            free(word);
            return reader_refuse(reader, "more than three dimensions");
        }
    }
    return *count ? true : reader_refuse(reader, "1 to 3 sizes are expected");
}

static bool
read_local_sizes(struct reader *reader, struct launch_line *launch, bool in_launch)
{
    if (!read_sizes(reader, launch->local, &launch->local_dimensions, in_launch))
        return false;
    if (launch->local_dimensions == 1 && !strcmp(launch->local[0], "none")) {
        free(launch->local[0]);
        launch->local[0] = NULL;
        launch->local_dimensions = 0;
    }
    return true;
}

/* with NAME=EXPRESSION ... */
static bool
read_with(struct reader *reader, struct launch_line *launch)
{
    char *word, *before, *equals;

    while (before = reader->at, (word = reader_word(reader))) {
        if (!strcmp(word, "args")) {
            free(word);
            reader->at = before;
            return true;
        }
        equals = strchr(word, '=');
        if (!equals || launch->with_count == 8) {
            reader_refuse(reader,
                          equals ? "more than 8 values after `with`"
                                 : "'%s': NAME=VALUE is expected after `with`",
                          word);
            free(word);
            return false;
        }
        *equals = 0;
        launch->with_value[launch->with_count] = text_copy(equals + 1);
        launch->with_name[launch->with_count++] = word;
    }
    return launch->with_count ? true : reader_refuse(reader, "NAME=VALUE is expected after `with`");
}

static bool
read_launch(struct reader *reader)
{
    struct description *to = reader->to;
    struct launch_line *launch;
    char *word;
    bool good = true;

    if (to->launch_count == MAX_LAUNCHES)
        return reader_refuse(reader, "more than %d launches", MAX_LAUNCHES);
    to->launches = memory_grow(to->launches, (to->launch_count + 1) * sizeof *to->launches);
    launch = &to->launches[to->launch_count++];
    *launch = (struct launch_line){.line = reader->line};
    launch->kernel = reader_word(reader);
    if (!launch->kernel)
        return reader_refuse(reader, "the kernel's name is missing");
    while (good && (word = reader_word(reader))) {
        if (!strcmp(word, "global") && !launch->dimensions)
            good = read_sizes(reader, launch->global, &launch->dimensions, true);
        else if (!strcmp(word, "local") && !launch->local_dimensions)
            good = read_local_sizes(reader, launch, true);
        else if (!strcmp(word, "with"))
            good = read_with(reader, launch);
        else if (!strcmp(word, "args"))
            while (launch->argument_count < MAX_ARGUMENTS &&
                   (launch->arguments[launch->argument_count] = reader_word(reader)))
                launch->argument_count++;
        else
            good = reader_refuse(
                reader, "'%s': launch KERNEL global SIZES local SIZES with NAME=VALUE args NAMES is expected",
                word);
        free(word);
    }
    if (good && !launch->dimensions)
        return reader_refuse(reader, "`launch` needs a global size");
    return good;
}

static bool
read_compare(struct reader *reader)
{
    static const char *const words[] = {"exact", "relative", "ulp", "sorted", "set"};
    struct description *to = reader->to;
    char *word = reader_word(reader), *number, *end;

    for (unsigned i = 0; word && i < 5; i++) {
        if (strcmp(word, words[i]))
            continue;
        free(word);
        to->comparison = (enum comparison)i;
        to->compared = true;
        if (i != COMPARE_RELATIVE && i != COMPARE_ULP)
            return true;
        number = reader_word(reader);
        to->tolerance = number ? strtod(number, &end) : 0;
        if (!number || *end || !(to->tolerance >= 0)) {
            free(number);
            return reader_refuse(reader, "`compare %s` needs a number", words[i]);
        }
        free(number);
        return true;
    }
    free(word);
    return reader_refuse(reader, "`compare` takes exact, relative TOLERANCE, ulp COUNT, sorted or set");
}

static bool
read_expression(struct reader *reader, const char *word, char **to, unsigned *line)
{
    *line = reader->line;
    return read_text(reader, word, to);
}

/* subgroup N [any] */
static bool
read_subgroup(struct reader *reader, const char *word)
{
    struct description *to = reader->to;
    size_t length;

    if (!read_expression(reader, word, &to->subgroup, &to->subgroup_line))
        return false;
    length = strlen(to->subgroup);
    to->subgroup_any = length > 4 && !strcmp(to->subgroup + length - 4, " any");
    if (to->subgroup_any)
        to->subgroup[length - 4] = 0;
    return true;
}

static bool
read_local(struct reader *reader)
{
    char *before = reader->at, *name = reader_word(reader), *type = reader_word(reader);
    bool array = type && strchr(type, '[');

    free(name);
    free(type);
    reader->at = before;
    if (array)
        return reader_argument(reader, ARGUMENT_LOCAL);
    if (reader->whole.local_dimensions)
        return reader_refuse(reader, "`local` stands here a second time");
    return read_local_sizes(reader, &reader->whole, false);
}

static bool
read_line(struct reader *reader, const char *word)
{
    struct description *to = reader->to;

    if (!strcmp(word, "title"))
        return read_text(reader, word, &to->title);
    if (!strcmp(word, "group"))
        return read_text(reader, word, &to->group);
    if (!strcmp(word, "source"))
        return read_text(reader, word, &to->source);
    if (!strcmp(word, "options"))
        return read_text(reader, word, &to->options);
    if (!strcmp(word, "reference"))
        return read_text(reader, word, &to->reference);
    if (!strcmp(word, "size"))
        return read_expression(reader, word, &to->size, &to->size_line);
    if (!strcmp(word, "subgroup"))
        return read_subgroup(reader, word);
    if (!strcmp(word, "bytes"))
        return read_expression(reader, word, &to->bytes, &to->bytes_line);
    if (!strcmp(word, "flops"))
        return read_expression(reader, word, &to->flops, &to->flops_line);
    if (!strcmp(word, "packets"))
        return read_expression(reader, word, &to->packets, &to->packets_line);
    if (!strcmp(word, "buffer"))
        return reader_argument(reader, ARGUMENT_BUFFER);
    if (!strcmp(word, "value"))
        return reader_argument(reader, ARGUMENT_VALUE);
    if (!strcmp(word, "image"))
        return reader_argument(reader, ARGUMENT_IMAGE);
    if (!strcmp(word, "pipe"))
        return reader_argument(reader, ARGUMENT_PIPE);
    if (!strcmp(word, "sampler"))
        return reader_argument(reader, ARGUMENT_SAMPLER);
    if (!strcmp(word, "local"))
        return read_local(reader);
    if (!strcmp(word, "launch"))
        return read_launch(reader);
    if (!strcmp(word, "compare"))
        return read_compare(reader);
    if (!strcmp(word, "kernel")) {
        reader->whole.line = reader->line;
        return read_text(reader, word, &reader->whole.kernel);
    }
    if (!strcmp(word, "global")) {
        if (reader->whole.dimensions)
            return reader_refuse(reader, "`global` stands here a second time");
        reader->whole.line = reader->line;
        return read_sizes(reader, reader->whole.global, &reader->whole.dimensions, false);
    }
    return reader_refuse(
        reader,
        "'%s' is not known: name, title, group, kernel, source, options, reference, size, global, local, "
        "subgroup, buffer, image, sampler, pipe, value, launch, compare, bytes, flops and packets are",
        word);
}

static void
launch_free(struct launch_line *launch)
{
    free(launch->kernel);
    for (unsigned i = 0; i < 3; i++) {
        free(launch->global[i]);
        free(launch->local[i]);
    }
    for (unsigned i = 0; i < launch->with_count; i++) {
        free(launch->with_name[i]);
        free(launch->with_value[i]);
    }
    for (unsigned i = 0; i < launch->argument_count; i++)
        free(launch->arguments[i]);
}

/* What must be there, and the launch that kernel, global and local make. */
static bool
finish(struct reader *reader)
{
    struct description *to = reader->to;
    struct launch_line *whole = &reader->whole;
    bool result = false;

    if (!to->size)
        to->size = text_copy("1");
    if (to->launch_count && (whole->kernel || whole->dimensions || whole->local_dimensions)) {
        reader->line = to->launches[0].line;
        return reader_refuse(reader, "`launch` lines take the place of kernel, global and local");
    }
    if (!to->launch_count) {
        if (!whole->kernel)
            whole->kernel = text_copy(to->name);
        if (!whole->dimensions)
            return reader_refuse(reader, "the description ends without `global`");
        to->launches = memory_get(sizeof *to->launches);
        to->launches[0] = *whole;
        to->launch_count = 1;
        *whole = (struct launch_line){0};
    }
    for (unsigned i = 0; i < to->argument_count; i++)
        result |= has_contents(&to->arguments[i]) && to->arguments[i].result;
    if (!result)
        return reader_refuse(reader, "the description ends without a buffer or image that is a `result`");
    if (!to->title)
        to->title = text_copy(to->name);
    if (!to->group)
        to->group = text_copy("other");
    return true;
}

static void
name_parts(struct description *to, const char *path, const char *section)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    size_t length = strlen(file);

    to->path = text_copy(path);
    to->folder = slash ? text_make("%.*s", (int)(slash - path), path) : text_copy(".");
    if (length > 4 && !strcmp(file + length - 4, ".txt"))
        length -= 4;
    to->name = section ? text_copy(section) : text_make("%.*s", (int)length, file);
    to->section = section ? text_copy(section) : NULL;
}

struct description *
description_read(const char *path, const char *section, char *error, size_t error_bytes)
{
    size_t bytes = 0;
    char *whole = file_read(path, &bytes), *text = NULL, *next;
    struct reader reader = {
        .to = memory_get(sizeof(struct description)), .error = error, .error_bytes = error_bytes};
    bool good = true;

    if (!whole) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        free(reader.to);
        return NULL;
    }
    name_parts(reader.to, path, section);
    if (bytes > MAX_DESCRIPTION_BYTES || strlen(whole) != bytes)
        good = reader_refuse(&reader, "this is no description: %s",
                             bytes > MAX_DESCRIPTION_BYTES ? "too long" : "it has a 0 byte");
    else if (!(text = section_text(whole, section, &reader.line)))
        good = reader_refuse(&reader,
                             "`name NAME` or `name NAME like OTHER FROM=TO` is expected, OTHER in this file");
    reader.line = good ? 0 : reader.line;
    free(whole);
    for (char *line = text; good && line; line = next) {
        char *word;

        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        reader.line++;
        reader.at = line;
        if (!(word = reader_word(&reader)))
            continue;
        good = read_line(&reader, word);
        if (good && *skip_space(&reader))
            good = reader_refuse(&reader, "'%s': nothing more is expected there", reader.at);
        free(word);
    }
    free(text);
    good = good && finish(&reader);
    launch_free(&reader.whole);
    if (good)
        return reader.to;
    description_free(reader.to);
    return NULL;
}

void
description_free(struct description *description)
{
    if (!description)
        return;
    for (unsigned i = 0; i < description->argument_count; i++) {
        struct argument_line *argument = &description->arguments[i];

        free(argument->name);
        free(argument->type);
        free(argument->count);
        for (unsigned d = 0; d < argument->dimensions; d++)
            free(argument->extent[d]);
        for (unsigned w = 0; w < argument->word_count; w++)
            free(argument->words[w]);
    }
    for (unsigned i = 0; i < description->launch_count; i++)
        launch_free(&description->launches[i]);
    free(description->launches);
    char *texts[] = {description->path,   description->folder,   description->name,    description->title,
                     description->group,  description->source,   description->options, description->reference,
                     description->size,   description->subgroup, description->bytes,   description->flops,
                     description->packets, description->section};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    free(description);
}
