/* SPDX-License-Identifier: MIT */
/* Between the parent and the child's signal handler. */
#ifndef LW_CLI_WATCH_H
#define LW_CLI_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The parent asks where the child is: it answers in the shared page and ends. */
#define CLI_ASK_SIGNAL SIGUSR2

#endif
