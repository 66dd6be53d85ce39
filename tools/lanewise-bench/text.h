/* SPDX-License-Identifier: MIT */
/* Growing text, and memory that is there or ends the process with a message. */
#ifndef LANEWISE_BENCH_TEXT_H
#define LANEWISE_BENCH_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data; /* ends with a 0 once anything was added */
    size_t length, room;
};

__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
void text_add_list(struct text *text, const char *format, va_list list);
void text_add_bytes(struct text *text, const void *bytes, size_t count);
void text_free(struct text *text);
/* What was written, for the caller to free; never NULL. */
char *text_take(struct text *text);

void *memory_get(size_t bytes); /* zeroed */
void *memory_grow(void *memory, size_t bytes);
char *text_copy(const char *text);
bool text_ends_with(const char *text, const char *end);
__attribute__((format(printf, 1, 2))) char *text_make(const char *format, ...);
/* A whole file with a 0 behind it; NULL with errno set. */
char *file_read(const char *path, size_t *bytes);
bool file_write(const char *path, const void *data, size_t bytes);
bool file_exists(const char *path);
double clock_seconds(void);

#endif
