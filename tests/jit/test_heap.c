/* SPDX-License-Identifier: MIT */
/* The compiler library's heap: this program is linked as the library is, so that malloc is heap.c here too.
 */
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../jit/heap.h"

#define COUNT 20000
#define THREADS 4

void __real_free(void *block);

struct piece {
    unsigned char *at;
    size_t size;
    unsigned char mark;
};

static uint64_t
next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Mostly small, as LLVM's are; some beyond what the heap has. */
static size_t
some_size(uint64_t *state)
{
    uint64_t kind = next_random(state) % 100;
    return (size_t)(next_random(state) % (kind < 80 ? 200 : kind < 95 ? 3000 : kind < 99 ? 20000 : 200000));
}

static void
fill(struct piece *p, unsigned char mark)
{
    p->mark = mark;
    memset(p->at, mark, p->size);
}

static bool
is_whole(const struct piece *p)
{
    for (size_t i = 0; i < p->size; i++)
        if (p->at[i] != p->mark)
            return false;
    return true;
}

/* Gets, grows and frees at random; every block keeps its bytes. Returns what went wrong. */
static const char *
churn(struct piece *pieces, unsigned count, unsigned steps, uint64_t seed)
{
    for (unsigned step = 0; step < steps; step++) {
        struct piece *p = &pieces[next_random(&seed) % count];
        size_t size = some_size(&seed), kept = p->size < size ? p->size : size;
        uint64_t act = next_random(&seed) % 4;
        if (p->at && !is_whole(p))
            return "a block's bytes changed";
        if (act == 0 && p->at) {
            unsigned char *grown = realloc(p->at, size ? size : 1);
            if (!grown)
                return "no memory";
            *p = (struct piece){grown, kept, p->mark};
            if (!is_whole(p))
                return "realloc lost bytes";
            p->size = size;
        } else {
            free(p->at);
            size_t align = (size_t)16 << next_random(&seed) % 6;
            *p = (struct piece){act == 1   ? calloc(size, 1)
                                : act == 2 ? aligned_alloc(align, (size + align - 1) & ~(align - 1))
                                           : malloc(size),
                                size, 0};
            if (!p->at)
                return "no memory";
            if (act == 1 && !is_whole(p))
                return "calloc's bytes are not zero";
            if ((uintptr_t)p->at % (act == 2 ? align : 16))
                return "a block is not aligned";
        }
        fill(p, (unsigned char)next_random(&seed));
    }
    return NULL;
}

static void
drop(struct piece *pieces, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(pieces[i].at);
        pieces[i] = (struct piece){0};
    }
}

START_TEST(test_churn)
{
    static struct piece pieces[1000];
    const char *wrong = churn(pieces, 1000, 100000, 7);
    ck_assert_msg(!wrong, "%s", wrong);
    drop(pieces, 1000);
}
END_TEST

static void *
churn_here(void *data)
{
    struct piece *pieces = data;
    return (void *)(uintptr_t)churn(pieces, 500, 20000, (uint64_t)(uintptr_t)data);
}

/* Blocks of threads that have ended, freed by others. */
START_TEST(test_threads)
{
    static struct piece pieces[THREADS][500];
    for (unsigned round = 0; round < 5; round++) {
        pthread_t threads[THREADS];
        for (unsigned t = 0; t < THREADS; t++)
            ck_assert_int_eq(pthread_create(&threads[t], NULL, churn_here, pieces[(t + round) % THREADS]), 0);
        for (unsigned t = 0; t < THREADS; t++) {
            void *wrong = NULL;
            pthread_join(threads[t], &wrong);
            ck_assert_msg(!wrong, "%s", (const char *)wrong);
        }
    }
    for (unsigned t = 0; t < THREADS; t++)
        drop(pieces[t], 500);
}
END_TEST

/* strdup is the C library's and calls its malloc; what others free must be the C library's too. */
START_TEST(test_borders)
{
    for (unsigned i = 0; i < 1000; i++) {
        char *text = strdup("allocated outside"), *grown = realloc(text, 5000);
        ck_assert_str_eq(grown, "allocated outside");
        free(grown);
        __real_free(lw_malloc_for_others(48));
    }
    free(NULL);
    volatile size_t many = SIZE_MAX / 2; /* not seen through */
    ck_assert_ptr_null(calloc(many, 3));
    ck_assert_ptr_null(malloc(many));
    void *none = malloc(0);
    ck_assert_ptr_nonnull(none);
    free(none);
}
END_TEST

START_TEST(test_fork)
{
    static struct piece pieces[500];
    const char *wrong = churn(pieces, 500, 5000, 3);
    ck_assert_msg(!wrong, "%s", wrong);
    pid_t child = fork();
    if (child == 0)
        _exit(churn(pieces, 500, 20000, 5) != NULL);
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    wrong = churn(pieces, 500, 20000, 9);
    ck_assert_msg(!wrong, "%s", wrong);
    drop(pieces, 500);
}
END_TEST

static long
resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident;
}

/* A large compilation's memory goes back; what is still in use stays as it is. */
START_TEST(test_trim)
{
    static struct piece pieces[COUNT];
    long before = resident_pages();
    for (unsigned i = 0; i < COUNT; i++) {
        pieces[i] = (struct piece){malloc(4000), 4000, 0};
        fill(&pieces[i], (unsigned char)i);
    }
    long full = resident_pages();
    ck_assert_int_gt(full, before + COUNT * 3 / 4);
    for (unsigned i = 0; i < COUNT; i++)
        if (i % 500) {
            free(pieces[i].at);
            pieces[i].at = NULL;
        }
    lw_heap_trim();
    ck_assert_int_lt(resident_pages(), before + (full - before) / 4);
    for (unsigned i = 0; i < COUNT; i += 500)
        ck_assert(is_whole(&pieces[i]));
    const char *wrong = churn(pieces, COUNT, 4 * COUNT, 11); /* of what was given back, too */
    ck_assert_msg(!wrong, "%s", wrong);
    drop(pieces, COUNT);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("heap");
    TCase *cases = tcase_create("heap");

    tcase_set_timeout(cases, 100);
    tcase_add_test(cases, test_churn);
    tcase_add_test(cases, test_threads);
    tcase_add_test(cases, test_borders);
    tcase_add_test(cases, test_fork);
    tcase_add_test(cases, test_trim);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
