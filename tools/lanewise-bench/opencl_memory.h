/* SPDX-License-Identifier: MIT */
/* The buffers, images, pipes and samplers of an opencl worker. */
#ifndef LANEWISE_BENCH_OPENCL_MEMORY_H
#define LANEWISE_BENCH_OPENCL_MEMORY_H

#include "description.h"
#include "opencl_device.h"

cl_mem opencl_memory(const struct opencl *opencl, const struct case_argument *argument, cl_int *status);
cl_sampler opencl_sampler(const struct opencl *opencl, const struct argument_line *line, cl_int *status);
/* All of it, texels without gaps between rows: into the memory, or from there. Blocks. */
cl_int opencl_move(const struct opencl *opencl, cl_mem memory, const struct case_argument *argument,
                   void *data, bool write);

#endif
