/* SPDX-License-Identifier: MIT */
/* The tables of the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "html.h"

#define DOUBTFUL_SPREAD 0.5 /* of the rounds about their median: the machine did something else */

static void
cell(struct text *out, const char *class, const char *text)
{
    text_add(out, *class ? "<td class=\"%s\">" : "<td>", class);
    html_text(out, text);
    text_add(out, "</td>");
}

static void
heading(struct text *out, const char *class, const char *text)
{
    text_add(out, *class ? "<th class=\"%s\">" : "<th>", class);
    html_text(out, text);
    text_add(out, "</th>");
}

__attribute__((format(printf, 3, 0))) static void
number_cell(struct text *out, double value, const char *format, const char *class)
{
    char text[40];

    if (isnan(value)) {
        cell(out, "faint", "-");
        return;
    }
    snprintf(text, sizeof text, format, value);
    cell(out, class, text);
}

/* Three digits, no exponents. */
static void
figure_cell(struct text *out, double value, const char *class)
{
    number_cell(out, value, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", class);
}

double
html_goal(const struct results *results, unsigned target)
{
    if (!results->targets[results->subject].ours)
        return 0;
    if ((int)target == results->limit)
        return 0.75;
    if (strstr(results->targets[target].name, "Intel"))
        return 3.5;
    return strstr(results->targets[target].name, "Portable Computing") ? 12 : 0;
}

/* What no two implementations of a kernel differ by: something disturbed the one or the other. */
static bool
doubts(const struct results *results, unsigned target, double ratio)
{
    double most = (int)target == results->limit ? 5 : 2000;

    return ratio > most || ratio < 0.1 / most;
}

bool
html_doubts(const struct results *results, unsigned target, const struct geometric *geometric)
{
    return geometric->count &&
           (doubts(results, target, geometric->least) || doubts(results, target, geometric->most));
}

/* A ratio to a target, over which `least` is bad; marked where nobody should believe it. */
static void
ratio_cell(struct text *out, const struct results *results, unsigned target, double ratio, double least)
{
    if (doubts(results, target, ratio))
        number_cell(out, ratio, "%.3g?", "doubt");
    else
        number_cell(out, ratio, "%.2f", ratio < least ? "bad" : "");
}

void
html_group_table(struct text *out, const struct results *results, const struct configuration *configuration)
{
    const char *group = NULL;

    text_add(out, "<table><tr>");
    heading(out, "", "group");
    for (unsigned t = 0; t < results->target_count; t++)
        if ((int)t != results->subject) {
            char *what = (int)t == results->limit ? text_copy("share of code by hand")
                                                  : text_make("times %s", results->targets[t].label);

            heading(out, "", what);
            heading(out, "", "kernels");
            free(what);
        }
    text_add(out, "</tr>\n");
    for (size_t i = 0; i <= results->suite.count; i++) {
        bool all = i == results->suite.count;
        const char *next = all ? "all" : results->suite.kernels[i].description->group;

        if (group && !strcmp(group, next))
            continue;
        group = next;
        text_add(out, all ? "<tr class=\"all\">" : "<tr>");
        cell(out, "", group);
        for (unsigned t = 0; t < results->target_count; t++) {
            struct geometric geometric = results_geometric(results, configuration, all ? NULL : group, t);

            if ((int)t == results->subject)
                continue;
            number_cell(out, geometric_mean(&geometric), "%.2f", "");
            number_cell(out, (double)geometric.count, "%.0f", "faint");
        }
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

static void
time_cell(struct text *out, const struct outcome *outcome)
{
    char text[64];

    if (outcome->status == OUTCOME_RIGHT) {
        format_seconds(text, sizeof text, outcome_median(outcome));
        cell(out, "", text);
    } else {
        cell(out,
             outcome->status == OUTCOME_WRONG || outcome->status == OUTCOME_CRASHED ||
                     outcome->status == OUTCOME_HUNG
                 ? "bad"
                 : "faint",
             outcome_word(outcome->status));
    }
}

static void
times_heading(struct text *out, const struct results *results, bool baseline)
{
    text_add(out, "<table><tr>");
    heading(out, "", "kernel");
    heading(out, "l", "global / local");
    heading(out, "", results->targets[results->subject].label);
    heading(out, "", "\xc2\xb1%");
    heading(out, "", "rate");
    if (baseline)
        heading(out, "", "change");
    if (results->limit >= 0) {
        heading(out, "", "by hand");
        heading(out, "", "share");
    }
    for (unsigned t = 0; t < results->target_count; t++)
        if (html_is_peer(results, t)) {
            heading(out, "", results->targets[t].label);
            heading(out, "", "ratio");
        }
    text_add(out, "</tr>\n");
}

static void
times_row(struct text *out, const struct results *results, const struct configuration *configuration,
          const struct row *row, const struct baseline *baseline)
{
    const struct outcome *subject = &row->outcomes[results->subject];
    char text[120];

    text_add(out, "<tr><td class=\"w\">");
    html_text(out, row->kernel->description->name);
    text_add(out, "<small>");
    html_text(out, row->kernel->description->title);
    text_add(out, "</small></td>");
    format_shape(text, sizeof text, row);
    cell(out, "l faint", text);
    time_cell(out, subject);
    number_cell(out, outcome_spread(subject) * 100, "%.0f",
                outcome_spread(subject) > DOUBTFUL_SPREAD ? "doubt" : "faint");
    format_rate(text, sizeof text, row, outcome_median(subject));
    cell(out, "faint", text);
    if (baseline->document) {
        double change = (baseline_change(baseline, results, configuration, row) - 1) * 100;

        number_cell(out, change, "%+.1f%%", change > 3 ? "good" : change < -3 ? "bad" : "");
    }
    if (results->limit >= 0) {
        double share = row_share(results, row, (unsigned)results->subject);

        time_cell(out, &row->outcomes[results->limit]);
        ratio_cell(out, results, (unsigned)results->limit, share, 0.4);
    }
    for (unsigned t = 0; t < results->target_count; t++)
        if (html_is_peer(results, t)) {
            double ratio = row_ratio(results, row, t).median;

            time_cell(out, &row->outcomes[t]);
            ratio_cell(out, results, t, ratio, 1);
        }
    text_add(out, "</tr>\n");
}

void
html_times_table(struct text *out, const struct results *results, const struct configuration *configuration,
                 const struct baseline *baseline)
{
    const char *group = "";

    times_heading(out, results, baseline->document != NULL);
    for (size_t i = 0; i < results->suite.count; i++) {
        const struct row *row = &configuration->rows[i];

        if (!row->kernel)
            continue;
        if (strcmp(group, row->kernel->description->group)) {
            group = row->kernel->description->group;
            text_add(out, "<tr class=\"group\"><td colspan=\"20\">");
            html_text(out, group);
            text_add(out, "</td></tr>\n");
        }
        times_row(out, results, configuration, row, baseline);
    }
    text_add(out, "</table>\n");
}

/* ---- Goals ---- */

static void
goal_row(struct text *out, const char *what, const char *goal, double reached, const char *class,
         const char *note)
{
    text_add(out, "<tr>");
    cell(out, "w", what);
    cell(out, "", goal);
    number_cell(out, reached, "%.2f", class);
    cell(out, "w faint", note);
    text_add(out, "</tr>\n");
}

static void
goal_against(struct text *out, const struct results *results, const struct configuration *configuration,
             unsigned target)
{
    struct geometric geometric = results_geometric(results, configuration, NULL, target);
    double goal = html_goal(results, target);
    bool limit = (int)target == results->limit;
    bool doubt = html_doubts(results, target, &geometric);
    const char *mean = geometric.count == 1 ? "of one kernel" : "geometric mean";
    char *what = limit ? text_make("share of the speed of code by hand, %s", mean)
                       : text_make("times the speed of %s, %s", results->targets[target].label, mean);
    char *text = goal > 0 ? text_make("%g", goal) : text_copy("");
    char *note = text_make("%zu of %zu kernels have a time on both", geometric.count, results->suite.count);

    goal_row(out, what, text, geometric_mean(&geometric),
             doubt ? "doubt" : geometric_mean(&geometric) < goal ? "bad" : "good", note);
    free(note);
    if (limit && geometric.count) {
        note = text_make("%s", results->suite.kernels[geometric.least_at].description->name);
        goal_row(out, "the least share of any kernel", goal > 0 ? "0.4" : "", geometric.least,
                 doubt ? "doubt" : geometric.least >= 0.4 ? "good" : "bad", note);
        free(note);
    }
    free(text);
    free(what);
}

void
html_goals_table(struct text *out, const struct results *results, const struct configuration *configuration)
{
    struct geometric best = results_best_peer(results, configuration);

    text_add(out, "<table><tr>");
    heading(out, "l", "figure");
    heading(out, "", "goal");
    heading(out, "", "reached");
    heading(out, "l", "");
    text_add(out, "</tr>\n");
    for (unsigned t = 0; t < results->target_count; t++)
        if ((int)t != results->subject)
            goal_against(out, results, configuration, t);
    if (best.count) {
        char *note = text_make("%s", results->suite.kernels[best.least_at].description->name);

        goal_row(out, "the least ratio to the faster of the peers", "1", best.least,
                 best.least >= 1 ? "good" : "bad", note);
        free(note);
    }
    text_add(out, "</table>\n");
}

void
html_figures_table(struct text *out, const struct results *results)
{
    text_add(out, "<table><tr>");
    heading(out, "l", "figure");
    heading(out, "", "goal");
    for (unsigned t = 0; t < results->target_count; t++)
        if ((int)t != results->limit)
            heading(out, "", results->targets[t].label);
    heading(out, "l", "");
    text_add(out, "</tr>\n");
    for (size_t i = 0; i < results->figure_count; i++) {
        const struct figure *figure = &results->figures[i];
        bool goal = figure->goal > 0 && results->targets[results->subject].ours;

        text_add(out, "<tr>");
        cell(out, "w", figure->text);
        number_cell(out, goal ? figure->goal : NAN, "%.4g", "");
        for (unsigned t = 0; t < results->target_count; t++)
            if ((int)t != results->limit)
                figure_cell(out, figure->values[t],
                            !goal || (int)t != results->subject ? ""
                            : figure->values[t] <= figure->goal ? "good"
                                                                : "bad");
        cell(out, "l faint", figure->unit);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

void
html_platform_table(struct text *out, const struct results *results)
{
    static const char *const headings[] = {"",       "platform",    "version",    "device",
                                           "driver", "programs as", "peak memory"};

    text_add(out, "<table><tr>");
    for (int i = 0; i < 7; i++)
        heading(out, i < 6 ? "l" : "", headings[i]);
    text_add(out, "</tr>\n");
    for (unsigned t = 0; t < results->target_count; t++) {
        const struct target *target = &results->targets[t];
        char class[16];

        html_class(results, t, class);
        text_add(out,
                 "<tr><td class=\"l\"><span class=\"legend\" style=\"margin:0\"><span><i class=\"%s\"></i>",
                 class);
        html_text(out, target->label);
        text_add(out, "</span></span></td>");
        cell(out, "w", target->name);
        cell(out, "w", target->version ? target->version : "");
        cell(out, "w", target->device ? target->device : "");
        cell(out, "w", target->driver ? target->driver : "");
        cell(out, "l", target->form ? target->form : "");
        number_cell(out, results->memory[t] / 1024, "%.0f MiB", "");
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

static bool
failed(const struct row *row, unsigned target)
{
    return row->kernel && row->outcomes[target].status > OUTCOME_RIGHT;
}

void
html_failures(struct text *out, const struct results *results)
{
    bool any = false;

    for (size_t c = 0; c < results->configuration_count; c++)
        for (size_t i = 0; i < results->suite.count; i++)
            for (unsigned t = 0; t < results->target_count; t++) {
                const struct row *row = &results->configurations[c].rows[i];
                const char *label = results->configurations[c].label;

                if (!failed(row, t))
                    continue;
                if (!any)
                    text_add(out, "<h2>Without a time</h2>\n<div class=\"card\">\n");
                any = true;
                text_add(out, "<details><summary>");
                html_text(out, row->kernel->description->name);
                text_add(out, ", ");
                html_text(out, results->targets[t].label);
                if (label) {
                    text_add(out, ", ");
                    html_text(out, label);
                }
                text_add(out, ": <span class=\"%s\">%s</span></summary><pre>",
                         row->outcomes[t].status >= OUTCOME_NOT_BUILT ? "faint" : "bad",
                         outcome_word(row->outcomes[t].status));
                html_text(out, row->outcomes[t].reason);
                if (row->outcomes[t].log && *row->outcomes[t].log) {
                    text_add(out, "\n\n");
                    html_text(out, row->outcomes[t].log);
                }
                text_add(out, "</pre></details>\n");
            }
    if (any)
        text_add(out, "</div>\n");
}
