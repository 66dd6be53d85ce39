/* SPDX-License-Identifier: MIT */
/* What went wrong: the first failure of a process, with its hint, and how the user is told. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

bool
cli_fail(struct cli *cli, enum cli_exit status, const char *format, ...)
{
    va_list list;

    if (cli->status)
        return false;
    cli->status = status;
    va_start(list, format);
    vsnprintf(cli->error, sizeof cli->error, format, list);
    va_end(list);
    return false;
}

bool
cli_fail_lw(struct cli *cli, const lw_error *error)
{
    enum cli_exit status = CLI_UNSUPPORTED;

    if (error->status == LW_BAD_MODULE || error->status == LW_INTERNAL)
        status = CLI_MISMATCH;
    else if (error->status == LW_BAD_ARGUMENT || error->status == LW_NOT_FOUND)
        status = CLI_USAGE;
    return cli_fail(cli, status, "%s", error->text);
}

void
cli_hint(struct cli *cli, const char *format, ...)
{
    va_list list;
    size_t length = strlen(cli->hint);

    va_start(list, format);
    vsnprintf(cli->hint + length, sizeof cli->hint - length, format, list);
    va_end(list);
}

/* Control characters of module strings and file names stay out of the terminal. */
static void
print_clean(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fputc(*c < 32 && *c != '\n' && *c != '\t' ? '?' : *c, out);
}

static void
print_error(const struct cli *cli, FILE *out)
{
    fprintf(out, "error: ");
    if (cli->shared && cli->shared->ranks > 1)
        fprintf(out, "rank %u: ", cli->shared->rank);
    print_clean(out, cli->error);
    fprintf(out, "\n");
    print_clean(out, cli->hint);
}

/* In one piece: mpirun, and other ranks, write there too. */
static void
tell_error(const struct cli *cli)
{
    char *text = NULL;
    size_t size = 0;
    FILE *whole = open_memstream(&text, &size);
    if (whole)
        print_error(cli, whole);
    if (whole && fclose(whole) == 0)
        fwrite(text, 1, size, stderr);
    else
        print_error(cli, stderr);
    free(text);
}

void
cli_report(struct cli *cli)
{
    struct lw_json *json = &cli->json;

    if (cli->silent)
        return;
    if (cli->status)
        tell_error(cli);
    if (!cli->options.json || (!cli->status && cli->shared && cli->shared->rank))
        return;
    /* an error in the middle of the document: only the error is told */
    if (json->depth != 1)
        lw_json_begin(json);
    lw_json_integer(json, "status", cli->status);
    if (cli->status)
        lw_json_text(json, "error", cli->error);
    if (cli->status && *cli->hint)
        lw_json_text(json, "hint", cli->hint);
    lw_json_close(json);
    fprintf(cli->text, "%s\n", lw_json_written(json, false));
    lw_json_free(json);
}
