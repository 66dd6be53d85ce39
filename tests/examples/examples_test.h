/* SPDX-License-Identifier: MIT */
/* The examples' test: each kernel of examples/ on every ISA level, sub-group size and awkward work-group
 * shape. */
#ifndef LW_EXAMPLES_TEST_H
#define LW_EXAMPLES_TEST_H

#include <lanewise/lanewise.h>

#define MAX_BUFFERS 8

/* One run of one kernel. */
struct trial {
    lw_kernel *kernel;
    uint32_t dimensions;
    size_t local[3];
    size_t global[3]; /* a remainder in every dimension, for kernels that leave the size open */
    uint32_t argument;
    bool failed;
    char why[1200];
    struct {
        unsigned char *block;
        size_t bytes;
    } buffers[MAX_BUFFERS];
    unsigned buffer_count;
};

enum { ON_LINE = 1, ON_PLANE = 2, IN_SPACE = 4, ANY_SHAPE = 7 };

struct example {
    const char *name;                 /* of the kernel and its file */
    unsigned shapes;                  /* work-group shapes that its logic allows */
    void (*run)(struct trial *trial); /* sets arguments, runs, compares with its own reference */
};

/* end with a NULL name */
extern const struct example lw_line_examples[], lw_plane_examples[], lw_enqueue_examples[];

/* Arguments, in order. Buffers are zeroed and have guard bytes on both sides, checked after the run. */
void trial_value(struct trial *trial, const void *value, size_t size);
void trial_uint(struct trial *trial, uint32_t value);
void trial_float(struct trial *trial, float value);
void *trial_buffer(struct trial *trial, size_t count, size_t size);
void trial_local_memory(struct trial *trial, size_t bytes);
/* Runs over trial->global; false where it failed. */
bool trial_run(struct trial *trial);
/* The first call's words are kept. */
void trial_fail(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* |got - want| <= absolute + relative * |want|, NaN never. */
void trial_near(struct trial *trial, const char *what, size_t index, double got, double want, double relative,
                double absolute);
void trial_equal(struct trial *trial, const char *what, size_t index, int64_t got, int64_t want);

static inline size_t
trial_items(const struct trial *t)
{
    return t->global[0] * t->global[1] * t->global[2];
}

static inline size_t
trial_group_items(const struct trial *t)
{
    return t->local[0] * t->local[1] * t->local[2];
}

static inline size_t
trial_groups(const struct trial *t, unsigned d)
{
    return (t->global[d] + t->local[d] - 1) / t->local[d];
}

/* Work-items of each work-group in linear order: calls `visit` with the item's global linear id. */
typedef void trial_visit(void *data, size_t group, size_t local_id, size_t global_id);
void trial_each_item(const struct trial *trial, trial_visit *visit, void *data);

/* Deterministic numbers. */
uint32_t trial_random(uint32_t *state);
float trial_random_float(uint32_t *state, float low, float high);

#endif
