/* SPDX-License-Identifier: MIT */
/* Which code serves a dispatch: first code, soon better one, in the middle of a dispatch that is long. */
#include "../../src/host/clock.h"
#include "support.h"

#include <unistd.h>

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
    ck_assert(compile_info_of(kernel).first && compile_info_of(kernel).specialised);
    /* A second shape is a sign of many: code for any. */
    range.local[0] = 33;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert_uint_eq(fake()->shapes[1].local_size[0], 0);
    ck_assert(fake()->shapes[1].build & LW_BUILD_FIRST);
    ck_assert(compile_info_of(kernel).first && !compile_info_of(kernel).specialised);
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
    lw_compile_info info = compile_info_of(kernel);
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
        ck_assert(compile_info_of(kernel).first && !compile_info_of(kernel).specialised);
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
    while (runs < 50 && (runs == 0 || compile_info_of(kernel).first)) {
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

/* What is repeated is measured, but for the first dispatch: that of a range that is not small waits for the
 * code that stays. Not a later shape's; remainders have first code. */
START_TEST(a_first_range_waits_for_the_code_that_stays)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(4096, 64);
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert_uint_eq(fake()->shapes[0].local_size[0], 64);
    ck_assert(!(fake()->shapes[0].build & LW_BUILD_FIRST));
    fake()->delay_microseconds = 100000; /* dearer than what follows, also under a sanitizer */
    range.local[0] = 32;
    ck_assert_uint_eq(compilations_of(kernel, &range), 1);
    ck_assert(compile_info_of(kernel).first && !compile_info_of(kernel).specialised);
    lw_kernel_release(kernel);
    kernel = make_kernel(program, "stepping");
    range = line(5000, 64);
    fake()->delay_microseconds = 20000;
    unsigned before = fake()->compilations;
    ck_assert_uint_eq(compilations_of(kernel, &range), 2);
    ck_assert_uint_ne(fake()->shapes[before].local_size[0], 0);
    ck_assert(!(fake()->shapes[before].build & LW_BUILD_FIRST));
    ck_assert_uint_eq(fake()->shapes[before + 1].local_size[0], 0);
    ck_assert(fake()->shapes[before + 1].build & LW_BUILD_FIRST);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

/* The tier of a kernel's first run, whose code takes so long. */
static bool
begins_by_first_code(lw_program *program, const char *name, unsigned milliseconds)
{
    lw_kernel *kernel = make_kernel(program, name);
    lw_ndrange range = line(4096, 64);
    struct fake_record record = {0};
    fake()->delay_microseconds = milliseconds * 1000;
    run_checked(kernel, &range, &record);
    bool first = compile_info_of(kernel).first;
    lw_kernel_release(kernel);
    return first;
}

/* Neither for one code that is dear, nor for many, nor where nobody may. */
START_TEST(first_ranges_wait_for_some_time)
{
    setenv("LANEWISE_PROMPT", "0", 1);
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    ck_assert(begins_by_first_code(program, "stepping", 0));
    lw_program_release(program);
    lw_device_release(device);
    setenv("LANEWISE_PROMPT", "1", 1);
    device = make_device(1);
    program = load(device, "kernels.spv");
    ck_assert(begins_by_first_code(program, "stepping", 1000));
    lw_program_release(program);
    lw_device_release(device);
    for (unsigned tries = 0; tries < 20; tries++) {
        uint64_t begin = lw_nanoseconds_now();
        device = make_device(1);
        program = load(device, "kernels.spv");
        bool waited = !begins_by_first_code(program, "stepping", 100), first = false;
        if (waited)
            first = begins_by_first_code(program, "grouped", 0);
        bool slow = !waited || lw_nanoseconds_now() - begin > 400000000; /* whose fifth is not used up */
        lw_program_release(program);
        lw_device_release(device);
        ck_assert(first || slow);
        if (!slow)
            break;
    }
}
END_TEST

START_TEST(large_dispatches_have_more_compiled)
{
    setenv("LANEWISE_PROMPT", "0", 1);
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
    ck_assert(compile_info_of(kernel).specialised && !compile_info_of(kernel).first);
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
    setenv("LANEWISE_PROMPT", "0", 1);
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

TCase *
tiers_cases(void)
{
    TCase *cases = tcase_create("tiers");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, first_code_comes_first);
    tcase_add_test(cases, first_code_that_fails_is_left);
    tcase_add_test(cases, one_shape_is_soon_hot);
    tcase_add_test(cases, a_long_dispatch_goes_over);
    tcase_add_test(cases, reports_are_of_lasting_code);
    tcase_add_test(cases, a_first_range_waits_for_the_code_that_stays);
    tcase_add_test(cases, first_ranges_wait_for_some_time);
    tcase_add_test(cases, large_dispatches_have_more_compiled);
    return cases;
}
