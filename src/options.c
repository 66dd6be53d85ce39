/* SPDX-License-Identifier: MIT */
/* The environment: one table of LANEWISE_* variables, its reader and its printer (spirv-run --help-env). */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* How a row's text is read into its field, which has the type that the reader says. */
struct row {
    const char *name, *values;
    bool (*read)(const struct row *row, struct lw_options *options, const char *text);
    size_t field;
    unsigned low, high; /* of numbers */
    const char *what;
};

static void *
field_of(const struct row *row, struct lw_options *options)
{
    return (char *)options + row->field;
}

static bool
parse_number(const char *text, unsigned long low, unsigned long high, unsigned *out)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || *end || value < low || value > high)
        return false;
    *out = (unsigned)value;
    return true;
}

/* bool */
static bool
read_flag(const struct row *row, struct lw_options *options, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    *(bool *)field_of(row, options) = value;
    return true;
}

/* unsigned */
static bool
read_number(const struct row *row, struct lw_options *options, const char *text)
{
    return parse_number(text, row->low, row->high, field_of(row, options));
}

/* Which of the row's values `text` is, from 0; negative: none. */
static int
find_value(const struct row *row, const char *text)
{
    size_t length;
    int index = 0;
    for (const char *value = row->values;; value += length + 1, index++) {
        length = strcspn(value, "|");
        if (strlen(text) == length && strncmp(value, text, length) == 0)
            return index;
        if (!value[length])
            return -1;
    }
}

/* unsigned or an enum: the index among the row's values. */
static bool
read_word(const struct row *row, struct lw_options *options, const char *text)
{
    int index = find_value(row, text);
    if (index >= 0)
        *(unsigned *)field_of(row, options) = (unsigned)index;
    return index >= 0;
}

/* unsigned: one of the row's values, which are numbers. */
static bool
read_choice(const struct row *row, struct lw_options *options, const char *text)
{
    return find_value(row, text) >= 0 && parse_number(text, 0, UINT_MAX, field_of(row, options));
}

/* char *, malloc'd */
static bool
read_text(const struct row *row, struct lw_options *options, const char *text)
{
    char **field = field_of(row, options);
    free(*field);
    *field = strdup(text);
    return true;
}

