/* SPDX-License-Identifier: MIT */
/* The command line: options before MODULE, arguments after it; --help. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

enum option_id {
    OPT_LIST,
    OPT_KERNEL,
    OPT_GLOBAL,
    OPT_LOCAL,
    OPT_OFFSET,
    OPT_SUB_GROUP,
    OPT_SPEC,
    OPT_PRINT,
    OPT_OUTPUT,
    OPT_EXPECT,
    OPT_RTOL,
    OPT_ATOL,
    OPT_ULP,
    OPT_TIME,
    OPT_REPETITIONS,
    OPT_ISA,
    OPT_THREADS,
    OPT_TIMEOUT,
    OPT_SPLIT,
    OPT_REDUCE,
    OPT_DUMP,
    OPT_EXPLAIN,
    OPT_HTML,
    OPT_VALIDATE,
    OPT_JSON,
    OPT_VERSION,
    OPT_HELP,
    OPT_HELP_ENV
};

static const struct option_row {
    char letter;
    const char *name;
    bool takes_value;
    enum option_id id;
} rows[] = {
    {'l', "list", false, OPT_LIST},
    {'k', "kernel", true, OPT_KERNEL},
    {'g', "global", true, OPT_GLOBAL},
    {'w', "local", true, OPT_LOCAL},
    {0, "offset", true, OPT_OFFSET},
    {'s', "sub-group-size", true, OPT_SUB_GROUP},
    {0, "spec", true, OPT_SPEC},
    {0, "print", true, OPT_PRINT},
    {'o', "output", true, OPT_OUTPUT},
    {0, "expect", true, OPT_EXPECT},
    {0, "rtol", true, OPT_RTOL},
    {0, "atol", true, OPT_ATOL},
    {0, "ulp", true, OPT_ULP},
    {0, "time", false, OPT_TIME},
    {'n', "repetitions", true, OPT_REPETITIONS},
    {0, "isa", true, OPT_ISA},
    {0, "threads", true, OPT_THREADS},
    {0, "timeout", true, OPT_TIMEOUT},
    {0, "split", true, OPT_SPLIT},
    {0, "reduce", true, OPT_REDUCE},
    {0, "dump", true, OPT_DUMP},
    {0, "explain", false, OPT_EXPLAIN},
    {0, "html", true, OPT_HTML},
    {0, "validate", false, OPT_VALIDATE},
    {0, "json", false, OPT_JSON},
    {'V', "version", false, OPT_VERSION},
    {'h', "help", false, OPT_HELP},
    {0, "help-env", false, OPT_HELP_ENV},
};

static void
help(FILE *out)
{
    fputs(
        "Usage: spirv-run [options] MODULE.spv|MODULE.spvasm|- [ARG ...]\n"
        "Runs one OpenCL kernel of a SPIR-V module. One ARG per kernel argument, in order; options come "
        "before\n"
        "MODULE, everything after it is an ARG. '-' reads the module from standard input.\n"
        "\n"
        "What to run\n"
        "  -l, --list           list kernels, their arguments, required sizes and specialization constants\n"
        "  -k NAME              the kernel (default: the only one)\n"
        "  -g X[,Y,Z]           global size: how many work-items\n"
        "  -w X[,Y,Z]|auto      work-group size (default auto)\n"
        "  --offset X[,Y,Z]     global offset\n"
        "  -s N                 sub-group size: 4, 8, 16, 32 or 64\n"
        "  --spec ID=VALUE      specialization constant\n"
        "ARG\n"
        "  42  -1.5  1,2,3,4    a scalar or vector, read as the parameter's type\n"
        "  TYPE[N]              a buffer of zeros; TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64\n"
        "  TYPE[N]=SPEC         SPEC is zeros, iota (0 1 2 ...), fill:V, rand:SEED or V,V,V,...\n"
        "  @FILE.npy @FILE.bin  a buffer from a file (a .bin: bytes), or the bytes of a struct\n"
        "  hex:0102             a buffer of bytes, or the bytes of a struct\n"
        "  local:BYTES          local memory    null  a null pointer\n"
        "  queue  queue:BYTES   a queue on the device, of so many bytes; there is always a default one\n"
        "  pipe:TYPE[N]         an empty pipe for N packets; =SPEC fills it; TYPExM: packets of M elements\n"
        "  image2d:WxH:FORMAT   an image of zeros, or =SPEC of its channels, =@FILE.png, .npy or .bin; "
        "FORMAT: rgba bgra\n"
        "                       rg r a ... with 8 16 (normalized) 8s 16s i8 i16 i32 u8 u16 u32 f16 f32;\n"
        "                       image1d:W, image1d_buffer:W, image1d_array:WxN, image2d_array:WxHxN, "
        "image3d:WxHxD\n"
        "  sampler:MODE[,linear][,normalized]    MODE is none, edge, clamp, repeat or mirrored\n"
        "Results\n"
        "  --print I[:A:B]      show argument I (elements A up to B) after the run\n"
        "  -o I=FILE.npy|FILE.bin|FILE.png|-  save argument I; '-' is standard output, raw bytes\n"
        "  --expect I=SPEC|I=@FILE         compare argument I; exit 1 with the first differences\n"
        "  --rtol R  --atol A  --ulp N     what --expect tolerates (default: nothing)\n"
        "  --time [-n REPS]     compile time, and run time over REPS runs (default 10)\n"
        "  --explain            what the vectorizer made of each source line\n"
        "  --html FILE          --explain as a page: the source, coloured, beside it\n"
        "  --json               everything on standard output as one JSON object\n"
        "How\n"
        "  --isa sse4.2|avx2|avx512|avx512-vbmi|avx512-v4    --threads N    --timeout SECONDS\n"
        "  --dump STAGE[,STAGE]  stages of the compilation on standard error (as LANEWISE_DUMP)\n"
        "  --validate           let SPIRV-Tools validate the module first; without -g nothing else is done\n"
        "  --version  --help  --help-env (environment variables)\n"
        "Several processes: mpirun -n 4 spirv-run ... shares the work-groups out (docs/cluster.md)\n"
        "  --split I[,I]        buffers that are cut along with them; others are whole in each process\n"
        "  --reduce I=sum|min|max  a buffer that all contribute to\n"
        "\n"
        "Exit status: 0 done, 1 mismatch or bad module, 2 usage, 3 valid but unsupported, 4 the kernel "
        "faulted,\n"
        "124 timed out.\n"
        "\n"
        "Examples\n"
        "  clang-22 --target=spirv64 -x cl -cl-std=CL3.0 -O2 -c saxpy.cl -o saxpy.spv\n"
        "  spirv-run --list saxpy.spv\n"
        "  spirv-run -g 8 --print 3 saxpy.spv 8 0.5 'f32[8]=iota' 'f32[8]=fill:1'\n"
        "  spirv-run -g 1000000 -w 256 --time -n 20 --explain saxpy.spv 1000000 2 'f32[1000000]=rand:1' "
        "'f32[1000000]'\n"
        "  spirv-run -g 64,64 -o 1=out.npy blur.spv @in.npy 'f32[4096]' 64\n"
        "  spirv-as kernel.spvasm -o - | spirv-run -g 64 --expect '0=iota' - 'u32[64]'\n",
        out);
}

static void
help_environment(FILE *out)
{
    lw_help_env(out);
}

static bool
usage(struct cli *cli, const char *option, const char *value, const char *expected)
{
    cli_fail(cli, CLI_USAGE, "%s %s: expected %s", option, value, expected);
    cli_hint(cli, "  spirv-run --help shows the options\n");
    return false;
}

/* X[,Y[,Z]] */
static bool
read_sizes(const char *text, size_t out[3], uint32_t *dimensions)
{
    uint64_t value;

    for (uint32_t d = 0; d < 3; d++) {
        size_t length = strcspn(text, ",");
        if (!cli_parse_count(text, length, &value))
            return false;
        out[d] = value;
        text += length;
        if (!*text) {
            *dimensions = d + 1;
            for (d++; d < 3; d++)
                out[d] = out[0] ? 1 : 0;
            return true;
        }
        text++;
    }
    return false;
}

