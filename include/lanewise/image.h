/* SPDX-License-Identifier: MIT */
/* An image and a sampler, as the host, generated code and the runtime see them. No LLVM, no other header.
 *
 * An image argument is the address of a `struct lw_image`, a sampler argument the 32 bits of its settings.
 * Texel (x, y, z) lies at data + z * slice_pitch + y * row_pitch + x * element_size; the layers of an array
 * are z in a 2-D array and y in a 1-D array (whose row_pitch is its slice pitch). Numbers of order, type and
 * of the sampler's modes are SPIR-V's (Image Channel Order, Image Channel Data Type, Sampler Addressing Mode,
 * Sampler Filter Mode), which differ from the CL_ constants: order = CL - 0x10B0, type = CL - 0x10D0.
 *
 * The memory reaches LW_IMAGE_PADDING bytes past the last texel, so that wide loads may begin at any texel;
 * what is there is nobody's. (Memory of the caller's, CL_MEM_USE_HOST_PTR, and images from buffers are as
 * they are: there `padded` is 0.) */
#ifndef LANEWISE_IMAGE_H
#define LANEWISE_IMAGE_H

#include <stdint.h>

#define LW_IMAGE_PADDING 64

enum lw_image_kind {
    LW_IMAGE_1D = 1,
    LW_IMAGE_1D_BUFFER,
    LW_IMAGE_1D_ARRAY,
    LW_IMAGE_2D,
    LW_IMAGE_2D_ARRAY,
    LW_IMAGE_3D,
};

struct lw_image {
    void *data;           /* the first texel */
    uint32_t kind;        /* enum lw_image_kind */
    uint32_t order, type; /* SPIR-V's numbers */
    uint32_t element_size; /* bytes of a texel */
    uint32_t width, height, depth; /* texels; 1 where the kind has none */
    uint32_t layers;      /* of an array, else 1 */
    uint64_t row_pitch, slice_pitch; /* bytes */
    uint32_t mip_levels, samples;    /* as of the queries: 0 or 1 */
    uint32_t padded;                 /* 1: LW_IMAGE_PADDING bytes past the last texel may be read */
};

/* A sampler's bits: OpConstantSampler's operands. */
#define LW_SAMPLER_ADDRESSING(bits) ((bits) & 7u) /* None, ClampToEdge, Clamp, Repeat, RepeatMirrored */
#define LW_SAMPLER_NORMALIZED(bits) (((bits) >> 3) & 1u)
#define LW_SAMPLER_LINEAR(bits) (((bits) >> 4) & 1u)
#define LW_SAMPLER_BITS(addressing, normalized, linear) ((addressing) | (normalized) << 3 | (linear) << 4)

#endif
