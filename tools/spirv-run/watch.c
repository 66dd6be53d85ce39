/* SPDX-License-Identifier: MIT */
/* The parent: forks before any thread exists, waits, shows progress, and tells faults and time-outs.
 *
 * Buffers first end exactly at their guard page. Code may rely on the alignment that OpenCL promises (a
 * float4 view of a buffer of five floats), which such a buffer cannot always give: a fault of misalignment
 * starts the child again with aligned buffers, whose few bytes before the guard are checked for writes
 * afterwards.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"
#include "watch.h"

#define PROGRESS_AFTER 2.0   /* seconds */
#define KERNEL_GENERATED 128 /* SI_KERNEL: a general protection fault, which has no address */

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *
phase_name(const struct cli *cli)
{
    static const char *const names[] = {"loading the module", "filling buffers", "compiling", "running",
                                        "writing results"};
    return names[cli->shared->phase];
}

static void
show_progress(const struct cli *cli, double elapsed)
{
    char repetition[40] = "";
    if (cli->options.time && cli->shared->repetition)
        snprintf(repetition, sizeof repetition, " (%u of %u)", cli->shared->repetition,
                 cli->options.repetitions);
    fprintf(stderr, "\r\033[Kspirv-run: %s%s%s%s, %.0f s", phase_name(cli), *cli->shared->kernel ? " " : "",
            cli->shared->kernel, repetition, elapsed);
}

/* Waits for the child; true when it ended by itself, `*raw` its status. A signal that ends the parent ends
 * the child first and is left in `*interrupted`. */
static bool
wait_child(struct cli *cli, pid_t child, double limit, int *raw, int *interrupted)
{
    double begin = now();
    bool terminal = isatty(STDERR_FILENO), shown = false;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    bool ended = false;
    for (;;) {
        if (waitpid(child, raw, WNOHANG) == child) {
            ended = true;
            break;
        }
        double elapsed = now() - begin, step = 0.5;
        if (limit > 0 && elapsed >= limit)
            break;
        if (limit > 0 && limit - elapsed < step)
            step = limit - elapsed;
        if (terminal && elapsed >= PROGRESS_AFTER) {
            show_progress(cli, elapsed);
            shown = true;
        }
        struct timespec pause = {0, (long)(step * 1e9)};
        int number = sigtimedwait(&set, NULL, &pause);
        if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
            *interrupted = number;
            break;
        }
    }
    if (shown)
        fprintf(stderr, "\r\033[K");
    return ended;
}

/* Asks the child where it is, then makes sure that it ends. */
static void
stop_child(pid_t child)
{
    int raw;
    struct timespec pause = {0, 10000000};

    kill(child, CLI_ASK_SIGNAL);
    for (int i = 0; i < 50; i++) {
        if (waitpid(child, &raw, WNOHANG) == child)
            return;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &raw, 0);
}

/* ", in work-group 3,0,0" where it is known. */
static void
describe_groups(const struct cli_shared *shared, char out[160])
{
    const uint64_t *g = shared->fault.group;

    out[0] = 0;
    if (!shared->fault.in_groups)
        return;
    int length = snprintf(out, 160, ", in work-group %llu,%llu,%llu", (unsigned long long)g[0],
                          (unsigned long long)g[1], (unsigned long long)g[2]);
    if (shared->fault.groups > 1)
        snprintf(out + length, 160 - (size_t)length, " or one of the %llu after it",
                 (unsigned long long)(shared->fault.groups - 1));
}

/* How far an address is from an object, and on which side of it. */
static uint64_t
distance_to(uint64_t address, uint64_t base, uint64_t bytes, const char **side)
{
    *side = address >= base + bytes ? "past the end of" : address < base ? "before" : "inside";
    return address >= base + bytes ? address - base - bytes : address < base ? base - address : 0;
}

/* "argument 1 (y)" */
static void
name_object(uint32_t argument, const char *name, char out[120])
{
    if (argument == UINT32_MAX)
        snprintf(out, 120, "local variable%s%s", *name ? " " : "", name);
    else
        snprintf(out, 120, "argument %u%s%s%s", argument, *name ? " (" : "", name, *name ? ")" : "");
}

