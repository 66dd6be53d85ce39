/* SPDX-License-Identifier: MIT */
/* The disk cache's folder and files, without kernels: damage, death, crowds, and the bound. */
#include "cached_entries.h"
#include "../run_suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

int
main(void)
{
    Suite *suite = suite_create("object cache");
    TCase *cases = tcase_create("object cache");
    tcase_add_checked_fixture(cases, make_folder, remove_folder);
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
    tcase_add_test(cases, claims);
    add_places(cases);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
