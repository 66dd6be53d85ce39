/* SPDX-License-Identifier: MIT */
/* --html: one page, complete in itself. */
#include "html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void
put_header(struct text *out, const struct results *results, const struct options *options)
{
    text_add(out, "<header><h1>");
    html_text(out, results->targets[results->subject].name);
    text_add(out, " and others, kernel by kernel</h1>\n<div class=\"meta\">");
    html_text(out, results->processor);
    text_add(out, " &middot; %u threads &middot; ", options->threads);
    html_text(out, results->system);
    text_add(out, " &middot; %.10s</div>\n<div class=\"meta\"><code>", results->date);
    html_text(out, results->command);
    text_add(out, "</code></div></header>\n");
}

static void
put_tile(struct text *out, double value, const char *unit, const char *what, const char *sub, bool doubtful)
{
    text_add(out, "<div class=\"tile\"><b>");
    if (doubtful)
        text_add(out, "<em title=\"implausible: measure again on a machine at rest\">%.3g%s?</em></b><span>",
                 value, unit);
    else if (isnan(value))
        text_add(out, "&ndash;</b><span>");
    else
        text_add(out, "%.2f%s</b><span>", value, unit);
    html_text(out, what);
    text_add(out, "</span><span class=\"sub\">");
    html_text(out, sub);
    text_add(out, "</span></div>\n");
}

static void
put_tiles(struct text *out, const struct results *results, const struct configuration *configuration)
{
    struct geometric best = results_best_peer(results, configuration);
    unsigned right = 0, count = 0;
    char *sub;

    text_add(out, "<div class=\"tiles\">\n");
    for (unsigned t = 0; t < results->target_count; t++) {
        struct geometric geometric = results_geometric(results, configuration, NULL, t);
        double goal = html_goal(results, t);
        char *what;

        if ((int)t == results->subject)
            continue;
        what = (int)t == results->limit ? text_copy("of the speed of code by hand")
                                        : text_make("the speed of %s", results->targets[t].label);
        sub = geometric.count == 1 ? text_copy("one kernel, no mean of several")
              : goal > 0 ? text_make("geometric mean of %zu kernels, goal %g", geometric.count, goal)
                         : text_make("geometric mean of %zu kernels", geometric.count);
        put_tile(out, geometric_mean(&geometric), (int)t == results->limit ? "" : "&times;", what, sub,
                 html_doubts(results, t, &geometric));
        free(what);
        free(sub);
    }
    if (best.count) {
        sub = text_make("the least of all kernels: %s",
                        results->suite.kernels[best.least_at].description->name);
        put_tile(out, best.least, "&times;", "the speed of the faster peer, at worst", sub, false);
        free(sub);
    }
    for (size_t i = 0; i < results->suite.count; i++) {
        right += configuration->rows[i].outcomes[results->subject].status == OUTCOME_RIGHT;
        count += configuration->rows[i].kernel != NULL;
    }
    text_add(out, "<div class=\"tile\"><b>%u of %u</b><span>kernels right on ", right, count);
    html_text(out, results->targets[results->subject].label);
    text_add(out, "</span><span class=\"sub\">checked before and after timing</span></div>\n</div>\n");
}

static void
put_chart(struct text *out, const struct results *results, const struct configuration *configuration)
{
    text_add(out, "<h2>Speed, kernel by kernel");
    if (configuration->label) {
        text_add(out, ": ");
        html_text(out, configuration->label);
    }
    text_add(out, "</h2>\n<p>Bars to the right of 1: faster than the peer, on a logarithmic axis. The share "
                  "is the time of "
                  "code written by hand with intrinsics, for the same task on the same threads, over this "
                  "one's; dots are "
                  "the peers.</p>\n<div class=\"card\">\n");
    html_speed_chart(out, results, configuration);
    text_add(out, "</div>\n");
}

static void
put_goals(struct text *out, const struct results *results)
{
    if (results->target_count > 1 && results->configuration_count == 1) {
        text_add(out, "<h2>Goals</h2>\n<div class=\"card\">\n");
        html_goals_table(out, results, &results->configurations[0]);
        text_add(out, "</div>\n");
    }
    text_add(
        out,
        "<h2>Beside throughput</h2>\n<p>Builds, start of a process, dispatch, memory: lower is better. Each "
        "is the median of processes of its own, in turns.</p>\n<div class=\"card\">\n");
    html_figures_table(out, results);
    text_add(out, "</div>\n");
}

static void
put_tables(struct text *out, const struct results *results, const struct configuration *configuration,
           const struct baseline *baseline)
{
    if (results->target_count > 1) {
        text_add(out, "<h2>Geometric means by group</h2>\n<div class=\"card\">\n");
        html_group_table(out, results, configuration);
        text_add(out, "</div>\n");
    }
    text_add(out,
             "<h2>Times</h2>\n<p>Medians of runs, enqueue to finish. &plusmn;%% is half the way from the "
             "10th to the "
             "90th percentile. Ratios are medians over rounds in which the platforms took turns%s.</p>\n"
             "<div class=\"card\">\n",
             baseline->document ? "; change is the speed against the baseline's" : "");
    html_times_table(out, results, configuration, baseline);
    text_add(out, "</div>\n");
}

static void
put_sweep_heading(struct text *out, enum sweep sweep)
{
    static const char *const what[] = {"", "sub-group size", "instruction set", "local size"};

    text_add(out,
             "<h2>Sweep: %s</h2>\n<p>Median time of each kernel over the %s, on a logarithmic axis of its "
             "own: lower is "
             "faster. A missing point has its reason below, or the kernel is not made for it.</p>\n",
             what[sweep], what[sweep]);
}

void
html_report(struct text *out, const struct results *results, const struct options *options,
            const struct baseline *baseline)
{
    bool sweep = results->configuration_count > 1;

    text_add(out,
             "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width,initial-scale=1\">\n<title>lanewise-bench: ");
    html_text(out, results->processor);
    text_add(out, "</title>\n");
    html_style(out);
    text_add(out, "</head><body><main>\n");
    put_header(out, results, options);
    if (!sweep)
        put_tiles(out, results, &results->configurations[0]);
    if (sweep) {
        put_sweep_heading(out, options->sweep);
        html_sweep_charts(out, results);
    }
    for (size_t c = 0; c < results->configuration_count; c++)
        put_chart(out, results, &results->configurations[c]);
    put_goals(out, results);
    if (!sweep)
        put_tables(out, results, &results->configurations[0], baseline);
    text_add(
        out,
        "<h2>Platforms</h2>\n<p>Peak memory is that of the process that ran all these kernels, their data "
        "included.</p>\n<div class=\"card\">\n");
    html_platform_table(out, results);
    text_add(out, "</div>\n");
    html_failures(out, results);
    text_add(out, "</main></body></html>\n");
}
