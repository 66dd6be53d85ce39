/* SPDX-License-Identifier: MIT */
/* The disk cache's folder and files, without kernels: damage, death, crowds, intruders, and the bound. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../run_suite.h"
#include "../../src/object_cache.h"

#define NOBODY 65534
#define LARGE ((uint64_t)1 << 30)

static char base[64], folder[128];

static void
begin(void)
{
    strcpy(base, "/tmp/lanewise-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    snprintf(folder, sizeof folder, "%s/cache", base);
}

static void
end(void)
{
    char command[200];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", base, base);
    ck_assert_int_eq(system(command), 0);
}

static struct lw_object_key
key_of(unsigned number)
{
    struct lw_object_key key;
    for (unsigned i = 0; i < sizeof key.bytes; i++)
        key.bytes[i] = (uint8_t)(number >> i % 4 * 8 ^ i * 37);
    return key;
}

static char *
path_of(unsigned number)
{
    static char path[256];
    struct lw_object_key key = key_of(number);
    int at = snprintf(path, sizeof path, "%s/", folder);
    for (unsigned i = 0; i < sizeof key.bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", key.bytes[i]);
    return path;
}

/* Contents that depend on the number and the size. */
static void
fill(uint8_t *out, size_t size, unsigned number)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(number * 31 + i * 7 + (i >> 8));
}

static void
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

/* -1: not there, else its size; what is there must be what was stored. */
static long
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

/* Files whose names begin like that, and their bytes. */
static unsigned
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

static void
set_age(const char *path, long seconds)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void
wait_for(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with %x", status);
}

START_TEST(what_is_stored_is_found)
{
    struct stat status;
    mode_t before = umask(0);
    ck_assert_int_eq(find(1), -1);
    store(1, 1, LARGE);
    store(2, 5000, LARGE);
    store(3, 3000000, LARGE);
    umask(before);
    ck_assert_int_eq(find(1), 1);
    ck_assert_int_eq(find(2), 5000);
    ck_assert_int_eq(find(3), 3000000);
    ck_assert_int_eq(find(4), -1);
    ck_assert_int_eq(stat(folder, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(path_of(2), &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0600);
    store(2, 77, LARGE); /* replaces */
    ck_assert_int_eq(find(2), 77);
}
END_TEST

/* An entry is written to again at `offset`. */
static void
poke(const char *path, off_t offset, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, data, size, offset), (ssize_t)size);
    close(fd);
}

static size_t
slurp(const char *path, uint8_t *out, size_t room)
{
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ssize_t size = read(fd, out, room);
    ck_assert_int_gt(size, 0);
    close(fd);
    return (size_t)size;
}

START_TEST(any_flipped_bit_is_noticed)
{
    static uint8_t file[4096];
    store(1, 501, LARGE);
    size_t size = slurp(path_of(1), file, sizeof file);
    ck_assert_uint_eq(size, 136 + 501);
    for (size_t bit = 0; bit < size * 8; bit++) {
        uint8_t changed = (uint8_t)(file[bit / 8] ^ 1u << bit % 8);
        poke(path_of(1), (off_t)(bit / 8), &changed, 1);
        if (find(1) != -1)
            ck_abort_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        if (access(path_of(1), F_OK) == 0)
            ck_abort_msg("a damaged entry stays, bit %zu of byte %zu", bit % 8, bit / 8);
        poke(path_of(1), 0, file, size);
    }
    ck_assert_int_eq(find(1), 501);
}
END_TEST

START_TEST(other_lengths_are_noticed)
{
    static uint8_t file[4096];
    store(1, 501, LARGE);
    size_t size = slurp(path_of(1), file, sizeof file);
    for (size_t cut = 0; cut < size; cut++) {
        poke(path_of(1), 0, file, size);
        ck_assert_int_eq(truncate(path_of(1), (off_t)cut), 0);
        ck_assert_int_eq(find(1), -1);
    }
    poke(path_of(1), 0, file, size);
    poke(path_of(1), (off_t)size, "x", 1);
    ck_assert_int_eq(find(1), -1);
    store(1, 501, LARGE);
    ck_assert_int_eq(find(1), 501);
    poke(path_of(2), 0, file, size); /* under another's name */
    ck_assert_int_eq(find(2), -1);
}
END_TEST

/* Sixteen processes store and find the same keys and their own, in a folder that none of them has made. */
START_TEST(many_processes)
{
    pid_t children[16];
    for (unsigned c = 0; c < 16; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            for (unsigned i = 0; i < 60; i++) {
                unsigned own = 1000 * (c + 1) + i;
                store(i % 20, 3000 + i % 20 * 1000, LARGE);
                store(own, 500, LARGE);
                if (find(own) != 500 || find(i % 20) != 3000 + i % 20 * 1000)
                    _exit(1);
                find((i * 7 + c) % 20);
            }
            _exit(0);
        }
    }
    for (unsigned c = 0; c < 16; c++)
        wait_for(children[c]);
    uint64_t bytes;
    for (unsigned i = 0; i < 20; i++)
        ck_assert_int_eq(find(i), 3000 + i * 1000);
    ck_assert_uint_eq(count_files(".tmp-", &bytes), 0);
}
END_TEST

