/* SPDX-License-Identifier: MIT */
/* The table on the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

#define NAME_WIDTH 26

static bool
is_peer(const struct results *results, unsigned target)
{
    return (int)target != results->subject && (int)target != results->limit;
}

void
table_heading(FILE *out, const struct results *results, const struct configuration *configuration,
              bool baseline)
{
    if (configuration->label)
        fprintf(out, "\n==== %s\n", configuration->label);
    fprintf(out, "%-*s %13.13s  +-%% ", NAME_WIDTH, "kernel", results->targets[results->subject].label);
    if (results->limit >= 0)
        fprintf(out, " %9s %5s", "by hand", "share");
    for (unsigned t = 0; t < results->target_count; t++)
        if (is_peer(results, t))
            fprintf(out, " %10.10s %7s", results->targets[t].label, "ratio");
    fprintf(out, baseline ? "  change\n" : "\n");
    fflush(out);
}

void
table_group(FILE *out, const char *group)
{
    fprintf(out, "-- %s\n", group);
}

static void
time_or_word(char *text, size_t bytes, const struct outcome *outcome)
{
    if (outcome->status == OUTCOME_RIGHT)
        format_seconds(text, bytes, outcome_median(outcome));
    else
        snprintf(text, bytes, "%s", outcome_word(outcome->status));
}

void
table_row(FILE *out, const struct results *results, const struct configuration *configuration,
          const struct row *row, const struct baseline *baseline)
{
    const struct outcome *subject = &row->outcomes[results->subject];
    double share = results->limit >= 0 ? row_share(results, row, (unsigned)results->subject) : NAN;
    char text[64];

    time_or_word(text, sizeof text, subject);
    fprintf(out, "%-*.*s %13s", NAME_WIDTH, NAME_WIDTH, row->kernel->description->name, text);
    fprintf(out, subject->status == OUTCOME_RIGHT ? " %4.0f " : "      ", outcome_spread(subject) * 100);
    if (results->limit >= 0) {
        time_or_word(text, sizeof text, &row->outcomes[results->limit]);
        fprintf(out, isnan(share) ? " %9s     -" : " %9s %5.2f", text, share);
    }
    for (unsigned t = 0; t < results->target_count; t++) {
        double ratio = row_ratio(results, row, t).median;

        if (!is_peer(results, t))
            continue;
        time_or_word(text, sizeof text, &row->outcomes[t]);
        fprintf(out, isnan(ratio) ? " %10s       -" : " %10s %7.2f", text, ratio);
    }
    if (baseline && baseline->document) {
        double change = baseline_change(baseline, results, configuration, row);

        fprintf(out, isnan(change) ? "       -" : " %+6.1f%%", (change - 1) * 100);
    }
    fputc('\n', out);
    fflush(out);
}

static void
print_mean(FILE *out, const struct results *results, const struct geometric *geometric, const char *what)
{
    const struct suite_kernel *kernels = results->suite.kernels;

    if (geometric->count)
        fprintf(out, "%-34s %6.2f   of %zu; least %.2f (%s), most %.2f (%s)\n", what,
                geometric_mean(geometric), geometric->count, geometric->least,
                kernels[geometric->least_at].description->name, geometric->most,
                kernels[geometric->most_at].description->name);
    else
        fprintf(out, "%-34s      -   no kernel has a time on both\n", what);
}

static void
print_groups(FILE *out, const struct results *results, const struct configuration *configuration)
{
    const char *group = NULL;

    for (size_t i = 0; i < results->suite.count; i++) {
        const char *next = results->suite.kernels[i].description->group;

        if (group && !strcmp(group, next))
            continue;
        group = next;
        fprintf(out, "  %-32s", group);
        for (unsigned t = 0; t < results->target_count; t++) {
            struct geometric geometric = results_geometric(results, configuration, group, t);

            if ((int)t == results->subject)
                continue;
            fprintf(out, geometric.count ? "  %s %.2f" : "  %s -",
                    (int)t == results->limit ? "share" : results->targets[t].label,
                    geometric_mean(&geometric));
        }
        fputc('\n', out);
    }
}

static void
print_failures(FILE *out, const struct results *results, const struct configuration *configuration,
               bool verbose)
{
    for (size_t i = 0; i < results->suite.count; i++)
        for (unsigned t = 0; t < results->target_count; t++) {
            const struct row *row = &configuration->rows[i];
            const struct outcome *outcome = &row->outcomes[t];

            if (outcome->status == OUTCOME_RIGHT || outcome->status == OUTCOME_NONE || !row->kernel)
                continue;
            fprintf(out, "%s, %s: %s: %s\n", row->kernel->description->name, results->targets[t].label,
                    outcome_word(outcome->status), outcome->reason);
            if (verbose && outcome->log && *outcome->log)
                fprintf(out, "%s%s", outcome->log,
                        outcome->log[strlen(outcome->log) - 1] == '\n' ? "" : "\n");
        }
}

static void
print_unreferenced(FILE *out, const struct configuration *configuration, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (configuration->rows[i].expected_from)
            fprintf(out, "%s: has no reference; compared with the results of %s\n",
                    configuration->rows[i].kernel->description->name, configuration->rows[i].expected_from);
}

void
table_summary(FILE *out, const struct results *results, const struct configuration *configuration,
              bool verbose)
{
    unsigned peers = 0;

    fputc('\n', out);
    for (unsigned t = 0; t < results->target_count; t++) {
        struct geometric geometric = results_geometric(results, configuration, NULL, t);
        char *what;

        if ((int)t == results->subject)
            continue;
        what = (int)t == results->limit ? text_copy("share of the version by hand")
                                        : text_make("times the speed of %s", results->targets[t].label);
        print_mean(out, results, &geometric, what);
        peers += (int)t != results->limit;
        free(what);
    }
    if (peers > 1) {
        struct geometric best = results_best_peer(results, configuration);

        print_mean(out, results, &best, "times the faster of the peers");
    }
    if (results->target_count > 1) {
        fprintf(out, "by group:\n");
        print_groups(out, results, configuration);
    }
    print_failures(out, results, configuration, verbose);
    print_unreferenced(out, configuration, results->suite.count);
}

static void
print_value(FILE *out, double value)
{
    if (isnan(value))
        fprintf(out, " %10s", "-");
    else
        fprintf(out, " %10.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

void
table_figures(FILE *out, const struct results *results)
{
    if (!results->figure_count)
        return;
    fprintf(out, "\n%-64s %7s", "beside throughput", "goal");
    for (unsigned t = 0; t < results->target_count; t++)
        if ((int)t != results->limit)
            fprintf(out, " %10.10s", results->targets[t].label);
    fputc('\n', out);
    for (size_t i = 0; i < results->figure_count; i++) {
        const struct figure *figure = &results->figures[i];

        fprintf(out, "%-64.64s", figure->text);
        if (figure->goal > 0)
            fprintf(out, " %7.4g", figure->goal);
        else
            fprintf(out, " %7s", "");
        for (unsigned t = 0; t < results->target_count; t++)
            if ((int)t != results->limit)
                print_value(out, figure->values[t]);
        fprintf(out, " %s\n", figure->unit);
    }
}
