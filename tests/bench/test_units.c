/* SPDX-License-Identifier: MIT */
/* The parts of lanewise-bench: expressions, descriptions, data and comparison. The rest
 * is in test_output.c. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../run_suite.h"
#include "contents.h"
#include "expression.h"
#include "text.h"
#include "units.h"

static char error[1024];

/* ---- Expressions ---- */

static const struct expression_name names[] = {{"size", 100}, {"local", 8}, {"subgroup", 16}};

static int64_t
value_of(const char *text)
{
    int64_t value = -777;

    ck_assert_msg(expression_evaluate(text, names, 3, &value, error, sizeof error), "%s: %s", text, error);
    return value;
}

START_TEST(expressions)
{
    ck_assert_int_eq(value_of("1+2*3"), 7);
    ck_assert_int_eq(value_of("(1+2)*3"), 9);
    ck_assert_int_eq(value_of("100/7/2"), 7);
    ck_assert_int_eq(value_of("100%7-3-1"), -2);
    ck_assert_int_eq(value_of(" size * local + subgroup "), 816);
    ck_assert_int_eq(value_of("-size/local"), -12);
    ck_assert_int_eq(value_of("--3"), 3);
    ck_assert_int_eq(value_of("0x10"), 16);
    ck_assert_int_eq(value_of("9223372036854775807"), INT64_MAX);
    ck_assert_int_eq(value_of("5 % -1"), 0);
}
END_TEST

START_TEST(bad_expressions)
{
    static const char *const bad[] = {
        "",
        "1+",
        "(1",
        "1)",
        "sizes",
        "size size",
        "1/0",
        "1%0",
        "9223372036854775807+1",
        "9223372036854775807*2",
        "(-9223372036854775807-1)/-1",
        "99999999999999999999",
        "1.5",
        "&",
        "-(-9223372036854775807-1)",
    };
    char deep[400];
    int64_t value;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        error[0] = 0;
        ck_assert_msg(!expression_evaluate(bad[i], names, 3, &value, error, sizeof error), "'%s' is %lld",
                      bad[i], (long long)value);
        ck_assert_uint_gt(strlen(error), 0);
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    ck_assert(!expression_evaluate(deep, names, 3, &value, error, sizeof error));
}
END_TEST

/* ---- Descriptions ---- */

static char folder[] = "/tmp/lanewise-bench-test-XXXXXX";

static struct description *
read_text(const char *text)
{
    char *path = text_make("%s/probe.txt", folder);
    struct description *description;

    ck_assert(file_write(path, text, strlen(text)));
    error[0] = 0;
    description = description_read(path, NULL, error, sizeof error);
    free(path);
    return description;
}

static bool
make_case(const struct description *description, const struct overrides *overrides, int64_t subgroup,
          struct bench_case *made, char *why, size_t why_bytes)
{
    bool good = case_make(description, overrides, subgroup, made, why, why_bytes);

    ck_assert_msg(good, "%s", why);
    return good;
}

static const char whole[] = "# a comment\n"
                            "title  of several words\n"
                            "group  math   # behind a line\n"
                            "kernel k\n"
                            "size   1000\n"
                            "global (size + local - 1)/local*local size/10\n"
                            "local  16 4\n"
                            "subgroup size / 125 any\n"
                            "buffer in float4[size + 1] random -1 1\n"
                            "buffer out uint[size/local] result\n"
                            "local  tile double[local * 2]\n"
                            "value  n uint size - 1\n"
                            "value  m size-1 uint\n"
                            "value  v float3 1 2.5 3e1\n"
                            "compare relative 1e-3\n"
                            "bytes  size * 4\n"
                            "flops  1.5e6\n"
                            "pipe   p short2[size]\n"
                            "packets size * 2\n";