/* Writers die at any moment; no reader sees half an entry, and what they leave goes away. On a busy machine
 * it takes more of them, and longer, until one dies while it writes. */
START_TEST(killed_writers)
{
    uint64_t bytes;
    unsigned found = 0, left = 0;
    for (unsigned round = 0; round < 60 || (round < 1000 && !(found && left)); round++) {
        pid_t child = fork();
        if (child == 0)
            for (unsigned i = 0;; i++)
                store(i % 8, 400000 + i % 8, LARGE);
        usleep((2000 + round * 137 % 9000) * (1 + round / 60));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (unsigned i = 0; i < 8; i++) {
            bool there = access(path_of(i), F_OK) == 0;
            long size = find(i);
            ck_assert_int_eq(size, there ? 400000 + (long)i : -1);
            found += there;
        }
        left = count_files(".tmp-", &bytes);
    }
    ck_assert_uint_gt(found, 0);
    ck_assert_uint_gt(left, 0); /* else nothing was killed while writing */
    char command[400];
    snprintf(command, sizeof command, "touch -d '2 hours ago' %s/.tmp-* && rm %s/usage", folder, folder);
    ck_assert_int_eq(system(command), 0);
    store(9, 100, LARGE);
    ck_assert_uint_eq(count_files(".tmp-", &bytes), 0);
}
END_TEST

/* ---- the bound ---- */

START_TEST(the_bound_holds)
{
    uint64_t bytes, limit = 256 << 10;
    unsigned kept = 0;
    for (unsigned i = 0; i < 400; i++) {
        store(i, 100 + i * 7919 % 20000, limit);
        count_files("", &bytes);
        ck_assert_uint_le(bytes, limit);
        ck_assert_int_ne(find(i), -1);
    }
    for (unsigned i = 0; i < 400; i++)
        kept += find(i) != -1;
    ck_assert_uint_gt(kept, 10);
    store(1000, 300 << 10, limit); /* more than there may be in all: nothing makes way for it */
    ck_assert_int_eq(find(1000), -1);
    ck_assert_int_ne(find(399), -1);
    store(1001, 100, 0);
    ck_assert_int_eq(find(1001), -1);
}
END_TEST

START_TEST(the_bound_holds_in_a_crowd)
{
    uint64_t bytes, limit = 256 << 10;
    pid_t children[8];
    for (unsigned c = 0; c < 8; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            for (unsigned i = 0; i < 100; i++)
                store(c * 100 + i, 4000, limit);
            _exit(0);
        }
    }
    for (unsigned c = 0; c < 8; c++)
        wait_for(children[c]);
    for (unsigned i = 0; i < 16; i++) /* what was missed while they raced is made up for */
        store(5000 + i, 4000, limit);
    count_files("", &bytes);
    ck_assert_uint_le(bytes, limit + limit / 8);
}
END_TEST

START_TEST(the_longest_unused_go_first)
{
    uint64_t limit = 40 * 4096;
    for (unsigned i = 0; i < 30; i++) {
        store(i, 3000, limit);
        set_age(path_of(i), 10000 - i * 100);
    }
    ck_assert_int_eq(find(3), 3000); /* used now */
    for (unsigned i = 30; i < 41; i++)
        store(i, 3000, limit);
    ck_assert_int_eq(find(0), -1);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(find(2), -1);
    ck_assert_int_eq(find(3), 3000);
    ck_assert_int_eq(find(29), 3000);
    ck_assert_int_eq(find(40), 3000);
}
END_TEST

/* The count is lost, absurd, or no file at all. */
START_TEST(the_count_is_no_weak_spot)
{
    char usage[160];
    uint64_t bytes, limit = 64 << 10;
    snprintf(usage, sizeof usage, "%s/usage", folder);
    for (unsigned kind = 0; kind < 5; kind++) {
        store(1, 100, limit);
        remove(usage);
        if (kind == 1)
            ck_assert_int_eq(mkdir(usage, 0700), 0);
        if (kind == 2)
            ck_assert_int_eq(mkfifo(usage, 0600), 0);
        if (kind == 3)
            ck_assert_int_eq(symlink("/dev/zero", usage), 0);
        if (kind == 4) {
            poke(usage, 0, "", 1);
            ck_assert_int_eq(truncate(usage, (off_t)1 << 40), 0);
        }
        for (unsigned i = 0; i < 40; i++) {
            store(i, 3000, limit);
            ck_assert_int_eq(find(i), 3000);
            if (kind == 4)
                continue;
            count_files("", &bytes);
            ck_assert_uint_le(bytes, limit);
        }
        remove(usage);
    }
}
END_TEST

