/* SPDX-License-Identifier: MIT */
/* The end of a test's main. */
#ifndef LW_TESTS_RUN_SUITE_H
#define LW_TESTS_RUN_SUITE_H

#include <check.h>

/* What main returns: 0 where all passed. The mode of forking may be set before. */
static inline int
run_all(SRunner *runner)
{
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

static inline int
run_suite(Suite *suite)
{
    return run_all(srunner_create(suite));
}

/* All tests in this process: they share what is open. */
static inline int
run_suite_here(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    return run_all(runner);
}

#endif
