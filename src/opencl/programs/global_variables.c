/* SPDX-License-Identifier: MIT */
/* Program-scope variables from the host, by name: the functions by which SYCL's device_global is written and
 * read. */
#include "global_variables.h"

#include "../memory/allocations.h"

/* The variable in a build that is retained for as long as the address is of use. */
static cl_int
find(cl_program program, const char *name, lw_program **build, char **address, size_t *size)
{
    void *found = NULL;
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!name)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&program->lock);
    *build = program->program;
    if (*build)
        atomic_fetch_add_explicit(&(*build)->refs, 1, memory_order_relaxed);
    pthread_mutex_unlock(&program->lock);
    if (!*build)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (!lw_program_variable(*build, name, &found, size)) {
        lw_program_release(*build);
        return CL_INVALID_ARG_VALUE;
    }
    *address = found;
    return CL_SUCCESS;
}

struct transfer {
    cl_program program;
    const char *name;
    cl_bool blocking;
    size_t size, offset;
    void *to; /* NULL: from `from` into the variable */
    const void *from;
};

static cl_int
move(const struct lw_cl_pointer_command *c, const struct transfer *t)
{
    lw_program *build;
    char *address;
    size_t size;
    cl_int error = lw_cl_check_pointer_command(c);
    if (!error && !t->to && !t->from)
        error = CL_INVALID_VALUE;
    if (error || (error = find(t->program, t->name, &build, &address, &size)))
        return error;
    if (t->offset > size || t->size > size - t->offset)
        error = CL_INVALID_VALUE;
    else
        error = lw_cl_enqueue_copy(c, t->blocking, t->to ? t->to : address + t->offset,
                                   t->to ? address + t->offset : t->from, t->size, build);
    lw_program_release(build); /* the copy holds it */
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadGlobalVariableINTEL(cl_command_queue queue, cl_program program, const char *name,
                                 cl_bool blocking, size_t size, size_t offset, void *ptr, cl_uint count,
                                 const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_MEMCPY, count, list, event};
    struct transfer t = {program, name, blocking, size, offset, .to = ptr};
    return move(&c, &t);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteGlobalVariableINTEL(cl_command_queue queue, cl_program program, const char *name,
                                  cl_bool blocking, size_t size, size_t offset, const void *ptr,
                                  cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_MEMCPY, count, list, event};
    struct transfer t = {program, name, blocking, size, offset, .from = ptr};
    return move(&c, &t);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetDeviceGlobalVariablePointerINTEL(cl_device_id device, cl_program program, const char *name,
                                      size_t *size_ret, void **pointer_ret)
{
    lw_program *build;
    char *address;
    size_t size;
    cl_int error = find(program, name, &build, &address, &size);
    if (error)
        return error;
    lw_program_release(build); /* the program keeps it */
    if (!lw_cl_context_has(program->context, device))
        return CL_INVALID_DEVICE;
    if (size_ret)
        *size_ret = size;
    if (!pointer_ret)
        return CL_INVALID_VALUE;
    *pointer_ret = address;
    return CL_SUCCESS;
}
