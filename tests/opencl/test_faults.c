/* SPDX-License-Identifier: MIT */
/* Kernels that reach beyond their memory (faults.cl) end no process: a few bytes beyond, nothing of the
 * host's is there; far beyond, the launch's event tells. What no kernel caused goes where it went before.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include "../run_suite.h"

#include <CL/cl.h>
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 4096
#define LOCAL 256

#define ok(call) ck_assert_int_eq(call, CL_SUCCESS)

static const char *const tiers[] = {"masked", "first", "specialised"};
static const char *const names[] = {"argument", "variable", "pointer", "waiting"};
enum { TIERS = 3, NAMES = 4, NEAR_NAMES = 2 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_mem buffer;
static char told[4000];

static void CL_CALLBACK
notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    snprintf(told, sizeof told, "%s", text);
}

static void
open_program(int threads, int tier)
{
    static char module[1 << 20];
    char path[1000], count[16];
    cl_platform_id platform;
    cl_int error;
    snprintf(count, sizeof count, "%d", threads);
    setenv("LANEWISE_THREADS", count, 1);
    setenv("LANEWISE_TIER", tiers[tier], 1);
    snprintf(path, sizeof path, "%s/opencl_faults.spv", getenv("LANEWISE_TEST_MODULES"));
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
    ok(clEnqueueFillBuffer(queue, buffer, &(cl_uint){7}, 4, 0, N * 4, 0, NULL, NULL));
}

static void
close_program(void)
{
    ok(clReleaseMemObject(buffer));
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
}

/* The event's status at the end. */
static cl_int
launch(const char *name, cl_long step, size_t local_bytes)
{
    cl_int error, status;
    cl_event event;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 1, local_bytes, NULL));
    ok(clSetKernelArg(kernel, 2, sizeof step, &step));
    told[0] = 0;
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){N}, &(size_t){LOCAL}, 0, NULL, &event));
    clWaitForEvents(1, &event);
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ok(clReleaseEvent(event));
    ok(clReleaseKernel(kernel));
    return status;
}

static void
assert_good(int factor)
{
    cl_int out[N] = {0};
    ck_assert_int_eq(launch("good", factor, LOCAL * 4), CL_COMPLETE);
    ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], (i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL) * factor);
}

/* The host's heap is whole, too: malloc would tell. */
static void
use_heap(void)
{
    void *blocks[200];
    for (size_t i = 0; i < 200; i++) {
        blocks[i] = malloc(i * 40);
        if (blocks[i])
            memset(blocks[i], 1, i * 40);
    }
    for (size_t i = 0; i < 200; i++)
        free(blocks[i]);
}

START_TEST(near_misses_meet_nothing)
{
    open_program(_i % 2 ? 4 : 1, _i / 2);
    for (cl_long step = 1; step <= 16; step *= 2)
        for (int n = 0; n < NEAR_NAMES; n++) {
            ck_assert_msg(launch(names[n], step, 64) == CL_COMPLETE, "%s: %s", names[n], told);
            use_heap();
        }
    assert_good(3);
    close_program();
}
END_TEST

START_TEST(far_misses_end_the_launch)
{
    open_program(_i % 2 ? 4 : 1, _i / 2);
    for (int round = 0; round < 3; round++)
        for (int n = 0; n < NAMES; n++) {
            ck_assert_msg(launch(names[n], 16 << 10, 64) == CL_OUT_OF_RESOURCES, "%s", names[n]);
            ck_assert_ptr_nonnull(strstr(told, names[n]));
            ck_assert_ptr_nonnull(strstr(told, "work-group ("));
            ck_assert_msg((strstr(told, "of its local memory, which has ") != NULL) == (n != 2), "%s", told);
            use_heap();
            assert_good(n + 5);
        }
    close_program();
}
END_TEST

/* What the first lanes read at `scratch[id - d]` begins before local memory, and is slow where it begins on
 * another page: 512 bytes are 64 lanes of doubles. */
START_TEST(local_memory_begins_within_a_page)
{
    cl_int out[N] = {0};
    open_program(1, _i);
    ck_assert_int_eq(launch("place", 0, 64), CL_COMPLETE);
    ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        ck_assert_int_ge(out[i], 512);
        ck_assert_int_eq(out[i] % 128, 0);
    }
    close_program();
}
END_TEST

/* ---- the program's own handlers ---- */

static volatile int *nowhere;

static void
own_handler(int number)
{
    (void)number;
    _exit(42);
}

static int
status_of_child(void (*what)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        what();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void
fault_in_kernel(void)
{
    open_program(2, 0);
    if (launch("pointer", 64, 64) != CL_OUT_OF_RESOURCES)
        _exit(1);
}

static void
fault_with_handler(void)
{
    signal(SIGSEGV, own_handler);
    fault_in_kernel();
    *nowhere = 1;
}

static void
fault_without(void)
{
    fault_in_kernel();
    *nowhere = 1;
}

static void
killed_by_others(void)
{
    fault_in_kernel();
    kill(getpid(), SIGSEGV);
}

START_TEST(other_faults_are_passed_on)
{
    int status = status_of_child(fault_in_kernel);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    status = status_of_child(fault_with_handler);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = status_of_child(fault_without);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    status = status_of_child(killed_by_others);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
END_TEST

static void
launch_uncontained(void)
{
    setenv("LANEWISE_FAULTS", "0", 1);
    fault_in_kernel();
}

START_TEST(containing_is_left_out)
{
    int status = status_of_child(launch_uncontained);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("faults");
    TCase *tcase = tcase_create("faults");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, near_misses_meet_nothing, 0, 2 * TIERS);
    tcase_add_loop_test(tcase, far_misses_end_the_launch, 0, 2 * TIERS);
    tcase_add_loop_test(tcase, local_memory_begins_within_a_page, 0, TIERS);
    /* Sanitizers have handlers of their own, and end a process otherwise. */
    if (!getenv("LANEWISE_TEST_SANITIZED")) {
        tcase_add_test(tcase, other_faults_are_passed_on);
        tcase_add_test(tcase, containing_is_left_out);
    }
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
