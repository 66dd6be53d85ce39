/* SPDX-License-Identifier: MIT */
/* lanewise-compile: compiles for one process, so that a crash of the compiler is none of that one's.
 *
 * liblanewise starts it (src/compiler/compiler_start.c) and tells it what to compile (compile_protocol.h
 * there). It ends with its control socket, or with the process that it was started for, whichever is first:
 * children of that one may hold the other end open.
 */
#include "process.h"
#include "../../src/compiler/wire.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_MILLISECONDS 1000 /* where the kernel does not tell when a process ends */

/* Where it could not be done before this program was executed. */
static void
close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, LW_CONTROL_SOCKET + 1u, ~0u, 0u) == 0)
        return;
#endif
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *e; folder && (e = readdir(folder));) {
        int fd = atoi(e->d_name);
        if (fd > LW_CONTROL_SOCKET && fd != dirfd(folder))
            close(fd);
    }
    if (folder)
        closedir(folder);
}

/* The host's mask and what it ignores are not ours. */
static void
reset_signals(void)
{
    sigset_t none;
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTTOU, SIG_IGN); /* what is printed for the host does not stop this process */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
limit_memory(void)
{
    struct rlimit limit;
    if (!LW_SANITIZED && getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > LW_COMPILER_MEMORY) {
        limit.rlim_cur = LW_COMPILER_MEMORY;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

static int
watch(pid_t host)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, host, 0u);
#else
    (void)host;
    errno = ENOSYS;
    return -1;
#endif
}

static void
serve(pid_t host)
{
    struct pollfd on[2] = {{LW_CONTROL_SOCKET, POLLIN, 0}, {watch(host), POLLIN, 0}};
    bool watched = on[1].fd >= 0;
    if (!watched && errno == ESRCH)
        return;
    for (;;) {
        int ready = poll(on, 2, watched ? -1 : LOOK_MILLISECONDS);
        if (ready < 0 && errno != EINTR)
            return;
        if (on[1].revents || (!watched && kill(host, 0) != 0 && errno == ESRCH))
            return;
        if (ready > 0 && on[0].revents) {
            char byte;
            int fds[LW_WIRE_FDS];
            if (!lw_wire_receive(LW_CONTROL_SOCKET, &byte, 1, fds))
                return;
            if (fds[0] >= 0)
                lw_session_start(fds[0]);
        }
    }
}

/* LANEWISE_TRACE is relative to the host's folder, which is left. */
static void
keep_trace(void)
{
    char path[PATH_MAX], here[PATH_MAX];
    const char *trace = getenv("LANEWISE_TRACE");
    if (trace && *trace && *trace != '/' && getcwd(here, sizeof here) &&
        snprintf(path, sizeof path, "%s/%s", here, trace) < (int)sizeof path)
        setenv("LANEWISE_TRACE", path, 1);
}

int
main(int argc, char **argv)
{
    char protocol[24];
    snprintf(protocol, sizeof protocol, "%d.%d", LW_PROTOCOL, LW_COMPILER_ABI);
    if (argc != 3 || strcmp(argv[1], protocol) != 0) {
        fprintf(stderr, "lanewise-compile is started by liblanewise.so of the same build, for itself\n");
        return 2;
    }
    reset_signals();
    close_others();
    limit_memory();
    keep_trace();
    if (chdir("/") != 0)
        return 1;
    struct lw_wire_hello hello = {LW_PROTOCOL, LW_COMPILER_ABI, getpid()};
    lw_crash_prepare();
    if (lw_wire_send(LW_CONTROL_SOCKET, &(struct iovec){&hello, sizeof hello}, 1, NULL, 0))
        serve((pid_t)strtol(argv[2], NULL, 10));
    _exit(0); /* whatever is being compiled is for nobody */
}
