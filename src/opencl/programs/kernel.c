/* SPDX-License-Identifier: MIT */
/* Kernel objects and their arguments. */
#include "../memory/allocations.h"

#include <stdlib.h>
#include <string.h>

/* ---- Runners: a kernel of the runtime for every command under way ---- */

static void
free_runner(struct lw_cl_runner *runner)
{
    lw_kernel_release(runner->kernel);
    free(runner);
}

struct lw_cl_runner *
lw_cl_runner_take(cl_kernel kernel)
{
    pthread_mutex_lock(&kernel->lock);
    struct lw_cl_runner *runner = kernel->idle;
    if (runner)
        kernel->idle = runner->next;
    pthread_mutex_unlock(&kernel->lock);
    if (runner) {
        lw_kernel_copy_arguments(runner->kernel, kernel->kernel);
    } else {
        runner = calloc(1, sizeof *runner);
        if (runner && !(runner->kernel = lw_kernel_clone(kernel->kernel, NULL))) {
            free(runner);
            runner = NULL;
        }
    }
    if (runner) {
        runner->owner = kernel;
        lw_cl_hold(kernel);
    }
    return runner;
}

void
lw_cl_runner_return(struct lw_cl_runner *runner)
{
    cl_kernel kernel = runner->owner;
    pthread_mutex_lock(&kernel->lock);
    runner->next = kernel->idle;
    kernel->idle = runner;
    pthread_mutex_unlock(&kernel->lock);
    lw_cl_drop(kernel);
}

/* ---- Making kernels ---- */

static void
destroy_kernel(void *object)
{
    cl_kernel kernel = object;
    while (kernel->idle) {
        struct lw_cl_runner *runner = kernel->idle;
        kernel->idle = runner->next;
        free_runner(runner);
    }
    lw_kernel_release(kernel->kernel);
    free(kernel->buffers);
    pthread_mutex_destroy(&kernel->lock);
    atomic_fetch_sub(&kernel->program->kernels, 1);
    lw_cl_drop(kernel->program);
}

/* Takes `made` over, which is counted in program->kernels already. */
static cl_kernel
wrap_kernel(cl_program program, lw_kernel *made, cl_int *errcode_ret)
{
    cl_kernel kernel = lw_cl_new(LW_CL_KERNEL, sizeof *kernel, destroy_kernel);
    if (!kernel) {
        atomic_fetch_sub(&program->kernels, 1);
        lw_kernel_release(made);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    pthread_mutex_init(&kernel->lock, NULL);
    kernel->program = program;
    lw_cl_hold(program);
    kernel->kernel = made;
    kernel->buffers = calloc(lw_kernel_arg_count(made) + 1, sizeof *kernel->buffers);
    if (!kernel->buffers) {
        lw_cl_drop(kernel);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    return lw_cl_give(errcode_ret, kernel);
}

static cl_int
error_of(const lw_error *error)
{
    switch (error->status) {
    case LW_NOT_FOUND: return CL_INVALID_KERNEL_NAME;
    case LW_OUT_OF_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    default: return CL_INVALID_KERNEL_DEFINITION;
    }
}

/* Its program object, for as long as nobody builds it anew (which attached kernels prevent). */
static cl_kernel
create_kernel(cl_program program, const char *name, cl_int *errcode_ret)
{
    lw_error error;
    pthread_mutex_lock(&program->lock);
    lw_kernel *made = program->program ? lw_kernel_create(program->program, name, &error) : NULL;
    bool executable = program->program;
    if (made)
        atomic_fetch_add(&program->kernels, 1);
    pthread_mutex_unlock(&program->lock);
    if (!executable)
        return lw_cl_fail(errcode_ret, CL_INVALID_PROGRAM_EXECUTABLE);
    if (made)
        return wrap_kernel(program, made, errcode_ret);
    if (error.status != LW_NOT_FOUND)
        lw_cl_notify(program->context, "clCreateKernel: %s", error.text);
    return lw_cl_fail(errcode_ret, error_of(&error));
}

/* What it was built to, with a reference for the caller; NULL: it is not built. */
static lw_program *
take_executable(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    lw_program *executable = program->program;
    if (executable)
        atomic_fetch_add(&executable->refs, 1);
    pthread_mutex_unlock(&program->lock);
    return executable;
}

CL_API_ENTRY cl_kernel CL_API_CALL
clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return lw_cl_fail(errcode_ret, CL_INVALID_PROGRAM);
    lw_program *executable = take_executable(program);
    if (!executable)
        return lw_cl_fail(errcode_ret, CL_INVALID_PROGRAM_EXECUTABLE);
    lw_program_release(executable);
    if (!name)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    return create_kernel(program, name, errcode_ret);
}

static cl_int
create_kernels(cl_program program, lw_program *executable, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
    lw_kernel_info info;
    cl_uint good = 0, made = 0;
    uint32_t all = lw_program_kernel_count(executable);
    for (uint32_t i = 0; i < all; i++)
        if (lw_program_kernel_info(executable, i, &info) && !info.unsupported)
            good++;
    if (kernels && room < good)
        return CL_INVALID_VALUE;
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; kernels && !error && i < all; i++)
        if (lw_program_kernel_info(executable, i, &info) && !info.unsupported) {
            kernels[made] = create_kernel(program, info.name, &error);
            made += kernels[made] != NULL;
        }
    while (error && made)
        lw_cl_release(kernels[--made], LW_CL_KERNEL);
    if (!error && count)
        *count = good;
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL
clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    lw_program *executable = take_executable(program);
    if (!executable)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int error = create_kernels(program, executable, room, kernels, count);
    lw_program_release(executable);
    return error;
}

