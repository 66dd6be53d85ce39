/* SPDX-License-Identifier: MIT */
/* Runs the seeded random kernels at every sub-group size, ISA level and a few awkward local sizes, and
 * compares every bit with their plain C twins. A failure prints the seed and a line that repeats it.
 *
 *     test_random_kernels MODULE.spv [--seed S] [--isa X] [-s N] [-w LOCAL]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanewise/lanewise.h>

#include "../local_sizes.h"
#include "random_kernels.h"

enum { MAX_ITEMS = MOST_ITEMS_OF_PEOPLE, OWN_RANGES = 5 };

static const unsigned sizes[] = {4, 8, 16, 32, 64};
static const struct {
    size_t global, local;
} ranges[] = {{64, 64},
              {120, 60},
              {100, 3},
              {37, 1},
              {203, 64},
#define ONE(global, local, offset) {global, local},
              LINES_OF_PEOPLE(ONE)};
enum { RANGES = sizeof ranges / sizeof *ranges };

struct choice {
    const char *module;
    int seed;      /* -1: all */
    lw_isa isa;    /* AUTO: all that the machine has */
    unsigned size; /* 0: all */
    size_t local;  /* 0: all */
};

struct tally {
    unsigned passed, failed;
};

static void
fill(unsigned *in)
{
    unsigned x = 12345;
    for (int k = 0; k < 64; k++) {
        x = x * 1664525u + 1013904223u;
        in[k] = k % 5 == 0 ? (unsigned)k : x;
    }
}

static bool
run_one(const struct choice *c, lw_device *device, lw_program *program, const struct random_kernel *k,
        unsigned size, size_t global, size_t local)
{
    static unsigned in[64], want[MAX_ITEMS], got[MAX_ITEMS];
    int n = (int)global - 7, rounds = 3;
    lw_error error = {0};
    fill(in);
    memset(want, 0x5a, sizeof want);
    memset(got, 0x5a, sizeof got);
    k->run(in, want, global, local, n, rounds);

    lw_kernel *kernel = lw_kernel_create(program, k->name, &error);
    lw_ndrange range = {.dimensions = 1, .global = {global}, .local = {local}};
    bool ok = kernel && lw_kernel_set_sub_group_size(kernel, size, &error) &&
              lw_kernel_set_arg_pointer(kernel, 0, in, sizeof in, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, got, sizeof got, &error) &&
              lw_kernel_set_arg_local(kernel, 2, MAX_ITEMS * sizeof(unsigned), &error) &&
              lw_kernel_set_arg(kernel, 3, &n, sizeof n, &error) &&
              lw_kernel_set_arg(kernel, 4, &rounds, sizeof rounds, &error);
    bool same = true;
    size_t at = 0;
    /* Twice: the masked instance first, then whatever the runtime specialises. */
    for (int pass = 0; ok && same && pass < 3; pass++) {
        memset(got, 0x5a, sizeof got);
        ok = lw_kernel_run(kernel, &range, &error);
        same = !memcmp(want, got, sizeof got);
    }
    while (at < MAX_ITEMS && want[at] == got[at])
        at++;
    if (!ok || !same) {
        const char *isa = lw_isa_name(lw_device_isa(device));
        printf("FAILED seed %d, %s, sub-group size %u, global %zu, local %zu: ", k->seed, isa, size, global,
               local);
        if (!ok)
            printf("%s\n", error.text);
        else
            printf("item %zu is %#x, not %#x\n", at, got[at], want[at]);
        printf("  repeat: test_random_kernels %s --seed %d --isa %s -s %u -w %zu\n", c->module, k->seed, isa,
               size, local);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static void
run_kernel(const struct choice *c, lw_device *device, lw_program *program, const struct random_kernel *k,
           struct tally *tally)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (c->size && c->size != sizes[s])
            continue;
        for (size_t r = 0; r < RANGES; r++) {
            /* Every kernel at every size; the local sizes in turn, all of them over a few seeds. */
            size_t turn = (size_t)k->seed + s + r;
            bool own = r < OWN_RANGES ? turn % 5 == 0 : (turn + 2 * (size_t)lw_device_isa(device)) % 45 == 0;
            bool chosen = c->local ? c->local == ranges[r].local : own;
            if (!chosen)
                continue;
            bool ok = run_one(c, device, program, k, sizes[s], ranges[r].global, ranges[r].local);
            tally->passed += ok;
            tally->failed += !ok;
        }
    }
}

static bool
run_isa(const struct choice *c, lw_isa isa, struct tally *tally)
{
    lw_error error = {0};
    lw_device_options options = {.isa = isa, .threads = 1};
    lw_device *device = lw_device_create(&options, &error);
    lw_program *program = device ? lw_program_load_file(device, c->module, &error) : NULL;
    if (!program)
        printf("FAILED %s: %s\n", lw_isa_name(isa), error.text);
    for (const struct random_kernel *k = random_kernels; program && k->name; k++)
        if (c->seed < 0 || c->seed == k->seed)
            run_kernel(c, device, program, k, tally);
    lw_program_release(program);
    lw_device_release(device);
    return program != NULL;
}

int
main(int argc, char **argv)
{
    struct choice c = {.module = argc > 1 ? argv[1] : "", .seed = -1};
    struct tally tally = {0};
    bool ok = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int k = 2; k + 1 < argc; k += 2) {
        const char *v = argv[k + 1];
        if (!strcmp(argv[k], "--seed"))
            c.seed = atoi(v);
        else if (!strcmp(argv[k], "-s"))
            c.size = (unsigned)atoi(v);
        else if (!strcmp(argv[k], "-w"))
            c.local = (size_t)atoi(v);
        else if (!strcmp(argv[k], "--isa"))
            for (int i = LW_ISA_SSE42; i <= LW_ISA_AVX512_FP16; i++)
                if (!strcmp(v, lw_isa_name((lw_isa)i)))
                    c.isa = (lw_isa)i;
    }
    for (int i = LW_ISA_SSE42; i <= LW_ISA_AVX512_FP16; i++) {
        bool least = i >= LW_ISA_AVX512 && i < (int)lw_isa_host(); /* when it is asked for */
        if (c.isa == LW_ISA_AUTO ? least : c.isa != (lw_isa)i)
            continue;
        if (i > (int)lw_isa_host())
            printf("not run: %s, which this machine lacks\n", lw_isa_name((lw_isa)i));
        else
            ok = run_isa(&c, (lw_isa)i, &tally) && ok;
    }
    printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return ok && tally.failed == 0 && tally.passed > 0 ? 0 : 1;
}
