/* SPDX-License-Identifier: MIT */
/* What a kernel's C file defines (benchmark/limit.h), found in a module. */
#ifndef LANEWISE_BENCH_HAND_H
#define LANEWISE_BENCH_HAND_H

#include "benchmark/limit.h"
#include "description.h"

typedef size_t hand_count(const struct limit *limit);
typedef size_t hand_units(const struct limit *limit, size_t phase);
typedef void hand_run(const struct limit *limit, size_t phase, size_t begin, size_t end);
typedef void hand_fill(const struct limit *limit);

struct hand {
    hand_fill *reference, *fill;
    hand_count *phases, *scratch;
    hand_units *units;
    hand_run *run;
    hand_fill *openmp;
    void (*openmp_spin)(int);
};

/* Modules are loaded once and stay. A missing function is NULL; false: the module cannot be loaded. */
bool hand_find(const char *module, const struct description *description, struct hand *hand, char *error,
               size_t error_bytes);

/* The arguments as the C file sees them: buffers[i] for buffers, the values of the case. */
void hand_limit(const struct bench_case *of, void *const *buffers,
                struct limit_argument arguments[MAX_ARGUMENTS], struct limit *limit);

/* Whether the processor has what the module of that instruction set ("avx2", "avx512") was compiled for. */
bool hand_supported(const char *isa);

#endif
