/* SPDX-License-Identifier: MIT */
/* The command line of lanewise-bench. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text.h"

enum {
    O_BASELINE = 256,
    O_GROUP,
    O_HTML,
    O_ICD,
    O_ISA,
    O_JSON,
    O_KERNEL,
    O_LIST,
    O_LOCAL,
    O_NO_FIGURES,
    O_NO_LIMIT,
    O_NO_SUITE,
    O_OPENMP,
    O_PROGRESS,
    O_QUICK,
    O_QUIET,
    O_ROUNDS,
    O_SIZE,
    O_SOURCE,
    O_SUBJECT,
    O_SUB_GROUP,
    O_SUITE,
    O_SWEEP,
    O_THREADS,
    O_TIME,
    O_TIMEOUT,
    O_VERSION,
};

static const struct option known[] = {
    {"baseline", 1, NULL, O_BASELINE},
    {"group", 1, NULL, O_GROUP},
    {"help", 0, NULL, 'h'},
    {"html", 1, NULL, O_HTML},
    {"icd", 1, NULL, O_ICD},
    {"isa", 1, NULL, O_ISA},
    {"json", 1, NULL, O_JSON},
    {"kernel", 1, NULL, O_KERNEL},
    {"list", 0, NULL, O_LIST},
    {"local", 1, NULL, O_LOCAL},
    {"no-figures", 0, NULL, O_NO_FIGURES},
    {"no-limit", 0, NULL, O_NO_LIMIT},
    {"no-built-in", 0, NULL, O_NO_SUITE},
    {"openmp", 0, NULL, O_OPENMP},
    {"progress", 0, NULL, O_PROGRESS},
    {"quick", 0, NULL, O_QUICK},
    {"quiet", 0, NULL, O_QUIET},
    {"rounds", 1, NULL, O_ROUNDS},
    {"size", 1, NULL, O_SIZE},
    {"source", 1, NULL, O_SOURCE},
    {"subject", 1, NULL, O_SUBJECT},
    {"sub-group", 1, NULL, O_SUB_GROUP},
    {"suite", 1, NULL, O_SUITE},
    {"sweep", 1, NULL, O_SWEEP},
    {"threads", 1, NULL, O_THREADS},
    {"time", 1, NULL, O_TIME},
    {"timeout", 1, NULL, O_TIMEOUT},
    {"verbose", 0, NULL, 'v'},
    {"version", 0, NULL, O_VERSION},
    {NULL, 0, NULL, 0},
};

struct parsing {
    struct options *options;
    const char *name; /* of the option at hand */
    char *error;
    size_t error_bytes;
};

static bool
refuse(struct parsing *parsing, const char *value, const char *expected)
{
    snprintf(parsing->error, parsing->error_bytes, "--%s %s: %s is expected", parsing->name, value, expected);
    return false;
}

static bool
take_integer(struct parsing *parsing, const char *text, int64_t least, int64_t most, int64_t *to)
{
    char *end, expected[80];
    long long value;

    errno = 0;
    value = strtoll(text, &end, 0);
    if (!errno && end != text && (*end == 'k' || *end == 'K' || *end == 'M' || *end == 'G')) {
        int shift = *end == 'M' ? 20 : *end == 'G' ? 30 : 10;

        value = value > 0 && value < (1LL << 32) ? value << shift : -1;
        end++;
    }
    *to = value;
    if (!errno && end != text && !*end && value >= least && value <= most)
        return true;
    snprintf(expected, sizeof expected, "a number from %lld to %lld", (long long)least, (long long)most);
    return refuse(parsing, text, expected);
}

static bool
take_seconds(struct parsing *parsing, const char *text, double *to)
{
    char *end;

    *to = strtod(text, &end);
    if (end != text && !*end && *to > 0 && *to <= 86400)
        return true;
    return refuse(parsing, text, "a number of seconds");
}

