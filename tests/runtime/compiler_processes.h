/* SPDX-License-Identifier: MIT */
/* What the system knows of processes: the compilers among them, by their command line. */
#ifndef LW_TESTS_COMPILER_PROCESSES_H
#define LW_TESTS_COMPILER_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The lanewise-compile that works for that process; 0: none, -1: several. */
pid_t compiler_of(pid_t host);
/* Waits for the end of a process that is no child; fails the test after 10 s. */
void await_end(pid_t process);
/* Children of the caller that ended and were not waited for. */
int count_zombies(void);
/* /proc/PROCESS/FILE, its zeros as newlines. */
void read_process_file(pid_t process, const char *file, char *out, size_t size);
/* The least and the most nice of its threads. */
void find_nice(pid_t process, int *least, int *most);
/* Does it hold a file open in whose name that word is? */
bool has_open(pid_t process, const char *word);

#endif
