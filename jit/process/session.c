/* SPDX-License-Identifier: MIT */
/* One session of lanewise-compile: requests of one thread of the host, one after the other.
 *
 * Libraries are opened once, by the first request that names them. A message that is not as it must be ends
 * the session.
 */
#include "process.h"
#include "../../src/host/clock.h"
#include "../../src/compiler/compiler_library.h"
#include "../../src/compiler/wire.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)16 << 20)
#define LEISURELY 5 /* nicer by that: such a thread has a quarter of a processor that others want all of */
#define LONG_MILLISECONDS 300 /* what a compilation left behind is given back after it */

/* ---- libraries ---- */

struct library {
    struct library *next;
    const struct lw_compiler *compiler;
    lw_error error; /* where there is none */
    char path[];
};

static const struct library *
open_library(const char *path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct library *first;
    pthread_mutex_lock(&lock);
    struct library *l = first;
    while (l && strcmp(l->path, path) != 0)
        l = l->next;
    if (!l && (l = calloc(1, sizeof *l + strlen(path) + 1))) {
        strcpy(l->path, path);
        l->compiler = lw_open_compiler(path, &l->error);
        l->next = first;
        first = l;
    }
    pthread_mutex_unlock(&lock);
    return l;
}

/* ---- requests ---- */

struct payload {
    char *data;
    size_t size;
    bool mapped;
};

static bool
receive_payload(int socket, int file, size_t size, struct payload *out)
{
    *out = (struct payload){.size = size, .mapped = file >= 0};
    if (out->mapped) {
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        out->data = data == MAP_FAILED ? NULL : data;
        return out->data;
    }
    out->data = malloc(size);
    return out->data && lw_wire_receive(socket, out->data, size, NULL);
}

static void
free_payload(struct payload *payload)
{
    if (payload->mapped && payload->data)
        munmap(payload->data, payload->size);
    else
        free(payload->data);
}

/* Its strings end where they say, and everything lies in the payload. */
static bool
read_request(const struct lw_wire_request *header, const struct payload *payload, const char **library,
             struct lw_compile_request *out)
{
    size_t names = (size_t)header->library_bytes + header->kernel_bytes, dumps = names + header->dump_bytes,
           strings = (dumps + header->skip_bytes + 7) & ~(size_t)7;
    const char *at = payload->data;
    if (!header->library_bytes || !header->kernel_bytes || at[header->library_bytes - 1] || at[names - 1] ||
        (header->dump_bytes && at[dumps - 1]) || (header->skip_bytes && at[dumps + header->skip_bytes - 1]))
        return false;
    *library = at;
    *out = (struct lw_compile_request){
        .kernel = at + header->library_bytes,
        .dump = header->dump_bytes ? at + names : NULL,
        .skip = header->skip_bytes ? at + dumps : NULL,
        .spec = (const void *)(at + strings),
        .spec_count = header->spec_count,
        .words = (const void *)(at + strings + header->spec_count * sizeof(struct lw_spec_value)),
        .word_count = header->word_count,
        .shape = header->shape,
        .explain = header->explain,
        .lines = header->lines,
        .variables = header->variables,
        .unlinked = header->unlinked,
    };
    return true;
}

static size_t
payload_bytes(const struct lw_wire_request *header)
{
    size_t strings =
        (size_t)header->library_bytes + header->kernel_bytes + header->dump_bytes + header->skip_bytes;
    if (header->word_count > LW_MOST_PAYLOAD / sizeof(uint32_t))
        return 0;
    return ((strings + 7) & ~(size_t)7) + header->spec_count * sizeof(struct lw_spec_value) +
           header->word_count * sizeof(uint32_t);
}

/* ---- replies ---- */

static bool
send_code(int socket, struct lw_wire_reply *reply, const struct lw_code *code)
{
    reply->result = LW_WIRE_CODE;
    reply->frame_fixed = code->frame_fixed;
    reply->frame_per_sub_group = code->frame_per_sub_group;
    reply->code_bytes = code->code_bytes;
    reply->turns = code->turns;
    reply->doubt = code->doubt;
    reply->report_bytes = code->report ? strlen(code->report) + 1 : 0;
    reply->object_bytes = code->object ? code->object_bytes : 0;
    memcpy(reply->symbol, code->symbol, sizeof reply->symbol);
    struct iovec parts[] = {
        {reply, sizeof *reply}, {code->report, reply->report_bytes}, {code->object, reply->object_bytes}};
    int file =
        reply->report_bytes + reply->object_bytes > LW_INLINE_PAYLOAD ? lw_wire_file(parts + 1, 2) : -1;
    reply->file = file >= 0;
    bool sent = lw_wire_send(socket, parts, reply->file ? 1 : 3, &file, reply->file);
    if (file >= 0)
        close(file);
    return sent;
}

static bool
compile(int socket, const struct lw_wire_request *header, const char *path,
        const struct lw_compile_request *request)
{
    struct lw_wire_reply reply = {.result = LW_WIRE_ERROR};
    struct lw_code *code = NULL;
    if (header->at_leisure)
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, (id_t)getpid()) + LEISURELY); /* this thread */
    lw_crash_begin(socket, header->seconds);
    const struct library *library = open_library(path);
    const struct lw_compiler *compiler = library ? library->compiler : NULL;
    uint64_t begin = lw_thread_nanoseconds();
    if (compiler)
        code = compiler->compile(request, &reply.error);
    else if (library)
        reply.error = library->error;
    reply.milliseconds = (double)(lw_thread_nanoseconds() - begin) * 1e-6;
    lw_crash_end();
    bool sent = code ? send_code(socket, &reply, code)
                     : lw_wire_send(socket, &(struct iovec){&reply, sizeof reply}, 1, NULL, 0);
    if (code)
        compiler->release(code);
    if (reply.milliseconds > LONG_MILLISECONDS)
        malloc_trim(0);
    return sent;
}

/* The caller's standard error takes what this request prints. (It is one for all that print at once.) */
static void
print_there(int file)
{
    dup2(file, STDERR_FILENO);
}

static bool
answer_one(int socket)
{
    struct lw_wire_request header;
    struct lw_compile_request request;
    const char *library;
    int fds[LW_WIRE_FDS];
    if (!lw_wire_receive(socket, &header, sizeof header, fds))
        return false;
    struct payload payload = {0};
    size_t size = payload_bytes(&header);
    int printed = header.stderr_ ? fds[header.file] : -1;
    bool good = size && (!header.file || fds[0] >= 0) &&
                receive_payload(socket, header.file ? fds[0] : -1, size, &payload) &&
                read_request(&header, &payload, &library, &request);
    if (printed >= 0)
        print_there(printed);
    good = good && compile(socket, &header, library, &request);
    free_payload(&payload);
    for (unsigned i = 0; i < LW_WIRE_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return good;
}

static void *
work(void *data)
{
    int socket = (int)(intptr_t)data;
    lw_crash_prepare_thread();
    while (answer_one(socket))
        ;
    close(socket);
    return NULL;
}

void
lw_session_start(int socket)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&thread, &attributes, work, (void *)(intptr_t)socket) != 0)
        close(socket); /* the host sees that */
    pthread_attr_destroy(&attributes);
}
