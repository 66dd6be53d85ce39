/* SPDX-License-Identifier: MIT */
/* The disk cache of compiled objects: one file per entry, named by its key.
 *
 * An entry appears whole or not at all (a temporary file, renamed), and is believed only where its checksum,
 * its key and its size agree: power cuts, full disks and flipped bits cost a compilation. That is also why
 * nothing waits for the disk (fsync takes milliseconds, as long as compiling). The folder and its files must
 * belong to this user, be writable by nobody else, and be no symbolic links.
 *
 * The bound: the file `usage` is as many bytes long as the entries have blocks. Appending to it is atomic and
 * takes no lock; past the limit its reader sums up the folder and removes what was used longest ago. A use is
 * noted in the file's modification time, once a minute at most.
 */
#include "object_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define VERSION 3u
#define MOST_OBJECT_BYTES ((uint64_t)256 << 20)
#define BLOCK 4096u
#define NOTE_USE_SECONDS 60
#define STALE_SECONDS 3600 /* a temporary file whose writer must be dead */
#define USAGE_FILE "usage"
#define CLAIMS_FILE "claims"
#define LONGEST_CLAIM_MILLISECONDS 60000 /* of a process that was stopped, say */
#define TEMPORARY_PREFIX ".tmp-"
#define NAME_BYTES 72

struct header {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t checksum; /* of all that follows */
    uint8_t key[32];
    uint64_t frame_fixed, frame_per_sub_group, code_bytes, object_bytes;
    uint32_t turns, doubt;
    double milliseconds;
    char symbol[LW_OBJECT_SYMBOL_BYTES];
};
_Static_assert(sizeof(struct header) == 136, "the file format has no padding");
#define SUMMED_FROM offsetof(struct header, key)

static const char magic[8] = {'l', 'a', 'n', 'e', 'o', 'b', 'j', '\n'};

/* ---- integrity ---- */

/* Every step maps the state one to one, so that no change within one word goes unnoticed. */
static uint64_t
fold(uint64_t state, uint64_t word)
{
    state ^= word;
    return (state << 29 | state >> 35) * 0x9e3779b97f4a7c15u;
}

static uint64_t
sum(uint64_t seed, const void *data, size_t size)
{
    const uint8_t *at = data;
    uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3}, word;
    size_t words = size / 8;
    for (size_t i = 0; i < words; i++) {
        memcpy(&word, at + 8 * i, 8);
        lanes[i % 4] = fold(lanes[i % 4], word);
    }
    word = 0;
    memcpy(&word, at + 8 * words, size % 8);
    uint64_t all = fold(size, word);
    for (unsigned k = 0; k < 4; k++)
        all = fold(all, lanes[k]);
    return all ^ all >> 32;
}

static uint64_t
sum_entry(const struct header *header, const void *object)
{
    uint64_t first = sum(VERSION, (const char *)header + SUMMED_FROM, sizeof *header - SUMMED_FROM);
    return sum(first, object, header->object_bytes);
}

/* ---- the folder ---- */

static char *
join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", a, b);
    return path;
}

char *
lw_object_cache_folder(const char *asked)
{
    if (asked && asked[0] == '/')
        return strdup(asked);
    if (asked) {
        char here[PATH_MAX]; /* the process may leave it later */
        return getcwd(here, sizeof here) ? join(here, asked) : NULL;
    }
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (cache && cache[0] == '/')
        return join(cache, "lanewise");
    /* A home that is not there is not made: Debian's /nonexistent says that there is none. */
    return home && home[0] == '/' && access(home, F_OK) == 0 ? join(home, ".cache/lanewise") : NULL;
}

/* Ours, and writable by nobody else? */
static bool
is_private(const struct stat *s)
{
    return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

static int
open_folder(const char *folder)
{
    struct stat status;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && is_private(&status))
        return fd;
    close(fd);
    return -1;
}

/* With the folders above it. */
static int
make_folder(const char *folder)
{
    int fd = open_folder(folder);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    char *path = strdup(folder);
    if (!path)
        return -1;
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0700);
            *at = '/';
        }
    mkdir(path, 0700);
    free(path);
    return open_folder(folder);
}

static void
name_entry(const struct lw_object_key *key, char name[NAME_BYTES])
{
    for (unsigned i = 0; i < sizeof key->bytes; i++)
        snprintf(name + 2 * i, 3, "%02x", key->bytes[i]);
}

static bool
is_entry_name(const char *name)
{
    return strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64;
}

/* ---- finding ---- */

