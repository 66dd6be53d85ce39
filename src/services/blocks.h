/* SPDX-License-Identifier: MIT */
/* What kernels ask of the runtime about blocks (spirv/enqueue.h). */
#ifndef LW_SRC_BLOCKS_H
#define LW_SRC_BLOCKS_H

#include "../objects.h"

/* What a kernel and all that descends from it share: made at its first run, where it names blocks. */
struct lw_family;

/* NULL and `error`: no memory. Free with lw_family_free. */
struct lw_family *lw_family_create(const lw_kernel *kernel, lw_error *error);
void lw_family_free(struct lw_family *family);
/* The block as a kernel that nobody runs, by its number among the entry points; NULL: refused, or no memory.
 * Under the family's lock. */
const lw_kernel *lw_family_block(struct lw_family *family, uint64_t number);
/* An NDRange as kernels hand it over, a word every `width`. */
lw_ndrange lw_read_ndrange(const uint64_t *words, uint32_t width);
/* lw_service_function (compiler.h), of enum lw_enqueue_service, for a kernel with a family. */
void lw_serve_blocks(const lw_kernel *kernel, uint32_t service, uint64_t lanes, uint32_t width,
                     uint64_t *columns);

#endif
