/* SPDX-License-Identifier: MIT */
/* Every row of builtins.def, in every type, at every ISA level of this machine, against libm and wide
 * integers.
 *
 * `test_builtins --table` prints the largest errors as a markdown table instead (docs/builtins.md). */
#include "../run_suite.h"
#include "builtins/builtins.h"
#include "builtins/table.h"
#include "tests/builtins/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4 };

static const lw_isa levels[LEVELS] = {LW_ISA_SSE42, LW_ISA_AVX2, LW_ISA_AVX512, LW_ISA_AVX512_FP16};
static const char *const level_names[LEVELS] = {"sse4.2", "avx2", "avx512-v4", "avx512"};

static bool
runs_here(int level)
{
    __builtin_cpu_init();
    if (level == 0)
        return __builtin_cpu_supports("sse4.2");
    if (level == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
           (level == 2 || __builtin_cpu_supports("avx512fp16"));
}

/* ---- One type
 * --------------------------------------------------------------------------------------- */

struct worst {
    double ulp[LEVELS];
};

/* Every row of one type. `table` may be NULL. */
static int
run_type(const char *type, struct worst *table)
{
    struct jit *jits[LEVELS] = {NULL};
    int failures = 0;
    for (int level = 0; level < LEVELS; level++) {
        if (!runs_here(level)) {
            fprintf(stderr, "%s at %s: not run, this machine lacks it\n", type, level_names[level]);
            continue;
        }
        jits[level] = jit_create(type, levels[level]);
        failures += !jits[level];
    }
    for (size_t r = 0; r < lw_builtin_row_count; r++) {
        struct trial t;
        if (!trial_create(&t, &lw_builtin_rows[r], type, fill_operands))
            continue;
        if (t.unknown)
            fprintf(stderr, "%s.%s has no reference\n", t.row->name, type), failures++;
        for (int level = 0; level < LEVELS && !t.unknown; level++) {
            loop_function loop = jits[level] ? jit_loop(jits[level], t.row) : NULL;
            failures += jits[level] && !loop;
            if (!loop)
                continue;
            memset(t.out, 0xaa, (size_t)t.count * t.result_size);
            loop((const void *const *)t.in, t.out, t.out2, t.count);
            double worst = judge(&t, level_names[level], &failures);
            if (table)
                table[r].ulp[level] = worst;
        }
        trial_release(&t);
    }
    for (int level = 0; level < LEVELS; level++)
        if (jits[level])
            jit_release(jits[level]);
    return failures;
}

static const char *const types[7] = {"f16", "f32", "f64", "i8", "i16", "i32", "i64"};

START_TEST(test_type)
{
    ck_assert_int_eq(run_type(types[_i], NULL), 0);
}
END_TEST

START_TEST(test_folded)
{
    for (int level = 0; level < LEVELS; level++)
        if (runs_here(level))
            ck_assert_int_eq(test_constants(types[_i], levels[level], level_names[level]), 0);
}
END_TEST

START_TEST(test_sine_and_cosine)
{
    for (int level = 0; level < LEVELS; level++)
        for (int k = 0; k < 2 && runs_here(level); k++)
            ck_assert_int_eq(test_pairs(k ? "f64" : "f32", levels[level], level_names[level]), 0);
}
END_TEST

START_TEST(test_inverse_roots)
{
    ck_assert_int_eq(test_roots(), 0);
}
END_TEST

/* The operations that are another one: none may stay unresolved. */
START_TEST(test_same)
{
    for (int level = 0; level < LEVELS; level++)
        for (int k = 0; k < 3; k++)
            ck_assert(jit_resolves_same(types[k], levels[level]));
}
END_TEST

START_TEST(test_half)
{
    for (int level = 0; level < LEVELS; level++)
        if (runs_here(level))
            ck_assert_int_eq(test_soften(levels[level]), 0);
}
END_TEST

/* Calls that a damaged module may lead to are errors, not crashes. */
START_TEST(test_unknown)
{
    static const char *const bad[3] = {"declare i32 @lw.cl.exp.i32(i32)\ndefine i32 @f(i32 %x) {\n"
                                       "  %y = call i32 @lw.cl.exp.i32(i32 %x)\n  ret i32 %y\n}\n",
                                       "declare float @lw.cl.pow.f32(float)\ndefine float @f(float %x) {\n"
                                       "  %y = call float @lw.cl.pow.f32(float %x)\n  ret float %y\n}\n",
                                       "declare float @lw.cl.floor.f32(i32)\ndefine float @f(i32 %x) {\n"
                                       "  %y = call float @lw.cl.floor.f32(i32 %x)\n  ret float %y\n}\n"};
    for (int k = 0; k < 3; k++)
        ck_assert_ptr_null(jit_from_text(bad[k], LW_ISA_AVX2, NULL, NULL, 0));
    ck_assert(lw_builtin_find("exp", 3, "f32"));
    ck_assert(lw_builtin_find("s_max", 5, "i8"));
    ck_assert(!lw_builtin_find("exp", 3, "i32"));
    ck_assert(!lw_builtin_find("s_mul24", 7, "i64"));
    ck_assert(!lw_builtin_find("ex", 2, "f32"));
    ck_assert(!lw_builtin_find("printf", 6, "f32"));
}
END_TEST

static void
print_table(void)
{
    struct worst *w = calloc(lw_builtin_row_count * 3, sizeof *w);
    for (int k = 0; k < 3; k++)
        run_type(types[k], w + (size_t)k * lw_builtin_row_count);
    printf("| operation | half: permitted, found | float | double |\n| --- | --- | --- | --- |\n");
    for (size_t r = 0; r < lw_builtin_row_count; r++) {
        const struct lw_builtin_row *row = &lw_builtin_rows[r];
        if (row->types || row->cell[1].how == LW_HOW_SAME)
            continue;
        printf("| %s ", row->name);
        for (int k = 0; k < 3; k++) {
            const double *u = w[(size_t)k * lw_builtin_row_count + r].ulp;
            double worst = fmax(fmax(u[0], u[1]), fmax(u[2], u[3]));
            if (row->cell[k].ulp < 0)
                printf("| any, %.2f ", worst);
            else
                printf("| %g, %.2f ", row->cell[k].ulp, worst);
        }
        printf("|\n");
    }
    free(w);
}

int
main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--table"))
        return print_table(), 0;
    Suite *suite = suite_create("builtins");
    TCase *tests = tcase_create("operations");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, test_type, 0, 7);
    tcase_add_loop_test(tests, test_folded, 0, 3);
    tcase_add_test(tests, test_same);
    tcase_add_test(tests, test_sine_and_cosine);
    tcase_add_test(tests, test_inverse_roots);
    tcase_add_test(tests, test_half);
    tcase_add_test(tests, test_unknown);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
