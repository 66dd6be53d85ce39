/* SPDX-License-Identifier: MIT */
/* How lanewise-compile dies: by a reply to the request that it dies of.
 *
 * Signals of faults, abort, LLVM's exit where it gives up, and two timers for each thread, of its processor
 * time and of the clock, which stop what does not end. Other sessions only see their sockets end. Handlers do
 * nothing but system calls.
 */
#include "process.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HANDLER_STACK ((size_t)64 << 10)
#define TIME_SIGNAL SIGXCPU
#define WAITING_FACTOR 20 /* times the processor time, for what waits for ever */
#define MOST_LAST_WORDS 500

static _Thread_local struct {
    int socket; /* 0: none */
    bool timed;
    timer_t processor, clock;
} mine;
static atomic_uint at_work;

/* What was printed last: LLVM says there why it gives up. */
static void
add_last_words(char *text, size_t room)
{
    off_t size = lseek(STDERR_FILENO, 0, SEEK_END);
    off_t most = (off_t)(room - 1 < MOST_LAST_WORDS ? room - 1 : MOST_LAST_WORDS);
    ssize_t got = size > 0 ? pread(STDERR_FILENO, text, (size_t)most, size > most ? size - most : 0) : 0;
    if (got < 0)
        got = 0;
    while (got && (text[got - 1] == '\n' || text[got - 1] == ' '))
        got--;
    text[got] = '\0';
    for (ssize_t i = 0; i < got; i++)
        if (text[i] == '\n')
            text[i] = ' ';
}

static void
die(enum lw_wire_result result, const char *how)
{
    struct lw_wire_reply reply = {.result = result};
    if (!mine.socket)
        _exit(1);
    reply.others = atomic_load(&at_work) - 1;
    reply.error.status = LW_INTERNAL;
    char *text = reply.error.text;
    size_t length = strlen(how);
    memcpy(text, how, length);
    memcpy(text + length, ": ", 3);
    add_last_words(text + length + 2, sizeof reply.error.text - length - 2);
    if (!text[length + 2])
        text[length] = '\0';
    send(mine.socket, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT);
    _exit(1);
}

static void
take_fault(int signal)
{
    const char *how = signal == SIGSEGV   ? "segmentation fault"
                      : signal == SIGABRT ? "abort"
                      : signal == SIGBUS  ? "bus error"
                      : signal == SIGILL  ? "illegal instruction"
                      : signal == SIGFPE  ? "arithmetic fault"
                                          : "bad system call";
    die(LW_WIRE_CRASHED, how);
}

static void
take_time(int signal)
{
    (void)signal;
    die(LW_WIRE_TIME, "more processor time than a compilation may take");
}

/* LLVM's fatal errors end in exit(). */
static void
take_exit(void)
{
    die(LW_WIRE_CRASHED, "exit");
}

void
lw_crash_prepare(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    struct sigaction action = {.sa_handler = take_fault, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (unsigned i = 0; !LW_SANITIZED && i < sizeof faults / sizeof faults[0]; i++)
        sigaction(faults[i], &action, NULL);
    action.sa_handler = take_time;
    sigaction(TIME_SIGNAL, &action, NULL);
    atexit(take_exit);
}

static bool
make_timer(clockid_t clock, timer_t *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIME_SIGNAL};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    return timer_create(clock, &event, timer) == 0;
}

void
lw_crash_prepare_thread(void)
{
    stack_t stack = {.ss_size = HANDLER_STACK};
    stack.ss_sp = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED)
        sigaltstack(&stack, NULL);
    mine.timed =
        make_timer(CLOCK_THREAD_CPUTIME_ID, &mine.processor) && make_timer(CLOCK_MONOTONIC, &mine.clock);
}

static void
set_timers(unsigned seconds)
{
    if (!mine.timed)
        return;
    timer_settime(mine.processor, 0, &(struct itimerspec){.it_value.tv_sec = seconds}, NULL);
    timer_settime(mine.clock, 0, &(struct itimerspec){.it_value.tv_sec = (time_t)seconds * WAITING_FACTOR},
                  NULL);
}

void
lw_crash_begin(int socket, unsigned seconds)
{
    atomic_fetch_add(&at_work, 1);
    mine.socket = socket;
    set_timers(seconds);
}

void
lw_crash_end(void)
{
    set_timers(0);
    mine.socket = 0;
    atomic_fetch_sub(&at_work, 1);
}
