/* SPDX-License-Identifier: MIT */
/* What follows from the measured times. */
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
outcome_median(const struct outcome *outcome)
{
    return outcome->status == OUTCOME_RIGHT ? statistics_median(outcome->times, outcome->count) : NAN;
}

double
outcome_spread(const struct outcome *outcome)
{
    if (outcome->status != OUTCOME_RIGHT)
        return NAN;
    return (statistics_percentile(outcome->times, outcome->count, 90) -
            statistics_percentile(outcome->times, outcome->count, 10)) /
           2 / outcome_median(outcome);
}

const char *
outcome_word(enum outcome_status status)
{
    static const char *const words[] = {"-", "right", "wrong", "crashed", "hung", "not built", "not run"};

    return words[status];
}

struct ratio
row_ratio(const struct results *results, const struct row *row, unsigned other)
{
    const struct outcome *subject = &row->outcomes[results->subject], *peer = &row->outcomes[other];

    if (subject->status != OUTCOME_RIGHT || peer->status != OUTCOME_RIGHT)
        return (struct ratio){NAN, NAN, NAN};
    return statistics_ratio(subject->rounds, peer->rounds, results->rounds);
}

double
row_share(const struct results *results, const struct row *row, unsigned target)
{
    const struct outcome *limit, *outcome = &row->outcomes[target];

    if (results->limit < 0)
        return NAN;
    limit = &row->outcomes[results->limit];
    if (limit->status != OUTCOME_RIGHT || outcome->status != OUTCOME_RIGHT)
        return NAN;
    return statistics_ratio(outcome->rounds, limit->rounds, results->rounds).median;
}

double
outcome_cold_build(const struct outcome *outcome)
{
    double median = outcome_median(outcome);

    return outcome->build + outcome->first - median > 0 ? outcome->build + outcome->first - median : NAN;
}

struct geometric
results_geometric(const struct results *results, const struct configuration *configuration, const char *group,
                  unsigned target)
{
    struct geometric geometric = {0};

    for (size_t i = 0; i < results->suite.count; i++)
        if (!group || !strcmp(results->suite.kernels[i].description->group, group))
            geometric_add(&geometric, row_ratio(results, &configuration->rows[i], target).median, i);
    return geometric;
}

struct geometric
results_best_peer(const struct results *results, const struct configuration *configuration)
{
    struct geometric geometric = {0};

    for (size_t i = 0; i < results->suite.count; i++) {
        double worst = NAN;

        for (unsigned t = 0; t < results->target_count; t++) {
            double ratio = row_ratio(results, &configuration->rows[i], t).median;

            if ((int)t != results->subject && (int)t != results->limit && !(ratio >= worst))
                worst = isnan(ratio) ? worst : ratio;
        }
        geometric_add(&geometric, worst, i);
    }
    return geometric;
}

static void
row_free(struct row *row)
{
    for (unsigned t = 0; t < MAX_TARGETS; t++) {
        free(row->outcomes[t].reason);
        free(row->outcomes[t].log);
        free(row->outcomes[t].times);
    }
    free(row->expected_from);
}

void
results_free(struct results *results)
{
    for (size_t c = 0; c < results->configuration_count; c++) {
        for (size_t i = 0; results->configurations[c].rows && i < results->suite.count; i++)
            row_free(&results->configurations[c].rows[i]);
        free(results->configurations[c].rows);
        free(results->configurations[c].label);
    }
    free(results->configurations);
    for (size_t i = 0; i < results->figure_count; i++) {
        free(results->figures[i].name);
        free(results->figures[i].unit);
        free(results->figures[i].text);
    }
    free(results->figures);
    for (unsigned t = 0; t < results->target_count; t++)
        target_free(&results->targets[t]);
    suite_free(&results->suite);
    free(results->date);
    free(results->processor);
    free(results->system);
    free(results->command);
}
