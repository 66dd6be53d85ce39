/* SPDX-License-Identifier: MIT */
/* What the files about images share: formats, extents, commands. */
#ifndef LW_OPENCL_IMAGES_H
#define LW_OPENCL_IMAGES_H

#include "../objects.h"

/* ---- image_format.c ---- */

/* CL_SUCCESS, or what clCreateImage says of a format for images of this type. */
cl_int lw_cl_check_format(const cl_image_format *format, cl_mem_object_type type);
/* Bytes of a texel of a format that has passed. */
uint32_t lw_cl_element_size(const cl_image_format *format);
/* A colour as clEnqueueFillImage takes it, as a texel of up to 16 bytes. */
void lw_cl_texel_of_colour(const cl_image_format *format, const void *colour, unsigned char out[16]);

/* ---- image.c ---- */

enum lw_image_kind lw_cl_image_kind(cl_mem_object_type type); /* 0: no type of image */
cl_mem_object_type lw_cl_image_type(const struct _cl_mem *image);
/* In texels, rows and slices, as origins and regions count: 1 where there is no such dimension. */
void lw_cl_image_extent(const struct lw_image *image, size_t out[3]);

/* ---- transfer.c ---- */

/* Copies a box of bytes; not yet enqueued. NULL: no memory. */
cl_event lw_cl_box_command(cl_command_queue queue, cl_command_type type, const struct lw_bulk *box);
/* `mapping` is taken over where the result is CL_SUCCESS. */
cl_int lw_cl_note_mapping(struct lw_cl_mapping *mapping);
bool lw_cl_forget_mapping(cl_mem memory, const void *pointer); /* false: it is not mapped */
cl_int lw_cl_check_map_access(const struct _cl_mem *memory, cl_map_flags flags);
static inline bool
lw_cl_map_writes(cl_map_flags flags)
{
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* ---- buffer.c ---- */

bool lw_cl_memory_flags_are_valid(cl_mem_flags flags);
/* The flags of memory inside other memory: what they leave open is the parent's. false: they contradict it.
 */
bool lw_cl_inherit_flags(cl_mem_flags flags, cl_mem_flags parent, cl_mem_flags *out);
void lw_cl_destroy_memory(void *object);
/* Holds its context; nothing else is set. NULL: no memory. */
cl_mem lw_cl_new_memory(cl_context context, cl_mem_flags flags, void (*destroy)(void *memory));
/* The end of making it: copies the properties and answers the program; with an error it is dropped. */
cl_mem lw_cl_complete_memory(cl_mem memory, cl_int error, const cl_mem_properties *properties,
                             cl_int *errcode_ret);

#endif