/* The argument or local variable whose memory is nearest, and how far away. */
static void
describe_address(const struct cli_shared *shared, uint64_t address, char out[400])
{
    const uint64_t far = (uint64_t)1 << 32;
    uint64_t best = far;
    char object[120];
    const char *side;

    snprintf(out, 400, "at address 0x%llx, near no argument", (unsigned long long)address);
    if (address < 65536)
        snprintf(out, 400, "at address 0x%llx, through a null pointer", (unsigned long long)address);
    for (unsigned i = 0; i < shared->arg_count; i++) {
        uint64_t distance = distance_to(address, shared->args[i].base, shared->args[i].bytes, &side);
        if (!shared->args[i].base || distance >= best)
            continue;
        best = distance;
        name_object(i, shared->args[i].name, object);
        snprintf(out, 400, "at address 0x%llx, %llu bytes %s %s, a buffer of %llu bytes (%s[%llu])",
                 (unsigned long long)address, (unsigned long long)distance, side, object,
                 (unsigned long long)shared->args[i].bytes, shared->args[i].type,
                 (unsigned long long)shared->args[i].count);
        if (shared->args[i].cut)
            snprintf(out + strlen(out), 400 - strlen(out), ", of which this rank has elements %llu to %llu",
                     (unsigned long long)shared->args[i].first, (unsigned long long)shared->args[i].end - 1);
    }
    for (unsigned i = 0; shared->fault.local_memory && i < shared->local_count; i++) {
        uint64_t base = shared->fault.local_memory + shared->locals[i].offset;
        uint64_t distance = distance_to(address, base, shared->locals[i].bytes, &side);
        if (distance >= best)
            continue;
        best = distance;
        name_object(shared->locals[i].argument, shared->locals[i].name, object);
        snprintf(out, 400, "at address 0x%llx, %llu bytes %s %s%s, %llu bytes of local memory",
                 (unsigned long long)address, (unsigned long long)distance, side,
                 shared->locals[i].argument == UINT32_MAX ? "" : "local ", object,
                 (unsigned long long)shared->locals[i].bytes);
    }
}

static bool
misaligned(const struct cli_shared *shared)
{
    return (shared->fault.signal == SIGSEGV && shared->fault.code == KERNEL_GENERATED) ||
           (shared->fault.signal == SIGBUS && shared->fault.code == BUS_ADRALN);
}

static void
tell_fault(struct cli *cli)
{
    const struct cli_shared *shared = cli->shared;
    int number = shared->fault.signal;
    char where[400], groups[160];
    const char *kernel = shared->kernel;

    describe_groups(shared, groups);
    if (shared->phase != CLI_PHASE_RUN || number == SIGABRT) {
        cli_fail(cli, CLI_UNSUPPORTED,
                 "Lanewise itself failed (%s) while %s%s%s%s: a defect, please report it", strsignal(number),
                 phase_name(cli), *kernel ? " kernel '" : "", kernel, *kernel ? "'" : "");
    } else if (number == SIGFPE || number == SIGILL) {
        cli_fail(cli, CLI_FAULT, "kernel '%s' faulted: %s at instruction 0x%llx%s", kernel,
                 number == SIGFPE ? "integer division by zero or overflow" : "an instruction that cannot run",
                 (unsigned long long)shared->fault.address, groups);
    } else if (misaligned(shared)) {
        cli_fail(cli, CLI_FAULT,
                 "kernel '%s' faulted: an access through a pointer that is no address, or is "
                 "misaligned%s",
                 kernel, groups);
    } else {
        const char *verb = shared->fault.error & 16 ? "executed" : shared->fault.error & 2 ? "wrote" : "read";
        describe_address(shared, shared->fault.address, where);
        cli_fail(cli, CLI_FAULT, "kernel '%s' faulted: it %s %s%s", kernel, verb, where, groups);
    }
}

static void
tell_timeout(struct cli *cli)
{
    char groups[160];
    const char *kernel = cli->shared->kernel;

    describe_groups(cli->shared, groups);
    cli_fail(cli, CLI_TIMEOUT, "%s%s%s timed out after %g s while %s%s", *kernel ? "kernel '" : "the module",
             kernel, *kernel ? "'" : "", cli->options.timeout, phase_name(cli), groups);
}

