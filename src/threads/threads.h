/* SPDX-License-Identifier: MIT */
/* Threads of the library's own, and the end of a process that has no others any more. */
#ifndef LW_SRC_THREADS_H
#define LW_SRC_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* The process's signals go to others, but for faults and profilers' ones. false: none is to be had. */
bool lw_thread_start(pthread_t *thread, const char *name, void *(*work)(void *data), void *data);

/* Such a thread works for the program, and may call it; no longer. */
void lw_work_begins(void);
void lw_work_ends(void);

/* The calling thread is one of the program's: its end is noticed. */
void lw_notice_end_of_thread(void);

#endif
