/* SPDX-License-Identifier: MIT */
/* Program-scope variables: what they begin as, that they last from kernel to kernel of a program, and that
 * another program of the same module has its own; on each instruction set, in every tier, with code from the
 * disk. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lanewise/lanewise.h>

#include "../run_suite.h"

#define ITEMS 1000
#define SEEN 17
#define VARIANTS 9

static const char *module_path;
static lw_device *device;
static lw_error e;

/* Loop index: ISA level * 2 + tier. */
static void
open_device(int variant)
{
    lw_isa isa = (lw_isa)(variant / 3 + 1);
    static const char *const tiers[] = {"masked", "specialised", "first"};
    setenv("LANEWISE_TIER", tiers[variant % 3], 1);
    isa = isa > lw_isa_host() ? lw_isa_host() : isa;
    device = lw_device_create(&(lw_device_options){.threads = 2, .isa = isa}, &e);
    ck_assert_msg(device, "%s", e.text);
}

static lw_program *
open_program(void)
{
    lw_program *program = lw_program_load_file(device, module_path, &e);
    ck_assert_msg(program, "%s", e.text);
    return program;
}

static void
run(lw_program *program, const char *name, void *out, size_t bytes, size_t items, size_t group)
{
    lw_kernel *kernel = lw_kernel_create(program, name, &e);
    lw_ndrange range = {1, {items}, {group}, {0}};
    ck_assert_msg(kernel, "%s", e.text);
    ck_assert_msg(lw_kernel_set_arg_pointer(kernel, 0, out, bytes, &e), "%s", e.text);
    ck_assert_msg(lw_kernel_run(kernel, &range, &e), "%s", e.text);
    lw_kernel_release(kernel);
}

static void
look(lw_program *program, const int expected[SEEN])
{
    int seen[SEEN] = {0};
    run(program, "look", seen, sizeof seen, 1, 1);
    for (int i = 0; i < SEEN; i++)
        ck_assert_msg(seen[i] == expected[i], "value %d is %d, not %d", i, seen[i], expected[i]);
}

static const int at_first[SEEN] = {5, 0, 30, 9, 5, 30, -4, 1, 123, 30, 9, 1, 1, 25, 1, 0, 1};

/* Changes the program's variables for the `round`-th time. */
static void
change(lw_program *program, int round, size_t group)
{
    static int numbers[ITEMS], times[3 * ITEMS + 100];
    run(program, "change", numbers, sizeof numbers, ITEMS, group);
    memset(times, 0, sizeof times);
    for (int i = 0; i < ITEMS; i++) {
        int n = numbers[i] - 100 - round * ITEMS;
        ck_assert_msg(n >= 0 && n < ITEMS && !times[n]++, "number %d was given twice, or never", numbers[i]);
    }
}

START_TEST(they_last)
{
    open_device(_i);
    lw_program *program = open_program(), *other = open_program();
    look(program, at_first);
    change(program, 0, 64);
    look(program, (int[SEEN]){5 + ITEMS, 42, 35, 7, 42, 20, -8, 0, 193, 30, 13, 1, 1, 25, 0, 77, 1});
    look(other, at_first);
    change(program, 1, 50); /* another shape, tail sub-groups */
    look(program, (int[SEEN]){5 + 2 * ITEMS, 42, 40, 7, 42, 20, -16, 1, 193, 30, 17, 1, 1, 25, 0, 154, 1});
    lw_program_release(program);
    change(other, 0, 1);
    look(other, (int[SEEN]){5 + ITEMS, 42, 35, 7, 42, 20, -8, 0, 193, 30, 13, 1, 1, 25, 0, 77, 1});
    lw_program_release(other);
    lw_device_release(device);
}
END_TEST

START_TEST(kernels_keep_them_alive)
{
    int seen[SEEN];
    open_device(_i);
    lw_program *program = open_program();
    lw_kernel *kernel = lw_kernel_create(program, "look", &e);
    ck_assert_msg(kernel, "%s", e.text);
    change(program, 0, 64);
    lw_program_release(program);
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, seen, sizeof seen, &e));
    ck_assert_msg(lw_kernel_run(kernel, &(lw_ndrange){1, {1}, {1}, {0}}, &e), "%s", e.text);
    ck_assert_int_eq(seen[0], 5 + ITEMS);
    lw_kernel_release(kernel);
    lw_device_release(device);
}
END_TEST

START_TEST(lanes_read_and_write_them)
{
    static float out[ITEMS];
    open_device(_i);
    lw_program *program = open_program();
    run(program, "rows", out, sizeof out, ITEMS, 0);
    for (int i = 0; i < ITEMS; i++)
        ck_assert(out[i] == (i % 8 < 3 ? (float)(i % 8 + 1) : 0));
    int expected[SEEN];
    memcpy(expected, at_first, sizeof expected);
    expected[15] = 0; /* 29 * 77 is past the last item */
    look(program, expected);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(pointers_into_several_lengths)
{
    static const int letters[4] = {'l', 'e', 'a', 1};
    int out[ITEMS];
    open_device(_i);
    lw_program *program = open_program();
    run(program, "read_texts", out, sizeof out, ITEMS, 0);
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(out[i], letters[i % 4] + 1000 * (i % 2 ? 'o' : 'z') + 1000000 * (i % 2) + 130000000);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* The second device finds its code on the disk, and other addresses. */
START_TEST(code_from_the_disk_finds_them)
{
    char folder[] = "/tmp/lanewise_variables_XXXXXX", command[100];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("LANEWISE_CACHE", "1", 1);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    setenv("LANEWISE_LOADER", "own", 1);
    for (int round = 0; round < 2; round++) {
        open_device(_i);
        lw_program *program = open_program();
        lw_kernel *kernel = lw_kernel_create(program, "change", &e);
        static int out[ITEMS];
        lw_compile_info info;
        ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, &e));
        ck_assert_msg(lw_kernel_run(kernel, &(lw_ndrange){1, {ITEMS}, {0}, {0}}, &e), "%s", e.text);
        lw_kernel_compile_info(kernel, &info);
        ck_assert_int_eq(info.compilations != 0, round == 0);
        look(program, (int[SEEN]){5 + ITEMS, 42, 35, 7, 42, 20, -8, 0, 193, 30, 13, 1, 1, 25, 0, 77, 1});
        lw_kernel_release(kernel);
        lw_program_release(program);
        lw_device_release(device);
    }
    setenv("LANEWISE_CACHE", "0", 1);
    unsetenv("LANEWISE_LOADER");
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int
main(int count, char **words)
{
    if (count != 2)
        return 2;
    module_path = words[1];
    Suite *suite = suite_create("variables");
    TCase *tests = tcase_create("variables");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, they_last, 0, VARIANTS);
    tcase_add_loop_test(tests, kernels_keep_them_alive, 0, VARIANTS);
    tcase_add_loop_test(tests, lanes_read_and_write_them, 0, VARIANTS);
    tcase_add_loop_test(tests, pointers_into_several_lengths, 0, VARIANTS);
    tcase_add_loop_test(tests, code_from_the_disk_finds_them, 0, VARIANTS);
    suite_add_tcase(suite, tests);
    return run_suite_here(suite);
}