/* I=REST; NULL where the text has another form. */
static const char *
read_index(const char *text, uint32_t *index)
{
    const char *equals = strchr(text, '=');
    uint64_t value;

    if (!equals || !cli_parse_count(text, (size_t)(equals - text), &value) || value > UINT32_MAX ||
        !equals[1])
        return NULL;
    *index = (uint32_t)value;
    return equals + 1;
}

static bool
read_print(struct cli *cli, const char *value)
{
    struct cli_print *print = &cli->options.prints[cli->options.print_count];
    uint64_t parts[3] = {0, 0, 0};
    const char *at = value;
    unsigned n = 0;

    if (cli->options.print_count == CLI_MAX_ITEMS)
        return usage(cli, "--print", value, "at most 64 of them");
    while (n < 3) {
        size_t length = strcspn(at, ":");
        if (!cli_parse_count(at, length, &parts[n++]) || parts[0] > UINT32_MAX)
            return usage(cli, "--print", value, "I or I:A:B");
        at += length;
        if (!*at)
            break;
        at++;
    }
    if (*at || n == 2)
        return usage(cli, "--print", value, "I or I:A:B");
    *print = (struct cli_print){(uint32_t)parts[0], n == 3, parts[1], parts[2]};
    cli->options.print_count++;
    return true;
}

