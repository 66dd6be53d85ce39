/* SPDX-License-Identifier: MIT */
/* Faults of kernels that end their work instead of the process (lw_device_options.contain_faults).
 *
 * A kernel that writes far beyond its local memory, or to an address of no buffer, raises a signal on the
 * thread that runs it. While it does, that thread has a landing: the handler sends the thread there, with the
 * signal's mask undone as from any handler. Compiled code holds no lock, so that nothing is lost but its own
 * work; what kernels call of the runtime does, and is exempt (lw_faults_hold).
 *
 * The handlers are the process's, so they come late, with the first launch, and give way: what is no kernel's
 * fault goes to whatever handled the signal before, and a program that installs its own handler afterwards
 * takes ours away, unless it passes on what is not its own. Then faults end the process as they would without
 * this.
 */
#include "faults.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

struct landing {
    void *place[5]; /* __builtin_setjmp's */
    struct landing *outer;
    struct lw_fault fault;
    unsigned held;
};

/* Initial-exec, so that the handler reads it without allocating. */
static _Thread_local struct landing *landing __attribute__((tls_model("initial-exec")));

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
static struct sigaction before[NUMBERS];

/* Where the handler sends the thread, on the stack that it was on. */
static void
land(void)
{
    __builtin_longjmp(landing->place, 1);
}

/* What would have happened without us. */
static void
pass_on(int number, siginfo_t *info, void *context)
{
    unsigned i = 0;
    while (numbers[i] != number)
        i++;
    const struct sigaction *old = &before[i];
    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(number, info, context);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(number);
    else /* the instruction faults once more, and one that is sent comes once more */
        sigaction(number, old, NULL);
    if (info->si_code <= 0 && old->sa_handler == SIG_DFL && !(old->sa_flags & SA_SIGINFO))
        raise(number);
}

static void
handle(int number, siginfo_t *info, void *context)
{
    struct landing *l = landing;
    /* Not what another process sent, nor what the landing itself raises where the stack has ended. */
    if (!l || l->held || info->si_code <= 0 || l->fault.signal) {
        pass_on(number, info, context);
        return;
    }
    bool is_access = number == SIGSEGV || number == SIGBUS;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    l->fault = (struct lw_fault){number, is_access ? (uintptr_t)info->si_addr : 0,
                                 (uintptr_t)registers[REG_RIP]};
    /* As behind a call: below what the code may keep under the stack's end. */
    registers[REG_RSP] = ((registers[REG_RSP] - 256) & ~(greg_t)15) - 8;
    registers[REG_RIP] = (greg_t)(uintptr_t)land;
    registers[REG_EFL] &= ~(greg_t)0x400; /* directions of string instructions: up */
}

static void
install(void)
{
    /* On the stack that the program has for signals, if it has one. */
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < NUMBERS; i++)
        if (sigaction(numbers[i], NULL, &before[i]) == 0)
            sigaction(numbers[i], &action, NULL);
}

/* A frame of its own: nothing of the caller's lives in registers across the landing. */
__attribute__((noinline)) bool
lw_contained(void (*work)(void *data), void *data, struct lw_fault *fault)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct landing here;
    struct lw_fault *volatile told = fault;
    pthread_once(&once, install);
    here.outer = landing;
    here.held = 0;
    here.fault.signal = 0;
    if (__builtin_setjmp(here.place)) {
        struct landing *l = landing;
        *told = l->fault;
        landing = l->outer;
        return false;
    }
    landing = &here;
    work(data);
    landing = here.outer;
    return true;
}

void
lw_faults_hold(void)
{
    if (landing)
        landing->held++;
}

void
lw_faults_release(void)
{
    if (landing)
        landing->held--;
}
