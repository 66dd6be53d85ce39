/* SPDX-License-Identifier: MIT */
/* NumPy's .npy: versions 1 to 3, numbers of 1 to 8 bytes, little- and big-endian, C order. */
#ifndef LANEWISE_TOOLS_NPY_H
#define LANEWISE_TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lw_npy {
    char letter; /* i, u or f; NumPy's bool is a byte */
    unsigned bytes; /* of an element */
    bool swapped; /* big-endian */
    size_t count;
    char shape[200]; /* "(2, 3)" */
    off_t data; /* where the elements begin */
};

/* Reads the header of an open file, which has all its elements; else says in `why` what is wrong with "it".
 */
bool lw_npy_read_header(int fd, struct lw_npy *out, char why[200]);
/* Writes a header of version 1.0; `shape` as above. */
bool lw_npy_write_header(int fd, char letter, unsigned bytes, const char *shape);
void lw_npy_swap(size_t count, unsigned bytes, void *elements);

#endif