static bool
read_output(struct cli *cli, const char *value)
{
    struct cli_output *output = &cli->options.outputs[cli->options.output_count];
    const char *path = read_index(value, &output->argument);
    size_t length = path ? strlen(path) : 0;

    if (cli->options.output_count == CLI_MAX_ITEMS)
        return usage(cli, "-o", value, "at most 64 of them");
    if (!path)
        return usage(cli, "-o", value, "I=FILE.npy, I=FILE.bin, I=FILE.png or I=-");
    output->fd = -1;
    output->npy = length > 4 && !strcmp(path + length - 4, ".npy");
    output->path = !strcmp(path, "-") ? NULL : path;
    cli->options.output_count++;
    return true;
}

/* I,I,... */
static bool
read_split(struct cli *cli, const char *value)
{
    struct cli_options *o = &cli->options;
    uint64_t index;

    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        if (o->split_count == CLI_MAX_ITEMS || !cli_parse_count(at, length, &index) || index > UINT32_MAX)
            return usage(cli, "--split", value, "at most 64 numbers of arguments, I,I,I");
        o->splits[o->split_count++] = (uint32_t)index;
        at += length;
        if (!*at)
            return true;
    }
}

static bool
read_reduce(struct cli *cli, const char *value)
{
    static const char *const names[] = {"sum", "min", "max"};
    struct cli_options *o = &cli->options;
    struct cli_reduce *reduce = &o->reduces[o->reduce_count];
    const char *how = o->reduce_count < CLI_MAX_ITEMS ? read_index(value, &reduce->argument) : NULL;

    for (unsigned i = 0; how && i < 3; i++)
        if (!strcmp(how, names[i])) {
            reduce->how = (enum cli_reduction)i;
            o->reduce_count++;
            return true;
        }
    return usage(cli, "--reduce", value, "I=sum, I=min or I=max, at most 64 of them");
}

static bool
read_expect(struct cli *cli, const char *value)
{
    struct cli_expect *expect = &cli->options.expects[cli->options.expect_count];

    if (cli->options.expect_count == CLI_MAX_ITEMS)
        return usage(cli, "--expect", value, "at most 64 of them");
    expect->what = read_index(value, &expect->argument);
    if (!expect->what)
        return usage(cli, "--expect", value, "I=SPEC or I=@FILE");
    cli->options.expect_count++;
    return true;
}

static bool
read_spec(struct cli *cli, const char *value)
{
    struct cli_spec_value *spec = &cli->options.specs[cli->options.spec_count];

    if (cli->options.spec_count == CLI_MAX_ITEMS)
        return usage(cli, "--spec", value, "at most 64 of them");
    spec->text = read_index(value, &spec->id);
    if (!spec->text)
        return usage(cli, "--spec", value, "ID=VALUE");
    cli->options.spec_count++;
    return true;
}

static bool
read_real(struct cli *cli, const char *option, const char *value, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (*end || end == value || !(*out >= 0) || *out > 1e300)
        return usage(cli, option, value, "a number that is not negative");
    return true;
}

