/* SPDX-License-Identifier: MIT */
/* Compilations in a process of their own: what the host is spared, and what it does not notice. Each test is
 * a process (check forks), whose compiler dies of kernels by their names (crashing_compiler.c).
 */
#include "../../src/compile_protocol.h"
#include "../run_suite.h"
#include "compiler_processes.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <lanewise/lanewise.h>

#define N 1024
#define GROUP 64

static lw_device *device;
static lw_program *program;

static void
open_program_with(const lw_device_options *options)
{
    lw_error e;
    char path[4096];
    snprintf(path, sizeof path, "%s/apart.spv", getenv("LANEWISE_TEST_MODULES"));
    device = lw_device_create(options, &e);
    ck_assert_msg(device, "%s", e.text);
    program = lw_program_load_file(device, path, &e);
    ck_assert_msg(program, "%s", e.text);
}

static void
open_program(void)
{
    open_program_with(&(lw_device_options){.threads = 1});
}

static void
close_program(void)
{
    lw_program_release(program);
    lw_device_release(device);
}

static lw_kernel *
make_kernel(const char *name)
{
    lw_error e;
    lw_kernel *kernel = lw_kernel_create(program, name, &e);
    ck_assert_msg(kernel, "%s", e.text);
    return kernel;
}

/* Is the result right? The error otherwise. */
static bool
run_kernel(lw_kernel *kernel, lw_error *e)
{
    uint32_t out[N] = {0};
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, e));
    if (!lw_kernel_run(kernel, &(lw_ndrange){1, {N}, {GROUP}, {0}}, e))
        return false;
    for (uint32_t i = 0; i < N; i++)
        if (out[i] != i * 3 + i % GROUP)
            ck_abort_msg("out[%u] is %u", i, out[i]);
    return true;
}

static void
run_good(const char *name)
{
    lw_error e;
    lw_kernel *kernel = make_kernel(name);
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    lw_kernel_release(kernel);
}

static lw_compile_info
info_of(const lw_kernel *kernel)
{
    lw_compile_info info;
    lw_kernel_compile_info(kernel, &info);
    return info;
}

/* ---- crashes ---- */

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

/* ---- what the host does not notice ---- */

static atomic_uint children_ended;

static void
count_child(int signal)
{
    (void)signal;
    children_ended++;
}

static void
assert_no_children(void)
{
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
    ck_assert_uint_eq(children_ended, 0);
}

START_TEST(the_host_has_no_children)
{
    lw_error e;
    if (_i == 0)
        signal(SIGCHLD, count_child);
    else
        signal(SIGCHLD, SIG_IGN);
    setenv("LANEWISE_TIER", "specialised", 1);
    open_program();
    assert_no_children();
    run_good("good");
    ck_assert_int_gt(compiler_of(getpid()), 0);
    assert_no_children();
    lw_kernel *kernel = make_kernel("abort_special");
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    lw_kernel_release(kernel);
    assert_no_children();
    close_program();
    ck_assert_int_eq(count_zombies(), 0);
}
END_TEST

/* A host to which orphans come has the process as a child after all, but no zombie. */
START_TEST(a_subreaper_gets_no_zombies)
{
    lw_error e;
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    setenv("LANEWISE_TIER", "specialised", 1);
    open_program();
    lw_kernel *kernel = make_kernel("abort_special");
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    lw_kernel_release(kernel);
    kernel = make_kernel("kill_special");
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    lw_kernel_release(kernel);
    ck_assert_int_eq(count_zombies(), 0);
    close_program();
}
END_TEST

