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

uint64_t
lw_print_lanes(struct lw_print *print, const char *types, uint64_t lanes, uint32_t width,
               const uint64_t *columns)
{
    uint64_t failed = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t *lane = columns + __builtin_ctzll(lanes);
        const char *format = (const char *)(uintptr_t)lane[0];
        if (!format || !lw_print_format(print, format, types, lane + width, width))
            failed |= lanes & (0 - lanes);
        if (print->used >= LW_PRINT_BYTES)
            lw_print_flush(print);
    }
    return failed;
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
