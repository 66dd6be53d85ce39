/* SPDX-License-Identifier: MIT */
/* Memory that programs see by pointer: what svm.c and usm.c share. */
#ifndef LW_OPENCL_ALLOCATIONS_H
#define LW_OPENCL_ALLOCATIONS_H

#include "../objects.h"

/* `kind` tells all but place and size. NULL: no memory. `align` is a power of two or 0. */
void *lw_cl_allocate(cl_context context, size_t size, size_t align, struct lw_cl_allocation kind);
/* false: no allocation of clSVMAlloc, or of the extension's functions, begins there. */
bool lw_cl_free_allocation(cl_context context, void *pointer, bool svm);
/* The allocation that `pointer` points into. */
bool lw_cl_find_allocation(cl_context context, const void *pointer, struct lw_cl_allocation *out);

/* room.c: as lw_pages_allocate; NULL where there is no room for it either. Gone with lw_cl_give_memory. */
void *lw_cl_take_memory(size_t align, size_t bytes);
void lw_cl_give_memory(void *base, size_t bytes);

struct lw_cl_pointer_command {
    cl_command_queue queue;
    cl_command_type type;
    cl_uint count;
    const cl_event *list;
    cl_event *event;
};

/* Queue and wait list. */
cl_int lw_cl_check_pointer_command(const struct lw_cl_pointer_command *c);
/* With the checks of pointers, sizes and patterns. `build`: NULL, or what the copy holds until it is done. */
cl_int lw_cl_enqueue_copy(const struct lw_cl_pointer_command *c, cl_bool blocking, void *to, const void *from,
                          size_t size, lw_program *build);
cl_int lw_cl_enqueue_pattern(const struct lw_cl_pointer_command *c, void *to, const void *pattern,
                             size_t pattern_size, size_t size);
cl_int lw_cl_enqueue_nothing(const struct lw_cl_pointer_command *c, cl_bool blocking);

#endif
