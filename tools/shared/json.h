/* SPDX-License-Identifier: MIT */
/* JSON, written and read by json-c, for programs that have one document at a time. */
#ifndef LANEWISE_TOOLS_JSON_H
#define LANEWISE_TOOLS_JSON_H

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LW_JSON_DEEPEST 32

/* Writing: values go into the object or array that was opened last. A key is NULL in arrays; keys keep their
 * order. Before lw_json_begin all others do nothing: a program that is to write no JSON need not ask each
 * time. */
struct lw_json {
    struct json_object *open[LW_JSON_DEEPEST]; /* [0]: the document, also once it is closed */
    unsigned depth;                            /* 0: nothing is written now */
};

void lw_json_begin(struct lw_json *json); /* the document, an object */
void lw_json_open(struct lw_json *json, const char *key, char bracket); /* '{' or '[' */
void lw_json_close(struct lw_json *json);
/* NULL: null. Bytes that are no UTF-8 are taken for Latin-1. */
void lw_json_text(struct lw_json *json, const char *key, const char *value);
/* To nine digits; null where JSON has no such number. */
void lw_json_number(struct lw_json *json, const char *key, double value);
void lw_json_spelt(struct lw_json *json, const char *key, const char *number); /* as it is spelt */
void lw_json_integer(struct lw_json *json, const char *key, int64_t value);
void lw_json_unsigned(struct lw_json *json, const char *key, uint64_t value);
void lw_json_bool(struct lw_json *json, const char *key, bool value);
/* A document, given away; NULL is null. */
void lw_json_add(struct lw_json *json, const char *key, struct json_object *value);
/* The whole as text, a line for each value or all in one; NULL before it begins. Lives as long as the
 * document. */
const char *lw_json_written(struct lw_json *json, bool lines);
void lw_json_free(struct lw_json *json);

/* Reading: for json_object_put to free; NULL leaves "line N: what" in `error`, which may be NULL. */
struct json_object *lw_json_read(const char *text, char *error, size_t error_bytes);
/* The member at "/machine/processor", or NULL. */
struct json_object *lw_json_get(struct json_object *from, const char *path);
const char *lw_json_get_text(struct json_object *from, const char *path); /* "": no text */
double lw_json_get_number(struct json_object *from, const char *path);    /* NaN: no number */
/* 0 of what is no array. */
size_t lw_json_count(struct json_object *array);

#endif
