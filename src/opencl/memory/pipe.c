/* SPDX-License-Identifier: MIT */
/* Pipes: memory objects that kernels alone read and write. */
#include "images.h"
#include "../../../spirv/pipe.h"

#include <stdlib.h>

static void
destroy_pipe(void *object)
{
    cl_mem pipe = object;
    lw_cl_call_memory_destructors(pipe);
    free(pipe->data);
    lw_cl_drop(pipe->context);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
             const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if ((flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS)) || properties)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    if (!packet_size || packet_size > LW_MAX_PIPE_PACKET || !max_packets)
        return lw_cl_fail(errcode_ret, CL_INVALID_PIPE_SIZE);
    size_t bytes = lw_pipe_memory_size(packet_size, max_packets);
    if (!bytes || bytes > lw_cl_max_alloc(context->device))
        return lw_cl_fail(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    flags = flags ? flags : CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    cl_mem pipe = lw_cl_new_memory(context, flags, destroy_pipe);
    if (!pipe)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    pipe->size = bytes;
    pipe->packet_size = packet_size;
    pipe->max_packets = max_packets;
    pipe->data = aligned_alloc(LW_PIPE_ALIGN, (bytes + LW_PIPE_ALIGN - 1) & ~(size_t)(LW_PIPE_ALIGN - 1));
    if (!pipe->data) {
        lw_cl_drop(pipe);
        return lw_cl_fail(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    lw_pipe_init(pipe->data, packet_size, max_packets);
    return lw_cl_give(errcode_ret, pipe);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(pipe, LW_CL_MEMORY) || !pipe->max_packets)
        return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_PIPE_PACKET_SIZE:
        return lw_cl_answer_uint(&to, pipe->packet_size);
    case CL_PIPE_MAX_PACKETS:
        return lw_cl_answer_uint(&to, pipe->max_packets);
    case CL_PIPE_PROPERTIES:
        return lw_cl_answer_bytes(&to, NULL, 0); /* none can be given */
    default:
        return CL_INVALID_VALUE;
    }
}
