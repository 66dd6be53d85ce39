/* SPDX-License-Identifier: MIT */
/* Programs whose kernels the compiler dies of (tests/runtime/crashing_compiler.c): what OpenCL says of them.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include "../run_suite.h"

#include <CL/cl.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1024

#define ok(call) ck_assert_int_eq(call, CL_SUCCESS)

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_mem buffer;
static char told[2000];

static void CL_CALLBACK
notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    strncat(told, text, sizeof told - strlen(told) - 1);
}

static void
open_program(void)
{
    static char module[1 << 22];
    char path[1000];
    cl_platform_id platform;
    cl_int error;
    snprintf(path, sizeof path, "%s/apart.spv", getenv("LANEWISE_TEST_MODULES"));
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(module, 1, sizeof module, file);
    fclose(file);
    ok(clGetPlatformIDs(1, &platform, NULL));
    ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, notify, NULL, &error);
    ok(error);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    ok(error);
    program = clCreateProgramWithIL(context, module, size, &error);
    ok(error);
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, N * 4, NULL, &error);
    ok(error);
}

static void
close_program(void)
{
    ok(clReleaseMemObject(buffer));
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
}

static cl_kernel
make_kernel(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    return kernel;
}

static cl_int
enqueue(cl_kernel kernel, size_t local, cl_event *event)
{
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){N}, &local, 0, NULL, event);
}

static void
assert_runs(const char *name)
{
    cl_uint out[N] = {0};
    cl_kernel kernel = make_kernel(name);
    ok(clEnqueueFillBuffer(queue, buffer, &(cl_uint){7}, 4, 0, N * 4, 0, NULL, NULL));
    ok(enqueue(kernel, 64, NULL));
    ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], i * 3 + i % 64);
    ok(clReleaseKernel(kernel));
}

static const char *
build_log(void)
{
    static char log[4000];
    ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    return log;
}

START_TEST(other_code_serves)
{
    setenv("LANEWISE_TIER", "specialised", 1);
    setenv("LANEWISE_DEBUG", _i ? "1" : "0", 1);
    open_program();
    assert_runs("segv_special");
    assert_runs("deep_special");
    assert_runs("abort_optimised");
    assert_runs("good");
    ck_assert_str_eq(told, "");
    const char *log = build_log();
    ck_assert_int_eq(
        strstr(log, "warning: slower code serves: kernel segv_special: the compiler crashed") != NULL, _i);
    ck_assert_int_eq(strstr(log, "kernel abort_optimised: ") != NULL, _i);
    close_program();
}
END_TEST

/* The first launch finds out, its event tells; from then on the enqueue does, for these ranges. */
START_TEST(the_enqueue_tells_what_is_known)
{
    cl_event event;
    cl_int status;
    setenv("LANEWISE_TIER", _i ? "masked" : "auto", 1);
    open_program();
    cl_kernel kernel = make_kernel("segv_always");
    ok(enqueue(kernel, 64, &event));
    clWaitForEvents(1, &event);
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_eq(status, CL_OUT_OF_RESOURCES);
    ck_assert_msg(strstr(told, "kernel segv_always: the compiler crashed"), "%s", told);
    ok(clReleaseEvent(event));
    told[0] = '\0';
    ck_assert_int_eq(enqueue(kernel, 64, NULL), CL_OUT_OF_RESOURCES);
    ck_assert_msg(strstr(told, "kernel segv_always: the compiler crashed"), "%s", told);
    ok(clReleaseKernel(kernel));
    kernel = make_kernel("segv_always"); /* another object of the same kernel */
    ck_assert_int_eq(enqueue(kernel, 64, NULL), CL_OUT_OF_RESOURCES);
    ok(clReleaseKernel(kernel));
    assert_runs("good");
    ok(clFinish(queue));
    close_program();
}
END_TEST

static void
prepare(void)
{
    setenv("LANEWISE_VERIFY", "0", 1);
}

int
main(void)
{
    Suite *suite = suite_create("crash");
    TCase *cases = tcase_create("crash");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, prepare, NULL);
    tcase_add_loop_test(cases, other_code_serves, 0, 2);
    tcase_add_loop_test(cases, the_enqueue_tells_what_is_known, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
