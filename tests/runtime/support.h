/* SPDX-License-Identifier: MIT */
/* What the runtime's test cases have in common. */
#ifndef LW_TESTS_RUNTIME_SUPPORT_H
#define LW_TESTS_RUNTIME_SUPPORT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <lanewise/lanewise.h>
#include "fake.h"

/* The fake compiler's knobs; loads the library that LANEWISE_COMPILER names. */
struct fake_state *fake(void);
lw_device *make_device(unsigned threads);
lw_device *make_device_with(const lw_device_options *options);
lw_program *load(lw_device *device, const char *file);
lw_kernel *make_kernel(lw_program *program, const char *name);

/* Runs `kernel` over the range with a fresh record as argument 0 and fails the test unless every work-item
 * ran exactly once, in order, with the memory and the environment it was promised. The counts are left in
 * `record`. */
void run_checked(lw_kernel *kernel, const lw_ndrange *range, struct fake_record *record);
/* Does so, and counts the compilations. */
unsigned compilations_of(lw_kernel *kernel, const lw_ndrange *range);
/* What the kernel's last run was by. */
lw_compile_info compile_info_of(const lw_kernel *kernel);
/* Behind the dispatch of this number: the compile thread of a busy machine has its turn, too. */
void let_others_run(unsigned dispatch);
/* 1-D for short. */
lw_ndrange line(size_t global, size_t local);

/* Fails the test unless `call` was refused with this status and a text that holds `words`. */
#define assert_refused(call, e, wanted, words)                                                               \
    do {                                                                                                     \
        ck_assert_msg(!(call), "not refused: %s", #call);                                                    \
        ck_assert_msg((e).status == (wanted), "status %d: %s", (e).status, (e).text);                        \
        ck_assert_msg(strstr((e).text, words), "\"%s\" is not in \"%s\"", words, (e).text);                  \
    } while (0)
#define assert_good(call, e) ck_assert_msg(call, "%s: %s", #call, (e).text)

TCase *dispatch_cases(void);
TCase *cache_cases(void);
TCase *tiers_cases(void);
TCase *shape_cases(void);
TCase *cross_check_cases(void);
TCase *api_cases(void);
TCase *query_cases(void);
TCase *process_cases(void);
TCase *race_cases(void);
TCase *crew_cases(void);
TCase *turn_cases(void);
TCase *steady_cases(void);

#endif