static bool
read_fully(int fd, void *data, size_t size, off_t offset)
{
    for (char *at = data; size;) {
        ssize_t got = pread(fd, at, size, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        offset += got;
        size -= (size_t)got;
    }
    return true;
}

static bool
read_entry(int fd, const struct stat *status, const struct lw_object_key *key, struct lw_cached_object *out)
{
    struct header h;
    if (!S_ISREG(status->st_mode) || !is_private(status) || !read_fully(fd, &h, sizeof h, 0) ||
        memcmp(h.magic, magic, sizeof magic) != 0 || h.version != VERSION || h.header_bytes != sizeof h ||
        memcmp(h.key, key->bytes, sizeof h.key) != 0 || h.symbol[sizeof h.symbol - 1] != '\0' ||
        h.object_bytes == 0 || h.object_bytes > MOST_OBJECT_BYTES ||
        (uint64_t)status->st_size != sizeof h + h.object_bytes)
        return false;
    void *object = malloc(h.object_bytes);
    if (!object)
        return false;
    if (!read_fully(fd, object, h.object_bytes, sizeof h) || sum_entry(&h, object) != h.checksum) {
        free(object);
        return false;
    }
    *out = (struct lw_cached_object){.frame_fixed = h.frame_fixed,
                                     .frame_per_sub_group = h.frame_per_sub_group,
                                     .code_bytes = h.code_bytes,
                                     .turns = h.turns,
                                     .doubt = h.doubt,
                                     .milliseconds = h.milliseconds,
                                     .object = object,
                                     .object_bytes = h.object_bytes};
    memcpy(out->symbol, h.symbol, sizeof h.symbol);
    return true;
}

bool
lw_object_cache_find(const char *folder, const struct lw_object_key *key, struct lw_cached_object *out)
{
    char name[NAME_BYTES];
    struct stat status;
    int directory = open_folder(folder);
    if (directory < 0)
        return false;
    name_entry(key, name);
    bool found = false;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        found = fstat(fd, &status) == 0 && read_entry(fd, &status, key, out);
        if (found && time(NULL) - status.st_mtim.tv_sec > NOTE_USE_SECONDS)
            futimens(fd, NULL);
        close(fd);
    }
    if (!found && (fd >= 0 || errno == ELOOP))
        unlinkat(directory, name, 0);
    close(directory);
    return found;
}

void
lw_object_cache_drop(const char *folder, const struct lw_object_key *key)
{
    char name[NAME_BYTES];
    int directory = open_folder(folder);
    if (directory < 0)
        return;
    name_entry(key, name);
    unlinkat(directory, name, 0);
    close(directory);
}

/* ---- room ---- */

struct file {
    char name[NAME_BYTES];
    struct timespec used;
    uint64_t blocks;
};

struct listing {
    struct file *files;
    size_t count, room;
    uint64_t blocks;
};

static uint64_t
blocks_of(uint64_t bytes)
{
    return (bytes + BLOCK - 1) / BLOCK;
}

static void
list_file(struct listing *list, int directory, const char *name)
{
    struct stat status;
    bool temporary = strncmp(name, TEMPORARY_PREFIX, sizeof TEMPORARY_PREFIX - 1) == 0;
    if ((!temporary && !is_entry_name(name)) || strlen(name) >= NAME_BYTES ||
        fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        return;
    if (temporary && time(NULL) - status.st_mtim.tv_sec > STALE_SECONDS) {
        unlinkat(directory, name, 0);
        return;
    }
    list->blocks += blocks_of((uint64_t)status.st_size);
    if (temporary)
        return; /* somebody is writing it */
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 256;
        struct file *grown = realloc(list->files, room * sizeof *grown);
        if (!grown)
            return;
        list->files = grown;
        list->room = room;
    }
    struct file *file = &list->files[list->count++];
    *file = (struct file){.used = status.st_mtim, .blocks = blocks_of((uint64_t)status.st_size)};
    memcpy(file->name, name, strlen(name));
}