static bool
read_number(struct cli *cli, const char *option, const char *value, uint32_t high, uint32_t *out)
{
    uint64_t number;
    char expected[60];

    if (cli_parse_count(value, strlen(value), &number) && number >= 1 && number <= high) {
        *out = (uint32_t)number;
        return true;
    }
    snprintf(expected, sizeof expected, "a number from 1 to %u", high);
    return usage(cli, option, value, expected);
}

static bool
read_isa(struct cli *cli, const char *value)
{
    for (lw_isa isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512_FP16; isa++)
        if (!strcmp(value, lw_isa_name(isa))) {
            cli->options.isa = isa;
            return true;
        }
    return usage(cli, "--isa", value, "sse4.2, avx2, avx512, avx512-vbmi or avx512-v4");
}

static bool
read_sub_group_size(struct cli *cli, const char *value)
{
    uint32_t *n = &cli->options.sub_group_size;
    if (!read_number(cli, "-s", value, 64, n) || *n < 4 || (*n & (*n - 1)))
        return cli->status ? false : usage(cli, "-s", value, "4, 8, 16, 32 or 64");
    return true;
}

static bool
read_work_sizes(struct cli *cli, enum option_id id, const char *value)
{
    struct cli_options *o = &cli->options;
    static const char *const expected = "X, X,Y or X,Y,Z";

    if (id == OPT_GLOBAL)
        return read_sizes(value, o->global, &o->dimensions) || usage(cli, "-g", value, expected);
    if (id == OPT_OFFSET)
        return read_sizes(value, o->offset, &o->offset_dimensions) || usage(cli, "--offset", value, expected);
    o->local_dimensions = 0;
    if (!strcmp(value, "auto"))
        return true;
    if (!read_sizes(value, o->local, &o->local_dimensions))
        return usage(cli, "-w", value, "X, X,Y or X,Y,Z, or auto");
    for (uint32_t d = 0; d < o->local_dimensions; d++)
        if (o->local[d] == 0)
            return usage(cli, "-w", value, "sizes of at least 1");
    return true;
}

static bool
apply(struct cli *cli, enum option_id id, const char *value)
{
    struct cli_options *o = &cli->options;

    switch (id) {
    case OPT_LIST:
        o->list = true;
        return true;
    case OPT_TIME:
        o->time = true;
        return true;
    case OPT_EXPLAIN:
        o->explain = true;
        return true;
    case OPT_HTML:
        o->html = value;
        return true;
    case OPT_VALIDATE:
        o->validate = true;
        return true;
    case OPT_JSON:
        o->json = true;
        return true;
    case OPT_KERNEL:
        o->kernel = value;
        return true;
    case OPT_DUMP:
        o->dump = value;
        return true;
    case OPT_GLOBAL:
    case OPT_LOCAL:
    case OPT_OFFSET:
        return read_work_sizes(cli, id, value);
    case OPT_SUB_GROUP:
        return read_sub_group_size(cli, value);
    case OPT_SPEC:
        return read_spec(cli, value);
    case OPT_PRINT:
        return read_print(cli, value);
    case OPT_OUTPUT:
        return read_output(cli, value);
    case OPT_EXPECT:
        return read_expect(cli, value);
    case OPT_RTOL:
        o->tolerance = true;
        return read_real(cli, "--rtol", value, &o->rtol);
    case OPT_ATOL:
        o->tolerance = true;
        return read_real(cli, "--atol", value, &o->atol);
    case OPT_ULP:
        o->tolerance = true;
        return read_real(cli, "--ulp", value, &o->ulp);
    case OPT_TIMEOUT:
        return read_real(cli, "--timeout", value, &o->timeout);
    case OPT_REPETITIONS:
        return read_number(cli, "-n", value, 1000000, &o->repetitions);
    case OPT_THREADS:
        return read_number(cli, "--threads", value, 4096, &o->threads);
    case OPT_SPLIT:
        return read_split(cli, value);
    case OPT_REDUCE:
        return read_reduce(cli, value);
    case OPT_ISA:
        return read_isa(cli, value);
    default:
        return true;
    }
}

