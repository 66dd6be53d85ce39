/* SPDX-License-Identifier: MIT */
/* Faults of kernels that end their work instead of the process; see faults.c. */
#ifndef LW_SRC_FAULTS_H
#define LW_SRC_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct lw_fault {
    int signal;        /* 0: none */
    uintptr_t address; /* of a SIGSEGV or SIGBUS: what was touched */
    uintptr_t place;   /* the instruction that did */
};

/* work(data), and true; false where a fault ended it, of which `fault` tells. Nests. What `work` had begun
 * stays as it was: it must hold nothing but memory that others free. */
bool lw_contained(void (*work)(void *data), void *data, struct lw_fault *fault);

/* Between the two this thread runs no kernel's code but code that must come to its end: a fault there is the
 * process's. */
void lw_faults_hold(void);
void lw_faults_release(void);

#endif
