/* SPDX-License-Identifier: MIT */
/* Integer expressions: recursive descent, with a bound on the depth and checked arithmetic. */
#include "expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

struct parser {
    const char *at;
    const struct expression_name *names;
    size_t count;
    char *error;
    size_t error_bytes;
    unsigned depth;
};

static bool parse_sum(struct parser *parser, int64_t *value);

static bool
refuse(struct parser *parser, const char *what, const char *at, int length)
{
    snprintf(parser->error, parser->error_bytes, "%s%s%.*s%s", what, length ? " '" : "", length, at,
             length ? "'" : "");
    return false;
}

static char
peek(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
    return *parser->at;
}

static bool
parse_name(struct parser *parser, int64_t *value)
{
    const char *start = parser->at;
    size_t length;

    while (isalnum((unsigned char)*parser->at) || *parser->at == '_')
        parser->at++;
    length = (size_t)(parser->at - start);
    for (size_t i = 0; i < parser->count; i++)
        if (strlen(parser->names[i].name) == length && !strncmp(parser->names[i].name, start, length)) {
            *value = parser->names[i].value;
            return true;
        }
    return refuse(parser, "unknown name", start, (int)(length < 60 ? length : 60));
}

static bool
parse_operand(struct parser *parser, int64_t *value)
{
    char next = peek(parser);
    char *end;

    if (++parser->depth > MAX_DEPTH)
        return refuse(parser, "the expression is nested too deeply", "", 0);
    if (next == '(') {
        parser->at++;
        if (!parse_sum(parser, value))
            return false;
        if (peek(parser) != ')')
            return refuse(parser, "a ')' is missing", "", 0);
        parser->at++;
    } else if (next == '-') {
        parser->at++;
        if (!parse_operand(parser, value))
            return false;
        if (__builtin_sub_overflow((int64_t)0, *value, value))
            return refuse(parser, "the value does not fit 64 bits", "", 0);
    } else if (isdigit((unsigned char)next)) {
        errno = 0;
        *value = strtoll(parser->at, &end, 0);
        if (errno)
            return refuse(parser, "the number does not fit 64 bits", "", 0);
        parser->at = end;
    } else if (isalpha((unsigned char)next) || next == '_') {
        if (!parse_name(parser, value))
            return false;
    } else {
        return next ? refuse(parser, "a number, name or '(' is expected, not", parser->at, 1)
                    : refuse(parser, "the expression ends where a number is expected", "", 0);
    }
    parser->depth--;
    return true;
}

static bool
parse_product(struct parser *parser, int64_t *value)
{
    int64_t right;

    if (!parse_operand(parser, value))
        return false;
    for (char next; (next = peek(parser)) == '*' || next == '/' || next == '%';) {
        parser->at++;
        if (!parse_operand(parser, &right))
            return false;
        if (next == '*') {
            if (__builtin_mul_overflow(*value, right, value))
                return refuse(parser, "the value does not fit 64 bits", "", 0);
        } else if (right == 0) {
            return refuse(parser, "division by zero", "", 0);
        } else if (right == -1) {
            if (next == '%')
                *value = 0;
            else if (__builtin_sub_overflow((int64_t)0, *value, value))
                return refuse(parser, "the value does not fit 64 bits", "", 0);
        } else {
            *value = next == '/' ? *value / right : *value % right;
        }
    }
    return true;
}

static bool
parse_sum(struct parser *parser, int64_t *value)
{
    int64_t right;

    if (!parse_product(parser, value))
        return false;
    for (char next; (next = peek(parser)) == '+' || next == '-';) {
        parser->at++;
        if (!parse_product(parser, &right))
            return false;
        if (next == '+' ? __builtin_add_overflow(*value, right, value)
                        : __builtin_sub_overflow(*value, right, value))
            return refuse(parser, "the value does not fit 64 bits", "", 0);
    }
    return true;
}

bool
expression_evaluate(const char *text, const struct expression_name *names, size_t count, int64_t *value,
                    char *error, size_t error_bytes)
{
    struct parser parser = {text, names, count, error, error_bytes, 0};

    if (!parse_sum(&parser, value))
        return false;
    if (peek(&parser))
        return refuse(&parser, "not understood:", parser.at, (int)strnlen(parser.at, 20));
    return true;
}
