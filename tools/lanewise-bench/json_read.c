/* SPDX-License-Identifier: MIT */
/* JSON, read: for baselines and for what opencl-latency writes. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"

#define MAX_DEPTH 64

struct reader {
    const char *start, *at;
    char *error;
    size_t error_bytes;
    unsigned depth;
};

static bool read_value(struct reader *reader, struct json *to);

static bool
refuse(struct reader *reader, const char *what)
{
    unsigned line = 1;

    for (const char *c = reader->start; c < reader->at; c++)
        line += *c == '\n';
    snprintf(reader->error, reader->error_bytes, "line %u: %s", line, what);
    return false;
}

static char
peek(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
    return *reader->at;
}

static void
add_character(struct text *text, unsigned code)
{
    unsigned char bytes[3] = {(unsigned char)(0xe0 | code >> 12), (unsigned char)(0x80 | (code >> 6 & 63)),
                              (unsigned char)(0x80 | (code & 63))};

    if (code < 0x80)
        bytes[2] = (unsigned char)code;
    else if (code < 0x800)
        bytes[1] = (unsigned char)(0xc0 | code >> 6);
    text_add_bytes(text,
                   code < 0x80    ? bytes + 2
                   : code < 0x800 ? bytes + 1
                                  : bytes,
                   code < 0x80    ? 1
                   : code < 0x800 ? 2
                                  : 3);
}

static bool
read_escape(struct reader *reader, struct text *text)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = *reader->at ? strchr(from, *reader->at) : NULL;
    unsigned code = 0;

    if (found) {
        text_add_bytes(text, to + (found - from), 1);
        reader->at++;
        return true;
    }
    if (*reader->at != 'u')
        return refuse(reader, "unknown escape in a text");
    for (int i = 1; i <= 4; i++) {
        unsigned char c = (unsigned char)reader->at[i];

        if (!isxdigit(c))
            return refuse(reader, "four hexadecimal digits are expected after \\u");
        code = code * 16 + (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    reader->at += 5;
    add_character(text, code ? code : 0xfffd);
    return true;
}

static bool
read_text(struct reader *reader, char **to)
{
    struct text text = {0};

    if (peek(reader) != '"')
        return refuse(reader, "a text is expected");
    for (reader->at++; *reader->at != '"';) {
        bool good = *reader->at != 0;

        if (good && *reader->at == '\\') {
            reader->at++;
            good = read_escape(reader, &text);
        } else if (good) {
            text_add_bytes(&text, reader->at++, 1);
        } else {
            refuse(reader, "a text does not end");
        }
        if (!good) {
            text_free(&text);
            return false;
        }
    }
    reader->at++;
    *to = text_take(&text);
    return true;
}

static bool
read_items(struct reader *reader, struct json *to, char end)
{
    reader->at++;
    if (peek(reader) == end) {
        reader->at++;
        return true;
    }
    for (;;) {
        to->items = memory_grow(to->items, (to->count + 1) * sizeof *to->items);
        to->keys = memory_grow(to->keys, (to->count + 1) * sizeof *to->keys);
        to->items[to->count] = (struct json){0};
        to->keys[to->count++] = NULL;
        if (to->kind == JSON_OBJECT) {
            if (!read_text(reader, &to->keys[to->count - 1]))
                return false;
            if (peek(reader) != ':')
                return refuse(reader, "':' is expected");
            reader->at++;
        }
        if (!read_value(reader, &to->items[to->count - 1]))
            return false;
        if (peek(reader) == end) {
            reader->at++;
            return true;
        }
        if (*reader->at != ',')
            return refuse(reader, "',' or the end of the list is expected");
        reader->at++;
    }
}

static bool
read_value(struct reader *reader, struct json *to)
{
    char next = peek(reader), *end;
    bool good;

    if (++reader->depth > MAX_DEPTH)
        return refuse(reader, "nested too deeply");
    if (next == '{' || next == '[') {
        to->kind = next == '{' ? JSON_OBJECT : JSON_ARRAY;
        good = read_items(reader, to, next == '{' ? '}' : ']');
    } else if (next == '"') {
        to->kind = JSON_TEXT;
        good = read_text(reader, &to->text);
    } else if (!strncmp(reader->at, "true", 4) || !strncmp(reader->at, "null", 4)) {
        to->kind = next == 't' ? JSON_BOOL : JSON_NULL;
        to->number = next == 't';
        reader->at += 4;
        good = true;
    } else if (!strncmp(reader->at, "false", 5)) {
        to->kind = JSON_BOOL;
        reader->at += 5;
        good = true;
    } else {
        to->kind = JSON_NUMBER;
        to->number = strtod(reader->at, &end);
        good = (isdigit((unsigned char)next) || next == '-') && end != reader->at;
        if (!good)
            return refuse(reader, "a value is expected");
        reader->at = end;
    }
    reader->depth--;
    return good;
}

struct json *
json_read(const char *text, char *error, size_t error_bytes)
{
    struct reader reader = {text, text, error, error_bytes, 0};
    struct json *json = memory_get(sizeof *json);
    bool good = read_value(&reader, json);

    if (good && peek(&reader))
        good = refuse(&reader, "nothing more is expected");
    if (good)
        return json;
    json_free(json);
    return NULL;
}

const struct json *
json_get(const struct json *from, const char *path)
{
    static const struct json nothing;

    while (*path) {
        size_t length = strcspn(path, "."), i;

        for (i = 0; from->kind == JSON_OBJECT && i < from->count; i++)
            if (strlen(from->keys[i]) == length && !strncmp(from->keys[i], path, length))
                break;
        if (from->kind != JSON_OBJECT || i == from->count)
            return &nothing;
        from = &from->items[i];
        path += length;
        path += *path == '.';
    }
    return from;
}

const char *
json_get_text(const struct json *from, const char *path)
{
    const struct json *found = json_get(from, path);

    return found->kind == JSON_TEXT ? found->text : "";
}

double
json_get_number(const struct json *from, const char *path)
{
    const struct json *found = json_get(from, path);

    return found->kind == JSON_NUMBER ? found->number : NAN;
}

static void
free_inside(struct json *json)
{
    for (size_t i = 0; i < json->count; i++) {
        free_inside(&json->items[i]); /* no deeper than what was read */
        free(json->keys[i]);
    }
    free(json->items);
    free(json->keys);
    free(json->text);
}

void
json_free(struct json *json)
{
    if (!json)
        return;
    free_inside(json);
    free(json);
}
