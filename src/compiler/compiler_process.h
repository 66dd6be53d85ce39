/* SPDX-License-Identifier: MIT */
/* Compilations in a process of their own, which may die of them: the runtime's side. */
#ifndef LW_SRC_COMPILER_PROCESS_H
#define LW_SRC_COMPILER_PROCESS_H

#include "../compiler.h"
#include "haste.h"

struct lw_remote_code {
    struct lw_code *code; /* unlinked; NULL: `error` says why */
    double milliseconds;  /* of processor time that compiling took */
    bool crashed;         /* it ended the process, twice where others were under way, or ran out of time */
};

/* `program` compiles by `library` (both absolute); specialised code may take so many seconds of processor
 * time, other code five times as many. False: there is no such process to be had, and nothing was tried. */
bool lw_compile_apart(const char *program, const char *library, unsigned seconds, enum lw_haste haste,
                      const struct lw_compile_request *request, struct lw_remote_code *out, lw_error *error);
/* Of code from there: what its `compiler` is. */
extern const struct lw_compiler lw_compiler_apart;

/* ---- compiler_start.c ---- */

/* Starts one, which nobody has to wait for. Its control socket; -1: there is none to be had. */
int lw_compiler_start(const char *program);

#endif
