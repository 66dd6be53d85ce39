/* SPDX-License-Identifier: MIT */
/* The child: module, kernel, arguments, the run, its results. Read cli_run first. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "spirv/text.h"
#include "cli.h"

static double
milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Text is assembled; --validate is answered. */
static bool
prepare_module(struct cli *cli)
{
    lw_error error = {0};

    if (cli->module_is_text) {
        uint32_t *words;
        size_t count;
        if (!lw_text_assemble((const char *)cli->module, cli->module_size, &words, &count, &error)) {
            if (error.status == LW_OK || error.status == LW_BAD_ARGUMENT)
                error.status = LW_BAD_MODULE;
            return cli_fail_lw(cli, &error);
        }
        free(cli->module);
        cli->module = (unsigned char *)words;
        cli->module_size = count * 4;
    }
    if (!cli->options.validate)
        return true;
    if (cli->module_size % 4)
        return cli_fail(cli, CLI_MISMATCH, "'%s' is no SPIR-V module: %zu bytes are no whole number of words",
                        cli->options.module, cli->module_size);
    uint32_t *words = malloc(cli->module_size + 4);
    if (!words)
        return cli_fail(cli, CLI_UNSUPPORTED, "out of memory");
    memcpy(words, cli->module, cli->module_size);
    bool valid = lw_text_validate(words, cli->module_size / 4, &error);
    free(words);
    if (!valid && error.status == LW_OK)
        error.status = LW_BAD_MODULE;
    return valid || cli_fail_lw(cli, &error);
}

/* Stores `bits` of a constant by its type, "bool" as one byte. */
static bool
set_spec_value(struct cli *cli, const struct cli_spec_value *given)
{
    lw_spec_constant c;
    uint64_t bits;
    char why[200];
    lw_error error;

    for (uint32_t i = 0; i < lw_program_spec_constant_count(cli->program); i++) {
        if (!lw_program_spec_constant(cli->program, i, &c) || c.id != given->id)
            continue;
        const char *text = given->text;
        const struct cli_type *type = cli_find_type(c.type, strlen(c.type));
        if (!type) { /* bool */
            type = cli_find_type("u8", 2);
            text = !strcmp(text, "true") ? "1" : !strcmp(text, "false") ? "0" : text;
        }
        if (!cli_parse_number(type, true, text, strlen(text), &bits, why))
            return cli_fail(cli, CLI_USAGE, "--spec %u: %s", given->id, why);
        if (!strcmp(c.type, "bool"))
            bits = bits != 0;
        if (!lw_program_specialize(cli->program, c.id, &bits, c.size, &error))
            return cli_fail_lw(cli, &error);
        return true;
    }
    bool any = lw_program_spec_constant_count(cli->program) != 0;
    cli_fail(cli, CLI_USAGE, "--spec %u: the module has no %s", given->id,
             any ? "such specialization constant; it has:" : "specialization constants");
    for (uint32_t i = 0; i < lw_program_spec_constant_count(cli->program); i++)
        if (lw_program_spec_constant(cli->program, i, &c))
            cli_hint(cli, "  %u: %s %s\n", c.id, c.type, c.name ? c.name : "");
    return false;
}

/* OpenCL C in place of a module: the command that makes one of it. */
static void
hint_source(struct cli *cli)
{
    const char *path = cli->options.module, *dot = strrchr(path, '.');
    if (!dot || (strcmp(dot, ".cl") && strcmp(dot, ".clcpp")))
        return;
    cli_hint(cli, "  '%s' is source; this makes a module of it, which spirv-run takes:\n", path);
    cli_hint(cli,
             "  clang-22 --target=spirv64 -x cl -cl-std=%s -O2 -fno-discard-value-names -c %s -o %.*s.spv\n",
             strcmp(dot, ".cl") ? "CLC++2021" : "CL3.0", path, (int)(dot - path), path);
}

