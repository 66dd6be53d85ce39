/* SPDX-License-Identifier: MIT */
/* LANEWISE_CROSS_CHECK, with codes that agree and with codes that do not. */
#include "support.h"

#include <string.h>

enum { ITEMS = 1000 };

/* saxpy over buffers that are told their size, or are not. */
static bool
run_saxpy_checked(const char *tier, size_t bytes, lw_error *error)
{
    float x[ITEMS], y[ITEMS], a = 3;
    uint32_t n = ITEMS;
    setenv("LANEWISE_CROSS_CHECK", "1", 1);
    setenv("LANEWISE_TIER", tier, 1);
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "saxpy");
    lw_ndrange range = line(ITEMS, 8);
    for (unsigned i = 0; i < ITEMS; i++) {
        x[i] = (float)i;
        y[i] = 0.5f * (float)i;
    }
    ck_assert(lw_kernel_set_arg(kernel, 0, &n, 4, error) && lw_kernel_set_arg(kernel, 1, &a, 4, error));
    ck_assert(lw_kernel_set_arg_pointer(kernel, 2, x, bytes, error));
    ck_assert(lw_kernel_set_arg_pointer(kernel, 3, y, bytes, error));
    bool good = lw_kernel_run(kernel, &range, error);
    for (unsigned i = 0; good && i < ITEMS; i++)
        ck_assert_float_eq(y[i], 3.5f * (float)i); /* added once, however often it ran */
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
    return good;
}

START_TEST(codes_that_agree)
{
    lw_error error;
    unsigned before = fake()->compilations;
    assert_good(run_saxpy_checked("auto", ITEMS * sizeof(float), &error), error);
    ck_assert_uint_ge(fake()->compilations - before, 3);
}
END_TEST

START_TEST(codes_that_disagree)
{
    lw_error error;
    static const char *const what[] = {"", "specialised code", "first code"};
    for (unsigned wrong = 1; wrong <= 2; wrong++) {
        fake()->wrong = wrong;
        ck_assert(!run_saxpy_checked("auto", ITEMS * sizeof(float), &error));
        ck_assert_int_eq(error.status, LW_INTERNAL);
        ck_assert_ptr_nonnull(strstr(error.text, "kernel saxpy"));
        ck_assert_ptr_nonnull(strstr(error.text, what[wrong]));
        ck_assert_ptr_nonnull(strstr(error.text, "argument 3"));
        ck_assert_ptr_nonnull(strstr(error.text, ", byte "));
        ck_assert_ptr_nonnull(strstr(error.text, "is 0x42720000, not 0x426e0000")); /* 60.5, not 59.5 */
    }
    fake()->wrong = 0;
}
END_TEST

/* What nobody knows the size of runs once, unchecked. */
START_TEST(unknown_sizes)
{
    lw_error error;
    fake()->wrong = 2;
    assert_good(run_saxpy_checked("specialised", SIZE_MAX, &error), error);
    fake()->wrong = 0;
}
END_TEST

TCase *
cross_check_cases(void)
{
    TCase *cases = tcase_create("cross check");
    tcase_add_test(cases, codes_that_agree);
    tcase_add_test(cases, codes_that_disagree);
    tcase_add_test(cases, unknown_sizes);
    return cases;
}
