/* SPDX-License-Identifier: MIT */
/* Reads the description of a benchmark kernel: one `word values...` a line. */
#include "description.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

#define MAX_DESCRIPTION_BYTES (1 << 20)

struct reader {
    struct description *to;
    unsigned line;
    char *at;                 /* in the line */
    struct launch_line whole; /* kernel, global and local without `launch` */
    char *error;
    size_t error_bytes;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(struct reader *reader, const char *format, ...)
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

/* The next word; parentheses and brackets hold words together. NULL at the end of the line. */
static char *
next_word(struct reader *reader)
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
        return refuse(reader, "`%s` stands here a second time", word);
    *to = rest_of_line(reader);
    return **to ? true : refuse(reader, "`%s` needs a value", word);
}

/* TYPE[COUNT] */
static bool
read_type(struct reader *reader, struct argument_line *argument)
{
    char *type = next_word(reader), *bracket;
    size_t length;

    argument->type = type;
    bracket = type ? strchr(type, '[') : NULL;
    if (!bracket)
        return refuse(reader, "'%s' needs a type and a count, such as float[size]", argument->name);
    length = strlen(bracket);
    if (bracket[length - 1] != ']' || length < 3)
        return refuse(reader, "'%s': TYPE[COUNT] is expected", type);
    bracket[length - 1] = 0;
    argument->count = text_copy(bracket + 1);
    *bracket = 0;
    if (!element_parse(type, &argument->element))
        return refuse(
            reader,
            "unknown type '%s': OpenCL C's scalars (char to ulong, half, float, double) and vectors of "
            "2, 3, 4, 8 or 16 of them are known",
            type);
    return true;
}

static bool
read_initial(struct reader *reader, struct argument_line *argument, const char *word)
{
    static const struct {
        const char *word;
        enum initial initial;
        unsigned words;
        const char *usage;
    } table[] = {
        {"random", INITIAL_RANDOM, 2, "random LOW HIGH"},
        {"iota", INITIAL_IOTA, 0, "iota"},
        {"fill", INITIAL_FILL, 1, "fill VALUE"},
        {"zero", INITIAL_FILL, 0, "zero"},
        {"permutation", INITIAL_PERMUTATION, 0, ""},
        {"file", INITIAL_FILE, 1, "file NAME.npy"},
        {"c", INITIAL_C, 0, "c"},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(word, table[i].word))
            continue;
        if (argument->initial)
            return refuse(reader, "`%s`: the initial contents are already said", word);
        argument->initial = table[i].initial;
        for (unsigned w = 0; w < table[i].words; w++)
            if (!(argument->words[argument->word_count++] = next_word(reader))) {
                argument->word_count--;
                return refuse(reader, "`%s` is expected", table[i].usage);
            }
        return true;
    }
    return refuse(reader,
                  "'%s' is not known for a buffer: random LOW HIGH, iota, fill VALUE, zero, permutation, "
                  "file NAME.npy, c, result, restored",
                  word);
}

/* value NAME TYPE VALUE... or value NAME VALUE... TYPE */
static bool
read_value(struct reader *reader, struct argument_line *argument)
{
    char *words[17];
    unsigned count = 0, type;

    while (count < 17 && (words[count] = next_word(reader)))
        count++;
    for (type = 0; type < count && !element_parse(words[type], &argument->element); type++)
        ;
    for (unsigned i = 0; i < count; i++) {
        if (i == type)
            argument->type = words[i];
        else if (argument->word_count < 16)
            argument->words[argument->word_count++] = words[i];
        else
            free(words[i]);
    }
    if (type != 0 && type + 1 != count)
        return refuse(reader,
                      "`value %s TYPE VALUE` is expected, with one of OpenCL C's types (char to ulong, half, "
                      "float, double, and vectors)",
                      argument->name);
    /* The words of one expression, or a component each. */
    while (argument->element.lanes == 1 && argument->word_count > 1) {
        char *last = argument->words[--argument->word_count],
             **before = &argument->words[argument->word_count - 1];
        char *joined = text_make("%s %s", *before, last);

        free(*before);
        free(last);
        *before = joined;
    }
    return argument->word_count ? true : refuse(reader, "'%s' needs a value", argument->name);
}