START_TEST(nothing_of_the_host_is_inherited)
{
    char text[4096], *at;
    sigset_t most;
    ck_assert_int_eq(dup2(open("/etc/passwd", O_RDONLY), 77), 77);
    setenv("LD_PRELOAD", "/nonexistent/libhost.so", 1);
    setenv("HOST_SECRET", "1", 1);
    sigfillset(&most);
    sigprocmask(SIG_SETMASK, &most, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    open_program();
    run_good("good");
    pid_t compiler = compiler_of(getpid());
    ck_assert_int_gt(compiler, 0);
    ck_assert(!has_open(compiler, "passwd"));
    ck_assert(!has_open(compiler, "testlog"));
    ck_assert_int_ne(getpgid(compiler), getpgid(0));
    read_process_file(compiler, "environ", text, sizeof text);
    ck_assert(!strstr(text, "LD_PRELOAD") && !strstr(text, "HOST_SECRET") &&
              strstr(text, "LANEWISE_COMPILER"));
    read_process_file(compiler, "status", text, sizeof text);
    at = strstr(text, "SigBlk:");
    ck_assert_uint_eq(strtoull(at + 7, NULL, 16), 0);
    at = strstr(text, "SigIgn:");
    ck_assert_uint_eq(strtoull(at + 7, NULL, 16), 1u << (SIGPIPE - 1) | 1u << (SIGTTOU - 1));
    close_program();
}
END_TEST

/* In a process of its own, for check has files open, too. What went wrong, or 0. */
static int
close_and_go_on(void)
{
    int pairs[8][2];
    struct stat file;
    char byte;
    open_program();
    run_good("good");
    pid_t before = compiler_of(getpid());
    for (int fd = 3; fd < 1024; fd++) /* check's own are files */
        if (fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode))
            close(fd);
    for (unsigned i = 0; i < 8; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pairs[i]) != 0)
            return 2;
    await_end(before);
    run_good("other");
    if (compiler_of(getpid()) <= 0 || compiler_of(getpid()) == before)
        return 3;
    close_program();
    for (unsigned i = 0; i < 16; i++)
        if (read(pairs[i / 2][i % 2], &byte, 1) != -1 || errno != EAGAIN)
            return 4;
    return 0;
}

/* A host that closes what it does not know, and gets the numbers for sockets of its own: nothing is written
 * there. */
/* Codes that may turn out to be of no use are compiled by what dispatches leave of the processors: by nice
 * threads, in the host's session, whose scheduling group is one where the system makes groups of sessions. */
START_TEST(what_is_compiled_at_leisure_gives_way)
{
    int before = getpriority(PRIO_PROCESS, 0), least = 0, most = 0;
    time_t end = time(NULL) + 60;
    lw_error e;
    setenv("LANEWISE_TIER", "specialised", 1);
    setenv("LANEWISE_TEST_DOUBT", "1", 1);
    open_program();
    lw_kernel *kernel = make_kernel("good");
    do {
        ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
        find_nice(compiler_of(getpid()), &least, &most);
        ck_assert_int_eq(least, before); /* what is needed does not */
    } while (most == before && time(NULL) < end);
    ck_assert_int_eq(most, before + 5 < 19 ? before + 5 : 19);
    ck_assert_int_eq(getsid(compiler_of(getpid())), getsid(0));
    lw_kernel_release(kernel);
    close_program();
}
END_TEST

START_TEST(descriptors_that_the_host_closed_are_its_own)
{
    int status;
    pid_t host = fork();
    if (host == 0)
        _exit(close_and_go_on());
    ck_assert_int_eq(waitpid(host, &status, 0), host);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "it ended with %x", status);
}
END_TEST

START_TEST(zero_means_in_this_process)
{
    setenv("LANEWISE_COMPILER_PROCESS", "0", 1);
    open_program();
    run_good("good");
    ck_assert_int_eq(compiler_of(getpid()), 0);
    close_program();
}
END_TEST

/* ---- what crosses ---- */

/* Modules and reports that do not fit a message, by memory files. */
START_TEST(long_modules_cross)
{
    lw_error e;
    uint32_t out[N], again[N];
    for (unsigned i = 0; i < 2; i++) {
        setenv("LANEWISE_COMPILER_PROCESS", i ? "0" : "1", 1);
        open_program();
        lw_kernel *kernel = make_kernel("lengthy");
        ck_assert(lw_kernel_set_arg_pointer(kernel, 0, i ? again : out, sizeof out, &e));
        ck_assert_msg(lw_kernel_run(kernel, &(lw_ndrange){1, {N}, {GROUP}, {0}}, &e), "%s", e.text);
        lw_kernel_release(kernel);
        close_program();
    }
    ck_assert_mem_eq(out, again, sizeof out);
    ck_assert_uint_eq(out[0], 3);
}
END_TEST

