/* SPDX-License-Identifier: MIT */
/* lanewise-compile: what its files share. */
#ifndef LW_JIT_PROCESS_H
#define LW_JIT_PROCESS_H

#include "../../src/compiler/compile_protocol.h"

/* ---- session.c ---- */

/* A thread that answers what comes over `socket`, until that ends. */
void lw_session_start(int socket);

/* ---- crash.c ---- */

/* The process's handlers: whatever ends it is told to whom it was working for. */
void lw_crash_prepare(void);
/* A stack for this thread's handlers and its timers. */
void lw_crash_prepare_thread(void);
/* From here to lw_crash_end this thread works for `socket`, and may take so many seconds of processor time.
 */
void lw_crash_begin(int socket, unsigned seconds);
void lw_crash_end(void);

#endif
