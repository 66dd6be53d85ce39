/* SPDX-License-Identifier: MIT */
/* --explain --html: the vectorizer's report (docs/explain.md) as a page of its own, without scripts and other
 * files: the source, each line in the colour of the dearest thing that it became. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "src/compiler/report_text.h"
#include "tools/shared/page.h"
#include "cli.h"

/* What became of a line; the later, the dearer. */
enum form { NOTHING, SCALAR, VECTOR, EXCHANGED, DIVERGENT, GATHERED, SERIAL, FORMS };

static const struct {
    const char *class, *name, *what;
} forms[FORMS] = {
    [NOTHING] = {"none", "no code", "declarations, and what was folded away"},
    [SCALAR] = {"scalar", "scalar", "once for all lanes"},
    [VECTOR] = {"vector", "vector", "instructions over all lanes"},
    [EXCHANGED] = {"exchanged", "exchanged", "lanes are shuffled or work together"},
    [DIVERGENT] = {"divergent", "divergent", "lanes part: masks, loops until none is active"},
    [GATHERED] = {"gathered", "gather, scatter", "an address for each lane"},
    [SERIAL] = {"serial", "loop over lanes", "one lane after the other"},
};

/* A note or a line's count, as the report has them; of one file, sorted by line. */
struct entry {
    const char *file, *kind, *text; /* text NULL: a count */
    int64_t line, count;
    size_t order; /* in the report */
};

struct page {
    const struct cli *cli;
    FILE *out;
    struct entry *entries;
    size_t count;
    unsigned lines[FORMS]; /* of the files that were shown */
};

static const struct {
    const char *kind, *word; /* "": any */
    enum form form;
} signs[] = {
    {"serialised", "", SERIAL},
    {"failed", "", SERIAL},
    {"", "lane after lane", SERIAL},
    {"", "each lane in memory", SERIAL},
    {"", "one object per lane", SERIAL},
    {"memory", "gather", GATHERED},
    {"memory", "scatter", GATHERED},
    {"private", "gather", GATHERED},
    {"loop", "", DIVERGENT},
    {"branch", "uniform", SCALAR},
    {"branch", "guarded", VECTOR}, /* a jump; what stands behind it has notes of its own */
    {"branch", "", DIVERGENT},
    {"memory", "shuffles", EXCHANGED},
    {"memory", "of each lane", EXCHANGED},
    {"memory", "compressed", EXCHANGED},
    {"collective", "", EXCHANGED},
    {"scalar", "", SCALAR},
    {"memory", ": uniform", SCALAR},
};

static enum form
form_of(const struct entry *entry)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if ((!*signs[i].kind || !strcmp(signs[i].kind, entry->kind)) &&
            strstr(entry->text ? entry->text : "", signs[i].word))
            return signs[i].form;
    return VECTOR;
}

static int
compare_entries(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    int order = strcmp(a->file, b->file);
    if (!order)
        order = a->line < b->line ? -1 : a->line > b->line;
    return order ? order : a->order < b->order ? -1 : 1;
}

static bool
read_entries(struct page *page, struct json_object *document)
{
    struct json_object *lists[] = {lw_json_get(document, "/notes"), lw_json_get(document, "/lines")};
    size_t room = lw_json_count(lists[0]) + lw_json_count(lists[1]);

    page->entries = calloc(room + 1, sizeof *page->entries);
    for (size_t list = 0; list < 2 && page->entries; list++)
        for (size_t i = 0; i < lw_json_count(lists[list]); i++) {
            struct json_object *from = json_object_array_get_idx(lists[list], i);
            page->entries[page->count] = (struct entry){
                .order = page->count,
                .file = lw_json_get_text(from, "/file"),
                .kind = lw_json_get_text(from, "/kind"),
                .text = list ? NULL : lw_json_get_text(from, "/text"),
                .line = json_object_get_int64(lw_json_get(from, "/line")),
                .count = json_object_get_int64(lw_json_get(from, "/count"))};
            page->count++;
        }
    if (page->entries)
        qsort(page->entries, page->count, sizeof *page->entries, compare_entries);
    return page->entries != NULL;
}

static void
put_text(FILE *out, const char *text)
{
    lw_page_text(out, text, strlen(text));
}

