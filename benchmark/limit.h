/* SPDX-License-Identifier: MIT */
/* What <name>.c of a benchmark kernel defines: the reference that results are checked against, and the
 * version written by hand with intrinsics, whose speed is the limit. lanewise-bench --help and
 * docs/benchmark.md tell the rest; benchmark/triad and benchmark/scan_int are the examples to start from.
 *
 * The file is compiled three times, into three modules: plain x86-64 (LIMIT_SIMD is 0: the reference and the
 * initial contents come from there), AVX2 with FMA, F16C, BMI1/2 and LZCNT (LIMIT_SIMD is 256), AVX-512 of
 * Ice Lake and later: F, BW, CD, DQ, VL, IFMA, VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ (LIMIT_SIMD is 512). The
 * compiler is clang-22 at -O3, in each of the three without contraction or fast-math unless a pragma asks.
 *
 *     #include "limit.h"
 *
 *     LIMIT_REFERENCE(triad)              // scalar; every buffer has its initial contents, `result`
 *     {                                   // buffers that are not `restored` hold poison: fill them
 *         LIMIT_BUFFER(const float, b);   // declares `const float *restrict b`, by the argument's name
 *         LIMIT_BUFFER(float, a);
 *         LIMIT_VALUE(float, s);          // declares `const float s`
 *         for (size_t i = 0; i < limit->size; i++) ...
 *     }
 *
 *     #if LIMIT_SIMD
 *     LIMIT_PHASES(triad, 1)              // phases of one run, with a barrier of all threads between them;
 *                                         // any expression, limit->size and so on included
 *     LIMIT_UNITS(triad, phase) { return limit_pieces(limit->size, 4096); }    // pieces of work of a phase
 *     LIMIT_RUN(triad, phase, begin, end) { ... }     // does the pieces [begin, end) of a phase
 *     #endif
 *
 * LIMIT_RUN is called by every thread at once, several times in a phase, with pieces that do not overlap and
 * together are all of them: first a thread's own consecutive pieces, then what slower threads have not begun.
 * So make pieces of at least a few microseconds, and put what must be done by one thread into a phase of 1
 * unit. A version for one shape only (a sub-group size, say) gives 0 phases for the others, and one that does
 * not take every size 0 units for those (limit_pieces does): there is no limit then. `limit->thread` (0 to
 * limit->threads - 1) is the caller.
 *
 * Optional:
 *     LIMIT_FILL(name) { ... }            // writes the initial contents of the buffers described with `c`
 *     LIMIT_LOOP(name) { ... }            // the reference, and with lanewise-bench --openmp the loop that is
 *                                         // timed in the columns `openmp`: plain C, with the OpenMP pragmas
 *                                         // that a C programmer would write
 *     LIMIT_OPENMP(name) { ... }          // that loop alone, where the reference is another: LIMIT_REFERENCE
 *     LIMIT_SCRATCH(name, bytes)          // shared working memory, limit->scratch, 64-byte aligned, kept
 *                                         // between the phases and not cleared between runs
 *
 * All buffers are 64-byte aligned. The names of C functions come from the macro: they need not be the
 * folder's
 * (`reference NAME` in a description takes another's). */
#ifndef LANEWISE_BENCHMARK_LIMIT_H
#define LANEWISE_BENCHMARK_LIMIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __AVX512VBMI2__
#define LIMIT_SIMD 512
#elif defined __AVX2__
#define LIMIT_SIMD 256
#else
#define LIMIT_SIMD 0
#endif

struct limit_argument {
    const char *name;
    void *data;   /* a buffer's contents, or a value */
    size_t bytes; /* of the buffer, or of the value */
    int buffer;
};

struct limit {
    size_t size; /* `size` of the description, or --size */
    size_t global[3],
        local[3];    /* of the first launch; 1 beyond its dimensions; local 0 where it names none */
    size_t subgroup; /* what the kernels run with; where no kernel asks, 16 */
    size_t argument_count;
    const struct limit_argument *arguments;
    void *scratch;
    unsigned thread, threads;
};

