/* SPDX-License-Identifier: MIT */
/* --json: everything that was measured. */
#include <math.h>
#include <string.h>
#include "report.h"

static void
put_sizes(struct lw_json *writer, const char *key, const size_t *sizes, unsigned dimensions)
{
    lw_json_open(writer, key, '[');
    for (unsigned i = 0; i < dimensions && sizes[0]; i++)
        lw_json_integer(writer, NULL, (long long)sizes[i]);
    lw_json_close(writer);
}

static void
put_times(struct lw_json *writer, const struct results *results, const struct row *row, unsigned t)
{
    const struct outcome *outcome = &row->outcomes[t];
    struct ratio ratio = row_ratio(results, row, t);

    lw_json_integer(writer, "runs", (long long)outcome->count);
    lw_json_number(writer, "median", outcome_median(outcome));
    lw_json_number(writer, "p10", statistics_percentile(outcome->times, outcome->count, 10));
    lw_json_number(writer, "p90", statistics_percentile(outcome->times, outcome->count, 90));
    lw_json_number(writer, "least", statistics_percentile(outcome->times, outcome->count, 0));
    lw_json_open(writer, "rounds", '[');
    for (unsigned i = 0; i < results->rounds; i++)
        lw_json_number(writer, NULL, outcome->rounds[i]);
    lw_json_close(writer);
    if ((int)t != results->subject && (int)t != results->limit) {
        lw_json_number(writer, "ratio", ratio.median);
        lw_json_number(writer, "ratio_p10", ratio.low);
        lw_json_number(writer, "ratio_p90", ratio.high);
    }
    if ((int)t != results->limit) {
        lw_json_number(writer, "share", row_share(results, row, t));
        lw_json_number(writer, "build", outcome->build);
        lw_json_number(writer, "first_run", outcome->first);
        lw_json_number(writer, "cold_build", outcome_cold_build(outcome));
    }
}

static void
put_outcome(struct lw_json *writer, const struct results *results, const struct row *row, unsigned t)
{
    const struct outcome *outcome = &row->outcomes[t];

    lw_json_open(writer, NULL, '{');
    lw_json_text(writer, "platform", results->targets[t].label);
    lw_json_text(writer, "status", outcome->status == OUTCOME_NONE ? "none" : outcome_word(outcome->status));
    if (outcome->status != OUTCOME_RIGHT) {
        lw_json_text(writer, "reason", outcome->reason);
        lw_json_text(writer, "log", outcome->log);
    } else {
        put_times(writer, results, row, t);
    }
    if (outcome->subgroup)
        lw_json_integer(writer, "sub_group", outcome->subgroup);
    lw_json_close(writer);
}

static void
put_row(struct lw_json *writer, const struct results *results, const struct row *row)
{
    const struct description *description = row->kernel->description;

    lw_json_open(writer, NULL, '{');
    lw_json_text(writer, "name", description->name);
    lw_json_text(writer, "title", description->title);
    lw_json_text(writer, "group", description->group);
    lw_json_text(writer, "description", description->path);
    lw_json_integer(writer, "size", row->size);
    put_sizes(writer, "global", row->global, row->dimensions);
    put_sizes(writer, "local", row->local, row->dimensions);
    lw_json_number(writer, "bytes", row->bytes);
    lw_json_number(writer, "flops", row->flops);
    lw_json_number(writer, "packets", row->packets);
    lw_json_text(writer, "expected_from", row->expected_from ? row->expected_from : "reference");
    lw_json_open(writer, "results", '[');
    for (unsigned t = 0; t < results->target_count; t++)
        put_outcome(writer, results, row, t);
    lw_json_close(writer);
    lw_json_close(writer);
}

static void
put_geometric(struct lw_json *writer, const struct results *results, const char *key,
              const struct geometric *geometric)
{
    lw_json_open(writer, key, '{');
    lw_json_number(writer, "mean", geometric_mean(geometric));
    lw_json_integer(writer, "kernels", (long long)geometric->count);
    if (geometric->count) {
        lw_json_number(writer, "least", geometric->least);
        lw_json_text(writer, "least_kernel", results->suite.kernels[geometric->least_at].description->name);
        lw_json_number(writer, "most", geometric->most);
        lw_json_text(writer, "most_kernel", results->suite.kernels[geometric->most_at].description->name);
    }
    lw_json_close(writer);
}