START_TEST(descriptions)
{
    struct description *description = read_text(whole);
    struct overrides overrides = {0};
    struct bench_case made;
    uint32_t n;
    float v[4];

    ck_assert_msg(description != NULL, "%s", error);
    ck_assert_str_eq(description->title, "of several words");
    ck_assert_str_eq(description->group, "math");
    ck_assert_str_eq(description->name, "probe");
    ck_assert(make_case(description, &overrides, 0, &made, error, sizeof error));
    ck_assert_int_eq(made.size, 1000);
    ck_assert_uint_eq(made.launches[0].global[0], 1024); /* local is 64, the product */
    ck_assert_uint_eq(made.launches[0].global[1], 100);
    ck_assert_uint_eq(made.launches[0].global[2], 1);
    ck_assert_uint_eq(made.launches[0].local[1], 4);
    ck_assert_int_eq(made.subgroup, 8);
    ck_assert(description->subgroup_any);
    ck_assert_uint_eq(made.arguments[0].bytes, 1001 * 16);
    ck_assert_uint_eq(made.arguments[1].bytes, 1000 / 64 * 4);
    ck_assert_uint_eq(made.arguments[2].bytes, 64 * 2 * 8);
    for (int i = 3; i < 5; i++) {
        memcpy(&n, made.arguments[i].value, 4);
        ck_assert_uint_eq(n, 999);
        ck_assert_uint_eq(made.arguments[i].bytes, 4);
    }
    memcpy(v, made.arguments[5].value, 16);
    ck_assert(v[0] == 1 && v[1] == 2.5f && v[2] == 30 && made.arguments[5].bytes == 16);
    ck_assert(made.bytes == 4000 && made.flops == 1.5e6 && made.packets == 2000);
    ck_assert(made.arguments[6].line->kind == ARGUMENT_PIPE && made.arguments[6].count == 1000);
    ck_assert(made.arguments[6].line->element.bytes == 2 && made.arguments[6].line->element.lanes == 2);
    case_free(&made);
    overrides = (struct overrides){.size = 50, .subgroup = 32, .local = {5, 2}, .local_dimensions = 2};
    ck_assert(make_case(description, &overrides, 0, &made, error, sizeof error));
    ck_assert_uint_eq(made.launches[0].global[0], 50);
    ck_assert_uint_eq(made.launches[0].local[0], 5);
    ck_assert_int_eq(made.subgroup, 32);
    case_free(&made);
    overrides.local_dimensions = 1;
    ck_assert(!case_make(description, &overrides, 0, &made, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "probe.txt:6: "));
    description_free(description);
}
END_TEST

START_TEST(sections)
{
    char *path = text_make("%s/probe.txt", folder), **names;
    struct description *two, *none;

    two = read_text("size 8 # all\nglobal size\n"
                    "name one\nbuffer a int[size] result\n"
                    "name two # not one\nkernel k\nbuffer b float[2*size] result\nbuffer c int[size] zero\n");
    ck_assert_ptr_null(two); /* no file's own name */
    ck_assert_ptr_nonnull(strstr(error, "`result`"));
    names = description_sections(path, error, sizeof error);
    ck_assert(names && names[0] && names[1] && !names[2]);
    ck_assert_str_eq(names[0], "one");
    ck_assert_str_eq(names[1], "two");
    two = description_read(path, names[1], error, sizeof error);
    ck_assert_msg(two != NULL, "%s", error);
    ck_assert_str_eq(two->name, "two");
    ck_assert_str_eq(two->size, "8");
    ck_assert_uint_eq(two->argument_count, 2);
    ck_assert_str_eq(two->launches[0].kernel, "k");
    description_free(two);
    two = description_read(path, names[0], error, sizeof error);
    ck_assert_msg(two != NULL, "%s", error);
    ck_assert_uint_eq(two->argument_count, 1);
    ck_assert_str_eq(two->launches[0].kernel, "one");
    description_free(two);
    description_sections_free(names);
    none = read_text("global 8\nname\n");
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(error, ":2: `name NAME`"));
    ck_assert_ptr_null(description_sections("/nonexistent/a.txt", error, sizeof error));
    none = read_text(
        "size 8\nname a\nglobal size\nlocal 4\nbuffer x float4[size] result\nvalue floating float 2\n"
        "local z float[4]\ncompare relative 1e-3\nname b like a float=double\nlocal none\ntitle twice\n"
        "compare exact\nname c like a\nname d like e float=half\nname f like a double\n");
    ck_assert_ptr_null(none);
    two = description_read(path, "b", error, sizeof error);
    ck_assert_msg(two != NULL, "%s", error);
    ck_assert_str_eq(two->launches[0].kernel, "a");
    ck_assert_uint_eq(two->launches[0].local_dimensions, 0);
    ck_assert_uint_eq(two->argument_count, 3);
    ck_assert_str_eq(two->arguments[0].type, "double4");
    ck_assert_str_eq(two->arguments[1].name, "floating");
    ck_assert_str_eq(two->arguments[1].type, "double");
    ck_assert_str_eq(two->arguments[2].type, "double");
    ck_assert_int_eq(two->comparison, COMPARE_EXACT);
    description_free(two);
    two = description_read(path, "c", error, sizeof error);
    ck_assert_msg(two != NULL, "%s", error);
    ck_assert_str_eq(two->arguments[0].type, "float4");
    ck_assert_uint_eq(two->launches[0].local_dimensions, 1);
    ck_assert_int_eq(two->comparison, COMPARE_RELATIVE);
    description_free(two);
    ck_assert_ptr_null(description_read(path, "d", error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, ":14: "));
    ck_assert_ptr_null(description_read(path, "f", error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, ":15: "));
    free(path);
}
END_TEST

