/* SPDX-License-Identifier: MIT */
/* Parts of SVG drawings. */
#include "plot.h"
#include "tools/shared/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static double
position(const struct plot_axis *axis, double value)
{
    if (axis->logarithmic)
        return (log(value) - log(axis->from)) / (log(axis->to) - log(axis->from));
    return (value - axis->from) / (axis->to - axis->from);
}

double
plot_at(const struct plot_axis *axis, double value)
{
    double at = position(axis, value);

    return axis->x0 + (axis->x1 - axis->x0) * (at < 0 ? 0 : at > 1 ? 1 : at);
}

bool
plot_inside(const struct plot_axis *axis, double value)
{
    double at = position(axis, value);

    return at >= 0 && at <= 1;
}

void
html_text(struct text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        const char *entity = lw_page_entity(*c);
        if (entity)
            text_add(out, "%s", entity);
        else
            text_add_bytes(out, c, 1);
    }
}

void
plot_open(struct text *out, double width, double height, const char *label)
{
    text_add(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", width, height);
    html_text(out, label);
    text_add(out, "\">\n");
}

void
plot_close(struct text *out)
{
    text_add(out, "</svg>\n");
}

void
plot_text(struct text *out, double x, double y, const char *anchor, const char *class, const char *format,
          ...)
{
    char text[300];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_add(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, class);
    html_text(out, text);
    text_add(out, "</text>\n");
}

void
plot_line(struct text *out, double x0, double y0, double x1, double y1, const char *class)
{
    text_add(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x0, y0, x1, y1,
             class);
}

void
plot_bar(struct text *out, double x0, double x1, double y, double height, const char *class,
         const char *title)
{
    double width = fabs(x1 - x0);

    text_add(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" class=\"%s\"><title>",
             x0 < x1 ? x0 : x1, y, width < 1.5 ? 1.5 : width, height, class);
    html_text(out, title);
    text_add(out, "</title></rect>\n");
}

void
plot_dot(struct text *out, double x, double y, double radius, const char *class, const char *title)
{
    text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"><title>", x, y, radius, class);
    html_text(out, title);
    text_add(out, "</title></circle>\n");
}