static void
tell_killed(struct cli *cli, int number)
{
    const char *kernel = cli->shared->kernel;
    cli_fail(cli, cli->shared->phase == CLI_PHASE_RUN ? CLI_FAULT : CLI_UNSUPPORTED,
             "the process of kernel '%s' was ended by signal %d (%s) while %s%s", *kernel ? kernel : "?",
             number, strsignal(number), phase_name(cli),
             number == SIGKILL   ? ": perhaps memory ran out"
             : number == SIGSEGV ? ": perhaps its stack ran out"
                                 : "");
}

static pid_t
start_child(struct cli *cli, const sigset_t *mask)
{
    memset(cli->shared, 0, sizeof *cli->shared);
    fflush(stdout);
    fflush(stderr);
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    sigprocmask(SIG_SETMASK, mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CLI_USAGE);
    cli_install_fault_handler(cli->shared);
    /* What the kernel prints has been seen when it runs again to be traced. */
    if (cli->tracing && !freopen("/dev/null", "w", stdout))
        _exit(CLI_USAGE);
    int status = cli_run(cli);
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && status == CLI_DONE) {
        fprintf(stderr, "error: cannot write standard output: %s\n", strerror(errno));
        status = CLI_USAGE;
    }
    fflush(stderr);
    cli->shared->reported = true;
    _exit(status);
}

/* The fault again, one work-group at a time, so that its work-group is known exactly. Where it does not come
 * again within a few times the first run's time, the first record stays. */
static void
trace_fault(struct cli *cli, const sigset_t *mask, double elapsed)
{
    struct cli_shared first = *cli->shared;
    double limit = 2 + 10 * elapsed;
    int raw = 0, interrupted = 0;

    if (cli->options.timeout > 0 && limit > cli->options.timeout)
        limit = cli->options.timeout;
    if (cli->launched)
        return;
    cli->tracing = true;
    pid_t child = start_child(cli, mask);
    cli->tracing = false;
    bool ended = child > 0 && wait_child(cli, child, limit, &raw, &interrupted);
    if (child > 0 && !ended) {
        kill(child, SIGKILL);
        waitpid(child, &raw, 0);
    }
    if (!ended || !cli->shared->fault.signal || cli->shared->phase != CLI_PHASE_RUN)
        *cli->shared = first;
}

/* One child; its status, or -1 where it should be run again with aligned buffers. */
static int
watch_once(struct cli *cli, const sigset_t *mask)
{
    int raw = 0, interrupted = 0;
    double begin = now();
    pid_t child = start_child(cli, mask);

    if (child < 0) {
        cli_fail(cli, CLI_UNSUPPORTED, "cannot start a process: %s", strerror(errno));
        return cli->status;
    }
    bool ended = wait_child(cli, child, cli->options.timeout, &raw, &interrupted);
    if (!ended)
        stop_child(child);
    if (interrupted) {
        cli_outputs_finish(cli, false);
        signal(interrupted, SIG_DFL);
        sigprocmask(SIG_SETMASK, mask, NULL);
        raise(interrupted);
        _exit(CLI_FAULT);
    }
    if (!ended) {
        tell_timeout(cli);
        return cli->status;
    }
    if (cli->shared->fault.signal) {
        if (cli->exact && misaligned(cli->shared))
            return -1;
        if (cli->shared->phase == CLI_PHASE_RUN)
            trace_fault(cli, mask, now() - begin);
        tell_fault(cli);
        return cli->status;
    }
    if (WIFSIGNALED(raw)) {
        tell_killed(cli, WTERMSIG(raw));
        return cli->status;
    }
    if (!cli->shared->reported) {
        cli_fail(cli, CLI_UNSUPPORTED, "the process ended without a result (status %d)", WEXITSTATUS(raw));
        return cli->status;
    }
    return WEXITSTATUS(raw);
}

int
cli_watch(struct cli *cli)
{
    sigset_t blocked, mask;

    cli->shared = mmap(NULL, sizeof *cli->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (cli->shared == MAP_FAILED) {
        cli_fail(cli, CLI_UNSUPPORTED, "out of memory");
        return cli->status;
    }
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    cli->exact = !cli->launched; /* a rank cannot join the others a second time */
    int status = watch_once(cli, &mask);
    if (status < 0) {
        cli->exact = false;
        status = watch_once(cli, &mask);
    }
    cli_outputs_finish(cli, !cli->shared->rank && (status == CLI_DONE || status == CLI_MISMATCH));
    return cli->status ? cli->status : status;
}
