/* SPDX-License-Identifier: MIT */
/* Every query of every clGet...Info table of the API specification
 * (4.1, 4.2, 4.4, 5.1, 5.5.6, 5.8.8, 5.9.4, 5.11): the size of its answer, a room that is too small, one that
 * is larger, and names that are none. */
#include "support.h"

static cl_mem buffer, part;
static cl_kernel kernel;
static cl_event user, done;

enum {
    OF_PLATFORM,
    OF_DEVICE,
    OF_CONTEXT,
    OF_QUEUE,
    OF_MEMORY,
    OF_PART,
    OF_PROGRAM,
    OF_BUILD,
    OF_KERNEL,
    OF_GROUP,
    OF_ARGUMENT,
    OF_EVENT,
    OF_USER,
    OF_PROFILE
};

enum { TEXT = -1, NAMES = -2, WORDS = -3, BYTES = -4 }; /* a string, arrays of such elements, anything */

#define PLAIN(type) ((int)sizeof(type))

static const struct row {
    int object;
    cl_uint name;
    int size; /* of the answer; or one of those above, or an error below -20 */
} rows[] = {
    {OF_PLATFORM, CL_PLATFORM_PROFILE, TEXT},
    {OF_PLATFORM, CL_PLATFORM_VERSION, TEXT},
    {OF_PLATFORM, CL_PLATFORM_NUMERIC_VERSION, PLAIN(cl_version)},
    {OF_PLATFORM, CL_PLATFORM_NAME, TEXT},
    {OF_PLATFORM, CL_PLATFORM_VENDOR, TEXT},
    {OF_PLATFORM, CL_PLATFORM_EXTENSIONS, TEXT},
    {OF_PLATFORM, CL_PLATFORM_EXTENSIONS_WITH_VERSION, NAMES},
    {OF_PLATFORM, CL_PLATFORM_HOST_TIMER_RESOLUTION, PLAIN(cl_ulong)},
    {OF_PLATFORM, CL_PLATFORM_ICD_SUFFIX_KHR, TEXT},
    {OF_DEVICE, CL_DEVICE_TYPE, PLAIN(cl_device_type)},
    {OF_DEVICE, CL_DEVICE_VENDOR_ID, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_COMPUTE_UNITS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_WORK_ITEM_SIZES, 3 * PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_MAX_WORK_GROUP_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_CLOCK_FREQUENCY, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_ADDRESS_BITS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_MEM_ALLOC_SIZE, PLAIN(cl_ulong)},
    {OF_DEVICE, CL_DEVICE_IMAGE_SUPPORT, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_MAX_READ_IMAGE_ARGS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_IL_VERSION, TEXT},
    {OF_DEVICE, CL_DEVICE_ILS_WITH_VERSION, NAMES},
    {OF_DEVICE, CL_DEVICE_IMAGE2D_MAX_WIDTH, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_IMAGE2D_MAX_HEIGHT, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_IMAGE3D_MAX_WIDTH, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_IMAGE3D_MAX_HEIGHT, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_IMAGE3D_MAX_DEPTH, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_MAX_SAMPLERS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_PIPE_ARGS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PIPE_MAX_PACKET_SIZE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_PARAMETER_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_MEM_BASE_ADDR_ALIGN, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_SINGLE_FP_CONFIG, PLAIN(cl_device_fp_config)},
    {OF_DEVICE, CL_DEVICE_DOUBLE_FP_CONFIG, PLAIN(cl_device_fp_config)},
    {OF_DEVICE, CL_DEVICE_HALF_FP_CONFIG, PLAIN(cl_device_fp_config)},
    {OF_DEVICE, CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, PLAIN(cl_device_mem_cache_type)},
    {OF_DEVICE, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, PLAIN(cl_ulong)},
    {OF_DEVICE, CL_DEVICE_GLOBAL_MEM_SIZE, PLAIN(cl_ulong)},
    {OF_DEVICE, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, PLAIN(cl_ulong)},
    {OF_DEVICE, CL_DEVICE_MAX_CONSTANT_ARGS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_LOCAL_MEM_TYPE, PLAIN(cl_device_local_mem_type)},
    {OF_DEVICE, CL_DEVICE_LOCAL_MEM_SIZE, PLAIN(cl_ulong)},
    {OF_DEVICE, CL_DEVICE_ERROR_CORRECTION_SUPPORT, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_HOST_UNIFIED_MEMORY, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_PROFILING_TIMER_RESOLUTION, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_ENDIAN_LITTLE, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_AVAILABLE, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_COMPILER_AVAILABLE, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_LINKER_AVAILABLE, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_EXECUTION_CAPABILITIES, PLAIN(cl_device_exec_capabilities)},
    {OF_DEVICE, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, PLAIN(cl_command_queue_properties)},
    {OF_DEVICE, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, PLAIN(cl_command_queue_properties)},
    {OF_DEVICE, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_ON_DEVICE_QUEUES, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_ON_DEVICE_EVENTS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_BUILT_IN_KERNELS, TEXT},
    {OF_DEVICE, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, NAMES},
    {OF_DEVICE, CL_DEVICE_PLATFORM, PLAIN(cl_platform_id)},
    {OF_DEVICE, CL_DEVICE_NAME, TEXT},
    {OF_DEVICE, CL_DEVICE_VENDOR, TEXT},
    {OF_DEVICE, CL_DRIVER_VERSION, TEXT},
    {OF_DEVICE, CL_DEVICE_PROFILE, TEXT},
    {OF_DEVICE, CL_DEVICE_VERSION, TEXT},
    {OF_DEVICE, CL_DEVICE_NUMERIC_VERSION, PLAIN(cl_version)},
    {OF_DEVICE, CL_DEVICE_OPENCL_C_VERSION, TEXT},
    {OF_DEVICE, CL_DEVICE_OPENCL_C_ALL_VERSIONS, NAMES},
    {OF_DEVICE, CL_DEVICE_OPENCL_C_FEATURES, NAMES},
    {OF_DEVICE, CL_DEVICE_EXTENSIONS, TEXT},
    {OF_DEVICE, CL_DEVICE_EXTENSIONS_WITH_VERSION, NAMES},
    {OF_DEVICE, CL_DEVICE_PRINTF_BUFFER_SIZE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_PARENT_DEVICE, PLAIN(cl_device_id)},
    {OF_DEVICE, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PARTITION_PROPERTIES, WORDS},
    {OF_DEVICE, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, PLAIN(cl_device_affinity_domain)},
    {OF_DEVICE, CL_DEVICE_PARTITION_TYPE, WORDS},
    {OF_DEVICE, CL_DEVICE_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_SVM_CAPABILITIES, PLAIN(cl_device_svm_capabilities)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_MAX_NUM_SUB_GROUPS, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, PLAIN(cl_device_atomic_capabilities)},
    {OF_DEVICE, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, PLAIN(cl_device_atomic_capabilities)},
    {OF_DEVICE, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, PLAIN(cl_device_device_enqueue_capabilities)},
    {OF_DEVICE, CL_DEVICE_PIPE_SUPPORT, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, PLAIN(size_t)},
    {OF_DEVICE, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, TEXT},
    {OF_DEVICE, CL_DEVICE_UUID_KHR, CL_UUID_SIZE_KHR},
    {OF_DEVICE, CL_DRIVER_UUID_KHR, CL_UUID_SIZE_KHR},
    {OF_DEVICE, CL_DEVICE_LUID_VALID_KHR, PLAIN(cl_bool)},
    {OF_DEVICE, CL_DEVICE_LUID_KHR, CL_LUID_SIZE_KHR},
    {OF_DEVICE, CL_DEVICE_NODE_MASK_KHR, PLAIN(cl_uint)},
    {OF_DEVICE, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, PLAIN(cl_bitfield)},
    {OF_DEVICE, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, PLAIN(cl_bitfield)},
    {OF_DEVICE, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, PLAIN(cl_bitfield)},
    {OF_DEVICE, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, PLAIN(cl_bitfield)},
    {OF_DEVICE, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, PLAIN(cl_bitfield)},
    {OF_DEVICE, CL_DEVICE_SUB_GROUP_SIZES_INTEL, WORDS},
    {OF_CONTEXT, CL_CONTEXT_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_CONTEXT, CL_CONTEXT_NUM_DEVICES, PLAIN(cl_uint)},
    {OF_CONTEXT, CL_CONTEXT_DEVICES, PLAIN(cl_device_id)},
    {OF_CONTEXT, CL_CONTEXT_PROPERTIES, 0},
    {OF_QUEUE, CL_QUEUE_CONTEXT, PLAIN(cl_context)},
    {OF_QUEUE, CL_QUEUE_DEVICE, PLAIN(cl_device_id)},
    {OF_QUEUE, CL_QUEUE_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_QUEUE, CL_QUEUE_PROPERTIES, PLAIN(cl_command_queue_properties)},
    {OF_QUEUE, CL_QUEUE_PROPERTIES_ARRAY, 3 * PLAIN(cl_queue_properties)},
    {OF_QUEUE, CL_QUEUE_DEVICE_DEFAULT, PLAIN(cl_command_queue)},
    {OF_QUEUE, CL_QUEUE_SIZE, CL_INVALID_COMMAND_QUEUE}, /* it is no queue on the device */
    {OF_MEMORY, CL_MEM_TYPE, PLAIN(cl_mem_object_type)},
    {OF_MEMORY, CL_MEM_FLAGS, PLAIN(cl_mem_flags)},
    {OF_MEMORY, CL_MEM_SIZE, PLAIN(size_t)},
    {OF_MEMORY, CL_MEM_HOST_PTR, PLAIN(void *)},
    {OF_MEMORY, CL_MEM_MAP_COUNT, PLAIN(cl_uint)},
    {OF_MEMORY, CL_MEM_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_MEMORY, CL_MEM_CONTEXT, PLAIN(cl_context)},
    {OF_MEMORY, CL_MEM_ASSOCIATED_MEMOBJECT, PLAIN(cl_mem)},
    {OF_MEMORY, CL_MEM_OFFSET, PLAIN(size_t)},
    {OF_MEMORY, CL_MEM_USES_SVM_POINTER, PLAIN(cl_bool)},
    {OF_MEMORY, CL_MEM_PROPERTIES, 0},
    {OF_PART, CL_MEM_TYPE, PLAIN(cl_mem_object_type)},
    {OF_PART, CL_MEM_OFFSET, PLAIN(size_t)},
    {OF_PART, CL_MEM_PROPERTIES, 0},
    {OF_PROGRAM, CL_PROGRAM_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_PROGRAM, CL_PROGRAM_CONTEXT, PLAIN(cl_context)},
    {OF_PROGRAM, CL_PROGRAM_NUM_DEVICES, PLAIN(cl_uint)},
    {OF_PROGRAM, CL_PROGRAM_DEVICES, PLAIN(cl_device_id)},
    {OF_PROGRAM, CL_PROGRAM_SOURCE, TEXT},
    {OF_PROGRAM, CL_PROGRAM_IL, BYTES},
    {OF_PROGRAM, CL_PROGRAM_BINARY_SIZES, PLAIN(size_t)},
    {OF_PROGRAM, CL_PROGRAM_NUM_KERNELS, PLAIN(size_t)},
    {OF_PROGRAM, CL_PROGRAM_KERNEL_NAMES, TEXT},
    {OF_PROGRAM, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, PLAIN(cl_bool)},
    {OF_PROGRAM, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, PLAIN(cl_bool)},
    {OF_BUILD, CL_PROGRAM_BUILD_STATUS, PLAIN(cl_build_status)},
    {OF_BUILD, CL_PROGRAM_BUILD_OPTIONS, TEXT},
    {OF_BUILD, CL_PROGRAM_BUILD_LOG, TEXT},
    {OF_BUILD, CL_PROGRAM_BINARY_TYPE, PLAIN(cl_program_binary_type)},
    {OF_BUILD, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, PLAIN(size_t)},
    {OF_KERNEL, CL_KERNEL_FUNCTION_NAME, TEXT},
    {OF_KERNEL, CL_KERNEL_NUM_ARGS, PLAIN(cl_uint)},
    {OF_KERNEL, CL_KERNEL_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_KERNEL, CL_KERNEL_CONTEXT, PLAIN(cl_context)},
    {OF_KERNEL, CL_KERNEL_PROGRAM, PLAIN(cl_program)},
    {OF_KERNEL, CL_KERNEL_ATTRIBUTES, TEXT},
    {OF_GROUP, CL_KERNEL_GLOBAL_WORK_SIZE, CL_INVALID_VALUE}, /* neither custom device nor built-in kernel */
    {OF_GROUP, CL_KERNEL_WORK_GROUP_SIZE, PLAIN(size_t)},
    {OF_GROUP, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 3 * PLAIN(size_t)},
    {OF_GROUP, CL_KERNEL_LOCAL_MEM_SIZE, PLAIN(cl_ulong)},
    {OF_GROUP, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, PLAIN(size_t)},
    {OF_GROUP, CL_KERNEL_PRIVATE_MEM_SIZE, PLAIN(cl_ulong)},
    {OF_ARGUMENT, CL_KERNEL_ARG_ADDRESS_QUALIFIER, PLAIN(cl_kernel_arg_address_qualifier)},
    {OF_ARGUMENT, CL_KERNEL_ARG_ACCESS_QUALIFIER, PLAIN(cl_kernel_arg_access_qualifier)},
    {OF_ARGUMENT, CL_KERNEL_ARG_TYPE_NAME, TEXT},
    {OF_ARGUMENT, CL_KERNEL_ARG_TYPE_QUALIFIER, PLAIN(cl_kernel_arg_type_qualifier)},
    {OF_ARGUMENT, CL_KERNEL_ARG_NAME, TEXT},
    {OF_EVENT, CL_EVENT_COMMAND_QUEUE, PLAIN(cl_command_queue)},
    {OF_EVENT, CL_EVENT_CONTEXT, PLAIN(cl_context)},
    {OF_EVENT, CL_EVENT_COMMAND_TYPE, PLAIN(cl_command_type)},
    {OF_EVENT, CL_EVENT_COMMAND_EXECUTION_STATUS, PLAIN(cl_int)},
    {OF_EVENT, CL_EVENT_REFERENCE_COUNT, PLAIN(cl_uint)},
    {OF_USER, CL_EVENT_COMMAND_QUEUE, PLAIN(cl_command_queue)},
    {OF_USER, CL_EVENT_COMMAND_TYPE, PLAIN(cl_command_type)},
    {OF_PROFILE, CL_PROFILING_COMMAND_QUEUED, PLAIN(cl_ulong)},
    {OF_PROFILE, CL_PROFILING_COMMAND_SUBMIT, PLAIN(cl_ulong)},
    {OF_PROFILE, CL_PROFILING_COMMAND_START, PLAIN(cl_ulong)},
    {OF_PROFILE, CL_PROFILING_COMMAND_END, PLAIN(cl_ulong)},
    {OF_PROFILE, CL_PROFILING_COMMAND_COMPLETE, PLAIN(cl_ulong)},
};