static void
put_summary(struct lw_json *writer, const struct results *results,
            const struct configuration *configuration)
{
    struct geometric best = results_best_peer(results, configuration);

    lw_json_open(writer, "geometric_means", '{');
    for (unsigned t = 0; t < results->target_count; t++) {
        struct geometric geometric = results_geometric(results, configuration, NULL, t);
        const char *group = NULL;

        if ((int)t == results->subject)
            continue;
        lw_json_open(writer, (int)t == results->limit ? "share" : results->targets[t].label, '{');
        put_geometric(writer, results, "all", &geometric);
        for (size_t i = 0; i < results->suite.count; i++) {
            const char *next = results->suite.kernels[i].description->group;

            if (group && !strcmp(group, next))
                continue;
            group = next;
            geometric = results_geometric(results, configuration, group, t);
            put_geometric(writer, results, group, &geometric);
        }
        lw_json_close(writer);
    }
    put_geometric(writer, results, "faster of the peers", &best);
    lw_json_close(writer);
}

static void
put_platforms(struct lw_json *writer, const struct results *results)
{
    lw_json_open(writer, "platforms", '[');
    for (unsigned t = 0; t < results->target_count; t++) {
        const struct target *target = &results->targets[t];

        lw_json_open(writer, NULL, '{');
        lw_json_text(writer, "label", target->label);
        lw_json_bool(writer, "limit", (int)t == results->limit);
        lw_json_bool(writer, "subject", (int)t == results->subject);
        lw_json_text(writer, "library", target->library);
        lw_json_text(writer, "name", target->name);
        lw_json_text(writer, "version", target->version);
        lw_json_text(writer, "device", target->device);
        lw_json_text(writer, "driver", target->driver);
        lw_json_text(writer, "programs", target->form);
        lw_json_number(writer, "peak_memory_mib", results->memory[t] / 1024);
        lw_json_close(writer);
    }
    lw_json_close(writer);
}

static void
put_figures(struct lw_json *writer, const struct results *results)
{
    lw_json_open(writer, "figures", '[');
    for (size_t i = 0; i < results->figure_count; i++) {
        const struct figure *figure = &results->figures[i];

        lw_json_open(writer, NULL, '{');
        lw_json_text(writer, "name", figure->name);
        lw_json_text(writer, "text", figure->text);
        lw_json_text(writer, "unit", figure->unit);
        lw_json_number(writer, "goal", figure->goal > 0 ? figure->goal : NAN);
        lw_json_open(writer, "values", '{');
        for (unsigned t = 0; t < results->target_count; t++)
            if ((int)t != results->limit)
                lw_json_number(writer, results->targets[t].label, figure->values[t]);
        lw_json_close(writer);
        lw_json_close(writer);
    }
    lw_json_close(writer);
}

void
json_report(struct text *out, const struct results *results, const struct options *options)
{
    struct lw_json writer = {0};

    lw_json_begin(&writer);
    lw_json_text(&writer, "tool", "lanewise-bench");
    lw_json_text(&writer, "version", VERSION);
    lw_json_text(&writer, "date", results->date);
    lw_json_text(&writer, "command", results->command);
    lw_json_open(&writer, "machine", '{');
    lw_json_text(&writer, "processor", results->processor);
    lw_json_text(&writer, "system", results->system);
    lw_json_integer(&writer, "threads", (long long)options->threads);
    lw_json_text(&writer, "limit_isa", results->limit >= 0 ? results->limit_isa : NULL);
    lw_json_close(&writer);
    put_platforms(&writer, results);
    lw_json_open(&writer, "configurations", '[');
    for (size_t c = 0; c < results->configuration_count; c++) {
        const struct configuration *configuration = &results->configurations[c];

        lw_json_open(&writer, NULL, '{');
        lw_json_text(&writer, "label", configuration->label ? configuration->label : "");
        lw_json_text(&writer, "isa", configuration->isa);
        lw_json_open(&writer, "kernels", '[');
        for (size_t i = 0; i < results->suite.count; i++)
            if (configuration->rows[i].kernel)
                put_row(&writer, results, &configuration->rows[i]);
        lw_json_close(&writer);
        put_summary(&writer, results, configuration);
        lw_json_close(&writer);
    }
    lw_json_close(&writer);
    put_figures(&writer, results);
    lw_json_close(&writer);
    text_add(out, "%s\n", lw_json_written(&writer, true));
    lw_json_free(&writer);
}
