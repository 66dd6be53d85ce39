/* SPDX-License-Identifier: MIT */
/* Numbers as the reports write them. */
#include <math.h>
#include <stdio.h>
#include "report.h"

void
format_seconds(char *text, size_t bytes, double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    unsigned u = 0;
    double value;

    if (isnan(seconds)) {
        snprintf(text, bytes, "-");
        return;
    }
    while (u < 3 && seconds < units[u].unit * 0.9995)
        u++;
    value = seconds / units[u].unit;
    snprintf(text, bytes, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[u].name);
}

static int
format_sizes(char *text, size_t bytes, const size_t *sizes, unsigned dimensions)
{
    int length = 0;

    for (unsigned i = 0; i < dimensions && length >= 0 && (size_t)length < bytes; i++)
        length += snprintf(text + length, bytes - (size_t)length, "%s%zu", i ? "x" : "", sizes[i]);
    return length;
}

void
format_shape(char *text, size_t bytes, const struct row *row)
{
    int length = format_sizes(text, bytes, row->global, row->dimensions);

    if (length < 0 || (size_t)length + 3 >= bytes || !row->local[0])
        return;
    length += snprintf(text + length, bytes - (size_t)length, " / ");
    format_sizes(text + length, bytes - (size_t)length, row->local, row->dimensions);
}

void
format_rate(char *text, size_t bytes, const struct row *row, double seconds)
{
    *text = 0;
    if (isnan(seconds) || seconds <= 0)
        return;
    if (row->packets > 0)
        snprintf(text, bytes, "%.3g M packets/s", row->packets / seconds * 1e-6);
    else if (row->flops > 4 * row->bytes)
        snprintf(text, bytes, "%.3g GF/s", row->flops / seconds * 1e-9);
    else if (row->bytes > 0)
        snprintf(text, bytes, "%.3g GB/s", row->bytes / seconds * 1e-9);
}
