/* SPDX-License-Identifier: MIT */
/* The text that a thread's kernels have printed and that is not written yet, see print.h. */
#include "print.h"

#include <stdio.h>
#include <stdlib.h>

bool
lw_print_reserve(struct lw_print *print, size_t bytes)
{
    size_t room = print->room ? print->room : 1024;
    if (print->room - print->used >= bytes)
        return true;
    while (room - print->used < bytes) {
        if (room > SIZE_MAX / 2)
            return false;
        room *= 2;
    }
    char *text = realloc(print->text, room);
    if (!text)
        return false;
    print->text = text;
    print->room = room;
    return true;
}

void
lw_print_flush(struct lw_print *print)
{
    if (!print->used)
        return;
    flockfile(stdout); /* one write after the other, whoever else prints */
    fwrite(print->text, 1, print->used, stdout);
    fflush(stdout);
    funlockfile(stdout);
    print->used = 0;
}

void
lw_print_free(struct lw_print *print)
{
    free(print->text);
    *print = (struct lw_print){0};
}