/* The row that `text` names, and the value attached to it ("-g64", "--isa=avx2") or NULL. */
static const struct option_row *
find_option(const char *text, const char **attached)
{
    *attached = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct option_row *row = &rows[i];
        size_t length = strlen(row->name);
        if (text[1] == '-') {
            if (strncmp(text + 2, row->name, length) || (text[2 + length] && text[2 + length] != '='))
                continue;
            *attached = text[2 + length] ? text + 3 + length : NULL;
            return row;
        }
        if (!row->letter || text[1] != row->letter || (text[2] && !row->takes_value))
            continue;
        *attached = text[2] ? text + 2 : NULL;
        return row;
    }
    return NULL;
}

const char *
cli_option_among_arguments(const struct cli_options *o)
{
    const char *attached;

    for (unsigned i = 0; i < o->arg_count; i++) {
        const struct option_row *row = o->args[i][0] == '-' ? find_option(o->args[i], &attached) : NULL;
        if (row && (!attached || o->args[i][1] == '-')) /* "-nan" is no "-n an" */
            return o->args[i];
    }
    return NULL;
}

/* Options that belong together. */
static bool
check_options(struct cli *cli)
{
    struct cli_options *o = &cli->options;

    if (o->local_dimensions && o->dimensions && o->local_dimensions != o->dimensions)
        return cli_fail(cli, CLI_USAGE, "-w has %u dimension%s, and -g has %u", o->local_dimensions,
                        o->local_dimensions == 1 ? "" : "s", o->dimensions);
    if (o->offset_dimensions && o->dimensions && o->offset_dimensions != o->dimensions)
        return cli_fail(cli, CLI_USAGE, "--offset has %u dimension%s, and -g has %u", o->offset_dimensions,
                        o->offset_dimensions == 1 ? "" : "s", o->dimensions);
    if (o->repetitions && !o->time)
        return cli_fail(cli, CLI_USAGE, "-n counts the repetitions of --time, which is not given");
    if (o->tolerance && !o->expect_count)
        return cli_fail(cli, CLI_USAGE, "--rtol, --atol and --ulp belong to --expect, which is not given");
    if (o->html && !o->explain)
        return cli_fail(cli, CLI_USAGE, "--html says where --explain is written, which is not given");
    if (!o->repetitions)
        o->repetitions = 10;
    if (o->arg_count > CLI_MAX_ARGS)
        return cli_fail(cli, CLI_USAGE, "%u arguments, and a kernel has at most %u", o->arg_count,
                        CLI_MAX_ARGS);
    return true;
}

bool
cli_options_read(struct cli *cli, int argc, char **argv, bool *finished)
{
    int i = 1;

    for (int k = 1; k < argc; k++) /* so that an error in an option before it is told in JSON too */
        if (!strcmp(argv[k], "--json"))
            cli->options.json = true;
        else if (argv[k][0] != '-')
            break;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *attached, *value;
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        const struct option_row *row = find_option(argv[i], &attached);
        if (!row || (attached && !row->takes_value)) {
            cli_fail(cli, CLI_USAGE, "no such option: %s", argv[i]);
            cli_hint(cli, "  spirv-run --help shows the options\n");
            return false;
        }
        value = attached;
        if (row->takes_value && !value && i + 1 >= argc)
            return cli_fail(cli, CLI_USAGE, "%s needs a value", argv[i]);
        if (row->takes_value && !value)
            value = argv[++i];
        *finished = row->id == OPT_HELP || row->id == OPT_HELP_ENV || row->id == OPT_VERSION;
        if (row->id == OPT_HELP)
            help(stdout);
        else if (row->id == OPT_HELP_ENV)
            help_environment(stdout);
        else if (row->id == OPT_VERSION)
            printf("spirv-run (Lanewise) %s\n", lw_version());
        if (*finished)
            return true;
        if (!apply(cli, row->id, value))
            return false;
    }
    if (i >= argc) {
        cli_fail(cli, CLI_USAGE, "which module? (a file, or - for standard input)");
        cli_hint(cli, "  spirv-run [options] MODULE.spv [ARG ...]\n  spirv-run --help shows the options\n");
        return false;
    }
    cli->options.module = argv[i];
    cli->options.args = argv + i + 1;
    cli->options.arg_count = (unsigned)(argc - i - 1);
    return check_options(cli);
}
