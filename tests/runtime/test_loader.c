/* SPDX-License-Identifier: MIT */
/* The loader of objects, alone: code that it loads against the same code linked by the system, what it
 * refuses, and damaged objects by the hundred thousand. */
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "../run_suite.h"
#include "../../src/native/object_loader.h"

uint64_t loader_object(const uint64_t *in, uint64_t count, void *out);

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes
read_object(const char *name)
{
    char path[4096];
    struct bytes b = {0};
    snprintf(path, sizeof path, "%s/%s", getenv("LANEWISE_TEST_MODULES"), name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    b.data = malloc(1 << 20);
    b.size = fread(b.data, 1, 1 << 20, file);
    fclose(file);
    ck_assert_uint_gt(b.size, 64);
    return b;
}

static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Lines of /proc/self/maps, and how many of them are writable and executable. */
static unsigned
count_mappings(unsigned *both)
{
    char line[4096], permissions[8];
    unsigned lines = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    *both = 0;
    while (fgets(line, sizeof line, maps)) {
        lines++;
        ck_assert_int_eq(sscanf(line, "%*s %7s", permissions), 1);
        *both += permissions[1] == 'w' && permissions[2] == 'x';
    }
    fclose(maps);
    return lines;
}

/* What /proc/self/maps says of an address: "r-xp" and the like. */
static void
permissions_at(const void *address, char out[8])
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    strcpy(out, "none");
    while (fgets(line, sizeof line, maps)) {
        unsigned long long low, high;
        char permissions[8];
        ck_assert_int_eq(sscanf(line, "%llx-%llx %7s", &low, &high, permissions), 3);
        if ((uintptr_t)address >= low && (uintptr_t)address < high)
            strcpy(out, permissions);
    }
    fclose(maps);
}

START_TEST(code_runs_as_if_linked)
{
    struct bytes object = read_object(_i ? "loader_object.O0.o" : "loader_object.o");
    struct lw_loaded loaded;
    const char *why;
    char permissions[8];
    unsigned both;
    ck_assert_msg(lw_object_load(object.data, object.size, "loader_object", &loaded, &why), "%s", why);
    memset(object.data, 0xcc, object.size); /* nothing of it is used later */
    free(object.data);
    uint64_t (*function)(const uint64_t *in, uint64_t count, void *out);
    *(void **)&function = loaded.entry;
    permissions_at(loaded.entry, permissions);
    ck_assert_str_eq(permissions, "r-xp");
    count_mappings(&both);
    ck_assert_uint_eq(both, 0);
    static uint64_t in[5000], out[5000];
    uint64_t state = 88172645463325252u;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 5000; i++)
            in[i] = next_random(&state) >> 8;
        ck_assert_uint_eq(function(in, 5000, out), loader_object(in, 5000, out));
        ck_assert_mem_eq(in, out, sizeof in);
    }
    lw_object_unload(&loaded);
    ck_assert_ptr_null(loaded.base);
}
END_TEST

/* More mappings than before: malloc's, and of a sanitizer what it keeps of freed memory. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define OF_OTHERS 60
#else
#define OF_OTHERS 8
#endif

START_TEST(nothing_stays_behind)
{
    struct bytes object = read_object("loader_object.o");
    struct lw_loaded loaded;
    const char *why;
    unsigned both, before = count_mappings(&both);
    for (unsigned i = 0; i < 100; i++) {
        ck_assert(lw_object_load(object.data, object.size, "loader_object", &loaded, &why));
        lw_object_unload(&loaded);
        ck_assert(!lw_object_load(object.data, object.size, "no_such_function", &loaded, &why));
    }
    ck_assert_uint_le(count_mappings(&both), before + OF_OTHERS);
    free(object.data);
}
END_TEST

static void
refuse(const char *name, const char *symbol, const char *words)
{
    struct bytes object = read_object(name);
    struct lw_loaded loaded;
    const char *why;
    ck_assert_msg(!lw_object_load(object.data, object.size, symbol, &loaded, &why), "%s", name);
    ck_assert_msg(strstr(why, words), "%s: %s", name, why);
    ck_assert_ptr_null(loaded.base);
    free(object.data);
}

START_TEST(what_it_refuses)
{
    refuse("loader_object.o", "twice_", "does not have the function");
    refuse("loader_object.o", "pow", "not in the code");
    refuse("loader_object.o", "counter", "not in the code");
    refuse("loader_refused_call.o", "entry", "not in the table");
    refuse("loader_refused_tls.o", "entry", "does not know");
    refuse("loader_refused_wx.o", "entry", "writable and executable");
    refuse("loader_refused_absolute.o", "entry", "does not do");
    refuse("libno_compiler.so", "entry", "no relocatable object");
}
END_TEST

/* ---- damage ---- */

