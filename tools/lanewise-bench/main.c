/* SPDX-License-Identifier: MIT */
/* lanewise-bench: OpenCL platforms and code written by hand, side by side on a suite of kernels.
 *
 *   options.c help.c               the command line
 *   description.c expression.c case.c suite*.c      which kernels, with which numbers and files
 *   contents.c npy.c element.c compare.c            data, and whether results are right
 *   platforms.c target.c message.c                  worker processes as the parent sees them
 *   worker.c opencl_*.c limit_worker.c hand.c pool.c    what runs in them
 *   measure.c statistics.c results.c figures.c      rounds, and what follows from their times
 *   table.c json*.c html.c plot.c baseline.c format.c   what comes out */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "figures.h"
#include "hand.h"
#include "machine.h"
#include "measure.h"
#include "paths.h"
#include "report.h"
#include "worker.h"

enum { EXIT_GOOD = 0, EXIT_UNRIGHT = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

struct bench {
    struct options options;
    struct workshop workshop;
    struct results results;
    struct baseline baseline;
    struct target reference;
    FILE *out; /* the table */
    char doing[160];
    bool terminal, interrupted;
};

static int
complain(const char *error)
{
    fprintf(stderr, "error: %s\n", error);
    return EXIT_USAGE;
}

static void
show_progress(void *listener, const char *what)
{
    struct bench *bench = listener;

    if (!bench->options.progress)
        return;
    if (bench->terminal)
        fprintf(stderr, "\r\033[K%s: %s", bench->doing, what);
    else if (!strncmp(what, "build", 5))
        fprintf(stderr, "%s\n", bench->doing);
    fflush(stderr);
}

static void
clear_progress(const struct bench *bench)
{
    if (bench->options.progress && bench->terminal)
        fputs("\r\033[K", stderr);
}

static bool
is_interrupted(struct bench *bench)
{
    sigset_t pending;

    if (sigpending(&pending) == 0 &&
        (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1))
        bench->interrupted = true;
    return bench->interrupted;
}

/* ---- What there is to measure ---- */

/* One beside the built-in kernels, whose own are compiled when they are asked for. */
static bool
add_suite(struct suite *suite, const char *name, char *error, size_t error_bytes)
{
    char *folder = text_make("%s/%s", paths_suite(), name);
    bool good = suite_add(suite, folder, false, error, error_bytes);

    free(folder);
    return good;
}

static bool
find_suite(struct bench *bench, char *error, size_t error_bytes)
{
    struct suite *suite = &bench->results.suite;

    if (!bench->options.no_suite && !suite_add(suite, paths_suite(), true, error, error_bytes))
        return false;
    if (bench->options.strangers && !add_suite(suite, "strangers", error, error_bytes))
        return false;
    if (bench->options.images && !add_suite(suite, "images", error, error_bytes))
        return false;
    if (bench->options.pipes && !add_suite(suite, "pipes", error, error_bytes))
        return false;
    for (size_t i = 0; i < bench->options.folder_count; i++)
        if (!suite_add(suite, bench->options.folders[i], false, error, error_bytes))
            return false;
    if (!suite_keep(suite, bench->options.kernels, bench->options.groups, error, error_bytes))
        return false;
    suite_sort(suite);
    return true;
}

static const char *
limit_isa(const char *asked)
{
    if (asked && strncmp(asked, "avx512", 6) != 0)
        return hand_supported(asked) ? asked : NULL;
    return hand_supported("avx512") ? "avx512" : hand_supported("avx2") ? "avx2" : NULL;
}

/* The platforms of --source, by their labels. */
static bool
mark_from_source(struct results *results, const char *names, char *error, size_t error_bytes)
{
    for (const char *name = names; *name; name += strcspn(name, ","), name += *name == ',') {
        size_t length = strcspn(name, ",");
        bool found = false;

        for (unsigned t = 0; t < results->target_count; t++) {
            struct target *target = &results->targets[t];

            if (strlen(target->label) != length || strncmp(target->label, name, length))
                continue;
            found = target->from_source = true;
            free(target->form);
            target->form = text_copy("OpenCL C");
        }
        if (!found) {
            snprintf(error, error_bytes, "--source %.*s: no platform is called that: --list shows them",
                     (int)length, name);
            return false;
        }
    }
    return true;
}

static void
add_openmp(struct bench *bench)
{
    static const char *const labels[] = {"openmp", "openmp-fast"};
    static const char *const forms[] = {"clang-22 -O3 -march=native", "the same with -ffast-math"};
    struct results *results = &bench->results;

    for (int fast = 0; fast < 2 && bench->options.openmp && results->target_count < MAX_TARGETS; fast++)
        results->targets[results->target_count++] = (struct target){.kind = TARGET_OPENMP,
                                                                    .label = text_copy(labels[fast]),
                                                                    .name = text_copy("plain C with OpenMP"),
                                                                    .form = text_copy(forms[fast]),
                                                                    .fast_math = fast};
}

static bool
find_targets(struct bench *bench, char *error, size_t error_bytes)
{
    struct results *results = &bench->results;
    int count = platforms_find(&bench->workshop, bench->options.icds, bench->options.icd_count,
                               results->targets, error, error_bytes);

    if (count < 0)
        return false;
    results->target_count = (unsigned)count;
    if (bench->options.source && !mark_from_source(results, bench->options.source, error, error_bytes))
        return false;
    results->limit = results->subject = -1;
    for (int t = 0; t < count; t++)
        if (bench->options.subject ? !strcmp(results->targets[t].label, bench->options.subject)
                                   : results->targets[t].ours)
            results->subject = results->subject < 0 ? t : results->subject;
    if (results->subject < 0 && bench->options.subject) {
        snprintf(error, error_bytes, "--subject %s: no platform is called that: --list shows them",
                 bench->options.subject);
        return false;
    }
    results->subject = results->subject < 0 ? 0 : results->subject;
    add_openmp(bench);
    count = (int)results->target_count;
    results->limit_isa = limit_isa(bench->options.isa);
    if (bench->options.no_limit || count == MAX_TARGETS)
        return true;
    if (!results->limit_isa) {
        fprintf(stderr, "warning: no limit: the versions by hand need AVX2 or AVX-512%s\n",
                bench->options.isa ? ", which --isa or the processor excludes" : "");
        return true;
    }
    results->limit = count;
    results->targets[results->target_count++] = (struct target){.kind = TARGET_LIMIT,
                                                                .label = text_copy("by hand"),
                                                                .name = text_copy("intrinsics in C"),
                                                                .form = text_copy(results->limit_isa)};
    return true;
}

/* One configuration, or those of the sweep. */
static void
make_configurations(struct bench *bench)
{
    static const char *const isas[] = {"sse4.2", "avx2", "avx512"};
    struct results *results = &bench->results;
    enum sweep sweep = bench->options.sweep;
    size_t count = sweep == SWEEP_SUB_GROUP ? 5 : sweep == SWEEP_ISA ? 3 : sweep == SWEEP_LOCAL_SIZE ? 7 : 1;

    results->configurations = memory_get(count * sizeof *results->configurations);
    for (size_t i = 0; i < count; i++) {
        struct configuration *made = &results->configurations[results->configuration_count];

        *made = (struct configuration){.overrides = bench->options.overrides, .isa = bench->options.isa};
        if (sweep == SWEEP_SUB_GROUP) {
            made->overrides.subgroup = 4 << i;
            made->label = text_make("sub-group size %d", 4 << i);
        } else if (sweep == SWEEP_ISA) {
            if (i == 2 && !__builtin_cpu_supports("avx512f")) {
                fprintf(stderr, "warning: this processor has no AVX-512: not in the sweep\n");
                continue;
            }
            made->isa = isas[i];
            made->label = text_copy(isas[i]);
        } else if (sweep == SWEEP_LOCAL_SIZE) {
            made->overrides.local[0] = 16 << i;
            made->overrides.local_dimensions = 1;
            made->label = text_make("local size %d", 16 << i);
        }
        made->rows = memory_get(results->suite.count * sizeof *made->rows);
        results->configuration_count++;
    }
}

static void
print_list(struct bench *bench)
{
    const char *group = "";

    for (unsigned t = 0; t < bench->results.target_count; t++) {
        const struct target *target = &bench->results.targets[t];

        if (t == 0)
            fprintf(bench->out, "%-12s %-28s %-10s %s\n", "platform", "name", "programs", "version");
        fprintf(bench->out, "%-12s %-28.28s %-10s %s\n", target->label, target->name, target->form,
                target->version ? target->version : "");
    }
    for (size_t i = 0; i < bench->results.suite.count; i++) {
        const struct description *description = bench->results.suite.kernels[i].description;

        if (strcmp(group, description->group))
            fprintf(bench->out, "\n-- %s\n", description->group);
        group = description->group;
        fprintf(bench->out, "%-24s %s\n", description->name, description->title);
    }
}

/* ---- Measuring ---- */

static bool
measure_configuration(struct bench *bench, size_t index, char *error, size_t error_bytes)
{
    struct results *results = &bench->results;
    struct configuration *configuration = &results->configurations[index];
    struct measurement measurement = {&bench->workshop, results,       &bench->reference,
                                      &bench->options,  show_progress, bench};
    struct suite_wants wants = {results->limit >= 0 ? limit_isa(configuration->isa) : NULL,
                                configuration->isa, bench->options.openmp};
    const char *group = "";

    for (unsigned t = 0; t < results->target_count && index > 0; t++)
        target_stop(&results->targets[t]); /* their environment may change */
    bench->workshop.isa = configuration->isa;
    table_heading(bench->out, results, configuration, bench->baseline.document != NULL);
    for (size_t i = 0; i < results->suite.count && !is_interrupted(bench); i++) {
        struct suite_kernel *kernel = &results->suite.kernels[i];
        struct row *row = &configuration->rows[i];

        if (!suite_prepare(kernel, bench->workshop.folder, &wants, error, error_bytes))
            return false;
        snprintf(bench->doing, sizeof bench->doing, "[%zu/%zu] %s", index * results->suite.count + i + 1,
                 results->suite.count * results->configuration_count, kernel->description->name);
        measure_kernel(&measurement, kernel, configuration, row);
        clear_progress(bench);
        if (strcmp(group, kernel->description->group))
            table_group(bench->out, kernel->description->group);
        group = kernel->description->group;
        table_row(bench->out, results, configuration, row, &bench->baseline);
    }
    table_summary(bench->out, results, configuration, bench->options.verbose);
    return true;
}

static void
take_memory(struct bench *bench)
{
    for (unsigned t = 0; t < bench->results.target_count; t++) {
        struct target *target = &bench->results.targets[t];
        struct message answer;
        struct text question;

        bench->results.memory[t] = NAN;
        if (!target->process)
            continue;
        message_begin(&question, "memory");
        if (target_ask(&bench->workshop, target, &question, 10, &answer) == ASKED_OK)
            bench->results.memory[t] = message_number(&answer, "kib");
        message_free(&answer);
    }
}

static void
measure_figures(struct bench *bench)
{
    char error[512];

    figures_add_builds(&bench->results);
    if (!bench->options.no_figures && !is_interrupted(bench)) {
        snprintf(bench->doing, sizeof bench->doing, "builds, dispatch, memory");
        show_progress(bench, "opencl-latency");
        if (!figures_measure(&bench->results, &bench->workshop, 3, error, sizeof error))
            fprintf(stderr, "warning: %s\n", error);
        clear_progress(bench);
    }
    table_figures(bench->out, &bench->results);
}

static bool
write_reports(struct bench *bench)
{
    struct text text = {0};
    bool good = true;

    if (bench->options.json) {
        json_report(&text, &bench->results, &bench->options);
        if (!strcmp(bench->options.json, "-"))
            good = fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0;
        else
            good = file_write(bench->options.json, text.data, text.length);
        if (!good)
            fprintf(stderr, "error: --json %s: %s\n", bench->options.json, strerror(errno));
        text_free(&text);
    }
    if (good && bench->options.html) {
        html_report(&text, &bench->results, &bench->options, &bench->baseline);
        good = file_write(bench->options.html, text.data, text.length);
        if (!good)
            fprintf(stderr, "error: --html %s: %s\n", bench->options.html, strerror(errno));
        text_free(&text);
    }
    return good;
}

/* The subject's and the limit's results: all right? */
static bool
all_right(const struct results *results)
{
    for (size_t c = 0; c < results->configuration_count; c++)
        for (size_t i = 0; i < results->suite.count; i++) {
            const struct row *row = &results->configurations[c].rows[i];

            if (row->outcomes[results->subject].status > OUTCOME_RIGHT)
                return false;
            if (results->limit >= 0 && row->outcomes[results->limit].status > OUTCOME_RIGHT)
                return false;
        }
    return true;
}

/* A file that cannot be written is better known before an hour of measuring than after. */
static bool
check_writable(const char *path, const char *option)
{
    FILE *file;

    if (!path || !strcmp(path, "-"))
        return true;
    file = fopen(path, "ab");
    if (!file) {
        fprintf(stderr, "error: %s %s: %s\n", option, path, strerror(errno));
        return false;
    }
    fclose(file);
    return true;
}

static int
run(struct bench *bench)
{
    struct results *results = &bench->results;
    char error[4096] = "";

    if (!workshop_open(&bench->workshop, bench->options.threads))
        return EXIT_USAGE;
    bench->options.threads = bench->workshop.threads;
    bench->workshop.timeout = bench->options.timeout;
    bench->workshop.verbose = bench->options.verbose;
    bench->workshop.isa = bench->options.isa;
    results->rounds = bench->options.rounds;
    results->date = machine_date();
    results->processor = machine_processor();
    results->system = machine_system();
    if (!find_suite(bench, error, sizeof error))
        return complain(error);
    if (!find_targets(bench, error, sizeof error)) {
        if (!bench->options.list || bench->options.icd_count || bench->options.subject ||
            bench->options.source)
            return complain(error);
        fprintf(stderr, "warning: %s\n", error); /* the kernels can be listed without any */
    }
    if (bench->options.list) {
        print_list(bench);
        return EXIT_GOOD;
    }
    make_configurations(bench);
    fprintf(bench->out, "%s, %u threads; %s\n", results->processor, bench->workshop.threads, results->date);
    for (unsigned t = 0; t < results->target_count; t++)
        fprintf(bench->out, "%s: %s%s%s, %s\n", results->targets[t].label, results->targets[t].name,
                results->targets[t].version ? ", " : "",
                results->targets[t].version ? results->targets[t].version : "", results->targets[t].form);
    fputc('\n', bench->out);
    for (size_t c = 0; c < results->configuration_count && !is_interrupted(bench); c++)
        if (!measure_configuration(bench, c, error, sizeof error))
            return complain(error);
    take_memory(bench);
    measure_figures(bench);
    if (!write_reports(bench))
        return EXIT_USAGE;
    return bench->interrupted ? EXIT_INTERRUPTED : all_right(results) ? EXIT_GOOD : EXIT_UNRIGHT;
}

static char *
join_command(int count, char **arguments)
{
    struct text text = {0};

    text_add(&text, "lanewise-bench");
    for (int i = 1; i < count; i++) {
        bool plain =
            *arguments[i] && strspn(arguments[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                  "0123456789-_=/.,:+@") == strlen(arguments[i]);

        text_add(&text, plain ? " %s" : " '%s'", arguments[i]);
    }
    return text_take(&text);
}

static void
hold_signals(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

int
main(int count, char **arguments)
{
    struct bench bench = {.results = {.limit = -1}, .reference = {.kind = TARGET_REFERENCE}};
    char error[512];
    int status = EXIT_USAGE;

    if (count > 1 && !strcmp(arguments[1], "--worker"))
        return worker_main(count, arguments);
    if (!options_parse(&bench.options, count, arguments, error, sizeof error)) {
        complain(error);
        fprintf(stderr, "lanewise-bench --help lists the options\n");
        options_free(&bench.options);
        return EXIT_USAGE;
    }
    bench.terminal = isatty(2);
    bench.out = bench.options.json && !strcmp(bench.options.json, "-") ? stderr : stdout;
    if (bench.options.help || bench.options.version) {
        if (bench.options.help)
            help_print();
        else
            puts("lanewise-bench " VERSION);
        options_free(&bench.options);
        return EXIT_GOOD;
    }
    bench.results.command = join_command(count, arguments);
    bench.reference.label = text_copy("reference");
    if (!check_writable(bench.options.json, "--json") || !check_writable(bench.options.html, "--html"))
        status = EXIT_USAGE;
    else if (bench.options.baseline &&
             !baseline_read(&bench.baseline, bench.options.baseline, error, sizeof error))
        status = complain(error);
    else {
        hold_signals();
        status = run(&bench);
    }
    target_free(&bench.reference);
    results_free(&bench.results);
    workshop_close(&bench.workshop);
    baseline_free(&bench.baseline);
    options_free(&bench.options);
    return status;
}
