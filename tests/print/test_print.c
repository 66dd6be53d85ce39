/* SPDX-License-Identifier: MIT */
/* What kernels print, compared with what C's printf prints and with lines written out here, on every
 * instruction set and sub-group size. The lines of one work-item are compared in their order; those of a
 * work-group must be together. */
#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <lanewise/lanewise.h>

#include "../run_suite.h"

#define LONG long
#define ULONG unsigned long
#define MAX_ITEMS 20000

static const uint32_t sizes[] = {4, 8, 16, 32, 64};
#define VARIANTS (3 * (int)(sizeof sizes / sizeof *sizes))

static const char *module_path;
static lw_device *device;
static lw_program *program;
static lw_kernel *kernel;
static char *expected[MAX_ITEMS];
static size_t expected_bytes[MAX_ITEMS];

/* ---- expectations ---- */

__attribute__((format(printf, 2, 3))) static void
expect(int item, const char *format, ...)
{
    char line[2000];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ck_assert_int_lt(size, (int)sizeof line);
    expected[item] = realloc(expected[item], expected_bytes[item] + (size_t)size + 1);
    memcpy(expected[item] + expected_bytes[item], line, (size_t)size + 1);
    expected_bytes[item] += (size_t)size;
}

static void
forget(void)
{
    for (int i = 0; i < MAX_ITEMS; i++) {
        free(expected[i]);
        expected[i] = NULL;
        expected_bytes[i] = 0;
    }
}

/* Consumes the line at the head of its work-item's expectation. */
static void
compare(const char *text, size_t size, int items, int group)
{
    size_t *at = calloc((size_t)items, sizeof *at);
    bool *done = calloc((size_t)items + 1, sizeof *done);
    int current = -1;
    for (const char *end = text + size; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        ck_assert_msg(newline != NULL, "the output ends inside a line");
        size_t length = (size_t)(newline - text) + 1;
        int item = atoi(text);
        ck_assert_msg(item >= 0 && item < items, "a line of no work-item: %.*s", (int)length, text);
        size_t left = expected_bytes[item] - at[item];
        ck_assert_msg(left >= length && memcmp(text, expected[item] + at[item], length) == 0,
                      "got: %.*s wanted: %s", (int)length, text,
                      left ? expected[item] + at[item] : "nothing more\n");
        at[item] += length;
        text += length;
        if (group && item / group != current) {
            ck_assert_msg(!done[item / group], "work-group %d's lines are not together", item / group);
            current = item / group;
            done[current] = true;
        }
    }
    for (int i = 0; i < items; i++)
        ck_assert_msg(at[i] == expected_bytes[i], "work-item %d did not print %s", i, expected[i] + at[i]);
    free(at);
    free(done);
}

/* ---- running ---- */

static void
open_variant(int variant, const char *name)
{
    lw_error e;
    lw_isa isa = (lw_isa)(variant % 3 + 1);
    if (isa > lw_isa_host())
        isa = lw_isa_host();
    device = lw_device_create(&(lw_device_options){.threads = 2, .isa = isa}, &e);
    ck_assert_msg(device, "%s", e.text);
    program = lw_program_load_file(device, module_path, &e);
    ck_assert_msg(program, "%s", e.text);
    kernel = lw_kernel_create(program, name, &e);
    ck_assert_msg(kernel, "%s", e.text);
    ck_assert_msg(lw_kernel_set_sub_group_size(kernel, sizes[variant / 3], &e), "%s", e.text);
}

static void
close_variant(void)
{
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    forget();
}

