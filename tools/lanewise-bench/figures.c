/* SPDX-License-Identifier: MIT */
/* What is measured beside throughput. opencl-latency does it, with the platforms and processors of this run.
 */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/shared/json.h"
#include "paths.h"

static const struct {
    const char *name, *unit, *text;
    double goal;
} table[] = {
    {"build", "ms", "a further program in the process: IL to first dispatch done", 10},
    {"program", "ms", "first program in a process, cold", 45},
    {"warm_program", "ms", "the same with a warm disk cache, new process", 3},
    {"result", "ms", "start of the process to its first result, cold", 0},
    {"warm_result", "ms", "the same with a warm disk cache", 0},
    {"empty", "us", "empty kernel, enqueue and finish", 1.0},
    {"empty_100", "us", "100 empty kernels, then one finish, each", 0.5},
    {"groups_10000", "us", "10,000 work-groups of 16", 15},
    {"groups_100000", "us", "100,000 work-groups of 1", 0},
    {"memory", "MiB", "peak memory of a process that ran one small kernel", 60},
    {"warm_memory", "MiB", "the same from a warm disk cache", 20},
};

static struct figure *
add(struct results *results, const char *name, const char *unit, const char *text, double goal)
{
    struct figure *figure;

    results->figures = memory_grow(results->figures, (results->figure_count + 1) * sizeof *results->figures);
    figure = &results->figures[results->figure_count++];
    *figure = (struct figure){text_copy(name), text_copy(unit), text_copy(text), goal, {0}};
    for (unsigned t = 0; t < MAX_TARGETS; t++)
        figure->values[t] = NAN;
    return figure;
}

/* opencl-latency knows one platform of a library: the first. */
static bool
is_asked(const struct results *results, unsigned target)
{
    return results->targets[target].kind == TARGET_PLATFORM && results->targets[target].index == 0;
}

static _Noreturn void
become_tool(const struct results *results, const struct workshop *workshop, const char *tool, unsigned rounds,
            const char *output)
{
    char *arguments[8 + 4 * MAX_TARGETS], *count = text_make("%u", rounds);
    size_t n = 0;

    arguments[n++] = (char *)tool;
    arguments[n++] = "--json";
    arguments[n++] = "--quiet";
    arguments[n++] = "--rounds";
    arguments[n++] = count;
    for (unsigned t = 0; t < results->target_count; t++) {
        if (!is_asked(results, t))
            continue;
        arguments[n++] = "--icd";
        arguments[n++] = text_make("%s=%s", results->targets[t].label, results->targets[t].vendors);
        if (results->targets[t].library_path) {
            arguments[n++] = "--library-path";
            arguments[n++] = results->targets[t].library_path;
        }
    }
    arguments[n] = NULL;
    if (!freopen(output, "w", stdout))
        _exit(126);
    if (!workshop->verbose && !freopen("/dev/null", "w", stderr))
        _exit(126);
    if (workshop->isa)
        workshop_set_isa(workshop->isa);
    sched_setaffinity(0, sizeof workshop->processors, &workshop->processors);
    execv(tool, arguments);
    _exit(127);
}

static bool
run_tool(const struct results *results, struct workshop *workshop, const char *tool, unsigned rounds,
         const char *output)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        become_tool(results, workshop, tool, rounds, output);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

static void
take(struct results *results, struct json_object *document)
{
    struct json_object *platforms = lw_json_get(document, "/platforms");

    for (size_t f = 0; f < sizeof table / sizeof table[0]; f++) {
        struct figure *figure = add(results, table[f].name, table[f].unit, table[f].text, table[f].goal);

        for (size_t p = 0; p < lw_json_count(platforms); p++)
            for (unsigned t = 0; t < results->target_count; t++)
                if (is_asked(results, t) &&
                    !strcmp(lw_json_get_text(json_object_array_get_idx(platforms, p), "/name"),
                            results->targets[t].label)) {
                    char *path = text_make("/figures/%s/median", table[f].name);

                    figure->values[t] = lw_json_get_number(json_object_array_get_idx(platforms, p), path);
                    free(path);
                }
    }
}

bool
figures_measure(struct results *results, struct workshop *workshop, unsigned rounds, char *error,
                size_t error_bytes)
{
    char *tool = paths_tool("opencl-latency"), *output = text_make("%s/latency.json", workshop->folder),
         *text = NULL;
    struct json_object *document = NULL;
    char why[200] = "it gave nothing";

    if (!tool) {
        snprintf(error, error_bytes, "opencl-latency is not beside lanewise-bench");
    } else if (!run_tool(results, workshop, tool, rounds, output) || !(text = file_read(output, NULL)) ||
               !(document = lw_json_read(text, why, sizeof why))) {
        snprintf(error, error_bytes, "%s: %s", tool, why);
    } else {
        take(results, document);
    }
    free(tool);
    free(output);
    free(text);
    if (!document)
        return false;
    json_object_put(document);
    return true;
}

void
figures_add_builds(struct results *results)
{
    struct figure *figure =
        add(results, "suite_build", "ms", "cold build of a kernel of the suite, median", 10);
    double *times = memory_get(results->suite.count * sizeof *times);

    for (unsigned t = 0; t < results->target_count; t++) {
        size_t count = 0;

        for (size_t i = 0; i < results->suite.count; i++) {
            double time = outcome_cold_build(&results->configurations[0].rows[i].outcomes[t]);

            if (!isnan(time))
                times[count++] = time * 1e3;
        }
        if ((int)t != results->limit)
            figure->values[t] = statistics_median(times, count);
    }
    free(times);
}
