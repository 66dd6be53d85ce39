/* SPDX-License-Identifier: MIT */
/* In the child: signals that a kernel can cause become a record in the shared page, and the end of the child.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "cli.h"
#include "watch.h"

/* One per process: a signal handler has no other way to its data. */
static struct cli_shared *record;

static void
handle_fault(int number, siginfo_t *info, void *context)
{
    const ucontext_t *machine = context;
    lw_activity activity;

    if (record && record->fault.signal == 0) {
        record->fault.code = info->si_code;
        record->fault.address = number == CLI_ASK_SIGNAL ? 0 : (uint64_t)(uintptr_t)info->si_addr;
        record->fault.error = (uint64_t)machine->uc_mcontext.gregs[REG_ERR];
        record->fault.in_groups = lw_current_activity(&activity);
        if (record->fault.in_groups) {
            memcpy(record->fault.group, activity.group, sizeof activity.group);
            record->fault.groups = activity.groups;
            record->fault.local_memory = (uint64_t)(uintptr_t)activity.local_memory;
            /* What the kernel had printed up to here tells more than anything else. */
            while (activity.printed_bytes) {
                ssize_t written = write(STDOUT_FILENO, activity.printed, activity.printed_bytes);
                if (written <= 0)
                    break;
                activity.printed += written;
                activity.printed_bytes -= (size_t)written;
            }
        }
        __sync_synchronize();
        record->fault.signal = number;
    }
    _exit(CLI_FAULT);
}

void
cli_install_fault_handler(struct cli_shared *shared)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, CLI_ASK_SIGNAL};
    const size_t stack_bytes = 65536;
    struct sigaction action;

    record = shared;
    /* a stack of its own: the fault may be the stack's end */
    void *stack = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack != MAP_FAILED) {
        stack_t alternative = {.ss_sp = stack, .ss_size = stack_bytes};
        sigaltstack(&alternative, NULL);
    }
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}
