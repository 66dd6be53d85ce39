/* SPDX-License-Identifier: MIT */
/* --explain: the vectorizer's report (docs/explain.md) as text, beside the source lines where they are found.
 */
#include <stdlib.h>
#include <string.h>
#include "spirv/text.h"
#include "cli.h"

#define MAX_SOURCE ((size_t)16 << 20)

/* The source file that the last notes came from; notes are sorted, so one is enough. For notes by word
 * offset: the disassembled module. */
struct source {
    const char *file; /* the report's */
    int64_t line;     /* of the last note */
    char *text;
    bool words;
};

char *
cli_explain_source(const struct cli *cli, const char *file)
{
    if (!strcmp(file, "<spirv>"))
        return lw_text_disassemble((const uint32_t *)(const void *)cli->module, cli->module_size / 4);
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

static void
load_source(const struct cli *cli, struct source *source, const char *file)
{
    free(source->text);
    source->words = !strcmp(file, "<spirv>");
    source->text = cli_explain_source(cli, file);
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

/* The line that ends in its byte offset. */
const char *
cli_explain_instruction(const char *text, unsigned long word, size_t *length)
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

static void
print_instruction(FILE *out, const struct source *source, unsigned long word)
{
    size_t length = 0;
    const char *text = cli_explain_instruction(source->text, word, &length);

    for (; length && *text == ' '; length--)
        text++;
    if (text)
        fprintf(out, " %.*s", (int)length, text);
}

/* What begins a place: the file's name where it is another one, and the line itself. */
static void
print_place(const struct cli *cli, struct source *source, const char *file, int64_t line)
{
    FILE *out = cli->text;

    if (!source->file || strcmp(file, source->file)) {
        fprintf(out, "%s\n",
                !strcmp(file, "<spirv>") ? "by SPIR-V word offset (the module has no line information)"
                : *file                  ? file
                                         : "(no source location)");
        load_source(cli, source, file);
        source->line = -1;
        source->file = file;
    }
    if (line == source->line)
        return;
    source->line = line;
    if (line)
        fprintf(out, "%6lld |", (long long)line);
    else
        fprintf(out, "%6s |", "-");
    if (source->words)
        print_instruction(out, source, (unsigned long)line);
    else
        print_source_line(out, source, (unsigned long)line);
    fprintf(out, "\n");
}

void
cli_explain_print(struct cli *cli, const char *report)
{
    struct json_object *document = lw_json_read(report, NULL, 0), *notes = lw_json_get(document, "/notes");
    struct source source = {.line = -1};

    if (!document)
        return;
    fprintf(cli->text, "kernel %s as %.0f lanes of %s, sub-group size %u\n", cli->info.name,
            lw_json_get_number(document, "/lanes"), lw_json_get_text(document, "/isa"),
            lw_kernel_sub_group_size(cli->kernel));
    for (size_t i = 0; i < lw_json_count(notes); i++) {
        struct json_object *note = json_object_array_get_idx(notes, i);
        int64_t count = json_object_get_int64(lw_json_get(note, "/count"));

        print_place(cli, &source, lw_json_get_text(note, "/file"),
                    json_object_get_int64(lw_json_get(note, "/line")));
        fprintf(cli->text, "       |   %-10s %s", lw_json_get_text(note, "/kind"),
                lw_json_get_text(note, "/text"));
        if (count > 1)
            fprintf(cli->text, "  (x%lld)", (long long)count);
        fprintf(cli->text, "\n");
    }
    free(source.text);
    json_object_put(document);
}
