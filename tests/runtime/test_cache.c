/* SPDX-License-Identifier: MIT */
/* Compiled code: one compilation per shape, bounded, in tiers, shared. */
#include "support.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static unsigned
compilations_of(lw_kernel *kernel, const lw_ndrange *range)
{
    unsigned before = fake()->compilations;
    struct fake_record record = {0};
    run_checked(kernel, range, &record);
    return fake()->compilations - before;
}

/* What the kernel's last run was by. */
static lw_compile_info
info_of(const lw_kernel *kernel)
{
    lw_compile_info info;
    lw_kernel_compile_info(kernel, &info);
    return info;
}

/* The compile thread has its own time. */
static void
wait_for_compilations(unsigned count)
{
    for (unsigned i = 0; i < 2000 && fake()->compilations < count; i++)
        usleep(5000);
    ck_assert_uint_eq(fake()->compilations, count);
}

START_TEST(first_code_comes_first)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    fake()->delay_microseconds = 20000;
    struct fake_record record = {0};
    lw_ndrange range = line(1000, 50);
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(fake()->compilations, 1);
    ck_assert_uint_eq(fake()->shapes[0].local_size[0], 50);
    ck_assert(fake()->shapes[0].build & LW_BUILD_FIRST);
    ck_assert_uint_eq(record.first_calls, record.special_calls);
    ck_assert_uint_eq(record.masked_calls, 0);
    ck_assert(info_of(kernel).first && info_of(kernel).specialised);
    /* A second shape is a sign of many: code for any. */
    range.local[0] = 33;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert_uint_eq(fake()->shapes[1].local_size[0], 0);
    ck_assert(fake()->shapes[1].build & LW_BUILD_FIRST);
    ck_assert(info_of(kernel).first && !info_of(kernel).specialised);
    range.local[0] = 20;
    ck_assert_uint_eq(compilations_of(kernel, &range), 0);
    /* A shape that keeps coming back is worth code of its own, and a kernel of many shapes masked code. */
    for (unsigned i = 0; i < 40; i++)
        compilations_of(kernel, &range);
    ck_assert_uint_eq(fake()->compilations, 4);
    ck_assert_uint_eq(fake()->shapes[2].local_size[0], 0);
    ck_assert(!(fake()->shapes[2].build & LW_BUILD_FIRST));
    ck_assert_uint_eq(fake()->shapes[3].local_size[0], 20);
    ck_assert_uint_eq(fake()->shapes[3].local_size[1], 1);
    ck_assert_uint_eq(fake()->shapes[3].local_size[2], 1);
    lw_compile_info info = info_of(kernel);
    ck_assert_uint_eq(info.compilations, 4);
    ck_assert(info.milliseconds >= 80);
    ck_assert(info.specialised && !info.first);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

/* Where first code for the shape cannot be had that for any serves, and nothing is tried at every run. */
START_TEST(first_code_that_fails_is_left)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(1000, 50);
    fake()->fail_first = true;
    fake()->delay_microseconds = 20000;
    ck_assert_uint_eq(compilations_of(kernel, &range), 2);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_uint_eq(compilations_of(kernel, &range), 0);
        ck_assert(info_of(kernel).first && !info_of(kernel).specialised);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

/* The only shape of a kernel is waited for sooner; its remainders stay with the first code a while. */
START_TEST(one_shape_is_soon_hot)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    fake()->delay_microseconds = 20000;
    lw_ndrange range = line(1000, 64);
    unsigned runs = 0;
    while (runs < 50 && (runs == 0 || info_of(kernel).first)) {
        struct fake_record record = {0};
        run_checked(kernel, &range, &record);
        if (++runs > 8)
            usleep(100000); /* a busy machine may take longer than the run waits */
    }
    ck_assert_uint_ge(runs, 2);
    ck_assert_uint_le(runs, 12);
    ck_assert_uint_eq(fake()->compilations, 2);
    ck_assert_uint_eq(fake()->shapes[1].local_size[0], 64);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(large_dispatches_have_more_compiled)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(1 << 17, 64);
    struct fake_record record = {0};
    run_checked(kernel, &range, &record);
    ck_assert(fake()->shapes[0].build & LW_BUILD_FIRST);
    ck_assert_uint_eq(fake()->shapes[0].local_size[0], 64);
    wait_for_compilations(2);
    ck_assert_uint_eq(fake()->shapes[1].local_size[0], 64);
    ck_assert(!(fake()->shapes[1].build & LW_BUILD_FIRST));
    ck_assert_uint_eq(compilations_of(kernel, &range), 0);
    ck_assert(info_of(kernel).specialised && !info_of(kernel).first);
    /* A kernel of many shapes gets code for any, once. */
    fake()->delay_microseconds = 1000000; /* dearer than what follows, also under a sanitizer */
    range.local[0] = 128;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert_uint_eq(fake()->shapes[2].local_size[0], 0);
    for (range.local[0] = 256; range.local[0] <= 8192; range.local[0] *= 2)
        ck_assert_uint_eq(compilations_of(kernel, &range), 0);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Small, but long: begins by first code and ends by better. With remainders too, which go on by theirs. */