static void
put_notes(FILE *out, const struct entry *entries, size_t count)
{
    int64_t lanes[2] = {0, 0}; /* scalar, vector */

    for (size_t i = 0; i < count; i++) {
        const struct entry *e = &entries[i];
        if (!e->text) {
            lanes[!strcmp(e->kind, "vector")] += e->count;
            continue;
        }
        fprintf(out, "<div class=\"n %s\"><b>%s</b> ", forms[form_of(e)].class, e->kind);
        put_text(out, e->text);
        if (e->count > 1)
            fprintf(out, " &times;%lld", (long long)e->count);
        fprintf(out, "</div>");
    }
    if (lanes[0] + lanes[1])
        fprintf(out, "<div class=\"n\">%lld vector, %lld scalar</div>", (long long)lanes[1],
                (long long)lanes[0]);
}

/* A row; `entries` are those of the line. */
static void
put_line(struct page *page, int64_t line, const char *text, size_t length, const struct entry *entries,
         size_t count)
{
    enum form form = NOTHING;

    for (size_t i = 0; i < count; i++)
        form = form_of(&entries[i]) > form ? form_of(&entries[i]) : form;
    page->lines[form]++;
    fprintf(page->out, "<tr class=\"%s\" title=\"%s\"><td class=\"l\">", forms[form].class, forms[form].name);
    if (line)
        fprintf(page->out, "%lld", (long long)line);
    fprintf(page->out, "</td><td class=\"s\">");
    lw_page_text(page->out, text, length);
    fprintf(page->out, "</td><td>");
    put_notes(page->out, entries, count);
    fprintf(page->out, "</td></tr>\n");
}

/* How many of the entries from `at` on are of the same line. */
static size_t
same_line(const struct entry *at, const struct entry *end)
{
    size_t count = 1;
    while (at + count < end && at[count].line == at->line)
        count++;
    return count;
}

/* All lines of a source file; without it, those that the report names. */
static void
put_source(struct page *page, const char *source, const struct entry *at, const struct entry *end)
{
    for (int64_t line = 1; source && *source; line++) {
        size_t length = strcspn(source, "\n"),
               shown = length && source[length - 1] == '\r' ? length - 1 : length;
        for (; at < end && at->line < line; at += same_line(at, end))
            put_line(page, 0, "(no line)", 9, at, same_line(at, end));
        size_t count = at < end && at->line == line ? same_line(at, end) : 0;
        put_line(page, line, source, shown, at, count);
        at += count;
        source += length + (source[length] == '\n');
    }
    for (; at < end; at += same_line(at, end))
        put_line(page, at->line, "", 0, at, same_line(at, end));
}

static const char *
next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

/* The instructions of the kernel's functions: from the first one's OpFunction to the last one's end. */
static void
put_instructions(struct page *page, const char *text, const struct entry *at, const struct entry *end)
{
    size_t length = 0;
    const char *first = NULL, *last = NULL, *begin = NULL;

    for (const struct entry *e = at; e < end; e++)
        if ((last = lw_report_instruction(text, (unsigned long)e->line, &length)) && !first)
            first = last;
    for (const char *line = text; first && line && line <= first; line = next_line(line))
        if (strstr(line, " OpFunction ") && strstr(line, " OpFunction ") < strchr(line, '\n'))
            begin = line;
    last = last ? strstr(last, "OpFunctionEnd") : NULL;
    for (const char *line = begin; line && last && line < last; line = next_line(line)) {
        const char *offset = strstr(line, " ; 0x"), *stop = strchr(line, '\n');
        int64_t word = offset && offset < stop ? (int64_t)strtoul(offset + 3, NULL, 16) / 4 : 0;
        for (; at < end && at->line < word; at += same_line(at, end))
            put_line(page, at->line, "", 0, at, same_line(at, end));
        size_t count = at < end && at->line == word ? same_line(at, end) : 0;
        put_line(page, word, line, (size_t)((offset && offset < stop ? offset : stop) - line), at, count);
        at += count;
    }
    for (; at < end; at += same_line(at, end))
        put_line(page, at->line, "", 0, at, same_line(at, end));
}

