/* SPDX-License-Identifier: MIT */
/* What clang said, as a program's log has it: headers have the names that the program gave them, a compiler
 * that died says of what and leaves its stack out. Of #pragma OPENCL EXTENSION, which clang knows for few of
 * the device's extensions: who enables what the device has is told nothing, who enables what it has not is
 * told as before.
 */
#include "messages.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../objects.h"

static const char dying[] = "PLEASE submit a bug report";
static const char included[] = "In file included from ";

static size_t
line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length + (line[length] != '\0');
}

/* Names of headers as the program gave them. */
static void
strip_folder(char *messages, const char *folder)
{
    size_t length = strlen(folder);
    char *out = messages;
    for (const char *at = messages; *at; *out++ = *at++)
        if (*at == '/' && strncmp(at, folder, length) == 0 && at[length] == '/')
            at += length + 1;
    *out = '\0';
}

/* ---- Of a compiler that died ---- */

bool
lw_cl_has_died(const char *messages)
{
    return strstr(messages, dying);
}

/* Where in itself it died, and how it was called. Of what, and at which line or function of the program,
 * stays. */
static bool
is_dump(const char *line)
{
    const char *frame = line + strspn(line, " ");
    return strncmp(line, dying, sizeof dying - 1) == 0 || strncmp(line, "Stack dump", 10) == 0 ||
           strncmp(line, "0.\t", 3) == 0 || (*frame == '#' && frame[1] >= '0' && frame[1] <= '9');
}

static void
leave_dumps_out(char *messages)
{
    char *out = messages;
    size_t length;

    if (!lw_cl_has_died(messages))
        return;
    for (const char *line = messages; *line; line += length) {
        length = line_length(line);
        if (is_dump(line))
            continue;
        memmove(out, line, length);
        out += length;
    }
    *out = '\0';
}

/* ---- Of pragmas ---- */

static bool
is_listed(const struct _cl_device_id *device, const char *name, size_t length)
{
    const char *listed;
    for (size_t i = 0; (listed = lw_cl_extension(device, i)); i++)
        if (strlen(listed) == length && memcmp(listed, name, length) == 0)
            return true;
    return false;
}

/* "FILE:LINE:COLUMN: warning: OpenCL extension 'NAME' unknown or does not require pragma - ignoring [-W...]",
 * or that it is unsupported, as clang takes those of OpenCL C 2.0 in older programs to be. */
static bool
is_of_listed(const struct _cl_device_id *device, const char *line, size_t length)
{
    static const char *const begins[] = {": warning: OpenCL extension '",
                                         ": warning: unsupported OpenCL extension '"};
    const char *end = line + length;

    for (size_t k = 0; k < sizeof begins / sizeof begins[0]; k++) {
        const char *found = memmem(line, length, begins[k], strlen(begins[k]));
        if (!found)
            continue;
        const char *name = found + strlen(begins[k]), *quote = memchr(name, '\'', (size_t)(end - name));
        return quote && is_listed(device, name, (size_t)(quote - name));
    }
    return false;
}

/* "3 warnings generated.", "3 warnings and 1 error generated.": less by `fewer`, written to `out`, which may
 * be `line`; how long it is. */
static size_t
write_count(char *out, const char *line, size_t length, unsigned long fewer)
{
    static const char word[] = " warning";
    char *behind;
    unsigned long count = strtoul(line, &behind, 10);

    if (behind == line || !fewer || count < fewer || strncmp(behind, word, sizeof word - 1) != 0) {
        memmove(out, line, length);
        return length;
    }
    behind += sizeof word - 1;
    behind += *behind == 's';
    size_t rest = length - (size_t)(behind - line);
    if (count == fewer) { /* "and 1 error generated." stays */
        static const char joined[] = " and ";
        if (strncmp(behind, joined, sizeof joined - 1) != 0)
            return 0;
        memmove(out, behind + sizeof joined - 1, rest - (sizeof joined - 1));
        return rest - (sizeof joined - 1);
    }
    char number[40];
    int digits =
        snprintf(number, sizeof number, "%lu%s%s", count - fewer, word, count - fewer == 1 ? "" : "s");
    memmove(out + digits, behind, rest); /* no longer than it was */
    memcpy(out, number, (size_t)digits);
    return (size_t)digits + rest;
}

static void
leave_pragmas_out(char *messages, const struct _cl_device_id *device)
{
    char *out = messages, *begin = NULL; /* of the lines that say what includes the next one's file */
    unsigned long fewer = 0;
    size_t length;

    for (const char *line = messages; *line; line += length) {
        length = line_length(line);
        if (strncmp(line, included, sizeof included - 1) == 0) {
            begin = begin ? begin : out;
        } else if (is_of_listed(device, line, length)) {
            out = begin ? begin : out;
            begin = NULL;
            fewer++;
            while (line[length] == ' ') /* the line of the source, and a mark */
                length += line_length(line + length);
            continue;
        } else {
            begin = NULL;
        }
        bool counts = isdigit((unsigned char)*line); /* at its end: lines of the source begin with spaces */
        out += write_count(out, line, length, counts ? fewer : 0);
        fewer = counts ? 0 : fewer;
    }
    *out = '\0';
}

void
lw_cl_tidy_messages(char *messages, const char *folder, const struct _cl_device_id *device)
{
    strip_folder(messages, folder);
    leave_dumps_out(messages);
    leave_pragmas_out(messages, device);
}
