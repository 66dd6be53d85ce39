/* SPDX-License-Identifier: MIT */
/* Kernels enqueued: NDRanges, tasks, native kernels, and the local size that would be chosen. */
#include "../entry_points.h"
#include "../../trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- Running ---- */

/* What a kernel may reach by pointers in memory. */
static struct lw_listed *
list_allocations(cl_context context, size_t *count)
{
    pthread_mutex_lock(&context->memory_lock);
    struct lw_listed *list = malloc((context->allocation_count + 1) * sizeof *list);
    for (*count = 0; list && *count < context->allocation_count; ++*count)
        list[*count] =
            (struct lw_listed){context->allocations[*count].base, context->allocations[*count].size};
    pthread_mutex_unlock(&context->memory_lock);
    return list;
}

/* A compilation failed, and other code serves. */
static void
tell_failure(cl_event event, const char *why)
{
    if (lw_cl_debugs())
        lw_cl_log(event->launch.runner->owner->program, "warning: slower code serves: %s", why);
}

static cl_int
run_launch(cl_event event)
{
    lw_error error;
    lw_kernel *kernel = event->launch.runner->kernel;
    if (kernel->program->device->options.cross_check)
        kernel->listed = list_allocations(event->context, &kernel->listed_count);
    bool good = lw_kernel_run(kernel, &event->launch.range, &error);
    if (kernel->begun)
        event->stamps[2] = kernel->begun; /* it does not execute while it is compiled */
    event->stamps[3] = kernel->ended;
    free((void *)kernel->listed);
    kernel->listed = NULL;
    kernel->listed_count = 0;
    if (good) {
        const char *failure = lw_kernel_take_failure(kernel);
        if (failure)
            tell_failure(event, failure);
        return CL_SUCCESS;
    }
    lw_cl_notify(event->context, "%s", error.text);
    /* Nobody may ask for the event's status: a kernel that did not run must not pass for one that did. */
    if (!event->context->notify)
        fprintf(stderr, "lanewise: a kernel did not run: %s\n", error.text);
    return error.status == LW_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
}

/* ---- The range ---- */

