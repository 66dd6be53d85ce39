/* SPDX-License-Identifier: MIT */
/* JSON, written. */
#include <math.h>
#include "json.h"

static void
add_string(struct text *out, const char *value)
{
    text_add(out, "\"");
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(out, "\\%c", *c);
        else if (*c < 32 || *c >= 127)
            text_add(out, "\\u%04x", *c); /* bytes of platforms' logs are taken for Latin-1 */
        else
            text_add_bytes(out, c, 1);
    }
    text_add(out, "\"");
}

static void
begin(struct json_writer *writer, const char *key)
{
    if (writer->comma)
        text_add(writer->out, ",");
    if (writer->depth)
        text_add(writer->out, "\n%*s", (int)writer->depth, "");
    writer->comma = true;
    if (key) {
        add_string(writer->out, key);
        text_add(writer->out, ": ");
    }
}

void
json_open(struct json_writer *writer, const char *key, char bracket)
{
    begin(writer, key);
    text_add(writer->out, "%c", bracket);
    writer->depth++;
    writer->comma = false;
}

void
json_close(struct json_writer *writer, char bracket)
{
    writer->depth--;
    if (writer->comma)
        text_add(writer->out, "\n%*s", (int)writer->depth, "");
    text_add(writer->out, writer->depth ? "%c" : "%c\n", bracket);
    writer->comma = true;
}

void
json_text(struct json_writer *writer, const char *key, const char *value)
{
    begin(writer, key);
    if (value)
        add_string(writer->out, value);
    else
        text_add(writer->out, "null");
}

void
json_number(struct json_writer *writer, const char *key, double value)
{
    begin(writer, key);
    if (isfinite(value))
        text_add(writer->out, "%.9g", value);
    else
        text_add(writer->out, "null");
}

void
json_integer(struct json_writer *writer, const char *key, long long value)
{
    begin(writer, key);
    text_add(writer->out, "%lld", value);
}

void
json_bool(struct json_writer *writer, const char *key, bool value)
{
    begin(writer, key);
    text_add(writer->out, value ? "true" : "false");
}
