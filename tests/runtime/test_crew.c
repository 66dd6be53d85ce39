/* SPDX-License-Identifier: MIT */
/* One thread or all of them: dispatches whose times are made up. */
#include "support.h"
#include "../../src/tiers/crew.h"

#define GROUPS 100

/* So many dispatches; how many of them one thread was to serve. */
static unsigned
run_dispatches(struct lw_crew *crew, unsigned count, uint64_t groups, uint64_t shared, uint64_t alone)
{
    unsigned lonely = 0;
    for (unsigned k = 0; k < count; k++) {
        enum lw_crew_trial trial;
        bool one = lw_crew_is_alone(crew, groups, &trial);
        if (trial != LW_CREW_NO_TRIAL)
            ck_assert_int_eq(trial, one ? LW_CREW_ALONE : LW_CREW_SHARED);
        /* Now and then something comes in between. */
        lw_crew_note(crew, trial, groups, (one ? alone : shared) * (k % 3 == 0 ? 10 : 1));
        lonely += one;
    }
    return lonely;
}

START_TEST(one_thread_serves_what_it_is_faster_at)
{
    struct lw_crew crew = {0};
    ck_assert_uint_gt(run_dispatches(&crew, 1000, GROUPS, 20000, 10000), 950);
}
END_TEST

/* Trials become rare. */
START_TEST(all_serve_what_they_are_faster_at)
{
    struct lw_crew crew = {0};
    ck_assert_uint_lt(run_dispatches(&crew, 100000, GROUPS, 10000, 15000), 50);
}
END_TEST

START_TEST(what_takes_one_thread_far_longer_is_tried_twice)
{
    struct lw_crew crew = {0};
    ck_assert_uint_eq(run_dispatches(&crew, 200, GROUPS, 1000, 16000), 2);
}
END_TEST

START_TEST(times_change)
{
    struct lw_crew crew = {0};
    run_dispatches(&crew, 1000, GROUPS, 10000, 20000);
    ck_assert_uint_gt(run_dispatches(&crew, 4000, GROUPS, 20000, 10000), 2000);
    ck_assert_uint_lt(run_dispatches(&crew, 40000, GROUPS, 10000, 20000), 20000);
}
END_TEST

/* What was found for some work-groups says nothing of far more, until those come again and again. */
START_TEST(other_sizes_are_others)
{
    struct lw_crew crew = {0};
    run_dispatches(&crew, 100, GROUPS, 20000, 10000);
    ck_assert_uint_eq(run_dispatches(&crew, 10, 3 * GROUPS, 1000, 1000), 0);
    ck_assert_uint_eq(run_dispatches(&crew, 100, GROUPS, 20000, 10000), 100);
    ck_assert_uint_lt(run_dispatches(&crew, 200, 3 * GROUPS, 1000, 1000), 10);
}
END_TEST

TCase *
crew_cases(void)
{
    TCase *cases = tcase_create("crew");
    tcase_add_test(cases, one_thread_serves_what_it_is_faster_at);
    tcase_add_test(cases, all_serve_what_they_are_faster_at);
    tcase_add_test(cases, what_takes_one_thread_far_longer_is_tried_twice);
    tcase_add_test(cases, times_change);
    tcase_add_test(cases, other_sizes_are_others);
    return cases;
}
