/* SPDX-License-Identifier: MIT */
/* Every LANEWISE_* environment variable, read once per device into one struct. */
#ifndef LW_SRC_OPTIONS_H
#define LW_SRC_OPTIONS_H

#include <lanewise/lanewise.h>

enum lw_tier_option { LW_TIER_AUTO, LW_TIER_MASKED, LW_TIER_SPECIALISED, LW_TIER_FIRST };

enum lw_gathers_option { LW_GATHERS_AUTO, LW_GATHERS_FAST, LW_GATHERS_SLOW };

/* Which code knows the values of integer arguments (steady.h)? */
enum lw_values_option { LW_VALUES_AUTO, LW_VALUES_ALWAYS, LW_VALUES_NEVER };

enum lw_loader_option { LW_LOADER_AUTO, LW_LOADER_OWN, LW_LOADER_ORC };

struct lw_options {
    lw_isa isa;              /* AUTO: not given */
    unsigned threads;        /* 0: not given */
    unsigned spin;           /* microseconds */
    unsigned prompt;         /* milliseconds */
    unsigned sub_group_size; /* 0: not given */
    unsigned lanes;          /* 0: not given */
    unsigned cache_entries;  /* 0: not given */
    unsigned tier;           /* enum lw_tier_option */
    unsigned loader;         /* enum lw_loader_option */
    unsigned gathers;        /* enum lw_gathers_option */
    unsigned cross_check;    /* 1: on; 2: and tells how much */
    bool reshape;
    bool race; /* codes of several widths */
    unsigned values; /* enum lw_values_option */
    bool faults; /* of kernels are contained where the caller asks for it */
    bool images; /* the OpenCL device has them */
    bool compiler_process; /* compilations in a process of their own */
    unsigned compile_seconds; /* of processor time, for specialised code */
    unsigned verify;     /* one of so many compilations; their failures are not made good. 0: none */
    bool debug;
    bool cache;          /* the disk cache */
    bool own_budget;     /* of inlining */
    uint64_t cache_size; /* its bytes */
    char *cache_dir;     /* malloc'd, NULL: not given */
    char *dump;          /* malloc'd, NULL: not given */
    char *skip;          /* malloc'd, NULL: not given */
    char *trace;         /* malloc'd, NULL: not given */
    char *explain;       /* malloc'd, NULL: not given */
    bool perf;           /* code is told to perf */
    bool gdb;            /* code is told to debuggers, with its lines */
    char *compiler;      /* malloc'd, NULL: not given */
};

/* Code is to have the lines of its source: for a debugger, a profiler, a report, or messages that name
 * them. */
static inline bool
lw_wants_lines(const struct lw_options *options)
{
    return options->gdb || options->perf || options->debug || options->explain;
}

/* Never fails: values that are not understood are named on stderr and ignored. */
void lw_options_read(struct lw_options *options);
void lw_options_free(struct lw_options *options);

#endif
