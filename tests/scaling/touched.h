/* SPDX-License-Identifier: MIT */
/* Which functions of a loaded library run: tools/order-compiler asks. */
#ifndef TOUCHED_H
#define TOUCHED_H

#include <stdbool.h>

/* The file has the functions' offsets in the library, hexadecimal, ascending. One library in a process. */
bool touched_begin(const char *library, const char *offsets);
/* From here on every function counts once more when it runs first. */
void touched_again(void);
/* Writes to standard output, for each function that ran: its offset, in how many rounds, and when it ran
 * first among all. */
void touched_print(void);

#endif