START_TEST(launches)
{
    struct description *description = read_text(
        "size 64\nlaunch a global size local none\nlaunch b global 8 8 local 4 2 with n=size/2 args n out\n"
        "buffer in int[size] iota\nbuffer out int[size] result\nvalue n int 7\n");
    struct overrides overrides = {0};
    struct bench_case made;
    int32_t n;

    ck_assert_msg(description != NULL, "%s", error);
    ck_assert_uint_eq(description->launch_count, 2);
    ck_assert(make_case(description, &overrides, 0, &made, error, sizeof error));
    ck_assert_uint_eq(made.launches[0].local[0], 0);
    ck_assert_uint_eq(made.launches[0].argument_count, 3);
    ck_assert_uint_eq(made.launches[1].argument_count, 2);
    ck_assert_uint_eq(made.launches[1].arguments[0], 2);
    ck_assert_uint_eq(made.launches[1].arguments[1], 1);
    memcpy(&n, made.launches[1].with_value[0], 4);
    ck_assert_int_eq(n, 32);
    case_free(&made);
    description_free(description);
}
END_TEST

START_TEST(bad_descriptions)
{
    static const struct {
        const char *text, *line, *says;
    } bad[] = {
        {"global 4\nfoo 1\n", ":2: ", "'foo' is not known"},
        {"global 4\nbuffer a int[4]\n", ":2: ", "neither a result"},
        {"global 4\nbuffer a int random 0 1\n", ":2: ", "count"},
        {"global 4\nbuffer a integer[4] zero\n", ":2: ", "unknown type"},
        {"global 4\nbuffer a float5[4] zero\n", ":2: ", "unknown type"},
        {"global 4\nbuffer a int[4] random 1\n", ":2: ", "random LOW HIGH"},
        {"global 4\nbuffer a int[4] zero iota\n", ":2: ", "already"},
        {"global 4\nbuffer a int[4] nonsense\n", ":2: ", "'nonsense'"},
        {"global 4\nbuffer a int[4] result\nbuffer a int[4] zero\n", ":3: ", "second argument 'a'"},
        {"global 4\nvalue n 4 uint 5\n", ":2: ", "TYPE"},
        {"global 4\nvalue n uint\n", ":2: ", "needs a value"},
        {"global 1 2 3 4\n", ":1: ", "three dimensions"},
        {"global 4\nglobal 4\n", ":2: ", "second time"},
        {"global 4\nbuffer a int[4] result\ncompare nearly\n", ":3: ", "compare"},
        {"global 4\nbuffer a int[4] result\ncompare ulp\n", ":3: ", "number"},
        {"global 4\nlaunch k global 4\nbuffer a int[4] result\n", ":2: ", "take the place"},
        {"launch k local 4\n", ":1: ", "global size"},
        {"launch k global 4 with n\n", ":1: ", "NAME=VALUE"},
        {"title\n", ":1: ", "needs a value"},
        {"size 4 # nothing else\n", "", "without `global`"},
        {"global 4\n", "", "`result`"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct description *description = read_text(bad[i].text);

        ck_assert_msg(description == NULL, "accepted: %s", bad[i].text);
        ck_assert_msg(strstr(error, bad[i].line) && strstr(error, bad[i].says) && strstr(error, "probe.txt:"),
                      "%s says: %s", bad[i].text, error);
    }
    ck_assert_ptr_null(description_read("/nonexistent/a.txt", NULL, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "/nonexistent/a.txt: No such file"));
}
END_TEST

START_TEST(bad_cases)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"size 0\nglobal size\nbuffer a int[4] result\n", ":1: '0' is 0"},
        {"size 4\nglobal size-4\nbuffer a int[4] result\n", ":2: "},
        {"size 4\nglobal size\nbuffer a int[size-8] result\n", ":3: 'size-8' is -4"},
        {"size 4\nglobal size\nlocal 0\nbuffer a int[4] result\n", "'0' is 0"},
        {"size 4\nglobal size\nlocal 2 2\nbuffer a int[4] result\n", "2 local sizes, 1 global"},
        {"size 4\nglobal size\nbuffer a int[1000000*1000000] result\n", ":3: "},
        {"size 4\nglobal size\nbuffer a int[4] result\nvalue v float4 1 2\n", "4 components, 2 values"},
        {"size 4\nglobal size\nbuffer a int[4] result\nvalue v int nothing\n", "unknown name 'nothing'"},
        {"size 4\nbuffer a int[4] result\nlaunch k global 4 args b\n", "no argument 'b'"},
        {"size 4\nbuffer a int[4] result\nlaunch k global 4 with a=3\n", "no value 'a'"},
    };
    struct overrides overrides = {0};
    struct bench_case made;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct description *description = read_text(bad[i].text);

        if (description)
            ck_assert_msg(!case_make(description, &overrides, 0, &made, error, sizeof error), "accepted: %s",
                          bad[i].text);
        ck_assert_msg(strstr(error, bad[i].says) && strstr(error, "probe.txt:"), "%s says: %s", bad[i].text,
                      error);
        description_free(description);
    }
}
END_TEST