static bool
load(struct cli *cli)
{
    const struct cli_options *o = &cli->options;
    /* guards take room of their own, and change the code */
    bool as_it_is = o->list || o->time || o->explain || o->dump || getenv("LANEWISE_DUMP");
    lw_device_options settings = {.threads = o->threads,
                                  .isa = o->isa,
                                  .dump = o->dump,
                                  .explain = o->explain,
                                  .trace_groups = cli->tracing,
                                  .guard_local = as_it_is     ? 0
                                                 : cli->exact ? 1
                                                              : CLI_MOST_ALIGNED};
    lw_error error;

    if (!prepare_module(cli))
        return false;
    cli->device = lw_device_create(&settings, &error);
    if (!cli->device)
        return cli_fail_lw(cli, &error);
    cli->program = lw_program_create(cli->device, cli->module, cli->module_size, &error);
    if (!cli->program) {
        lw_error named = error;
        snprintf(named.text, sizeof named.text, "'%.200s': %.700s", o->module, error.text);
        cli_fail_lw(cli, error.status == LW_BAD_MODULE ? &named : &error);
        hint_source(cli);
        return false;
    }
    for (unsigned i = 0; i < o->spec_count; i++)
        if (!set_spec_value(cli, &o->specs[i]))
            return false;
    return true;
}

static bool
choose_kernel(struct cli *cli)
{
    uint32_t count = lw_program_kernel_count(cli->program);
    const char *name = cli->options.kernel;
    bool found = false;

    if (count == 0)
        return cli_fail(cli, CLI_USAGE, "'%s' has no kernel", cli->options.module);
    for (uint32_t i = 0; i < count && !found; i++) {
        if (!lw_program_kernel_info(cli->program, i, &cli->info))
            continue;
        cli->kernel_index = i;
        found = name ? !strcmp(name, cli->info.name) : count == 1;
    }
    if (!found) {
        if (name)
            cli_fail(cli, CLI_USAGE, "'%s' has no kernel '%s'; it has:", cli->options.module, name);
        else
            cli_fail(cli, CLI_USAGE,
                     "'%s' has several kernels, and -k names the one to run:", cli->options.module);
        for (uint32_t i = 0; i < count; i++)
            if (lw_program_kernel_info(cli->program, i, &cli->info))
                cli_hint(cli, "  %s\n", cli->info.name);
        return false;
    }
    snprintf(cli->shared->kernel, sizeof cli->shared->kernel, "%s", cli->info.name);
    for (uint32_t i = 0; i < cli->info.arg_count && i < CLI_MAX_ARGS; i++)
        if (!lw_program_arg_info(cli->program, cli->kernel_index, i, &cli->arg_infos[i]))
            return cli_fail(cli, CLI_UNSUPPORTED, "argument %u of kernel '%s' cannot be described", i,
                            cli->info.name);
    return true;
}

static bool
create_kernel(struct cli *cli)
{
    lw_error error;

    cli->kernel = lw_kernel_create(cli->program, cli->info.name, &error);
    if (!cli->kernel)
        return cli_fail_lw(cli, &error);
    if (cli->options.sub_group_size &&
        !lw_kernel_set_sub_group_size(cli->kernel, cli->options.sub_group_size, &error))
        return cli_fail_lw(cli, &error);
    cli->queue = lw_device_queue_create(cli->device, 0, &error);
    return (cli->queue && lw_kernel_set_default_queue(cli->kernel, cli->queue, &error)) ||
           cli_fail_lw(cli, &error);
}

/* What is asked of the results must exist: told before a long run rather than after it. */
static bool
check_requests(struct cli *cli)
{
    const struct cli_options *o = &cli->options;
    char why[200];

    for (unsigned i = 0; i < o->print_count; i++) {
        const struct cli_arg *arg = cli_buffer(cli, o->prints[i].argument, "--print");
        if (!arg)
            return false;
        if (o->prints[i].ranged && (o->prints[i].first > o->prints[i].end || o->prints[i].end > arg->count))
            return cli_fail(cli, CLI_USAGE, "--print asks for elements %zu to %zu, and argument %u has %zu",
                            o->prints[i].first, o->prints[i].end, o->prints[i].argument, arg->count);
    }
    for (unsigned i = 0; i < o->output_count; i++)
        if (!cli_buffer(cli, o->outputs[i].argument, "-o"))
            return false;
    for (unsigned i = 0; i < o->expect_count; i++) {
        const struct cli_arg *arg = cli_buffer(cli, o->expects[i].argument, "--expect");
        struct cli_spec spec;
        if (!arg)
            return false;
        if (o->expects[i].what[0] == '@')
            continue;
        bool good = cli_spec_parse(&spec, arg->type, arg->count, o->expects[i].what, why);
        cli_spec_free(&spec);
        if (!good)
            return cli_fail(cli, CLI_USAGE, "--expect %u: %s", o->expects[i].argument, why);
    }
    return true;
}

