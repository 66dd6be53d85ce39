/* SPDX-License-Identifier: MIT */
/* Collects the vectorizer's notes and writes them as JSON, see explain.h.
 *
 * Out of memory loses notes, never the compilation.
 *
 * Enters: notes, each about an instruction. Leaves: JSON of them by source line, equal ones counted.
 */
#include "explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
    char *file;
    unsigned line, count;
    const char *kind; /* static text of the caller's */
    char *text;
};

struct lw_report {
    struct note *notes;
    size_t count, room;
};

struct lw_report *
lw_report_create(void)
{
    return calloc(1, sizeof(struct lw_report));
}

void
lw_report_free(struct lw_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->count; i++) {
        free(report->notes[i].file);
        free(report->notes[i].text);
    }
    free(report->notes);
    free(report);
}

/* Takes `text` over; NULL: out of memory. */
static void
add_note(struct lw_report *report, LLVMValueRef instruction, const char *kind, char *text)
{
    if (report->count == report->room) {
        size_t room = report->room ? 2 * report->room : 64;
        struct note *grown = realloc(report->notes, room * sizeof *grown);
        if (!grown) {
            free(text);
            return;
        }
        report->notes = grown;
        report->room = room;
    }
    bool placed = instruction && LLVMIsAInstruction(instruction);
    unsigned length = 0;
    const char *file = placed ? LLVMGetDebugLocFilename(instruction, &length) : NULL;
    struct note n = {
        .kind = kind, .count = 1, .line = placed ? LLVMGetDebugLocLine(instruction) : 0, .text = text};
    n.file = strndup(file ? file : "", file ? length : 0);
    if (!n.file || !n.text) {
        free(n.file);
        free(n.text);
        return;
    }
    report->notes[report->count++] = n;
}

void
lw_report_note(struct lw_report *report, LLVMValueRef instruction, const char *kind, const char *what, ...)
{
    char *text;
    va_list args;
    if (!report)
        return;
    va_start(args, what);
    if (vasprintf(&text, what, args) < 0)
        text = NULL;
    va_end(args);
    add_note(report, instruction, kind, text);
}

void
lw_report_lanes(struct lw_report *report, LLVMValueRef instruction, bool vector)
{
    if (report)
        add_note(report, instruction, vector ? "vector" : "scalar", strdup(""));
}

static int
compare_notes(const void *x, const void *y)
{
    const struct note *a = x, *b = y;
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
    if (order == 0)
        order = strcmp(a->kind, b->kind);
    return order ? order : strcmp(a->text, b->text);
}

static void
write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    fputc('"', out);
}

/* Those of `sorted` that have a text, or those that have none. */
static void
write_notes(FILE *out, const struct note *sorted, size_t count, bool texts)
{
    const char *comma = "";
    for (size_t i = 0, next; i < count; i = next) {
        unsigned times = 0;
        for (next = i; next < count && compare_notes(&sorted[i], &sorted[next]) == 0; next++)
            times += sorted[next].count;
        if (texts != (*sorted[i].text != '\0'))
            continue;
        fprintf(out, "%s{\"file\":", comma);
        comma = ",";
        write_string(out, sorted[i].file);
        fprintf(out, ",\"line\":%u,\"kind\":", sorted[i].line);
        write_string(out, sorted[i].kind);
        if (texts) {
            fprintf(out, ",\"text\":");
            write_string(out, sorted[i].text);
        }
        fprintf(out, ",\"count\":%u}", times);
    }
}

char *
lw_report_json(const struct lw_report *report, const char *kernel, unsigned lanes, const char *isa)
{
    char *json = NULL;
    size_t size, count = report ? report->count : 0;
    struct note *sorted = malloc((count + 1) * sizeof *sorted);
    FILE *out = sorted ? open_memstream(&json, &size) : NULL;
    if (!out) {
        free(sorted);
        return NULL;
    }
    if (count)
        memcpy(sorted, report->notes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_notes);
    fprintf(out, "{\"kernel\":");
    write_string(out, kernel ? kernel : "");
    fprintf(out, ",\"lanes\":%u,\"isa\":", lanes);
    write_string(out, isa ? isa : "");
    fprintf(out, ",\"notes\":[");
    write_notes(out, sorted, count, true);
    fprintf(out, "],\"lines\":[");
    write_notes(out, sorted, count, false);
    fprintf(out, "]}");
    free(sorted);
    if (fclose(out) != 0) {
        free(json);
        return NULL;
    }
    return json;
}
