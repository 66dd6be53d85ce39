/* SPDX-License-Identifier: MIT */
/* Medians, as a table and as JSON. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

struct summary {
    double median, least, most;
};

/* false: it was not measured. */
static bool
summarise(const struct cell *cell, struct summary *out)
{
    if (!cell->count)
        return false;
    qsort(cell->values, cell->count, sizeof *cell->values, by_value);
    *out = (struct summary){
        .median = (cell->values[(cell->count - 1) / 2] + cell->values[cell->count / 2]) / 2,
        .least = cell->values[0],
        .most = cell->values[cell->count - 1],
    };
    return true;
}

static const char *
name_of(const struct column *column)
{
    return column->name ? column->name : column->platform[0] ? column->platform : "?";
}

void
print_table(FILE *out, const struct column *columns, unsigned count)
{
    struct summary s;
    fprintf(out, "%-14s %-4s %8s", "figure", "", "goal");
    for (unsigned c = 0; c < count; c++)
        fprintf(out, " %12.12s %8s", name_of(&columns[c]), "spread");
    fputc('\n', out);
    for (unsigned i = 0; i < figure_count; i++) {
        bool any = false;
        for (unsigned c = 0; c < count; c++)
            any |= columns[c].cells[i].count != 0;
        if (!any)
            continue;
        fprintf(out, "%-14s %-4s ", figures[i].name, figures[i].unit);
        if (figures[i].goal > 0)
            fprintf(out, "%8.4g", figures[i].goal);
        else
            fprintf(out, "%8s", "");
        for (unsigned c = 0; c < count; c++)
            if (summarise(&columns[c].cells[i], &s))
                fprintf(out, " %12.3f %8.3f", s.median, s.most - s.least);
            else
                fprintf(out, " %12s %8s", "-", "");
        fputc('\n', out);
    }
    for (unsigned c = 0; c < count; c++)
        if (columns[c].error[0])
            fprintf(out, "%s: %s\n", name_of(&columns[c]), columns[c].error);
}

static void
write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else
            fprintf(out, *c < 32 ? "\\u%04x" : "%c", *c);
    fputc('"', out);
}

static void
write_figures(FILE *out, const struct column *column)
{
    struct summary s;
    const char *comma = "";
    for (unsigned i = 0; i < figure_count; i++)
        if (summarise(&column->cells[i], &s)) {
            fprintf(out, "%s\n    \"%s\": {\"unit\": \"%s\", \"median\": %.6g, \"min\": %.6g, \"max\": %.6g}",
                    comma, figures[i].name, figures[i].unit, s.median, s.least, s.most);
            comma = ",";
        }
}

/* {"rounds": 5, "platforms": [{"name": ..., "platform": ..., "version": ..., "error": null,
 *   "figures": {"empty": {"unit": "us", "median": 1.0, "min": 0.9, "max": 1.2}, ...}}, ...]} */
void
print_json(FILE *out, const struct column *columns, unsigned count, unsigned rounds)
{
    fprintf(out, "{\"rounds\": %u, \"platforms\": [", rounds);
    for (unsigned c = 0; c < count; c++) {
        const struct column *column = &columns[c];
        fprintf(out, "%s\n  {\"name\": ", c ? "," : "");
        write_text(out, name_of(column));
        fputs(", \"platform\": ", out);
        write_text(out, column->platform);
        fputs(", \"version\": ", out);
        write_text(out, column->version);
        fputs(", \"error\": ", out);
        if (column->error[0])
            write_text(out, column->error);
        else
            fputs("null", out);
        fputs(",\n   \"figures\": {", out);
        write_figures(out, column);
        fputs("}}", out);
    }
    fputs("]}\n", out);
}