/* Runs with stdout in a file, and gives the file's text, a string of that size. */
static char *
run(int items, int group, size_t *size)
{
    lw_error e;
    lw_ndrange range = {1, {(size_t)items}, {(size_t)group}, {0}};
    FILE *file = tmpfile();
    fflush(stdout);
    int keep = dup(STDOUT_FILENO);
    ck_assert_int_ge(dup2(fileno(file), STDOUT_FILENO), 0);
    bool good = lw_kernel_run(kernel, &range, &e);
    fflush(stdout);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    ck_assert_msg(good, "%s", e.text);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    ck_assert_int_eq(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static void
run_and_compare(int items, int group)
{
    size_t size;
    char *text = run(items, group, &size);
    compare(text, size, items, group);
    free(text);
}

/* ---- tests ---- */

static void
expect_case(int which, int x)
{
    switch (which) {
#define CASE(number, format, ...)                                                                            \
    case number:                                                                                             \
        expect(x, "%d " format "\n", x, ##__VA_ARGS__);                                                      \
        break;
#include "cases.h"
#undef CASE
    }
}

/* What random_cases.py made; flags without effect are meant. */
#pragma GCC diagnostic ignored "-Wformat"
static void
expect_random(int which, int x)
{
    typedef unsigned char uchar;
    switch (which) {
#define IN_C(format, ...) expect(x, "%d " format "\n", x, ##__VA_ARGS__)
#define CASE(number, condition, in_kernel, in_c)                                                             \
    case number:                                                                                             \
        if (condition)                                                                                       \
            in_c;                                                                                            \
        break;
#include "random_cases.h"
    }
}
#pragma GCC diagnostic warning "-Wformat"

START_TEST(conversions_print_as_in_c)
{
    lw_error e;
    open_variant(_i, "conversions");
    for (int which = 0; which <= 18; which++) {
        ck_assert(lw_kernel_set_arg(kernel, 0, &which, sizeof which, &e));
        for (int x = 0; x < 21; x++)
            expect_case(which, x);
        run_and_compare(21, 7);
        forget();
    }
    close_variant();
}
END_TEST

START_TEST(random_calls_print_as_in_c)
{
    lw_error e;
    open_variant(_i, "random_conversions");
    for (int which = 0; which < RANDOM_CASES; which++) {
        ck_assert(lw_kernel_set_arg(kernel, 0, &which, sizeof which, &e));
        for (int x = 0; x < 21; x++)
            expect_random(which, x);
        run_and_compare(21, 7);
        forget();
    }
    close_variant();
}
END_TEST

START_TEST(vectors_print_their_components)
{
    static float in[4] = {1, 2, 3, 4};
    lw_error e;
    open_variant(_i, "vectors");
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, in, sizeof in, &e));
    for (int x = 0; x < 9; x++) {
        expect(x, "%d f4 = %.2f,%.2f,%.2f,%.2f\n", x, 1. + x, 2. + x, 3. + x, 4. + x);
        expect(x, "%d uc = 0xfa,0xfb,0xfc,0xfd\n", x);
        expect(x, "%d c2 = -1,%d c3 = 1,-2,3 c16 = ", x, x);
        for (int k = 0; k < 16; k++)
            expect(x, "%d%c", 200 + x, k < 15 ? ',' : '\n');
        expect(x, "%d s8 = %d,-1,-2,-3,4,5,6,7 us2 = 65535,%d\n", x, x, x);
        expect(x, "%d i4 = %d,%d,3,4 u3 = %X,B,C\n", x, x, -x, x + 10u);
        expect(x, "%d l2 = %d,1 ul4 = %d,2,3,18446744073709551615\n", x, -x, x);
        expect(x, "%d f2 = %5.1e,5.0e-01 d3 = %g,0.25,1e+100\n", x, (double)x, (double)x);
        expect(x, "%d mixed %d %d,7 and c\n", x, x, x);
        expect(x, "%d p = (nil) (nil)\n", x);
    }
    run_and_compare(9, 9);
    close_variant();
}
END_TEST

START_TEST(halves_print_as_their_values)
{
    static const uint16_t in[4] = {0x3c00, 0xbe00, 0x0001, 0x7c00}; /* 1, -1.5, 2^-24, inf */
    lw_error e;
    open_variant(_i, "halves");
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, (void *)(uintptr_t)in, sizeof in, &e));
    for (int x = 0; x < 5; x++)
        expect(x, "%d h4 = 1.000000,-1.500000,0.000000,inf h2 = 1.0e+00,-1.5e+00\n", x);
    run_and_compare(5, 5);
    close_variant();
}
END_TEST

START_TEST(divergent_code_prints_what_it_reaches)
{
    static int out[100];
    lw_error e;
    open_variant(_i, "divergent");
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, &e));
    for (int x = 0; x < 100; x++) {
        if (x % 3 == 0)
            expect(x, "%d third\n", x);
        else if (x % 3 == 1)
            expect(x, "%d other %d\n", x, x * x);
        for (int k = 0; k < x % 4; k++)
            if ((k + x) % 2 == 0)
                expect(x, "%d round %d\n", x, k);
        if (x == 7)
            expect(x, "7 only\n");
        out[x] = 0;
    }
    run_and_compare(100, 33); /* tail sub-groups, and a remainder work-group of one */
    for (int x = 0; x < 100; x++)
        ck_assert_int_eq(out[x], 1);
    close_variant();
}
END_TEST

