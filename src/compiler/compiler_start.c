/* SPDX-License-Identifier: MIT */
/* Starts lanewise-compile so that the host does not notice.
 *
 * The host may have handlers of SIGCHLD and wait for any child: a process between, which never executes a
 * program and whose end is no signal (only waits with __WALL or __WCLONE see it), starts the compiler and
 * ends; the compiler is init's then. (Where the host is init, or a subreaper, it is the host's after all, as
 * every orphan is.) Neither copies the host's memory: both run on stacks of ours while the calling thread
 * stands still.
 *
 * The compiler inherits its control socket, a log in memory as standard error, and of the environment what it
 * needs; a set-user-id program hands it none. It is a process group of its own: the terminal's signals are
 * the host's. The session is the host's: where the system shares processors out among sessions (autogroup),
 * one of its own would take half of them, however nice its threads are.
 */
#include "compile_protocol.h"
#include "compiler_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)64 << 10)
#define MOST_ENVIRONMENT 200
#define ABOVE_STANDARD 10

/* In between there is no host that a sanitizer could follow. */
#define BETWEEN __attribute__((no_sanitize("address", "thread", "undefined")))

struct start {
    const char *program;
    char **arguments, **environment;
    int control, log; /* log -1: none */
    char *stack;      /* of the compiler until it is executed; its end */
};

/* ---- between clone and execve: nothing but system calls ---- */

/* By number what ThreadSanitizer watches: it knows nothing of this process, and would take its descriptors
 * for the host's. */
BETWEEN static int
put_at(int file, int number)
{
    return (int)syscall(SYS_dup2, file, number);
}

/* In the caller's memory, on that stack. Under sanitizers, which take a clone for a fork, in a copy of it. */
BETWEEN static pid_t
run_on(char *stack, int signal, int (*run)(void *data), void *data)
{
    if (!LW_SANITIZED)
        return clone(run, stack, CLONE_VM | CLONE_VFORK | signal, data);
    pid_t child = (pid_t)syscall(SYS_clone, signal, 0, 0, 0, 0);
    if (child == 0)
        syscall(SYS_exit_group, run(data)); /* no leak check there */
    return child;
}

BETWEEN static int
execute(void *data)
{
    const struct start *s = data;
    setpgid(0, 0);
    int control = fcntl(s->control, F_DUPFD, ABOVE_STANDARD);
    int nothing = (int)syscall(SYS_open, "/dev/null", O_RDWR);
    int log = s->log >= 0 ? fcntl(s->log, F_DUPFD, ABOVE_STANDARD) : -1;
    nothing = fcntl(nothing, F_DUPFD, ABOVE_STANDARD);
    int input = nothing >= 0 ? nothing : log, output = log >= 0 ? log : nothing;
    if (control < 0 || input < 0 || output < 0 || put_at(input, 0) < 0 || put_at(input, 1) < 0 ||
        (!LW_SANITIZED && put_at(output, 2) < 0) || put_at(control, LW_CONTROL_SOCKET) < 0)
        return 127;
#ifdef SYS_close_range
    syscall(SYS_close_range, LW_CONTROL_SOCKET + 1u, ~0u, 0u); /* else the compiler does it */
#endif
    execve(s->program, s->arguments, s->environment);
    return 127;
}

BETWEEN static int
start_and_end(void *data)
{
    struct start *s = data;
    return run_on(s->stack, SIGCHLD, execute, s) < 0;
}

/* ---- the host ---- */

/* Nothing that others preload or configure for the host's sake. */
static bool
is_wanted(const char *variable)
{
    static const char *const names[] = {"LANEWISE_",      "LD_LIBRARY_PATH=", "TMPDIR=",      "ASAN_OPTIONS=",
                                        "UBSAN_OPTIONS=", "TSAN_OPTIONS=",    "LSAN_OPTIONS="};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void
choose_environment(char **out)
{
    extern char **environ;
    unsigned count = 0;
    bool trusted = !getauxval(AT_SECURE);
    for (char **e = environ; trusted && e && *e && count < MOST_ENVIRONMENT; e++)
        if (is_wanted(*e))
            out[count++] = *e;
    out[count] = NULL;
}

/* With every signal blocked: a handler of the host's must not run on a stack of ours. */
static bool
run_between(struct start *s, char *stack)
{
    sigset_t all, before;
    int status = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t between = run_on(stack, 0, start_and_end, s);
    while (between > 0 && waitpid(between, &status, __WCLONE) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return between > 0 && status == 0;
}

static bool
start(const char *program, int control)
{
    char *environment[MOST_ENVIRONMENT + 1], host[24], protocol[24];
    char *arguments[] = {(char *)LW_COMPILE_PROGRAM, protocol, host, NULL};
    char *stacks =
        mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED)
        return false;
    choose_environment(environment);
    snprintf(protocol, sizeof protocol, "%d.%d", LW_PROTOCOL, LW_COMPILER_ABI);
    snprintf(host, sizeof host, "%ld", (long)getpid());
    struct start s = {.program = program,
                      .arguments = arguments,
                      .environment = environment,
                      .control = control,
                      .log = memfd_create("lanewise log", MFD_CLOEXEC),
                      .stack = stacks + 2 * STACK_BYTES};
    bool started = run_between(&s, stacks + STACK_BYTES);
    if (s.log >= 0)
        close(s.log);
    munmap(stacks, 2 * STACK_BYTES);
    return started;
}

int
lw_compiler_start(const char *program)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    int saved = errno;
    bool started = start(program, ends[1]);
    errno = saved;
    close(ends[1]);
    if (started)
        return ends[0];
    close(ends[0]);
    return -1;
}