static cl_int
ask(int object, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    switch (object) {
    case OF_PLATFORM: return clGetPlatformInfo(w.platform, name, size, value, size_ret);
    case OF_DEVICE: return clGetDeviceInfo(w.device, name, size, value, size_ret);
    case OF_CONTEXT: return clGetContextInfo(w.context, name, size, value, size_ret);
    case OF_QUEUE: return clGetCommandQueueInfo(w.queue, name, size, value, size_ret);
    case OF_MEMORY: return clGetMemObjectInfo(buffer, name, size, value, size_ret);
    case OF_PART: return clGetMemObjectInfo(part, name, size, value, size_ret);
    case OF_PROGRAM: return clGetProgramInfo(w.program, name, size, value, size_ret);
    case OF_BUILD: return clGetProgramBuildInfo(w.program, w.device, name, size, value, size_ret);
    case OF_KERNEL: return clGetKernelInfo(kernel, name, size, value, size_ret);
    case OF_GROUP: return clGetKernelWorkGroupInfo(kernel, w.device, name, size, value, size_ret);
    case OF_ARGUMENT: return clGetKernelArgInfo(kernel, 0, name, size, value, size_ret);
    case OF_EVENT: return clGetEventInfo(done, name, size, value, size_ret);
    case OF_USER: return clGetEventInfo(user, name, size, value, size_ret);
    default: return clGetEventProfilingInfo(done, name, size, value, size_ret);
    }
}

