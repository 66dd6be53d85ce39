/* SPDX-License-Identifier: MIT */
/* What code is specialised on: facts of the dispatch and its arguments, and the width that the kernel asks
 * for. */
#include "support.h"

#include <string.h>
#include <unistd.h>

START_TEST(facts_are_the_dispatchs)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    struct fake_record record = {0};
    fake()->delay_microseconds = 20000; /* dear enough for the masked instance to serve repetitions */
    lw_ndrange range = {2, {64, 6}, {32, 2}, {0}};
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    struct lw_shape first = fake()->shapes[0];
    ck_assert(first.offset_zero && first.index31 && first.buffers_4g && first.row_multiple);
    ck_assert_uint_eq(first.work_dim, 2);
    /* A remainder of 5 in dimension 0 is no multiple of the lanes. */
    range.global[0] = 69;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert(!fake()->shapes[1].row_multiple);
    ck_assert(!fake()->shapes[1].flat);
    range.offset[1] = 1;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert(!fake()->shapes[2].offset_zero);
    range.offset[1] = 0x7fffffff - 64;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert(!fake()->shapes[3].index31);
    range.offset[1] = SIZE_MAX - 10;
    ck_assert_uint_eq(compilations_of(kernel, &range), 0);
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, &record, (size_t)1 << 32, &error));
    assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {5}, {8}, {0}}, &error), error);
    ck_assert(!fake()->shapes[4].buffers_4g);
    ck_assert(fake()->shapes[4].flat);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

static void
set_strides(lw_kernel *kernel, uint32_t k, uint32_t stride, uint64_t step)
{
    lw_error error;
    assert_good(lw_kernel_set_arg(kernel, 1, &k, sizeof k, &error), error);
    assert_good(lw_kernel_set_arg(kernel, 2, &stride, sizeof stride, &error), error);
    assert_good(lw_kernel_set_arg(kernel, 3, &step, sizeof step, &error), error);
}

/* Of arguments that are strides code may know that they are 1, and nothing else; the same first code serves
 * all, and a program that changes them all the time has no more codes than there are such facts. */
START_TEST(strides_are_one_or_anything)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "strided");
    const lw_ndrange range = line(1 << 10, 64);
    const struct {
        uint32_t k, stride;
        uint64_t step, ones;
    } cases[] = {{1, 1, 1, 12},
                 {7, 1, 1, 12},
                 {1, 257, 1, 8},
                 {1, 0, 1, 8},
                 {1, 1, UINT64_C(1) << 32, 4},
                 {1, 1, UINT64_C(1) << 32 | 1, 4},
                 {1, 2, 3, 0},
                 {1, UINT32_MAX, 0, 0}};
    fake()->delay_microseconds = 20000; /* dear enough for first code to serve all */
    for (unsigned k = 0; k < 8; k++) {
        set_strides(kernel, cases[k].k, cases[k].stride, cases[k].step);
        ck_assert_uint_eq(compilations_of(kernel, &range), k == 0);
    }
    ck_assert_uint_eq(fake()->shapes[0].known, 0);
    for (unsigned k = 0; k < 800; k++) {
        unsigned before = fake()->compilations;
        set_strides(kernel, cases[k % 8].k, cases[k % 8].stride, cases[k % 8].step);
        assert_good(lw_kernel_prepare(kernel, &range, &error), error);
        if (fake()->compilations > before)
            ck_assert_uint_eq(fake()->shapes[before].known, cases[k % 8].ones);
    }
    ck_assert_uint_eq(fake()->compilations, 5);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* What a kernel runs with whose buffer begins `before` bytes in front of the end of the page. */
