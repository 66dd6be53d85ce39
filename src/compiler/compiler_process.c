/* SPDX-License-Identifier: MIT */
/* Compilations in a process of their own: the runtime's side of compile_protocol.h.
 *
 * One process serves all devices, and each thread that compiles has a session with it. Where it dies, the
 * request that it died of is told so; others that were under way are sent once more, each to a new process
 * for it alone, and what that one dies of is the request. A forked child leaves the process to its parent and
 * has one of its own.
 */
#include "compiler_process.h"
#include "../api.h"
#include "../host/fork_mark.h"
#include "compile_protocol.h"
#include "wire.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_SESSIONS 32
#define LEISURELY_SESSIONS 4 /* the last ones: their threads never hurry again */
#define FREE_STARTS 32  /* processes that may follow each other at once */
#define MOST_FAILURES 3 /* to start one: then none is tried any more */
#define PATIENCE 5      /* where no other code would do, times the seconds for specialised code */

/* A socket of ours. Hosts close all descriptors that they do not know, and the number is another file's then.
 */
struct channel {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
};

struct process {
    struct channel control;
    unsigned users; /* requests, and one where it is the current one */
    bool greeted;
    pid_t pid; /* of one that greeted */
    struct channel sessions[MOST_SESSIONS];
    bool busy[MOST_SESSIONS];
};

/* The one thing that a host process has once: like the compiler library, it stays until the host ends. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t idle; /* some session is */
    struct process *current;
    atomic_uint *mark;
    unsigned starts;
    unsigned failures; /* of one after the other to start, or to greet */
} the = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

/* ---- channels ---- */

static struct channel
make_channel(int fd)
{
    struct stat file = {0};
    if (fd >= 0)
        fstat(fd, &file);
    return (struct channel){fd, file.st_dev, file.st_ino};
}

static bool
is_ours(const struct channel *c)
{
    struct stat file;
    return c->fd >= 0 && fstat(c->fd, &file) == 0 && file.st_dev == c->device && file.st_ino == c->inode;
}

static void
close_channel(struct channel *c)
{
    if (is_ours(c))
        close(c->fd);
    c->fd = -1;
}

/* ---- processes ---- */

static void
close_process(struct process *p)
{
    close_channel(&p->control);
    for (unsigned i = 0; i < MOST_SESSIONS; i++)
        close_channel(&p->sessions[i]);
    free(p);
}

static void
forget_process(void *data)
{
    (void)data;
    pthread_mutex_init(&the.lock, NULL);
    pthread_cond_init(&the.idle, NULL);
    if (the.current)
        close_process(the.current);
    the.current = NULL;
    the.failures = 0;
}

static void
make_mark(void)
{
    the.mark = lw_fork_mark_create();
}

static bool
enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_mark);
    if (!the.mark)
        return false;
    lw_fork_mark_check(the.mark, forget_process, NULL);
    return true;
}

static struct process *
start_process(const char *program)
{
    struct process *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    if (++the.starts > FREE_STARTS)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL); /* a crash after the other */
    p->control = make_channel(lw_compiler_start(program));
    if (p->control.fd < 0) {
        free(p);
        return NULL;
    }
    p->users = 1;
    for (unsigned i = 0; i < MOST_SESSIONS; i++)
        p->sessions[i].fd = -1;
    return p;
}

/* Did it come so far as to greet? Asked when it is gone, or has answered. */
static bool
has_greeted(struct process *p)
{
    struct lw_wire_hello hello;
    if (!p->greeted && is_ours(&p->control) &&
        recv(p->control.fd, &hello, sizeof hello, MSG_DONTWAIT) == sizeof hello)
        if (hello.protocol == LW_PROTOCOL && hello.abi == LW_COMPILER_ABI) {
            p->greeted = true;
            p->pid = hello.pid;
        }
    return p->greeted;
}

/* Under the lock. */
static void
leave_process(struct process *p)
{
    if (--p->users > 0)
        return;
    has_greeted(p);
    pid_t pid = p->pid;
    close_process(p); /* which ends it */
    if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0)
        return; /* it was init's, as a rule, and no child of ours */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Under the lock. */
static void
drop_current(struct process *p)
{
    if (the.current != p)
        return;
    the.current = NULL;
    leave_process(p);
}

/* ---- sessions ---- */

