/* SPDX-License-Identifier: MIT */
/* Copies of much memory, by several threads. */
#ifndef LW_SRC_BULK_H
#define LW_SRC_BULK_H

#include "../objects.h"

/* A box of bytes: how many a row has, rows, and slices; and how far each row and slice begins behind the one
 * before, in bytes. from_row and from_slice 0: the same row again and again. */
struct lw_bulk {
    char *to;
    const char *from;
    size_t region[3];
    size_t to_row, to_slice, from_row, from_slice;
};

/* By at most so many of the device's threads, the caller's among them; where rows may overlap what they are
 * copied from, by the caller alone, one after the other. Any thread may call. */
void lw_bulk_copy(lw_device *device, unsigned threads, const struct lw_bulk *bulk);
/* `size` bytes, a pattern of `pattern_size` (a power of two up to 128) again and again; the last may be cut
 * short. */
void lw_bulk_fill(lw_device *device, unsigned threads, char *to, const void *pattern, size_t pattern_size,
                  size_t size);

#endif
