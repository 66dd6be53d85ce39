/* SPDX-License-Identifier: MIT */
/* The world that a test runs in, and the tests' main program. */
#include "../run_suite.h"
#include "support.h"

struct world w;

void
open_world(void)
{
    ok(clGetPlatformIDs(1, &w.platform, NULL));
    ok(clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 1, &w.device, NULL));
    cl_int error;
    w.context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    ok(error);
    const cl_queue_properties in_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    w.queue = clCreateCommandQueueWithProperties(w.context, w.device, in_order, &error);
    ok(error);
    w.unordered = clCreateCommandQueueWithProperties(w.context, w.device, any_order, &error);
    ok(error);
    w.program = load_program("opencl_kernels.spv");
    ok(clBuildProgram(w.program, 0, NULL, NULL, NULL, NULL));
}

void
open_wide_world(void)
{
    setenv("LANEWISE_THREADS", "6", 1);
    open_world();
}

void
open_imageless_world(void)
{
    setenv("LANEWISE_IMAGES", "0", 1);
    open_world();
}

void
close_world(void)
{
    ok(clReleaseProgram(w.program));
    ok(clReleaseCommandQueue(w.queue));
    ok(clReleaseCommandQueue(w.unordered));
    ok(clReleaseContext(w.context));
}

void *
read_module(const char *name, size_t *size)
{
    char path[1000];
    const char *folder = getenv("LANEWISE_TEST_MODULES");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*size);
    ck_assert_uint_eq(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

cl_program
load_program(const char *name)
{
    size_t size;
    cl_int error;
    void *data = read_module(name, &size);
    cl_program program = clCreateProgramWithIL(w.context, data, size, &error);
    free(data);
    ok(error);
    return program;
}

cl_program
make_program(const char *source, const char *options)
{
    cl_int error;
    char log[4000] = "";
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    error = clBuildProgram(program, 1, &w.device, options, NULL, NULL);
    clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    ck_assert_msg(error == CL_SUCCESS, "%s: %d\n%s", options, error, log);
    return program;
}

cl_kernel
make_kernel(const char *name)
{
    return make_kernel_of(w.program, name);
}

cl_kernel
make_kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    return kernel;
}

cl_mem
make_buffer(const int *data, size_t count)
{
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(w.context, flags, count * sizeof *data, (void *)data, &error);
    ok(error);
    return buffer;
}

int
main(void)
{
    Suite *suite = suite_create("opencl");
    TCase *cases[] = {
        icd_tests(),
        platform_tests(),
        meeting_tests(),
        memory_tests(),
        queue_tests(),
        program_tests(),
        kernel_tests(),
        pipe_tests(),
        enqueue_tests(),
        progress_tests(),
        pointer_tests(),
        process_tests(),
        language_tests(),
        producer_tests(),
        cxx_tests(),
        dialect_tests(),
        option_tests(),
        source_tests(),
        source_info_tests(),
        source_option_tests(),
        handle_tests(),
        header_tests(),
        query_tests(),
        transfer_tests(),
        launch_tests(),
        event_tests(),
        native_kernel_tests(),
        svm_tests(),
        image_tests(),
        image_transfer_tests(), image_fill_tests(),
        program_error_tests(),
        mapping_tests(),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tcase_add_checked_fixture(cases[i], open_world, close_world);
        tcase_set_timeout(cases[i], 60);
        suite_add_tcase(suite, cases[i]);
    }
    TCase *imageless = unsupported_tests();
    tcase_add_checked_fixture(imageless, open_imageless_world, close_world);
    suite_add_tcase(suite, imageless);
    suite_add_tcase(suite, image_kernel_tests());
    suite_add_tcase(suite, image_range_tests());
    suite_add_tcase(suite, device_type_tests());
    TCase *wide = device_tests();
    tcase_add_checked_fixture(wide, open_wide_world, close_world);
    tcase_set_timeout(wide, 60);
    suite_add_tcase(suite, wide);
    TCase *cached = source_cache_tests();
    tcase_add_checked_fixture(cached, open_cached_world, close_cached_world);
    tcase_set_timeout(cached, 60);
    suite_add_tcase(suite, cached);
    return run_suite(suite);
}

cl_event
make_gate(void)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(w.context, &error);
    ok(error);
    return gate;
}

int
run_one(cl_program program, const char *name)
{
    cl_int error;
    const size_t one = 1;
    int value = 0;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    cl_mem buffer = make_buffer(&value, 1);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    return value;
}