START_TEST(dumps_come_to_the_standard_error_of_the_moment)
{
    lw_error e;
    static char text[1 << 20];
    setenv("LANEWISE_TIER", "masked", 1);
    open_program_with(&(lw_device_options){.threads = 1, .dump = "emit,codegen"});
    for (unsigned i = 0; i < 2; i++) {
        FILE *file = tmpfile();
        int saved = dup(2);
        dup2(fileno(file), 2);
        lw_kernel *kernel = make_kernel(i ? "good" : "other");
        bool good = run_kernel(kernel, &e);
        dup2(saved, 2);
        ck_assert_msg(good, "%s", e.text);
        rewind(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        ck_assert_msg(strstr(text, i ? "good" : "other") && strstr(text, "define"), "%s", text);
        fclose(file);
        lw_kernel_release(kernel);
    }
    close_program();
}
END_TEST

/* LLVM's linker works in this process, on objects of several others: names must not meet. */
START_TEST(llvm_links_what_others_compiled)
{
    lw_error e;
    setenv("LANEWISE_LOADER", "orc", 1);
    setenv("LANEWISE_TIER", "masked", 1);
    open_program();
    lw_kernel *good = make_kernel("good"), *other = make_kernel("other");
    ck_assert_msg(run_kernel(good, &e), "%s", e.text);
    pid_t before = compiler_of(getpid());
    ck_assert_int_gt(before, 0);
    kill(before, SIGKILL);
    await_end(before);
    ck_assert_msg(run_kernel(other, &e), "%s", e.text);
    ck_assert_msg(run_kernel(good, &e), "%s", e.text);
    lw_kernel_release(good);
    lw_kernel_release(other);
    close_program();
}
END_TEST

/* ---- what a host may be forbidden ---- */

/* The system call answers that error from now on, in this process and those that it starts; of clone only
 * what makes processes; of timer_create not Check's, which would take another clock at the test's end than at
 * its beginning. */
static void
forbid(unsigned call, unsigned answer)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 7),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 4, 3),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_MONOTONIC, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* `apart`: there is a compiler process all the same. */
static const struct {
    unsigned call, answer;
    bool apart;
} forbidden[] = {
    {SYS_execve, EPERM, false},     {SYS_socketpair, EPERM, false},   {SYS_sendmsg, EPERM, false},
    {SYS_recvmsg, EPERM, false},    {SYS_memfd_create, ENOSYS, true}, {SYS_close_range, ENOSYS, true},
    {SYS_pidfd_open, ENOSYS, true}, {SYS_timer_create, EPERM, true},  {SYS_setpgid, EPERM, true},
#if !LW_SANITIZED
    {SYS_prlimit64, EPERM, true},   {SYS_clone, EAGAIN, false}, /* as where a user may have no more processes
                                                                 */
#endif
};
#define FORBIDDEN ((int)(sizeof forbidden / sizeof forbidden[0]))

START_TEST(what_is_forbidden_is_done_without)
{
    lw_error e;
    uint32_t out[N];
    ck_assert_int_eq(dup2(open("/etc/passwd", O_RDONLY), 77), 77);
    open_program();
    forbid(forbidden[_i].call, forbidden[_i].answer);
    run_good("good");
    ck_assert_int_eq(compiler_of(getpid()) != 0, forbidden[_i].apart);
    lw_kernel *kernel = make_kernel("lengthy"); /* what would go by a memory file */
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, &e));
    ck_assert_msg(lw_kernel_run(kernel, &(lw_ndrange){1, {N}, {GROUP}, {0}}, &e), "%s", e.text);
    ck_assert_uint_eq(out[0], 3);
    lw_kernel_release(kernel);
    if (forbidden[_i].apart) {
        ck_assert(!has_open(compiler_of(getpid()), "passwd"));
        kernel = make_kernel("segv_special");
        ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
        lw_kernel_release(kernel);
    }
    run_good("other");
    ck_assert_int_eq(count_zombies(), 0);
    close_program();
}
END_TEST

