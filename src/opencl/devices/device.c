/* SPDX-License-Identifier: MIT */
/* The device: this machine's processor. What it says of itself is one table by type of answer. */
#include "../entry_points.h"
#include "../../../spirv/pipe.h"
#include "../../host/memory.h"
#include "../../services/print.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Making it ---- */

static void
read_processor_name(char out[64])
{
    unsigned words[12];
    if (__get_cpuid_max(0x80000000, NULL) < 0x80000004) {
        strcpy(out, "x86-64 processor");
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
    char text[49] = "";
    memcpy(text, words, 48);
    const char *start = text + strspn(text, " ");
    size_t length = strlen(start);
    while (length && start[length - 1] == ' ')
        length--;
    memcpy(out, start, length);
    out[length] = '\0';
}

static void
read_vendor(cl_device_id device)
{
    unsigned top, words[3] = {0};
    __get_cpuid(0, &top, &words[0], &words[2], &words[1]);
    memcpy(device->vendor, words, 12);
    device->vendor_id = strncmp(device->vendor, "GenuineIntel", 12) == 0   ? 0x8086
                        : strncmp(device->vendor, "AuthenticAMD", 12) == 0 ? 0x1022
                                                                           : 0;
}

/* The present clock in MHz, for virtual machines, which often tell no other. */
static unsigned
clock_of_cpuinfo(void)
{
    double mhz = 0;
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && mhz == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "cpu MHz : %lf", &mhz) != 1)
            mhz = 0;
    if (file)
        fclose(file);
    return mhz >= 1 && mhz < 1e6 ? (unsigned)mhz : 0;
}

static unsigned
read_clock(void)
{
    unsigned long khz = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
    if (file) {
        if (fscanf(file, "%lu", &khz) != 1)
            khz = 0;
        fclose(file);
    }
    unsigned base = 0, most = 0, bus = 0, rest = 0;
    if (!khz && __get_cpuid(0x16, &base, &most, &bus, &rest) && most)
        return most & 0xffff;
    return khz ? (unsigned)(khz / 1000) : clock_of_cpuinfo();
}

/* A processor, unless LANEWISE_DEVICE_TYPE says otherwise: some programs look for GPUs only. */
static cl_device_type
read_type(void)
{
    static const struct {
        const char *name;
        cl_device_type type;
    } types[] = {{"cpu", CL_DEVICE_TYPE_CPU},
                 {"gpu", CL_DEVICE_TYPE_GPU},
                 {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};
    const char *text = secure_getenv("LANEWISE_DEVICE_TYPE");
    if (!text || !*text)
        return CL_DEVICE_TYPE_CPU;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, text) == 0)
            return types[i].type;
    fprintf(stderr, "lanewise: warning: LANEWISE_DEVICE_TYPE=%s is ignored: none of cpu, gpu, accelerator\n",
            text);
    return CL_DEVICE_TYPE_CPU;
}

/* The environment may say otherwise, for programs that go by names or types. */
static void
read_overrides(cl_device_id device)
{
    device->type = read_type();
    const char *text = secure_getenv("LANEWISE_DEVICE_NAME");
    if (text && *text)
        snprintf(device->name, sizeof device->name, "%s", text);
    text = secure_getenv("LANEWISE_DRIVER_VERSION");
    snprintf(device->driver, sizeof device->driver, "%s", text && *text ? text : LW_VERSION);
    text = secure_getenv("LANEWISE_VENDOR_ID");
    if (text && *text) {
        char *end;
        unsigned long id = strtoul(text, &end, 0);
        if (*end || id > UINT32_MAX)
            fprintf(stderr, "lanewise: warning: LANEWISE_VENDOR_ID=%s is ignored: no number\n", text);
        else
            device->vendor_id = (cl_uint)id;
    }
}

static void
destroy_device(void *object)
{
    cl_device_id device = object;
    lw_device_release(device->device);
}