static void
open_objects(void)
{
    cl_int error, value = 0;
    buffer = make_buffer(NULL, 64);
    part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 128}, &error);
    ok(error);
    kernel = make_kernel("add");
    user = clCreateUserEvent(w.context, &error);
    ok(clEnqueueFillBuffer(w.queue, buffer, &value, 4, 0, 64, 0, NULL, &done));
    ok(clFinish(w.queue));
}

static void
close_objects(void)
{
    ok(clReleaseMemObject(part));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseEvent(user));
    ok(clReleaseEvent(done));
}

static bool
size_fits(const struct row *row, size_t size, const char *value)
{
    switch (row->size) {
    case TEXT: return size && value[size - 1] == '\0' && strlen(value) == size - 1;
    case NAMES: return size % sizeof(cl_name_version) == 0;
    case WORDS: return size % sizeof(size_t) == 0;
    case BYTES: return size > 0;
    default: return size == (size_t)row->size;
    }
}

START_TEST(test_tables)
{
    static char value[1 << 16], again[1 << 16];
    open_objects();
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof rows[0]; row++) {
        size_t size = SIZE_MAX, got = SIZE_MAX;
        cl_int error = ask(row->object, row->name, 0, NULL, &size);
        if (row->size < -20) {
            ck_assert_msg(error == row->size, "0x%x: %d", row->name, error);
            continue;
        }
        ck_assert_msg(error == CL_SUCCESS, "0x%x of object %d: %d", row->name, row->object, error);
        ck_assert_uint_lt(size, sizeof value);
        memset(value, 0x5a, sizeof value);
        memset(again, 0x5a, sizeof again);
        ok(ask(row->object, row->name, size, value, NULL));
        ok(ask(row->object, row->name, sizeof again, again, &got)); /* more room than needed */
        ck_assert_uint_eq(got, size);
        ck_assert_mem_eq(value, again, sizeof value); /* and nothing behind the answer is written */
        ck_assert_int_eq(value[size], 0x5a);
        ck_assert_msg(size_fits(row, size, value), "0x%x: %zu bytes", row->name, size);
        ok(ask(row->object, row->name, 0, NULL, NULL));
        if (size) {
            memset(value, 0x5a, sizeof value);
            error = ask(row->object, row->name, size - 1, value, NULL);
            ck_assert_msg(error == CL_INVALID_VALUE, "0x%x in %zu bytes: %d", row->name, size - 1, error);
            ck_assert_int_eq(value[0], 0x5a);
        }
    }
    close_objects();
}
END_TEST

