/* SPDX-License-Identifier: MIT */
/* Compiled code: one compilation per shape, bounded, shared; failures, and reports. */
#include "support.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

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
