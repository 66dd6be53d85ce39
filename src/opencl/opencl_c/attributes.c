/* SPDX-License-Identifier: MIT */
/* Attributes of kernels as their OpenCL C declares them, for CL_KERNEL_ATTRIBUTES.
 *
 * SPIR-V has no place for most of them, for the sign of a vector's hint, or for their order. What the
 * program's text has is written into the module when it is compiled, as the string
 * "kernel_attributes.NAME.TEXT", one attribute a line. The text is not preprocessed: what the module knows
 * counts where they differ.
 */
#include "../objects.h"
#include "../../../spirv/module.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Reading the text ---- */

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind blanks, comments and the preprocessor's lines. */
static const char *
skip_blanks(const char *at, bool line_begins)
{
    for (;; at++) {
        if (at[0] == '\n') {
            line_begins = true;
        } else if ((line_begins && at[0] == '#') || (at[0] == '/' && at[1] == '/')) {
            while (at[1] && !(at[1] == '\n' && *at != '\\'))
                at++;
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 1 : at + strlen(at) - 1;
        } else if (!isspace((unsigned char)*at)) {
            return at;
        }
    }
}

static size_t
token_length(const char *at)
{
    size_t length = 0;
    if (*at == '"' || *at == '\'') {
        for (length = 1; at[length] && at[length] != *at; length++)
            length += at[length] == '\\' && at[length + 1];
        return at[length] ? length + 1 : length;
    }
    while (is_word(at[length]))
        length++;
    return length ? length : *at != '\0';
}

static bool
is_token(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(at, word, length) == 0;
}

/* The token behind the one at `at`; `length` is that of the old one, then of the new one. */
static const char *
next_token(const char *at, size_t *length)
{
    at = skip_blanks(at + *length, false);
    *length = token_length(at);
    return at;
}

/* From an opening parenthesis to the closing one, or the end. */
static const char *
skip_parentheses(const char *at, size_t *length)
{
    for (size_t depth = 0; *at; at = next_token(at, length)) {
        depth += *at == '(';
        if (*at == ')' && --depth == 0)
            break;
    }
    return at;
}

/* Adds the attributes of "((a, b(1, 2)))", without blanks, each with a line's end. */
static void
take_list(const char *at, const char *end, char *text, size_t size)
{
    size_t used = strlen(text), depth = 0, length = 0, start = used;
    for (at = next_token(at, &length); at < end; at = next_token(at, &length)) {
        depth += *at == '(';
        depth -= *at == ')';
        bool ends = (*at == ',' && depth == 2) || (*at == ')' && depth == 1);
        if (used + length + 3 > size)
            break;
        if (ends) {
            if (used > start)
                text[used++] = '\n';
            text[used] = '\0';
            start = used;
            continue;
        }
        if (depth <= 2 && *at == '(')
            continue; /* the list's own */
        if (used > start && is_word(text[used - 1]) && is_word(*at))
            text[used++] = ' ';
        memcpy(text + used, at, length);
        used += length;
    }
    text[start] = '\0';
}

bool
lw_cl_next_attributes(const char **source, char *name, size_t name_size, char *text, size_t text_size)
{
    size_t length = 0, depth = 0, word_length = 0;
    const char *word = NULL;
    bool kernel = false;
    *name = *text = '\0';
    for (const char *at = skip_blanks(*source, true); *at; at = next_token(at, &length)) {
        length = token_length(at);
        if (*at == ';' || *at == '{' || *at == '}') {
            if (depth == 0 && kernel && *name && *text) {
                *source = at; /* a body is passed over by the next call */
                return true;
            }
            depth += *at == '{';
            depth -= *at == '}' && depth;
            kernel = false;
            *name = *text = '\0';
        } else if (depth == 0 && *at == '(') {
            if (kernel && !*name && word && word_length < name_size) {
                memcpy(name, word, word_length);
                name[word_length] = '\0';
            }
            at = skip_parentheses(at, &length);
        } else if (depth == 0 && (is_token(at, length, "kernel") || is_token(at, length, "__kernel"))) {
            kernel = true;
        } else if (depth == 0 &&
                   (is_token(at, length, "__attribute__") || is_token(at, length, "__attribute"))) {
            const char *list = next_token(at, &length);
            at = skip_parentheses(list, &length);
            take_list(list, at, text, text_size);
        } else if (is_word(*at)) {
            word = at;
            word_length = length;
        }
    }
    return false;
}

/* ---- Answering ---- */