CL_API_ENTRY cl_kernel CL_API_CALL
clCloneKernel(cl_kernel source, cl_int *errcode_ret)
{
    if (!lw_cl_is(source, LW_CL_KERNEL))
        return lw_cl_fail(errcode_ret, CL_INVALID_KERNEL);
    lw_kernel *made = lw_kernel_clone(source->kernel, NULL);
    if (!made)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    atomic_fetch_add(&source->program->kernels, 1);
    cl_kernel kernel = wrap_kernel(source->program, made, errcode_ret);
    if (kernel)
        memcpy(kernel->buffers, source->buffers, lw_kernel_arg_count(made) * sizeof *kernel->buffers);
    return kernel;
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainKernel(cl_kernel kernel)
{
    return lw_cl_retain(kernel, LW_CL_KERNEL);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseKernel(cl_kernel kernel)
{
    return lw_cl_release(kernel, LW_CL_KERNEL);
}

/* ---- Arguments ---- */

static cl_int
set_buffer(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_mem memory = NULL;
    if (size != sizeof memory)
        return CL_INVALID_ARG_SIZE;
    if (value)
        memcpy(&memory, value, sizeof memory);
    if (memory && (!lw_cl_is_buffer(memory) || memory->context != kernel->program->context))
        return CL_INVALID_MEM_OBJECT;
    if (!lw_kernel_set_arg_pointer(kernel->kernel, index, memory ? memory->data : NULL,
                                   memory ? memory->size : 0, NULL))
        return CL_INVALID_ARG_VALUE; /* a host pointer less aligned than the kernel was promised */
    if (memory)
        lw_cl_map_for_kernels(memory);
    kernel->buffers[index] = memory;
    return CL_SUCCESS;
}

/* Without a value there is no object either. */
static void *
object_at(const void *value)
{
    void *object = NULL;
    if (value)
        memcpy(&object, value, sizeof object);
    return object;
}

static cl_int
set_pipe(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_mem pipe = object_at(size == sizeof pipe ? value : NULL);
    if (size != sizeof pipe)
        return CL_INVALID_ARG_SIZE;
    if (!lw_cl_is(pipe, LW_CL_MEMORY) || !pipe->max_packets || pipe->context != kernel->program->context)
        return CL_INVALID_MEM_OBJECT;
    if (!lw_kernel_set_arg_pipe(kernel->kernel, index, pipe->data, NULL))
        return CL_INVALID_ARG_VALUE;
    kernel->buffers[index] = pipe;
    return CL_SUCCESS;
}

/* It is to be of the argument's kind, and what the kernel does with it allowed by the flags that it was made
 * with. */
static cl_int
set_image(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const struct lw_kernel_arg *arg = &kernel->kernel->desc->args[index];
    cl_mem image = object_at(size == sizeof image ? value : NULL);
    if (size != sizeof image)
        return CL_INVALID_ARG_SIZE;
    if (!lw_cl_is_image(image) || image->context != kernel->program->context ||
        arg->is_depth != (image->format.image_channel_order == CL_DEPTH))
        return CL_INVALID_MEM_OBJECT;
    bool reads = !arg->is_write_only, writes = arg->is_write_only || arg->is_read_write;
    if ((reads && (image->flags & CL_MEM_WRITE_ONLY)) || (writes && (image->flags & CL_MEM_READ_ONLY)))
        return CL_INVALID_ARG_VALUE;
    if (!lw_kernel_set_arg_image(kernel->kernel, index, &image->image, NULL))
        return CL_INVALID_MEM_OBJECT;
    lw_cl_map_for_kernels(image);
    kernel->buffers[index] = image;
    return CL_SUCCESS;
}

static cl_int
set_sampler(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_sampler sampler = object_at(size == sizeof sampler ? value : NULL);
    if (size != sizeof sampler)
        return CL_INVALID_ARG_SIZE;
    if (!lw_cl_sampler_is_of(sampler, kernel->program->context))
        return CL_INVALID_SAMPLER;
    return lw_kernel_set_arg_sampler(kernel->kernel, index, lw_cl_sampler_bits(sampler), NULL)
               ? CL_SUCCESS
               : CL_INVALID_ARG_VALUE;
}

static cl_int
set_queue(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_command_queue queue = object_at(size == sizeof queue ? value : NULL);
    if (size != sizeof queue)
        return CL_INVALID_ARG_SIZE;
    if (!lw_cl_is(queue, LW_CL_DEVICE_QUEUE) || queue->context != kernel->program->context ||
        !lw_kernel_set_arg_queue(kernel->kernel, index, queue->on_device, NULL))
        return CL_INVALID_DEVICE_QUEUE;
    kernel->buffers[index] = (cl_mem)(void *)queue;
    return CL_SUCCESS;
}

/* Any size may be asked for; what is more than there is fails where the kernel is enqueued. */
static cl_int
set_local(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    size_t bytes = size < LW_MAX_LOCAL_BYTES ? size : LW_MAX_LOCAL_BYTES;
    if (value)
        return CL_INVALID_ARG_VALUE;
    return lw_kernel_set_arg_local(kernel->kernel, index, bytes, NULL) ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

CL_API_ENTRY cl_int CL_API_CALL
clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= lw_kernel_arg_count(kernel->kernel))
        return CL_INVALID_ARG_INDEX;
    const lw_arg_info *info = lw_kernel_arg_info(kernel->kernel, index);
    switch (info->kind) {
    case LW_ARG_POINTER: return set_buffer(kernel, index, size, value);
    case LW_ARG_LOCAL: return set_local(kernel, index, size, value);
    case LW_ARG_PIPE: return set_pipe(kernel, index, size, value);
    case LW_ARG_IMAGE: return set_image(kernel, index, size, value);
    case LW_ARG_SAMPLER: return set_sampler(kernel, index, size, value);
    case LW_ARG_QUEUE: return set_queue(kernel, index, size, value);
    default: break;
    }
    if (!value)
        return CL_INVALID_ARG_VALUE;
    return lw_kernel_set_arg(kernel->kernel, index, value, size, NULL) ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

static cl_int
set_pointer(cl_kernel kernel, cl_uint index, const void *value)
{
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= lw_kernel_arg_count(kernel->kernel))
        return CL_INVALID_ARG_INDEX;
    if (lw_kernel_arg_info(kernel->kernel, index)->kind != LW_ARG_POINTER)
        return CL_INVALID_ARG_VALUE;
    size_t bytes = value ? lw_cl_kernel_pointer_bytes(kernel->program->context, value) : 0;
    if (!lw_kernel_set_arg_pointer(kernel->kernel, index, (void *)value, bytes, NULL))
        return CL_INVALID_ARG_VALUE;
    kernel->buffers[index] = NULL;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    return set_pointer(kernel, index, value);
}

CL_API_ENTRY cl_int CL_API_CALL
clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint index, const void *value)
{
    return set_pointer(kernel, index, value);
}

/* All memory is the kernel's to reach: what is said here changes nothing, once it is well said. */
CL_API_ENTRY cl_int CL_API_CALL
clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void *value)
{
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (!value && size)
        return CL_INVALID_VALUE;
    switch (name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS: /* a list; the empty one is told by both */
        return size % sizeof(void *) == 0 && !size == !value ? CL_SUCCESS : CL_INVALID_VALUE;
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        return size % sizeof(void *) == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        return size == sizeof(cl_bool) ? CL_SUCCESS : CL_INVALID_VALUE;
    default: return CL_INVALID_VALUE;
    }
}
