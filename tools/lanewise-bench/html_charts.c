/* SPDX-License-Identifier: MIT */
/* The charts of the page: kernels against peers and limit, and sweeps. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "html.h"

#define WIDTH 1080.0
#define NAMES 176.0 /* room for names at the left */
#define TOP 46.0    /* and for the axes' titles above */
#define GROUP 26.0  /* a group's heading */
#define THICK 8.0   /* of a bar */
#define SHARE_MOST 1.25

struct chart {
    const struct results *results;
    const struct configuration *configuration;
    struct plot_axis ratio, share;
    double row; /* height of a kernel's line */
    unsigned peers;
    bool limit;
    double bottom;
};

bool
html_is_peer(const struct results *results, unsigned target)
{
    return (int)target != results->subject && (int)target != results->limit;
}

void
html_class(const struct results *results, unsigned target, char text[16])
{
    unsigned number = 1;

    for (unsigned t = 0; t < target; t++)
        number += html_is_peer(results, t);
    if ((int)target == results->limit)
        snprintf(text, 16, "hand");
    else
        snprintf(text, 16, "c%u", (int)target == results->subject ? 0 : (number - 1) % 4 + 1);
}

static void
legend(struct text *out, const struct results *results, bool limit, bool subject)
{
    char class[16];

    text_add(out, "<div class=\"legend\">");
    for (unsigned t = 0; t < results->target_count; t++) {
        if (((int)t == results->limit && !limit) || ((int)t == results->subject && !subject))
            continue;
        html_class(results, t, class);
        text_add(out, "<span><i class=\"%s\"></i>", class);
        html_text(out, results->targets[t].label);
        text_add(out, "</span>");
    }
    text_add(out, "</div>\n");
}

/* Powers of two around all ratios, 1 always inside, one step of room for the numbers. */
static void
choose_ratio_axis(struct chart *chart)
{
    double least = 1, most = 2;

    for (size_t i = 0; i < chart->results->suite.count; i++)
        for (unsigned t = 0; t < chart->results->target_count; t++) {
            double ratio = html_is_peer(chart->results, t)
                               ? row_ratio(chart->results, &chart->configuration->rows[i], t).median
                               : NAN;

            if (ratio < least)
                least = ratio;
            if (ratio > most)
                most = ratio;
        }
    least = exp2(floor(log2(least < 1.0 / 64 ? 1.0 / 64 : least)));
    most = exp2(ceil(log2(most > 256 ? 256 : most)));
    chart->ratio.from = least < 1 ? least : 0.5;
    chart->ratio.to = most;
    chart->ratio.logarithmic = true;
}

static void
draw_ratio_grid(struct text *out, const struct chart *chart, double bottom)
{
    for (double tick = chart->ratio.from; tick <= chart->ratio.to * 1.01; tick *= 2) {
        double x = plot_at(&chart->ratio, tick);

        plot_line(out, x, TOP, x, bottom, tick == 1 ? "axis" : "grid");
        if (tick < 1)
            plot_text(out, x, TOP - 7, "middle", "t-faint", "1/%.0f", 1 / tick);
        else
            plot_text(out, x, TOP - 7, "middle", "t-faint", "%.0f", tick);
    }
}

static void
draw_share_grid(struct text *out, const struct chart *chart, double bottom)
{
    static const double ticks[] = {0, 0.25, 0.5, 0.75, 1};

    for (int i = 0; i < 5; i++) {
        double x = plot_at(&chart->share, ticks[i]);

        plot_line(out, x, TOP, x, bottom, ticks[i] == 1 || ticks[i] == 0 ? "axis" : "grid");
        plot_text(out, x, TOP - 7, "middle", "t-faint", "%g", ticks[i]);
    }
}

static void
draw_ratio(struct text *out, const struct chart *chart, const struct row *row, unsigned target, double y)
{
    const struct outcome *outcome = &row->outcomes[target],
                         *subject = &row->outcomes[chart->results->subject];
    struct ratio ratio = row_ratio(chart->results, row, target);
    double one = plot_at(&chart->ratio, 1), x;
    char class[16], title[300];

    if (isnan(ratio.median)) {
        enum outcome_status status = subject->status == OUTCOME_RIGHT ? outcome->status : subject->status;
        const char *who = subject->status == OUTCOME_RIGHT
                              ? chart->results->targets[target].label
                              : chart->results->targets[chart->results->subject].label;

        plot_text(out, one + 5, y + THICK, "start",
                  status == OUTCOME_WRONG || status == OUTCOME_CRASHED || status == OUTCOME_HUNG ? "t-bad"
                                                                                                 : "t-faint",
                  "%s: %s", who, outcome_word(status));
        return;
    }
    html_class(chart->results, target, class);
    snprintf(title, sizeof title, "%s: %.2f times the speed of %s (rounds: %.2f to %.2f)",
             row->kernel->description->name, ratio.median, chart->results->targets[target].label, ratio.low,
             ratio.high);
    x = plot_at(&chart->ratio, ratio.median);
    plot_bar(out, one, x, y, THICK, class, title);
    if (ratio.median >= 1)
        plot_text(out, x + 5, y + THICK, "start", "t-num", "%.*f", ratio.median < 9.95 ? 2 : 1, ratio.median);
    else
        plot_text(out, one + 5, y + THICK, "start", "t-bad", "%.2f", ratio.median);
}