/* ---- Data ---- */

/* The one buffer of a description, filled. */
static void
fill(const char *line, void *data, struct description **description, struct bench_case *made)
{
    char *text = text_make("size 1000\nglobal size\nbuffer r int[1] result\nbuffer a %s\n", line);
    struct overrides overrides = {0};

    *description = read_text(text);
    ck_assert_msg(*description != NULL, "%s", error);
    ck_assert(make_case(*description, &overrides, 0, made, error, sizeof error));
    ck_assert_msg(contents_fill(made, 1, data, error, sizeof error), "%s", error);
    free(text);
}

START_TEST(contents)
{
    static int32_t integers[1000], again[1000];
    static float reals[4000];
    static uint64_t seen[1000];
    struct description *description;
    struct bench_case made;
    int32_t least = 100, most = -100;
    double sum = 0;

    fill("int[size] random -3 4", integers, &description, &made);
    for (int i = 0; i < 1000; i++) {
        least = integers[i] < least ? integers[i] : least;
        most = integers[i] > most ? integers[i] : most;
    }
    ck_assert(least == -3 && most == 4);
    ck_assert(contents_fill(&made, 1, again, error, sizeof error));
    ck_assert(!memcmp(integers, again, sizeof again));
    case_free(&made);
    description_free(description);
    fill("float4[size] random -1 3", reals, &description, &made);
    for (int i = 0; i < 4000; i++) {
        ck_assert(reals[i] >= -1 && reals[i] <= 3);
        sum += reals[i];
    }
    ck_assert(fabs(sum / 4000 - 1) < 0.1);
    case_free(&made);
    description_free(description);
    fill("ulong[size] permutation", seen, &description, &made);
    for (uint64_t i = 0, count[1000] = {0}; i < 1000; i++)
        ck_assert(seen[i] < 1000 && ++count[seen[i]] == 1);
    case_free(&made);
    description_free(description);
    fill("float[size] iota", reals, &description, &made);
    ck_assert(reals[0] == 0 && reals[999] == 999);
    case_free(&made);
    description_free(description);
    fill("int[size] fill size/2", integers, &description, &made);
    ck_assert(integers[0] == 500 && integers[999] == 500);
    case_free(&made);
    description_free(description);
}
END_TEST

