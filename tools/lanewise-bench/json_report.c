/* SPDX-License-Identifier: MIT */
/* --json: everything that was measured. */
#include <math.h>
#include <string.h>
#include "report.h"

static void
put_sizes(struct json_writer *writer, const char *key, const size_t *sizes, unsigned dimensions)
{
    json_open(writer, key, '[');
    for (unsigned i = 0; i < dimensions && sizes[0]; i++)
        json_integer(writer, NULL, (long long)sizes[i]);
    json_close(writer, ']');
}

static void
put_times(struct json_writer *writer, const struct results *results, const struct row *row, unsigned t)
{
    const struct outcome *outcome = &row->outcomes[t];
    struct ratio ratio = row_ratio(results, row, t);

    json_integer(writer, "runs", (long long)outcome->count);
    json_number(writer, "median", outcome_median(outcome));
    json_number(writer, "p10", statistics_percentile(outcome->times, outcome->count, 10));
    json_number(writer, "p90", statistics_percentile(outcome->times, outcome->count, 90));
    json_number(writer, "least", statistics_percentile(outcome->times, outcome->count, 0));
    json_open(writer, "rounds", '[');
    for (unsigned i = 0; i < results->rounds; i++)
        json_number(writer, NULL, outcome->rounds[i]);
    json_close(writer, ']');
    if ((int)t != results->subject && (int)t != results->limit) {
        json_number(writer, "ratio", ratio.median);
        json_number(writer, "ratio_p10", ratio.low);
        json_number(writer, "ratio_p90", ratio.high);
    }
    if ((int)t != results->limit) {
        json_number(writer, "share", row_share(results, row, t));
        json_number(writer, "build", outcome->build);
        json_number(writer, "first_run", outcome->first);
        json_number(writer, "cold_build", outcome_cold_build(outcome));
    }
}

static void
put_outcome(struct json_writer *writer, const struct results *results, const struct row *row, unsigned t)
{
    const struct outcome *outcome = &row->outcomes[t];

    json_open(writer, NULL, '{');
    json_text(writer, "platform", results->targets[t].label);
    json_text(writer, "status", outcome->status == OUTCOME_NONE ? "none" : outcome_word(outcome->status));
    if (outcome->status != OUTCOME_RIGHT) {
        json_text(writer, "reason", outcome->reason);
        json_text(writer, "log", outcome->log);
    } else {
        put_times(writer, results, row, t);
    }
    if (outcome->subgroup)
        json_integer(writer, "sub_group", outcome->subgroup);
    json_close(writer, '}');
}

static void
put_row(struct json_writer *writer, const struct results *results, const struct row *row)
{
    const struct description *description = row->kernel->description;

    json_open(writer, NULL, '{');
    json_text(writer, "name", description->name);
    json_text(writer, "title", description->title);
    json_text(writer, "group", description->group);
    json_text(writer, "description", description->path);
    json_integer(writer, "size", row->size);
    put_sizes(writer, "global", row->global, row->dimensions);
    put_sizes(writer, "local", row->local, row->dimensions);
    json_number(writer, "bytes", row->bytes);
    json_number(writer, "flops", row->flops);
    json_text(writer, "expected_from", row->expected_from ? row->expected_from : "reference");
    json_open(writer, "results", '[');
    for (unsigned t = 0; t < results->target_count; t++)
        put_outcome(writer, results, row, t);
    json_close(writer, ']');
    json_close(writer, '}');
}

static void
put_geometric(struct json_writer *writer, const struct results *results, const char *key,
              const struct geometric *geometric)
{
    json_open(writer, key, '{');
    json_number(writer, "mean", geometric_mean(geometric));
    json_integer(writer, "kernels", (long long)geometric->count);
    if (geometric->count) {
        json_number(writer, "least", geometric->least);
        json_text(writer, "least_kernel", results->suite.kernels[geometric->least_at].description->name);
        json_number(writer, "most", geometric->most);
        json_text(writer, "most_kernel", results->suite.kernels[geometric->most_at].description->name);
    }
    json_close(writer, '}');
}

