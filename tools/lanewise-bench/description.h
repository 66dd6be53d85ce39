/* SPDX-License-Identifier: MIT */
/* The description of a benchmark kernel (docs/benchmark.md), and a case: the description with numbers put in.
 */
#ifndef LANEWISE_BENCH_DESCRIPTION_H
#define LANEWISE_BENCH_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "element.h"

#define MAX_ARGUMENTS 32
#define MAX_LAUNCHES 256

/* An image's texels are a buffer's to all but the platform. */
enum argument_kind {
    ARGUMENT_BUFFER,
    ARGUMENT_IMAGE,
    ARGUMENT_LOCAL,
    ARGUMENT_SAMPLER,
    ARGUMENT_VALUE,
    ARGUMENT_PIPE
};
enum initial {
    INITIAL_NONE,
    INITIAL_RANDOM,
    INITIAL_IOTA,
    INITIAL_FILL,
    INITIAL_PERMUTATION,
    INITIAL_FILE,
    INITIAL_C
};
enum comparison { COMPARE_EXACT, COMPARE_RELATIVE, COMPARE_ULP, COMPARE_SORTED, COMPARE_SET };

struct argument_line {
    enum argument_kind kind;
    unsigned line;
    char *name, *type;
    struct element element;
    char *count; /* an expression; a value has none */
    enum initial initial;
    char *words[16]; /* LO HI, V, F.npy, or the components of a value */
    unsigned word_count;
    bool result, restored;
    char *extent[3]; /* of an image: expressions, `dimensions` of them */
    unsigned dimensions;
    bool normalized; /* an image's integers are numbers up to 1; a sampler's coordinates are */
    unsigned addressing, filter; /* of a sampler: CL_ADDRESS_*, CL_FILTER_* */
};

static inline bool
has_contents(const struct argument_line *line)
{
    return line->kind == ARGUMENT_BUFFER || line->kind == ARGUMENT_IMAGE;
}

/* Has it a cl_mem? A pipe is empty before a run, and the kernels leave it so. */
static inline bool
is_memory(const struct argument_line *line)
{
    return has_contents(line) || line->kind == ARGUMENT_PIPE;
}

struct launch_line {
    unsigned line;
    char *kernel;
    unsigned dimensions, local_dimensions; /* local_dimensions 0: none */
    char *global[3], *local[3];
    char *with_name[8], *with_value[8]; /* values for this launch alone */
    unsigned with_count;
    char *arguments[MAX_ARGUMENTS]; /* by name, where they are not all in order */
    unsigned argument_count;
};

struct description {
    char *path, *folder, *name;
    char *section; /* of a file with several descriptions: its name, as in `name NAME`; else NULL */
    char *title, *group, *source, *options, *reference;
    char *size, *subgroup, *bytes, *flops, *packets;
    bool subgroup_any; /* `subgroup N any`: --sub-group may put another in its place */
    unsigned size_line, subgroup_line, bytes_line, flops_line, packets_line;
    struct argument_line arguments[MAX_ARGUMENTS];
    unsigned argument_count;
    struct launch_line *launches;
    unsigned launch_count;
    enum comparison comparison;
    bool compared; /* `compare` was given */
    double tolerance;
};

/* What the command line puts in place of the description's own. */
struct overrides {
    int64_t size;     /* 0: none */
    int64_t subgroup; /* 0: none */
    int64_t local[3];
    unsigned local_dimensions;
};

struct case_argument {
    const struct argument_line *line;
    size_t count; /* elements */
    size_t bytes;
    size_t extent[3]; /* of an image, 1 beyond its dimensions */
    unsigned char value[128];
};

struct case_launch {
    const struct launch_line *line;
    size_t global[3], local[3]; /* 1 beyond the dimensions; local 0: none */
    unsigned arguments[MAX_ARGUMENTS], argument_count;
    unsigned with[8];
    unsigned char with_value[8][128];
};

struct bench_case {
    const struct description *description;
    int64_t size, subgroup; /* subgroup 0: the platform chooses */
    int64_t subgroup_used;  /* what `subgroup` means in expressions */
    double bytes, flops, packets;
    struct case_argument arguments[MAX_ARGUMENTS];
    struct case_launch *launches;
};

/* The names of the file's sections, a NULL behind them; NULL: the file cannot be read. */
char **description_sections(const char *path, char *error, size_t error_bytes);
void description_sections_free(char **sections);
/* The lines of a section in their places, empty ones for all others. NULL: line `wrong` is no good `name`
 * line. */
char *section_text(const char *whole, const char *section, unsigned *wrong);
/* The section of that name, NULL for a file without. NULL leaves "file:line: what" in `error`. */
struct description *description_read(const char *path, const char *section, char *error, size_t error_bytes);
void description_free(struct description *description);
/* `subgroup`: the size that the platform chose, for kernels that demand none; 0: 16 is assumed. */
bool case_make(const struct description *description, const struct overrides *overrides, int64_t subgroup,
               struct bench_case *made, char *error, size_t error_bytes);
void case_free(struct bench_case *made);

#endif
