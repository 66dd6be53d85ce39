/* SPDX-License-Identifier: MIT */
/* Compilations in a process of their own: what crosses between the two, what a host may be forbidden, and how
 * hosts and compilers end. Crashes: test_apart_crashes.c; what the host is spared: test_apart_host.c. */
#include "apart.h"
#include "../../src/compiler/compile_protocol.h"
#include "../run_suite.h"
#include "compiler_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    add_crashes(cases);
    add_host(cases);
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