static uint16_t
heads_of(char *page, size_t before, size_t bytes)
{
    lw_error error;
    const lw_ndrange range = {1, {64}, {32}, {0}};
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    uint16_t heads = fake()->shapes[fake()->compilations - 1].heads;
    ck_assert_uint_eq(heads, LW_HEAD); /* of arguments that are to come */
    unsigned compiled = fake()->compilations;
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, page + 4096 - before, bytes, &error));
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    if (fake()->compilations > compiled)
        heads = fake()->shapes[fake()->compilations - 1].heads;
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    return heads;
}

START_TEST(heads_of_buffers)
{
    char *page = aligned_alloc(4096, 4096);
    ck_assert_uint_eq(heads_of(page, 4096, 8), LW_HEAD);
    ck_assert_uint_eq(heads_of(page, 304, 304), 256);
    ck_assert_uint_eq(heads_of(page, 304, 1), 256);
    ck_assert_uint_eq(heads_of(page, 104, 304), LW_HEAD); /* into the next page */
    ck_assert_uint_eq(heads_of(page, 248, 248), 64);
    ck_assert_uint_eq(heads_of(page, 56, 56), 0);
    free(page);
}
END_TEST

/* The kernel keeps what it found of a range: not where anything else changed that code depends on. */
START_TEST(a_range_is_looked_at_again)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    struct fake_record record = {0};
    const lw_ndrange range = {1, {64}, {32}, {0}}, bad = {1, {64}, {1 << 20}, {0}};
    uint32_t n = lw_kernel_sub_group_size(kernel), other = n == 32 ? 8 : 32;
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 1);
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert(!lw_kernel_prepare(kernel, &bad, &error));
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 1);
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, &record, (size_t)1 << 32, &error));
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 2);
    ck_assert(!fake()->shapes[1].buffers_4g);
    assert_good(lw_kernel_set_sub_group_size(kernel, other, &error), error);
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 3);
    ck_assert_uint_eq(fake()->shapes[2].sub_group_size, other);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

static uint32_t
widest_code(lw_program *program, const char *name, uint32_t *n)
{
    lw_error error;
    lw_kernel *kernel = make_kernel(program, name);
    uint32_t widest = 0;
    unsigned before = fake()->compilations;
    *n = lw_kernel_sub_group_size(kernel);
    assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {1 << 16}, {256}, {0}}, &error), error);
    for (unsigned c = before; c < fake()->compilations; c++)
        if (fake()->shapes[c].lanes > widest)
            widest = fake()->shapes[c].lanes;
    lw_kernel_release(kernel);
    return widest;
}

/* Who asks for the size that the kernel has anyway asks for code of that width. */
START_TEST(a_wish_is_seen_for_the_same_range)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "stepping");
    const lw_ndrange range = {1, {1 << 16}, {256}, {0}};
    uint32_t n = lw_kernel_sub_group_size(kernel);
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    unsigned before = fake()->compilations;
    ck_assert_uint_eq(fake()->shapes[before - 1].lanes, 4 * n);
    assert_good(lw_kernel_set_sub_group_size(kernel, n, &error), error);
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, before + 1);
    ck_assert_uint_eq(fake()->shapes[before].lanes, n);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Several registers' worth of lanes for a loop that waits for its own roots. */
START_TEST(width_follows_loops)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    uint32_t n, stepping = widest_code(program, "stepping", &n);
    ck_assert_uint_eq(stepping, 4 * n);
    ck_assert_uint_eq(widest_code(program, "stepping_in_memory", &n), n);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Two registers' worth for divisions and roots, and for sub-groups that tell each other their sums. */
START_TEST(width_follows_divisions)
{
    lw_device *device = make_device_with(&(lw_device_options){.isa = LW_ISA_AVX2, .threads = 1});
    if (lw_device_isa(device) == LW_ISA_AVX2) {
        lw_program *program = load(device, "kernels.spv");
        uint32_t n;
        ck_assert_uint_eq(widest_code(program, "dividing", &n), 2 * n);
        ck_assert_uint_eq(widest_code(program, "saxpy", &n), n);
        ck_assert_uint_eq(n, 8);
        lw_kernel *telling = make_kernel(program, "telling");
        ck_assert_uint_eq(lw_kernel_sub_group_size(telling), 16);
        lw_kernel_release(telling);
        lw_program_release(program);
    }
    lw_device_release(device);
}
END_TEST

