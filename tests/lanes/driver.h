/* SPDX-License-Identifier: MIT */
/* What the tests of this folder share: a module's kernels at every instruction set, sub-group size and a few
 * ranges, and memory between pages that may not be touched.
 */
#ifndef LW_TESTS_LANES_DRIVER_H
#define LW_TESTS_LANES_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include <lanewise/lanewise.h>

/* One kernel, or form, by one range. */
struct attempt {
    lw_device *device;
    lw_program *program;
    unsigned threads;
    unsigned size; /* of sub-groups; 0: what the compiler chooses */
    size_t form, range;
    void *data;
};

struct driver {
    const void *forms; /* each begins with its name */
    size_t form_size, form_count, range_count;
    unsigned most_threads; /* 4: with one and with four */
    /* Is it tried? `turn` adds up what varies: too much to try it all. */
    bool (*wants)(const struct attempt *attempt, size_t turn);
    /* false: it said what is wrong. */
    bool (*run)(const struct attempt *attempt);
    void *data;
};

/* The test's main: MODULE.spv [KERNEL]. */
int lanes_main(int argc, char **argv, const struct driver *driver);
/* A line's begin, for `run`. */
void lanes_failed(const struct attempt *attempt, const char *kernel);
/* The kernel, with the attempt's sub-group size; NULL: failed. */
lw_kernel *lanes_kernel(const struct attempt *attempt, const char *name, lw_error *error);

/* Memory with room for LANES_MOST bytes; and `bytes` of it that end where a page begins that may not be
 * touched. The page before all of them may not be either. */
enum { LANES_MOST = 1 << 21 };
unsigned char *lanes_area(void);
unsigned char *lanes_fenced(unsigned char *area, size_t bytes);

/* Small numbers as floats and as integers: bytes of floats below 1000 would be anything. */
void lanes_fill(unsigned char *data, size_t bytes);
/* Numbers from `lowest` on, a thousand of them. */
void lanes_fill_ints(int *data, size_t count, int lowest);

#endif
