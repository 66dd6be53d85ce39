/* SPDX-License-Identifier: MIT */
/* Threads of the library's own, which take none of the program's signals but those that a fault of their own
 * raises, and profilers' ones.
 *
 * A process whose main thread has ended (pthread_exit) goes on until its last thread ends, and its signals
 * go to those that are left. Ours do not end, and take none: such a process would not end, nor be ended. So
 * where the main thread ends, or another that used us after it, a thread stands in for it. That has its
 * signal mask: what the program did not block in its main thread is taken as if that were still there. And it
 * ends the process, as the C library does with the last thread, once there are no others but ours, and none
 * of ours works: what is enqueued is done first, and a callback may start a thread.
 *
 * Not noticed: a main thread that has made no device and started no thread of ours, and ends as the last.
 */
#include "threads.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MICROSECONDS 20000

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static atomic_flag stands_in = ATOMIC_FLAG_INIT;
static atomic_uint ours, at_work; /* threads */

/* Has it ended, others of the process not? */
static bool
has_ended(const char *thread)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
    FILE *from = fopen(path, "re");
    if (!from)
        return false;
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    fclose(from);
    const char *state = strrchr(text, ')'); /* behind the name, which may be anything */
    return state && state[1] && state[2] == 'Z';
}

static bool
main_has_ended(void)
{
    char name[16];
    snprintf(name, sizeof name, "%d", (int)getpid());
    return getpid() == gettid() || has_ended(name);
}

/* Threads of the program. Where nobody can tell, there are. */
static bool
are_others(void)
{
    DIR *threads = opendir("/proc/self/task");
    unsigned count = 0, known = atomic_load(&ours) + 1; /* and this one */
    if (!threads)
        return true;
    for (struct dirent *t; (t = readdir(threads));)
        count += t->d_name[0] != '.' && !has_ended(t->d_name);
    closedir(threads);
    return count > known;
}

static void *
stand_in(void *unused)
{
    (void)unused;
    do
        usleep(LOOK_MICROSECONDS);
    while (atomic_load(&at_work) || are_others());
    exit(0);
}

static void
thread_ends(void *unused)
{
    pthread_t thread;
    (void)unused;
    if (!main_has_ended() || atomic_flag_test_and_set(&stands_in) ||
        pthread_create(&thread, NULL, stand_in, NULL))
        return;
    pthread_setname_np(thread, "lanewise main");
    pthread_detach(thread);
}

static void
forget_parents(void)
{
    atomic_store(&ours, 0);
    atomic_store(&at_work, 0);
    atomic_flag_clear(&stands_in);
}

static void
init(void)
{
    has_key = pthread_key_create(&key, thread_ends) == 0 && pthread_atfork(NULL, NULL, forget_parents) == 0;
}

void
lw_notice_end_of_thread(void)
{
    pthread_once(&once, init);
    if (has_key)
        pthread_setspecific(key, &key);
}

void
lw_work_begins(void)
{
    atomic_fetch_add(&at_work, 1);
}

void
lw_work_ends(void)
{
    atomic_fetch_sub(&at_work, 1);
}

struct start {
    void *(*work)(void *data);
    void *data;
};

static void *
run(void *start)
{
    struct start s = *(struct start *)start;
    free(start);
    atomic_fetch_add(&ours, 1);
    s.work(s.data);
    atomic_fetch_sub(&ours, 1);
    return NULL;
}

bool
lw_thread_start(pthread_t *thread, const char *name, void *(*work)(void *data), void *data)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    struct start *start = malloc(sizeof *start);
    sigset_t most, before;
    if (!start)
        return false;
    *start = (struct start){work, data};
    lw_notice_end_of_thread();
    sigfillset(&most);
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&most, faults[i]);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    bool started = pthread_create(thread, NULL, run, start) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_setname_np(*thread, name);
    else
        free(start);
    return started;
}
