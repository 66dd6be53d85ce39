/* SPDX-License-Identifier: MIT */
/* The kernel's arguments, all of them: parsed and bound (arguments.c does each), their memory, what it holds,
 * and what the watching process is told of them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"

/* A file's numbers are taken as they lie; that they are of another kind than the kernel reads may be a
 * mistake. */
static void
compare_types(const struct cli_arg *arg, const lw_arg_info *info, unsigned i)
{
    if (arg->form != CLI_ARG_FILE || !arg->npy.letter || !*info->scalar || !strcmp(info->scalar, "i8"))
        return;
    char letter = arg->npy.letter == 'u' ? 'i' : arg->npy.letter;
    unsigned bits = arg->npy.bytes * 8;
    if (*info->scalar != letter || (unsigned)atoi(info->scalar + 1) != bits)
        fprintf(stderr, "warning: argument %u (%s): '%s' has %c%u, and the parameter is %s\n", i, info->name,
                arg->rest, arg->npy.letter, bits, info->type);
}

/* All buffers together must fit in the machine: better a sentence than a killed process. */
static bool
have_memory(const struct cli_arg *arg, size_t *total, char why[200])
{
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

    *total += arg->value ? 0 : arg->bytes; /* each is below 2^46: no overflow */
    if (*total <= machine)
        return true;
    snprintf(why, 200, "no memory for its %zu bytes", arg->bytes);
    return false;
}

/* What follows the module is an argument of the kernel, which not everybody expects of an option. */
static bool
told_late_option(struct cli *cli)
{
    const char *late = cli_option_among_arguments(&cli->options);
    if (late)
        cli_fail(cli, CLI_USAGE,
                 "'%s' comes after the module, where everything is an argument of the kernel: options "
                 "precede the module",
                 late);
    return late;
}

bool
cli_bind_arguments(struct cli *cli)
{
    const struct cli_options *o = &cli->options;
    char label[120], why[200];
    size_t total = 0;

    if (!o->dimensions) {
        if (!told_late_option(cli))
            cli_fail(cli, CLI_USAGE, "-g is missing: how many work-items run kernel '%s'?", cli->info.name);
        cli_hint_usage(cli);
        return false;
    }
    if (o->arg_count != cli->info.arg_count) {
        if (!told_late_option(cli))
            cli_fail(cli, CLI_USAGE, "kernel '%s' takes %u argument%s, and %u %s given", cli->info.name,
                     cli->info.arg_count, cli->info.arg_count == 1 ? "" : "s", o->arg_count,
                     o->arg_count == 1 ? "was" : "were");
        cli_hint_usage(cli);
        return false;
    }
    for (uint32_t i = 0; i < o->arg_count; i++) {
        struct cli_arg *arg = &cli->args[i];
        cli_arg_label(cli, i, label);
        cli->bound = i + 1;
        if (cli_arg_parse(arg, o->args[i], why) && cli_arg_bind(arg, &cli->arg_infos[i], why) &&
            have_memory(arg, &total, why)) {
            compare_types(arg, &cli->arg_infos[i], i);
            continue;
        }
        cli_fail(cli, CLI_USAGE, "%s: %s", label, why);
        cli_hint_usage(cli);
        return false;
    }
    return true;
}

void
cli_share_arguments(struct cli *cli)
{
    struct cli_shared *shared = cli->shared;

    for (uint32_t i = 0; i < cli->bound; i++) {
        const struct cli_arg *arg = &cli->args[i];
        if (!arg->region.map)
            continue;
        shared->args[i].base = (uint64_t)(uintptr_t)arg->region.base;
        shared->args[i].bytes = arg->bytes;
        shared->args[i].count = arg->count;
        shared->args[i].cut = arg->cut;
        shared->args[i].first = arg->first;
        shared->args[i].end = arg->end;
        snprintf(shared->args[i].name, sizeof shared->args[i].name, "%.63s", cli->arg_infos[i].name);
        snprintf(shared->args[i].type, sizeof shared->args[i].type, "%s", arg->type->name);
    }
    shared->arg_count = cli->bound;
    lw_local_object object;
    for (uint32_t i = 0; i < CLI_MAX_LOCALS && lw_kernel_local_object(cli->kernel, i, &object); i++) {
        shared->locals[i].offset = object.offset;
        shared->locals[i].bytes = object.bytes;
        shared->locals[i].argument = object.argument;
        snprintf(shared->locals[i].name, sizeof shared->locals[i].name, "%.63s", object.name);
        shared->local_count = i + 1;
    }
}

bool
cli_fill_arguments(struct cli *cli)
{
    char label[120], why[200];

    for (uint32_t i = 0; i < cli->bound; i++)
        if (!cli_arg_fill(&cli->args[i], why)) {
            cli_arg_label(cli, i, label);
            return cli_fail(cli, CLI_USAGE, "%s: %s", label, why);
        }
    return true;
}

/* A buffer ends exactly at its guard page where the kernel takes the address that this gives, else as near to
 * it as the alignment of the parameter's type allows. */
bool
cli_set_arguments(struct cli *cli)
{
    lw_error error;
    char why[200];

    for (uint32_t i = 0; i < cli->bound; i++) {
        struct cli_arg *arg = &cli->args[i];
        size_t align = cli->exact && !cli->options.time ? 1 : CLI_MOST_ALIGNED;
        for (;; align *= 2) {
            if (!cli_arg_allocate(arg, align, why))
                return cli_fail(cli, CLI_USAGE, "argument %u: %s", i, why);
            if (cli_arg_set(arg, cli->device, cli->kernel, i, &cli->arg_infos[i], &error))
                break;
            if (!arg->region.map || align >= CLI_MOST_ALIGNED)
                return cli_fail_lw(cli, &error);
            cli_region_free(&arg->region);
        }
    }
    return true;
}

bool
cli_check_slack(struct cli *cli)
{
    char label[120];
    ptrdiff_t where;

    for (uint32_t i = 0; i < cli->bound; i++) {
        const struct cli_arg *arg = &cli->args[i];
        if (!arg->region.map || cli_region_intact(&arg->region, &where))
            continue;
        cli_arg_label(cli, i, label);
        return cli_fail(cli, CLI_FAULT, "kernel '%s' wrote %zu bytes %s %s, a buffer of %zu bytes (%s[%zu])",
                        cli->info.name, where < 0 ? (size_t)-where : (size_t)where - arg->bytes,
                        where < 0 ? "before" : "past the end of", label, arg->bytes, arg->type->name,
                        arg->count);
    }
    return true;
}
