/* SPDX-License-Identifier: MIT */
/* Runs every kernel of the language tests, as four front ends made it, through the public API at the
 * sub-group sizes, ISA levels and tiers, over ranges with remainders, and compares all it wrote with the
 * reference machine.
 *
 *     test_language MODULE.spv... [--kernel K] [--isa X] [-s N] [--tier T] [--range R] [--all]
 *                   [--reference FILE.so] [--turn N] [--every N] [--from K] [--seconds N]
 *
 * Without choices it runs a part of the combinations that has every pair of them, another part for another
 * turn, one of so many as --every says (89); --all runs every one. The kernels as x86-64 code are in the
 * program itself, or in the file that --reference names. --from begins with that kernel; where one run takes
 * longer than --seconds, or dies, its line to repeat it is the last one printed.
 */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lanewise/lanewise.h>

#include "../local_sizes.h"
#include "reference.h"

enum { OUT_WORDS = 1 << 16, IN_WORDS = 1 << 12, LOCAL_BYTES = 64 << 10, MAX_MODULES = 96, TIERS = 3 };

static const unsigned sizes[] = {4, 8, 16, 32, 64};
static const char *const tiers[TIERS] = {"masked", "specialised", "first"};

/* A range's set is what kernels ask for by their names: `wide` kernels have large groups only. */
#define ONE(global, local, offset) {"people", {1, {global}, {local}, {offset}}},
#define MORE(dimensions, gx, gy, gz, lx, ly, lz, ox, oy)                                                     \
    {"people", {dimensions, {gx, gy, gz}, {lx, ly, lz}, {ox, oy}}},
static const struct named_range {
    const char *set;
    struct ref_range range;
} ranges[] = {{"any", {1, {150}, {60}, {0}}},                /* remainder, tail in both */
              {"any", {1, {128}, {64}, {1000}}},             /* full sub-groups, offset */
              {"any", {2, {17, 11}, {7, 5}, {3, 0}}},        /* four shapes */
              {"any", {3, {9, 7, 6}, {4, 4, 5}, {0, 2, 9}}}, /* eight shapes */
              {"any", {1, {5}, {1}, {0}}},                   /* single work-items */
              {"any", {1, {37}, {3}, {0}}},                  /* less than any sub-group */
              {"any", {2, {16, 24}, {8, 8}, {0, 0}}},        /* rows of eight */
              {"wide", {1, {9000}, {8192}, {0}}},            /* hundreds of sub-groups */
              {"wide", {1, {3000}, {1500}, {0}}},
              {"wide", {3, {20, 40, 9}, {13, 20, 8}, {0, 0, 0}}},
              {"row", {1, {256}, {256}, {0}}},
              LINES_OF_PEOPLE(ONE) BLOCKS_OF_PEOPLE(MORE)};
enum { RANGES = sizeof ranges / sizeof *ranges };

struct choice {
    const char *modules[MAX_MODULES];
    unsigned module_count;
    const char *kernel, *tier, *reference, *from;
    void *kernels; /* as x86-64 code */
    lw_isa isa;
    unsigned size, turn, every, seconds;
    int range;
    bool all;
};

struct buffers {
    _Alignas(128) uint32_t in[IN_WORDS];
    uint32_t fresh[OUT_WORDS], want[OUT_WORDS], got[OUT_WORDS];
    unsigned char local[LOCAL_BYTES];
    uint64_t value[16];
};

struct test {
    const struct choice *choice;
    struct buffers *b;
    lw_device *devices[LW_ISA_AVX512_FP16 + 1][TIERS];
    lw_program *programs[LW_ISA_AVX512_FP16 + 1][TIERS][MAX_MODULES];
    unsigned turn, passed, failed, refused;
};