cl_device_id
lw_cl_device_create(cl_platform_id platform)
{
    cl_device_id device = lw_cl_new(LW_CL_DEVICE, sizeof *device, destroy_device);
    if (!device)
        return NULL;
    lw_error error;
    device->platform = platform;
    static const lw_device_options contained = {.contain_faults = true, .most_local = LW_CL_LOCAL_BYTES};
    device->device = lw_device_create(&contained, &error);
    if (!device->device) {
        fprintf(stderr, "lanewise: no device: %s\n", error.text);
        lw_cl_drop(device);
        return NULL;
    }
    device->units = lw_device_threads(device->device);
    read_processor_name(device->name);
    read_vendor(device);
    device->clock_mhz = read_clock();
    read_overrides(device);
    device->memory_bytes = lw_usable_memory();
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    device->cache_bytes = cache > 0 ? (cl_ulong)cache : (cl_ulong)1 << 20;
    return device;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries, cl_device_id *devices,
               cl_uint *num_devices)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (!platform)
        platform = lw_cl_platform();
    if (!lw_cl_is(platform, LW_CL_PLATFORM))
        return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~known)))
        return CL_INVALID_DEVICE_TYPE;
    if ((!devices && !num_devices) || (devices && num_entries == 0))
        return CL_INVALID_VALUE;
    bool ours = type & (CL_DEVICE_TYPE_DEFAULT | platform->device->type);
    if (num_devices)
        *num_devices = ours;
    if (ours && devices)
        devices[0] = platform->device;
    return ours ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* ---- What it says ---- */

/* Answers that are one cl_uint (or cl_bool). */
static const struct {
    cl_device_info name;
    cl_uint value;
} uints[] = {
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 1},
    {CL_DEVICE_ADDRESS_BITS, 64},
    {CL_DEVICE_MAX_PIPE_ARGS, 64},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 64}, /* there is no limit */
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, LW_MAX_PIPE_PACKET},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8 * LW_CL_BASE_ALIGN},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 64},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 255},
    {CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE},
    {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
    {CL_DEVICE_AVAILABLE, CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, CL_TRUE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, LW_CL_QUEUE_BYTES},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, LW_CL_MAX_QUEUE_BYTES},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, LW_CL_MAX_DEVICE_QUEUES},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, LW_MAX_DEVICE_EVENTS},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, LW_MAX_WORK_GROUP / 4},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_TRUE},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_TRUE},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_TRUE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_TRUE},
    {CL_DEVICE_PIPE_SUPPORT, CL_TRUE},
    {CL_DEVICE_NUMERIC_VERSION, LW_CL_VERSION},
    {CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, CL_MAKE_VERSION(1, 2, 0)},
    {CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT, CL_MAKE_VERSION(1, 0, 0)}, /* of -cl-std=CLC++ */
    {CL_DEVICE_LUID_VALID_KHR, CL_FALSE},
    {CL_DEVICE_NODE_MASK_KHR, 0},
};

#define CONSTANT_BYTES ((cl_ulong)64 << 20)
#define FP (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)
#define ATOMICS                                                                                              \
    (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |   \
     CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES | CL_DEVICE_ATOMIC_ORDER_SEQ_CST)
#define USM                                                                                                  \
    (CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |                  \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |                                                      \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL)

#define FLOAT_ATOMICS                                                                                        \
    (CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |                        \
     CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |                     \
     CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)

/* Answers that are 64 bits: cl_ulong, bit-fields, size_t. */
static const struct {
    cl_device_info name;
    cl_ulong value;
} ulongs[] = {
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, LW_MAX_WORK_GROUP},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 64},
    {CL_DEVICE_MAX_PARAMETER_SIZE, LW_CL_MAX_ARG_BYTES},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, LW_MAX_PROGRAM_BYTES},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, LW_MAX_PROGRAM_BYTES},
    {CL_DEVICE_SINGLE_FP_CONFIG, FP | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
    {CL_DEVICE_DOUBLE_FP_CONFIG, FP | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF},
    {CL_DEVICE_HALF_FP_CONFIG, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA},
    {CL_DEVICE_LOCAL_MEM_SIZE, LW_CL_LOCAL_BYTES},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1},
    {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, LW_PRINT_BYTES},
    {CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                     CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, ATOMICS},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM},
    {CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, FLOAT_ATOMICS},
    {CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, FLOAT_ATOMICS},
    {CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, FLOAT_ATOMICS},
    {CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR,
     CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR},
    {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, USM},
    {CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, USM},
    {CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, USM},
    {CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, USM},
    {CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, USM},
};

