/* SPDX-License-Identifier: MIT */
/* JSON out (--json) and in (the vectorizer's report). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

#define MAX_DEPTH 64 /* of what is read and skipped */

static void
write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 32 || *c == 127)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* The comma and the key before a value; false where nothing is written. */
static bool
begin(struct cli_json *json, const char *key)
{
    if (!json->out)
        return false;
    if (json->comma)
        fputc(',', json->out);
    json->comma = true;
    if (key) {
        write_string(json->out, key);
        fputc(':', json->out);
    }
    return true;
}

void
cli_json_open(struct cli_json *json, const char *key, char bracket)
{
    if (!begin(json, key))
        return;
    fputc(bracket, json->out);
    json->comma = false;
    json->depth++;
}

void
cli_json_close(struct cli_json *json, char bracket)
{
    if (!json->out)
        return;
    fputc(bracket, json->out);
    json->comma = true;
    json->depth--;
}

void
cli_json_string(struct cli_json *json, const char *key, const char *text)
{
    if (!begin(json, key))
        return;
    if (text)
        write_string(json->out, text);
    else
        fputs("null", json->out);
}

void
cli_json_integer(struct cli_json *json, const char *key, int64_t value)
{
    if (begin(json, key))
        fprintf(json->out, "%lld", (long long)value);
}

void
cli_json_unsigned(struct cli_json *json, const char *key, uint64_t value)
{
    if (begin(json, key))
        fprintf(json->out, "%llu", (unsigned long long)value);
}

void
cli_json_real(struct cli_json *json, const char *key, double value)
{
    if (!begin(json, key))
        return;
    if (isfinite(value))
        fprintf(json->out, "%.9g", value);
    else /* JSON has no such numbers */
        fprintf(json->out, "\"%s\"", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

void
cli_json_bool(struct cli_json *json, const char *key, bool value)
{
    if (begin(json, key))
        fputs(value ? "true" : "false", json->out);
}

void
cli_json_bits(struct cli_json *json, const struct cli_type *type, uint64_t bits)
{
    char text[32];
    if (!begin(json, NULL))
        return;
    cli_format_bits(type, bits, text);
    bool quoted = type->kind == 'f' && strpbrk(text, "ni") != NULL; /* nan, inf */
    fprintf(json->out, quoted ? "\"%s\"" : "%s", text);
}

void
cli_json_raw(struct cli_json *json, const char *key, const char *text)
{
    if (begin(json, key))
        fputs(text, json->out);
}

static void
skip_space(struct cli_cursor *cursor)
{
    cursor->at += strspn(cursor->at, " \t\r\n");
}

bool
cli_cursor_enter(struct cli_cursor *cursor, char bracket)
{
    skip_space(cursor);
    if (*cursor->at != bracket)
        return false;
    cursor->at++;
    return true;
}

/* Past a comma; false at a closing bracket (stepped over) or the end of the text. */
static bool
next_member(struct cli_cursor *cursor)
{
    skip_space(cursor);
    if (*cursor->at == ',') {
        cursor->at++;
        skip_space(cursor);
    }
    if (*cursor->at == '}' || *cursor->at == ']') {
        cursor->at++;
        return false;
    }
    return *cursor->at != 0;
}

bool
cli_cursor_item(struct cli_cursor *cursor)
{
    return next_member(cursor);
}

bool
cli_cursor_key(struct cli_cursor *cursor, char *key, size_t size)
{
    if (!next_member(cursor) || *cursor->at != '"')
        return false;
    cli_cursor_text(cursor, key, size);
    skip_space(cursor);
    if (*cursor->at != ':')
        return false;
    cursor->at++;
    return true;
}

void
cli_cursor_text(struct cli_cursor *cursor, char *out, size_t size)
{
    size_t n = 0;

    skip_space(cursor);
    const char *c = cursor->at;
    if (*c != '"') {
        while (*c && !strchr(",]} \t\r\n", *c)) {
            if (out && n + 1 < size)
                out[n++] = *c;
            c++;
        }
    } else {
        for (c++; *c && *c != '"'; c++) {
            char byte = *c;
            if (*c == '\\') {
                if (!*++c)
                    break;
                byte = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
                if (*c == 'u' && strlen(c) > 4) {
                    char digits[5] = {c[1], c[2], c[3], c[4], 0};
                    unsigned long code = strtoul(digits, NULL, 16);
                    byte = code < 128 ? (char)code : '?';
                    c += 4;
                }
            }
            if (out && n + 1 < size)
                out[n++] = byte;
        }
        c += *c == '"';
    }
    if (size)
        out[n] = 0;
    cursor->at = c;
}

void
cli_cursor_skip(struct cli_cursor *cursor)
{
    unsigned depth = 0;

    skip_space(cursor);
    do {
        if (*cursor->at == '{' || *cursor->at == '[') {
            depth++;
            cursor->at++;
        } else if (*cursor->at == '}' || *cursor->at == ']') {
            depth--;
            cursor->at++;
        } else if (*cursor->at == ',' || *cursor->at == ':') {
            cursor->at++;
        } else {
            cli_cursor_text(cursor, NULL, 0);
        }
        skip_space(cursor);
    } while (depth > 0 && depth < MAX_DEPTH && *cursor->at);
}