static void
draw_share(struct text *out, const struct chart *chart, const struct row *row, double y)
{
    const struct results *results = chart->results;
    double share = row_share(results, row, (unsigned)results->subject), middle = y + chart->row / 2;
    char class[16], title[300];

    if (isnan(share)) {
        const struct outcome *limit = &row->outcomes[results->limit];

        plot_text(out, chart->share.x0 + 5, middle + 4, "start",
                  limit->status == OUTCOME_WRONG || limit->status == OUTCOME_CRASHED ? "t-bad" : "t-faint",
                  "by hand: %s", limit->status == OUTCOME_NONE ? "none" : outcome_word(limit->status));
    } else {
        snprintf(title, sizeof title, "%s: %.2f of the version by hand", row->kernel->description->name,
                 share);
        plot_bar(out, chart->share.x0, plot_at(&chart->share, share), middle - 5, 10, "c0", title);
    }
    for (unsigned t = 0; t < results->target_count; t++) {
        double peer = html_is_peer(results, t) ? row_share(results, row, t) : NAN;

        if (isnan(peer))
            continue;
        html_class(results, t, class);
        strcat(class, " ring");
        snprintf(title, sizeof title, "%s: %s %.2f of the version by hand", row->kernel->description->name,
                 results->targets[t].label, peer);
        plot_dot(out, plot_at(&chart->share, peer), middle, 4.5, class, title);
    }
    if (!isnan(share))
        plot_text(out, chart->share.x1 + 12, middle + 4, "start", share < 0.4 ? "t-bad" : "t-num", "%.2f",
                  share);
}

static void
draw_row(struct text *out, const struct chart *chart, const struct row *row, double y)
{
    const struct outcome *subject = &row->outcomes[chart->results->subject];
    double middle = y + chart->row / 2, at = middle - chart->peers * (THICK + 3) / 2 + 1.5;
    char time[40];

    plot_text(out, NAMES - 12, middle + 4, "end", "", "%.30s", row->kernel->description->name);
    for (unsigned t = 0; t < chart->results->target_count; t++)
        if (html_is_peer(chart->results, t)) {
            draw_ratio(out, chart, row, t, at);
            at += THICK + 3;
        }
    if (chart->limit)
        draw_share(out, chart, row, y);
    format_seconds(time, sizeof time, outcome_median(subject));
    if (subject->status == OUTCOME_RIGHT)
        plot_text(out, WIDTH, middle + 4, "end", "t-num", "%s", time);
    else
        plot_text(out, WIDTH, middle + 4, "end", "t-bad", "%s", outcome_word(subject->status));
}

static void
draw_rows(struct text *out, const struct chart *chart)
{
    const char *group = "";
    double y = TOP + 4;
    bool shaded = false;

    for (size_t i = 0; i < chart->results->suite.count; i++) {
        const struct row *row = &chart->configuration->rows[i];

        if (!row->kernel)
            continue;
        if (strcmp(group, row->kernel->description->group)) {
            group = row->kernel->description->group;
            plot_text(out, 0, y + GROUP - 8, "start", "t-group", "%s", group);
            y += GROUP;
            shaded = false;
        }
        if (shaded)
            text_add(
                out,
                "<rect x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" class=\"band\" opacity=\".55\"/>\n",
                y, WIDTH, chart->row);
        shaded = !shaded;
        y += chart->row;
    }
}

/* How high all rows are together. `out`: draws what is in them; NULL: nothing. */
static double
draw_values(struct text *out, const struct chart *chart)
{
    const char *group = "";
    double y = TOP + 4;

    for (size_t i = 0; i < chart->results->suite.count; i++) {
        const struct row *row = &chart->configuration->rows[i];

        if (!row->kernel)
            continue;
        y += strcmp(group, row->kernel->description->group) ? GROUP : 0;
        group = row->kernel->description->group;
        if (out)
            draw_row(out, chart, row, y);
        y += chart->row;
    }
    return y + 8;
}