static void
go_over_in_the_middle(unsigned threads, lw_ndrange range)
{
    lw_device *device = make_device(threads);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    struct fake_record record = {.spin = 200000};
    fake()->delay_microseconds = 1000;
    for (unsigned tries = 0; tries < 20; tries++) {
        memset(&record, 0, sizeof record);
        record.spin = 200000u << tries;
        run_checked(kernel, &range, &record);
        if (record.special_calls + record.masked_calls > record.first_calls)
            break;
        lw_kernel_release(kernel); /* the machine is fast: once more, from the start, with longer work */
        lw_program_release(program);
        lw_device_release(device);
        device = make_device(threads);
        program = load(device, "kernels.spv");
        kernel = make_kernel(program, "grouped");
    }
    ck_assert_uint_gt(record.first_calls, 0);
    ck_assert_uint_gt(record.special_calls + record.masked_calls, record.first_calls);
    ck_assert(!(fake()->shapes[fake()->compilations - 1].build & LW_BUILD_FIRST));
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}

START_TEST(a_long_dispatch_goes_over)
{
    go_over_in_the_middle(1, line(4096, 16));
    go_over_in_the_middle(3, line(4096, 16));
    go_over_in_the_middle(2, (lw_ndrange){2, {130, 67}, {16, 2}, {0}});
}
END_TEST

/* Whoever wants to see the compiler's work sees that of the code that lasts. */
START_TEST(reports_are_of_lasting_code)
{
    lw_error error;
    lw_device *device = make_device_with(&(lw_device_options){.threads = 1, .explain = true});
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(1000, 50);
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert_uint_eq(fake()->shapes[0].local_size[0], 0);
    ck_assert_uint_eq(fake()->shapes[0].build, 0);
    ck_assert_str_eq(lw_kernel_explain(kernel), "{\"fake\":true}");
    range = line(1 << 17, 64);
    lw_kernel *other = make_kernel(program, "stepping");
    ck_assert_uint_eq(compilations_of(other, &range), 1);
    ck_assert_uint_ne(fake()->shapes[1].local_size[0], 0);
    ck_assert_uint_eq(fake()->shapes[1].build, 0);
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    ck_assert_uint_eq(fake()->shapes[2].build, 0);
    lw_kernel_release(other);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

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

struct asker {
    lw_program *program;
    unsigned wrong;
};

static void *
ask_for_many(void *data)
{
    struct asker *asker = data;
    lw_error error;
    lw_kernel *kernel = lw_kernel_create(asker->program, "grouped", &error);
    for (size_t local = 1; kernel && local <= 20; local++)
        if (!lw_kernel_prepare(kernel, &(lw_ndrange){1, {20 * local}, {local}, {0}}, &error))
            asker->wrong++;
    lw_kernel_release(kernel);
    return NULL;
}

START_TEST(one_compilation_however_many_ask)
{
    lw_device *device = make_device(2);
    struct asker askers[8];
    pthread_t threads[8];
    /* Half of them through a second program of the same bytes. */
    lw_program *a = load(device, "kernels.spv"), *b = load(device, "kernels.spv");
    fake()->delay_microseconds = 3000;
    for (unsigned i = 0; i < 8; i++) {
        askers[i] = (struct asker){i % 2 ? a : b, 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_for_many, &askers[i]), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(askers[i].wrong, 0);
    }
    ck_assert_uint_eq(fake()->compilations, 20);
    lw_program_release(a);
    lw_program_release(b);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

/* Different shapes compile side by side. */
static void *
ask_for_one(void *data)
{
    static atomic_uint local;
    struct asker *asker = data;
    lw_error error;
    lw_kernel *kernel = lw_kernel_create(asker->program, "grouped", &error);
    size_t size = atomic_fetch_add(&local, 1) + 1;
    if (!kernel || !lw_kernel_prepare(kernel, &(lw_ndrange){1, {20 * size}, {size}, {0}}, &error))
        asker->wrong++;
    lw_kernel_release(kernel);
    return NULL;
}

START_TEST(shapes_compile_side_by_side)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    struct asker askers[4];
    pthread_t threads[4];
    fake()->delay_microseconds = 200000;
    for (unsigned i = 0; i < 4; i++) {
        askers[i] = (struct asker){program, 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_for_one, &askers[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(askers[i].wrong, 0);
    }
    ck_assert_uint_ge(fake()->most_concurrent, 2);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(least_recently_used_goes)
{
    lw_error error;
    lw_device *device = make_device_with(&(lw_device_options){.threads = 1, .cache_entries = 6});
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    for (size_t local = 1; local <= 100; local++) {
        assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {20 * local}, {local}, {0}}, &error), error);
        /* Local size 1 is used all the time, and stays. */
        assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {20}, {1}, {0}}, &error), error);
        ck_assert_uint_le(fake()->live, 6 + 2); /* the kernel holds two itself */
    }
    ck_assert_uint_eq(fake()->compilations, 100);
    /* An early one went, and comes back by a compilation. */
    assert_good(lw_kernel_prepare(kernel, &(lw_ndrange){1, {40}, {2}, {0}}, &error), error);
    ck_assert_uint_eq(fake()->compilations, 101);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

