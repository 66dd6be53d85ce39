/* SPDX-License-Identifier: MIT */
/* JSON, written and read. */
#ifndef LANEWISE_BENCH_JSON_H
#define LANEWISE_BENCH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include "text.h"

/* Writing: commas are the writer's concern. A key is NULL in arrays. */
struct json_writer {
    struct text *out;
    unsigned depth;
    bool comma;
};

void json_open(struct json_writer *writer, const char *key, char bracket);
void json_close(struct json_writer *writer, char bracket);
void json_text(struct json_writer *writer, const char *key, const char *value); /* NULL: null */
void json_number(struct json_writer *writer, const char *key, double value);    /* NaN: null */
void json_integer(struct json_writer *writer, const char *key, long long value);
void json_bool(struct json_writer *writer, const char *key, bool value);

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    double number; /* a bool's too */
    char *text;
    char **keys; /* of an object */
    struct json *items;
    size_t count;
};

/* NULL leaves "line N: what" in `error`. */
struct json *json_read(const char *text, char *error, size_t error_bytes);
/* The member; a null value where there is none. Paths: "machine.processor". */
const struct json *json_get(const struct json *from, const char *path);
const char *json_get_text(const struct json *from, const char *path); /* "": no text */
double json_get_number(const struct json *from, const char *path);    /* NaN: no number */
void json_free(struct json *json);

#endif
