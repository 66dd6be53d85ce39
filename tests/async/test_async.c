/* SPDX-License-Identifier: MIT */
/* Asynchronous copies against loops of memcpy: element sizes, directions, strides, counts that do not fit the
 * group, on every instruction set, sub-group size and in every tier. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lanewise/lanewise.h>

#include "../local_sizes.h"
#include "../run_suite.h"

#define GROUPS 3
#define MOST 100
#define VARIANTS 45

static const struct {
    const char *name;
    size_t bytes;
} types[] = {{"char", 1},   {"short", 2},   {"int", 4},     {"float", 4},  {"double", 8},   {"uchar3", 4},
             {"short2", 4}, {"float3", 16}, {"float4", 16}, {"long4", 32}, {"double8", 64}, {"ulong16", 128}};

/* Work-groups: few that copies do not fit, and those of people. */
static const lw_ndrange shapes[] = {
#define LINE(GLOBAL, LOCAL, OFFSET) {1, {GROUPS * LOCAL}, {LOCAL}, {0}},
#define BLOCK(DIMENSIONS, X, Y, Z, LX, LY, LZ, OX, OY)                                                       \
    {DIMENSIONS, {GROUPS * LX, LY, LZ}, {LX, LY, LZ}, {0}},
    LINE(, 1, ) LINE(, 13, ) LINE(, 64, ) LINES_OF_PEOPLE(LINE) BLOCKS_OF_PEOPLE(BLOCK)};
enum { FEW = 3, SHAPES = sizeof shapes / sizeof *shapes };

static const char *module_path;
static lw_device *device;
static lw_program *program;
static uint32_t lanes;
static lw_error e;

/* Loop index: tier, ISA level, sub-group size. */
static void
open_variant(int variant)
{
    static const uint32_t sizes[] = {4, 8, 16, 32, 64};
    lw_isa isa = (lw_isa)(variant / 3 % 3 + 1);
    static const char *const tiers[] = {"masked", "specialised", "first"};
    setenv("LANEWISE_TIER", tiers[variant % 3], 1);
    isa = isa > lw_isa_host() ? lw_isa_host() : isa;
    lanes = sizes[variant / 9];
    device = lw_device_create(&(lw_device_options){.threads = 2, .isa = isa}, &e);
    ck_assert_msg(device, "%s", e.text);
    program = lw_program_load_file(device, module_path, &e);
    ck_assert_msg(program, "%s", e.text);
}

static void
close_variant(void)
{
    lw_program_release(program);
    lw_device_release(device);
}

struct run {
    size_t bytes;
    int n, in_stride, out_stride;
    const lw_ndrange *range;
};

static void
run(const char *name, const struct run *r)
{
    size_t in_size = r->bytes * (size_t)(GROUPS * r->n * r->in_stride);
    size_t out_size = r->bytes * (size_t)(GROUPS * r->n * r->out_stride);
    unsigned char *in = aligned_alloc(128, in_size / 128 * 128 + 128), *out, *expected;
    out = aligned_alloc(128, out_size / 128 * 128 + 128);
    expected = malloc(out_size + 1);
    size_t columns = r->range->local[0];
    int *sum = calloc(GROUPS * columns, sizeof *sum);
    for (size_t i = 0; i < in_size; i++)
        in[i] = (unsigned char)(i * 37 + i / 251);
    memset(out, 0xee, out_size);
    memset(expected, 0xee, out_size);
    for (int i = 0; i < GROUPS * r->n; i++)
        memcpy(expected + r->bytes * (size_t)(i * r->out_stride), in + r->bytes * (size_t)(i * r->in_stride),
               r->bytes);

    lw_kernel *kernel = lw_kernel_create(program, name, &e);
    ck_assert_msg(kernel, "%s", e.text);
    bool good = lw_kernel_set_sub_group_size(kernel, lanes, &e) &&
                lw_kernel_set_arg_pointer(kernel, 0, in, in_size, &e) &&
                lw_kernel_set_arg_pointer(kernel, 1, out, out_size, &e) &&
                lw_kernel_set_arg_local(kernel, 2, r->bytes * (size_t)(r->n ? r->n : 1), &e) &&
                lw_kernel_set_arg(kernel, 3, &r->n, 4, &e) &&
                lw_kernel_set_arg(kernel, 4, &r->in_stride, 4, &e) &&
                lw_kernel_set_arg(kernel, 5, &r->out_stride, 4, &e) &&
                lw_kernel_set_arg_pointer(kernel, 6, sum, GROUPS * columns * sizeof *sum, &e) &&
                lw_kernel_run(kernel, r->range, &e);
    ck_assert_msg(good, "%s", e.text);
    ck_assert_msg(memcmp(out, expected, out_size) == 0, "%s: n %d, strides %d and %d, groups of %zu %zu %zu",
                  name, r->n, r->in_stride, r->out_stride, columns, r->range->local[1], r->range->local[2]);
    for (size_t g = 0; g < GROUPS; g++) {
        int total = 0;
        for (int i = 0; i < r->n; i++)
            total += in[r->bytes * (g * (size_t)r->n + (size_t)i) * (size_t)r->in_stride];
        for (size_t i = 0; i < columns; i++)
            ck_assert_msg(sum[g * columns + i] == total, "%s: work-item %zu of group %zu saw %d, not %d",
                          name, i, g, sum[g * columns + i], total);
    }
    lw_kernel_release(kernel);
    free(in);
    free(out);
    free(expected);
    free(sum);
}

START_TEST(copies_are_copies)
{
    static const int counts[] = {0, 1, 7, 64, MOST};
    char name[32];
    open_variant(_i);
    /* A third of the types, with counts, strides and groups that go around: sizes of sub-groups meet them
     * all. */
    for (size_t t = (size_t)(_i / 3 + _i / 9) % 3; t < sizeof types / sizeof *types; t += 3)
        for (int k = 0; k < 2; k++) {
            int at = (int)t * 2 + k + _i;
            struct run r = {types[t].bytes, counts[at % 5], 1, 1, &shapes[at % FEW]};
            snprintf(name, sizeof name, "plain_%s", types[t].name);
            run(name, &r);
            snprintf(name, sizeof name, "array_%s", types[t].name);
            run(name, &r);
            r.in_stride = 1 + at % 3;
            r.out_stride = 1 + at / 3 % 3;
            r.n = counts[(at + 2) % 5];
            snprintf(name, sizeof name, "copy_%s", types[t].name);
            run(name, &r);
            r.range = &shapes[at % SHAPES];
            run(name, &r);
        }
    close_variant();
}
END_TEST

int
main(int count, char **words)
{
    if (count != 2)
        return 2;
    module_path = words[1];
    Suite *suite = suite_create("async");
    TCase *tests = tcase_create("async");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, copies_are_copies, 0, VARIANTS);
    suite_add_tcase(suite, tests);
    return run_suite_here(suite);
}
