/* SPDX-License-Identifier: MIT */
#include "report.h"
void
html_report(struct text *out, const struct results *results, const struct options *options,
            const struct baseline *baseline)
{
    (void)results, (void)options, (void)baseline;
    text_add(out, "<!doctype html>");
}
