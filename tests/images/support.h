/* SPDX-License-Identifier: MIT */
/* What the tests of images share: images of random bytes before a page that may not be touched, coordinates,
 * a run, and the count of what was right. */
#ifndef LW_TESTS_IMAGES_SUPPORT_H
#define LW_TESTS_IMAGES_SUPPORT_H

#include "reference.h"

#define ITEMS 403
#define MAPPED (1u << 20)
#define UNKNOWN 144 /* samplers, behind which nothing is known before (LW_SHAPE_IMAGES) */

struct setting {
    lw_device *device;
    lw_program *program;
    uint32_t n;
};

struct arguments {
    unsigned samplers; /* that stand before all others and are not used */
    const struct lw_image *image;
    bool sampled;
    uint32_t sampler;
    void *coordinates, *values;
};

extern struct setting now;
extern unsigned long long passed;
extern unsigned failed, draws;
extern char place[300]; /* what is being tested */
extern const uint32_t sizes[5], common[8][2], integers[7][2];
extern uint8_t *mapping;

void fail(const char *kernel, const char *what, size_t item);

/* A number below `count`. */
unsigned draw(unsigned count);

/* False: there is no memory. */
bool map_images(void);
struct lw_image make_image(uint32_t kind, uint32_t order, uint32_t type, uint32_t w, uint32_t h, uint32_t d);

/* Of random size. */
struct lw_image some_image(uint32_t kind, const uint32_t format[2]);
void fill_coordinates(const struct lw_image *i, bool normalized, bool whole, float (*c)[4]);
bool run(const char *kernel, const struct arguments *a);
bool near(double got, double wanted, double error);

/* texels.c. `out` and `in`: 'f' floats, 'h' halves, 'i' and 'u' integers, 'd' one float each. */
void test_read(const char *kernel, const struct lw_image *image, enum reading how, uint32_t sampler, char out,
               unsigned samplers);
void test_write(const char *kernel, const struct lw_image *image, char in, unsigned samplers);
void test_change(const char *kernel, const struct lw_image *image);

/* neighbours.c. `kernel` of test_rows is of sums along rows: rows, whole_floats. */
void test_divergent(void);
void test_rows(const char *kernel);
void test_blocks(const char *kernel, uint32_t bytes, uint32_t rows);
void test_questions(void);

#endif
