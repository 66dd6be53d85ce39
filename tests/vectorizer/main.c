/* SPDX-License-Identifier: MIT */
/* Runs the suites of the vectorizer's analyses and of a late pass; CK_RUN_SUITE=name runs one. */
#include <check.h>

#include "../run_suite.h"

Suite *model_suite(void);
Suite *uniformity_suite(void);
Suite *forms_suite(void);
Suite *integers_suite(void);
Suite *offsets_suite(void);
Suite *canonical_suite(void);
Suite *private_arrays_suite(void);
Suite *narrow_suite(void);
Suite *endings_suite(void);

int
main(void)
{
    SRunner *runner = srunner_create(model_suite());
    srunner_add_suite(runner, uniformity_suite());
    srunner_add_suite(runner, forms_suite());
    srunner_add_suite(runner, integers_suite());
    srunner_add_suite(runner, offsets_suite());
    srunner_add_suite(runner, canonical_suite());
    srunner_add_suite(runner, private_arrays_suite());
    srunner_add_suite(runner, narrow_suite());
    srunner_add_suite(runner, endings_suite());
    return run_all(runner);
}