/* ---- fork, and the end ---- */

#ifndef __SANITIZE_THREAD__ /* which knows no threads in a forked child */
START_TEST(a_forked_child_has_its_own)
{
    int status;
    open_program();
    run_good("good");
    pid_t ours = compiler_of(getpid());
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        run_good("other");
        pid_t own = compiler_of(getpid());
        _exit(own > 0 && own != ours && compiler_of(getppid()) == ours ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", status);
    ck_assert_int_eq(compiler_of(getpid()), ours);
    run_good("another");
    ck_assert_int_eq(compiler_of(getpid()), ours);
    close_program();
}
END_TEST

/* However the host ends, with a compilation under way or not, and though a child of its holds the socket
 * open. */
START_TEST(it_ends_with_its_host)
{
    int ends[2];
    pid_t pids[2] = {0};
    ck_assert_int_eq(pipe(ends), 0);
    pid_t host = fork();
    if (host == 0) {
        setenv("LANEWISE_TIER", "masked", 1);
        setenv("LANEWISE_COMPILE_SECONDS", "60", 1);
        open_program();
        if (_i == 2) /* it looks itself whether its host is there */
            forbid(SYS_pidfd_open, ENOSYS);
        run_good("good");
        pids[0] = compiler_of(getpid());
        pids[1] = fork();
        if (pids[1] == 0) {
            sleep(60);
            _exit(0);
        }
        _exit(write(ends[1], pids, sizeof pids) == sizeof pids && _i == 0 ? 0 : (run_good("hang_always"), 1));
    }
    ck_assert_int_eq(read(ends[0], pids, sizeof pids), sizeof pids);
    ck_assert_int_gt(pids[0], 0);
    if (_i) {
        usleep(200000);
        kill(host, SIGKILL);
    }
    ck_assert_int_eq(waitpid(host, NULL, 0), host);
    await_end(pids[0]);
    kill(pids[1], SIGKILL);
}
END_TEST
#endif

static void
prepare(void)
{
    setenv("LANEWISE_COMPILE_SECONDS", "1", 1);
    setenv("LANEWISE_VERIFY", "0", 1);
}

int
main(void)
{
    Suite *suite = suite_create("apart");
    TCase *cases = tcase_create("apart");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, prepare, NULL);
    tcase_add_loop_test(cases, special_code_that_crashes_is_done_without, 0, DEATHS);
    tcase_add_loop_test(cases, masked_code_that_crashes_is_done_without, 0, DEATHS - 1);
    tcase_add_loop_test(cases, what_always_crashes_is_refused_by_name, 0, DEATHS - 1);
    tcase_add_test(cases, no_failure_is_hidden_from_tests);
    tcase_add_loop_test(cases, others_survive_a_crash, 0, 4);
    tcase_add_test(cases, a_killed_process_is_started_again);
    tcase_add_loop_test(cases, the_host_has_no_children, 0, 2);
    tcase_add_test(cases, a_subreaper_gets_no_zombies);
    tcase_add_test(cases, nothing_of_the_host_is_inherited);
    tcase_add_test(cases, what_is_compiled_at_leisure_gives_way);
    tcase_add_test(cases, descriptors_that_the_host_closed_are_its_own);
    tcase_add_test(cases, zero_means_in_this_process);
    tcase_add_test(cases, long_modules_cross);
    tcase_add_test(cases, dumps_come_to_the_standard_error_of_the_moment);
    tcase_add_test(cases, llvm_links_what_others_compiled);
    tcase_add_loop_test(cases, what_is_forbidden_is_done_without, 0, FORBIDDEN);
#ifndef __SANITIZE_THREAD__
    tcase_add_test(cases, a_forked_child_has_its_own);
    tcase_add_loop_test(cases, it_ends_with_its_host, 0, 3);
#endif
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
