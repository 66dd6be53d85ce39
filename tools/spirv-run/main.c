/* SPDX-License-Identifier: MIT */
/* spirv-run: runs one kernel of a SPIR-V module from the command line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"

#define MAX_MODULE_BYTES ((size_t)256 << 20)

/* The whole input; NULL and an error on failure. */
static bool
read_input(struct cli *cli)
{
    const char *path = cli->options.module;
    bool standard = !strcmp(path, "-");
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    size_t room = 65536, size = 0;
    unsigned char *bytes = NULL;

    if (fd < 0 || fstat(fd, &status))
        return cli_fail(cli, CLI_USAGE, "cannot open '%s': %s", path, strerror(errno));
    if (S_ISREG(status.st_mode) && status.st_size > 0 && (size_t)status.st_size < MAX_MODULE_BYTES)
        room = (size_t)status.st_size + 2;
    for (;;) {
        unsigned char *grown = realloc(bytes, room);
        if (!grown) {
            cli_fail(cli, CLI_UNSUPPORTED, "out of memory");
            break;
        }
        bytes = grown;
        ssize_t n = read(fd, bytes + size, room - size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            cli_fail(cli, CLI_USAGE, "cannot read '%s': %s", path, strerror(errno));
            break;
        }
        size += (size_t)n;
        if (n == 0)
            break;
        if (size > MAX_MODULE_BYTES) {
            cli_fail(cli, CLI_MISMATCH, "'%s' is larger than %zu MiB, no module that this reads", path,
                     MAX_MODULE_BYTES >> 20);
            break;
        }
        if (room - size < 2)
            room *= 2;
    }
    if (!standard)
        close(fd);
    if (cli->status) {
        free(bytes);
        return false;
    }
    bytes[size] = 0;
    cli->module = bytes;
    cli->module_size = size;
    return true;
}

/* Binary by its magic number; text where the name says so, or where stdin has no NUL and no magic. */
static void
recognise(struct cli *cli)
{
    static const unsigned char little[] = {3, 2, 0x23, 7}, big[] = {7, 0x23, 2, 3};
    const char *path = cli->options.module;
    size_t length = strlen(path), size = cli->module_size;

    if (size >= 4 && (!memcmp(cli->module, little, 4) || !memcmp(cli->module, big, 4)))
        return;
    bool named = length > 7 && !strcmp(path + length - 7, ".spvasm");
    bool binary = size == 0 || memchr(cli->module, 0, size) != NULL;
    cli->module_is_text = named || (!strcmp(path, "-") && !binary);
}

int
main(int argc, char **argv)
{
    static struct cli cli;
    bool finished = false;
    unsigned rank;

    cli.text = stdout;
    cli.launched = cli_ranks_launched(&rank) > 1;
    if (!cli_options_read(&cli, argc, argv, &finished)) {
        cli.silent = cli.launched && rank; /* all have the same command line */
        goto fail;
    }
    if (finished)
        return fflush(stdout) || ferror(stdout) ? CLI_USAGE : CLI_DONE;
    for (unsigned i = 0; i < cli.options.output_count; i++)
        if (!cli.options.outputs[i].path)
            cli.text = stderr; /* stdout belongs to the data */
    if (!read_input(&cli))
        goto fail;
    recognise(&cli);
    if (!cli_outputs_open(&cli)) {
        cli_outputs_finish(&cli, false);
        goto fail;
    }
    int status = cli_watch(&cli);
    free(cli.module);
    if (!cli.status)
        return status; /* the child has told what there was to tell */
fail:
    cli_report(&cli);
    return cli.status;
}