static bool
read_argument(struct reader *reader, enum argument_kind kind)
{
    struct argument_line *argument = &reader->to->arguments[reader->to->argument_count];
    char *word;
    bool good = true;

    if (reader->to->argument_count == MAX_ARGUMENTS)
        return refuse(reader, "more than %d arguments", MAX_ARGUMENTS);
    *argument = (struct argument_line){.kind = kind, .line = reader->line};
    argument->name = next_word(reader);
    if (!argument->name)
        return refuse(reader, "the name of the argument is missing");
    reader->to->argument_count++;
    for (unsigned i = 0; i + 1 < reader->to->argument_count; i++)
        if (!strcmp(reader->to->arguments[i].name, argument->name))
            return refuse(reader, "a second argument '%s' (the first: line %u)", argument->name,
                          reader->to->arguments[i].line);
    if (kind == ARGUMENT_VALUE)
        return read_value(reader, argument);
    if (!read_type(reader, argument))
        return false;
    while (good && (word = next_word(reader))) {
        if (kind != ARGUMENT_BUFFER)
            good = refuse(reader, "'%s': nothing is expected there", word);
        else if (!strcmp(word, "result"))
            argument->result = true;
        else if (!strcmp(word, "restored"))
            argument->restored = true;
        else
            good = read_initial(reader, argument, word);
        free(word);
    }
    if (good && kind == ARGUMENT_BUFFER && !argument->initial && !argument->result)
        return refuse(reader,
                      "'%s' is neither a result nor has initial contents (zero, random LOW HIGH, ...)",
                      argument->name);
    return good;
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

    for (*count = 0; before = reader->at, (word = next_word(reader)); sizes[(*count)++] = word) {
        if (in_launch && is_launch_word(word)) {
            reader->at = before;
            free(word);
            break;
        }
        if (*count == 3) {
            free(word);
            return refuse(reader, "more than three dimensions");
        }
    }
    return *count ? true : refuse(reader, "1 to 3 sizes are expected");
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

    while (before = reader->at, (word = next_word(reader))) {
        if (!strcmp(word, "args")) {
            free(word);
            reader->at = before;
            return true;
        }
        equals = strchr(word, '=');
        if (!equals || launch->with_count == 8) {
            refuse(reader,
                   equals ? "more than 8 values after `with`" : "'%s': NAME=VALUE is expected after `with`",
                   word);
            free(word);
            return false;
        }
        *equals = 0;
        launch->with_value[launch->with_count] = text_copy(equals + 1);
        launch->with_name[launch->with_count++] = word;
    }
    return launch->with_count ? true : refuse(reader, "NAME=VALUE is expected after `with`");
}

static bool
read_launch(struct reader *reader)
{
    struct description *to = reader->to;
    struct launch_line *launch;
    char *word;
    bool good = true;

    if (to->launch_count == MAX_LAUNCHES)
        return refuse(reader, "more than %d launches", MAX_LAUNCHES);
    to->launches = memory_grow(to->launches, (to->launch_count + 1) * sizeof *to->launches);
    launch = &to->launches[to->launch_count++];
    *launch = (struct launch_line){.line = reader->line};
    launch->kernel = next_word(reader);
    if (!launch->kernel)
        return refuse(reader, "the kernel's name is missing");
    while (good && (word = next_word(reader))) {
        if (!strcmp(word, "global") && !launch->dimensions)
            good = read_sizes(reader, launch->global, &launch->dimensions, true);
        else if (!strcmp(word, "local") && !launch->local_dimensions)
            good = read_local_sizes(reader, launch, true);
        else if (!strcmp(word, "with"))
            good = read_with(reader, launch);
        else if (!strcmp(word, "args"))
            while (launch->argument_count < MAX_ARGUMENTS &&
                   (launch->arguments[launch->argument_count] = next_word(reader)))
                launch->argument_count++;
        else
            good = refuse(
                reader, "'%s': launch KERNEL global SIZES local SIZES with NAME=VALUE args NAMES is expected",
                word);
        free(word);
    }
    if (good && !launch->dimensions)
        return refuse(reader, "`launch` needs a global size");
    return good;
}

