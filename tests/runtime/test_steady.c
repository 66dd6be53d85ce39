/* SPDX-License-Identifier: MIT */
/* Integer arguments that stay: which of them code comes to know, and when code that knows them serves. */
#include "support.h"

#define ENOUGH 20000 /* dispatches */
#define WORK 10000   /* of a work-group */

static const lw_ndrange range = {.dimensions = 1, .global = {1024}, .local = {64}};

struct world {
    lw_device *device;
    lw_program *program;
    lw_kernel *kernel; /* strided(record, uint k, uint stride, ulong step) */
    unsigned spin;     /* that its work-groups really do */
};

static void
set_arguments(lw_kernel *kernel, uint32_t k, uint32_t stride, uint64_t step)
{
    lw_error error;
    assert_good(lw_kernel_set_arg(kernel, 1, &k, sizeof k, &error), error);
    assert_good(lw_kernel_set_arg(kernel, 2, &stride, sizeof stride, &error), error);
    assert_good(lw_kernel_set_arg(kernel, 3, &step, sizeof step, &error), error);
}

/* Its special code is run at once. `lanes`: of all code, or NULL. */
static struct world
begin_in(const char *lanes, unsigned unknown, unsigned known)
{
    struct world w;
    setenv("LANEWISE_TIER", "specialised", 1);
    if (lanes)
        setenv("LANEWISE_LANES", lanes, 1);
    w.device = make_device(1);
    w.program = load(w.device, "kernels.spv");
    w.kernel = make_kernel(w.program, "strided");
    w.spin = 100;
    set_arguments(w.kernel, 3, 5, 7);
    fake()->work_of_unknown = unknown;
    fake()->work_of_known = known;
    return w;
}

static struct world
begin(unsigned unknown, unsigned known)
{
    return begin_in("8", unknown, known);
}

static void
end(struct world *w)
{
    lw_kernel_release(w->kernel);
    lw_program_release(w->program);
    lw_device_release(w->device);
    ck_assert_uint_eq(atomic_load(&fake()->live), 0);
    fake()->work_of_unknown = fake()->work_of_known = 0;
    memset(fake()->work_of_lanes, 0, sizeof fake()->work_of_lanes);
    fake()->doubt = LW_NO_DOUBT;
    atomic_store(&fake()->fail, false);
    unsetenv("LANEWISE_TIER");
    unsetenv("LANEWISE_ISA");
    unsetenv("LANEWISE_LANES");
    unsetenv("LANEWISE_RACE");
    unsetenv("LANEWISE_VALUES");
}

enum used { NO_CODE_KNOWS, SOME_CODE_KNOWS, ALL_CODE_KNOWS };

static enum used
run(const struct world *w)
{
    struct fake_record record = {.spin = w->spin};
    run_checked(w->kernel, &range, &record);
    ck_assert_uint_eq(record.masked_calls, 0);
    return record.known_calls == 0                      ? NO_CODE_KNOWS
           : record.known_calls == record.special_calls ? ALL_CODE_KNOWS
                                                        : SOME_CODE_KNOWS;
}

/* Until code that knows is run, by whichever part of a dispatch. */
static void
run_until_some_knows(const struct world *w)
{
    unsigned k = 0;
    while (k < ENOUGH && run(w) == NO_CODE_KNOWS)
        let_others_run(k++);
    ck_assert_uint_lt(k, ENOUGH);
}

/* Until it is used many times in a row: no race is that long. */
static void
settle(const struct world *w, enum used used)
{
    unsigned row = 0;
    for (unsigned k = 0; k < ENOUGH && row < 100; k++) {
        row = run(w) == used ? row + 1 : 0;
        let_others_run(k);
    }
    ck_assert_uint_eq(row, 100);
}

static const struct lw_shape *
last_shape(void)
{
    return &fake()->shapes[(atomic_load(&fake()->compilations) - 1) % 4096];
}

/* Other values are another code's at once, and have one of their own after a while. */
START_TEST(arguments_that_stay_are_known)
{
    struct world w = begin(WORK, WORK / 100);
    ck_assert_uint_eq(run(&w), NO_CODE_KNOWS);
    settle(&w, ALL_CODE_KNOWS);
    ck_assert_uint_eq(last_shape()->known, 14);
    ck_assert_uint_eq(last_shape()->values[0], 3);
    ck_assert_uint_eq(last_shape()->values[1], 5);
    ck_assert_uint_eq(last_shape()->values[2], 7);
    set_arguments(w.kernel, 3, 5, UINT64_C(7) << 32);
    ck_assert_uint_eq(run(&w), NO_CODE_KNOWS);
    settle(&w, ALL_CODE_KNOWS);
    ck_assert_uint_eq(last_shape()->values[2], UINT64_C(7) << 32);
    ck_assert_uint_eq(atomic_load(&fake()->compilations), 3);
    set_arguments(w.kernel, 3, 5, 7);
    ck_assert_uint_eq(run(&w), NO_CODE_KNOWS);
    settle(&w, ALL_CODE_KNOWS);
    ck_assert_uint_eq(atomic_load(&fake()->compilations), 3);
    end(&w);
}
END_TEST

