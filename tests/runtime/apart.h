/* SPDX-License-Identifier: MIT */
/* Compilations in a process of their own: what the tests of it share, each of which is a process (check
 * forks), and what each file adds to them. */
#ifndef LW_TESTS_APART_H
#define LW_TESTS_APART_H

#include <check.h>
#include <stdbool.h>
#include <lanewise/lanewise.h>

#define N 1024
#define GROUP 64

void open_program_with(const lw_device_options *options);
void open_program(void);
void close_program(void);
lw_kernel *make_kernel(const char *name);
/* Is the result right? The error otherwise. */
bool run_kernel(lw_kernel *kernel, lw_error *e);
void run_good(const char *name);
lw_compile_info info_of(const lw_kernel *kernel);

void add_crashes(TCase *cases);
void add_host(TCase *cases);

#endif
