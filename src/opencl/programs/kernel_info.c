/* SPDX-License-Identifier: MIT */
/* What can be asked of a kernel. What concerns sub-groups is answered by the functions that dispatches use.
 */
#include "../objects.h"

#include <string.h>

/* ---- Facts of the module ---- */

static void
module_facts(cl_kernel kernel, lw_kernel_info *out)
{
    *out = kernel->kernel->desc->info;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME: return lw_cl_answer_text(&to, lw_kernel_name(kernel->kernel));
    case CL_KERNEL_NUM_ARGS: return lw_cl_answer_uint(&to, lw_kernel_arg_count(kernel->kernel));
    case CL_KERNEL_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(kernel));
    case CL_KERNEL_CONTEXT: return lw_cl_answer_pointer(&to, kernel->program->context);
    case CL_KERNEL_PROGRAM: return lw_cl_answer_pointer(&to, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return lw_cl_answer_attributes(kernel, &to);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- Arguments ---- */

static cl_uint
address_qualifier(const lw_arg_info *info)
{
    if (info->kind == LW_ARG_LOCAL)
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    if (info->kind == LW_ARG_PIPE || info->kind == LW_ARG_IMAGE)
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    if (info->kind != LW_ARG_POINTER)
        return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    return info->address_space == 2 ? CL_KERNEL_ARG_ADDRESS_CONSTANT : CL_KERNEL_ARG_ADDRESS_GLOBAL;
}

static cl_kernel_arg_type_qualifier
type_qualifiers(const struct lw_kernel_arg *arg)
{
    return (arg->is_const ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
           (arg->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u) |
           (arg->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0u) |
           (arg->info.kind == LW_ARG_PIPE ? CL_KERNEL_ARG_TYPE_PIPE : 0u);
}

static cl_kernel_arg_access_qualifier
access_qualifier(const struct lw_kernel_arg *arg)
{
    if (arg->info.kind != LW_ARG_PIPE && arg->info.kind != LW_ARG_IMAGE)
        return CL_KERNEL_ARG_ACCESS_NONE;
    if (arg->is_read_write)
        return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    return arg->is_write_only ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY : CL_KERNEL_ARG_ACCESS_READ_ONLY;
}

/* The type as OpenCL C spells it, without the address space. */
static const char *
type_name(const lw_arg_info *info)
{
    static const char *const spaces[] = {"global ", "constant ", "local ", "private ", "__global ",
                                         "__constant ", "__local "};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (strncmp(info->type, spaces[i], strlen(spaces[i])) == 0)
            return info->type + strlen(spaces[i]);
    return info->type;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size, void *value,
                   size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= lw_kernel_arg_count(kernel->kernel))
        return CL_INVALID_ARG_INDEX;
    const lw_arg_info *info = lw_kernel_arg_info(kernel->kernel, index);
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return lw_cl_answer_uint(&to, address_qualifier(info));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return lw_cl_answer_uint(&to, access_qualifier(&kernel->kernel->desc->args[index]));
    case CL_KERNEL_ARG_TYPE_NAME:
        return info->type && *info->type ? lw_cl_answer_text(&to, type_name(info))
                                         : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return lw_cl_answer_ulong(&to, type_qualifiers(&kernel->kernel->desc->args[index]));
    case CL_KERNEL_ARG_NAME:
        return info->name && *info->name ? lw_cl_answer_text(&to, info->name)
                                         : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    default: return CL_INVALID_VALUE;
    }
}

/* ---- Work-groups ---- */