/* What differs from dispatch to dispatch is left alone, the others are known. */
START_TEST(restless_arguments_are_not)
{
    struct world w = begin(WORK, WORK / 100);
    unsigned k = 0;
    enum used used = NO_CODE_KNOWS;
    for (; k < ENOUGH && used != ALL_CODE_KNOWS; k++) {
        set_arguments(w.kernel, k, 5, 7);
        used = run(&w);
        let_others_run(k);
    }
    ck_assert_uint_lt(k, ENOUGH);
    ck_assert_uint_eq(last_shape()->known, 12);
    ck_assert_uint_eq(last_shape()->values[0], 5);
    ck_assert_uint_eq(last_shape()->values[1], 7);
    ck_assert_uint_eq(last_shape()->values[2], 0);
    ck_assert_uint_eq(atomic_load(&fake()->compilations), 2);
    end(&w);
}
END_TEST

/* Who changes all of them now and then pays for few codes. */
START_TEST(few_codes_for_many_values)
{
    struct world w = begin(WORK / 10, WORK / 10);
    fake()->delay_microseconds = 20000;
    for (unsigned k = 0; k < 2000; k++) {
        set_arguments(w.kernel, k / 40, k / 40 + 5, k / 40 + 7);
        run(&w);
    }
    ck_assert_uint_lt(atomic_load(&fake()->compilations), 12);
    end(&w);
    fake()->delay_microseconds = 0;
}
END_TEST

START_TEST(known_arguments_have_to_be_faster)
{
    struct world w = begin(WORK, 2 * WORK);
    run_until_some_knows(&w);
    settle(&w, NO_CODE_KNOWS);
    end(&w);
}
END_TEST

/* The fastest of all widths, which nobody begins with. */
static void
race_to_four_lanes(const struct world *w)
{
    lw_compile_info info = {0};
    fake()->doubt = LW_DOUBT;
    for (unsigned lanes = 1; lanes <= LW_MAX_LANES; lanes++)
        fake()->work_of_lanes[lanes] = lanes == 4 ? WORK / 100 : WORK;
    for (unsigned k = 0; k < ENOUGH && info.lanes != 4; k++) {
        run(w);
        lw_kernel_compile_info(w->kernel, &info);
        let_others_run(k);
    }
    ck_assert_uint_eq(info.lanes, 4);
}

/* Widths race, too: of the code that wins. In its first width it beats all widths of the other, which may
 * race before it is there. */
START_TEST(widths_of_code_that_knows)
{
    setenv("LANEWISE_ISA", "avx2", 1);
    struct world w = begin_in(NULL, 3 * WORK, 1);
    race_to_four_lanes(&w);
    settle(&w, ALL_CODE_KNOWS);
    race_to_four_lanes(&w);
    end(&w);
}
END_TEST

/* However many runs a dispatch is cut into, and how long the last one is. */
START_TEST(races_end_in_dispatches_of_any_length)
{
    static const unsigned spins[] = {200, 400, 700, 1000, 1500, 2000, 3000, 5000};
    struct world w = begin(WORK, WORK / 100);
    w.spin = spins[_i];
    settle(&w, ALL_CODE_KNOWS);
    end(&w);
}
END_TEST

/* Where that is not faster, the other code's widths do. */
START_TEST(widths_of_code_that_does_not)
{
    setenv("LANEWISE_ISA", "avx2", 1);
    struct world w = begin_in(NULL, 1, 10 * WORK);
    race_to_four_lanes(&w);
    settle(&w, NO_CODE_KNOWS);
    unsigned knowing = 0;
    for (unsigned k = 0; k < atomic_load(&fake()->compilations); k++)
        knowing += fake()->shapes[k].known != 0;
    ck_assert_uint_eq(knowing, 1);
    end(&w);
}
END_TEST

START_TEST(code_that_fails_is_left_out)
{
    struct world w = begin(WORK, 1);
    run(&w);
    atomic_store(&fake()->fail, true);
    for (unsigned k = 0; k < 300; k++)
        ck_assert_uint_eq(run(&w), NO_CODE_KNOWS);
    end(&w);
}
END_TEST

START_TEST(values_can_be_forbidden)
{
    setenv(_i ? "LANEWISE_RACE" : "LANEWISE_VALUES", _i ? "0" : "never", 1);
    struct world w = begin(WORK, 1);
    for (unsigned k = 0; k < 300; k++)
        ck_assert_uint_eq(run(&w), NO_CODE_KNOWS);
    ck_assert_uint_eq(atomic_load(&fake()->compilations), 1);
    end(&w);
}
END_TEST

START_TEST(values_can_be_asked_for)
{
    setenv("LANEWISE_VALUES", "always", 1);
    struct world w = begin(WORK, 1);
    for (unsigned k = 0; k < 5; k++) {
        set_arguments(w.kernel, k, 5, 7);
        ck_assert_uint_eq(run(&w), ALL_CODE_KNOWS);
        ck_assert_uint_eq(last_shape()->values[0], k);
    }
    ck_assert_uint_eq(atomic_load(&fake()->compilations), 5);
    end(&w);
}
END_TEST

TCase *
steady_cases(void)
{
    TCase *cases = tcase_create("steady");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, arguments_that_stay_are_known);
    tcase_add_test(cases, restless_arguments_are_not);
    tcase_add_test(cases, few_codes_for_many_values);
    tcase_add_test(cases, known_arguments_have_to_be_faster);
    tcase_add_test(cases, widths_of_code_that_knows);
    tcase_add_loop_test(cases, races_end_in_dispatches_of_any_length, 0, 8);
    tcase_add_test(cases, widths_of_code_that_does_not);
    tcase_add_test(cases, code_that_fails_is_left_out);
    tcase_add_loop_test(cases, values_can_be_forbidden, 0, 2);
    tcase_add_test(cases, values_can_be_asked_for);
    return cases;
}
