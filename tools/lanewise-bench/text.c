/* SPDX-License-Identifier: MIT */
/* Growing text, memory, whole files, the clock. */
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void *
memory_get(size_t bytes)
{
    return memset(memory_grow(NULL, bytes), 0, bytes);
}

void *
memory_grow(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes ? bytes : 1);

    if (!grown) {
        fprintf(stderr, "error: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return grown;
}

static void
text_room(struct text *text, size_t more)
{
    if (text->length + more + 1 <= text->room)
        return;
    text->room = (text->length + more + 1) * 2;
    text->data = memory_grow(text->data, text->room);
}

void
text_add_bytes(struct text *text, const void *bytes, size_t count)
{
    text_room(text, count);
    if (count)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = 0;
}

void
text_add_list(struct text *text, const char *format, va_list list)
{
    va_list copy;
    int count;

    if (!format)
        return;
    va_copy(copy, list);
    count = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (count < 0)
        return;
    text_room(text, (size_t)count);
    vsnprintf(text->data + text->length, (size_t)count + 1, format, list);
    text->length += (size_t)count;
}

void
text_add(struct text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_add_list(text, format, list);
    va_end(list);
}

void
text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *
text_take(struct text *text)
{
    char *data = text->data;

    *text = (struct text){0};
    return data ? data : text_copy("");
}

bool
text_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && !strcmp(text + length - end_length, end);
}

char *
text_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;

    return memcpy(memory_get(bytes), text, bytes);
}

char *
text_make(const char *format, ...)
{
    struct text text = {0};
    va_list list;

    va_start(list, format);
    text_add_list(&text, format, list);
    va_end(list);
    return text_take(&text);
}

char *
file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    struct text text = {0};
    char part[1 << 16];
    size_t count;
    bool bad;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(file);
        errno = EISDIR;
        return NULL;
    }
    while ((count = fread(part, 1, sizeof part, file)) > 0)
        text_add_bytes(&text, part, count);
    bad = ferror(file);
    fclose(file);
    if (bad) {
        text_free(&text);
        errno = EIO;
        return NULL;
    }
    if (bytes)
        *bytes = text.length;
    return text_take(&text);
}

bool
file_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    bool good;

    if (!file)
        return false;
    good = fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && good;
}

bool
file_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

double
clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
