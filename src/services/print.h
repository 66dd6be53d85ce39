/* SPDX-License-Identifier: MIT */
/* What kernels print: formatted at the call, collected per thread, written to the process's stdout.
 *
 * Generated code calls lw_launch.print (compiler.h), which ends here. A thread's text goes out after every
 * run of work-groups, and before where LW_PRINT_BYTES have been collected: so one printf is never mixed with
 * another, and a work-group's text is in one piece up to that size. Nothing is lost beyond it.
 */
#ifndef LW_SRC_PRINT_H
#define LW_SRC_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LW_PRINT_BYTES ((size_t)1 << 20)

struct lw_print {
    char *text;
    size_t used, room;
};

/* Writes the text out and forgets it; keeps the room. */
void lw_print_flush(struct lw_print *print);
void lw_print_free(struct lw_print *print);

/* `bytes` of room behind what is used; false: no memory. */
bool lw_print_reserve(struct lw_print *print, size_t bytes);

/* ---- format.c ---- */

/* See lw_print_function in compiler.h. */
uint64_t lw_print_lanes(struct lw_print *print, const char *types, uint64_t lanes, uint32_t width,
                        const uint64_t *columns);

#endif