/* VecTypeHint's operand: a type in the low half, how many in the high one. */
static void
write_vector_hint(const lw_kernel *kernel, char *out, size_t size)
{
    static const char *const types[] = {"char", "short", "int", "long", "half", "float", "double"};
    const lw_module *m = kernel->build->module;
    uint32_t function = m->functions[kernel->desc->function].id;
    for (uint32_t i = lw_first_mode(m, function); i < m->mode_count; i++) {
        const struct lw_inst *inst = &m->insts[m->modes[i]];
        if (lw_word(m, inst, 1) != function)
            return;
        uint32_t hint = lw_word(m, inst, 3);
        if (lw_word(m, inst, 2) != SpvExecutionModeVecTypeHint ||
            (hint & 0xffff) >= sizeof types / sizeof types[0])
            continue;
        if (hint >> 16 > 1)
            snprintf(out, size, "vec_type_hint(%s%u)", types[hint & 0xffff], hint >> 16);
        else
            snprintf(out, size, "vec_type_hint(%s)", types[hint & 0xffff]);
    }
}

enum { KINDS = 4 }; /* that the module knows */
#define VECTOR_KIND 2

struct answer {
    char known[KINDS][80];
    char text[4096];
};

static void
read_known(const lw_kernel *kernel, struct answer *answer)
{
    const lw_kernel_info *info = &kernel->desc->info;
    const uint32_t *local = info->required_local_size, *hint = info->local_size_hint;
    const size_t size = sizeof answer->known[0];
    if (local[0])
        snprintf(answer->known[0], size, "reqd_work_group_size(%u,%u,%u)", local[0], local[1], local[2]);
    if (hint[0])
        snprintf(answer->known[1], size, "work_group_size_hint(%u,%u,%u)", hint[0], hint[1], hint[2]);
    write_vector_hint(kernel, answer->known[VECTOR_KIND], size);
    if (info->required_sub_group_size)
        snprintf(answer->known[3], size, "intel_reqd_sub_group_size(%u)", info->required_sub_group_size);
}

/* Once. */
static void
append(struct answer *answer, const char *text, size_t length)
{
    size_t used = strlen(answer->text);
    for (const char *at = answer->text; *at; at += strcspn(at, "\n"), at += *at != '\0')
        if (strcspn(at, "\n") == length && strncmp(at, text, length) == 0)
            return;
    if (used + length + 2 > sizeof answer->text)
        return;
    if (used)
        answer->text[used++] = '\n';
    memcpy(answer->text + used, text, length);
    answer->text[used + length] = '\0';
}

/* The module tells the type of a vector without its sign. */
static bool
is_unsigned_of(const char *text, size_t length, const char *known)
{
    const size_t head = strlen("vec_type_hint(");
    return length == strlen(known) + 1 && length > head && text[head] == 'u' &&
           strncmp(text + head + 1, known + head, length - head - 1) == 0;
}

static void
append_declared(struct answer *answer, const char *text, size_t length)
{
    static const char *const heads[KINDS] = {"reqd_work_group_size(", "work_group_size_hint(",
                                             "vec_type_hint(", "intel_reqd_sub_group_size("};
    for (unsigned k = 0; k < KINDS; k++)
        if (strncmp(text, heads[k], strlen(heads[k])) == 0) {
            if (k == VECTOR_KIND && is_unsigned_of(text, length, answer->known[k]))
                append(answer, text, length);
            else if (*answer->known[k])
                append(answer, answer->known[k], strlen(answer->known[k]));
            *answer->known[k] = '\0'; /* said */
            return;
        }
    append(answer, text, length);
}

cl_int
lw_cl_answer_attributes(cl_kernel kernel, const struct lw_cl_answer *to)
{
    const lw_module *m = kernel->kernel->build->module;
    const char *name = lw_kernel_name(kernel->kernel);
    const size_t head = strlen(LW_CL_ATTRIBUTES), length = strlen(name);
    enum lw_cl_origin origin = kernel->program->origin;
    struct answer answer = {.text = ""};
    if (origin != LW_CL_FROM_SOURCE && origin != LW_CL_FROM_LINK)
        return lw_cl_answer_text(to, "");
    read_known(kernel->kernel, &answer);
    for (uint32_t i = 0; i < m->global_count; i++) {
        const char *text = m->insts[i].op == SpvOpString ? lw_string_at(m, m->insts[i].at + 2) : "";
        if (strncmp(text, LW_CL_ATTRIBUTES, head) != 0 || strncmp(text + head, name, length) != 0 ||
            text[head + length] != '.')
            continue;
        for (text += head + length + 1; *text; text += strcspn(text, "\n"), text += *text != '\0')
            append_declared(&answer, text, strcspn(text, "\n"));
    }
    for (unsigned k = 0; k < KINDS; k++)
        if (*answer.known[k])
            append(&answer, answer.known[k], strlen(answer.known[k]));
    for (char *at = answer.text; (at = strchr(at, '\n'));)
        *at = ' ';
    return lw_cl_answer_text(to, answer.text);
}
