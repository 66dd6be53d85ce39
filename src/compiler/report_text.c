/* SPDX-License-Identifier: MIT */
/* The vectorizer's report (docs/explain.md) as text, beside the source lines where they are found.
 *
 * The report is read as vectorizer/widen/explain.c writes it, so that the runtime needs no reader of JSON.
 */
#include "report_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE ((size_t)16 << 20)

struct note {
    char *file, *kind, *text; /* malloc'd */
    unsigned long line, count;
};

/* The source file that the last notes came from; notes are sorted, so one is enough. */
struct place {
    FILE *out;
    lw_report_source *source;
    const void *data;
    char *file; /* malloc'd; NULL: none yet */
    char *text;
    unsigned long line; /* of the last note */
};

/* ---- reading ---- */

/* Past `word`, which must be there. */
static bool
skip(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* A string, malloc'd. */
static char *
read_string(const char **at)
{
    const char *c = *at;
    char *text = *c == '"' ? malloc(strlen(c)) : NULL;
    size_t length = 0;
    if (!text)
        return NULL;
    for (c++; *c && *c != '"'; c++) {
        unsigned code;
        if (c[0] == '\\' && c[1] == 'u' && sscanf(c + 2, "%4x", &code) == 1) {
            text[length++] = (char)code;
            c += 5;
        } else {
            c += *c == '\\' && c[1];
            text[length++] = *c;
        }
    }
    text[length] = 0;
    *at = c + (*c == '"');
    return text;
}

static unsigned long
read_number(const char **at)
{
    char *end;
    unsigned long number = strtoul(*at, &end, 10);
    *at = end;
    return number;
}

static void
free_note(struct note *note)
{
    free(note->file);
    free(note->kind);
    free(note->text);
}

static bool
read_note(const char **at, struct note *note)
{
    *note = (struct note){0};
    if (skip(at, "{\"file\":") && (note->file = read_string(at)) && skip(at, ",\"line\":")) {
        note->line = read_number(at);
        if (skip(at, ",\"kind\":") && (note->kind = read_string(at)) && skip(at, ",\"text\":") &&
            (note->text = read_string(at)) && skip(at, ",\"count\":")) {
            note->count = read_number(at);
            if (skip(at, "}"))
                return true;
        }
    }
    free_note(note);
    return false;
}

/* ---- where ---- */

char *
lw_report_read_file(const char *file)
{
    FILE *in = fopen(file, "r");
    char *text = in ? malloc(MAX_SOURCE + 1) : NULL;
    if (text) {
        size_t n = fread(text, 1, MAX_SOURCE, in);
        text[n] = 0;
        char *shrunk = realloc(text, n + 1);
        text = shrunk ? shrunk : text;
    }
    if (in)
        fclose(in);
    return text;
}

const char *
lw_report_instruction(const char *text, unsigned long word, size_t *length)
{
    char offset[32];

    snprintf(offset, sizeof offset, " ; 0x%08lx\n", word * 4);
    const char *end = text ? strstr(text, offset) : NULL, *begin = end;
    if (!end)
        return NULL;
    while (begin > text && begin[-1] != '\n')
        begin--;
    *length = (size_t)(end - begin);
    return begin;
}

/* A line of the source without its indentation; an instruction, where the "line" is a word. */
static const char *
find_line(const struct place *place, unsigned long line, size_t *length)
{
    const char *at = place->text;
    if (!strcmp(place->file, "<spirv>"))
        at = lw_report_instruction(place->text, line, length);
    else {
        for (unsigned long i = 1; at && i < line; i++)
            at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        *length = at ? strcspn(at, "\r\n") : 0;
    }
    for (; at && *length && (*at == ' ' || *at == '\t'); at++)
        --*length;
    return at;
}

/* What begins a place: the file's name where it is another one, and the line itself. */
static void
print_place(struct place *place, struct note *note)
{
    size_t length = 0;
    bool moved = !place->file || strcmp(note->file, place->file) != 0;
    if (moved) {
        free(place->file);
        free(place->text);
        place->file = note->file;
        note->file = NULL;
        place->text = *place->file ? place->source(place->data, place->file) : NULL;
        fprintf(place->out, "%s\n",
                !strcmp(place->file, "<spirv>") ? "by SPIR-V word offset (the module has no line information)"
                : *place->file                  ? place->file
                                                : "(no source location)");
    }
    if (!moved && note->line == place->line)
        return;
    place->line = note->line;
    const char *text = note->line ? find_line(place, note->line, &length) : NULL;
    if (note->line)
        fprintf(place->out, "%6lu |", note->line);
    else
        fprintf(place->out, "%6s |", "-");
    fprintf(place->out, "%s%.*s\n", text ? " " : "", (int)length, text ? text : "");
}

void
lw_report_print(FILE *out, const char *report, lw_report_source *source, const void *data)
{
    struct place place = {.out = out, .source = source, .data = data};
    struct note note;
    const char *at = strstr(report, "\"notes\":[");
    if (!at)
        return;
    for (at += strlen("\"notes\":["); read_note(&at, &note); at += *at == ',') {
        print_place(&place, &note);
        fprintf(out, "       |   %-10s %s", note.kind, note.text);
        if (note.count > 1)
            fprintf(out, "  (x%lu)", note.count);
        fputc('\n', out);
        free_note(&note);
    }
    free(place.file);
    free(place.text);
}

void
lw_report_quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}
