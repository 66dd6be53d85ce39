/* SPDX-License-Identifier: MIT */
/* Writes the lines of LANEWISE_TRACE: an array of JSON whose end may be missing, as the format allows. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINE 1024
#define MOST_NAME 200

/* The first line, where there is none: of processes that begin at once, one writes it. */
static bool
begin(int file)
{
    struct stat about;
    bool locked = flock(file, LOCK_EX) == 0;
    bool good = fstat(file, &about) || about.st_size || write(file, "[\n", 2) == 2;
    if (locked)
        flock(file, LOCK_UN);
    return good;
}

/* Names of kernels are the module's, which may have anything but NUL in them. */
static size_t
quote(char *out, const char *name)
{
    size_t at = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c && at < MOST_NAME; c++)
        if (*c == '"' || *c == '\\' || *c < 32 || *c > 126)
            at += (size_t)sprintf(out + at, "\\u%04x", *c);
        else
            out[at++] = (char)*c;
    out[at] = 0;
    return at;
}

/* What viewers call the process: its program. */
static void
tell_process(int trace)
{
    char line[MOST_LINE], name[MOST_NAME + 8];
    quote(name, program_invocation_short_name);
    int length = snprintf(line, sizeof line,
                          "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"%s\"}},\n",
                          (int)getpid(), name);
    if (write(trace, line, (size_t)length) < 0)
        return;
}

int
lw_trace_open(const char *path)
{
    if (!path)
        return -1;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        fprintf(stderr, "lanewise: warning: LANEWISE_TRACE=%s cannot be written: %s\n", path,
                strerror(errno));
    else if (begin(file))
        tell_process(file);
    else
        fprintf(stderr, "lanewise: warning: LANEWISE_TRACE=%s: %s\n", path, strerror(errno));
    return file;
}

void
lw_trace_close(int trace)
{
    if (trace >= 0)
        close(trace);
}

void
lw_trace_span(int trace, const char *category, const char *name, uint64_t begin, const char *details, ...)
{
    char line[MOST_LINE], quoted[MOST_NAME + 8];
    if (trace < 0)
        return;
    uint64_t time = lw_nanoseconds_now() - begin;
    quote(quoted, name);
    int length =
        snprintf(line, sizeof line - 8,
                 "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%llu.%03u,"
                 "\"dur\":%llu.%03u",
                 category, quoted, (int)getpid(), (int)gettid(), (unsigned long long)(begin / 1000),
                 (unsigned)(begin % 1000), (unsigned long long)(time / 1000), (unsigned)(time % 1000));
    if (details) {
        va_list arguments;
        length += sprintf(line + length, ",\"args\":{");
        va_start(arguments, details);
        int more = vsnprintf(line + length, sizeof line - 4 - (size_t)length, details, arguments);
        va_end(arguments);
        if (more < 0 || (size_t)more >= sizeof line - 4 - (size_t)length)
            return;
        length += more;
        line[length++] = '}';
    }
    memcpy(line + length, "},\n", 3);
    if (write(trace, line, (size_t)length + 3) < 0)
        return; /* a full disk is no reason to fail a kernel */
}
