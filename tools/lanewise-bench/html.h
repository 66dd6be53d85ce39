/* SPDX-License-Identifier: MIT */
/* The parts of the page of --html. */
#ifndef LANEWISE_BENCH_HTML_H
#define LANEWISE_BENCH_HTML_H

#include "plot.h"
#include "report.h"

/* The colour class of a target: the subject c0, the peers c1, c2, ... in order, the limit `hand`. */
void html_class(const struct results *results, unsigned target, char text[16]);
bool html_is_peer(const struct results *results, unsigned target);
/* The goal of the project against a peer, 0: none is set. */
double html_goal(const struct results *results, unsigned target);
/* The mean has ratios that nobody should believe, as under load. */
bool html_doubts(const struct results *results, unsigned target, const struct geometric *geometric);

void html_style(struct text *out);
/* Kernels against the peers and against the version by hand, one line a kernel. */
void html_speed_chart(struct text *out, const struct results *results,
                      const struct configuration *configuration);
/* A small chart a kernel: time over the sweep. */
void html_sweep_charts(struct text *out, const struct results *results);
void html_group_table(struct text *out, const struct results *results,
                      const struct configuration *configuration);
void html_times_table(struct text *out, const struct results *results,
                      const struct configuration *configuration, const struct baseline *baseline);
void html_figures_table(struct text *out, const struct results *results);
void html_goals_table(struct text *out, const struct results *results,
                      const struct configuration *configuration);
void html_platform_table(struct text *out, const struct results *results);
void html_failures(struct text *out, const struct results *results);

#endif