/* ---- places that are not as they should be ---- */

/* As somebody who is not root, for whom permissions do not count. */
static void
become_nobody(void)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chown(base, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setgid(NOBODY), 0);
    ck_assert_int_eq(setuid(NOBODY), 0);
}

START_TEST(a_folder_that_cannot_be_written)
{
    become_nobody();
    store(1, 100, LARGE);
    ck_assert_int_eq(chmod(folder, 0500), 0);
    store(2, 100, LARGE);
    ck_assert_int_eq(find(1), 100);
    ck_assert_int_eq(find(2), -1);
    ck_assert_int_eq(chmod(folder, 0), 0);
    store(2, 100, LARGE);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(chmod(folder, 0700), 0);
    ck_assert_int_eq(find(1), 100);
    ck_assert_int_eq(chmod(base, 0500), 0); /* no place for the folder */
    snprintf(folder, sizeof folder, "%s/other/deep", base);
    store(2, 100, LARGE);
    ck_assert_int_eq(find(2), -1);
    ck_assert_int_eq(chmod(base, 0700), 0);
    store(2, 100, LARGE);
    ck_assert_int_eq(find(2), 100);
    strcpy(folder, "/proc/self/nowhere");
    store(2, 100, LARGE);
    ck_assert_int_eq(find(2), -1);
}
END_TEST

START_TEST(files_may_not_be_large)
{
    struct rlimit small = {5000, 5000};
    uint64_t bytes;
    store(1, 100, LARGE);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    store(2, 100000, LARGE); /* SIGXFSZ would end the process */
    ck_assert_int_eq(find(1), 100);
    ck_assert_int_eq(find(2), -1);
    ck_assert_uint_eq(count_files(".tmp-", &bytes), 0);
    store(3, 1000, LARGE);
    ck_assert_int_eq(find(3), 1000);
    sigset_t pending;
    sigpending(&pending);
    ck_assert(!sigismember(&pending, SIGXFSZ));
}
END_TEST

START_TEST(a_full_disk)
{
    uint64_t bytes;
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    if (mount("none", folder, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=0700") != 0) {
        printf("not run: a full disk (this process may not mount one)\n");
        return;
    }
    for (unsigned i = 0; i < 40; i++)
        store(i, 5000, LARGE);
    unsigned kept = 0;
    for (unsigned i = 0; i < 40; i++)
        kept += find(i) == 5000;
    unsigned temporaries = count_files(".tmp-", &bytes);
    umount2(folder, MNT_DETACH);
    ck_assert_uint_gt(kept, 0);
    ck_assert_uint_lt(kept, 40);
    ck_assert_uint_eq(temporaries, 0);
}
END_TEST

START_TEST(symbolic_links_are_not_followed)
{
    char other[160], victim[160];
    struct stat status;
    snprintf(other, sizeof other, "%s/other", base);
    snprintf(victim, sizeof victim, "%s/victim", base);
    ck_assert_int_eq(mkdir(other, 0700), 0);
    ck_assert_int_eq(symlink(other, folder), 0);
    store(1, 100, LARGE);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(rmdir(other), 0); /* still empty */
    ck_assert_int_eq(unlink(folder), 0);
    store(1, 100, LARGE);
    ck_assert_int_eq(rename(path_of(1), victim), 0);
    ck_assert_int_eq(symlink(victim, path_of(1)), 0);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(symlink(victim, path_of(1)), 0); /* the other was removed, as any bad entry */
    store(1, 200, LARGE);
    ck_assert_int_eq(lstat(path_of(1), &status), 0);
    ck_assert(S_ISREG(status.st_mode));
    ck_assert_int_eq(find(1), 200);
    ck_assert_int_eq(stat(victim, &status), 0);
    ck_assert_int_eq(status.st_size, 136 + 100); /* untouched */
}
END_TEST

START_TEST(what_others_may_write_is_not_used)
{
    static const mode_t modes[] = {0777, 0770, 0702, 01777};
    store(1, 100, LARGE);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(chmod(folder, modes[i]), 0);
        ck_assert_int_eq(find(1), -1);
        store(2, 100, LARGE);
    }
    ck_assert_int_eq(chmod(folder, 0755), 0);
    ck_assert_int_eq(find(1), 100);
    ck_assert_int_eq(find(2), -1);
    ck_assert_int_eq(chmod(path_of(1), 0666), 0);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(find(1), -1);
}
END_TEST