/* -1: the process is gone. */
static int
open_session(struct process *p)
{
    int ends[2];
    char byte = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    bool sent = lw_wire_send(p->control.fd, &(struct iovec){&byte, 1}, 1, &ends[1], 1);
    close(ends[1]);
    if (sent)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* Under the lock. Its number; MOST_SESSIONS: all are busy; -1: the process is gone. */
static int
take_session(struct process *p, enum lw_haste haste)
{
    int at = haste == LW_AT_LEISURE ? MOST_SESSIONS - LEISURELY_SESSIONS : 0;
    int end = haste == LW_AT_LEISURE ? MOST_SESSIONS : MOST_SESSIONS - LEISURELY_SESSIONS;
    while (at < end && p->busy[at])
        at++;
    if (at == end)
        return MOST_SESSIONS;
    if (!is_ours(&p->control) || (p->sessions[at].fd >= 0 && !is_ours(&p->sessions[at])))
        return -1;
    if (p->sessions[at].fd < 0) {
        int session = open_session(p);
        if (session < 0)
            return -1;
        p->sessions[at] = make_channel(session);
    }
    p->busy[at] = true;
    return at;
}

/* Under the lock. The current process, one begun where there is none. NULL: none is to be had. */
static struct process *
current_process(const char *program)
{
    if (!the.current && the.failures < MOST_FAILURES && !(the.current = start_process(program)))
        the.failures++;
    return the.current;
}

/* And a session with it, where there is one. A process that died since it was last asked is left for another.
 */
static bool
take_current(const char *program, enum lw_haste haste, struct process **process, int *session)
{
    bool again = true;
    *session = -1;
    pthread_mutex_lock(&the.lock);
    while ((*process = current_process(program))) {
        *session = take_session(*process, haste);
        if (*session == MOST_SESSIONS) {
            *session = -1;
            pthread_cond_wait(&the.idle, &the.lock);
        } else if (*session >= 0) {
            (*process)->users++;
            break;
        } else {
            the.failures += !has_greeted(*process);
            drop_current(*process);
            if (!again)
                break;
            again = false;
        }
    }
    pthread_mutex_unlock(&the.lock);
    return *session >= 0;
}

/* One for this request alone. */
static bool
take_new(const char *program, enum lw_haste haste, struct process **process, int *session)
{
    pthread_mutex_lock(&the.lock);
    *process = start_process(program);
    *session = *process ? take_session(*process, haste) : -1;
    if (*process && *session < 0)
        leave_process(*process);
    pthread_mutex_unlock(&the.lock);
    return *session >= 0;
}

/* `lost`: the process is no more. Else a new one is everybody's from now on. Did it greet? */
static bool
give_back(struct process *p, int session, bool lost, bool is_new)
{
    pthread_mutex_lock(&the.lock);
    bool greeted = has_greeted(p);
    p->busy[session] = false;
    if (greeted)
        the.failures = 0;
    else if (lost && the.current == p)
        the.failures++;
    if (lost)
        drop_current(p);
    if (is_new && !lost && !the.current)
        the.current = p;
    else
        leave_process(p);
    pthread_cond_broadcast(&the.idle);
    pthread_mutex_unlock(&the.lock);
    return greeted;
}

/* ---- one request ---- */

static bool
send_request(int session, const char *library, unsigned seconds, enum lw_haste haste,
             const struct lw_compile_request *r)
{
    static const char zeros[8];
    _Static_assert(sizeof *r == 544, "what is new in the request is to be sent, too");
    struct lw_wire_request header = {
        .library_bytes = (uint32_t)strlen(library) + 1,
        .kernel_bytes = (uint32_t)strlen(r->kernel) + 1,
        .dump_bytes = r->dump ? (uint32_t)strlen(r->dump) + 1 : 0,
        .skip_bytes = r->skip ? (uint32_t)strlen(r->skip) + 1 : 0,
        .spec_count = (uint32_t)r->spec_count,
        .word_count = r->word_count,
        .shape = r->shape,
        .seconds = r->shape.local_size[0] ? seconds : seconds * PATIENCE,
        .explain = r->explain,
        .lines = r->lines,
        .variables = r->variables,
        .unlinked = true,
        .at_leisure = haste == LW_AT_LEISURE,
        .stderr_ = r->dump != NULL,
    };
    size_t strings =
        (size_t)header.library_bytes + header.kernel_bytes + header.dump_bytes + header.skip_bytes;
    struct iovec parts[] = {
        {&header, sizeof header},
        {(void *)library, header.library_bytes},
        {(void *)r->kernel, header.kernel_bytes},
        {(void *)r->dump, header.dump_bytes},
        {(void *)r->skip, header.skip_bytes},
        {(void *)zeros, -strings & 7},
        {(void *)r->spec, r->spec_count * sizeof *r->spec},
        {(void *)r->words, r->word_count * sizeof *r->words},
    };
    size_t count = sizeof parts / sizeof parts[0], fd_count = 0;
    int fds[LW_WIRE_FDS], file = -1;
    if (strings + parts[6].iov_len + parts[7].iov_len > LW_INLINE_PAYLOAD)
        file = lw_wire_file(parts + 1, count - 1);
    header.file = file >= 0;
    if (header.file)
        fds[fd_count++] = file;
    if (header.stderr_)
        fds[fd_count++] = STDERR_FILENO;
    bool sent = lw_wire_send(session, parts, header.file ? 1 : count, fds, fd_count);
    if (file >= 0)
        close(file);
    return sent;
}

/* The report and the object. */
static bool
receive_payload(int session, const struct lw_wire_reply *reply, int file, struct lw_code *code)
{
    size_t report = reply->report_bytes, object = reply->object_bytes;
    if (report > LW_MOST_PAYLOAD || object > LW_MOST_PAYLOAD)
        return false;
    char *all = malloc(report + object + 1);
    if (!all)
        return false;
    bool good = reply->file ? file >= 0 && lw_wire_read_file(file, all, report + object)
                            : lw_wire_receive(session, all, report + object, NULL);
    code->report = good && report ? malloc(report) : NULL;
    if (code->report) {
        memcpy(code->report, all, report);
        code->report[report - 1] = '\0';
    }
    memmove(all, all + (good ? report : 0), good ? object : 0);
    code->object = all;
    code->object_bytes = object;
    return good && (code->report || !report);
}

enum answer { ANSWERED, LOST, DIED, TOO_LONG, UNABLE };

static enum answer
receive_reply(int session, struct lw_remote_code *out, lw_error *error, uint32_t *others)
{
    struct lw_wire_reply reply;
    int fds[LW_WIRE_FDS];
    if (!lw_wire_receive(session, &reply, sizeof reply, fds))
        return errno == 0 || errno == ECONNRESET ? LOST : UNABLE;
    reply.error.text[sizeof reply.error.text - 1] = reply.symbol[sizeof reply.symbol - 1] = '\0';
    *error = reply.error;
    *others = reply.others;
    out->milliseconds = reply.milliseconds;
    enum answer answer = reply.result == LW_WIRE_CRASHED ? DIED
                         : reply.result == LW_WIRE_TIME  ? TOO_LONG
                                                         : ANSWERED;
    if (reply.result == LW_WIRE_CODE) {
        struct lw_code *code = calloc(1, sizeof *code);
        if (code && receive_payload(session, &reply, fds[0], code)) {
            code->frame_fixed = reply.frame_fixed;
            code->frame_per_sub_group = reply.frame_per_sub_group;
            code->code_bytes = reply.code_bytes;
            code->turns = reply.turns;
            code->doubt = reply.doubt;
            memcpy(code->symbol, reply.symbol, sizeof code->symbol);
            out->code = code;
        } else {
            lw_compiler_apart.release(code);
            answer = LOST;
        }
    }
    for (unsigned i = 0; i < LW_WIRE_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return answer;
}

static enum answer
ask(struct process *p, int session, const char *library, unsigned seconds, enum lw_haste haste,
    const struct lw_compile_request *request, struct lw_remote_code *out, lw_error *error)
{
    uint32_t others = 0;
    int socket = p->sessions[session].fd;
    *out = (struct lw_remote_code){0};
    enum answer answer =
        send_request(socket, library, seconds, haste, request) ? receive_reply(socket, out, error, &others)
                                                               : LOST;
    return answer == DIED && others ? LOST : answer; /* of another one's doing, perhaps */
}

static void
tell_crash(enum answer answer, const struct lw_compile_request *request, lw_error *error)
{
    char how[sizeof error->text];
    snprintf(how, sizeof how, "%s", answer == LOST ? "it was killed" : error->text);
    const char *code = request->shape.build & LW_BUILD_FIRST ? "first"
                       : request->shape.local_size[0]        ? "specialised"
                                                             : "masked";
    lw_runtime_error(error, LW_INTERNAL, "kernel %.200s: the compiler %s on its %s code: %.600s",
                     request->kernel, answer == TOO_LONG ? "took too long" : "crashed", code, how);
}

bool
lw_compile_apart(const char *program, const char *library, unsigned seconds, enum lw_haste haste,
                 const struct lw_compile_request *request, struct lw_remote_code *out, lw_error *error)
{
    lw_error ignored;
    struct process *p;
    int session, state;
    if (!enter() || !take_current(program, haste, &p, &session))
        return false;
    error = error ? error : &ignored;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    enum answer answer = ask(p, session, library, seconds, haste, request, out, error);
    bool here = give_back(p, session, answer != ANSWERED, false) && answer != UNABLE;
    if (here && answer == LOST && take_new(program, haste, &p, &session)) {
        answer = ask(p, session, library, seconds, haste, request, out, error);
        give_back(p, session, answer != ANSWERED, true);
    }
    pthread_setcancelstate(state, NULL);
    out->crashed = answer != ANSWERED;
    if (here && out->crashed)
        tell_crash(answer, request, error);
    return here;
}

/* ---- its code ---- */

static void
release(struct lw_code *code)
{
    if (!code)
        return;
    free(code->object);
    free(code->report);
    free(code);
}

const struct lw_compiler lw_compiler_apart = {.abi = LW_COMPILER_ABI, .release = release};