static void
fill(struct buffers *b)
{
    uint32_t x = 12345;
    for (unsigned k = 0; k < IN_WORDS; k++) {
        x = x * 1664525u + 1013904223u;
        b->in[k] = k % 5 == 0 ? k : x ^ x >> 15;
    }
    for (unsigned k = 0; k < OUT_WORDS; k++)
        b->fresh[k] = k * 2654435761u | 1;
    for (unsigned k = 0; k < 16; k++)
        b->value[k] = (uint64_t)b->in[k + 7] << 32 | b->in[k + 40];
}

static unsigned
items(const struct ref_range *r)
{
    size_t n = 1;
    for (unsigned d = 0; d < r->dimensions; d++)
        n *= r->global[d];
    return (unsigned)n;
}

/* Kernels say by the end of their names what they ask for: _wide, _row and _people for the range, _near for a
 * tolerance, _small for sub-groups of 16 at most, _alias for pointers to the same memory. */
static bool
named(const char *kernel, const char *what)
{
    const char *at = strstr(kernel, what);
    return at && at > kernel && at[-1] == '_';
}

static const char *
wanted_set(const char *kernel)
{
    static const char *const sets[] = {"wide", "row", "people"};
    for (unsigned k = 0; k < sizeof sets / sizeof *sets; k++)
        if (named(kernel, sets[k]))
            return sets[k];
    return "any";
}

/* The pointer that an argument is: out first, then in; of kernels with `_alias` the third is out again, and
 * the fourth lies so many words behind it. */
static uint32_t *
pointer(struct test *t, const char *kernel, uint32_t *out, uint32_t pointers, const struct ref_range *range)
{
    static const unsigned gaps[] = {0, 32, 1, 8192};
    if (pointers == 0)
        return out;
    if (pointers == 1 || !named(kernel, "alias"))
        return t->b->in;
    return pointers == 2 ? out : out + gaps[(range->global[0] ^ range->local[0] >> 3) % 4];
}

static size_t
pointer_bytes(struct test *t, uint32_t *out, uint32_t *at)
{
    return at == t->b->in ? sizeof t->b->in : (size_t)(out + OUT_WORDS - at) * sizeof *at;
}

/* n is the number of work-items but five. */
static bool
set_arguments(struct test *t, lw_program *program, unsigned index, lw_kernel *kernel,
              const struct ref_range *range, lw_error *error)
{
    lw_kernel_info info;
    bool ok = lw_program_kernel_info(program, index, &info);
    uint32_t pointers = 0;
    for (uint32_t a = 0; ok && a < info.arg_count; a++) {
        lw_arg_info arg;
        uint32_t n = items(range) - 5, *p;
        ok = lw_program_arg_info(program, index, a, &arg);
        if (ok && arg.kind == LW_ARG_LOCAL)
            ok = lw_kernel_set_arg_local(kernel, a, LOCAL_BYTES, error);
        else if (ok && arg.kind == LW_ARG_POINTER) {
            p = pointer(t, info.name, t->b->got, pointers++, range);
            ok = lw_kernel_set_arg_pointer(kernel, a, p, pointer_bytes(t, t->b->got, p), error);
        } else if (ok && arg.size == 4)
            ok = lw_kernel_set_arg(kernel, a, &n, 4, error);
        else if (ok)
            ok = arg.size <= sizeof t->b->value && lw_kernel_set_arg(kernel, a, t->b->value, arg.size, error);
    }
    return ok;
}

/* Values of more than four bytes go by pointer in the reference of a kernel. */
static bool
run_reference(struct test *t, lw_program *program, unsigned index, const char *name,
              const struct ref_range *range, unsigned size)
{
    uintptr_t arguments[6] = {0};
    lw_kernel_info info;
    const char *why = "no such kernel";
    void *kernel = dlsym(t->choice->kernels, name);
    bool ok = kernel && lw_program_kernel_info(program, index, &info) && info.arg_count <= 6;
    uint32_t pointers = 0;
    for (uint32_t a = 0; ok && a < info.arg_count; a++) {
        lw_arg_info arg;
        ok = lw_program_arg_info(program, index, a, &arg);
        arguments[a] = arg.kind == LW_ARG_LOCAL     ? (uintptr_t)t->b->local
                       : arg.kind == LW_ARG_POINTER ?
                       (uintptr_t)pointer(t, name, t->b->want, pointers++, range)
                       : arg.size == 4              ? items(range) - 5
                                                    : (uintptr_t)t->b->value;
    }
    memcpy(t->b->want, t->b->fresh, sizeof t->b->want);
    ok = ok && ref_run(kernel, arguments, info.arg_count, range, size, &why);
    if (!ok)
        printf("FAILED %s: reference: %s\n", name, why);
    return ok;
}