static void
put_file(struct page *page, const struct entry *at, const struct entry *end)
{
    bool words = !strcmp(at->file, "<spirv>");
    char *text = *at->file ? cli_explain_source(page->cli, at->file) : NULL;

    fprintf(page->out, "<h2>");
    put_text(page->out, words ? "SPIR-V" : *at->file ? at->file : "Without a place in the source");
    fprintf(page->out, "</h2>\n<p>%s</p>\n<div class=\"card\"><table>\n",
            words   ? "The module has no line information: its instructions, by word offset."
            : !*at->file || text ? ""
                    : "The file is not at hand: only the lines that the report names are here.");
    if (words)
        put_instructions(page, text, at, end);
    else
        put_source(page, text, at, end);
    fprintf(page->out, "</table></div>\n");
    free(text);
}

static const char style[] =
    "main{max-width:none}table{border-collapse:collapse;width:100%;font:13px/1.5 ui-monospace,'DejaVu Sans "
    "Mono',\n"
    "Menlo,monospace}td{padding:0 10px;vertical-align:top}td.l{color:var(--faint);text-align:right;\n"
    "border-left:4px solid "
    "var(--form,transparent);user-select:none}td.s{white-space:pre}tr{background:var(--tint)}\n"
    ".n{color:var(--soft);font:12px/1.6 system-ui,sans-serif}.n "
    "b{color:var(--form,var(--soft));font-weight:600}\n"
    ".legend i{background:var(--form)}\n"
    ".none{--tint:transparent}.none td.s{color:var(--faint)}\n"
    ".scalar{--form:var(--hand);--tint:transparent}\n"
    ".vector{--form:var(--c2);--tint:color-mix(in srgb,var(--c2) 9%,transparent)}\n"
    ".exchanged{--form:var(--c0);--tint:color-mix(in srgb,var(--c0) 12%,transparent)}\n"
    ".divergent{--form:var(--c3);--tint:color-mix(in srgb,var(--c3) 12%,transparent)}\n"
    ".gathered{--form:var(--c1);--tint:color-mix(in srgb,var(--c1) 15%,transparent)}\n"
    ".serial{--form:var(--bad);--tint:color-mix(in srgb,var(--bad) 18%,transparent)}\n";

static void
put_page(struct page *page, struct json_object *document)
{
    FILE *out = page->out;
    const char *kernel = page->cli->info.name;

    fprintf(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                 "content=\"width=device-width,initial-scale=1\">\n<title>");
    put_text(out, kernel);
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head><body><main>\n<h1>", lw_page_style, style);
    put_text(out, kernel);
    fprintf(out,
            "</h1>\n<p>as %.0f lanes of %s, sub-group size %u. A line has the colour of the dearest thing "
            "that it "
            "became.</p>\n<div class=\"legend\">",
            lw_json_get_number(document, "/lanes"), lw_json_get_text(document, "/isa"),
            lw_kernel_sub_group_size(page->cli->kernel));
    for (unsigned f = FORMS; f-- > SCALAR;)
        fprintf(out, "<span class=\"%s\"><i></i>%s: %s</span>", forms[f].class, forms[f].name, forms[f].what);
    fprintf(out, "</div>\n");
    for (size_t i = 0, next; i < page->count; i = next) {
        for (next = i; next < page->count && !strcmp(page->entries[next].file, page->entries[i].file); next++)
            ;
        put_file(page, page->entries + i, page->entries + next);
    }
    fprintf(out, "<p class=\"legend\">Lines:");
    for (unsigned f = SCALAR; f < FORMS; f++)
        fprintf(out, "<span>%s %u</span>", forms[f].name, page->lines[f]);
    fprintf(out, "</p>\n</main></body></html>\n");
}

bool
cli_explain_html(struct cli *cli, const char *report)
{
    struct json_object *document = lw_json_read(report, NULL, 0);
    struct page page = {.cli = cli};
    bool good = document && read_entries(&page, document);

    if (!good)
        cli_fail(cli, CLI_UNSUPPORTED, "no memory for the report");
    else if (!(page.out = fopen(cli->options.html, "w")))
        good = cli_fail(cli, CLI_USAGE, "cannot write '%s': %s", cli->options.html, strerror(errno));
    if (good) {
        put_page(&page, document);
        bool bad = ferror(page.out);
        if (fclose(page.out) || bad)
            good = cli_fail(cli, CLI_USAGE, "cannot write '%s' whole", cli->options.html);
    }
    free(page.entries);
    json_object_put(document);
    return good;
}