START_TEST(what_others_own_is_not_used)
{
    if (geteuid() != 0) {
        printf("not run: folders of other users (this process may not make one)\n");
        return;
    }
    store(1, 100, LARGE);
    store(2, 100, LARGE);
    ck_assert_int_eq(chown(path_of(1), NOBODY, NOBODY), 0);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(find(2), 100);
    ck_assert_int_eq(chown(folder, NOBODY, NOBODY), 0);
    store(1, 100, LARGE);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(find(2), -1);
}
END_TEST

START_TEST(entries_that_are_no_files)
{
    store(9, 100, LARGE);
    ck_assert_int_eq(mkdir(path_of(1), 0700), 0);
    ck_assert_int_eq(mkfifo(path_of(2), 0600), 0);
    ck_assert_int_eq(find(1), -1);
    ck_assert_int_eq(find(2), -1);
    store(1, 100, LARGE);
    store(2, 100, LARGE);
    ck_assert_int_eq(find(1), -1); /* the directory stays */
    ck_assert_int_eq(find(2), 100);
    uint64_t bytes;
    ck_assert_uint_eq(count_files(".tmp-", &bytes), 0);
    snprintf(folder, sizeof folder, "%s/file", base);
    poke(folder, 0, "x", 1);
    store(1, 100, LARGE); /* a file where the folder should be */
    ck_assert_int_eq(find(1), -1);
}
END_TEST

static void
assert_folder(const char *asked, const char *expected)
{
    char *got = lw_object_cache_folder(asked);
    if (expected)
        ck_assert_str_eq(got, expected);
    else
        ck_assert_ptr_null(got);
    free(got);
}

/* One has the claim of an entry; another waits until it ends, or dies, or the entry is there. Others have
 * theirs. */
START_TEST(claims)
{
    struct lw_object_key one = key_of(1), other = key_of(2);
    int claim = lw_object_cache_claim(folder, &one), second = lw_object_cache_claim(folder, &other), status;
    ck_assert_int_ge(claim, 0);
    ck_assert_int_ge(second, 0);
    lw_object_cache_disclaim(second);
    pid_t child = fork();
    if (child == 0) { /* the entry comes: no claim, and no waiting for its end */
        int got = lw_object_cache_claim(folder, &one);
        _exit(got < 0 && find(1) == 100 ? 0 : 1);
    }
    usleep(20000);
    ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
    store(1, 100, LARGE);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    lw_object_cache_drop(folder, &one);
    child = fork();
    if (child == 0) /* the holder ends */
        _exit(lw_object_cache_claim(folder, &one) >= 0 ? 0 : 1);
    usleep(20000);
    ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
    lw_object_cache_disclaim(claim);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    child = fork();
    if (child == 0) { /* a holder that is killed */
        lw_object_cache_claim(folder, &one);
        pause();
    }
    usleep(50000);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    claim = lw_object_cache_claim(folder, &one);
    ck_assert_int_ge(claim, 0);
    lw_object_cache_disclaim(claim);
    ck_assert_int_eq(lw_object_cache_claim("/proc/no-folder", &one), -1);
}
END_TEST

START_TEST(which_folder)
{
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_folder(NULL, NULL);
    setenv("HOME", "relative", 1);
    assert_folder(NULL, NULL);
    setenv("HOME", "/home/me", 1);
    assert_folder(NULL, "/home/me/.cache/lanewise");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_folder(NULL, "/home/me/.cache/lanewise");
    setenv("XDG_CACHE_HOME", "/var/xdg", 1);
    assert_folder(NULL, "/var/xdg/lanewise");
    assert_folder("/given", "/given");
    ck_assert_int_eq(chdir("/usr"), 0);
    assert_folder("given", "/usr/given");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("object cache");
    TCase *cases = tcase_create("object cache");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, what_is_stored_is_found);
    tcase_add_test(cases, any_flipped_bit_is_noticed);
    tcase_add_test(cases, other_lengths_are_noticed);
    tcase_add_test(cases, many_processes);
    tcase_add_test(cases, killed_writers);
    tcase_add_test(cases, the_bound_holds);
    tcase_add_test(cases, the_bound_holds_in_a_crowd);
    tcase_add_test(cases, the_longest_unused_go_first);
    tcase_add_test(cases, the_count_is_no_weak_spot);
    tcase_add_test(cases, a_folder_that_cannot_be_written);
    tcase_add_test(cases, files_may_not_be_large);
    tcase_add_test(cases, a_full_disk);
    tcase_add_test(cases, symbolic_links_are_not_followed);
    tcase_add_test(cases, what_others_may_write_is_not_used);
    tcase_add_test(cases, what_others_own_is_not_used);
    tcase_add_test(cases, entries_that_are_no_files);
    tcase_add_test(cases, claims);
    tcase_add_test(cases, which_folder);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
