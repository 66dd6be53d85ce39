/* SPDX-License-Identifier: MIT */
/* NumPy's .npy: the header in, the header out. */
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_HEADER 65536

/* The value after 'KEY': in the header's Python dictionary, or NULL. */
static const char *
find_key(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *at = strstr(header, quoted);
    if (!at) {
        snprintf(quoted, sizeof quoted, "\"%s\"", key);
        at = strstr(header, quoted);
    }
    if (!at)
        return NULL;
    at += strlen(quoted);
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    at++;
    return at + strspn(at, " ");
}

static bool
parse_type(const char *at, struct lw_npy *out, char why[200])
{
    bool quoted =
        (at[0] == '\'' || at[0] == '"') && at[1] && strchr("<>|=", at[1]) && at[2] && at[3] && at[4] == at[0];
    char letter = quoted && at[2] == 'b' ? 'u' : at[2];
    unsigned bytes = quoted ? (unsigned)(at[3] - '0') : 0;

    out->letter = letter;
    out->bytes = bytes;
    out->swapped = at[1] == '>';
    if (quoted && letter == 'f'
            ? bytes == 2 || bytes == 4 || bytes == 8
            : (letter == 'i' || letter == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8))
        return true;
    size_t length = strcspn(at, ",}");
    snprintf(why, 200, "its element type %.*s is none of i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8",
             length < 20 ? (int)length : 20, at);
    return false;
}

/* The decimal number at `*at`, stepped over; false where it is too large. */
static bool
parse_count(const char **at, size_t *count)
{
    for (*count = 0; **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(*count, 10, count) ||
            __builtin_add_overflow(*count, (size_t)(**at - '0'), count))
            return false;
    return true;
}

static bool
parse_shape(const char *at, struct lw_npy *out, char why[200])
{
    size_t length = strcspn(at, ")");

    out->count = 1;
    if (*at != '(' || at[length] != ')' || length + 2 > sizeof out->shape) {
        snprintf(why, 200, "its shape cannot be read");
        return false;
    }
    memcpy(out->shape, at, length + 1);
    out->shape[length + 1] = 0;
    for (const char *p = at + 1; p < at + length;) {
        p += strspn(p, " ,");
        size_t n;
        if (*p < '0' || *p > '9')
            break;
        if (!parse_count(&p, &n) || __builtin_mul_overflow(out->count, n, &out->count)) {
            snprintf(why, 200, "its shape %.60s is too large", out->shape);
            return false;
        }
    }
    return true;
}

bool
lw_npy_read_header(int fd, struct lw_npy *out, char why[200])
{
    unsigned char start[12];
    char *header = NULL;
    bool good = false;
    struct stat status;

    memset(out, 0, sizeof *out);
    if (pread(fd, start, 12, 0) != 12 || memcmp(start, "\x93NUMPY", 6)) {
        snprintf(why, 200, "it is no .npy file");
        return false;
    }
    bool wide = start[6] >= 2;
    size_t length = wide ? start[8] | start[9] << 8 | start[10] << 16 | (size_t)start[11] << 24
                         : (size_t)(start[8] | start[9] << 8);
    out->data = (off_t)((wide ? 12 : 10) + length);
    if (start[6] < 1 || start[6] > 3 || length > MAX_HEADER) {
        snprintf(why, 200, ".npy version %u.%u or its header of %zu bytes is not known", start[6], start[7],
                 length);
        return false;
    }
    header = calloc(1, length + 1);
    if (!header || pread(fd, header, length, wide ? 12 : 10) != (ssize_t)length) {
        snprintf(why, 200, "its header is cut short");
        goto out;
    }
    const char *type = find_key(header, "descr"), *shape = find_key(header, "shape");
    const char *order = find_key(header, "fortran_order");
    if (!type || !shape || !order) {
        snprintf(why, 200, "its header has no descr, shape or fortran_order");
        goto out;
    }
    if (!parse_type(type, out, why) || !parse_shape(shape, out, why))
        goto out;
    const char *comma = strchr(out->shape, ',');
    bool flat = !comma || !strpbrk(comma, "0123456789");
    if (strncmp(order, "False", 5) && !flat) {
        snprintf(why, 200, "it is in Fortran order; save it with numpy.ascontiguousarray");
        goto out;
    }
    size_t bytes;
    if (__builtin_mul_overflow(out->count, out->bytes, &bytes) || fstat(fd, &status) ||
        (S_ISREG(status.st_mode) && (uint64_t)(status.st_size - out->data) < bytes)) {
        snprintf(why, 200, "it ends before its %zu elements", out->count);
        goto out;
    }
    good = true;
out:
    free(header);
    return good;
}

bool
lw_npy_write_header(int fd, char letter, unsigned bytes, const char *shape)
{
    char header[512];
    int length = snprintf(header + 10, sizeof header - 10,
                          "{'descr': '%c%c%u', 'fortran_order': False, 'shape': %s, }",
                          bytes == 1 ? '|' : '<', letter, bytes, shape);
    /* the elements begin at a multiple of 64, a newline before them */
    size_t total = ((size_t)length + 11 + 63) / 64 * 64;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - 10) & 255);
    header[9] = (char)((total - 10) >> 8);
    memset(header + 10 + length, ' ', total - 11 - (size_t)length);
    header[total - 1] = '\n';
    return write(fd, header, total) == (ssize_t)total;
}

void
lw_npy_swap(size_t count, unsigned bytes, void *elements)
{
    unsigned char *at = elements;

    for (size_t i = 0; i < count; i++, at += bytes)
        for (unsigned b = 0; b < bytes / 2; b++) {
            unsigned char t = at[b];
            at[b] = at[bytes - 1 - b];
            at[bytes - 1 - b] = t;
        }
}
