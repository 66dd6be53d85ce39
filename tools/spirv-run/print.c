/* SPDX-License-Identifier: MIT */
/* --print and -o: arguments shown and saved after the run. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"

void
cli_arg_label(const struct cli *cli, uint32_t index, char out[120])
{
    const char *name = index < cli->info.arg_count ? cli->arg_infos[index].name : "";
    if (name && *name)
        snprintf(out, 120, "argument %u (%.80s)", index, name);
    else
        snprintf(out, 120, "argument %u", index);
}

struct cli_arg *
cli_buffer(struct cli *cli, uint32_t index, const char *option)
{
    char label[120];

    if (index >= cli->info.arg_count) {
        cli_fail(cli, CLI_USAGE, "%s names argument %u, and kernel '%s' has %u (the first is 0)", option,
                 index, cli->info.name, cli->info.arg_count);
        return NULL;
    }
    if (cli->args[index].region.map)
        return &cli->args[index];
    cli_arg_label(cli, index, label);
    cli_fail(cli, CLI_USAGE, "%s names %s, which is no buffer", option, label);
    for (uint32_t i = 0; i < cli->info.arg_count; i++)
        if (cli->args[i].region.map) {
            cli_arg_label(cli, i, label);
            cli_hint(cli, "  %s is one\n", label);
        }
    return NULL;
}

static void
print_text(struct cli *cli, const struct cli_print *print, const struct cli_arg *arg)
{
    const char *name = cli->arg_infos[print->argument].name;
    char value[32];

    if (name && *name)
        fprintf(cli->text, "%s: [", name);
    else
        fprintf(cli->text, "argument %u: [", print->argument);
    for (size_t i = print->first; i < print->end; i++) {
        cli_format_bits(arg->type, cli_load_bits(arg->type, cli_elements(arg) + i * arg->type->size), value);
        fprintf(cli->text, "%s%s", i > print->first ? " " : "", value);
    }
    fprintf(cli->text, "]\n");
}

void
cli_json_bits(struct lw_json *json, const struct cli_type *type, uint64_t bits)
{
    char text[32];

    cli_format_bits(type, bits, text);
    if (type->kind == 'f' && strpbrk(text, "ni")) /* nan, inf */
        lw_json_text(json, NULL, text);
    else
        lw_json_spelt(json, NULL, text);
}

static void
print_json(struct cli *cli, const struct cli_print *print, const struct cli_arg *arg)
{
    struct lw_json *json = &cli->json;

    lw_json_open(json, NULL, '{');
    lw_json_unsigned(json, "argument", print->argument);
    lw_json_text(json, "name", cli->arg_infos[print->argument].name);
    lw_json_text(json, "type", arg->type->name);
    lw_json_unsigned(json, "first", print->first);
    lw_json_open(json, "values", '[');
    for (size_t i = print->first; i < print->end; i++)
        cli_json_bits(json, arg->type, cli_load_bits(arg->type, cli_elements(arg) + i * arg->type->size));
    lw_json_close(json);
    lw_json_close(json);
}

bool
cli_print_results(struct cli *cli)
{
    if (cli->options.print_count)
        lw_json_open(&cli->json, "print", '[');
    for (unsigned i = 0; i < cli->options.print_count; i++) {
        struct cli_print print = cli->options.prints[i];
        const struct cli_arg *arg = cli_buffer(cli, print.argument, "--print");
        if (!arg)
            return false;
        if (!print.ranged)
            print.end = arg->count;
        if (print.first > print.end || print.end > arg->count)
            return cli_fail(cli, CLI_USAGE, "--print asks for elements %zu to %zu, and argument %u has %zu",
                            print.first, print.end, print.argument, arg->count);
        if (cli->json.depth)
            print_json(cli, &print, arg);
        else
            print_text(cli, &print, arg);
    }
    if (cli->options.print_count)
        lw_json_close(&cli->json);
    return true;
}

/* Opened before the run: a name that cannot be written is told before a long computation, not after it. */
bool
cli_outputs_open(struct cli *cli)
{
    for (unsigned i = 0; i < cli->options.output_count; i++) {
        struct cli_output *output = &cli->options.outputs[i];
        struct stat status;

        if (!output->path) {
            output->fd = STDOUT_FILENO;
            continue;
        }
        bool there = stat(output->path, &status) == 0;
        if (there && (!S_ISREG(status.st_mode) || access(output->path, W_OK))) {
            output->fd = open(output->path, O_WRONLY | O_CLOEXEC); /* a device, a pipe; or says why not */
        } else {
            if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0)
                return cli_fail(cli, CLI_USAGE, "out of memory");
            output->fd = mkostemp(output->temporary, O_CLOEXEC);
            mode_t mask = umask(0);
            umask(mask);
            if (output->fd >= 0 && fchmod(output->fd, there ? status.st_mode & 0777 : 0666 & ~mask)) {
                /* a file system without modes: the file is as private as mkostemp made it */
            }
        }
        if (output->fd < 0) {
            int error = errno;
            free(output->temporary);
            output->temporary = NULL;
            return cli_fail(cli, CLI_USAGE, "cannot write '%s': %s", output->path, strerror(error));
        }
    }
    return true;
}

static bool
write_all(int fd, const unsigned char *from, size_t bytes)
{
    while (bytes) {
        ssize_t n = write(fd, from, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool
cli_outputs_write(struct cli *cli)
{
    for (unsigned i = 0; i < cli->options.output_count; i++) {
        struct cli_output *output = &cli->options.outputs[i];
        const struct cli_arg *arg = cli_buffer(cli, output->argument, "-o");
        char shape[40];

        if (!arg)
            return false;
        snprintf(shape, sizeof shape, "(%zu,)", arg->count);
        bool picture = output->path && cli_image_is_picture(output->path);
        if (picture && arg->form == CLI_ARG_IMAGE && cli_image_write_picture(arg, output->fd))
            continue;
        if (picture)
            return cli_fail(cli, CLI_USAGE, "cannot write '%s': a picture is of an image of 8 bits a channel",
                            output->path);
        bool good = (!output->npy ||
                     lw_npy_write_header(output->fd, arg->type->kind, arg->type->size,
                                         arg->npy.letter ? arg->npy.shape : shape)) &&
                    write_all(output->fd, cli_elements(arg), arg->bytes);
        if (!good)
            return cli_fail(cli, CLI_USAGE, "cannot write '%s': %s",
                            output->path ? output->path : "standard output", strerror(errno));
    }
    return true;
}

/* In the parent, when the child is done: the new files take their names, or leave no trace. */
void
cli_outputs_finish(struct cli *cli, bool keep)
{
    for (unsigned i = 0; i < cli->options.output_count; i++) {
        struct cli_output *output = &cli->options.outputs[i];
        if (output->path && output->fd >= 0 && close(output->fd) && keep)
            cli_fail(cli, CLI_USAGE, "cannot write '%s': %s", output->path, strerror(errno));
        if (!output->temporary)
            continue;
        if (!keep || rename(output->temporary, output->path)) {
            if (keep)
                cli_fail(cli, CLI_USAGE, "cannot write '%s': %s", output->path, strerror(errno));
            unlink(output->temporary);
        }
        free(output->temporary);
        output->temporary = NULL;
    }
}
