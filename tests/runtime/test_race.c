/* SPDX-License-Identifier: MIT */
/* The race of widths: every work-item once while codes of several widths share a dispatch, and the one that
 * says it does a hundredth of the others' work serves in the end. */
#include "support.h"

#include <pthread.h>

#define ENOUGH 20000 /* dispatches */
#define WORK 50000   /* of a work-group */

static void
everybody_works(unsigned lanes_that_do_not)
{
    for (unsigned lanes = 1; lanes <= LW_MAX_LANES; lanes++)
        fake()->work_of_lanes[lanes] = lanes == lanes_that_do_not ? WORK / 100 : WORK;
}

static uint32_t
lanes_of(const lw_kernel *kernel)
{
    return compile_info_of(kernel).lanes;
}

/* A kernel whose special code is run at once. */
struct world {
    lw_device *device;
    lw_program *program;
    lw_kernel *kernel;
};

static const lw_ndrange range = {.dimensions = 1, .global = {1024}, .local = {64}};
static const lw_ndrange with_a_remainder = {.dimensions = 1, .global = {1000}, .local = {64}};

static lw_kernel *
make(lw_program *program, const char *name)
{
    lw_error error;
    lw_kernel *kernel = make_kernel(program, name);
    assert_good(lw_kernel_set_arg(kernel, 1, &(uint32_t){3}, 4, &error), error);
    return kernel;
}

static struct world
begin_with(const char *name, unsigned threads, enum lw_doubt doubt)
{
    struct world w;
    setenv("LANEWISE_TIER", "specialised", 1);
    setenv("LANEWISE_VALUES", "never", 1);
    w.device = make_device(threads);
    w.program = load(w.device, "kernels.spv");
    w.kernel = make(w.program, name);
    fake()->doubt = doubt;
    return w;
}

static struct world
begin(unsigned threads, enum lw_doubt doubt)
{
    return begin_with("plain", threads, doubt);
}

static void
end(struct world *w)
{
    lw_kernel_release(w->kernel);
    lw_program_release(w->program);
    lw_device_release(w->device);
    ck_assert_uint_eq(atomic_load(&fake()->live), 0);
    fake()->doubt = LW_NO_DOUBT;
    atomic_store(&fake()->fail, false);
    memset(fake()->work_of_lanes, 0, sizeof fake()->work_of_lanes);
    unsetenv("LANEWISE_TIER");
    unsetenv("LANEWISE_ISA");
    unsetenv("LANEWISE_RACE");
    unsetenv("LANEWISE_VALUES");
}

/* Until another width serves; how many dispatches that took, at most `most`. */
static unsigned
run_range_until_lanes_change(lw_kernel *kernel, const lw_ndrange *asked, unsigned most)
{
    run_checked(kernel, asked, &(struct fake_record){.spin = 500});
    uint32_t first = lanes_of(kernel);
    for (unsigned k = 0; k < most; k++) {
        run_checked(kernel, asked, &(struct fake_record){.spin = 500});
        if (lanes_of(kernel) != first)
            return k;
        let_others_run(k);
    }
    return most;
}

static unsigned
run_until_lanes_change(lw_kernel *kernel, unsigned most)
{
    return run_range_until_lanes_change(kernel, &range, most);
}

static void
race(unsigned threads, unsigned fastest)
{
    struct world w = begin(threads, LW_DOUBT);
    everybody_works(fastest);
    ck_assert_uint_lt(run_until_lanes_change(w.kernel, ENOUGH), ENOUGH);
    ck_assert_uint_eq(lanes_of(w.kernel), fastest);
    end(&w);
}

START_TEST(scalar_code_wins)
{
    race(1, 1);
    race(2, 1);
}
END_TEST

START_TEST(a_width_wins)
{
    setenv("LANEWISE_ISA", "avx2", 1); /* half of whose usual width is 4 */
    race(2, 4);
}
END_TEST

START_TEST(more_registers_win)
{
    setenv("LANEWISE_ISA", "avx2", 1);
    race(2, 16);
    race(1, 32);
}
END_TEST

