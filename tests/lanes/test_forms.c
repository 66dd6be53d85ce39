/* SPDX-License-Identifier: MIT */
/* Runs the kernels of forms.def at every instruction set and sub-group size, between pages that may not be
 * touched, and compares every byte with the same statements run one item after the other.
 *
 *     test_forms MODULE.spv [KERNEL]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <lanewise/lanewise.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

enum { PAGE = 4096, MOST = 1 << 21 };

static const uint shuffled[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

#define FORM(name, in, out, in_count, out_count, statement)                                                  \
    static void name##_run(const void *from, void *to, size_t n)                                             \
    {                                                                                                        \
        const in *a = from;                                                                                  \
        out *b = to;                                                                                         \
        for (size_t i = 0; i < n; i++) {                                                                     \
            statement;                                                                                       \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_sizes(size_t n, size_t *in_bytes, size_t *out_bytes)                                  \
    {                                                                                                        \
        *in_bytes = (in_count) * sizeof(in);                                                                 \
        *out_bytes = (out_count) * sizeof(out);                                                              \
        (void)n;                                                                                             \
    }
#include "forms.def"
#undef FORM

static const struct form {
    const char *name;
    void (*run)(const void *a, void *b, size_t n);
    void (*sizes)(size_t n, size_t *in, size_t *out);
} forms[] = {
#define FORM(name, in, out, in_count, out_count, statement) {#name, name##_run, name##_sizes},
#include "forms.def"
};

static const struct range {
    size_t n, global, local; /* global > n: the guarded kernel */
} ranges[] = {{256, 256, 64}, {250, 256, 64}, {120, 120, 60}, {67, 67, 67}, {60, 75, 25}, {37, 37, 1}};

/* `bytes` that end where a page begins that may not be touched; the page before them may not be either. */
static unsigned char *
fenced(unsigned char *area, size_t bytes)
{
    return area + PAGE + MOST - bytes;
}

static unsigned char *
make_area(void)
{
    unsigned char *area =
        mmap(NULL, MOST + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED || mprotect(area, PAGE, PROT_NONE) ||
        mprotect(area + PAGE + MOST, PAGE, PROT_NONE))
        abort();
    return area;
}

/* Small numbers as floats and as integers: bytes of floats below 1000 would be anything. */
static void
fill(unsigned char *data, size_t bytes, bool floats)
{
    uint32_t x = 77;
    for (size_t k = 0; k < bytes; k++) {
        x = x * 1664525u + 1013904223u;
        data[k] = (unsigned char)(x >> 24);
    }
    for (size_t k = 0; floats && k + 4 <= bytes; k += 4) {
        float f = (float)(data[k] - 100);
        memcpy(data + k, &f, 4);
    }
}

struct areas {
    unsigned char *in, *out, *want;
};

static bool
run_one(lw_device *device, lw_program *program, const struct form *form, unsigned size,
        const struct range *range, const struct areas *areas)
{
    size_t in_bytes, out_bytes;
    char name[80];
    lw_error error = {0};
    bool guarded = range->global > range->n;
    uint n = (uint)range->n;

    form->sizes(range->n, &in_bytes, &out_bytes);
    unsigned char *in = fenced(areas->in, in_bytes), *out = fenced(areas->out, out_bytes);
    unsigned char *want = fenced(areas->want, out_bytes);
    snprintf(name, sizeof name, "%s%s", form->name, guarded ? "_guarded" : "");
    fill(in, in_bytes, true);
    fill(want, out_bytes, true);
    form->run(in, want, range->n);
    lw_kernel *kernel = lw_kernel_create(program, name, &error);
    lw_ndrange r = {.dimensions = 1, .global = {range->global}, .local = {range->local}};
    bool ok = kernel && (!size || lw_kernel_set_sub_group_size(kernel, size, &error)) &&
              lw_kernel_set_arg_pointer(kernel, 0, in, in_bytes, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, out, out_bytes, &error) &&
              lw_kernel_set_arg(kernel, 2, &n, sizeof n, &error);
    bool same = true;
    for (int pass = 0; ok && same && pass < 3; pass++) {
        fill(out, out_bytes, true);
        ok = lw_kernel_run(kernel, &r, &error);
        same = ok && !memcmp(want, out, out_bytes);
    }
    if (!ok || !same) {
        size_t at = 0;
        while (ok && at < out_bytes && want[at] == out[at])
            at++;
        printf("FAILED %s, %s, sub-group size %u, global %zu, local %zu: byte %zu differs %s\n", name,
               lw_isa_name(lw_device_isa(device)), size, range->global, range->local, at,
               ok ? "" : error.text);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static unsigned
run_isa(const char *module, const char *only, lw_isa isa, const struct areas *areas, unsigned *passed)
{
    static const unsigned sizes[] = {0, 4, 8, 16, 32, 64};
    lw_error error = {0};
    lw_device_options options = {.isa = isa, .threads = 1};
    lw_device *device = lw_device_create(&options, &error);
    lw_program *program = device ? lw_program_load_file(device, module, &error) : NULL;
    unsigned failed = !program;

    if (!program)
        printf("FAILED %s: %s\n", lw_isa_name(isa), error.text);
    for (size_t k = 0; program && k < sizeof forms / sizeof *forms; k++) {
        if (only && strcmp(only, forms[k].name))
            continue;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
                if ((k + s + r) % 3) /* in turn */
                    continue;
                bool ok = run_one(device, program, &forms[k], sizes[s], &ranges[r], areas);
                failed += !ok;
                *passed += ok;
            }
        }
    }
    lw_program_release(program);
    lw_device_release(device);
    return failed;
}

int
main(int argc, char **argv)
{
    struct areas areas = {make_area(), make_area(), make_area()};
    unsigned passed = 0, failed = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        if (isa > (int)lw_isa_host())
            printf("not run: %s, which this machine lacks\n", lw_isa_name((lw_isa)isa));
        else
            failed +=
                run_isa(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : NULL, (lw_isa)isa, &areas, &passed);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed || !passed;
}
