/* SPDX-License-Identifier: MIT */
/* Worker processes as the parent sees them: started, asked, stopped. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "src/host/folder.h"
#include "platform.h"

bool
workshop_open(struct workshop *workshop, unsigned threads)
{
    const char *temporary = getenv("TMPDIR");
    cpu_set_t all;
    unsigned taken = 0;

    workshop->folder = text_make("%s/lanewise-bench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(workshop->folder)) {
        fprintf(stderr, "error: %s: %s\n", workshop->folder, strerror(errno));
        free(workshop->folder);
        workshop->folder = NULL;
        return false;
    }
    if (sched_getaffinity(0, sizeof all, &all)) {
        CPU_ZERO(&all);
        CPU_SET(0, &all);
    }
    CPU_ZERO(&workshop->processors);
    for (int i = 0; i < CPU_SETSIZE && (threads == 0 || taken < threads); i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &workshop->processors);
            taken++;
        }
    workshop->threads = taken;
    if (threads > taken)
        fprintf(stderr, "warning: --threads %u: this process may use %u processors\n", threads, taken);
    return true;
}

void
workshop_close(struct workshop *workshop)
{
    if (workshop->folder)
        lw_remove_folder(workshop->folder);
    free(workshop->folder);
    workshop->folder = NULL;
}

/* Intel's runtime and PoCL have names of their own for the instruction sets; PoCL two, for builds with one
 * library of built-in functions and with several. With "avx512" each takes what the processor has. */
void
workshop_set_isa(const char *isa)
{
    static const struct {
        const char *isa, *intel, *pocl, *pocl_library;
    } names[] = {{"sse4.2", "corei7", "nehalem", "sse41"},
                 {"avx2", "core-avx2", "haswell", "avx2"},
                 {"avx512-v4", "skx", "skylake-avx512", "avx512"},
                 {"avx512-vbmi", "icx-server", "icelake-server", "avx512"},
                 {"avx512", NULL, NULL, NULL}};

    setenv("LANEWISE_ISA", isa, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(isa, names[i].isa)) {
            if (!names[i].intel)
                continue;
            setenv("CL_CONFIG_CPU_TARGET_ARCH", names[i].intel, 1);
            setenv("POCL_LLVM_CPU_NAME", names[i].pocl, 1);
            setenv("POCL_KERNELLIB_NAME", names[i].pocl_library, 1);
        }
}

static void
set_environment(const struct workshop *workshop, const struct target *target)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    char *cache = text_make("%s/cache", workshop->folder), *threads = text_make("%u", workshop->threads);

    setenv("LANEWISE_CACHE_DIR", cache, 1);
    setenv("POCL_CACHE_DIR", cache, 1);
    setenv("POCL_MAX_PTHREAD_COUNT", threads, 1);
    if (target->kind == TARGET_PLATFORM) {
        setenv("OCL_ICD_VENDORS", target->vendors, 1);
        unsetenv("OCL_ICD_FILENAMES");
    }
    if (target->library_path) {
        char *longer =
            path && *path ? text_make("%s:%s", target->library_path, path) : text_copy(target->library_path);

        setenv("LD_LIBRARY_PATH", longer, 1);
        free(longer);
    }
    if (workshop->isa)
        workshop_set_isa(workshop->isa);
    free(cache);
    free(threads);
}

static _Noreturn void
become_worker(const struct workshop *workshop, const struct target *target, int socket)
{
    static const char *const kinds[] = {"opencl", "limit", "openmp", "reference"};
    struct rlimit none = {0, 0};
    sigset_t signals;
    int errors = open(target->errors, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600),
        nothing = open("/dev/null", O_RDWR);

    if (socket != 3)
        dup2(socket, 3);
    else
        fcntl(3, F_SETFD, 0);
    dup2(nothing, 0);
    if (!workshop->verbose && errors >= 0)
        dup2(errors, 2);
    dup2(2, 1); /* what platforms print is no output of ours */
    for (int i = 4; i < 64; i++)
        close(i);
    setrlimit(RLIMIT_CORE, &none);
    setpgid(0, 0); /* an interrupt is the parent's to see: it ends after the kernel at hand */
    sigemptyset(&signals);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    sched_setaffinity(0, sizeof workshop->processors, &workshop->processors);
    set_environment(workshop, target);
    execl("/proc/self/exe", "lanewise-bench", "--worker", kinds[target->kind], (char *)NULL);
    _exit(127);
}