static int
by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct file *)a)->used, *y = &((const struct file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* A fresh temporary file; -1: none. */
static int
make_temporary(int directory, char name[NAME_BYTES])
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(name, NAME_BYTES, TEMPORARY_PREFIX "%016llx%016llx", (unsigned long long)random[0],
             (unsigned long long)random[1]);
    return openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Sums the folder up; past the limit the least recently used entries go, an eighth more than need be. */
static void
make_room(int directory, uint64_t wanted, uint64_t limit)
{
    struct listing list = {0};
    char name[NAME_BYTES];
    int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again >= 0 ? fdopendir(again) : NULL;
    if (!stream) {
        if (again >= 0)
            close(again);
        return;
    }
    for (struct dirent *e = readdir(stream); e; e = readdir(stream))
        list_file(&list, directory, e->d_name);
    closedir(stream);
    if (list.blocks + wanted > limit) {
        uint64_t target = limit - limit / 8;
        if (list.count)
            qsort(list.files, list.count, sizeof *list.files, by_use);
        for (size_t i = 0; i < list.count && list.blocks && list.blocks + wanted > target; i++)
            if (unlinkat(directory, list.files[i].name, 0) == 0 || errno == ENOENT)
                list.blocks -= list.files[i].blocks;
    }
    free(list.files);
    int fd = make_temporary(directory, name);
    if (fd < 0)
        return;
    bool good = ftruncate(fd, (off_t)(list.blocks + wanted)) == 0;
    close(fd);
    if (!good || renameat(directory, name, directory, USAGE_FILE) != 0)
        unlinkat(directory, name, 0);
}

/* Counts `wanted` blocks as used; past the limit, or where the count is lost, makes room. */
static void
reserve(int directory, uint64_t wanted, uint64_t limit)
{
    static const char nothing[BLOCK];
    struct stat status;
    bool counted = false;
    int fd = openat(directory, USAGE_FILE, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        uint64_t left = wanted;
        while (left) {
            ssize_t written = write(fd, nothing, left < sizeof nothing ? left : sizeof nothing);
            if (written <= 0)
                break;
            left -= (uint64_t)written;
        }
        counted =
            !left && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size <= limit;
        close(fd);
    }
    if (!counted)
        make_room(directory, wanted, limit);
}

/* ---- claims ---- */

/* A lock on one byte of a file without contents; which one, the key says. The lock is of the open file:
 * threads exclude each other, too. */
static bool
lock_byte(int fd, const struct lw_object_key *key)
{
    uint32_t place;
    memcpy(&place, key->bytes, sizeof place);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

int
lw_object_cache_claim(const char *folder, const struct lw_object_key *key)
{
    char name[NAME_BYTES] = {0};
    struct stat status;
    int directory = make_folder(folder);
    if (directory < 0)
        return -1;
    name_entry(key, name);
    int fd = openat(directory, CLAIMS_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    long pause = 500000, waited = 0; /* nanoseconds; they grow to 8 milliseconds */
    while (fd >= 0 && !lock_byte(fd, key)) {
        if ((errno != EAGAIN && errno != EACCES) || waited / 1000000 > LONGEST_CLAIM_MILLISECONDS ||
            fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            close(fd);
            fd = -1;
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        waited += pause;
        pause = pause < 8000000 ? pause * 2 : pause;
    }
    close(directory);
    return fd;
}

void
lw_object_cache_disclaim(int claim)
{
    if (claim < 0)
        return;
    struct flock lock = {.l_type = F_UNLCK,
                         .l_whence = SEEK_SET}; /* a forked child may have the file open, too */
    fcntl(claim, F_OFD_SETLK, &lock);
    close(claim);
}

/* ---- storing ---- */

static bool
write_fully(int fd, struct iovec *parts, int count)
{
    while (count) {
        ssize_t written = writev(fd, parts, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        for (; count && (size_t)written >= parts->iov_len; parts++, count--)
            written -= (ssize_t)parts->iov_len;
        if (count) {
            parts->iov_base = (char *)parts->iov_base + written;
            parts->iov_len -= (size_t)written;
        }
    }
    return true;
}

static void
store_in(int directory, const struct lw_object_key *key, const struct lw_cached_object *entry, uint64_t limit)
{
    char name[NAME_BYTES], temporary[NAME_BYTES];
    struct header h = {.version = VERSION,
                       .header_bytes = sizeof h,
                       .frame_fixed = entry->frame_fixed,
                       .frame_per_sub_group = entry->frame_per_sub_group,
                       .code_bytes = entry->code_bytes,
                       .turns = entry->turns,
                       .doubt = entry->doubt,
                       .milliseconds = entry->milliseconds,
                       .object_bytes = entry->object_bytes};
    memcpy(h.magic, magic, sizeof magic);
    memcpy(h.key, key->bytes, sizeof h.key);
    memcpy(h.symbol, entry->symbol, sizeof h.symbol);
    h.checksum = sum_entry(&h, entry->object);
    reserve(directory, blocks_of(sizeof h + entry->object_bytes), limit);
    int fd = make_temporary(directory, temporary);
    if (fd < 0)
        return;
    struct iovec parts[] = {{&h, sizeof h}, {entry->object, entry->object_bytes}};
    bool good = write_fully(fd, parts, 2);
    good &= close(fd) == 0; /* some file systems tell only now */
    name_entry(key, name);
    if (!good || renameat(directory, temporary, directory, name) != 0)
        unlinkat(directory, temporary, 0);
}

void
lw_object_cache_store(const char *folder, const struct lw_object_key *key,
                      const struct lw_cached_object *entry, uint64_t limit)
{
    if (entry->object_bytes == 0 || entry->object_bytes > MOST_OBJECT_BYTES ||
        blocks_of(sizeof(struct header) + entry->object_bytes) > limit / BLOCK)
        return;
    int directory = make_folder(folder);
    if (directory < 0)
        return;
    /* A limit on file sizes would end the process. */
    sigset_t too_large, before, pending;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &too_large, &before);
    store_in(directory, key, entry, limit / BLOCK);
    if (!sigismember(&pending, SIGXFSZ))
        while (sigtimedwait(&too_large, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(directory);
}