static bool
near(uint32_t want, uint32_t got)
{
    float w, g;
    memcpy(&w, &want, 4);
    memcpy(&g, &got, 4);
    return want == got || (isnan(w) && isnan(g)) || fabsf(w - g) <= 1e-5f * fabsf(w) + 1e-37f;
}

/* Index of the first word that differs; OUT_WORDS where none does. */
static unsigned
compare(const struct buffers *b, bool tolerant)
{
    unsigned k = 0;
    if (!memcmp(b->want, b->got, sizeof b->want))
        return OUT_WORDS;
    while (k < OUT_WORDS && (b->want[k] == b->got[k] || (tolerant && near(b->want[k], b->got[k]))))
        k++;
    return k;
}

/* The queries answer what kernels see. */
static bool
check_queries(lw_kernel *kernel, const struct ref_range *range, unsigned size)
{
    size_t n = 1, local[3];
    for (unsigned d = 0; d < range->dimensions; d++)
        n *= range->local[d];
    uint32_t count = lw_kernel_sub_group_count(kernel, range->dimensions, range->local);
    lw_kernel_local_size_for_count(kernel, count, local);
    return lw_kernel_sub_group_size(kernel) == size && count == (n + size - 1) / size &&
           (local[0] == 0 ? (size_t)count * size > lw_kernel_max_work_group_size(kernel)
                          : lw_kernel_sub_group_count(kernel, 3, local) == count);
}

/* How to repeat the run that goes on, for who dies in it. */
static char repeat[4096];

static void
tell_repeat(int number)
{
    static const char died[] = "FAILED died\n", late[] = "FAILED took too long\n";
    ssize_t written = number == SIGALRM ? write(STDOUT_FILENO, late, sizeof late - 1)
                                        : write(STDOUT_FILENO, died, sizeof died - 1);
    written += write(STDOUT_FILENO, repeat, strlen(repeat));
    _exit(written > 0 ? 3 : 4);
}

static void
catch_deaths(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
    static char stack[1 << 16];
    struct sigaction action = {.sa_handler = tell_repeat, .sa_flags = SA_ONSTACK};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
        sigaction(numbers[k], &action, NULL);
}

static void
run_one(struct test *t, lw_isa isa, unsigned tier, unsigned module, unsigned index, const char *name,
        unsigned range, unsigned size)
{
    lw_program *program = t->programs[isa][tier][module];
    const struct ref_range *r = &ranges[range].range;
    lw_error error = {0};
    lw_ndrange nd = {.dimensions = r->dimensions};
    memcpy(nd.global, r->global, sizeof nd.global);
    memcpy(nd.local, r->local, sizeof nd.local);
    memcpy(nd.offset, r->offset, sizeof nd.offset);
    for (unsigned d = r->dimensions; d < 3; d++)
        nd.global[d] = nd.local[d] = 1;
    memcpy(t->b->got, t->b->fresh, sizeof t->b->got);
    snprintf(repeat, sizeof repeat,
             "  repeat: test_language %s%s%s --kernel %s --isa %s --tier %s -s %u --range %u\n",
             t->choice->modules[module], t->choice->reference ? " --reference " : "",
             t->choice->reference ? t->choice->reference : "", name, lw_isa_name(isa), tiers[tier], size,
             range);
    alarm(t->choice->seconds);
    lw_kernel *kernel = lw_kernel_create(program, name, &error);
    bool ok = kernel && lw_kernel_set_sub_group_size(kernel, size, &error) &&
              set_arguments(t, program, index, kernel, r, &error) && lw_kernel_run(kernel, &nd, &error);
    if (ok && !check_queries(kernel, r, size)) {
        snprintf(error.text, sizeof error.text, "the queries disagree with the dispatch");
        ok = false;
    }
    unsigned at = ok ? compare(t->b, named(name, "near")) : 0;
    if (!ok || at < OUT_WORDS) {
        printf("FAILED %s: ", name);
        if (!ok)
            printf("%s\n", error.text);
        else
            printf("word %u is %#x, not %#x\n", at, t->b->got[at], t->b->want[at]);
        fputs(repeat, stdout);
        t->failed++;
    } else {
        t->passed++;
    }
    lw_kernel_release(kernel);
    alarm(0);
}

