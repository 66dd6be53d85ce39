/* SPDX-License-Identifier: MIT */
/* Platform, device and context: queries, handles of the wrong kind, released handles. */
#include "support.h"

START_TEST(test_platform)
{
    cl_uint count = 0;
    char text[4096];
    fails(CL_INVALID_VALUE, clGetPlatformInfo(w.platform, 0x1234, 0, NULL, NULL));
    ok(clGetPlatformIDs(0, NULL, &count));
    ck_assert_uint_ge(count, 1);
    ok(clGetPlatformInfo(w.platform, CL_PLATFORM_NAME, sizeof text, text, NULL));
    ck_assert_str_eq(text, "Lanewise");
    fails(CL_INVALID_VALUE, clGetPlatformInfo(w.platform, CL_PLATFORM_NAME, 3, text, NULL));
    fails(CL_INVALID_PLATFORM, clGetPlatformInfo((cl_platform_id)w.device, CL_PLATFORM_NAME, 0, NULL, NULL));
}
END_TEST

START_TEST(test_devices)
{
    cl_device_id device;
    cl_uint count = 7;
    ok(clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_CPU, 1, &device, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_eq(device, w.device);
    fails(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    fails(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(w.platform, 1u << 20, 1, &device, NULL));
    fails(CL_INVALID_VALUE, clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
    fails(CL_INVALID_VALUE, clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    ok(clRetainDevice(w.device));
    ok(clReleaseDevice(w.device));
}
END_TEST

START_TEST(test_device_facts)
{
    char text[4096];
    size_t sizes[8], size;
    cl_bool images = CL_FALSE;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL));
    ck_assert_int_eq(strncmp(text, "SPIR-V_1.", 9), 0);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &size));
    ck_assert_uint_eq(size, 5 * sizeof *sizes);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_uint_eq(sizes[i], 4u << i);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, &size));
    ck_assert_uint_eq(sizes[2], 8192);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    ck_assert_int_eq(images, CL_TRUE);
    fails(CL_INVALID_VALUE, clGetDeviceInfo(w.device, 0x4250, sizeof text, text, NULL)); /* asked unasked */
    fails(CL_INVALID_DEVICE, clGetDeviceInfo((cl_device_id)w.context, CL_DEVICE_NAME, 0, NULL, NULL));
}
END_TEST

/* What OpenCL 3.1 asks of a device, by its names and by its numbers. */
/* What programs size their vectors and buffers by: the registers of the instruction set in force. */
START_TEST(test_sizes_that_programs_ask_for)
{
    static const struct {
        cl_device_info native, preferred;
        cl_uint bytes;
    } rows[] = {{CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
                {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 2},
                {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4},
                {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 8},
                {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4},
                {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 8},
                {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 2}};
    const char *isa = getenv("LANEWISE_ISA");
    cl_uint bytes = __builtin_cpu_supports("avx512bw") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16, width;
    if (isa && strcmp(isa, "sse4.2") == 0)
        bytes = 16;
    else if (isa && strcmp(isa, "avx2") == 0 && bytes > 32)
        bytes = 32;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ok(clGetDeviceInfo(w.device, rows[i].native, sizeof width, &width, NULL));
        ck_assert_uint_eq(width, bytes / rows[i].bytes);
        ok(clGetDeviceInfo(w.device, rows[i].preferred, sizeof width, &width, NULL));
        ck_assert_uint_eq(width, 1);
    }
    cl_ulong constant;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof constant, &constant, NULL));
    ck_assert_uint_eq(constant, 64 << 20);
    char text[100];
    int year, month, day, number, end = 0;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, sizeof text, text, NULL));
    ck_assert_int_eq(sscanf(text, "v%4d-%2d-%2d-%2d%n", &year, &month, &day, &number, &end), 4);
    ck_assert_uint_eq(strlen(text), (size_t)end);
}
END_TEST

START_TEST(test_version)
{
    static const char *const required[] = {
        "cl_khr_device_uuid ",
        "cl_khr_extended_bit_ops ",
        "cl_khr_integer_dot_product ",
        "cl_khr_spirv_queries ",
        "cl_khr_subgroup_rotate ",
        "cl_khr_subgroup_shuffle ",
        "cl_khr_subgroup_extended_types ",
        "cl_khr_subgroup_shuffle_relative ",
        "cl_khr_suggested_local_work_size ",
    };
    char text[8192];
    cl_version version;
    cl_name_version ils[20];
    size_t size, sizes[3];
    ok(clGetPlatformInfo(w.platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    ck_assert_int_eq(strncmp(text, "OpenCL 3.1 ", 11), 0);
    ok(clGetPlatformInfo(w.platform, CL_PLATFORM_NUMERIC_VERSION, sizeof version, &version, NULL));
    ck_assert_uint_eq(version, CL_MAKE_VERSION(3, 1, 0));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    ck_assert_int_eq(strncmp(text, "OpenCL 3.1 ", 11), 0);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_NUMERIC_VERSION, sizeof version, &version, NULL));
    ck_assert_uint_eq(version, CL_MAKE_VERSION(3, 1, 0));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        ck_assert_msg(strstr(text, required[i]) != NULL, "%s is not listed", required[i]);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_ILS_WITH_VERSION, sizeof ils, ils, &size));
    for (unsigned minor = 0; minor <= 4; minor++) {
        bool found = false;
        for (size_t i = 0; i < size / sizeof ils[0]; i++)
            found |= ils[i].version == CL_MAKE_VERSION(1, minor, 0) && strcmp(ils[i].name, "SPIR-V") == 0;
        ck_assert(found);
    }
    ok(clGetDeviceInfo(w.device, 0x1005 /* CL_DEVICE_MAX_WORK_GROUP_SIZES */, sizeof sizes, sizes, NULL));
    ck_assert_uint_eq(sizes[0], 8192);
}
END_TEST