static void
put_summary(struct json_writer *writer, const struct results *results,
            const struct configuration *configuration)
{
    struct geometric best = results_best_peer(results, configuration);

    json_open(writer, "geometric_means", '{');
    for (unsigned t = 0; t < results->target_count; t++) {
        struct geometric geometric = results_geometric(results, configuration, NULL, t);
        const char *group = NULL;

        if ((int)t == results->subject)
            continue;
        json_open(writer, (int)t == results->limit ? "share" : results->targets[t].label, '{');
        put_geometric(writer, results, "all", &geometric);
        for (size_t i = 0; i < results->suite.count; i++) {
            const char *next = results->suite.kernels[i].description->group;

            if (group && !strcmp(group, next))
                continue;
            group = next;
            geometric = results_geometric(results, configuration, group, t);
            put_geometric(writer, results, group, &geometric);
        }
        json_close(writer, '}');
    }
    put_geometric(writer, results, "faster of the peers", &best);
    json_close(writer, '}');
}

static void
put_platforms(struct json_writer *writer, const struct results *results)
{
    json_open(writer, "platforms", '[');
    for (unsigned t = 0; t < results->target_count; t++) {
        const struct target *target = &results->targets[t];

        json_open(writer, NULL, '{');
        json_text(writer, "label", target->label);
        json_bool(writer, "limit", (int)t == results->limit);
        json_bool(writer, "subject", (int)t == results->subject);
        json_text(writer, "library", target->library);
        json_text(writer, "name", target->name);
        json_text(writer, "version", target->version);
        json_text(writer, "device", target->device);
        json_text(writer, "driver", target->driver);
        json_text(writer, "programs", target->form);
        json_number(writer, "peak_memory_mib", results->memory[t] / 1024);
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

static void
put_figures(struct json_writer *writer, const struct results *results)
{
    json_open(writer, "figures", '[');
    for (size_t i = 0; i < results->figure_count; i++) {
        const struct figure *figure = &results->figures[i];

        json_open(writer, NULL, '{');
        json_text(writer, "name", figure->name);
        json_text(writer, "text", figure->text);
        json_text(writer, "unit", figure->unit);
        json_number(writer, "goal", figure->goal > 0 ? figure->goal : NAN);
        json_open(writer, "values", '{');
        for (unsigned t = 0; t < results->target_count; t++)
            if ((int)t != results->limit)
                json_number(writer, results->targets[t].label, figure->values[t]);
        json_close(writer, '}');
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

void
json_report(struct text *out, const struct results *results, const struct options *options)
{
    struct json_writer writer = {out, 0, false};

    json_open(&writer, NULL, '{');
    json_text(&writer, "tool", "lanewise-bench");
    json_text(&writer, "version", VERSION);
    json_text(&writer, "date", results->date);
    json_text(&writer, "command", results->command);
    json_open(&writer, "machine", '{');
    json_text(&writer, "processor", results->processor);
    json_text(&writer, "system", results->system);
    json_integer(&writer, "threads", (long long)options->threads);
    json_text(&writer, "limit_isa", results->limit >= 0 ? results->limit_isa : NULL);
    json_close(&writer, '}');
    put_platforms(&writer, results);
    json_open(&writer, "configurations", '[');
    for (size_t c = 0; c < results->configuration_count; c++) {
        const struct configuration *configuration = &results->configurations[c];

        json_open(&writer, NULL, '{');
        json_text(&writer, "label", configuration->label ? configuration->label : "");
        json_text(&writer, "isa", configuration->isa);
        json_open(&writer, "kernels", '[');
        for (size_t i = 0; i < results->suite.count; i++)
            if (configuration->rows[i].kernel)
                put_row(&writer, results, &configuration->rows[i]);
        json_close(&writer, ']');
        put_summary(&writer, results, configuration);
        json_close(&writer, '}');
    }
    json_close(&writer, ']');
    put_figures(&writer, results);
    json_close(&writer, '}');
}
