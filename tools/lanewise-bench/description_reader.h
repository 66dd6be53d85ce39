/* SPDX-License-Identifier: MIT */
/* The reader of a description's lines, for description.c and description_arguments.c alone. */
#ifndef LANEWISE_BENCH_DESCRIPTION_READER_H
#define LANEWISE_BENCH_DESCRIPTION_READER_H

#include "description.h"

struct reader {
    struct description *to;
    unsigned line;
    char *at;                 /* in the line */
    struct launch_line whole; /* kernel, global and local without `launch` */
    char *error;
    size_t error_bytes;
};

/* Leaves "file:line: what" as the error. Always false. */
__attribute__((format(printf, 2, 3))) bool reader_refuse(struct reader *reader, const char *format, ...);
/* The next word; parentheses and brackets hold words together. NULL at the end of the line. */
char *reader_word(struct reader *reader);
/* The rest of a line that describes an argument of that kind. */
bool reader_argument(struct reader *reader, enum argument_kind kind);

#endif
