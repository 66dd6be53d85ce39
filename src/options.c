/* SPDX-License-Identifier: MIT */
/* The environment: one table of LANEWISE_* variables, its reader and its printer (spirv-run --help-env). */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

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

static bool
read_isa(struct lw_options *o, const char *text)
{
    for (lw_isa isa = LW_ISA_AUTO; isa <= LW_ISA_AVX512; isa++)
        if (strcmp(text, lw_isa_name(isa)) == 0) {
            o->isa = isa;
            return true;
        }
    return false;
}

static bool
read_threads(struct lw_options *o, const char *text)
{
    return parse_number(text, 1, 4096, &o->threads);
}

static bool
read_spin(struct lw_options *o, const char *text)
{
    return parse_number(text, 0, 10000, &o->spin);
}

static bool
read_lanes(struct lw_options *o, const char *text)
{
    unsigned n;
    if (!parse_number(text, 1, 64, &n) || n == 2 || (n & (n - 1)))
        return false;
    o->lanes = n;
    return true;
}

static bool
read_sub_group_size(struct lw_options *o, const char *text)
{
    unsigned n;
    if (!parse_number(text, 4, 64, &n) || (n & (n - 1)))
        return false;
    o->sub_group_size = n;
    return true;
}

static bool
read_cache_entries(struct lw_options *o, const char *text)
{
    return parse_number(text, 1, 65536, &o->cache_entries);
}

static bool
read_tier(struct lw_options *o, const char *text)
{
    static const char *const names[] = {"auto", "masked", "specialised", "first"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            o->tier = i;
            return true;
        }
    return false;
}

static bool
read_reshape(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->reshape = value;
    return true;
}

static bool
read_race(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->race = value;
    return true;
}

static bool
read_faults(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->faults = value;
    return true;
}

static bool
read_images(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->images = value;
    return true;
}

static bool
read_cross_check(struct lw_options *o, const char *text)
{
    return parse_number(text, 0, 2, &o->cross_check);
}

static bool
read_dump(struct lw_options *o, const char *text)
{
    free(o->dump);
    o->dump = strdup(text);
    return true;
}

static bool
read_skip(struct lw_options *o, const char *text)
{
    free(o->skip);
    o->skip = strdup(text);
    return true;
}

static bool
read_trace(struct lw_options *o, const char *text)
{
    free(o->trace);
    o->trace = strdup(text);
    return true;
}

static bool
read_perf(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->perf = value;
    return true;
}

static bool
read_gdb(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->gdb = value;
    return true;
}

static bool
read_compiler(struct lw_options *o, const char *text)
{
    free(o->compiler);
    o->compiler = strdup(text);
    return true;
}

static bool
read_compiler_process(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->compiler_process = value;
    return true;
}

static bool
read_compile_seconds(struct lw_options *o, const char *text)
{
    return parse_number(text, 1, 86400, &o->compile_seconds);
}

static bool
read_cache(struct lw_options *o, const char *text)
{
    unsigned value;
    if (!parse_number(text, 0, 1, &value))
        return false;
    o->cache = value;
    return true;
}

static bool
read_cache_dir(struct lw_options *o, const char *text)
{
    free(o->cache_dir);
    o->cache_dir = strdup(text);
    return true;
}

/* Bytes, or with a letter behind. */
static bool
read_cache_size(struct lw_options *o, const char *text)
{
    static const char letters[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *letter = *end ? strchr(letters, *end) : NULL;
    unsigned shift = letter ? 10 * (unsigned)(letter - letters + 1) : 0;
    if (text[0] < '0' || text[0] > '9' || errno || (*end && (!letter || end[1])) ||
        value > UINT64_MAX >> 2 >> shift)
        return false;
    o->cache_size = value << shift;
    return true;
}

static bool
read_loader(struct lw_options *o, const char *text)
{
    static const char *const names[] = {"auto", "own", "orc"};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            o->loader = i;
            return true;
        }
    return false;
}