static bool
read_compare(struct reader *reader)
{
    static const char *const words[] = {"exact", "relative", "ulp", "sorted", "set"};
    struct description *to = reader->to;
    char *word = next_word(reader), *number, *end;

    for (unsigned i = 0; word && i < 5; i++) {
        if (strcmp(word, words[i]))
            continue;
        free(word);
        to->comparison = (enum comparison)i;
        to->compared = true;
        if (i != COMPARE_RELATIVE && i != COMPARE_ULP)
            return true;
        number = next_word(reader);
        to->tolerance = number ? strtod(number, &end) : 0;
        if (!number || *end || !(to->tolerance >= 0)) {
            free(number);
            return refuse(reader, "`compare %s` needs a number", words[i]);
        }
        free(number);
        return true;
    }
    free(word);
    return refuse(reader, "`compare` takes exact, relative TOLERANCE, ulp COUNT, sorted or set");
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
    char *before = reader->at, *name = next_word(reader), *type = next_word(reader);
    bool array = type && strchr(type, '[');

    free(name);
    free(type);
    reader->at = before;
    if (array)
        return read_argument(reader, ARGUMENT_LOCAL);
    if (reader->whole.local_dimensions)
        return refuse(reader, "`local` stands here a second time");
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
    if (!strcmp(word, "buffer"))
        return read_argument(reader, ARGUMENT_BUFFER);
    if (!strcmp(word, "value"))
        return read_argument(reader, ARGUMENT_VALUE);
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
            return refuse(reader, "`global` stands here a second time");
        reader->whole.line = reader->line;
        return read_sizes(reader, reader->whole.global, &reader->whole.dimensions, false);
    }
    return refuse(
        reader,
        "'%s' is not known: name, title, group, kernel, source, options, reference, size, global, local, "
        "subgroup, buffer, value, launch, compare, bytes and flops are",
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
        return refuse(reader, "`launch` lines take the place of kernel, global and local");
    }
    if (!to->launch_count) {
        if (!whole->kernel)
            whole->kernel = text_copy(to->name);
        if (!whole->dimensions)
            return refuse(reader, "the description ends without `global`");
        to->launches = memory_get(sizeof *to->launches);
        to->launches[0] = *whole;
        to->launch_count = 1;
        *whole = (struct launch_line){0};
    }
    for (unsigned i = 0; i < to->argument_count; i++)
        result |= to->arguments[i].kind == ARGUMENT_BUFFER && to->arguments[i].result;
    if (!result)
        return refuse(reader, "the description ends without a buffer that is a `result`");
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
        good = refuse(&reader, "this is no description: %s",
                      bytes > MAX_DESCRIPTION_BYTES ? "too long" : "it has a 0 byte");
    else if (!(text = section_text(whole, section, &reader.line)))
        good =
            refuse(&reader, "`name NAME` or `name NAME like OTHER FROM=TO` is expected, OTHER in this file");
    reader.line = good ? 0 : reader.line;
    free(whole);
    for (char *line = text; good && line; line = next) {
        char *word;

        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        reader.line++;
        reader.at = line;
        if (!(word = next_word(&reader)))
            continue;
        good = read_line(&reader, word);
        if (good && *skip_space(&reader))
            good = refuse(&reader, "'%s': nothing more is expected there", reader.at);
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
        for (unsigned w = 0; w < argument->word_count; w++)
            free(argument->words[w]);
    }
    for (unsigned i = 0; i < description->launch_count; i++)
        launch_free(&description->launches[i]);
    free(description->launches);
    char *texts[] = {description->path,   description->folder,   description->name,    description->title,
                     description->group,  description->source,   description->options, description->reference,
                     description->size,   description->subgroup, description->bytes,   description->flops,
                     description->section};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    free(description);
}
