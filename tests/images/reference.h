/* SPDX-License-Identifier: MIT */
/* Images by the specification's equations (OpenCL C, Image Addressing and Filtering), texel by texel. */
#ifndef LW_TESTS_IMAGES_REFERENCE_H
#define LW_TESTS_IMAGES_REFERENCE_H

#include <lanewise/lanewise.h>
#include <stdbool.h>
#include <stdint.h>

/* Colours as read_imagef, and as read_imagei and read_imageui give them. */
struct colour {
    double f[4];
    int64_t i[4];
    double error[4]; /* that f may have */
    bool undefined;  /* by the specification */
};

enum reading { SAMPLE, FETCH, READ }; /* at floats or at integers with a sampler, without one */

struct format {
    uint32_t order, type, size; /* SPIR-V's numbers, bytes */
};

/* 0 where there is no such format. */
uint32_t format_size(uint32_t order, uint32_t type);
bool is_integer(uint32_t type);
struct colour reference_read(const struct lw_image *image, enum reading how, uint32_t sampler,
                             const float at[4]);
/* The bytes of a texel written with f (floats) or i (integers); true where each may be one more or less. */
void reference_encode(const struct lw_image *image, const float *f, const uint32_t *i, uint8_t *bytes);
/* Where a texel is that is written at such a coordinate, NULL outside. */
uint8_t *reference_place(const struct lw_image *image, const float at[4]);

#endif
