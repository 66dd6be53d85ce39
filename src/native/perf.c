/* SPDX-License-Identifier: MIT */
/* The two ways in which perf learns of code that is in no file: the map of
 * tools/perf/Documentation/jit-interface.txt, and the dump of jitdump-specification.txt, which `perf inject
 * --jit` makes objects of. A child of fork() has its own files.
 */
#include "perf.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "../host/clock.h"
#include "line_table.h"

#define MOST_NAME 240

struct dump_header {
    uint32_t magic, version, size, machine, pad, process;
    uint64_t time, flags;
};

/* Behind it for each row: address, line, a discriminator, and the file's path with its zero. */
struct lines_record {
    uint32_t id, size; /* id 2: JIT_CODE_DEBUG_INFO */
    uint64_t time, code_address, count;
};

struct load_record {
    uint32_t id, size; /* id 0: JIT_CODE_LOAD */
    uint64_t time;
    uint32_t process, thread;
    uint64_t address, code_address, code_bytes, index;
};

static struct {
    pthread_mutex_t lock;
    pid_t process; /* whose files these are */
    int map, dump;
    uint64_t count;
} perf = {.lock = PTHREAD_MUTEX_INITIALIZER, .map = -1, .dump = -1};

/* An executable page of the dump is mapped, which perf record sees: so it knows of the file. */
static int
open_dump(void)
{
    char path[64];
    struct dump_header header = {.magic = 0x4A695444,
                                 /* "JiTD" */ .version = 1,
                                 .size = sizeof header,
                                 .machine = EM_X86_64,
                                 .process = (uint32_t)getpid(),
                                 .time = lw_nanoseconds_now()};
    snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return -1;
    if (write(file, &header, sizeof header) == (ssize_t)sizeof header &&
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) != MAP_FAILED)
        return file;
    close(file);
    return -1;
}

/* Under the lock. In /tmp, where others may have put a link: O_NOFOLLOW, and no file but our own. */
static void
open_files(void)
{
    char path[64];
    if (perf.process == getpid())
        return;
    if (perf.map >= 0)
        close(perf.map);
    if (perf.dump >= 0)
        close(perf.dump);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    unlink(path); /* of an earlier process of this number */
    perf.map = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    perf.dump = open_dump();
    perf.process = getpid();
    perf.count = 0;
}

/* Before the code's own record, as the specification asks. The end of the code is a row of no line. */
static void
write_lines(const void *code, const struct lw_line_table *lines)
{
    char *text = NULL;
    size_t size, rows = 0;
    FILE *out = open_memstream(&text, &size);
    struct lines_record record = {.id = 2, .time = lw_nanoseconds_now(), .code_address = (uintptr_t)code};
    if (!out)
        return;
    fwrite(&record, sizeof record, 1, out);
    for (size_t i = 0; i < lines->row_count; i++) {
        const struct lw_line_row *row = &lines->rows[i];
        const uint64_t address = row->address;
        const uint32_t numbers[2] = {row->line, 0};
        if (!row->line)
            continue;
        const char *path = lines->files[row->file];
        fwrite(&address, sizeof address, 1, out);
        fwrite(numbers, sizeof numbers, 1, out);
        fwrite(path, strlen(path) + 1, 1, out);
        rows++;
    }
    if (fclose(out) == 0 && rows && size <= UINT32_MAX) {
        record.size = (uint32_t)size;
        record.count = rows;
        memcpy(text, &record, sizeof record);
        ssize_t written = write(perf.dump, text, size);
        (void)written;
    }
    free(text);
}

void
lw_perf_code(const char *kernel, const char *form, const void *code, size_t bytes,
             const struct lw_line_table *lines)
{
    char name[MOST_NAME], line[MOST_NAME + 48];
    snprintf(name, sizeof name, "%.*s [%s]", MOST_NAME - 40, kernel, form);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < 32)
            *c = '?';
    pthread_mutex_lock(&perf.lock);
    open_files();
    int length =
        snprintf(line, sizeof line, "%llx %zx %s\n", (unsigned long long)(uintptr_t)code, bytes, name);
    ssize_t written = perf.map >= 0 ? write(perf.map, line, (size_t)length) : 0;
    if (perf.dump >= 0 && lines)
        write_lines(code, lines);
    struct load_record record = {
        .size = (uint32_t)(sizeof record + strlen(name) + 1 + bytes), .time = lw_nanoseconds_now(),
        .process = (uint32_t)getpid(), .thread = (uint32_t)gettid(), .address = (uintptr_t)code,
        .code_address = (uintptr_t)code, .code_bytes = bytes, .index = perf.count++};
    struct iovec parts[] = {
        {&record, sizeof record}, {name, strlen(name) + 1}, {(void *)(uintptr_t)code, bytes}};
    if (perf.dump >= 0)
        written = writev(perf.dump, parts, 3);
    (void)written;
    pthread_mutex_unlock(&perf.lock);
}
