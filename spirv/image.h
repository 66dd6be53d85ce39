/* SPDX-License-Identifier: MIT */
/* What code is specialised on of a kernel's images and samplers; what these are is public. No LLVM.
 *
 * 16 bits for each argument that is an image or a sampler, in the order of arguments, 0 where nothing is
 * known (not set yet, or beyond LW_SHAPE_IMAGES): code then looks at the argument itself. Else LW_FACT_KNOWN
 * and, of an image, order and type as in struct lw_image, in which dimensions global ids are coordinates of
 * texels, LW_FACT_SMALL and LW_FACT_PADDED; of a sampler its 5 bits. */
#ifndef LW_SPIRV_IMAGE_H
#define LW_SPIRV_IMAGE_H

#include "../include/lanewise/image.h"

#define LW_SHAPE_IMAGES 144 /* as many as a device promises to read from, and samplers */

#define LW_FACT_KNOWN 0x8000u
#define LW_FACT_SMALL 0x2000u /* an image: its memory, with padding, spans less than 2^31 bytes */
#define LW_FACT_PADDED 0x4000u /* an image: LW_IMAGE_PADDING bytes past its last texel may be read */
#define LW_FACT_COVERS(d) (1u << (d)) /* an image: every global id d, with offset, is below its extent d */
#define LW_FACT_IMAGE(order, type) (LW_FACT_KNOWN | (order) << 3 | (type) << 8)
#define LW_FACT_ORDER(fact) (((fact) >> 3) & 31u)
#define LW_FACT_TYPE(fact) (((fact) >> 8) & 31u)
#define LW_FACT_SAMPLER(bits) (LW_FACT_KNOWN | (bits))
#define LW_FACT_SAMPLER_BITS(fact) ((fact) & 31u)

#endif
