/* SPDX-License-Identifier: MIT */
/* An image's texels in plain memory beside it. */
#ifndef LW_TESTS_OPENCL_IMAGE_MODEL_H
#define LW_TESTS_OPENCL_IMAGE_MODEL_H

#include "image_support.h"

static const size_t zero[3] = {0};

/* The texels without gaps, and where each is. */
struct model {
    unsigned char bytes[7 * 5 * 4 * 16];
    const size_t *extent;
    size_t element;
};

static inline unsigned char *
texel(struct model *m, size_t x, size_t y, size_t z)
{
    return m->bytes + ((z * m->extent[1] + y) * m->extent[0] + x) * m->element;
}

static inline cl_mem
make_model(int kind, const cl_image_format *format, cl_mem_flags flags, struct model *m, unsigned seed)
{
    m->extent = image_extents[kind];
    m->element = element_bytes(format);
    for (size_t i = 0; i < sizeof m->bytes; i++) {
        seed = seed * 1664525 + 1013904223;
        m->bytes[i] = (unsigned char)(seed >> 24);
    }
    return make_image(kind, format, flags | CL_MEM_COPY_HOST_PTR, m->bytes);
}

#endif
