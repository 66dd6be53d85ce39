/* SPDX-License-Identifier: MIT */
/* Random kernels in which work-items of a sub-group meet, and what random_meetings.py says comes out. */
#ifndef LW_TEST_RANDOM_MEETINGS_H
#define LW_TEST_RANDOM_MEETINGS_H

enum { RANDOM_ITEMS = 44, RANDOM_SIZES = 5 };

struct random_kernel {
    const char *name; /* NULL: the end */
    unsigned words[RANDOM_ITEMS];
    unsigned results[RANDOM_SIZES][RANDOM_ITEMS]; /* by sub-groups of 4, 8, ... 64 */
};

extern const char random_source[];
extern const struct random_kernel random_kernels[];

#endif