static cl_int
read_range(cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local,
           lw_ndrange *range)
{
    if (dimensions < 1 || dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    memset(range, 0, sizeof *range);
    range->dimensions = dimensions;
    for (cl_uint d = 0; d < dimensions; d++) {
        range->global[d] = global ? global[d] : 0;
        range->offset[d] = offset ? offset[d] : 0;
        range->local[d] = local ? local[d] : 0;
    }
    size_t total = 1, end;
    for (cl_uint d = 0; d < dimensions; d++)
        if (range->global[d] && __builtin_mul_overflow(total, range->global[d], &total))
            return CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint d = 0; d < dimensions; d++)
        if (__builtin_add_overflow(range->global[d], range->offset[d], &end))
            return CL_INVALID_GLOBAL_OFFSET;
    if (!local)
        return CL_SUCCESS;
    size_t items = 1;
    for (cl_uint d = 0; d < dimensions; d++) {
        if (!local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local[d] > LW_MAX_WORK_GROUP)
            return CL_INVALID_WORK_ITEM_SIZE;
        items *= local[d];
    }
    return items > LW_MAX_WORK_GROUP ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static bool
range_is_empty(const lw_ndrange *range)
{
    for (uint32_t d = 0; d < range->dimensions; d++)
        if (!range->global[d])
            return true;
    return false;
}

#define USUAL_ITEMS 256u /* of a work-group */
#define FEW_ITEMS 16u

/* The largest divisor that is not more than `most`. */
static size_t
divisor(size_t number, size_t most)
{
    size_t size = most < number ? most : number;
    while (size > 1 && number % size)
        size--;
    return size ? size : 1;
}

/* Work-groups that are all of one size, rows of usual length where the range has such divisors. */
static void
choose_uniform(const struct _cl_kernel *kernel, lw_ndrange *range)
{
    size_t most = lw_kernel_max_work_group_size(kernel->kernel);
    size_t room = most < USUAL_ITEMS ? most : USUAL_ITEMS;
    for (uint32_t d = 0; d < range->dimensions; d++) {
        range->local[d] = divisor(range->global[d], room);
        if (d == 0 && range->local[0] < FEW_ITEMS && range->global[0] <= most)
            range->local[0] = range->global[0];
        room = range->local[0] < FEW_ITEMS ? room / range->local[d] : 1;
    }
}

static bool
divides(const lw_ndrange *range, const size_t local[3])
{
    for (uint32_t d = 0; d < range->dimensions; d++)
        if (local[d] && range->global[d] % local[d])
            return false;
    return true;
}

/* For programs that are promised work-groups of one size (OpenCL C before 2.0, or by their option). */
static cl_int
make_uniform(const struct _cl_kernel *kernel, lw_ndrange *range)
{
    const lw_kernel_info *info = &kernel->kernel->desc->info;
    size_t suggested[3];
    if (range->local[0])
        return divides(range, range->local) ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
    if (!lw_kernel_suggest_local_size(kernel->kernel, range, suggested, NULL))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (divides(range, suggested))
        return CL_SUCCESS;
    if (info->required_local_size[0] || info->required_sub_groups_per_group)
        return CL_INVALID_WORK_GROUP_SIZE;
    choose_uniform(kernel, range);
    return CL_SUCCESS;
}

/* A required size of more dimensions than the range has is none of the range's. */
static bool
required_size_fits(const struct _cl_kernel *kernel, const lw_ndrange *range)
{
    for (uint32_t d = range->dimensions; d < 3; d++)
        if (kernel->kernel->desc->info.required_local_size[d] > 1)
            return false;
    return true;
}

/* What depends on the kernel. */
static cl_int
fit_range(cl_kernel kernel, lw_ndrange *range)
{
    if (range_is_empty(range))
        return CL_SUCCESS;
    if (!required_size_fits(kernel, range))
        return CL_INVALID_WORK_GROUP_SIZE;
    cl_int error = kernel->program->flags & LW_CL_UNIFORM ? make_uniform(kernel, range) : CL_SUCCESS;
    if (error)
        return error;
    return lw_kernel_check_range(kernel->kernel, range, NULL) ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

/* ---- Enqueuing ---- */

/* The buffers that the arguments are, held until the command is done. */
static cl_int
hold_buffers(cl_kernel kernel, cl_event command)
{
    cl_uint count = lw_kernel_arg_count(kernel->kernel), used = 0;
    for (cl_uint i = 0; i < count; i++)
        used += kernel->buffers[i] != NULL;
    if (!used)
        return CL_SUCCESS;
    cl_mem *buffers = malloc(used * sizeof *buffers);
    if (!buffers)
        return CL_OUT_OF_HOST_MEMORY;
    command->owned = command->launch.buffers = buffers;
    for (cl_uint i = 0; i < count; i++) {
        cl_mem buffer = kernel->buffers[i];
        if (!buffer)
            continue;
        if (!lw_cl_is(buffer, LW_CL_MEMORY) && !lw_cl_is(buffer, LW_CL_DEVICE_QUEUE))
            return CL_INVALID_KERNEL_ARGS; /* released since it was set */
        lw_cl_hold(buffer);
        buffers[command->launch.buffer_count++] = buffer;
    }
    return CL_SUCCESS;
}

/* What get_default_queue() answers there. */
static void
set_default_queue(cl_command_queue queue, lw_kernel *kernel)
{
    if (!kernel->desc->names_blocks)
        return;
    cl_command_queue found = lw_cl_default_queue(queue->context, queue->device);
    lw_kernel_set_default_queue(kernel, found ? found->on_device : NULL, NULL);
    lw_cl_drop(found);
}

static cl_int
enqueue_range(cl_command_queue queue, cl_kernel kernel, cl_command_type type, const lw_ndrange *range,
              cl_uint count, const cl_event *list, cl_event *event)
{
    cl_event command = lw_cl_command(queue, type, range_is_empty(range) ? NULL : run_launch);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->launch.range = *range;
    cl_int error = CL_SUCCESS;
    command->launch.runner = lw_cl_runner_take(kernel);
    if (command->launch.runner) {
        lw_kernel_limit_threads(command->launch.runner->kernel, queue->device->units);
        set_default_queue(queue, command->launch.runner->kernel);
    }
    else
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error)
        error = hold_buffers(kernel, command);
    if (error) {
        lw_cl_command_discard(command);
        return error;
    }
    size_t items = 1;
    for (uint32_t d = 0; d < range->dimensions; d++)
        if (__builtin_mul_overflow(items, range->global[d], &items))
            items = SIZE_MAX / 2;
    command->weight = items < SIZE_MAX / 2 ? items : SIZE_MAX / 2;
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

static cl_int
enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_command_type type, lw_ndrange *range,
               cl_int range_error, cl_uint count, const cl_event *list, cl_event *event)
{
    if (kernel->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    cl_int error = lw_cl_check_wait_list(queue->context, count, list);
    if (error == CL_INVALID_CONTEXT)
        return error;
    if (!lw_cl_kernel_runs_on(kernel, queue->device))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (!lw_kernel_check_arguments(kernel->kernel, NULL))
        return CL_INVALID_KERNEL_ARGS;
    if (range_error)
        return range_error;
    cl_int fits = fit_range(kernel, range);
    if (fits)
        return fits;
    if (lw_kernel_local_bytes(kernel->kernel) > LW_CL_LOCAL_BYTES)
        return CL_OUT_OF_RESOURCES;
    lw_error refusal;
    if (!error && lw_kernel_is_refused(kernel->kernel, range, &refusal)) {
        lw_cl_notify(queue->context, "%s", refusal.text);
        return CL_OUT_OF_RESOURCES;
    }
    return error ? error : enqueue_range(queue, kernel, type, range, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                       const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
                       cl_event *event)
{
    lw_ndrange range;
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    int trace = queue->device->device->trace;
    uint64_t begin = lw_trace_begin(trace);
    cl_int error = read_range(dimensions, offset, global, local, &range);
    error = enqueue_kernel(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, &range, error, count, list, event);
    lw_trace_span(trace, "enqueue", "clEnqueueNDRangeKernel", begin, "\"error\":%d", error);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *list, cl_event *event)
{
    lw_ndrange range = {.dimensions = 1, .global = {1}, .local = {1}};
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    return enqueue_kernel(queue, kernel, CL_COMMAND_TASK, &range, CL_SUCCESS, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offset, const size_t *global, size_t *suggested)
{
    lw_ndrange range;
    size_t local[3];
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_is(kernel, LW_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (kernel->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    if (!lw_cl_kernel_runs_on(kernel, queue->device))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (!lw_kernel_check_arguments(kernel->kernel, NULL))
        return CL_INVALID_KERNEL_ARGS;
    cl_int error = read_range(dimensions, offset, global, NULL, &range);
    if (error)
        return error;
    if (!global || range_is_empty(&range))
        return CL_INVALID_GLOBAL_WORK_SIZE;
    if (!suggested)
        return CL_INVALID_VALUE;
    error = fit_range(kernel, &range);
    if (error)
        return error;
    if (range.local[0])
        memcpy(local, range.local, sizeof local);
    else if (!lw_kernel_suggest_local_size(kernel->kernel, &range, local, NULL))
        return CL_OUT_OF_RESOURCES;
    memcpy(suggested, local, dimensions * sizeof *suggested);
    return CL_SUCCESS;
}

/* ---- Native kernels ---- */

typedef void CL_CALLBACK native_function(void *arguments);

static cl_int
run_native(cl_event event)
{
    ((native_function *)event->other.function)(event->other.data);
    return CL_SUCCESS;
}

/* Room for the arguments, and behind them the buffers that are held. */
static bool
native_payload(cl_event command, const void *arguments, size_t size, cl_uint buffers, const cl_mem *list)
{
    size_t at = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    char *payload = malloc(at + (buffers + 1) * sizeof(void *));
    if (!payload)
        return false;
    command->owned = payload;
    if (size)
        memcpy(payload, arguments, size);
    command->other.pointers = (void **)(payload + at);
    for (cl_uint i = 0; i < buffers; i++)
        if (list[i]) {
            lw_cl_hold(list[i]);
            command->other.pointers[command->other.count++] = list[i];
        }
    return true;
}

static cl_int
check_native(cl_context context, const void *function, const void *arguments, size_t size, cl_uint buffers,
             const cl_mem *list, const void *const *places)
{
    if (!function || (!arguments && (size || buffers)) || (arguments && !size) ||
        (buffers && (!list || !places)) || (!buffers && (list || places)))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < buffers; i++) {
        const char *place = places[i];
        const char *first = arguments;
        if (list[i] && (!lw_cl_is_buffer(list[i]) || list[i]->context != context))
            return CL_INVALID_MEM_OBJECT;
        if (place < first || size < sizeof(void *) || (size_t)(place - first) > size - sizeof(void *))
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueNativeKernel(cl_command_queue queue, native_function *function, void *arguments, size_t size,
                      cl_uint buffers, const cl_mem *buffer_list, const void **places, cl_uint count,
                      const cl_event *list, cl_event *event)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = lw_cl_check_wait_list(queue->context, count, list);
    if (!error)
        error = check_native(queue->context, __extension__(const void *) function, arguments, size, buffers,
                             buffer_list, places);
    if (error)
        return error;
    cl_event command = lw_cl_command(queue, CL_COMMAND_NATIVE_KERNEL, run_native);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    if (!native_payload(command, arguments, size, buffers, buffer_list)) {
        lw_cl_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < buffers; i++) {
        void *data = buffer_list[i] ? buffer_list[i]->data : NULL;
        memcpy((char *)command->owned + ((const char *)places[i] - (const char *)arguments), &data,
               sizeof data);
    }
    command->other.function = __extension__(void *) function;
    command->other.data = arguments ? command->owned : NULL;
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}