void
html_speed_chart(struct text *out, const struct results *results, const struct configuration *configuration)
{
    struct chart chart = {.results = results, .configuration = configuration, .limit = results->limit >= 0};
    double right = WIDTH - 78, height;

    for (unsigned t = 0; t < results->target_count; t++)
        chart.peers += html_is_peer(results, t);
    chart.row = chart.peers * (THICK + 3) + 9 > 24 ? chart.peers * (THICK + 3) + 9 : 24;
    chart.share = (struct plot_axis){0, SHARE_MOST, chart.peers ? right - 340 : NAMES, right - 40, false};
    chart.ratio = (struct plot_axis){1, 2, NAMES, chart.limit ? right - 400 : right - 30, true};
    choose_ratio_axis(&chart);
    height = draw_values(NULL, &chart);
    legend(out, results, false, true);
    plot_open(out, WIDTH, height, "Speed of each kernel against the peers and the version by hand");
    draw_rows(out, &chart);
    if (chart.peers) {
        plot_text(out, chart.ratio.x0, 14, "start", "t-head", "times the speed of the peer");
        plot_text(out, chart.ratio.x1, 14, "end", "t-faint", "right of 1: %s is faster",
                  results->targets[results->subject].label);
        draw_ratio_grid(out, &chart, height - 8);
    }
    if (chart.limit) {
        plot_text(out, chart.share.x0, 14, "start", "t-head", "share of the speed of code by hand");
        draw_share_grid(out, &chart, height - 8);
    }
    plot_text(out, WIDTH, 14, "end", "t-head", "median");
    draw_values(out, &chart);
    plot_close(out);
}

/* ---- Sweeps ---- */

#define SMALL_WIDTH 330.0
#define SMALL_HEIGHT 190.0

static void
sweep_range(const struct results *results, size_t kernel, struct plot_axis *axis)
{
    double least = INFINITY, most = 0;

    for (size_t c = 0; c < results->configuration_count; c++)
        for (unsigned t = 0; t < results->target_count; t++) {
            double median = outcome_median(&results->configurations[c].rows[kernel].outcomes[t]);

            least = median < least ? median : least;
            most = median > most ? median : most;
        }
    axis->logarithmic = true;
    axis->from = least < most ? least / 1.15 : 1e-6;
    axis->to = least < most ? most * 1.15 : 1e-3;
    if (least == most) {
        axis->from = least / 2;
        axis->to = most * 2;
    }
}

static const char *
short_label(const char *label)
{
    const char *space = strrchr(label, ' ');

    return space ? space + 1 : label;
}

static void
draw_sweep_line(struct text *out, const struct results *results, size_t kernel, unsigned target,
                const struct plot_axis *x, const struct plot_axis *y)
{
    char class[16], dot[24], time[40], title[120];
    bool open = false;

    html_class(results, target, class);
    snprintf(dot, sizeof dot, "%s ring", class);
    for (size_t c = 0; c <= results->configuration_count; c++) {
        double median = c < results->configuration_count
                            ? outcome_median(&results->configurations[c].rows[kernel].outcomes[target])
                            : NAN;

        if (isnan(median)) {
            text_add(out, open ? "\"/>\n" : "");
            open = false;
            continue;
        }
        if (!open)
            text_add(out, "<polyline class=\"%s\" points=\"", class);
        open = true;
        text_add(out, "%.1f,%.1f ", plot_at(x, (double)c), plot_at(y, median));
    }
    for (size_t c = 0; c < results->configuration_count; c++) {
        double median = outcome_median(&results->configurations[c].rows[kernel].outcomes[target]);

        if (isnan(median))
            continue;
        format_seconds(time, sizeof time, median);
        snprintf(title, sizeof title, "%s, %s: %s", results->targets[target].label,
                 results->configurations[c].label, time);
        plot_dot(out, plot_at(x, (double)c), plot_at(y, median), 3.5, dot, title);
    }
}

static void
draw_sweep(struct text *out, const struct results *results, size_t kernel)
{
    struct plot_axis y = {.x0 = SMALL_HEIGHT - 22, .x1 = 30};
    struct plot_axis x = {0, (double)results->configuration_count - 1, 58, SMALL_WIDTH - 14, false};
    char time[40];

    sweep_range(results, kernel, &y);
    if (results->configuration_count < 2)
        x.to = 1;
    plot_open(out, SMALL_WIDTH, SMALL_HEIGHT, results->suite.kernels[kernel].description->name);
    plot_text(out, 0, 13, "start", "t-head", "%.40s", results->suite.kernels[kernel].description->name);
    for (int i = 0; i <= 2; i++) {
        double value = y.from * pow(y.to / y.from, i / 2.0), at = plot_at(&y, value);

        format_seconds(time, sizeof time, value);
        plot_line(out, x.x0, at, x.x1, at, "grid");
        plot_text(out, x.x0 - 8, at + 4, "end", "t-faint", "%s", time);
    }
    for (size_t c = 0; c < results->configuration_count; c++)
        plot_text(out, plot_at(&x, (double)c), SMALL_HEIGHT - 5, "middle", "t-faint", "%s",
                  short_label(results->configurations[c].label));
    for (unsigned t = results->target_count; t-- > 0;)
        draw_sweep_line(out, results, kernel, t, &x, &y);
    plot_close(out);
}

void
html_sweep_charts(struct text *out, const struct results *results)
{
    legend(out, results, true, true);
    text_add(out, "<div class=\"small\">\n");
    for (size_t i = 0; i < results->suite.count; i++) {
        text_add(out, "<div class=\"card\">");
        draw_sweep(out, results, i);
        text_add(out, "</div>\n");
    }
    text_add(out, "</div>\n");
}
