/* SPDX-License-Identifier: MIT */
/* --expect: a buffer after the run against a SPEC or a file, within tolerances.
 *
 * Equal are: equal values (so -0 and 0), two NaNs, and values whose difference is at most
 * max(atol + rtol * |expected|, ulp units in the last place).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"

#define SHOWN 8 /* differences */

/* Distance in representable values; infinite across a NaN. */
static double
ulp_distance(const struct cli_type *type, uint64_t a, uint64_t b)
{
    uint64_t top = UINT64_C(1) << (8 * type->size - 1);
    if (isnan(cli_bits_to_double(type, a)) || isnan(cli_bits_to_double(type, b)))
        return INFINITY;
    /* sign and magnitude to one ordered line */
    __int128 x = a & top ? -(__int128)(a & ~top) : (__int128)a;
    __int128 y = b & top ? -(__int128)(b & ~top) : (__int128)b;
    return (double)(x > y ? x - y : y - x);
}

static double
distance(const struct cli_type *type, uint64_t a, uint64_t b)
{
    if (type->kind == 'f')
        return fabs(cli_bits_to_double(type, a) - cli_bits_to_double(type, b));
    if (type->kind == 'u')
        return (double)(a > b ? a - b : b - a);
    unsigned shift = 64 - 8 * type->size;
    __int128 d = (__int128)((int64_t)(a << shift) >> shift) - ((int64_t)(b << shift) >> shift);
    return (double)(d < 0 ? -d : d);
}

static bool
equal(const struct cli_options *options, const struct cli_type *type, uint64_t got, uint64_t want)
{
    if (got == want)
        return true;
    double a = cli_bits_to_double(type, got), e = cli_bits_to_double(type, want);
    if (type->kind == 'f') {
        if (a == e || (isnan(a) && isnan(e)))
            return true;
        if (options->ulp > 0 && ulp_distance(type, got, want) <= options->ulp)
            return true;
        if (!isfinite(a) || !isfinite(e))
            return false;
    }
    double allowed = options->atol + options->rtol * fabs(e);
    return allowed > 0 && distance(type, got, want) <= allowed;
}

static void
report(struct cli *cli, const struct cli_arg *arg, size_t index, uint64_t got, uint64_t want)
{
    char a[32], e[32], off[80] = "";
    struct lw_json *json = &cli->json;

    cli_format_bits(arg->type, got, a);
    cli_format_bits(arg->type, want, e);
    double d = distance(arg->type, got, want);
    if (isfinite(d) && arg->type->kind == 'f')
        snprintf(off, sizeof off, " (off by %.3g, %.0f ulp)", d, ulp_distance(arg->type, got, want));
    cli_hint(cli, "  [%zu] is %s, expected %s%s\n", index, a, e, off);
    lw_json_open(json, NULL, '{');
    lw_json_unsigned(json, "index", index);
    lw_json_open(json, "is_and_expected", '[');
    cli_json_bits(json, arg->type, got);
    cli_json_bits(json, arg->type, want);
    lw_json_close(json);
    lw_json_close(json);
}

/* `reference`: elements, or NULL: of `spec`. */
static void
compare(struct cli *cli, uint32_t index, const struct cli_arg *arg, const struct cli_spec *spec,
        const unsigned char *reference)
{
    size_t differences = 0, first = 0;
    char label[120];

    lw_json_open(&cli->json, NULL, '{');
    lw_json_unsigned(&cli->json, "argument", index);
    lw_json_unsigned(&cli->json, "elements", arg->count);
    lw_json_open(&cli->json, "first", '[');
    bool earlier = cli->error[0] != 0; /* an earlier --expect has differed: its lines stay the hint */
    for (size_t i = 0; i < arg->count; i++) {
        uint64_t got = cli_load_bits(arg->type, cli_elements(arg) + i * arg->type->size);
        uint64_t want = reference ? cli_load_bits(arg->type, reference + i * arg->type->size)
                                  : cli_spec_bits(spec, arg->type, i);
        if (equal(&cli->options, arg->type, got, want))
            continue;
        if (differences++ == 0)
            first = i;
        if (differences <= SHOWN && !earlier)
            report(cli, arg, i, got, want);
    }
    lw_json_close(&cli->json);
    lw_json_unsigned(&cli->json, "differences", differences);
    lw_json_close(&cli->json);
    if (!differences)
        return;
    cli_arg_label(cli, index, label);
    if (earlier)
        cli_hint(cli, "  %s differs too, in %zu of %zu elements\n", label, differences, arg->count);
    else
        cli_fail(cli, CLI_MISMATCH, "%s of kernel '%s' differs in %zu of %zu elements, first at %zu", label,
                 cli->info.name, differences, arg->count, first);
}

static bool
expect_file(struct cli *cli, const struct cli_expect *expect, const struct cli_arg *arg)
{
    struct cli_arg file;
    const lw_arg_info pointer = {.kind = LW_ARG_POINTER, .type = "", .name = ""};
    char why[200];
    bool good = false;

    if (!cli_arg_parse(&file, expect->what, why) || !cli_arg_bind(&file, &pointer, why) ||
        !cli_arg_allocate(&file, 1, why) || !cli_arg_fill(&file, why))
        cli_fail(cli, CLI_USAGE, "--expect %u=%s: %s", expect->argument, expect->what, why);
    else if (file.npy.letter && file.type != arg->type)
        cli_fail(cli, CLI_USAGE, "--expect: '%s' has elements of type %s, argument %u of %s", file.rest,
                 file.type->name, expect->argument, arg->type->name);
    else if (file.bytes != arg->bytes)
        cli_fail(cli, CLI_USAGE, "--expect: '%s' has %zu bytes, argument %u has %zu", file.rest, file.bytes,
                 expect->argument, arg->bytes);
    else {
        compare(cli, expect->argument, arg, NULL, file.region.base);
        good = true;
    }
    cli_arg_free(&file);
    return good;
}

/* False where an --expect is wrong in itself; differences are an error of status CLI_MISMATCH. */
bool
cli_expect_results(struct cli *cli)
{
    if (cli->options.expect_count)
        lw_json_open(&cli->json, "expect", '[');
    for (unsigned i = 0; i < cli->options.expect_count; i++) {
        const struct cli_expect *expect = &cli->options.expects[i];
        const struct cli_arg *arg = cli_buffer(cli, expect->argument, "--expect");
        struct cli_spec spec;
        char why[200];

        if (!arg)
            return false;
        if (expect->what[0] == '@') {
            if (!expect_file(cli, expect, arg))
                return false;
            continue;
        }
        if (!cli_spec_parse(&spec, arg->type, arg->count, expect->what, why)) {
            cli_spec_free(&spec);
            return cli_fail(cli, CLI_USAGE, "--expect %u: %s", expect->argument, why);
        }
        compare(cli, expect->argument, arg, &spec, NULL);
        cli_spec_free(&spec);
    }
    if (cli->options.expect_count)
        lw_json_close(&cli->json);
    return cli->status == 0;
}
