/* SPDX-License-Identifier: MIT */
/* Every work-item once, whatever the range: cutting, remainders, tiers, the pool. */
#include "../local_sizes.h"
#include "support.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

static const lw_ndrange ranges[] = {
    {1, {1}, {1}, {0}},
    {1, {1}, {64}, {0}},
    {1, {1000}, {64}, {0}},
    {1, {1009}, {0}, {0}},
    {1, {4096}, {1}, {0}},
    {1, {4099}, {3}, {5}},
    {1, {20000}, {60}, {0}},
    {1, {8193}, {8192}, {0}},
    {1, {100}, {8192}, {1}},
    {2, {64, 64}, {8, 8}, {0}},
    {2, {65, 64}, {8, 8}, {0}},
    {2, {64, 65}, {8, 8}, {3, 0}},
    {2, {65, 67}, {8, 8}, {0}},
    {2, {7, 5}, {7, 5}, {0}},
    {2, {5, 7}, {7, 5}, {0}},
    {2, {3, 5000}, {1, 3}, {0}},
    {2, {199, 211}, {0, 0}, {0}},
    {3, {16, 16, 16}, {4, 4, 4}, {0}},
    {3, {17, 16, 16}, {4, 4, 4}, {0}},
    {3, {16, 17, 16}, {4, 4, 4}, {0, 9, 0}},
    {3, {16, 16, 17}, {4, 4, 4}, {0}},
    {3, {17, 18, 19}, {4, 4, 5}, {1, 2, 3}},
    {3, {1, 1, 3000}, {1, 1, 7}, {0}},
    {3, {2, 3, 500}, {0, 0, 0}, {0}},
#define ONE(global, local, offset) {1, {global}, {local}, {offset}},
#define MORE(dims, gx, gy, gz, lx, ly, lz, ox, oy) {dims, {gx, gy, gz}, {lx, ly, lz}, {ox, oy}},
    LINES_OF_PEOPLE(ONE) BLOCKS_OF_PEOPLE(MORE)
};

/* A second run finds specialised code ready (prepare made it), so both kinds of calls are mixed there. */
static void
run_everything(const char *name, unsigned threads)
{
    lw_error error;
    lw_device *device = make_device(threads);
    lw_program *program = load(device, "kernels.spv");
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        lw_kernel *kernel = make_kernel(program, name);
        if (strcmp(name, "plain") == 0)
            ck_assert(lw_kernel_set_arg(kernel, 1, &(uint32_t){3}, 4, &error));
        if (strcmp(name, "barriered") == 0)
            ck_assert(lw_kernel_set_arg_local(kernel, 1, 777, &error));
        for (unsigned pass = 0; pass < 2; pass++) {
            struct fake_record record = {.spin = 20, .local_bytes = strcmp(name, "barriered") == 0 ? 777 : 0};
            run_checked(kernel, &ranges[i], &record);
            ck_assert_uint_le(record.threads, threads);
            assert_good(lw_kernel_prepare(kernel, &ranges[i], &error), error);
        }
        lw_kernel_release(kernel);
    }
    lw_program_release(program);
    lw_device_release(device);
}

START_TEST(every_item_once_alone)
{
    run_everything("grouped", 1);
}
END_TEST

START_TEST(every_item_once_in_parallel)
{
    run_everything("grouped", 4);
}
END_TEST

START_TEST(every_item_once_regrouped)
{
    run_everything("plain", 3);
}
END_TEST

START_TEST(every_item_once_with_barriers)
{
    run_everything("barriered", 2);
}
END_TEST

/* 8 shapes of work-groups in three dimensions: only the full ones may reach specialised code (the fake checks
 * the sizes), and all of them must. */