/* The last work-group is masked code's, whose time is no entrant's. */
START_TEST(full_groups_race_beside_a_remainder)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct world w = begin(threads, LW_DOUBT);
        everybody_works(1);
        ck_assert_uint_lt(run_range_until_lanes_change(w.kernel, &with_a_remainder, ENOUGH), ENOUGH);
        ck_assert_uint_eq(lanes_of(w.kernel), 1);
        end(&w);
    }
}
END_TEST

static void *
run_for_a_while(void *program)
{
    lw_kernel *kernel = make(program, "plain");
    for (unsigned k = 0; k < ENOUGH && (k < 100 || lanes_of(kernel) != 1); k++) {
        run_checked(kernel, &range, &(struct fake_record){.spin = 500});
        let_others_run(k);
    }
    uint32_t lanes = lanes_of(kernel);
    lw_kernel_release(kernel);
    return (void *)(uintptr_t)lanes;
}

START_TEST(kernels_race_together)
{
    pthread_t threads[4];
    struct world w = begin(2, LW_DOUBT);
    everybody_works(1);
    for (unsigned k = 0; k < 4; k++)
        ck_assert_int_eq(pthread_create(&threads[k], NULL, run_for_a_while, w.program), 0);
    for (unsigned k = 0; k < 4; k++) {
        void *lanes;
        pthread_join(threads[k], &lanes);
        ck_assert_uint_eq((uintptr_t)lanes, 1);
    }
    end(&w);
}
END_TEST

static void
stay_alone(enum lw_doubt doubt)
{
    struct world w = begin(1, doubt);
    everybody_works(1);
    ck_assert_uint_eq(run_until_lanes_change(w.kernel, 200), 200);
    ck_assert_uint_eq(atomic_load(&fake()->compilations), 1);
    end(&w);
}

START_TEST(no_race_without_doubts)
{
    stay_alone(LW_NO_DOUBT);
}
END_TEST

/* Bytes have four registers' worth of lanes, which the compiler need not doubt. */
START_TEST(more_lanes_than_a_register_has_are_in_doubt)
{
    setenv("LANEWISE_ISA", "avx2", 1);
    struct world w = begin_with("narrow", 1, LW_NO_DOUBT);
    everybody_works(8);
    run_checked(w.kernel, &range, &(struct fake_record){.spin = 500});
    ck_assert_uint_eq(lanes_of(w.kernel), 32);
    ck_assert_uint_lt(run_until_lanes_change(w.kernel, ENOUGH), ENOUGH);
    ck_assert_uint_eq(lanes_of(w.kernel), 8);
    end(&w);
}
END_TEST

/* A kernel that may wait for others has one width for all of its code; unless that code does not wait. */
START_TEST(what_does_not_wait_races)
{
    setenv("LANEWISE_ISA", "avx2", 1);
    struct world w = begin_with("probing", 1, LW_DOUBT);
    everybody_works(1);
    ck_assert_uint_lt(run_until_lanes_change(w.kernel, ENOUGH), ENOUGH);
    ck_assert_uint_eq(lanes_of(w.kernel), 1);
    end(&w);
}
END_TEST

/* Two registers of lanes slower than four tell nothing of one. */
START_TEST(one_register_has_a_chance)
{
    setenv("LANEWISE_ISA", "avx2", 1); /* 32 lanes, then 1, 8, 4, and 16 */
    struct world w = begin_with("narrow", 1, LW_NO_DOUBT);
    everybody_works(8);
    fake()->work_of_lanes[16] = 2 * WORK;
    ck_assert_uint_lt(run_until_lanes_change(w.kernel, ENOUGH), ENOUGH);
    ck_assert_uint_eq(lanes_of(w.kernel), 8);
    end(&w);
}
END_TEST

/* The usual width is the fastest: it stays, after all of them have run. */
START_TEST(the_usual_width_stays)
{
    struct world w = begin(1, LW_DOUBT);
    everybody_works(0);
    run_checked(w.kernel, &range, &(struct fake_record){.spin = 500});
    everybody_works(lanes_of(w.kernel));
    ck_assert_uint_eq(run_until_lanes_change(w.kernel, 1000), 1000);
    ck_assert_uint_gt(atomic_load(&fake()->compilations), 1);
    end(&w);
}
END_TEST

