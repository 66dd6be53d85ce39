/* SPDX-License-Identifier: MIT */
/* Reads the lines of a description that are arguments: buffers, images, samplers, pipes, local memory,
 * values. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>
#include "description_reader.h"
#include "text.h"

/* TYPE[COUNT] */
static bool
read_type(struct reader *reader, struct argument_line *argument)
{
    char *type = reader_word(reader), *bracket;
    size_t length;

    argument->type = type;
    bracket = type ? strchr(type, '[') : NULL;
    if (!bracket)
        return reader_refuse(reader, "'%s' needs a type and a count, such as float[size]", argument->name);
    length = strlen(bracket);
    if (bracket[length - 1] != ']' || length < 3)
        return reader_refuse(reader, "'%s': TYPE[COUNT] is expected", type);
    bracket[length - 1] = 0;
    argument->count = text_copy(bracket + 1);
    *bracket = 0;
    if (!element_parse(type, &argument->element))
        return reader_refuse(
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
            return reader_refuse(reader, "`%s`: the initial contents are already said", word);
        argument->initial = table[i].initial;
        for (unsigned w = 0; w < table[i].words; w++)
            if (!(argument->words[argument->word_count++] = reader_word(reader))) {
                argument->word_count--;
                return reader_refuse(reader, "`%s` is expected", table[i].usage);
            }
        return true;
    }
    return reader_refuse(
        reader,
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

    while (count < 17 && (words[count] = reader_word(reader)))
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
        return reader_refuse(
            reader,
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
    return argument->word_count ? true : reader_refuse(reader, "'%s' needs a value", argument->name);
}

/* `W H D`, up to three, as the count between brackets; texels are counted by their product. */
static bool
read_extent(struct reader *reader, struct argument_line *argument)
{
    struct reader inner = *reader;
    char *count = NULL, *word;

    inner.at = argument->count;
    while (argument->dimensions < 3 && (word = reader_word(&inner))) {
        char *longer = count ? text_make("%s*(%s)", count, word) : text_make("(%s)", word);

        free(count);
        count = longer;
        argument->extent[argument->dimensions++] = word;
    }
    word = reader_word(&inner);
    free(argument->count);
    argument->count = count;
    if (word || !count) {
        free(word);
        return reader_refuse(reader,
                             "'%s': an image is TYPE[WIDTH], TYPE[WIDTH HEIGHT] or "
                             "TYPE[WIDTH HEIGHT DEPTH]",
                             argument->name);
    }
    if (argument->element.bytes == 8 || argument->element.lanes > 4)
        return reader_refuse(reader, "'%s' has no image of it: 8 to 32 bits, 1, 2 or 4 components",
                             argument->type);
    return true;
}

/* sampler NAME WORDS */
static bool
read_sampler(struct reader *reader, struct argument_line *argument)
{
    static const struct {
        const char *word;
        unsigned addressing, filter;
    } words[] = {
        {"none", CL_ADDRESS_NONE, 0},
        {"edge", CL_ADDRESS_CLAMP_TO_EDGE, 0},
        {"border", CL_ADDRESS_CLAMP, 0},
        {"repeat", CL_ADDRESS_REPEAT, 0},
        {"mirrored", CL_ADDRESS_MIRRORED_REPEAT, 0},
        {"nearest", 0, CL_FILTER_NEAREST},
        {"linear", 0, CL_FILTER_LINEAR},
    };
    char *word;
    bool good = true;

    for (; good && (word = reader_word(reader)); free(word)) {
        size_t i = 0;

        while (i < sizeof words / sizeof *words && strcmp(word, words[i].word))
            i++;
        if (!strcmp(word, "normalized")) {
            argument->normalized = true;
        } else if (i < sizeof words / sizeof *words) {
            argument->addressing += words[i].addressing;
            argument->filter += words[i].filter;
        } else {
            good = reader_refuse(reader,
                                 "'%s' is not known for a sampler: normalized; none, edge, border, "
                                 "repeat or mirrored; nearest or linear",
                                 word);
        }
    }
    if (good &&
        (argument->addressing < CL_ADDRESS_NONE || argument->addressing > CL_ADDRESS_MIRRORED_REPEAT ||
         argument->filter < CL_FILTER_NEAREST || argument->filter > CL_FILTER_LINEAR))
        good = reader_refuse(reader,
                             "'%s' needs one of none, edge, border, repeat, mirrored, and one of "
                             "nearest, linear",
                             argument->name);
    return good;
}

bool
reader_argument(struct reader *reader, enum argument_kind kind)
{
    struct argument_line *argument = &reader->to->arguments[reader->to->argument_count];
    char *word;
    bool good = true;

    if (reader->to->argument_count == MAX_ARGUMENTS)
        return reader_refuse(reader, "more than %d arguments", MAX_ARGUMENTS);
    *argument = (struct argument_line){.kind = kind, .line = reader->line};
    argument->name = reader_word(reader);
    if (!argument->name)
        return reader_refuse(reader, "the name of the argument is missing");
    reader->to->argument_count++;
    for (unsigned i = 0; i + 1 < reader->to->argument_count; i++)
        if (!strcmp(reader->to->arguments[i].name, argument->name))
            return reader_refuse(reader, "a second argument '%s' (the first: line %u)", argument->name,
                                 reader->to->arguments[i].line);
    if (kind == ARGUMENT_VALUE)
        return read_value(reader, argument);
    if (kind == ARGUMENT_SAMPLER)
        return read_sampler(reader, argument);
    if (!read_type(reader, argument) || (kind == ARGUMENT_IMAGE && !read_extent(reader, argument)))
        return false;
    while (good && (word = reader_word(reader))) {
        if (!has_contents(argument))
            good = reader_refuse(reader, "'%s': nothing is expected there", word);
        else if (!strcmp(word, "result"))
            argument->result = true;
        else if (!strcmp(word, "restored"))
            argument->restored = true;
        else if (kind == ARGUMENT_IMAGE && !strcmp(word, "normalized"))
            argument->normalized = true;
        else
            good = read_initial(reader, argument, word);
        free(word);
    }
    if (good && has_contents(argument) && !argument->initial && !argument->result)
        return reader_refuse(reader,
                             "'%s' is neither a result nor has initial contents (zero, random LOW HIGH, ...)",
                             argument->name);
    return good;
}
