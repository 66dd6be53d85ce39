/* SPDX-License-Identifier: MIT */
/* The disk cache where its folder is not as it should be: not writable, full, a link, others', no folder. */
#include "cached_entries.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

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

START_TEST(which_folder)
{
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_folder(NULL, NULL);
    setenv("HOME", "relative", 1);
    assert_folder(NULL, NULL);
    setenv("HOME", "/dev/null/me", 1); /* is not there */
    assert_folder(NULL, NULL);
    setenv("HOME", "/usr", 1);
    assert_folder(NULL, "/usr/.cache/lanewise");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_folder(NULL, "/usr/.cache/lanewise");
    setenv("XDG_CACHE_HOME", "/var/xdg", 1);
    assert_folder(NULL, "/var/xdg/lanewise");
    assert_folder("/given", "/given");
    ck_assert_int_eq(chdir("/usr"), 0);
    assert_folder("given", "/usr/given");
}
END_TEST

void
add_places(TCase *cases)
{
    tcase_add_test(cases, a_folder_that_cannot_be_written);
    tcase_add_test(cases, files_may_not_be_large);
    tcase_add_test(cases, a_full_disk);
    tcase_add_test(cases, symbolic_links_are_not_followed);
    tcase_add_test(cases, what_others_may_write_is_not_used);
    tcase_add_test(cases, what_others_own_is_not_used);
    tcase_add_test(cases, entries_that_are_no_files);
    tcase_add_test(cases, which_folder);
}