static void
append(char ***list, size_t *count, const char *text)
{
    *list = memory_grow(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = text_copy(text);
}

static void
join(char **list, const char *text)
{
    char *joined = *list ? text_make("%s,%s", *list, text) : text_copy(text);

    free(*list);
    *list = joined;
}

static bool
take_local(struct parsing *parsing, const char *text)
{
    struct overrides *to = &parsing->options->overrides;
    const char *at = text;

    for (to->local_dimensions = 0; to->local_dimensions < 3;) {
        char *end;
        long long value = strtoll(at, &end, 10);

        if (end == at || value < 1 || value > 65536)
            break;
        to->local[to->local_dimensions++] = value;
        if (!*end)
            return true;
        if (*end != 'x' && *end != ',')
            break;
        at = end + 1;
    }
    return refuse(parsing, text, "a local size such as 256, 16x16 or 8x8x4");
}

static bool
take_word(struct parsing *parsing, const char *text, const char *const *words, unsigned *which,
          const char *expected)
{
    for (*which = 0; words[*which]; ++*which)
        if (!strcmp(words[*which], text))
            return true;
    return refuse(parsing, text, expected);
}

static bool
take_isa(struct parsing *parsing, const char *text)
{
    static const char *const words[] = {"sse4.2", "avx2", "avx512-v4", "avx512-vbmi", "avx512", NULL};
    unsigned which;

    if (!take_word(parsing, text, words, &which, "sse4.2, avx2, avx512-v4, avx512-vbmi or avx512"))
        return false;
    parsing->options->isa = words[which];
    return true;
}

static bool
take_sweep(struct parsing *parsing, const char *text)
{
    static const char *const words[] = {"none", "sub-group", "isa", "local-size", NULL};
    unsigned which;

    if (!take_word(parsing, text, words, &which, "sub-group, isa or local-size"))
        return false;
    parsing->options->sweep = (enum sweep)which;
    return true;
}

static bool
take_number_option(struct parsing *parsing, int option, const char *text)
{
    struct options *options = parsing->options;
    int64_t value;

    switch (option) {
    case O_SIZE:
        return take_integer(parsing, text, 1, (int64_t)1 << 40, &options->overrides.size);
    case O_SUB_GROUP:
        return take_integer(parsing, text, 1, 1024, &options->overrides.subgroup);
    case O_THREADS:
        if (!take_integer(parsing, text, 1, 4096, &value))
            return false;
        options->threads = (unsigned)value;
        return true;
    case O_ROUNDS:
        if (!take_integer(parsing, text, 1, MAX_ROUNDS, &value))
            return false;
        options->rounds = (unsigned)value;
        return true;
    case O_TIME:
        return take_seconds(parsing, text, &options->seconds);
    default:
        return take_seconds(parsing, text, &options->timeout);
    }
}

static bool
take_option(struct parsing *parsing, int option, char *text)
{
    struct options *options = parsing->options;

    switch (option) {
    case O_BASELINE:
        options->baseline = text;
        return true;
    case O_GROUP:
        join(&options->groups, text);
        return true;
    case O_HTML:
        options->html = text;
        return true;
    case O_ICD:
        append(&options->icds, &options->icd_count, text);
        return true;
    case O_ISA:
        return take_isa(parsing, text);
    case O_JSON:
        options->json = text;
        return true;
    case O_KERNEL:
        join(&options->kernels, text);
        return true;
    case O_LIST:
        options->list = true;
        return true;
    case O_LOCAL:
        return take_local(parsing, text);
    case O_NO_FIGURES:
        options->no_figures = true;
        return true;
    case O_NO_LIMIT:
        options->no_limit = true;
        return true;
    case O_NO_SUITE:
        options->no_suite = true;
        return true;
    case O_OPENMP:
        options->openmp = true;
        return true;
    case O_PROGRESS:
        options->progress = true;
        return true;
    case O_QUICK:
        options->quick = true;
        return true;
    case O_QUIET:
        options->quiet = true;
        return true;
    case O_SOURCE:
        options->source = text;
        return true;
    case O_SUBJECT:
        options->subject = text;
        return true;
    case O_SUITE:
        if (!strcmp(text, "strangers"))
            options->strangers = true;
        else if (!strcmp(text, "images"))
            options->images = true;
        else if (!strcmp(text, "pipes"))
            options->pipes = true;
        else
            append(&options->folders, &options->folder_count, text);
        return true;
    case O_SWEEP:
        return take_sweep(parsing, text);
    case O_VERSION:
        options->version = true;
        return true;
    case 'h':
        options->help = true;
        return true;
    case 'v':
        options->verbose = true;
        return true;
    default:
        return take_number_option(parsing, option, text);
    }
}

static void
finish(struct options *options)
{
    if (options->strangers)
        options->no_suite = options->openmp = true;
    if (options->images || options->pipes)
        options->no_suite = true;
    if (options->no_limit)
        options->openmp = false;
    if ((options->strangers || options->pipes) && !options->folder_count && !options->images)
        options->no_limit = true; /* nobody wrote them by hand */
    if (options->quick)
        options->no_figures = true;
    if (!options->seconds)
        options->seconds = options->quick ? 0.03 : 0.5;
    if (!options->rounds)
        options->rounds = options->quick ? 3 : 15;
    if (!options->timeout)
        options->timeout = 60;
    if (!options->quiet && isatty(2))
        options->progress = true;
}

bool
options_parse(struct options *options, int count, char **arguments, char *error, size_t error_bytes)
{
    struct parsing parsing = {options, "", error, error_bytes};
    int option, index = 0;

    *options = (struct options){0};
    opterr = 0;
    while ((option = getopt_long(count, arguments, ":hv", known, &index)) != -1) {
        if (option == ':' || option == '?') {
            snprintf(error, error_bytes, "%s: %s", arguments[optind - 1],
                     option == ':' ? "a value is expected behind it" : "unknown or ambiguous option");
            return false;
        }
        parsing.name = option == 'v' ? "verbose" : option == 'h' ? "help" : known[index].name;
        if (!take_option(&parsing, option, optarg))
            return false;
    }
    if (optind < count) {
        snprintf(error, error_bytes, "'%s' is no option; --kernel %s names a kernel", arguments[optind],
                 arguments[optind]);
        return false;
    }
    if (options->sweep == SWEEP_ISA && options->isa) {
        snprintf(error, error_bytes, "--sweep isa goes through the instruction sets: no --isa beside it");
        return false;
    }
    if (options->no_suite && !options->folder_count && !options->strangers && !options->images &&
        !options->pipes) {
        snprintf(error, error_bytes, "--no-built-in leaves no kernel: --suite FOLDER names others");
        return false;
    }
    finish(options);
    return true;
}

void
options_free(struct options *options)
{
    for (size_t i = 0; i < options->icd_count; i++)
        free(options->icds[i]);
    for (size_t i = 0; i < options->folder_count; i++)
        free(options->folders[i]);
    free(options->icds);
    free(options->folders);
    free(options->kernels);
    free(options->groups);
}