START_TEST(test_unknown_names)
{
    size_t size;
    open_objects();
    for (int object = OF_PLATFORM; object <= OF_PROFILE; object++) {
        fails(CL_INVALID_VALUE, ask(object, 0, 0, NULL, &size));
        fails(CL_INVALID_VALUE, ask(object, 0xffffffff, 0, NULL, &size));
        fails(CL_INVALID_VALUE, ask(object, CL_SAMPLER_CONTEXT, 0, NULL, &size));
    }
    close_objects();
}
END_TEST

#define ASKED(type, call_name, object, name)                                                                 \
    __extension__({                                                                                          \
        type answer;                                                                                         \
        ok(call_name(object, name, sizeof answer, &answer, NULL));                                           \
        answer;                                                                                              \
    })

/* What the answers are, where the objects' making says so. */
START_TEST(test_values)
{
    open_objects();
    ck_assert_uint_eq(ASKED(cl_uint, clGetMemObjectInfo, buffer, CL_MEM_TYPE), CL_MEM_OBJECT_BUFFER);
    ck_assert_uint_eq(ASKED(cl_uint, clGetMemObjectInfo, part, CL_MEM_TYPE), CL_MEM_OBJECT_BUFFER);
    ck_assert_uint_eq(ASKED(size_t, clGetMemObjectInfo, part, CL_MEM_OFFSET), 128);
    ck_assert_uint_eq(ASKED(size_t, clGetMemObjectInfo, part, CL_MEM_SIZE), 128);
    ck_assert_ptr_eq(ASKED(cl_mem, clGetMemObjectInfo, part, CL_MEM_ASSOCIATED_MEMOBJECT), buffer);
    ck_assert_ptr_null(ASKED(cl_mem, clGetMemObjectInfo, buffer, CL_MEM_ASSOCIATED_MEMOBJECT));
    ck_assert_ptr_eq(ASKED(cl_context, clGetMemObjectInfo, part, CL_MEM_CONTEXT), w.context);
    ck_assert_ptr_eq(ASKED(cl_context, clGetCommandQueueInfo, w.queue, CL_QUEUE_CONTEXT), w.context);
    ck_assert_ptr_eq(ASKED(cl_device_id, clGetCommandQueueInfo, w.queue, CL_QUEUE_DEVICE), w.device);
    ck_assert_uint_eq(ASKED(cl_ulong, clGetCommandQueueInfo, w.queue, CL_QUEUE_PROPERTIES),
                      CL_QUEUE_PROFILING_ENABLE);
    ck_assert_ptr_null(ASKED(cl_command_queue, clGetCommandQueueInfo, w.queue, CL_QUEUE_DEVICE_DEFAULT));
    ck_assert_ptr_eq(ASKED(cl_command_queue, clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE), w.queue);
    ck_assert_ptr_null(ASKED(cl_command_queue, clGetEventInfo, user, CL_EVENT_COMMAND_QUEUE));
    ck_assert_ptr_eq(ASKED(cl_context, clGetEventInfo, user, CL_EVENT_CONTEXT), w.context);
    ck_assert_uint_eq(ASKED(cl_uint, clGetEventInfo, user, CL_EVENT_COMMAND_TYPE), CL_COMMAND_USER);
    ck_assert_int_eq(ASKED(cl_int, clGetEventInfo, user, CL_EVENT_COMMAND_EXECUTION_STATUS), CL_SUBMITTED);
    ck_assert_int_eq(ASKED(cl_int, clGetEventInfo, done, CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE);
    ck_assert_uint_eq(ASKED(cl_uint, clGetEventInfo, done, CL_EVENT_COMMAND_TYPE), CL_COMMAND_FILL_BUFFER);
    ck_assert_ptr_eq(ASKED(cl_context, clGetKernelInfo, kernel, CL_KERNEL_CONTEXT), w.context);
    ck_assert_ptr_eq(ASKED(cl_context, clGetProgramInfo, w.program, CL_PROGRAM_CONTEXT), w.context);
    ck_assert_ptr_eq(ASKED(cl_device_id, clGetProgramInfo, w.program, CL_PROGRAM_DEVICES), w.device);
    ck_assert_uint_eq(ASKED(cl_uint, clGetProgramInfo, w.program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT),
                      CL_FALSE);
    close_objects();
}
END_TEST

/* Properties come back as they were given, and none where none were (4.4, 5.1, 5.5.6). */
START_TEST(test_properties)
{
    const cl_context_properties platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w.platform,
                                              CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)w.platform,
                                           CL_CONTEXT_INTEROP_USER_SYNC,
                                           CL_TRUE,
                                           CL_CONTEXT_INTEROP_USER_SYNC,
                                           CL_TRUE,
                                           0};
    const cl_context_properties strange[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0}, none[] = {0};
    const cl_mem_properties end[] = {0};
    cl_context_properties got[8];
    size_t size;
    cl_int error;
    makes(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &w.device, NULL, NULL, code_ret));
    makes(CL_INVALID_PROPERTY, clCreateContext(strange, 1, &w.device, NULL, NULL, code_ret));
    makes(CL_INVALID_PROPERTY, clCreateContextFromType(twice, CL_DEVICE_TYPE_CPU, NULL, NULL, code_ret));
    cl_context context = clCreateContext(platform, 1, &w.device, NULL, NULL, &error);
    ok(error);
    ok(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof got, got, &size));
    ck_assert_uint_eq(size, sizeof platform);
    ck_assert_mem_eq(got, platform, sizeof platform);
    ok(clReleaseContext(context));
    context = clCreateContext(none, 1, &w.device, NULL, NULL, &error);
    ok(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof got, got, &size));
    ck_assert_uint_eq(size, sizeof none);
    ok(clReleaseContext(context));
    context = clCreateContextFromType(platform, CL_DEVICE_TYPE_CPU, NULL, NULL, &error);
    ok(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof got, got, &size));
    ck_assert_uint_eq(size, sizeof platform);
    ok(clReleaseContext(context));
    cl_command_queue queue = clCreateCommandQueue(w.context, w.device, CL_QUEUE_PROFILING_ENABLE, &error);
    ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    ck_assert_uint_eq(size, 0);
    ok(clReleaseCommandQueue(queue));
    cl_mem memory = clCreateBufferWithProperties(w.context, end, 0, 16, NULL, &error);
    ok(error);
    ok(clGetMemObjectInfo(memory, CL_MEM_PROPERTIES, sizeof got, got, &size));
    ck_assert_uint_eq(size, sizeof end);
    ck_assert_uint_eq(got[0], 0);
    ok(clReleaseMemObject(memory));
}
END_TEST

