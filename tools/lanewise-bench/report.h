/* SPDX-License-Identifier: MIT */
/* The ways in which results come out. */
#ifndef LANEWISE_BENCH_REPORT_H
#define LANEWISE_BENCH_REPORT_H

#include <stdio.h>
#include "tools/shared/json.h"
#include "results.h"

/* Speed against an older run's, by kernel; NaN: it has none. */
struct baseline {
    struct json_object *document;
    const char *path;
};
bool baseline_read(struct baseline *baseline, const char *path, char *error, size_t error_bytes);
/* The older median over this one: above 1 is faster. */
double baseline_change(const struct baseline *baseline, const struct results *results,
                       const struct configuration *configuration, const struct row *row);
void baseline_free(struct baseline *baseline);

void table_heading(FILE *out, const struct results *results, const struct configuration *configuration,
                   bool baseline);
void table_group(FILE *out, const char *group);
void table_row(FILE *out, const struct results *results, const struct configuration *configuration,
               const struct row *row, const struct baseline *baseline);
/* Means, figures, and why there are no times where there are none. */
void table_summary(FILE *out, const struct results *results, const struct configuration *configuration,
                   bool verbose);
void table_figures(FILE *out, const struct results *results);

void json_report(struct text *out, const struct results *results, const struct options *options);
void html_report(struct text *out, const struct results *results, const struct options *options,
                 const struct baseline *baseline);

/* 1.234 ms, 12.3 us: three digits and a unit. */
void format_seconds(char *text, size_t bytes, double seconds);
/* "16x16 of 1024x1024" */
void format_shape(char *text, size_t bytes, const struct row *row);
/* GB/s, or GF/s where there are more than 4 operations to a byte; "" where the description counts none. */
void format_rate(char *text, size_t bytes, const struct row *row, double seconds);

#endif
