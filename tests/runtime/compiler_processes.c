/* SPDX-License-Identifier: MIT */
/* What the system knows of processes. */
#include "compiler_processes.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void
read_process_file(pid_t process, const char *file, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
    FILE *in = fopen(path, "r");
    size_t got = in ? fread(out, 1, size - 1, in) : 0;
    if (in)
        fclose(in);
    for (size_t i = 0; i + 1 < got; i++)
        if (!out[i])
            out[i] = '\n';
    out[got] = '\0';
}

/* State and parent of a process, or false. */
static bool
read_state(pid_t process, char *state, int *parent)
{
    char text[512];
    read_process_file(process, "stat", text, sizeof text);
    const char *end = strrchr(text, ')');
    return end && sscanf(end + 1, " %c %d", state, parent) == 2;
}

/* Calls `look` for each process; the sum of what it answers. */
static int
each_process(int (*look)(pid_t process, pid_t of, pid_t *found), pid_t of, pid_t *found)
{
    int count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *e; (e = readdir(folder));) {
        pid_t process = (pid_t)strtol(e->d_name, NULL, 10);
        if (process > 0)
            count += look(process, of, found);
    }
    closedir(folder);
    return count;
}

static int
is_compiler(pid_t process, pid_t host, pid_t *found)
{
    char text[256], wanted[64], state;
    int parent;
    read_process_file(process, "cmdline", text, sizeof text);
    const char *last = strrchr(text, '\n');
    snprintf(wanted, sizeof wanted, "\n%d", (int)host);
    if (strncmp(text, "lanewise-compile\n", 17) != 0 || !last || strcmp(last, wanted) != 0 ||
        !read_state(process, &state, &parent) || state == 'Z')
        return 0;
    *found = process;
    return 1;
}

pid_t
compiler_of(pid_t host)
{
    pid_t found = 0;
    return each_process(is_compiler, host, &found) > 1 ? -1 : found;
}

static int
is_zombie(pid_t process, pid_t of, pid_t *found)
{
    char state;
    int parent;
    (void)found;
    return read_state(process, &state, &parent) && state == 'Z' && parent == of;
}

int
count_zombies(void)
{
    return each_process(is_zombie, getpid(), NULL);
}

void
await_end(pid_t process)
{
    char state;
    int parent;
    for (unsigned i = 0; i < 1000; i++) {
        if (!read_state(process, &state, &parent) || state == 'Z')
            return;
        usleep(10000);
    }
    ck_abort_msg("process %d goes on", (int)process);
}

bool
has_open(pid_t process, const char *word)
{
    char path[400], target[512];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)process, e->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        found |= strstr(target, word) != NULL;
    }
    closedir(folder);
    return found;
}

void
find_nice(pid_t process, int *least, int *most)
{
    char path[64];
    struct dirent *entry;
    *least = 20, *most = -21;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread <= 0)
            continue;
        errno = 0;
        int nice = getpriority(PRIO_PROCESS, (id_t)thread);
        if (errno)
            continue; /* it has ended */
        *least = nice < *least ? nice : *least;
        *most = nice > *most ? nice : *most;
    }
    if (folder)
        closedir(folder);
}