static lw_program *
any_program(struct test *t, unsigned module)
{
    for (int isa = 0; isa <= LW_ISA_AVX512_FP16; isa++)
        for (int tier = 0; tier < TIERS; tier++)
            if (t->programs[isa][tier][module])
                return t->programs[isa][tier][module];
    return NULL;
}

static int
kernel_index(lw_program *program, const char *name)
{
    lw_kernel_info info;
    for (uint32_t k = 0; program && k < lw_program_kernel_count(program); k++)
        if (lw_program_kernel_info(program, k, &info) && !strcmp(info.name, name))
            return (int)k;
    return -1;
}

/* One kernel over one range at one size: the reference once, then the modules, levels and tiers. */
static void
run_case(struct test *t, const char *name, unsigned range, unsigned size)
{
    const struct choice *c = t->choice;
    bool have = false, narrowed = c->kernel || c->all;
    for (unsigned m = 0; m < c->module_count; m++) {
        lw_program *program = any_program(t, m);
        int index = kernel_index(program, name);
        for (int isa = LW_ISA_SSE42; index >= 0 && isa <= LW_ISA_AVX512_FP16; isa++)
            for (unsigned tier = 0; tier < TIERS; tier++) {
                if (!t->programs[isa][tier][m] || (!narrowed && t->turn++ % c->every != 0))
                    continue;
                if (!have && !run_reference(t, program, (unsigned)index, name, &ranges[range].range, size)) {
                    t->failed++;
                    return;
                }
                have = true;
                run_one(t, (lw_isa)isa, tier, m, (unsigned)index, name, range, size);
            }
    }
}

/* Kernels that take thousands of work-items take what people have, too. */
static bool
in_set(unsigned range, const char *set)
{
    return !strcmp(ranges[range].set, set) || (!strcmp(set, "wide") && !strcmp(ranges[range].set, "people"));
}

static void
run_kernel(struct test *t, const char *name)
{
    const struct choice *c = t->choice;
    for (unsigned range = 0; range < RANGES; range++)
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if ((c->range < 0 || (unsigned)c->range == range) && (!c->size || c->size == sizes[s]) &&
                in_set(range, wanted_set(name)) && !(named(name, "small") && sizes[s] > 16))
                run_case(t, name, range, sizes[s]);
}

static void
load(struct test *t)
{
    const struct choice *c = t->choice;
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512_FP16; isa++) {
        if (isa > (int)lw_isa_host())
            printf("not run: %s, which this machine lacks\n", lw_isa_name((lw_isa)isa));
        for (unsigned tier = 0; tier < TIERS && isa <= (int)lw_isa_host(); tier++) {
            if ((c->isa != LW_ISA_AUTO && c->isa != (lw_isa)isa) || (c->tier && strcmp(c->tier, tiers[tier])))
                continue;
            lw_error error = {0};
            lw_device_options options = {.isa = (lw_isa)isa, .threads = tier == 0 ? 1 : 2};
            setenv("LANEWISE_TIER", tiers[tier], 1);
            t->devices[isa][tier] = lw_device_create(&options, &error);
            for (unsigned m = 0; m < c->module_count && t->devices[isa][tier]; m++) {
                lw_program *program = lw_program_load_file(t->devices[isa][tier], c->modules[m], &error);
                t->programs[isa][tier][m] = program;
                if (!program) {
                    printf("FAILED %s\n", error.text);
                    t->failed++;
                }
            }
        }
    }
}

