/* SPDX-License-Identifier: MIT */
/* JSON by json-c: what is added here is where values go, bytes of platforms' logs that are no UTF-8, and
 * lines in errors. */
#include "json.h"

#include <json-c/json_pointer.h>
#include <json-c/json_tokener.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_DEEPEST 64

/* The length of the UTF-8 sequence that begins here; 0: none does. */
static size_t
sequence(const unsigned char *at)
{
    size_t length = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3
                    : *at >= 0xf0 && *at < 0xf5                                        ? 4
                                                                                       : 0;

    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) /* the 0 behind the text is none either */
            return 0;
    bool overlong = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
    bool beyond = (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf4 && at[1] >= 0x90);
    return overlong || beyond ? 0 : length;
}

/* The text as UTF-8, for the caller to free. */
static char *
clean_text(const char *text)
{
    char *clean = malloc(2 * strlen(text) + 1), *to = clean;

    if (!clean)
        abort();
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t n = sequence(at);

        if (n) {
            memcpy(to, at, n);
            to += n;
            at += n;
        } else {
            *to++ = (char)(0xc0 | *at >> 6);
            *to++ = (char)(0x80 | (*at++ & 63));
        }
    }
    *to = 0;
    return clean;
}

void
lw_json_add(struct lw_json *json, const char *key, struct json_object *value)
{
    struct json_object *to = json->depth ? json->open[json->depth - 1] : NULL;

    if (!to) {
        json_object_put(value);
    } else if (key) {
        char *clean = clean_text(key);

        json_object_object_add(to, clean, value);
        free(clean);
    } else {
        json_object_array_add(to, value);
    }
}

static void
push(struct lw_json *json, struct json_object *value)
{
    if (!value || json->depth == LW_JSON_DEEPEST)
        abort(); /* no memory for a few bytes, or a fault of the caller's */
    json->open[json->depth++] = value;
}

void
lw_json_begin(struct lw_json *json)
{
    lw_json_free(json);
    push(json, json_object_new_object());
}

void
lw_json_open(struct lw_json *json, const char *key, char bracket)
{
    struct json_object *value = bracket == '{' ? json_object_new_object() : json_object_new_array();

    if (json->depth) {
        lw_json_add(json, key, value);
        push(json, value);
    } else {
        json_object_put(value);
    }
}

void
lw_json_close(struct lw_json *json)
{
    if (json->depth)
        json->depth--;
}

void
lw_json_text(struct lw_json *json, const char *key, const char *value)
{
    char *clean = value && json->depth ? clean_text(value) : NULL;

    lw_json_add(json, key, clean ? json_object_new_string(clean) : NULL);
    free(clean);
}

void
lw_json_spelt(struct lw_json *json, const char *key, const char *number)
{
    if (json->depth)
        lw_json_add(json, key, json_object_new_double_s(strtod(number, NULL), number));
}

void
lw_json_number(struct lw_json *json, const char *key, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.9g", value);
    if (isfinite(value))
        lw_json_spelt(json, key, text);
    else
        lw_json_text(json, key, NULL);
}

void
lw_json_integer(struct lw_json *json, const char *key, int64_t value)
{
    if (json->depth)
        lw_json_add(json, key, json_object_new_int64(value));
}

void
lw_json_unsigned(struct lw_json *json, const char *key, uint64_t value)
{
    if (json->depth)
        lw_json_add(json, key, json_object_new_uint64(value));
}

void
lw_json_bool(struct lw_json *json, const char *key, bool value)
{
    if (json->depth)
        lw_json_add(json, key, json_object_new_boolean(value));
}

const char *
lw_json_written(struct lw_json *json, bool lines)
{
    int how = JSON_C_TO_STRING_NOSLASHESCAPE;

    if (!json->open[0])
        return NULL;
    return json_object_to_json_string_ext(
        json->open[0],
        how | (lines ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN));
}

void
lw_json_free(struct lw_json *json)
{
    json_object_put(json->open[0]);
    *json = (struct lw_json){0};
}

struct json_object *
lw_json_read(const char *text, char *error, size_t error_bytes)
{
    struct json_tokener *tokener = json_tokener_new_ex(READ_DEEPEST);
    struct json_object *read = NULL;
    size_t length = strlen(text), at;
    unsigned line = 1;

    if (!tokener)
        abort();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    if (length < INT32_MAX) /* with the 0 behind it, which ends a number that stands alone */
        read = json_tokener_parse_ex(tokener, text, (int)length + 1);
    enum json_tokener_error what = json_tokener_get_error(tokener);
    at = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    if (what == json_tokener_success && read)
        return read;
    json_object_put(read);
    for (size_t i = 0; i < at && i < length; i++)
        line += text[i] == '\n';
    if (error)
        snprintf(error, error_bytes, "line %u: %s", line,
                 what == json_tokener_success    ? "no object or list"
                 : what == json_tokener_continue ? "it ends in the middle"
                                                 : json_tokener_error_desc(what));
    return NULL;
}

struct json_object *
lw_json_get(struct json_object *from, const char *path)
{
    struct json_object *found = NULL;

    return from && !json_pointer_get(from, path, &found) ? found : NULL;
}

const char *
lw_json_get_text(struct json_object *from, const char *path)
{
    struct json_object *found = lw_json_get(from, path);

    return json_object_is_type(found, json_type_string) ? json_object_get_string(found) : "";
}

double
lw_json_get_number(struct json_object *from, const char *path)
{
    struct json_object *found = lw_json_get(from, path);

    return json_object_is_type(found, json_type_double) || json_object_is_type(found, json_type_int)
               ? json_object_get_double(found)
               : NAN;
}

size_t
lw_json_count(struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}