/* The object up against a page that faults when read, on either side. */
static uint8_t *
place(uint8_t *area, size_t area_size, const uint8_t *data, size_t size, bool at_end)
{
    uint8_t *at = at_end ? area + 4096 + area_size - size : area + 4096;
    memcpy(at, data, size);
    return at;
}

static uint8_t *
make_area(size_t size)
{
    uint8_t *area = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(area, MAP_FAILED);
    ck_assert_int_eq(mprotect(area + 4096, size, PROT_READ | PROT_WRITE), 0);
    return area;
}

static void
try_object(const uint8_t *data, size_t size, unsigned *good)
{
    struct lw_loaded loaded;
    const char *why = NULL;
    if (lw_object_load(data, size, "loader_object", &loaded, &why)) {
        ++*good;
        ck_assert((uint8_t *)loaded.entry >= (uint8_t *)loaded.base &&
                  (uint8_t *)loaded.entry < (uint8_t *)loaded.base + loaded.bytes);
        lw_object_unload(&loaded);
    } else {
        ck_assert_ptr_nonnull(why);
        ck_assert_ptr_null(loaded.base);
    }
}

START_TEST(truncated_anywhere)
{
    struct bytes object = read_object("loader_object.o");
    size_t room = (object.size + 4095) & ~(size_t)4095;
    uint8_t *area = make_area(room);
    unsigned good = 0;
    for (size_t size = 0; size < object.size; size++)
        try_object(place(area, room, object.data, size, true), size, &good);
    ck_assert_uint_eq(good, 0); /* the section table is last */
    munmap(area, room + 8192);
    free(object.data);
}
END_TEST

START_TEST(any_bit_flipped)
{
    struct bytes object = read_object("loader_object.o");
    size_t room = (object.size + 4095) & ~(size_t)4095;
    uint8_t *area = make_area(room), *at = place(area, room, object.data, object.size, true);
    unsigned good = 0;
    for (size_t bit = 0; bit < object.size * 8; bit += 3) {
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        try_object(at, object.size, &good);
        at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    ck_assert_uint_gt(good, 0); /* instructions are not looked at */
    munmap(area, room + 8192);
    free(object.data);
}
END_TEST

/* Numbers that break sums and bounds, where headers, symbols and relocations have theirs. */
static void
damage(uint8_t *at, size_t size, uint64_t *state)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       0x7f,
                                       0xff,
                                       0xfff,
                                       0x1000,
                                       0xfff1,
                                       0xffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       UINT64_MAX,
                                       INT64_MAX,
                                       INT64_MIN,
                                       UINT64_MAX - 7,
                                       UINT64_MAX - 4095};
    unsigned changes = 1 + next_random(state) % 4;
    Elf64_Ehdr h;
    memcpy(&h, at, sizeof h);
    for (unsigned i = 0; i < changes; i++) {
        unsigned width = 1u << next_random(state) % 4;
        uint64_t number =
            next_random(state) % 3 ? numbers[next_random(state) % 20] : next_random(state) % (2 * size);
        size_t where = next_random(state) % (size - 8);
        if (next_random(state) % 2 && h.e_shoff < size - 64) { /* more often where it matters */
            size_t length = size - h.e_shoff;
            where = h.e_shoff + next_random(state) % (length / 8) * 8;
            where = where > size - 8 ? size - 8 : where;
        }
        memcpy(at + where, &number, width);
    }
}

START_TEST(random_damage)
{
    struct bytes object = read_object(_i % 2 ? "loader_object.O0.o" : "loader_object.o");
    size_t room = (object.size + 4095) & ~(size_t)4095;
    uint8_t *area = make_area(room);
    uint64_t state = 0x9e3779b97f4a7c15u * (unsigned)(_i + 1);
    unsigned good = 0;
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t *at = place(area, room, object.data, object.size, i % 2);
        damage(at, object.size, &state);
        try_object(at, object.size, &good);
    }
    ck_assert_uint_gt(good, 0);
    ck_assert_uint_lt(good, 20000);
    munmap(area, room + 8192);
    free(object.data);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("loader");
    TCase *cases = tcase_create("loader");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, code_runs_as_if_linked, 0, 2);
    tcase_add_test(cases, nothing_stays_behind);
    tcase_add_test(cases, what_it_refuses);
    tcase_add_test(cases, truncated_anywhere);
    tcase_add_test(cases, any_bit_flipped);
    tcase_add_loop_test(cases, random_damage, 0, 4);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