START_TEST(called_functions_print)
{
    open_variant(_i, "functions");
    for (int x = 0; x < 40; x++)
        expect(x, "%d depth 0\n%d depth 1\n%d depth 9\n", x, x, x);
    run_and_compare(40, 20);
    close_variant();
}
END_TEST

START_TEST(barriers_keep_the_order)
{
    enum { GROUP = 37, ITEMS = 5 * GROUP };
    static int out[ITEMS];
    lw_error e;
    open_variant(_i, "barriers");
    ck_assert(lw_kernel_set_arg_local(kernel, 0, GROUP * sizeof(int), &e));
    ck_assert(lw_kernel_set_arg_pointer(kernel, 1, out, sizeof out, &e));
    for (int x = 0; x < ITEMS; x++) {
        int first = x / GROUP * GROUP, l = x % GROUP;
        expect(x, "%d before %d\n%d neighbour %d\n", x, l, x, 2 * (first + (l + 1) % GROUP));
        expect(x, "%d step 0\n%d step 1\n", x, x);
    }
    size_t size;
    char *text = run(ITEMS, GROUP, &size);
    compare(text, size, ITEMS, GROUP);
    /* All of a work-group's first lines come before its second ones. */
    int state[5] = {0};
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int g = atoi(line) / GROUP, stage = strstr(line, "before") ? 0 : strstr(line, "neighbour") ? 1 : 2;
        ck_assert_int_ge(stage, state[g]);
        state[g] = stage;
        if (stage == 2 && strstr(line, "step 1"))
            state[g] = 2;
    }
    free(text);
    close_variant();
}
END_TEST

START_TEST(invalid_formats_fail_and_stay_as_they_are)
{
    static int out[4 * 10];
    lw_error e;
    open_variant(_i, "invalid");
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, &e));
    for (int x = 0; x < 10; x++)
        expect(x, "%d bad %%y\n%d missing %%d\n%d kind %%f\n%d fine\n", x, x, x, x);
    run_and_compare(10, 10);
    for (int x = 0; x < 40; x++)
        ck_assert_int_eq(out[x], x % 4 == 3 ? 0 : -1);
    close_variant();
}
END_TEST

/* More than a thread collects: nothing is lost, no line is broken. */
START_TEST(much_is_printed)
{
    lw_error e;
    int which = 17;
    open_variant(_i, "conversions");
    ck_assert(lw_kernel_set_arg(kernel, 0, &which, sizeof which, &e));
    for (int x = 0; x < MAX_ITEMS; x++)
        expect_case(which, x);
    run_and_compare(MAX_ITEMS, 0);
    close_variant();
}
END_TEST

START_TEST(printf_not_reached_prints_nothing)
{
    static int out[64];
    size_t size;
    lw_error e;
    open_variant(_i, "quiet");
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, &e));
    char *text = run(64, 16, &size);
    ck_assert_int_eq(size, 0);
    for (int x = 0; x < 64; x++)
        ck_assert_int_eq(out[x], _i + 1);
    free(text);
    close_variant();
}
END_TEST

int
main(int count, char **words)
{
    if (count < 2)
        return 2;
    int failed = 0;
    for (int i = 1; i < count && !failed; i++) {
        module_path = words[i];
        Suite *suite = suite_create(words[i]);
        TCase *tests = tcase_create("print");
        tcase_set_timeout(tests, 120);
        tcase_add_loop_test(tests, conversions_print_as_in_c, 0, VARIANTS);
        tcase_add_loop_test(tests, random_calls_print_as_in_c, 0, VARIANTS);
        tcase_add_loop_test(tests, vectors_print_their_components, 0, VARIANTS);
        tcase_add_loop_test(tests, halves_print_as_their_values, 0, VARIANTS);
        tcase_add_loop_test(tests, divergent_code_prints_what_it_reaches, 0, VARIANTS);
        tcase_add_loop_test(tests, called_functions_print, 0, VARIANTS);
        tcase_add_loop_test(tests, barriers_keep_the_order, 0, VARIANTS);
        tcase_add_loop_test(tests, invalid_formats_fail_and_stay_as_they_are, 0, VARIANTS);
        tcase_add_loop_test(tests, much_is_printed, 0, 3);
        tcase_add_loop_test(tests, printf_not_reached_prints_nothing, 0, 1);
        suite_add_tcase(suite, tests);
        failed = run_suite_here(suite);
    }
    return failed != 0;
}