static bool
has_text(const char *const *list, size_t size, const char *wanted)
{
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (strcmp(list[i], wanted) == 0)
            return true;
    return false;
}

/* cl_khr_spirv_queries: the required capabilities of the environment specification are there. */
START_TEST(test_spirv_queries)
{
    static const cl_uint required[] = {4, 5, 6, 7, 8, 10, 11, 18, 22, 38, 39, 58, 65, 66, 71, 6025, 6026};
    const char *texts[100];
    cl_uint capabilities[200];
    size_t size;
    ok(clGetDeviceInfo(w.device, 0x12BB, sizeof capabilities, capabilities, &size));
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        bool found = false;
        for (size_t k = 0; k < size / sizeof *capabilities; k++)
            found |= capabilities[k] == required[i];
        ck_assert_msg(found, "capability %u is not listed", required[i]);
    }
    ok(clGetDeviceInfo(w.device, 0x12B9, sizeof texts, texts, &size));
    ck_assert(has_text(texts, size, "OpenCL.std"));
    ok(clGetDeviceInfo(w.device, 0x12BA, sizeof texts, texts, &size));
    ck_assert(has_text(texts, size, "SPV_KHR_expect_assume"));
    fails(CL_INVALID_VALUE, clGetDeviceInfo(w.device, 0x12BA, 7, texts, NULL));
}
END_TEST

/* The two lists of extensions say the same. */
START_TEST(test_extension_lists)
{
    char text[8192];
    cl_name_version rows[200];
    size_t size, words = 0;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof rows, rows, &size));
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), words++)
        ck_assert_str_eq(word, rows[words].name);
    ck_assert_uint_eq(words, size / sizeof rows[0]);
}
END_TEST

START_TEST(test_context)
{
    cl_uint refs, devices;
    cl_device_id device;
    const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w.platform, 0};
    const cl_context_properties bad[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w.device, 0};
    const cl_context_properties strange[] = {0x7777, 1, 0};
    cl_int error;
    cl_context context = clCreateContext(good, 1, &w.device, NULL, NULL, &error);
    ok(error);
    ok(clRetainContext(context));
    ok(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 2);
    ok(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL));
    ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL));
    ck_assert_ptr_eq(device, w.device);
    ok(clReleaseContext(context));
    ok(clReleaseContext(context));
    fails(CL_INVALID_CONTEXT, clReleaseContext(context)); /* once too often */
    makes(CL_INVALID_PROPERTY, clCreateContext(strange, 1, &w.device, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateContext(good, 0, &w.device, NULL, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateContext(good, 1, &w.device, NULL, &refs, code_ret));
    makes(CL_INVALID_PLATFORM, clCreateContext(bad, 1, &w.device, NULL, NULL, code_ret));
}
END_TEST

static int destroyed;

static void CL_CALLBACK
note_destruction(cl_context context, void *data)
{
    (void)context;
    destroyed = 10 * destroyed + *(int *)data;
}

START_TEST(test_context_destructors)
{
    int one = 1, two = 2;
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    ok(clSetContextDestructorCallback(context, note_destruction, &one));
    ok(clSetContextDestructorCallback(context, note_destruction, &two));
    fails(CL_INVALID_VALUE, clSetContextDestructorCallback(context, NULL, NULL));
    cl_command_queue queue = clCreateCommandQueue(context, w.device, 0, &error);
    destroyed = 0;
    ok(clReleaseContext(context));
    ck_assert_int_eq(destroyed, 0); /* the queue holds it */
    ok(clReleaseCommandQueue(queue));
    ck_assert_int_eq(destroyed, 21);
}
END_TEST

START_TEST(test_timers)
{
    cl_ulong device, host, later;
    ok(clGetDeviceAndHostTimer(w.device, &device, &host));
    ok(clGetHostTimer(w.device, &later));
    ck_assert_uint_ge(later, host);
    fails(CL_INVALID_VALUE, clGetHostTimer(w.device, NULL));
}
END_TEST

/* The setting is read when the platform is made: _i as none, gpu, accelerator, and what is no type. */
START_TEST(test_device_type)
{
    static const char *const settings[] = {"", "gpu", "accelerator", "toaster"};
    static const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                           CL_DEVICE_TYPE_CPU};
    static const cl_device_type asked[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU,
                                           CL_DEVICE_TYPE_ACCELERATOR};
    setenv("LANEWISE_DEVICE_TYPE", settings[_i], 1);
    open_world(); /* which asks for all types */
    cl_device_type type;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, types[_i]);
    cl_device_id device = NULL;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        ck_assert_int_eq(clGetDeviceIDs(w.platform, asked[i], 1, &device, NULL),
                         asked[i] == types[_i] ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
    ok(clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    ck_assert_ptr_eq(device, w.device);
    close_world();
}
END_TEST

TCase *
device_type_tests(void)
{
    TCase *tests = tcase_create("device type");
    tcase_add_loop_test(tests, test_device_type, 0, 4);
    return tests;
}

TCase *
platform_tests(void)
{
    TCase *tests = tcase_create("platform");
    tcase_add_test(tests, test_platform);
    tcase_add_test(tests, test_devices);
    tcase_add_test(tests, test_device_facts);
    tcase_add_test(tests, test_sizes_that_programs_ask_for);
    tcase_add_test(tests, test_version);
    tcase_add_test(tests, test_spirv_queries);
    tcase_add_test(tests, test_extension_lists);
    tcase_add_test(tests, test_context);
    tcase_add_test(tests, test_context_destructors);
    tcase_add_test(tests, test_timers);
    return tests;
}