static bool
start(struct workshop *workshop, struct target *target)
{
    int pair[2];

    if (!target->errors)
        target->errors = text_make("%s/%s-%u.stderr", workshop->folder, target->label, target->index);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return false;
    fflush(NULL);
    target->process = fork();
    if (target->process == 0)
        become_worker(workshop, target, pair[1]);
    close(pair[1]);
    target->socket = pair[0];
    if (target->process > 0)
        return true;
    close(pair[0]);
    target->process = 0;
    return false;
}

void
target_stop(struct target *target)
{
    if (!target->process)
        return;
    close(target->socket);
    kill(target->process, SIGKILL);
    while (waitpid(target->process, NULL, 0) < 0 && errno == EINTR)
        ;
    target->process = 0;
}

/* The last lines of its standard error. */
static char *
last_words(const struct target *target)
{
    char *all = target->errors ? file_read(target->errors, NULL) : NULL, *end, *last;

    if (!all)
        return text_copy("");
    for (end = all + strlen(all); end > all && end[-1] == '\n';)
        *--end = 0;
    last = end - all > 4000 ? end - 4000 : all;
    last = text_copy(last);
    free(all);
    return last;
}

static void
describe_end(struct target *target, struct message *answer)
{
    int status = 0;
    char *words = last_words(target), *reason;
    const char *last = strrchr(words, '\n');
    struct text made = {0};

    close(target->socket);
    /* It may have closed its end and still be running. */
    kill(target->process, SIGKILL);
    while (waitpid(target->process, &status, 0) < 0 && errno == EINTR)
        ;
    target->process = 0;
    last = last ? last + 1 : words;
    if (WIFSIGNALED(status))
        text_add(&made, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        text_add(&made, "exit status %d", WEXITSTATUS(status));
    if (*last)
        text_add(&made, ": %.200s", last);
    reason = text_take(&made);
    message_begin(&made, "failed");
    message_free(answer);
    answer->verb = text_copy("failed");
    answer->count = 3;
    answer->keys = memory_get(3 * sizeof *answer->keys);
    answer->values = memory_get(3 * sizeof *answer->values);
    answer->keys[0] = text_copy("stage");
    answer->values[0] = text_copy("crashed");
    answer->keys[1] = text_copy("reason");
    answer->values[1] = reason;
    answer->keys[2] = text_copy("log");
    answer->values[2] = words;
    text_free(&made);
}

enum asked
target_ask(struct workshop *workshop, struct target *target, struct text *question, double timeout,
           struct message *answer)
{
    enum message_status status = MESSAGE_GONE;

    *answer = (struct message){0};
    if (!target->process && !start(workshop, target)) {
        text_free(question);
        fprintf(stderr, "error: no process could be started: %s\n", strerror(errno));
        exit(2);
    }
    message_put(question, "index", "%u", target->index);
    if (message_send(target->socket, question))
        status = message_receive(target->socket, timeout, answer);
    if (status == MESSAGE_HERE)
        return !strcmp(answer->verb, "ok") ? ASKED_OK : ASKED_FAILED;
    if (status == MESSAGE_GONE) {
        describe_end(target, answer);
        return ASKED_CRASHED;
    }
    describe_end(target, answer);
    free(answer->values[0]);
    free(answer->values[1]);
    answer->values[0] = text_copy("hung");
    answer->values[1] = text_make("no answer within %.0f s", timeout);
    return ASKED_HUNG;
}

void
target_free(struct target *target)
{
    target_stop(target);
    char *texts[] = {target->label,  target->library, target->library_path,  target->vendors,
                     target->name,   target->version, target->broken_reason, target->device,
                     target->driver, target->form,    target->errors};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    *target = (struct target){0};
}
