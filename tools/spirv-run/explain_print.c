/* SPDX-License-Identifier: MIT */
/* --explain: the vectorizer's report (docs/explain.md) as text, beside the source lines where they are found.
 */
#include <stdlib.h>
#include <string.h>
#include "spirv/text.h"
#include "cli.h"

#define MAX_SOURCE ((size_t)16 << 20)

struct note {
    char file[512], line[16], kind[32], text[400], count[16];
};

/* The source file that the last notes came from; notes are sorted, so one is enough. For notes by word
 * offset: the disassembled module. */
struct source {
    char *text;
    bool words;
};

static void
load_source(const struct cli *cli, struct source *source, const char *file)
{
    free(source->text);
    source->text = NULL;
    source->words = !strcmp(file, "<spirv>");
    if (source->words) {
        source->text = lw_text_disassemble((const uint32_t *)(const void *)cli->module, cli->module_size / 4);
        return;
    }
    FILE *in = fopen(file, "r");
    if (!in)
        return;
    char *text = malloc(MAX_SOURCE + 1);
    if (text) {
        size_t n = fread(text, 1, MAX_SOURCE, in);
        text[n] = 0;
        source->text = realloc(text, n + 1);
        if (!source->text)
            source->text = text;
    }
    fclose(in);
}

/* The line's text without its indentation, or nothing where the file is not at hand. */
static void
print_source_line(FILE *out, const struct source *source, unsigned long line)
{
    const char *at = source->text;

    for (unsigned long i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        if (at)
            at++;
    }
    if (!at)
        return;
    at += strspn(at, " \t");
    fprintf(out, " %.*s", (int)strcspn(at, "\r\n"), at);
}

/* The instruction at word `word`: the line that ends in its byte offset. */
static void
print_instruction(FILE *out, const struct source *source, unsigned long word)
{
    char offset[32];

    snprintf(offset, sizeof offset, " ; 0x%08lx\n", word * 4);
    const char *end = source->text ? strstr(source->text, offset) : NULL, *begin = end;
    if (!end)
        return;
    while (begin > source->text && begin[-1] != '\n')
        begin--;
    begin += strspn(begin, " ");
    fprintf(out, " %.*s", (int)(end - begin), begin);
}

static bool
read_note(struct cli_cursor *cursor, struct note *note)
{
    char key[32];

    memset(note, 0, sizeof *note);
    if (!cli_cursor_enter(cursor, '{')) {
        cli_cursor_skip(cursor);
        return false;
    }
    while (cli_cursor_key(cursor, key, sizeof key)) {
        if (!strcmp(key, "file"))
            cli_cursor_text(cursor, note->file, sizeof note->file);
        else if (!strcmp(key, "line"))
            cli_cursor_text(cursor, note->line, sizeof note->line);
        else if (!strcmp(key, "kind"))
            cli_cursor_text(cursor, note->kind, sizeof note->kind);
        else if (!strcmp(key, "text"))
            cli_cursor_text(cursor, note->text, sizeof note->text);
        else if (!strcmp(key, "count"))
            cli_cursor_text(cursor, note->count, sizeof note->count);
        else
            cli_cursor_skip(cursor);
    }
    return true;
}

static void
print_notes(const struct cli *cli, FILE *out, struct cli_cursor *cursor)
{
    struct source source = {NULL, false};
    char last_file[512] = "", last_line[16] = "";
    struct note note;

    if (!cli_cursor_enter(cursor, '[')) {
        cli_cursor_skip(cursor);
        return;
    }
    while (cli_cursor_item(cursor)) {
        if (!read_note(cursor, &note))
            continue;
        bool words = !strcmp(note.file, "<spirv>");
        if (strcmp(note.file, last_file)) {
            fprintf(out, "%s\n",
                    words        ? "by SPIR-V word offset (the module has no line information)"
                    : *note.file ? note.file
                                 : "(no source location)");
            load_source(cli, &source, note.file);
            *last_line = 0;
            strcpy(last_file, note.file);
        }
        if (strcmp(note.line, last_line)) {
            fprintf(out, "%6s |", strcmp(note.line, "0") ? note.line : "-");
            if (source.words)
                print_instruction(out, &source, strtoul(note.line, NULL, 10));
            else
                print_source_line(out, &source, strtoul(note.line, NULL, 10));
            fprintf(out, "\n");
            strcpy(last_line, note.line);
        }
        fprintf(out, "       |   %-10s %s", note.kind, note.text);
        if (*note.count && strcmp(note.count, "1"))
            fprintf(out, "  (x%s)", note.count);
        fprintf(out, "\n");
    }
    free(source.text);
}

void
cli_explain_print(struct cli *cli, const char *report)
{
    struct cli_cursor cursor = {report}, notes = {NULL};
    char key[32], lanes[16] = "?", isa[32] = "?";

    if (!cli_cursor_enter(&cursor, '{'))
        return;
    while (cli_cursor_key(&cursor, key, sizeof key)) {
        if (!strcmp(key, "lanes")) {
            cli_cursor_text(&cursor, lanes, sizeof lanes);
        } else if (!strcmp(key, "isa")) {
            cli_cursor_text(&cursor, isa, sizeof isa);
        } else {
            if (!strcmp(key, "notes"))
                notes = cursor;
            cli_cursor_skip(&cursor);
        }
    }
    fprintf(cli->text, "kernel %s as %s lanes of %s, sub-group size %u\n", cli->info.name, lanes, isa,
            lw_kernel_sub_group_size(cli->kernel));
    if (notes.at)
        print_notes(cli, cli->text, &notes);
}