START_TEST(full_groups_run_specialised)
{
    lw_error error;
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = {3, {17, 18, 19}, {4, 4, 5}, {0}};
    struct fake_record record = {0};
    assert_good(lw_kernel_prepare(kernel, &range, &error), error);
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(record.groups, 5 * 5 * 4);
    /* 4 x 4 x 3 full groups: a stretch per row of four. */
    ck_assert_uint_ge(record.special_calls, 12);
    ck_assert_uint_ge(record.masked_calls, 12 + 3 + 1);
    lw_compile_info info;
    lw_kernel_compile_info(kernel, &info);
    ck_assert(info.specialised);
    ck_assert_uint_eq(info.code_bytes, 77);

    lw_ndrange even = {3, {16, 16, 20}, {4, 4, 5}, {0}};
    record = (struct fake_record){0};
    run_checked(kernel, &even, &record);
    ck_assert_uint_eq(record.masked_calls, 0);

    lw_ndrange small = {3, {3, 3, 3}, {4, 4, 5}, {0}};
    record = (struct fake_record){0};
    run_checked(kernel, &small, &record);
    ck_assert_uint_eq(record.special_calls, 0);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* An odd local size costs a kernel nothing that knows only its global id. */
START_TEST(odd_local_sizes_are_regrouped)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "plain");
    ck_assert(lw_kernel_set_arg(kernel, 1, &(uint32_t){3}, 4, NULL));
    lw_ndrange range = line(65536, 1);
    struct fake_record record = {0};
    run_checked(kernel, &range, &record);
    ck_assert_uint_le(record.groups, 65536 / 64);
    /* One specialisation serves all local sizes, its first code until it is there, and one that knows k. */
    const unsigned most = 3;
    for (size_t local = 2; local < 70; local++) {
        range.local[0] = local;
        record = (struct fake_record){0};
        run_checked(kernel, &range, &record);
    }
    ck_assert_uint_le(fake()->compilations, most);
    lw_kernel_release(kernel);

    kernel = make_kernel(program, "grouped");
    range.local[0] = 1;
    record = (struct fake_record){0};
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(record.groups, 65536);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(small_dispatches_stay_on_the_caller)
{
    lw_device *device = make_device(4);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(64, 32);
    struct fake_record record = {0};
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(record.threads, 1);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* A hundred work-items with a loop each are enough for all threads, in work-groups as small as that takes. */
START_TEST(few_items_with_loops_are_shared)
{
    lw_device *device = make_device(3);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "stepping");
    for (size_t local = 0; local <= 128; local += 64) {
        lw_ndrange range = line(128, local);
        struct fake_record record = {.spin = 20000000};
        run_checked(kernel, &range, &record);
        ck_assert_uint_ge(record.threads, 2);
        ck_assert_uint_ge(record.groups, 6);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Few items, but each work-group is dear: help is called for, in three small work-groups, too, which are long
 * ones: a busy machine takes its time to start another thread. */
START_TEST(dear_dispatches_are_shared)
{
    lw_device *device = make_device(3);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    const lw_ndrange ranges[] = {line(64 * 64, 64), line(3 * 16, 16)};
    for (unsigned k = 0; k < 2; k++) {
        struct fake_record record = {.spin = k ? 40000000 : 2000000};
        run_checked(kernel, &ranges[k], &record);
        ck_assert_uint_ge(record.threads, 2);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* With atomics and a loop a kernel's work-groups may pass results on: they start in order, in short runs. */
START_TEST(groups_with_atomics_start_in_order)
{
    lw_device *device = make_device(4);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "counting");
    lw_ndrange range = line(4096 * 64, 64);
    for (unsigned i = 0; i < 10; i++) {
        struct fake_record record = {.spin = 100, .in_order = true, .waiting = i & 1};
        run_checked(kernel, &range, &record);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Work-groups that wait for lower ones come to an end, in whatever parts the threads have. */
START_TEST(groups_may_wait_for_lower_ones)
{
    static const size_t sizes[] = {64, 64 * 40, 64 * 4096, 64 * 9001};
    lw_device *device = make_device(5);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    for (unsigned i = 0; i < 40; i++) {
        lw_ndrange range = line(sizes[i % 4], 64);
        struct fake_record record = {.spin = i % 3 * 300, .waiting = true};
        run_checked(kernel, &range, &record);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* One dispatch after the other, with pauses in which the threads look out, or sleep. */
START_TEST(threads_are_found_again_after_pauses)
{
    lw_device *device = make_device(3);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    for (unsigned i = 0; i < 300; i++) {
        lw_ndrange range = line(64 * (i % 7 * 50 + 1), 64);
        struct fake_record record = {.spin = 200};
        run_checked(kernel, &range, &record);
        if (i % 3)
            usleep(i % 5 * 40);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* How often the next of 512 work-groups, whose sub-groups take turns, is another thread's. */
static unsigned
changes_of_owner(bool waits)
{
    enum { GROUPS = 512 };
    static atomic_uint owners[GROUPS];
    static struct fake_record record;
    static uint64_t serial = UINT64_C(1) << 32; /* unlike run_checked's */
    lw_error error;
    unsigned changes = 0;

    record = (struct fake_record){.serial = ++serial, .owners = owners, .waits = waits};
    fake()->turns = true;
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(64 * GROUPS, 64);
    assert_good(lw_kernel_set_arg_pointer(kernel, 0, &record, sizeof record, &error), error);
    assert_good(lw_kernel_run(kernel, &range, &error), error);
    for (unsigned k = 1; k < GROUPS; k++)
        changes += owners[k] != owners[k - 1];
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    fake()->turns = false;
    return changes;
}

/* Runs of 1, 2, 4 to 64 for each of two threads, while nobody waits: 17 to 47, by who begins. Else of one:
 * 375 and more. */
START_TEST(runs_grow_while_nobody_waits)
{
    ck_assert_uint_le(changes_of_owner(false), 150);
    ck_assert_uint_ge(changes_of_owner(true), 300);
}
END_TEST

/* Threads without work sleep: a quarter of a second costs next to no processor time. */
START_TEST(idle_threads_sleep)
{
    lw_device *device = make_device(3);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(64 * 64, 64);
    struct fake_record record = {.spin = 200000};
    run_checked(kernel, &range, &record);
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    usleep(250000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double used = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    ck_assert_msg(used < 0.1, "idle threads used %g s", used);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* They look out for an eighth of the time where work is rare: 1.25 of 10 ms after each dispatch here. */
START_TEST(threads_look_out_briefly_for_rare_work)
{
    setenv("LANEWISE_SPIN", "10000", 1);
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(64 * 64, 64);
    double used = 0;
    for (unsigned i = 0; i < 12; i++) {
        struct fake_record record = {.spin = 20000};
        struct timespec before, after;
        run_checked(kernel, &range, &record);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        usleep(20000);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        used += (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    }
    ck_assert_msg(used < 0.06, "idle threads used %g s", used);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* A signal handler can tell the work-group: with trace_groups exactly. */
START_TEST(activity_names_the_work_group)
{
    lw_device *device = make_device_with(&(lw_device_options){.threads = 2, .trace_groups = true});
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "plain");
    ck_assert(lw_kernel_set_arg(kernel, 1, &(uint32_t){3}, 4, NULL));
    lw_ndrange range = {2, {65, 67}, {8, 8}, {0}};
    struct fake_record record = {.one_at_a_time = true, .kernel = "plain"};
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(record.groups, 9 * 9);
    lw_activity activity;
    ck_assert(!lw_current_activity(&activity));
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(float_environment_is_the_callers_again)
{
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(70000, 64);
    struct fake_record record = {0};
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x9fc0); /* flush to zero, denormals are zero */
    run_checked(kernel, &range, &record);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    ck_assert_uint_eq(after & ~0x3fu, 0x9fc0); /* but for what the test's own arithmetic raised */
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Local memory: the module's own, then each argument, 128-byte aligned, none over another. */
START_TEST(local_arguments_are_placed)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "two_locals");
    struct fake_record record = {.local_bytes = 128 + 256 + 1000};
    assert_good(lw_kernel_set_arg_local(kernel, 1, 129, &error), error);
    assert_good(lw_kernel_set_arg_local(kernel, 2, 1000, &error), error);
    lw_ndrange range = line(300, 100);
    run_checked(kernel, &range, &record);
    /* Zero bytes are legal. */
    record = (struct fake_record){.local_bytes = 128};
    assert_good(lw_kernel_set_arg_local(kernel, 1, 0, &error), error);
    assert_good(lw_kernel_set_arg_local(kernel, 2, 0, &error), error);
    run_checked(kernel, &range, &record);
    assert_refused(lw_kernel_set_arg_local(kernel, 1, SIZE_MAX, &error), error, LW_BAD_ARGUMENT,
                   "local memory");
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(huge_frames_are_refused)
{
    lw_error error;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    uint64_t usual = fake()->frame_per_sub_group;
    lw_ndrange range = line(8192, 8192);
    struct fake_record record = {0};
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, &record, sizeof record, &error));
    fake()->frame_per_sub_group = UINT64_MAX / 2;
    assert_refused(lw_kernel_run(kernel, &range, &error), error, LW_OUT_OF_MEMORY, "private memory");
    fake()->frame_per_sub_group = usual;
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Two work-groups, of which each is known to take long: neither waits for the other's end. */
START_TEST(long_dispatches_are_shared_at_once)
{
    lw_error error;
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange two = {1, {128}, {64}, {0}};
    assert_good(lw_kernel_prepare(kernel, &two, &error), error);
    run_checked(kernel, &two, &(struct fake_record){.spin = 1000000});
    cpu_set_t all;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    /* An idle worker keeps away from the caller's processor, if there is another one. */
    unsigned kept = 0;
    for (unsigned k = 0; k < 100 && !kept; k++) {
        struct fake_record record = {.spin = 1000000, .together = 2, .processors = CPU_COUNT(&all)};
        run_checked(kernel, &two, &record);
        kept = record.kept;
    }
    ck_assert_uint_eq(kept, CPU_COUNT(&all) > 1);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

TCase *
dispatch_cases(void)
{
    TCase *cases = tcase_create("dispatch");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, every_item_once_alone);
    tcase_add_test(cases, every_item_once_in_parallel);
    tcase_add_test(cases, every_item_once_regrouped);
    tcase_add_test(cases, every_item_once_with_barriers);
    tcase_add_test(cases, full_groups_run_specialised);
    tcase_add_test(cases, odd_local_sizes_are_regrouped);
    tcase_add_test(cases, small_dispatches_stay_on_the_caller);
    tcase_add_test(cases, few_items_with_loops_are_shared);
    tcase_add_test(cases, dear_dispatches_are_shared);
    tcase_add_test(cases, long_dispatches_are_shared_at_once);
    tcase_add_test(cases, groups_with_atomics_start_in_order);
    tcase_add_test(cases, groups_may_wait_for_lower_ones);
    tcase_add_test(cases, threads_are_found_again_after_pauses);
    tcase_add_test(cases, idle_threads_sleep);
    tcase_add_test(cases, runs_grow_while_nobody_waits);
    tcase_add_test(cases, threads_look_out_briefly_for_rare_work);
    tcase_add_test(cases, activity_names_the_work_group);
    tcase_add_test(cases, float_environment_is_the_callers_again);
    tcase_add_test(cases, local_arguments_are_placed);
    tcase_add_test(cases, huge_frames_are_refused);
    return cases;
}