/* The compiler library reads it itself, too. */
static bool
read_verify(struct lw_options *o, const char *text)
{
    o->verify = strcmp(text, "1") == 0;
    return o->verify || strcmp(text, "0") == 0;
}

static bool
read_debug(struct lw_options *o, const char *text)
{
    o->debug = strcmp(text, "0") != 0;
    return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
}

/* Listed here so that the table is the whole truth. */
static bool
read_text_elsewhere(struct lw_options *o, const char *text)
{
    (void)o, (void)text;
    return true;
}

/* Read by the compiler library, which alone gives up by it. */
static bool
read_budget(struct lw_options *o, const char *text)
{
    unsigned number;
    (void)o;
    return parse_number(text, 1, UINT32_MAX, &number);
}

/* The compiler library reads the number; what was compiled with another budget is not taken from the disk. */
static bool
read_inline(struct lw_options *o, const char *text)
{
    char *end;
    errno = 0;
    strtoull(text, &end, 10);
    o->own_budget = text[0] >= '0' && text[0] <= '9' && !errno && !*end;
    return o->own_budget;
}

static const struct {
    const char *name, *values;
    bool (*read)(struct lw_options *options, const char *text);
    const char *what;
} rows[] = {
    {"LANEWISE_ISA", "auto|sse4.2|avx2|avx512", read_isa,
     "instruction set that kernels are compiled for; above the machine's: ignored"},
    {"LANEWISE_THREADS", "1..4096", read_threads,
     "threads that run work-groups, the caller included; else by affinity mask and cgroup quota"},
    {"LANEWISE_SPIN", "0..10000", read_spin,
     "microseconds for which an idle thread looks out for work before it sleeps, where work has been coming "
     "at "
     "such intervals; 50 is the default"},
    {"LANEWISE_SUB_GROUP_SIZE", "4|8|16|32|64", read_sub_group_size,
     "sub-group size, and lanes of the code, where neither kernel nor program asks for one"},
    {"LANEWISE_LANES", "1|4|8|16|32|64", read_lanes,
     "lanes of specialised code, where the kernel cannot tell; 1: one work-item after the other. Else by its "
     "elements and loops, and by a race"},
    {"LANEWISE_RACE", "0|1", read_race,
     "0: no code of other widths is tried beside specialised code; 1 is the default"},
    {"LANEWISE_TIER", "auto|masked|specialised|first", read_tier,
     "which code runs: masked, for any local size; specialised on the shape at once; first code, which is "
     "soon "
     "compiled and slow; auto begins with that and decides by what pays"},
    {"LANEWISE_IMAGES", "0|1", read_images, "0: the OpenCL device has no images and samplers"},
    {"LANEWISE_FAULTS", "0|1", read_faults,
     "OpenCL: 0: a kernel that touches memory where there is none ends the process, and no signal is "
     "handled; 1, the "
     "default: it ends its launch, with an error"},
    {"LANEWISE_RESHAPE", "0|1", read_reshape,
     "0: work-groups are never regrouped, even where a kernel cannot notice; 1 is the default"},
    {"LANEWISE_CROSS_CHECK", "0|1|2", read_cross_check,
     "1: each dispatch runs by masked, first and specialised code, and fails where they leave different "
     "memory; "
     "2: tells at the end how many were compared, too; 0 is the default"},
    {"LANEWISE_CACHE_ENTRIES", "1..65536", read_cache_entries,
     "compiled shapes kept in memory per device; 256 is the default"},
    {"LANEWISE_CACHE", "0|1", read_cache,
     "0: nothing is read from the disk cache or stored there; 1 is the default"},
    {"LANEWISE_CACHE_DIR", "FOLDER", read_cache_dir,
     "the disk cache; else lanewise in $XDG_CACHE_HOME or ~/.cache. It must be the user's own, and no "
     "symbolic link"},
    {"LANEWISE_CACHE_SIZE", "BYTES[K|M|G]", read_cache_size,
     "what the disk cache may hold; the least recently used entries go first; 256M is the default"},
    {"LANEWISE_LOADER", "auto|own|orc", read_loader,
     "what makes an object code: the runtime's own loader, or LLVM's (which does without the disk cache); "
     "auto: "
     "LLVM's where the other cannot"},
    {"LANEWISE_DUMP", "STAGE[,STAGE...]", read_dump,
     "stages of each compilation to print to stderr; an unknown name lists them"},
    {"LANEWISE_SKIP", "NAME[,NAME...]", read_skip,
     "transformations that the compiler leaves out, to find the one at fault; an unknown name lists them"},
    {"LANEWISE_TRACE", "FILE", read_trace,
     "a timeline of dispatches, threads, compilations, the disk cache and waits is appended to it, for "
     "Perfetto and Chrome"},
    {"LANEWISE_PERF", "0|1", read_perf,
     "1: Linux's perf is told of kernels: /tmp/perf-PID.map, and jit-PID.dump in the current folder; 0 is "
     "the default"},
    {"LANEWISE_GDB", "0|1", read_gdb,
     "1: debuggers are told of kernels and their source lines, by gdb's JIT interface; without the disk "
     "cache; 0 is the "
     "default"},
    {"LANEWISE_INLINE", "NUMBER", read_inline,
     "instructions up to which a kernel is inlined whole; past that, functions called from several places "
     "are "
     "kept as calls, with 0 all of them; 100000 is the default; any value: without the disk cache"},
    {"LANEWISE_BUDGET", "NUMBER", read_budget,
     "instructions that specialised code may have at any time of its compilation, else masked code serves; "
     "100000 is the default"},
    {"LANEWISE_VERIFY", "0|1", read_verify,
     "1: verify the code after each of the compiler's transformations, and fail where slower code would "
     "serve in "
     "place of what the compiler failed on, as the tests do; 0 is the default"},
    {"LANEWISE_COMPILER", "FILE", read_compiler,
     "the compiler library; else liblanewise-compiler.so beside liblanewise.so, or in the build tree"},
    {"LANEWISE_COMPILER_PROCESS", "0|1", read_compiler_process,
     "1: kernels are compiled by a process of its own, lanewise-compile, which may crash without this one; "
     "0: by the "
     "process itself; 1 is the default"},
    {"LANEWISE_COMPILE_SECONDS", "1..86400", read_compile_seconds,
     "processor time after which the compiler process gives a compilation up: 60 for specialised code, five "
     "times as "
     "many for other code"},
    {"LANEWISE_DEBUG", "0|1", read_debug,
     "1 prints to stderr what callbacks of contexts and build logs are told (OpenCL), and what compilations "
     "failed; faults name the source's line"},
    {"LANEWISE_CLANG", "FILE", read_text_elsewhere,
     "OpenCL: the clang that compiles OpenCL C; else clang-22 or later on PATH"},
    {"LANEWISE_PLATFORM_NAME", "TEXT", read_text_elsewhere,
     "OpenCL: the platform's name; Lanewise is the default"},
    {"LANEWISE_DEVICE_NAME", "TEXT", read_text_elsewhere, "OpenCL: the device's name; else the processor's"},
    {"LANEWISE_DEVICE_TYPE", "cpu|gpu|accelerator", read_text_elsewhere,
     "OpenCL: what the device says it is, for programs that look for GPUs only; cpu is the default"},
    {"LANEWISE_VENDOR_ID", "NUMBER", read_text_elsewhere,
     "OpenCL: the device's vendor id; else the processor's"},
    {"LANEWISE_DRIVER_VERSION", "TEXT", read_text_elsewhere,
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
                                   .spin = 50};
    for (unsigned i = 0; i < ROWS; i++) {
        const char *text = secure_getenv(rows[i].name); /* libraries are loaded by it */
        if (text && *text && !rows[i].read(options, text))
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
    options->trace = options->dump = options->skip = options->compiler = options->cache_dir = NULL;
}

void
lw_help_env(FILE *out)
{
    for (unsigned i = 0; out && i < ROWS; i++)
        fprintf(out, "%s=%s\n    %s\n", rows[i].name, rows[i].values, rows[i].what);
}
