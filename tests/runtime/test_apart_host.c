/* SPDX-License-Identifier: MIT */
/* What a host does not notice of the compiler process: no children, no files, no signals of its own. */
#include "apart.h"
#include "compiler_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* A host that closes what it does not know, and gets the numbers for sockets of its own: nothing is written
 * there. */
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

void
add_host(TCase *cases)
{
    tcase_add_loop_test(cases, the_host_has_no_children, 0, 2);
    tcase_add_test(cases, a_subreaper_gets_no_zombies);
    tcase_add_test(cases, nothing_of_the_host_is_inherited);
    tcase_add_test(cases, what_is_compiled_at_leisure_gives_way);
    tcase_add_test(cases, descriptors_that_the_host_closed_are_its_own);
    tcase_add_test(cases, zero_means_in_this_process);
}
