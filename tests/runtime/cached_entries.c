/* SPDX-License-Identifier: MIT */
/* See cached_entries.h. */
#include "cached_entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char base[64], folder[128];

void
make_folder(void)
{
    strcpy(base, "/tmp/lanewise-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    snprintf(folder, sizeof folder, "%s/cache", base);
}

void
remove_folder(void)
{
    char command[200];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", base, base);
    ck_assert_int_eq(system(command), 0);
}

struct lw_object_key
key_of(unsigned number)
{
    struct lw_object_key key;
    for (unsigned i = 0; i < sizeof key.bytes; i++)
        key.bytes[i] = (uint8_t)(number >> i % 4 * 8 ^ i * 37);
    return key;
}

char *
path_of(unsigned number)
{
    static char path[256];
    struct lw_object_key key = key_of(number);
    int at = snprintf(path, sizeof path, "%s/", folder);
    for (unsigned i = 0; i < sizeof key.bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", key.bytes[i]);
    return path;
}

void
fill(uint8_t *out, size_t size, unsigned number)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(number * 31 + i * 7 + (i >> 8));
}

void
store(unsigned number, size_t size, uint64_t limit)
{
    struct lw_object_key key = key_of(number);
    struct lw_cached_object entry = {.frame_fixed = number,
                                     .frame_per_sub_group = number + 1,
                                     .code_bytes = number + 2,
                                     .milliseconds = number + 0.5,
                                     .object = malloc(size),
                                     .object_bytes = size};
    snprintf(entry.symbol, sizeof entry.symbol, "symbol.%u", number);
    fill(entry.object, size, number);
    lw_object_cache_store(folder, &key, &entry, limit);
    free(entry.object);
}

long
find(unsigned number)
{
    struct lw_object_key key = key_of(number);
    struct lw_cached_object entry;
    char symbol[32];
    if (!lw_object_cache_find(folder, &key, &entry))
        return -1;
    uint8_t *expected = malloc(entry.object_bytes);
    fill(expected, entry.object_bytes, number);
    snprintf(symbol, sizeof symbol, "symbol.%u", number);
    if (memcmp(expected, entry.object, entry.object_bytes) != 0 || strcmp(symbol, entry.symbol) != 0 ||
        entry.frame_fixed != number || entry.frame_per_sub_group != number + 1 ||
        entry.code_bytes != number + 2 || entry.milliseconds != number + 0.5)
        ck_abort_msg("entry %u is not what was stored", number);
    free(expected);
    free(entry.object);
    return (long)entry.object_bytes;
}

unsigned
count_files(const char *prefix, uint64_t *bytes)
{
    struct stat status;
    unsigned count = 0;
    DIR *stream = opendir(folder);
    *bytes = 0;
    if (!stream)
        return 0;
    for (struct dirent *e = readdir(stream); e; e = readdir(stream)) {
        if (strncmp(e->d_name, prefix, strlen(prefix)) != 0)
            continue;
        if (fstatat(dirfd(stream), e->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) {
            *bytes += (uint64_t)status.st_size;
            count++;
        }
    }
    closedir(stream);
    return count;
}

void
set_age(const char *path, long seconds)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

void
wait_for(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with %x", status);
}

void
poke(const char *path, off_t offset, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, data, size, offset), (ssize_t)size);
    close(fd);
}

size_t
slurp(const char *path, uint8_t *out, size_t room)
{
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ssize_t size = read(fd, out, room);
    ck_assert_int_gt(size, 0);
    close(fd);
    return (size_t)size;
}