/* Answers that are 0 where the device has no images. Rows and host pointers of images from buffers are
 * aligned to a texel. */
static const struct {
    cl_device_info name;
    bool is_size; /* size_t, else cl_uint */
    cl_uint value;
} image_answers[] = {
    {CL_DEVICE_IMAGE_SUPPORT, false, CL_TRUE},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, false, 128},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, false, 64},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, false, 64},
    {CL_DEVICE_MAX_SAMPLERS, false, 16},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, false, 1},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, false, 1},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, true, LW_CL_IMAGE_2D_SIZE},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, true, LW_CL_IMAGE_2D_SIZE},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, true, LW_CL_IMAGE_3D_SIZE},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, true, LW_CL_IMAGE_3D_SIZE},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, true, LW_CL_IMAGE_3D_SIZE},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, true, LW_CL_IMAGE_BUFFER_SIZE},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, true, LW_CL_IMAGE_LAYERS},
};

static cl_int
answer_image(cl_device_id device, cl_device_info name, const struct lw_cl_answer *to)
{
    for (size_t i = 0; i < sizeof image_answers / sizeof image_answers[0]; i++) {
        cl_uint value = lw_cl_has_images(device) ? image_answers[i].value : 0;
        if (image_answers[i].name == name)
            return image_answers[i].is_size ? lw_cl_answer_size(to, value) : lw_cl_answer_uint(to, value);
    }
    return CL_INVALID_VALUE;
}

static cl_int
answer_text(cl_device_id device, cl_device_info name, const struct lw_cl_answer *to)
{
    switch (name) {
    case CL_DEVICE_NAME:
        return lw_cl_answer_text(to, device->name);
    case CL_DEVICE_VENDOR:
        return lw_cl_answer_text(to, device->vendor);
    case CL_DRIVER_VERSION:
        return lw_cl_answer_text(to, device->driver);
    case CL_DEVICE_PROFILE:
        return lw_cl_answer_text(to, "FULL_PROFILE");
    case CL_DEVICE_VERSION:
        return lw_cl_answer_text(to, LW_CL_VERSION_TEXT);
    case CL_DEVICE_OPENCL_C_VERSION:
        return lw_cl_answer_text(to, "OpenCL C 1.2 Lanewise");
    case CL_DEVICE_EXTENSIONS:
        return lw_cl_answer_text(to, lw_cl_extensions(device));
    case CL_DEVICE_IL_VERSION:
        return lw_cl_answer_text(
            to, "SPIR-V_1.4 SPIR-V_1.3 SPIR-V_1.2 SPIR-V_1.1 SPIR-V_1.0 SPIR-V_1.5 SPIR-V_1.6");
    case CL_DEVICE_BUILT_IN_KERNELS:
        return lw_cl_answer_text(to, "");
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        return lw_cl_answer_text(to, "v0000-01-01-00"); /* none; programs read a date and a number */
    default:
        return CL_INVALID_VALUE;
    }
}

/* Elements of so many bytes in a register of the instruction set that kernels are compiled for. What is
 * preferred is one: lanes fill the registers. */
static cl_uint
native_width(const struct _cl_device_id *device, cl_device_info name)
{
    lw_isa isa = lw_device_isa(device->device);
    unsigned bytes = isa >= LW_ISA_AVX512 ? 64 : isa == LW_ISA_AVX2 ? 32 : 16;
    switch (name) {
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
        return bytes;
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
        return bytes / 2;
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
        return bytes / 4;
    default:
        return bytes / 8;
    }
}

/* The same for the same processor and version, and for nothing else. */
static void
make_uuid(const char *first, const char *second, cl_uchar out[CL_UUID_SIZE_KHR])
{
    uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    for (unsigned half = 0; half < 2; half++)
        for (const char *text = half ? second : first; *text; text++)
            for (unsigned h = 0; h < 2; h++)
                hash[h] = (hash[h] ^ (unsigned char)*text ^ half << 7) * (0x100000001b3u + 2 * h);
    memcpy(out, hash, sizeof hash);
}