/* Bytes, or with a letter behind. */
static bool
read_cache_size(const struct row *row, struct lw_options *options, const char *text)
{
    static const char letters[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *letter = *end ? strchr(letters, *end) : NULL;
    unsigned shift = letter ? 10 * (unsigned)(letter - letters + 1) : 0;
    (void)row;
    if (text[0] < '0' || text[0] > '9' || errno || (*end && (!letter || end[1])) ||
        value > UINT64_MAX >> 2 >> shift)
        return false;
    options->cache_size = value << shift;
    return true;
}

/* Listed here so that the table is the whole truth. */
static bool
read_elsewhere(const struct row *row, struct lw_options *options, const char *text)
{
    (void)row, (void)options, (void)text;
    return true;
}

/* Read by the compiler library, which alone gives up by it. */
static bool
read_budget(const struct row *row, struct lw_options *options, const char *text)
{
    unsigned number;
    (void)row, (void)options;
    return parse_number(text, 1, UINT32_MAX, &number);
}

/* The compiler library reads the number; what was compiled with another budget is not taken from the disk. */
static bool
read_inline(const struct row *row, struct lw_options *options, const char *text)
{
    char *end;
    errno = 0;
    (void)row;
    strtoull(text, &end, 10);
    options->own_budget = text[0] >= '0' && text[0] <= '9' && !errno && !*end;
    return options->own_budget;
}

#define FIELD(name) offsetof(struct lw_options, name)
#define FLAG(name) read_flag, FIELD(name), 0, 0
#define NUMBER(name, low, high) read_number, FIELD(name), low, high
#define WORD(name) read_word, FIELD(name), 0, 0
#define CHOICE(name) read_choice, FIELD(name), 0, 0
#define TEXT(name) read_text, FIELD(name), 0, 0
#define OWN(reader) reader, 0, 0, 0

static const struct row rows[] = {
    {"LANEWISE_ISA", "auto|sse4.2|avx2|avx512-v4|avx512-vbmi|avx512", WORD(isa),
     "instruction set that kernels are compiled for; above the machine's: ignored. avx512: what the "
     "processor has of it; avx512-vbmi: all but arithmetic in half; avx512-v4: the least"},
    {"LANEWISE_THREADS", "1..4096", NUMBER(threads, 1, 4096),
     "threads that run work-groups, the caller included; else by affinity mask and cgroup quota"},
    {"LANEWISE_SPIN", "0..10000", NUMBER(spin, 0, 10000),
     "microseconds for which an idle thread looks out for work before it sleeps, where work has been "
     "coming at such intervals, an eighth of it where not; 500 is the default"},
    {"LANEWISE_SUB_GROUP_SIZE", "4|8|16|32|64", CHOICE(sub_group_size),
     "sub-group size, and lanes of the code, where neither kernel nor program asks for one"},
    {"LANEWISE_LANES", "1|4|8|16|32|64", CHOICE(lanes),
     "lanes of specialised code, where the kernel cannot tell; 1: one work-item after the other. Else by "
     "its elements and loops, and by a race"},
    {"LANEWISE_RACE", "0|1", FLAG(race),
     "0: no other code, of other widths or with known arguments, is tried beside specialised code; 1 is the "
     "default"},
    {"LANEWISE_VALUES", "auto|always|never", WORD(values),
     "auto: integer arguments that stay from dispatch to dispatch are constants of code of its own, where "
     "that is faster; always: of all specialised code; never: only strides that are 1"},
    {"LANEWISE_GATHERS", "auto|fast|slow", WORD(gathers),
     "slow: lanes that read in many places load one after the other; auto: as the processor is"},
    {"LANEWISE_TIER", "auto|masked|specialised|first", WORD(tier),
     "which code runs: masked, for any local size; specialised on the shape at once; first code, which is "
     "soon compiled and slow; auto begins with that and decides by what pays"},
    {"LANEWISE_PROMPT", "0..10000", NUMBER(prompt, 0, 10000),
     "milliseconds that the first runs of kernels may wait in all for specialised code, and a fifth of the "
     "time that the device is there; 300 is the default, 0: first runs never wait for it"},
    {"LANEWISE_IMAGES", "0|1", FLAG(images),
     "0: the OpenCL device has no images and samplers"},
    {"LANEWISE_FAULTS", "0|1", FLAG(faults),
     "OpenCL: 0: a kernel that touches memory where there is none ends the process, and no signal is "
     "handled; 1, the default: it ends its launch, with an error"},
    {"LANEWISE_RESHAPE", "0|1", FLAG(reshape),
     "0: work-groups are never regrouped, even where a kernel cannot notice; 1 is the default"},
    {"LANEWISE_CROSS_CHECK", "0|1|2", CHOICE(cross_check),
     "1: each dispatch runs by masked, first and specialised code, and fails where they leave different "
     "memory; 2: tells at the end how many were compared, too; 0 is the default"},
    {"LANEWISE_CACHE_ENTRIES", "1..65536", NUMBER(cache_entries, 1, 65536),
     "compiled shapes kept in memory per device; 256 is the default"},
    {"LANEWISE_CACHE", "0|1", FLAG(cache),
     "0: nothing is read from the disk cache or stored there; 1 is the default"},
    {"LANEWISE_CACHE_DIR", "FOLDER", TEXT(cache_dir),
     "the disk cache; else lanewise in $XDG_CACHE_HOME or ~/.cache. It must be the user's own, and no "
     "symbolic link"},
    {"LANEWISE_CACHE_SIZE", "BYTES[K|M|G]", OWN(read_cache_size),
     "what the disk cache may hold; the least recently used entries go first; 256M is the default"},
    {"LANEWISE_LOADER", "auto|own|orc", WORD(loader),
     "what makes an object code: the runtime's own loader, or LLVM's (which does without the disk cache); "
     "auto: LLVM's where the other cannot"},
    {"LANEWISE_DUMP", "STAGE[,STAGE...]", TEXT(dump),
     "stages of each compilation to print to stderr; an unknown name lists them"},
    {"LANEWISE_SKIP", "NAME[,NAME...]", TEXT(skip),
     "transformations that the compiler leaves out, to find the one at fault; an unknown name lists them"},
    {"LANEWISE_TRACE", "FILE", TEXT(trace),
     "a timeline of dispatches, threads, compilations, the disk cache and waits is appended to it, for "
     "Perfetto and Chrome"},
    {"LANEWISE_EXPLAIN", "1|FILE", TEXT(explain),
     "what the vectorizer made of each kernel's lines: to standard error, or appended to a file, as JSON "
     "where its name ends in .json; kernels are compiled each time, and at once to the code that lasts"},
    {"LANEWISE_PERF", "0|1", FLAG(perf),
     "1: Linux's perf is told of kernels: /tmp/perf-PID.map, and jit-PID.dump in the current folder; 0 is "
     "the default"},
    {"LANEWISE_GDB", "0|1", FLAG(gdb),
     "1: debuggers are told of kernels and their source lines, by gdb's JIT interface; without the disk "
     "cache; 0 is the default"},
    {"LANEWISE_INLINE", "NUMBER", OWN(read_inline),
     "instructions up to which a kernel is inlined whole; past that, functions called from several places "
     "are kept as calls, with 0 all of them; 100000 is the default; any value: without the disk cache"},
    {"LANEWISE_BUDGET", "NUMBER", OWN(read_budget),
     "instructions that specialised code may have at any time of its compilation, else masked code serves;"
     " 100000 is the default"},
    {"LANEWISE_VERIFY", "0..1000", NUMBER(verify, 0, 1000),
     "1: verify the code after each of the compiler's transformations, N: of each N-th compilation; and fail "
     "where slower code would serve in place of what the compiler failed on, as the tests do; 0 is the "
     "default"},
    {"LANEWISE_COMPILER", "FILE", TEXT(compiler),
     "the compiler library; else liblanewise-compiler.so beside liblanewise.so, or in the build tree"},
    {"LANEWISE_COMPILER_PROCESS", "0|1", FLAG(compiler_process),
     "1: kernels are compiled by a process of its own, lanewise-compile, which may crash without this one;"
     " 0: by the process itself; 1 is the default"},
    {"LANEWISE_COMPILE_SECONDS", "1..86400", NUMBER(compile_seconds, 1, 86400),
     "processor time after which the compiler process gives a compilation up: 60 for specialised code, "
     "five times as many for other code"},
    {"LANEWISE_DEBUG", "0|1", FLAG(debug),
     "1 prints to stderr what callbacks of contexts and build logs are told (OpenCL), and what "
     "compilations failed; faults name the source's line"},
    {"LANEWISE_CLANG", "FILE", OWN(read_elsewhere),
     "OpenCL: the clang that compiles OpenCL C; else clang-22 or later on PATH"},
    {"LANEWISE_PLATFORM_NAME", "TEXT", OWN(read_elsewhere),
     "OpenCL: the platform's name; Lanewise is the default"},
    {"LANEWISE_DEVICE_NAME", "TEXT", OWN(read_elsewhere),
     "OpenCL: the device's name; else the processor's"},
    {"LANEWISE_DEVICE_TYPE", "cpu|gpu|accelerator", OWN(read_elsewhere),
     "OpenCL: what the device says it is, for programs that look for GPUs only; cpu is the default"},
    {"LANEWISE_VENDOR_ID", "NUMBER", OWN(read_elsewhere),
     "OpenCL: the device's vendor id; else the processor's"},
    {"LANEWISE_DRIVER_VERSION", "TEXT", OWN(read_elsewhere),
     "OpenCL: the driver's version; else Lanewise's own"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* A misspelt name would otherwise be silent. LANEWISE_TEST_* is the test suite's own. */
static void
warn_of_unknown_names(void)
{
    for (char **e = environ; e && *e; e++) {
        if (strncmp(*e, "LANEWISE_", 9) != 0 || strncmp(*e, "LANEWISE_TEST_", 14) == 0)
            continue;
        size_t length = strcspn(*e, "=");
        unsigned i = 0;
        while (i < ROWS && (strlen(rows[i].name) != length || strncmp(rows[i].name, *e, length) != 0))
            i++;
        if (i == ROWS)
            fprintf(stderr, "lanewise: warning: no such setting: %.*s (spirv-run --help-env lists them)\n",
                    (int)length, *e);
    }
}

void
lw_options_read(struct lw_options *options)
{
    *options = (struct lw_options){.reshape = true,
                                   .race = true,
                                   .faults = true,
                                   .images = true,
                                   .compiler_process = true,
                                   .compile_seconds = 60,
                                   .cache = true,
                                   .cache_size = (uint64_t)256 << 20,
                                   .spin = 500,
                                   .prompt = 300};
    for (unsigned i = 0; i < ROWS; i++) {
        const char *text = secure_getenv(rows[i].name); /* libraries are loaded by it */
        if (text && *text && !rows[i].read(&rows[i], options, text))
            fprintf(stderr, "lanewise: warning: %s=%s is ignored: expected %s\n", rows[i].name, text,
                    rows[i].values);
    }
    warn_of_unknown_names();
}

void
lw_options_free(struct lw_options *options)
{
    free(options->dump);
    free(options->skip);
    free(options->compiler);
    free(options->cache_dir);
    free(options->trace);
    free(options->explain);
    options->dump = options->skip = options->compiler = options->cache_dir = NULL;
    options->trace = options->explain = NULL;
}

void
lw_help_env(FILE *out)
{
    for (unsigned i = 0; out && i < ROWS; i++)
        fprintf(out, "%s=%s\n    %s\n", rows[i].name, rows[i].values, rows[i].what);
}