START_TEST(failures_are_told_and_tried_again)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(100, 10);
    fake()->fail = true;
    assert_refused(lw_kernel_prepare(kernel, &range, &error), error, LW_OUT_OF_MEMORY, "told to fail");
    assert_refused(lw_kernel_prepare(kernel, &range, &error), error, LW_OUT_OF_MEMORY, "told to fail");
    ck_assert_uint_eq(fake()->compilations, 3); /* special code, which other code can replace, is left */
    fake()->fail = false;
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* A frame that does not fit will not: each code is compiled once, however often the kernel runs. */
START_TEST(what_needs_too_much_is_not_tried_again)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(100, 10);
    fake()->fail = fake()->needs_too_much = true;
    assert_refused(lw_kernel_prepare(kernel, &range, &error), error, LW_OUT_OF_MEMORY, "told to fail");
    ck_assert_uint_eq(error.word, 0);
    unsigned once = fake()->compilations;
    ck_assert_uint_le(once, 3); /* special, masked, masked first code */
    for (unsigned k = 0; k < 5; k++)
        assert_refused(lw_kernel_prepare(kernel, &range, &error), error, LW_OUT_OF_MEMORY, "told to fail");
    ck_assert_uint_eq(fake()->compilations, once);
    fake()->fail = fake()->needs_too_much = false;
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(specialization_constants_are_part_of_the_key)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "modes.spv");
    lw_ndrange range = line(100, 10);
    lw_kernel *before = make_kernel(program, "size8");
    assert_good(lw_kernel_prepare(before, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 1);
    assert_good(lw_program_specialize(program, 7, &(uint32_t){99}, 4, &error), error);
    lw_kernel *after = make_kernel(program, "size8");
    assert_good(lw_kernel_prepare(after, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 2);
    ck_assert_uint_eq(fake()->spec[1].id, 7);
    ck_assert_uint_eq(fake()->spec[1].size, 4);
    ck_assert_uint_eq(fake()->spec[1].value, 99);
    /* The earlier kernel keeps its constants. */
    assert_good(lw_kernel_prepare(before, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 2);
    /* The order in which constants are set does not matter. */
    assert_good(lw_program_specialize(program, 3, &(uint64_t){5}, 8, &error), error);
    lw_kernel *both = make_kernel(program, "size8");
    assert_good(lw_kernel_prepare(both, &range, &error), error);
    lw_program *other = load(device, "modes.spv");
    assert_good(lw_program_specialize(other, 3, &(uint64_t){5}, 8, &error), error);
    assert_good(lw_program_specialize(other, 7, &(uint32_t){99}, 4, &error), error);
    lw_kernel *again = make_kernel(other, "size8");
    assert_good(lw_kernel_prepare(again, &range, &error), error);
    ck_assert_uint_eq(fake()->compilations, 3);
    lw_kernel_release(before);
    lw_kernel_release(after);
    lw_kernel_release(both);
    lw_kernel_release(again);
    lw_program_release(program);
    lw_program_release(other);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

START_TEST(reports_are_kept_where_asked_for)
{
    lw_error error;
    lw_ndrange range = line(100, 10);
    for (unsigned explain = 0; explain < 2; explain++) {
        lw_device *device = make_device_with(&(lw_device_options){.threads = 1, .explain = explain});
        lw_program *program = load(device, "kernels.spv");
        lw_kernel *kernel = make_kernel(program, "grouped");
        ck_assert_ptr_null(lw_kernel_explain(kernel));
        assert_good(lw_kernel_prepare(kernel, &range, &error), error);
        if (explain)
            ck_assert_str_eq(lw_kernel_explain(kernel), "{\"fake\":true}");
        else
            ck_assert_ptr_null(lw_kernel_explain(kernel));
        lw_kernel_release(kernel);
        lw_program_release(program);
        lw_device_release(device);
    }
}
END_TEST

/* LANEWISE_EXPLAIN: how often `word` stands in what was written. */
static unsigned
count_told(const char *path, const char *word)
{
    char text[4096] = "";
    unsigned count = 0;
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* By whoever runs the kernel: of the shape's code at once, not again where another shape's report is the
 * same, and of what fails. */
START_TEST(reports_are_told_once)
{
    char path[] = "/tmp/lanewise-explain-XXXXXX.json";
    close(mkstemps(path, 5));
    setenv("LANEWISE_EXPLAIN", path, 1);
    lw_device *device = make_device(1);
    unsetenv("LANEWISE_EXPLAIN");
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    for (size_t local = 10; local <= 50; local += 40) {
        lw_ndrange range = line(100, local);
        run_checked(kernel, &range, &(struct fake_record){0});
        ck_assert_uint_eq(count_told(path, "\n"), 1);
        ck_assert_uint_eq(count_told(path, "{\"code\":\"specialised\",\"local_size\":[10,1,1],"), 1);
        ck_assert_uint_eq(count_told(path, ",\"fake\":true}"), 1);
    }
    ck_assert_uint_eq(fake()->compilations, 2);
    atomic_store(&fake()->fail, true);
    lw_error error;
    lw_ndrange other = line(100, 20);
    ck_assert(!lw_kernel_run(kernel, &other, &error));
    atomic_store(&fake()->fail, false);
    ck_assert_uint_ge(count_told(path, "\"kind\":\"failed\""), 1);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    unlink(path);
}
END_TEST

TCase *
cache_cases(void)
{
    TCase *cases = tcase_create("cache");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, first_code_comes_first);
    tcase_add_test(cases, first_code_that_fails_is_left);
    tcase_add_test(cases, one_shape_is_soon_hot);
    tcase_add_test(cases, a_long_dispatch_goes_over);
    tcase_add_test(cases, reports_are_of_lasting_code);
    tcase_add_test(cases, large_dispatches_have_more_compiled);
    tcase_add_test(cases, facts_are_the_dispatchs);
    tcase_add_test(cases, strides_are_one_or_anything);
    tcase_add_test(cases, a_range_is_looked_at_again);
    tcase_add_test(cases, heads_of_buffers);
    tcase_add_test(cases, a_wish_is_seen_for_the_same_range);
    tcase_add_test(cases, width_follows_what_the_kernel_observes);
    tcase_add_test(cases, width_follows_loops);
    tcase_add_test(cases, width_follows_divisions);
    tcase_add_test(cases, one_compilation_however_many_ask);
    tcase_add_test(cases, shapes_compile_side_by_side);
    tcase_add_test(cases, least_recently_used_goes);
    tcase_add_test(cases, failures_are_told_and_tried_again);
    tcase_add_test(cases, what_needs_too_much_is_not_tried_again);
    tcase_add_test(cases, specialization_constants_are_part_of_the_key);
    tcase_add_test(cases, reports_are_kept_where_asked_for);
    tcase_add_test(cases, reports_are_told_once);
    return cases;
}