static cl_int
answer_computed(cl_device_id device, cl_device_info name, const struct lw_cl_answer *to)
{
    static const size_t item_sizes[3] = {LW_MAX_WORK_GROUP, LW_MAX_WORK_GROUP, LW_MAX_WORK_GROUP};
    /* Of every signedness, accumulating or not. */
    static const cl_device_integer_dot_product_acceleration_properties_khr dots = {CL_TRUE, CL_TRUE, CL_TRUE,
                                                                                   CL_TRUE, CL_TRUE, CL_TRUE};
    cl_uchar uuid[CL_UUID_SIZE_KHR], luid[CL_LUID_SIZE_KHR] = {0};
    switch (name) {
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
        return lw_cl_answer_uint(to, native_width(device, name));
    case CL_DEVICE_TYPE:
        return lw_cl_answer_ulong(to, device->type);
    case CL_DEVICE_VENDOR_ID:
        return lw_cl_answer_uint(to, device->vendor_id);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return lw_cl_answer_uint(to, device->clock_mhz);
    case CL_DEVICE_COMPILER_AVAILABLE: {
        char path[1024];
        return lw_cl_answer_uint(to, lw_cl_source_compiler(path, sizeof path));
    }
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return lw_cl_answer_ulong(to, device->memory_bytes);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return lw_cl_answer_ulong(to, lw_cl_max_alloc(device));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: /* programs allocate it */
        return lw_cl_answer_ulong(to, lw_cl_max_alloc(device) < CONSTANT_BYTES ? lw_cl_max_alloc(device)
                                                                               : CONSTANT_BYTES);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return lw_cl_answer_ulong(to, device->cache_bytes);
    case CL_DEVICE_MAX_WORK_GROUP_SIZES:
        return lw_cl_answer_bytes(to, item_sizes, sizeof item_sizes);
    case CL_DEVICE_PLATFORM:
        return lw_cl_answer_pointer(to, device->platform);
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return lw_cl_answer_bytes(to, NULL, 0);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return lw_cl_answer_extensions(to, device);
    case CL_DEVICE_UUID_KHR:
        make_uuid(device->name, lw_isa_name(lw_device_isa(device->device)), uuid);
        return lw_cl_answer_bytes(to, uuid, sizeof uuid);
    case CL_DRIVER_UUID_KHR:
        make_uuid("Lanewise", LW_VERSION, uuid);
        return lw_cl_answer_bytes(to, uuid, sizeof uuid);
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
        return lw_cl_answer_bytes(to, &dots, sizeof dots);
    case CL_DEVICE_LUID_KHR:
        return lw_cl_answer_bytes(to, luid, sizeof luid);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(device, LW_CL_DEVICE))
        return CL_INVALID_DEVICE;
    for (size_t i = 0; i < sizeof uints / sizeof uints[0]; i++)
        if (uints[i].name == name)
            return lw_cl_answer_uint(&to, uints[i].value);
    for (size_t i = 0; i < sizeof ulongs / sizeof ulongs[0]; i++)
        if (ulongs[i].name == name)
            return lw_cl_answer_ulong(&to, ulongs[i].value);
    /* Each knows names of its own; the answer of one that does not is CL_INVALID_VALUE. */
    size_t known;
    struct lw_cl_answer probe = {0, NULL, &known};
    if (answer_text(device, name, &probe) == CL_SUCCESS)
        return answer_text(device, name, &to);
    if (answer_image(device, name, &probe) == CL_SUCCESS)
        return answer_image(device, name, &to);
    if (lw_cl_answer_list(device, &probe, name) == CL_SUCCESS)
        return lw_cl_answer_list(device, &to, name);
    if (lw_cl_answer_partition(device, name, &probe) == CL_SUCCESS)
        return lw_cl_answer_partition(device, name, &to);
    return answer_computed(device, name, &to);
}

/* ---- Timers ---- */

CL_API_ENTRY cl_int CL_API_CALL
clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
    if (!lw_cl_is(device, LW_CL_DEVICE))
        return CL_INVALID_DEVICE;
    if (!device_time || !host_time)
        return CL_INVALID_VALUE;
    *device_time = *host_time = lw_cl_now();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
    if (!lw_cl_is(device, LW_CL_DEVICE))
        return CL_INVALID_DEVICE;
    if (!host_time)
        return CL_INVALID_VALUE;
    *host_time = lw_cl_now();
    return CL_SUCCESS;
}
