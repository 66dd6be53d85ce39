/* SPDX-License-Identifier: MIT */
/* A compiler that crashes, hangs or is killed: other code serves, or the kernel is refused by name. */
#include "apart.h"
#include "../../src/compiler/compile_protocol.h"
#include "compiler_processes.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *what, *told;
} deaths[] = {
    {"segv", "segmentation fault"}, {"abort", "abort"}, {"exit", "LLVM ERROR: this cannot be selected"},
    {"deep", "segmentation fault"}, {"eat", "abort"},   {"kill", "it was killed"},
    {"hang", "took too long"}, /* the last: it takes its seconds */
};
#define DEATHS ((int)(sizeof deaths / sizeof deaths[0]))

static bool
tells(const char *text, int death)
{
    return strstr(text, "the compiler") && (LW_SANITIZED || strstr(text, deaths[death].told));
}

static bool
is_left_out(int death)
{
#ifdef __SANITIZE_THREAD__ /* keeps signals back until the next call of the C library */
    if (strcmp(deaths[death].what, "hang") == 0)
        return true;
#endif
    return LW_SANITIZED && strcmp(deaths[death].what, "eat") == 0;
}

static lw_kernel *
make_dying(int death, const char *when)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s", deaths[death].what, when);
    return make_kernel(name);
}

/* Masked code serves, for good: nothing is compiled again, in this kernel object or another. */
START_TEST(special_code_that_crashes_is_done_without)
{
    lw_error e;
    if (is_left_out(_i))
        return;
    setenv("LANEWISE_TIER", "specialised", 1);
    open_program_with(&(lw_device_options){.threads = 1, .explain = true});
    lw_kernel *kernel = make_dying(_i, "special");
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    ck_assert_int_eq(e.status, LW_OK);
    ck_assert(!info_of(kernel).specialised && !info_of(kernel).first);
    const char *report = lw_kernel_explain(kernel);
    ck_assert_msg(strstr(report, "\"kind\":\"failed\"") && tells(report, _i), "%s", report);
    uint32_t compilations = info_of(kernel).compilations;
    for (unsigned i = 0; i < 3; i++)
        ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    ck_assert_uint_eq(info_of(kernel).compilations, compilations);
    lw_kernel_release(kernel);
    kernel = make_dying(_i, "special");
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    ck_assert_uint_eq(info_of(kernel).compilations, 0);
    lw_kernel_release(kernel);
    close_program();
}
END_TEST

START_TEST(masked_code_that_crashes_is_done_without)
{
    lw_error e;
    if (is_left_out(_i))
        return;
    setenv("LANEWISE_TIER", _i % 2 ? "masked" : "auto", 1);
    open_program();
    lw_kernel *kernel = make_dying(_i, "optimised");
    for (unsigned i = 0; i < 40; i++) { /* until lasting code would pay */
        ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
        ck_assert(info_of(kernel).first);
    }
    lw_kernel_release(kernel);
    close_program();
}
END_TEST

START_TEST(what_always_crashes_is_refused_by_name)
{
    lw_error e;
    struct timespec begin, end;
    if (is_left_out(_i))
        return;
    setenv("LANEWISE_TIER", "masked", 1);
    open_program();
    lw_kernel *kernel = make_dying(_i, "always");
    ck_assert(!run_kernel(kernel, &e));
    ck_assert_int_eq(e.status, LW_INTERNAL);
    ck_assert_msg(strstr(e.text, deaths[_i].what) && tells(e.text, _i), "%s", e.text);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < 1000; i++)
        ck_assert(!run_kernel(kernel, &e) && e.status == LW_INTERNAL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    ck_assert_int_le(end.tv_sec - begin.tv_sec, 2); /* nothing is tried again */
    lw_kernel_release(kernel);
    run_good("good");
    close_program();
}
END_TEST

START_TEST(no_failure_is_hidden_from_tests)
{
    lw_error e;
    setenv("LANEWISE_TIER", "specialised", 1);
    setenv("LANEWISE_VERIFY", "1", 1);
    open_program();
    lw_kernel *kernel = make_kernel("segv_special");
    ck_assert(!run_kernel(kernel, &e));
    ck_assert_msg(strstr(e.text, "the compiler crashed on its specialised code"), "%s", e.text);
    lw_kernel_release(kernel);
    close_program();
}
END_TEST

static void *
compile_good(void *name)
{
    run_good(name);
    return NULL;
}

/* What was being compiled beside a crash is compiled all the same; so is what a killed process was at. */
START_TEST(others_survive_a_crash)
{
    static const char *const names[] = {"good", "other", "another"};
    pthread_t threads[3];
    lw_error e;
    setenv("LANEWISE_TIER", _i % 2 ? "masked" : "specialised", 1);
    setenv("LANEWISE_TEST_SLOW", "300", 1);
    open_program();
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_good, (void *)names[i]), 0);
    usleep(100000);
    if (_i < 2) {
        lw_kernel *kernel = make_kernel("segv_always");
        ck_assert(!run_kernel(kernel, &e));
        lw_kernel_release(kernel);
    } else {
        ck_assert_int_eq(kill(compiler_of(getpid()), SIGKILL), 0);
    }
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    close_program();
}
END_TEST

START_TEST(a_killed_process_is_started_again)
{
    open_program();
    run_good("good");
    pid_t before = compiler_of(getpid());
    ck_assert_int_gt(before, 0);
    kill(before, SIGKILL);
    await_end(before);
    run_good("other");
    ck_assert_int_gt(compiler_of(getpid()), 0);
    ck_assert_int_ne(compiler_of(getpid()), before);
    close_program();
}
END_TEST

void
add_crashes(TCase *cases)
{
    tcase_add_loop_test(cases, special_code_that_crashes_is_done_without, 0, DEATHS);
    tcase_add_loop_test(cases, masked_code_that_crashes_is_done_without, 0, DEATHS - 1);
    tcase_add_loop_test(cases, what_always_crashes_is_refused_by_name, 0, DEATHS - 1);
    tcase_add_test(cases, no_failure_is_hidden_from_tests);
    tcase_add_loop_test(cases, others_survive_a_crash, 0, 4);
    tcase_add_test(cases, a_killed_process_is_started_again);
}
