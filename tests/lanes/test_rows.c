/* SPDX-License-Identifier: MIT */
/* Runs the kernels of rows.def at every instruction set and sub-group size, between pages that may not be
 * touched, and compares every byte with the same statements run one item after the other.
 *
 *     test_rows MODULE.spv [KERNEL]
 */
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

#define LANE lane
#define ROW(name, in, out, in_count, out_count, statement)                                                   \
    static void name##_run(const void *from, void *to, size_t w, size_t h, size_t x, size_t y, uint lane)    \
    {                                                                                                        \
        const in *a = from;                                                                                  \
        out *b = to;                                                                                         \
        (void)w, (void)h, (void)lane;                                                                        \
        statement;                                                                                           \
    }                                                                                                        \
    static void name##_sizes(size_t w, size_t h, size_t *in_bytes, size_t *out_bytes)                        \
    {                                                                                                        \
        *in_bytes = (in_count) * sizeof(in);                                                                 \
        *out_bytes = (out_count) * sizeof(out);                                                              \
        (void)w;                                                                                             \
    }
#include "rows.def"
#undef ROW

static const struct form {
    const char *name;
    void (*run)(const void *a, void *b, size_t w, size_t h, size_t x, size_t y, uint lane);
    void (*sizes)(size_t w, size_t h, size_t *in, size_t *out);
} forms[] = {
#define ROW(name, in, out, in_count, out_count, statement) {#name, name##_run, name##_sizes},
#include "rows.def"
};

static const struct range {
    size_t w, h, global[2], local[2]; /* global > w, h: the guarded kernel */
} ranges[] = {{40, 16, {40, 16}, {8, 8}},  {20, 32, {20, 32}, {4, 16}}, {24, 18, {24, 18}, {8, 3}},
              {36, 12, {36, 12}, {4, 6}},  {32, 8, {32, 8}, {16, 4}},   {37, 21, {40, 24}, {8, 8}},
              {30, 19, {32, 21}, {16, 3}}, {21, 10, {21, 10}, {8, 4}},  {12, 64, {12, 64}, {2, 32}}};

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

/* Lanes are linear over the work-group; those at the range's end are smaller. */
static uint
lane_of(const struct range *r, size_t x, size_t y, unsigned size)
{
    size_t left = r->global[0] - x / r->local[0] * r->local[0], row = left < r->local[0] ? left : r->local[0];
    return (uint)((y % r->local[1] * row + x % r->local[0]) % (size ? size : 64));
}

static bool
wants_lane(const struct form *form)
{
    return !strcmp(form->name, "thirds") || !strcmp(form->name, "flipped");
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
    bool guarded = range->global[0] > range->w;
    uint64_t w = range->w, h = range->h;

    form->sizes(w, h, &in_bytes, &out_bytes);
    unsigned char *in = fenced(areas->in, in_bytes), *out = fenced(areas->out, out_bytes);
    unsigned char *want = fenced(areas->want, out_bytes);
    snprintf(name, sizeof name, "%s%s", form->name, guarded ? "_guarded" : "");
    fill(in, in_bytes, true);
    fill(want, out_bytes, true);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            form->run(in, want, w, h, x, y, lane_of(range, x, y, size));
    lw_kernel *kernel = lw_kernel_create(program, name, &error);
    lw_ndrange r = {.dimensions = 2,
                    .global = {range->global[0], range->global[1]},
                    .local = {range->local[0], range->local[1]}};
    bool ok = kernel && (!size || lw_kernel_set_sub_group_size(kernel, size, &error)) &&
              lw_kernel_set_arg_pointer(kernel, 0, in, in_bytes, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, out, out_bytes, &error) &&
              lw_kernel_set_arg(kernel, 2, &w, sizeof w, &error) &&
              lw_kernel_set_arg(kernel, 3, &h, sizeof h, &error);
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
        printf("FAILED %s, %s, sub-group size %u, global %zu x %zu, local %zu x %zu: byte %zu differs %s\n",
               name, lw_isa_name(lw_device_isa(device)), size, range->global[0], range->global[1],
               range->local[0], range->local[1], at, ok ? "" : error.text);
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
                if ((k + s + r) % 2 || (!sizes[s] && wants_lane(&forms[k]))) /* in turn */
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
