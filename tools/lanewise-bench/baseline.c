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
    baseline->document = lw_json_read(text, why, sizeof why);
    free(text);
    if (baseline->document && !strcmp(lw_json_get_text(baseline->document, "/tool"), "lanewise-bench"))
        return true;
    snprintf(error, error_bytes, "--baseline %s: %s", path,
             baseline->document ? "this is no --json of lanewise-bench" : why);
    json_object_put(baseline->document);
    baseline->document = NULL;
    return false;
}

/* The platform's median, where `kernel` is the row's; else NaN. */
static double
median_of(struct json_object *kernel, const struct row *row, const char *platform)
{
    struct json_object *outcomes = lw_json_get(kernel, "/results");

    if (strcmp(lw_json_get_text(kernel, "/name"), row->kernel->description->name) ||
        lw_json_get_number(kernel, "/size") != (double)row->size)
        return NAN;
    for (size_t i = 0; i < lw_json_count(outcomes); i++) {
        struct json_object *outcome = json_object_array_get_idx(outcomes, i);

        if (!strcmp(lw_json_get_text(outcome, "/platform"), platform))
            return lw_json_get_number(outcome, "/median");
    }
    return NAN;
}

double
baseline_change(const struct baseline *baseline, const struct results *results,
                const struct configuration *configuration, const struct row *row)
{
    struct json_object *configurations = lw_json_get(baseline->document, "/configurations");
    const char *label = configuration->label ? configuration->label : "";
    double now = outcome_median(&row->outcomes[results->subject]);

    for (size_t c = 0; c < lw_json_count(configurations); c++) {
        struct json_object *old = json_object_array_get_idx(configurations, c),
                           *kernels = lw_json_get(old, "/kernels");

        for (size_t k = 0; k < lw_json_count(kernels) && !strcmp(lw_json_get_text(old, "/label"), label);
             k++) {
            double median = median_of(json_object_array_get_idx(kernels, k), row,
                                      results->targets[results->subject].label);

            if (!isnan(median))
                return median / now;
        }
    }
    return NAN;
}

void
baseline_free(struct baseline *baseline)
{
    json_object_put(baseline->document);
    baseline->document = NULL;
}
