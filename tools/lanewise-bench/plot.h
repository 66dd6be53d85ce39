/* SPDX-License-Identifier: MIT */
/* Parts of SVG drawings and of the page that holds them. Colours are classes: the page's style sheet has them
 * twice, for light and dark. */
#ifndef LANEWISE_BENCH_PLOT_H
#define LANEWISE_BENCH_PLOT_H

#include "text.h"

struct plot_axis {
    double from, to; /* values at both ends */
    double x0, x1;   /* places of them */
    bool logarithmic;
};

/* The place of a value; values outside are put at the end. */
double plot_at(const struct plot_axis *axis, double value);
bool plot_inside(const struct plot_axis *axis, double value);

void plot_open(struct text *out, double width, double height, const char *label);
void plot_close(struct text *out);
/* anchor: start, middle, end. */
__attribute__((format(printf, 6, 7))) void plot_text(struct text *out, double x, double y, const char *anchor,
                                                     const char *class, const char *format, ...);
void plot_line(struct text *out, double x0, double y0, double x1, double y1, const char *class);
/* Bars end round, and tell `title` under the pointer. */
void plot_bar(struct text *out, double x0, double x1, double y, double height, const char *class,
              const char *title);
void plot_dot(struct text *out, double x, double y, double radius, const char *class, const char *title);
/* With < > & and quotes made harmless. */
void html_text(struct text *out, const char *text);

#endif