/* So many codes, where 16 lanes are better than 8, and so many take twice as long as all others. */
static unsigned
count_codes(unsigned slow_lanes)
{
    setenv("LANEWISE_ISA", "avx2", 1); /* 8 lanes, then 1, 4, 16, and 32 */
    struct world w = begin(1, LW_DOUBT);
    everybody_works(0);
    fake()->work_of_lanes[16] = WORK / 2;
    fake()->work_of_lanes[slow_lanes] = 2 * WORK;
    unsigned before = atomic_load(&fake()->compilations);
    for (unsigned k = 0; k < 2000; k++) {
        run_checked(w.kernel, &range, &(struct fake_record){.spin = 500});
        let_others_run(k);
    }
    unsigned codes = atomic_load(&fake()->compilations) - before;
    end(&w);
    return codes;
}

START_TEST(what_lies_beyond_a_slow_width_is_not_compiled)
{
    ck_assert_uint_eq(count_codes(0), 5);
    ck_assert_uint_eq(count_codes(4), 5);
    ck_assert_uint_eq(count_codes(16), 4);
}
END_TEST

/* Scalar code that is slower than others until its branches are learnt, by that code alone. */
static unsigned
run_what_is_learnt(unsigned threads, enum lw_doubt doubt, unsigned learnt_after)
{
    struct world w = begin(threads, doubt);
    everybody_works(0);
    fake()->work_of_lanes[1] = 2 * WORK;
    fake()->learnt_after = learnt_after;
    unsigned dispatches = run_until_lanes_change(w.kernel, 2000);
    if (dispatches < 2000)
        ck_assert_uint_eq(lanes_of(w.kernel), 1);
    fake()->learnt_after = 0;
    end(&w);
    return dispatches;
}

/* Or not where others take the processors just then: one race of three is enough. */
static bool
learns(unsigned threads)
{
    bool learnt = false;
    for (int k = 0; k < 3 && !learnt; k++)
        learnt = run_what_is_learnt(threads, LW_LANES_STRAY, 1000) < 2000;
    return learnt;
}

START_TEST(branches_are_learnt)
{
    ck_assert(learns(1));
    ck_assert(learns(2));
}
END_TEST

/* Nor do others wait for it for long, or where there is nothing to be learnt. */
START_TEST(what_is_not_learnt_loses)
{
    ck_assert_uint_eq(run_what_is_learnt(1, LW_LANES_STRAY, 0), 2000);
    ck_assert_uint_eq(run_what_is_learnt(1, LW_LANES_STRAY, 1000000), 2000);
    ck_assert_uint_eq(run_what_is_learnt(1, LW_DOUBT, 1000), 2000);
}
END_TEST

START_TEST(races_can_be_forbidden)
{
    setenv("LANEWISE_RACE", "0", 1);
    stay_alone(LW_DOUBT);
}
END_TEST

/* Rivals that the compiler fails on do not take part. */
START_TEST(rivals_that_fail_are_left_out)
{
    struct world w = begin(1, LW_DOUBT);
    everybody_works(1);
    run_checked(w.kernel, &range, &(struct fake_record){.spin = 500});
    atomic_store(&fake()->fail, true);
    ck_assert_uint_eq(run_until_lanes_change(w.kernel, 300), 300);
    end(&w);
}
END_TEST

TCase *
race_cases(void)
{
    TCase *cases = tcase_create("race");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, scalar_code_wins);
    tcase_add_test(cases, a_width_wins);
    tcase_add_test(cases, more_registers_win);
    tcase_add_test(cases, full_groups_race_beside_a_remainder);
    tcase_add_test(cases, kernels_race_together);
    tcase_add_test(cases, no_race_without_doubts);
    tcase_add_test(cases, more_lanes_than_a_register_has_are_in_doubt);
    tcase_add_test(cases, what_does_not_wait_races);
    tcase_add_test(cases, one_register_has_a_chance);
    tcase_add_test(cases, the_usual_width_stays);
    tcase_add_test(cases, what_lies_beyond_a_slow_width_is_not_compiled);
    tcase_add_test(cases, branches_are_learnt);
    tcase_add_test(cases, what_is_not_learnt_loses);
    tcase_add_test(cases, races_can_be_forbidden);
    tcase_add_test(cases, rivals_that_fail_are_left_out);
    return cases;
}