/* N is the kernel's alone where it can tell, or its sums of floats could; else the code's width may follow
 * the local size. */
START_TEST(width_follows_what_the_kernel_observes)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    static const char *const tied[] = {"observing", "scanning"};
    for (unsigned i = 0; i < 2; i++) {
        lw_kernel *kernel = make_kernel(program, tied[i]);
        for (size_t local = 1; local < 300; local = local * 3 + 1) {
            unsigned before = fake()->compilations;
            assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {900}, {local}, {0}}, &error), error);
            for (unsigned c = before; c < fake()->compilations; c++)
                ck_assert_uint_eq(fake()->shapes[c].lanes, lw_kernel_sub_group_size(kernel));
        }
        lw_kernel_release(kernel);
    }
    lw_kernel *kernel = NULL;
    static const char *const free_ones[] = {"summing", "barriered"};
    unsigned before;
    for (unsigned i = 0; i < 2; i++) {
        lw_kernel_release(kernel);
        kernel = make_kernel(program, free_ones[i]);
        uint32_t n = lw_kernel_sub_group_size(kernel);
        before = fake()->compilations;
        assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {4 * n}, {2 * n}, {0}}, &error), error);
        ck_assert_uint_eq(fake()->shapes[before].lanes, 2 * n);
        ck_assert_uint_eq(fake()->shapes[before].sub_group_size, n);
    }
    /* Asked for, it is what the code has. */
    assert_good(lw_kernel_set_sub_group_size(kernel, 32, &error), error);
    before = fake()->compilations;
    assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {64}, {8}, {0}}, &error), error);
    ck_assert_uint_eq(fake()->shapes[before].lanes, 32);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* A loop by grid strides is as long as a range, as long as what it reckons with has 31 bits. */
START_TEST(ranges_as_long_as_loops)
{
    lw_error error;
    static uint32_t to[64], from[64];
    const struct {
        int n;
        bool stretched;
    } cases[] = {{64, false}, {65, true}, {2147300, true}, {2147490, false}, {INT32_MAX, false}, {-1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        lw_device *device = make_device(1);
        lw_program *program = load(device, "kernels.spv");
        lw_kernel *kernel = make_kernel(program, "far_apart");
        assert_good(lw_kernel_set_arg_pointer(kernel, 0, to, sizeof to, &error), error);
        assert_good(lw_kernel_set_arg_pointer(kernel, 1, from, sizeof from, &error), error);
        assert_good(lw_kernel_set_arg(kernel, 2, &cases[k].n, sizeof cases[k].n, &error), error);
        unsigned before = fake()->compilations;
        assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {64}, {8}, {0}}, &error), error);
        ck_assert_uint_gt(fake()->compilations, before);
        for (unsigned c = before; c < fake()->compilations; c++)
            ck_assert_msg(fake()->shapes[c].stretched == cases[k].stretched, "n is %d", cases[k].n);
        lw_kernel_release(kernel);
        lw_program_release(program);
        lw_device_release(device);
    }
}
END_TEST

TCase *
shape_cases(void)
{
    TCase *cases = tcase_create("shape");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, facts_are_the_dispatchs);
    tcase_add_test(cases, strides_are_one_or_anything);
    tcase_add_test(cases, a_range_is_looked_at_again);
    tcase_add_test(cases, heads_of_buffers);
    tcase_add_test(cases, ranges_as_long_as_loops);
    tcase_add_test(cases, a_wish_is_seen_for_the_same_range);
    tcase_add_test(cases, width_follows_what_the_kernel_observes);
    tcase_add_test(cases, width_follows_loops);
    tcase_add_test(cases, width_follows_divisions);
    return cases;
}