/* Every name once, whichever module has it first. */
static void
run_all(struct test *t)
{
    const struct choice *c = t->choice;
    bool from = !c->from;
    for (unsigned m = 0; m < c->module_count; m++) {
        lw_program *program = any_program(t, m);
        for (uint32_t k = 0; program && k < lw_program_kernel_count(program); k++) {
            lw_kernel_info info;
            bool seen =
                !lw_program_kernel_info(program, k, &info) || (c->kernel && strcmp(c->kernel, info.name));
            for (unsigned before = 0; before < m && !seen; before++)
                seen = kernel_index(any_program(t, before), info.name) >= 0;
            if (!seen && info.unsupported) {
                printf("FAILED %s: %s\n", info.name, info.unsupported);
                t->failed++;
            }
            from = from || !strcmp(info.name, c->from);
            if (!seen && from && !info.unsupported)
                run_kernel(t, info.name);
        }
    }
}

static bool
read_arguments(struct choice *c, int argc, char **argv)
{
    c->range = -1;
    c->every = 89;
    for (int k = 1; k < argc; k++) {
        const char *v = k + 1 < argc ? argv[k + 1] : "";
        if (!strcmp(argv[k], "--all")) {
            c->all = true;
            continue;
        }
        if (argv[k][0] != '-' && c->module_count < MAX_MODULES) {
            c->modules[c->module_count++] = argv[k];
            continue;
        }
        if (!strcmp(argv[k], "--kernel"))
            c->kernel = v;
        else if (!strcmp(argv[k], "-s"))
            c->size = (unsigned)atoi(v);
        else if (!strcmp(argv[k], "--turn"))
            c->turn = (unsigned)atoi(v);
        else if (!strcmp(argv[k], "--every") && atoi(v) > 0)
            c->every = (unsigned)atoi(v);
        else if (!strcmp(argv[k], "--tier"))
            c->tier = v;
        else if (!strcmp(argv[k], "--from"))
            c->from = v;
        else if (!strcmp(argv[k], "--seconds"))
            c->seconds = (unsigned)atoi(v);
        else if (!strcmp(argv[k], "--reference"))
            c->reference = v;
        else if (!strcmp(argv[k], "--range"))
            c->range = atoi(v);
        else if (!strcmp(argv[k], "--isa"))
            for (int i = LW_ISA_SSE42; i <= LW_ISA_AVX512_FP16; i++)
                c->isa = !strcmp(v, lw_isa_name((lw_isa)i)) ? (lw_isa)i : c->isa;
        else
            return false;
        k++;
    }
    return c->module_count > 0;
}

int
main(int argc, char **argv)
{
    struct choice c = {0};
    struct test t = {.choice = &c, .b = aligned_alloc(128, sizeof *t.b)};
    setvbuf(stdout, NULL, _IOLBF, 0);
    setenv("LANEWISE_RESHAPE", "0", 1);
    if (!t.b || !read_arguments(&c, argc, argv))
        return 2;
    t.turn = c.turn;
    c.kernels = dlopen(c.reference, RTLD_NOW);
    if (!c.kernels) {
        printf("FAILED %s\n", dlerror());
        return 2;
    }
    memset(t.b, 0, sizeof *t.b);
    fill(t.b);
    catch_deaths();
    load(&t);
    run_all(&t);
    for (int isa = 0; isa <= LW_ISA_AVX512_FP16; isa++)
        for (int tier = 0; tier < TIERS; tier++) {
            for (unsigned m = 0; m < c.module_count; m++)
                lw_program_release(t.programs[isa][tier][m]);
            lw_device_release(t.devices[isa][tier]);
        }
    free(t.b);
    printf("%u passed, %u failed\n", t.passed, t.failed);
    return t.failed == 0 && t.passed > 0 ? 0 : 1;
}
