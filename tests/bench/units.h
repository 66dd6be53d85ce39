/* SPDX-License-Identifier: MIT */
#ifndef LW_TESTS_BENCH_UNITS_H
#define LW_TESTS_BENCH_UNITS_H

#include <check.h>

void add_output(TCase *tests); /* test_output.c */

#endif
