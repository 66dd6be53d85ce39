/* SPDX-License-Identifier: MIT */
/* What can be asked of programs. */
#include "../objects.h"

#include <stdlib.h>
#include <string.h>

/* ---- Kernels ---- */

/* Names of the kernels that can be created, separated by semicolons. free() it. */
static char *
kernel_names(lw_program *program, size_t *count)
{
    size_t size = 1;
    uint32_t all = lw_program_kernel_count(program);
    lw_kernel_info info;
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (lw_program_kernel_info(program, i, &info) && !info.unsupported) {
            size += strlen(info.name) + 1;
            ++*count;
        }
    char *names = calloc(1, size);
    for (uint32_t i = 0; names && i < all; i++)
        if (lw_program_kernel_info(program, i, &info) && !info.unsupported) {
            if (*names)
                strcat(names, ";");
            strcat(names, info.name);
        }
    return names;
}

static cl_int
answer_kernels(cl_program program, cl_program_info name, const struct lw_cl_answer *to)
{
    pthread_mutex_lock(&program->lock);
    size_t count;
    char *names = program->program ? kernel_names(program->program, &count) : NULL;
    bool executable = program->program;
    pthread_mutex_unlock(&program->lock);
    if (!executable)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (names)
        error = name == CL_PROGRAM_NUM_KERNELS ? lw_cl_answer_size(to, count) : lw_cl_answer_text(to, names);
    free(names);
    return error;
}

/* ---- By device ---- */

cl_uint
lw_cl_program_device(const struct _cl_program *program, const struct _cl_device_id *device)
{
    cl_uint i = 0;
    while (i < program->device_count && program->devices[i] != device)
        i++;
    return i;
}

/* For the device, or for one that it is a part of: what a device has, its parts have. */
bool
lw_cl_program_is_built(const struct _cl_program *program, const struct _cl_device_id *device)
{
    for (; device; device = device->parent) {
        cl_uint number = lw_cl_program_device(program, device);
        if (number < program->device_count && program->built[number])
            return true;
    }
    return false;
}

bool
lw_cl_kernel_runs_on(const struct _cl_kernel *kernel, const struct _cl_device_id *device)
{
    return lw_cl_program_is_built(kernel->program, device);
}

/* Is it one of the program's devices, or a part of one? */
static bool
is_associated(const struct _cl_program *program, const struct _cl_device_id *device)
{
    for (; device; device = device->parent)
        if (lw_cl_program_device(program, device) < program->device_count)
            return true;
    return false;
}

/* There is one for a device that it was built for, and where it came as one. Under the lock. */
static bool
has_binary(const struct _cl_program *program, cl_uint device)
{
    return program->module && program->binary_type != CL_PROGRAM_BINARY_TYPE_NONE &&
           (lw_cl_program_is_built(program, program->devices[device]) || program->status == CL_BUILD_NONE);
}

static cl_int
answer_binary_sizes(cl_program program, const struct lw_cl_answer *to)
{
    size_t *sizes = calloc(program->device_count, sizeof *sizes), size = lw_cl_binary_size(program);
    if (!sizes)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < program->device_count; i++)
        sizes[i] = has_binary(program, i) ? size : 0;
    pthread_mutex_unlock(&program->lock);
    cl_int error = lw_cl_answer_bytes(to, sizes, program->device_count * sizeof *sizes);
    free(sizes);
    return error;
}

static cl_int
answer_binaries(cl_program program, const struct lw_cl_answer *to)
{
    unsigned char *const *out = to->value;
    size_t size = program->device_count * sizeof *out;
    if (to->value && to->size < size)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; to->value && i < program->device_count; i++)
        if (out[i] && has_binary(program, i))
            lw_cl_binary_write(program, out[i]);
    pthread_mutex_unlock(&program->lock);
    if (to->size_ret)
        *to->size_ret = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(program));
    case CL_PROGRAM_CONTEXT: return lw_cl_answer_pointer(&to, program->context);
    case CL_PROGRAM_NUM_DEVICES: return lw_cl_answer_uint(&to, program->device_count);
    case CL_PROGRAM_DEVICES:
        return lw_cl_answer_bytes(&to, program->devices, program->device_count * sizeof *program->devices);
    case CL_PROGRAM_SOURCE: return lw_cl_answer_text(&to, program->source ? program->source : "");
    case CL_PROGRAM_IL: return lw_cl_answer_bytes(&to, program->il, program->il_size);
    case CL_PROGRAM_BINARY_SIZES: return answer_binary_sizes(program, &to);
    case CL_PROGRAM_BINARIES: return answer_binaries(program, &to);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES: return answer_kernels(program, name, &to);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return lw_cl_answer_uint(&to, CL_FALSE);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name, size_t size,
                      void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!lw_cl_is(device, LW_CL_DEVICE) || !is_associated(program, device))
        return CL_INVALID_DEVICE;
    cl_int error = CL_INVALID_VALUE;
    pthread_mutex_lock(&program->lock);
    bool built = lw_cl_program_is_built(program, device) || program->status == CL_BUILD_NONE;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        error = lw_cl_answer_uint(&to, built ? (cl_uint)program->status : (cl_uint)CL_BUILD_NONE);
        break;
    case CL_PROGRAM_BUILD_OPTIONS:
        error = lw_cl_answer_text(&to, built && program->options ? program->options : "");
        break;
    case CL_PROGRAM_BUILD_LOG:
        error = lw_cl_answer_text(&to, built && program->log ? program->log : "");
        break;
    case CL_PROGRAM_BINARY_TYPE:
        error = lw_cl_answer_uint(&to, built ? program->binary_type : CL_PROGRAM_BINARY_TYPE_NONE);
        break;
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        error = lw_cl_answer_size(
            &to, built && program->program ? lw_program_variable_bytes(program->program) : 0);
        break;
    }
    pthread_mutex_unlock(&program->lock);
    return error;
}
