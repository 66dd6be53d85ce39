/* SPDX-License-Identifier: MIT */
/* The process around the library: environment, fork, a compiler that is not there, many threads. */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `act` writes to stderr. */
static const char *
stderr_of(void (*act)(void))
{
    static char text[8192];
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    int saved = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    act();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void
make_and_release(void)
{
    lw_device_release(make_device(0));
}

START_TEST(unknown_settings_warn_and_are_ignored)
{
    ck_assert_str_eq(stderr_of(make_and_release), "");
    setenv("LANEWISE_THREADS", "lots", 1);
    const char *text = stderr_of(make_and_release);
    ck_assert_msg(strstr(text, "LANEWISE_THREADS=lots is ignored: expected 1..4096"), "%s", text);
    setenv("LANEWISE_THREADS", "3", 1);
    setenv("LANEWISE_SUB_GROUP_SIZE", "12", 1);
    text = stderr_of(make_and_release);
    ck_assert_msg(strstr(text, "LANEWISE_SUB_GROUP_SIZE=12 is ignored: expected 4|8|16|32|64"), "%s", text);
    unsetenv("LANEWISE_SUB_GROUP_SIZE");
    setenv("LANEWISE_TREADS", "3", 1);
    text = stderr_of(make_and_release);
    ck_assert_msg(strstr(text, "no such setting: LANEWISE_TREADS"), "%s", text);
    unsetenv("LANEWISE_TREADS");
    lw_device *device = make_device(0);
    ck_assert_uint_eq(lw_device_threads(device), 3);
    lw_device_release(device);
}
END_TEST

START_TEST(settings_are_obeyed)
{
    setenv("LANEWISE_ISA", "sse4.2", 1);
    setenv("LANEWISE_SUB_GROUP_SIZE", "32", 1);
    setenv("LANEWISE_TIER", "masked", 1);
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    ck_assert_int_eq(lw_device_isa(device), LW_ISA_SSE42);
    ck_assert_uint_eq(lw_kernel_sub_group_size(kernel), 32);
    struct fake_record record = {0};
    lw_ndrange range = line(1 << 18, 64);
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(record.special_calls, 0);
    ck_assert_uint_eq(fake()->shapes[0].lanes, 32);
    ck_assert_uint_eq(fake()->shapes[0].isa, LW_ISA_SSE42);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    setenv("LANEWISE_TIER", "specialised", 1);
    device = make_device(1);
    program = load(device, "kernels.spv");
    kernel = make_kernel(program, "grouped");
    record = (struct fake_record){0};
    range = line(128, 64);
    run_checked(kernel, &range, &record);
    ck_assert_uint_eq(record.masked_calls, 0);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(every_setting_is_printed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    lw_help_env(file);
    fclose(file);
    static const char *const names[] = {"ISA",       "THREADS",        "DUMP",  "VERIFY",
                                        "COMPILER",  "SUB_GROUP_SIZE", "TIER",  "CACHE",
                                        "CACHE_DIR", "CACHE_SIZE",     "LOADER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "LANEWISE_%s=", names[i]);
        ck_assert_msg(strstr(text, wanted), "%s is not in:\n%s", wanted, text);
    }
    free(text);
}
END_TEST

START_TEST(threads_follow_the_affinity_mask)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    lw_device *device = make_device(0);
    ck_assert_uint_eq(lw_device_threads(device), 1);
    lw_device_release(device);
}
END_TEST

START_TEST(an_isa_above_the_host_is_an_error)
{
    lw_error e;
    lw_device_options options = {.isa = (lw_isa)7};
    assert_refused(lw_device_create(&options, &e), e, LW_BAD_ARGUMENT, "7");
    if (lw_isa_host() < LW_ISA_AVX512) {
        options.isa = LW_ISA_AVX512_FP16;
        assert_refused(lw_device_create(&options, &e), e, LW_UNSUPPORTED, "avx512");
    }
}
END_TEST

static void
refuse_compiler(const char *path, const char *words)
{
    lw_error e;
    setenv("LANEWISE_COMPILER", path, 1);
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    assert_refused(lw_kernel_prepare(kernel, &(lw_ndrange){1, {8}, {4}, {0}}, &e), e, LW_COMPILER_MISSING,
                   words);
    ck_assert_msg(strstr(e.text, path), "%s", e.text);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}

START_TEST(a_missing_compiler_is_told)
{
    refuse_compiler("/nonexistent/compiler.so", "cannot be read");
    refuse_compiler("/etc/passwd", "does not load");
    refuse_compiler(getenv("LANEWISE_TEST_NO_COMPILER"), "has no symbol lw_compiler_entry");
}
END_TEST

#ifndef __SANITIZE_THREAD__ /* which knows no threads in a forked child */
/* The child has no worker threads; it makes its own. The parent's go on. */
START_TEST(a_forked_child_dispatches)
{
    lw_device *device = make_device(3);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_ndrange range = line(70000, 64);
    struct fake_record record = {.spin = 100};
    run_checked(kernel, &range, &record);
    for (unsigned i = 0; i < 3; i++) {
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            alarm(20);
            struct fake_record mine = {.spin = 100};
            run_checked(kernel, &range, &mine);
            lw_kernel_release(kernel);
            lw_program_release(program);
            lw_device_release(device);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", status);
        record = (struct fake_record){.spin = 100};
        run_checked(kernel, &range, &record);
    }
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST
#endif

/* Several threads dispatch at once through one device. */
static void *
dispatch_often(void *data)
{
    lw_kernel *kernel = make_kernel(data, "grouped");
    for (size_t i = 0; i < 30; i++) {
        struct fake_record record = {.spin = 10};
        lw_ndrange range = line(70000 + i, 64 + i % 3);
        run_checked(kernel, &range, &record);
    }
    lw_kernel_release(kernel);
    return NULL;
}

START_TEST(threads_share_a_device)
{
    lw_device *device = make_device(3);
    lw_program *program = load(device, "kernels.spv");
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, dispatch_often, program), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    lw_program_release(program);
    lw_device_release(device);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

/* Objects may go in any order; each keeps alive what it needs. */
START_TEST(release_order_is_free)
{
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    lw_device_release(device);
    lw_program_release(program);
    struct fake_record record = {0};
    lw_ndrange range = line(70000, 64);
    run_checked(kernel, &range, &record);
    lw_kernel_release(kernel);
    ck_assert_uint_eq(fake()->live, 0);
}
END_TEST

TCase *
process_cases(void)
{
    TCase *cases = tcase_create("process");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, unknown_settings_warn_and_are_ignored);
    tcase_add_test(cases, settings_are_obeyed);
    tcase_add_test(cases, every_setting_is_printed);
    tcase_add_test(cases, threads_follow_the_affinity_mask);
    tcase_add_test(cases, an_isa_above_the_host_is_an_error);
    tcase_add_test(cases, a_missing_compiler_is_told);
#ifndef __SANITIZE_THREAD__ /* which knows no threads in a forked child */
    tcase_add_test(cases, a_forked_child_dispatches);
#endif
    tcase_add_test(cases, threads_share_a_device);
    tcase_add_test(cases, release_order_is_free);
    return cases;
}
