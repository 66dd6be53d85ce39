/* SPDX-License-Identifier: MIT */
/* --baseline: an older run's --json. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

bool
baseline_read(struct baseline *baseline, const char *path, char *error, size_t error_bytes)
{
    char *text = file_read(path, NULL), why[200];

    baseline->path = path;
    if (!text) {
        snprintf(error, error_bytes, "--baseline %s: %s", path, strerror(errno));
        return false;
    }
    baseline->document = json_read(text, why, sizeof why);
    free(text);
    if (baseline->document && !strcmp(json_get_text(baseline->document, "tool"), "lanewise-bench"))
        return true;
    snprintf(error, error_bytes, "--baseline %s: %s", path,
             baseline->document ? "this is no --json of lanewise-bench" : why);
    json_free(baseline->document);
    baseline->document = NULL;
    return false;
}

double
baseline_change(const struct baseline *baseline, const struct results *results,
                const struct configuration *configuration, const struct row *row)
{
    const struct json *configurations = json_get(baseline->document, "configurations");
    const char *label = configuration->label ? configuration->label : "";
    double now = outcome_median(&row->outcomes[results->subject]);

    for (size_t c = 0; c < configurations->count; c++) {
        const struct json *kernels = json_get(&configurations->items[c], "kernels");

        if (strcmp(json_get_text(&configurations->items[c], "label"), label))
            continue;
        for (size_t k = 0; k < kernels->count; k++) {
            const struct json *outcomes = json_get(&kernels->items[k], "results");

            if (strcmp(json_get_text(&kernels->items[k], "name"), row->kernel->description->name) ||
                json_get_number(&kernels->items[k], "size") != (double)row->size)
                continue;
            for (size_t o = 0; o < outcomes->count; o++)
                if (!strcmp(json_get_text(&outcomes->items[o], "platform"),
                            results->targets[results->subject].label))
                    return json_get_number(&outcomes->items[o], "median") / now;
        }
    }
    return NAN;
}

void
baseline_free(struct baseline *baseline)
{
    json_free(baseline->document);
    baseline->document = NULL;
}