static cl_int
check_device(cl_kernel kernel, cl_device_id device)
{
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    cl_program program = kernel->program;
    if (device)
        return lw_cl_context_has(program->context, device) && lw_cl_kernel_runs_on(kernel, device)
                   ? CL_SUCCESS
                   : CL_INVALID_DEVICE;
    cl_uint runs = 0;
    for (cl_uint i = 0; i < program->device_count; i++)
        runs += lw_cl_kernel_runs_on(kernel, program->devices[i]);
    return runs == 1 ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* Only compiled code knows. The kernel object's own may be in use: a runner's is asked. */
static cl_int
answer_private(cl_kernel kernel, const struct lw_cl_answer *to)
{
    struct lw_cl_runner *runner = lw_cl_runner_take(kernel);
    lw_error error;
    uint64_t bytes;
    if (!runner)
        return CL_OUT_OF_HOST_MEMORY;
    bool known = lw_kernel_private_bytes(runner->kernel, &bytes, &error);
    if (!known)
        lw_cl_notify(kernel->program->context, "%s", error.text);
    lw_cl_runner_return(runner);
    return known ? lw_cl_answer_ulong(to, bytes) : CL_OUT_OF_RESOURCES;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
                         void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    cl_int error = check_device(kernel, device);
    if (error)
        return error;
    lw_kernel_info info;
    module_facts(kernel, &info);
    switch (name) {
    case CL_KERNEL_GLOBAL_WORK_SIZE: return CL_INVALID_VALUE; /* neither custom device nor built-in kernel */
    case CL_KERNEL_WORK_GROUP_SIZE:
        return lw_cl_answer_size(&to, lw_kernel_max_work_group_size(kernel->kernel));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        size_t sizes[3];
        for (unsigned d = 0; d < 3; d++)
            sizes[d] =
                info.required_local_size[0] && !info.required_local_size[d] ? 1 : info.required_local_size[d];
        return lw_cl_answer_bytes(&to, sizes, sizeof sizes);
    }
    case CL_KERNEL_LOCAL_MEM_SIZE: return lw_cl_answer_ulong(&to, lw_kernel_local_bytes(kernel->kernel));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return lw_cl_answer_size(&to, lw_kernel_sub_group_size(kernel->kernel));
    case CL_KERNEL_PRIVATE_MEM_SIZE: return answer_private(kernel, &to);
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL: return lw_cl_answer_ulong(&to, 0);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- Sub-groups ---- */

/* A local size given as input; false: none that makes sense. */
static bool
read_local_size(size_t input_size, const void *input, uint32_t *dimensions, size_t local[3])
{
    if (!input || input_size % sizeof(size_t) || input_size < sizeof(size_t) ||
        input_size > 3 * sizeof(size_t))
        return false;
    *dimensions = (uint32_t)(input_size / sizeof(size_t));
    memcpy(local, input, input_size);
    return true;
}

static cl_int
answer_for_count(cl_kernel kernel, size_t input_size, const void *input, const struct lw_cl_answer *to)
{
    size_t count, local[3], room = to->size;
    if (!input || input_size != sizeof count)
        return CL_INVALID_VALUE;
    memcpy(&count, input, sizeof count);
    if (count <= UINT32_MAX)
        lw_kernel_local_size_for_count(kernel->kernel, (uint32_t)count, local);
    else
        memset(local, 0, sizeof local);
    /* As many dimensions as there is room for. */
    if (to->value && (room % sizeof(size_t) || room < sizeof(size_t)))
        return CL_INVALID_VALUE;
    return lw_cl_answer_bytes(to, local, to->value && room < sizeof local ? room : sizeof local);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
                        size_t input_size, const void *input, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    cl_int error = check_device(kernel, device);
    uint32_t dimensions;
    size_t local[3];
    if (error)
        return error;
    lw_kernel_info info;
    module_facts(kernel, &info);
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return read_local_size(input_size, input, &dimensions, local)
                   ? lw_cl_answer_size(&to, lw_kernel_sub_group_size(kernel->kernel))
                   : CL_INVALID_VALUE;
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return read_local_size(input_size, input, &dimensions, local)
                   ? lw_cl_answer_size(&to, lw_kernel_sub_group_count(kernel->kernel, dimensions, local))
                   : CL_INVALID_VALUE;
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: return answer_for_count(kernel, input_size, input, &to);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return lw_cl_answer_size(&to, lw_kernel_max_sub_groups(kernel->kernel));
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return lw_cl_answer_size(&to, info.required_sub_groups_per_group);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: return lw_cl_answer_size(&to, info.required_sub_group_size);
    default: return CL_INVALID_VALUE;
    }
}