/* Every create has one reference; retain and release count (4.4, 5.1, 5.5.1, 5.8.2, 5.9.1, 5.11). */
START_TEST(test_reference_counts)
{
    open_objects();
#define COUNTS(object, retain, release, info, name)                                                          \
    ck_assert_uint_eq(ASKED(cl_uint, info, object, name), 1);                                                \
    ok(retain(object));                                                                                      \
    ck_assert_uint_eq(ASKED(cl_uint, info, object, name), 2);                                                \
    ok(release(object));                                                                                     \
    ck_assert_uint_eq(ASKED(cl_uint, info, object, name), 1)
    COUNTS(w.context, clRetainContext, clReleaseContext, clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT);
    COUNTS(w.queue, clRetainCommandQueue, clReleaseCommandQueue, clGetCommandQueueInfo,
           CL_QUEUE_REFERENCE_COUNT);
    COUNTS(buffer, clRetainMemObject, clReleaseMemObject, clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT);
    COUNTS(part, clRetainMemObject, clReleaseMemObject, clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT);
    COUNTS(w.program, clRetainProgram, clReleaseProgram, clGetProgramInfo, CL_PROGRAM_REFERENCE_COUNT);
    COUNTS(kernel, clRetainKernel, clReleaseKernel, clGetKernelInfo, CL_KERNEL_REFERENCE_COUNT);
    COUNTS(user, clRetainEvent, clReleaseEvent, clGetEventInfo, CL_EVENT_REFERENCE_COUNT);
    COUNTS(done, clRetainEvent, clReleaseEvent, clGetEventInfo, CL_EVENT_REFERENCE_COUNT);
    /* A root device is not counted (4.3). */
    ok(clRetainDevice(w.device));
    ck_assert_uint_eq(ASKED(cl_uint, clGetDeviceInfo, w.device, CL_DEVICE_REFERENCE_COUNT), 1);
    ok(clReleaseDevice(w.device));
    ok(clReleaseDevice(w.device));
    ck_assert_uint_eq(ASKED(cl_uint, clGetDeviceInfo, w.device, CL_DEVICE_REFERENCE_COUNT), 1);
    close_objects();
}
END_TEST

TCase *
query_tests(void)
{
    TCase *tests = tcase_create("queries");
    tcase_add_test(tests, test_tables);
    tcase_add_test(tests, test_unknown_names);
    tcase_add_test(tests, test_values);
    tcase_add_test(tests, test_properties);
    tcase_add_test(tests, test_reference_counts);
    return tests;
}