/* The argument of that name; a wrong name or a wrong type of a value ends the process with a message. */
static inline void *
limit_find(const struct limit *limit, const char *name, size_t value_bytes)
{
    for (size_t i = 0; i < limit->argument_count; i++) {
        const struct limit_argument *argument = &limit->arguments[i];

        if (strcmp(argument->name, name))
            continue;
        if (argument->buffer ? value_bytes == 0 : value_bytes == argument->bytes)
            return argument->data;
        fprintf(stderr, "%s: %s, %zu bytes in the description\n", name,
                value_bytes ? "LIMIT_VALUE with another type" : "LIMIT_BUFFER of a value", argument->bytes);
        abort();
    }
    fprintf(stderr, "%s: no such argument in the description\n", name);
    abort();
}

#define LIMIT_BUFFER(type, name) type *restrict name = limit_find(limit, #name, 0)
#define LIMIT_VALUE(type, name) const type name = *(const type *)limit_find(limit, #name, sizeof(type))

/* How many pieces `count` elements are: 0, no version for this size, where the last one would not be whole.
 */
static inline size_t
limit_pieces(size_t count, size_t piece)
{
    return count % piece ? 0 : count / piece;
}

#define LIMIT_PUBLIC __attribute__((visibility("default")))
#define LIMIT_UNUSED __attribute__((unused))

#define LIMIT_PUBLIC_PART(part, name)                                                                        \
    LIMIT_PUBLIC void limit_##part##_##name(const struct limit *limit LIMIT_UNUSED);                         \
    void limit_##part##_##name(const struct limit *limit LIMIT_UNUSED)
#define LIMIT_PRIVATE_PART(part, name)                                                                       \
    static LIMIT_UNUSED void limit_##part##_##name(const struct limit *limit LIMIT_UNUSED)

#ifdef _OPENMP
#define LIMIT_OPENMP(name) LIMIT_PUBLIC_PART(openmp, name)
#define LIMIT_LOOP(name) LIMIT_PUBLIC_PART(openmp, name)

extern void kmp_set_blocktime(int milliseconds);
LIMIT_PUBLIC void limit_openmp_spin(int spin);
/* LLVM's OpenMP: its threads look out for work for 200 ms after each loop, which is its default, or sleep. */
void
limit_openmp_spin(int spin)
{
    kmp_set_blocktime(spin ? 200 : 0);
#pragma omp parallel
    __asm__ volatile("");
}
#else
#define LIMIT_OPENMP(name) LIMIT_PRIVATE_PART(openmp, name)
#define LIMIT_LOOP(name) LIMIT_REFERENCE(name)
#endif

#if LIMIT_SIMD || defined _OPENMP
#define LIMIT_REFERENCE(name) LIMIT_PRIVATE_PART(reference, name)
#define LIMIT_FILL(name) LIMIT_PRIVATE_PART(fill, name)
#else
#define LIMIT_REFERENCE(name) LIMIT_PUBLIC_PART(reference, name)
#define LIMIT_FILL(name) LIMIT_PUBLIC_PART(fill, name)
#endif

#define LIMIT_PHASES(name, count)                                                                            \
    LIMIT_PUBLIC size_t limit_phases_##name(const struct limit *limit LIMIT_UNUSED);                         \
    size_t limit_phases_##name(const struct limit *limit LIMIT_UNUSED)                                       \
    {                                                                                                        \
        return (count);                                                                                      \
    }
#define LIMIT_SCRATCH(name, bytes)                                                                           \
    LIMIT_PUBLIC size_t limit_scratch_##name(const struct limit *limit LIMIT_UNUSED);                        \
    size_t limit_scratch_##name(const struct limit *limit LIMIT_UNUSED)                                      \
    {                                                                                                        \
        return (bytes);                                                                                      \
    }
#define LIMIT_UNITS(name, phase)                                                                             \
    LIMIT_PUBLIC size_t limit_units_##name(const struct limit *limit LIMIT_UNUSED,                           \
                                           size_t phase LIMIT_UNUSED);                                       \
    size_t limit_units_##name(const struct limit *limit LIMIT_UNUSED, size_t phase LIMIT_UNUSED)
#define LIMIT_RUN(name, phase, begin, end)                                                                   \
    LIMIT_PUBLIC void limit_run_##name(const struct limit *limit LIMIT_UNUSED, size_t phase LIMIT_UNUSED,    \
                                       size_t begin, size_t end);                                            \
    void limit_run_##name(const struct limit *limit LIMIT_UNUSED, size_t phase LIMIT_UNUSED, size_t begin,   \
                          size_t end)

#endif