static void
set_range(struct cli *cli)
{
    const struct cli_options *o = &cli->options;

    cli->range.dimensions = o->dimensions;
    for (uint32_t d = 0; d < o->dimensions; d++) {
        cli->range.global[d] = o->global[d];
        cli->range.local[d] = o->local_dimensions ? o->local[d] : 0;
        cli->range.offset[d] = o->offset_dimensions ? o->offset[d] : 0;
    }
}

static bool
run_once(struct cli *cli, double *time)
{
    lw_error error;

    cli->shared->phase = CLI_PHASE_RUN;
    double begin = milliseconds();
    bool good = cli->ranks.count > 1
                    ? lw_kernel_run_slab(cli->kernel, &cli->range, cli->slab_first, cli->slab_end, &error)
                    : lw_kernel_run(cli->kernel, &cli->range, &error);
    *time = milliseconds() - begin;
    return good || cli_fail_lw(cli, &error);
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double
median_of(double *times, unsigned count)
{
    qsort(times, count, sizeof *times, by_value);
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

static void
tell_times(struct cli *cli, const double *times, unsigned count, double median, double load, double prepare)
{
    struct lw_json *json = &cli->json;
    lw_compile_info info;
    size_t local[3] = {0, 0, 0};
    lw_error error;

    lw_kernel_compile_info(cli->kernel, &info);
    if (cli->range.local[0])
        memcpy(local, cli->range.local, sizeof local);
    else
        lw_kernel_suggest_local_size(cli->kernel, &cli->range, local, &error);
    lw_json_open(json, "time", '{');
    lw_json_number(json, "load_ms", load);
    lw_json_number(json, "prepare_ms", prepare);
    lw_json_number(json, "compile_ms", info.milliseconds);
    lw_json_unsigned(json, "compilations", info.compilations);
    lw_json_text(json, "isa", lw_isa_name(info.isa));
    lw_json_unsigned(json, "lanes", info.lanes);
    lw_json_unsigned(json, "sub_group_size", lw_kernel_sub_group_size(cli->kernel));
    lw_json_unsigned(json, "threads", lw_device_threads(cli->device));
    lw_json_unsigned(json, "code_bytes", info.code_bytes);
    lw_json_unsigned(json, "repetitions", count);
    lw_json_number(json, "run_min_ms", times[0]);
    lw_json_number(json, "run_median_ms", median);
    lw_json_close(json);
    if (json->depth)
        return;
    fprintf(cli->text, "kernel %s: %zu", cli->info.name, cli->range.global[0]);
    for (uint32_t d = 1; d < cli->range.dimensions; d++)
        fprintf(cli->text, " x %zu", cli->range.global[d]);
    fprintf(cli->text, " work-items in work-groups of %zu", local[0]);
    for (uint32_t d = 1; d < cli->range.dimensions; d++)
        fprintf(cli->text, " x %zu", local[d]);
    fprintf(cli->text, ", %u lanes of %s, %u thread%s\n", info.lanes, lw_isa_name(info.isa),
            lw_device_threads(cli->device), lw_device_threads(cli->device) == 1 ? "" : "s");
    if (info.compilations)
        fprintf(cli->text, "  load %.4g ms, compile %.4g ms (%.4g with loading the compiler)\n", load,
                info.milliseconds, prepare);
    else
        fprintf(cli->text, "  load %.4g ms, code from the disk cache %.4g ms\n", load, info.milliseconds);
    fprintf(cli->text, "  run  %.4g ms at best, %.4g median of %u\n", times[0], median, count);
}

/* Repetitions after the first run, each from the same contents: a kernel that updates in place computes the
 * same every time. The results have been shown by then. */
static bool
repeat(struct cli *cli, double first, double load, double prepare, struct cli_rank_report *report)
{
    unsigned count = cli->options.time ? cli->options.repetitions : 1;
    double *times = calloc(count, sizeof *times);
    bool good = times != NULL;

    if (!times)
        return cli_fail(cli, CLI_UNSUPPORTED, "out of memory");
    times[0] = first;
    for (unsigned i = 1; i < count && good; i++) {
        cli->shared->phase = CLI_PHASE_FILL;
        cli->shared->repetition = i + 1;
        good = cli_fill_arguments(cli) && run_once(cli, &times[i]);
    }
    cli->shared->phase = CLI_PHASE_RESULTS;
    report->run_median_ms = median_of(times, good ? count : 1);
    report->run_min_ms = times[0];
    if (good && cli->options.time && !cli->ranks.rank)
        tell_times(cli, times, count, report->run_median_ms, load, prepare);
    free(times);
    return good;
}

static void
explain(struct cli *cli)
{
    const char *report = lw_kernel_explain(cli->kernel);

    if (!report)
        cli_fail(cli, CLI_UNSUPPORTED, "the compiler gave no report to explain");
    else if (cli->options.html && !cli_explain_html(cli, report))
        return;
    else if (cli->json.depth)
        lw_json_add(&cli->json, "explain", lw_json_read(report, NULL, 0));
    else if (!cli->options.html)
        cli_explain_print(cli, report);
}

/* Fills the buffers and compiles. */
static bool
prepare_run(struct cli *cli, double *prepare_ms)
{
    lw_error error;

    cli->shared->phase = CLI_PHASE_FILL;
    if (!cli_fill_arguments(cli))
        return false;
    cli_ranks_note(cli);
    cli_share_arguments(cli);
    cli->shared->phase = CLI_PHASE_COMPILE;
    double begin = milliseconds();
    if (!(cli->ranks.count > 1
              ? lw_kernel_prepare_slab(cli->kernel, &cli->range, cli->slab_first, cli->slab_end, &error)
              : lw_kernel_prepare(cli->kernel, &cli->range, &error)))
        return cli_fail_lw(cli, &error);
    *prepare_ms = milliseconds() - begin;
    cli->shared->repetition = 1;
    return true;
}

/* Rank 0 has them all. */
static bool
show_results(struct cli *cli)
{
    bool good = cli_outputs_write(cli) && cli_print_results(cli) && cli_expect_results(cli);
    fflush(cli->text);
    return good;
}

static bool
run_kernel(struct cli *cli, bool good, double load_ms)
{
    struct cli_rank_report report = {0};
    double prepare_ms = 0, first = 0;

    if (!cli_ranks_agree(cli, good && prepare_run(cli, &prepare_ms)))
        return false;
    good = run_once(cli, &first);
    cli->shared->phase = CLI_PHASE_RESULTS;
    if (cli->tracing)
        return good;
    if (!cli_ranks_agree(cli, good && cli_check_slack(cli) && cli_ranks_check(cli)) || !cli_ranks_gather(cli))
        return false;
    if (!cli_ranks_agree(cli, cli->ranks.rank || show_results(cli)))
        return false;
    if (!cli_ranks_agree(cli, repeat(cli, first, load_ms, prepare_ms, &report)) ||
        !cli_ranks_tell(cli, &report))
        return false;
    if (cli->options.explain && !cli->ranks.rank)
        explain(cli);
    return cli->status == 0;
}

static bool
work(struct cli *cli)
{
    const struct cli_options *o = &cli->options;
    double begin = milliseconds(), load_ms = 0;
    bool list = o->list || (o->validate && !o->dimensions && !o->arg_count), good;

    if (!cli_ranks_join(cli))
        return false;
    good = load(cli);
    if (list)
        return cli_ranks_agree(cli, good && (cli->ranks.rank || !o->list || cli_list(cli)));
    good = good && choose_kernel(cli) && create_kernel(cli);
    load_ms = milliseconds() - begin;
    if (!cli_ranks_agree(cli, good && cli_bind_arguments(cli)))
        return false;
    set_range(cli);
    if (!cli_ranks_agree(cli, cli_ranks_share(cli)))
        return false;
    good = cli_set_arguments(cli) && check_requests(cli);
    return run_kernel(cli, good, load_ms);
}

int
cli_run(struct cli *cli)
{
    cli->shared->phase = CLI_PHASE_LOAD;
    if (cli->options.json && !cli->tracing)
        lw_json_begin(&cli->json);
    work(cli);
    if (!cli->tracing)
        cli_report(cli);
    cli_ranks_leave(cli);
    for (uint32_t i = 0; i < cli->bound; i++)
        cli_arg_free(&cli->args[i]);
    lw_kernel_release(cli->kernel);
    lw_device_queue_release(cli->queue);
    lw_program_release(cli->program);
    lw_device_release(cli->device);
    return cli->status;
}