START_TEST(npy_files)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
    struct element element = {ELEMENT_FLOAT, 4, 1};
    float data[4] = {1, -2, 3.5f, 0}, got[4];
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header - 1, 0};
    char *path = text_make("%s/a.npy", folder);
    struct text file = {0};

    text_add_bytes(&file, start, 10);
    text_add_bytes(&file, header, sizeof header - 1);
    text_add_bytes(&file, data, sizeof data);
    ck_assert(file_write(path, file.data, file.length));
    ck_assert_msg(npy_read(path, &element, 4, got, error, sizeof error), "%s", error);
    ck_assert(!memcmp(got, data, sizeof got));
    ck_assert(!npy_read(path, &element, 5, got, error, sizeof error));
    element.kind = ELEMENT_SIGNED;
    ck_assert(!npy_read(path, &element, 4, got, error, sizeof error));
    for (size_t bytes = 0; bytes < file.length; bytes++) {
        element.kind = ELEMENT_FLOAT;
        ck_assert(file_write(path, file.data, bytes));
        ck_assert(!npy_read(path, &element, 4, got, error, sizeof error));
    }
    text_free(&file);
    free(path);
}
END_TEST

/* ---- Comparison ---- */

static bool
right(const char *type, const char *compare, const void *expected, const void *got)
{
    char *text = text_make("size 4\nglobal size\nbuffer a %s[size] result\n%s%s\n", type,
                           *compare ? "compare " : "", compare);
    struct description *description = read_text(text);
    struct overrides overrides = {0};
    struct bench_case made;
    bool same;

    ck_assert_msg(description != NULL, "%s", error);
    ck_assert(make_case(description, &overrides, 0, &made, error, sizeof error));
    same = results_compare(&made, 0, expected, got, error, sizeof error);
    case_free(&made);
    description_free(description);
    free(text);
    return same;
}

START_TEST(comparison)
{
    int32_t a[4] = {1, 2, 3, 4}, b[4] = {4, 3, 2, 1}, c[4] = {1, 1, 3, 4}, d[4] = {4, 3, 1, 3};
    float x[4] = {1, 1000, -1e-9f, NAN}, y[4] = {1, 1000.005f, 1e-9f, NAN}, z[4] = {1, 1000, -1e-9f, 5};
    float near[4] = {1, nextafterf(nextafterf(1000, 2000), 2000), -1e-9f, NAN};
    float zero[4] = {0, -0.0f, INFINITY, 1}, minus[4] = {-0.0f, 0, INFINITY, 1}, large[4] = {0, 0, 3e38f, 1};

    ck_assert(right("int", "", a, a) && !right("int", "", a, b));
    ck_assert_str_eq(error, "a[0] is 4, must be 1");
    ck_assert(right("int", "sorted", a, b) && !right("int", "sorted", a, c));
    ck_assert(right("int", "set", c, d) && !right("int", "sorted", c, d) && !right("int", "set", a, c));
    ck_assert(
        right("float", "", x, y)); /* 1e-5 of the value, or of the root mean square for what is near 0 */
    ck_assert(!right("float", "", x, z) && !right("float", "", z, x));
    ck_assert(!right("float", "exact", x, y) && right("float", "exact", x, x) &&
              right("float", "exact", zero, minus));
    ck_assert(!right("float", "relative 1e-7", x, y) && right("float", "relative 1e-3", x, y));
    ck_assert(right("float", "ulp 2", x, near) && !right("float", "ulp 1", x, near));
    ck_assert(!right("float", "", zero, large) && !right("float", "ulp 1000", zero, large));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("lanewise-bench");
    TCase *parts = tcase_create("parts");
    int failed;

    if (!mkdtemp(folder))
        return 1;
    suite_add_tcase(suite, parts);
    const TTest *const all[] = {expressions,      bad_expressions, descriptions, sections,  launches,
                                bad_descriptions, bad_cases,       contents,     npy_files, comparison};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tcase_add_test(parts, all[i]);
    add_output(parts);
    failed = run_suite(suite);
    for (int i = 0; i < 2; i++) {
        char *path = text_make(i ? "%s/a.npy" : "%s/probe.txt", folder);

        unlink(path);
        free(path);
    }
    rmdir(folder);
    return failed;
}
