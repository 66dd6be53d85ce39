/* SPDX-License-Identifier: MIT */
/* Queues and events: order, wait lists, user events, failure, callbacks, profiling, threads. */
#include "support.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_int
status_of(cl_event event)
{
    cl_int status;
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

START_TEST(test_create)
{
    const cl_queue_properties bad[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)1 << 40, 0};
    const cl_queue_properties high[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, 0};
    cl_queue_properties got[3];
    cl_int error;
    size_t size;
    makes(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(w.context, w.device, bad, code_ret));
    makes(CL_INVALID_DEVICE,
          clCreateCommandQueueWithProperties(w.context, (cl_device_id)w.queue, NULL, code_ret));
    cl_command_queue queue = clCreateCommandQueueWithProperties(w.context, w.device, high, &error);
    ok(error);
    ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size));
    ck_assert_uint_eq(size, sizeof high);
    ck_assert_mem_eq(got, high, sizeof high);
    fails(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof got, got, NULL));
    ok(clReleaseCommandQueue(queue));
    fails(CL_INVALID_COMMAND_QUEUE, clFinish(queue));
}
END_TEST

/* Commands append their number to a list: it tells the order in which they ran. */
static void
append(cl_command_queue queue, cl_kernel kernel, int value, cl_uint count, const cl_event *list,
       cl_event *event)
{
    const size_t one = 1;
    ok(clSetKernelArg(kernel, 1, sizeof value, &value));
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, count, list, event));
}

START_TEST(test_order)
{
    int log[16] = {0};
    cl_mem buffer = make_buffer(log, 16);
    cl_kernel kernel = make_kernel("append");
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int i = 1; i <= 5; i++)
        append(w.queue, kernel, i, 0, NULL, NULL);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof log, log, 0, NULL, NULL));
    ck_assert_int_eq(log[0], 5);
    for (int i = 1; i <= 5; i++)
        ck_assert_int_eq(log[i], i);
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_out_of_order)
{
    int log[16] = {0};
    cl_int error;
    cl_mem buffer = make_buffer(log, 16);
    cl_kernel kernel = make_kernel("append");
    cl_event gate = clCreateUserEvent(w.context, &error), first, second, barrier;
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    append(w.unordered, kernel, 1, 1, &gate, &first);
    append(w.unordered, kernel, 2, 0, NULL, &second);
    ok(clWaitForEvents(1, &second)); /* overtakes */
    ck_assert_int_gt(status_of(first), CL_COMPLETE);
    ok(clEnqueueBarrierWithWaitList(w.unordered, 0, NULL, &barrier));
    append(w.unordered, kernel, 3, 0, NULL, NULL);
    ok(clFlush(w.unordered));
    usleep(20000);
    ck_assert_int_gt(status_of(barrier), CL_COMPLETE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(w.unordered));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof log, log, 0, NULL, NULL));
    const int expected[4] = {3, 2, 1, 3};
    ck_assert_mem_eq(log, expected, sizeof expected);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(first));
    ok(clReleaseEvent(second));
    ok(clReleaseEvent(barrier));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* A queue that nobody flushes is worked on when another one waits for it. */
START_TEST(test_across_queues)
{
    int log[16] = {0};
    cl_mem buffer = make_buffer(log, 16);
    cl_kernel kernel = make_kernel("append");
    cl_event first, type_event;
    cl_command_type type;
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    append(w.unordered, kernel, 7, 0, NULL, &first);
    append(w.queue, kernel, 8, 1, &first, &type_event);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof log, log, 0, NULL, NULL));
    ck_assert_int_eq(log[1], 7);
    ck_assert_int_eq(log[2], 8);
    ok(clGetEventInfo(type_event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_NDRANGE_KERNEL);
    ok(clReleaseEvent(first));
    ok(clReleaseEvent(type_event));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* A failed event fails what waits for it, and what waits for that; nothing of it runs. */
START_TEST(test_failure)
{
    int value = 5, got = 0;
    cl_int error;
    cl_mem buffer = make_buffer(&value, 1);
    cl_event gate = clCreateUserEvent(w.context, &error), read, after;
    fails(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_FALSE, 0, 4, &got, 1, &gate, &read));
    ok(clEnqueueMarkerWithWaitList(w.unordered, 1, &read, &after));
    ok(clSetUserEventStatus(gate, -77));
    fails(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &after));
    ck_assert_int_eq(status_of(gate), -77);
    ck_assert_int_eq(status_of(read), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ck_assert_int_eq(got, 0);
    /* A blocking command says so itself; the queue goes on. */
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &got, 1, &read, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    ck_assert_int_eq(got, 5);
    fails(CL_INVALID_EVENT, clSetUserEventStatus(read, CL_COMPLETE));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(read));
    ok(clReleaseEvent(after));
    fails(CL_INVALID_EVENT, clWaitForEvents(1, &gate));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* In order means after, and what is after a failure fails; an out-of-order queue knows no after. */
START_TEST(test_failure_in_order)
{
    int value = 5, first = 0, second = 0;
    cl_int error;
    cl_mem buffer = make_buffer(&value, 1);
    cl_command_queue queues[] = {w.queue, w.unordered};
    for (unsigned q = 0; q < 2; q++) {
        cl_event gate = clCreateUserEvent(w.context, &error), read, behind, last;
        first = second = 0;
        ok(clEnqueueReadBuffer(queues[q], buffer, CL_FALSE, 0, 4, &first, 1, &gate, &read));
        ok(clEnqueueReadBuffer(queues[q], buffer, CL_FALSE, 0, 4, &second, 0, NULL, &behind));
        ok(clEnqueueMarkerWithWaitList(queues[q], 1, &behind, &last));
        ok(clSetUserEventStatus(gate, -5));
        ok(clFinish(queues[q]));
        ck_assert_int_eq(status_of(read), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_int expected = q ? CL_COMPLETE : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        ck_assert_int_eq(status_of(behind), expected);
        ck_assert_int_eq(status_of(last), expected);
        ck_assert_int_eq(first, 0);
        ck_assert_int_eq(second, q ? 5 : 0);
        ok(clEnqueueReadBuffer(queues[q], buffer, CL_TRUE, 0, 4, &second, 0, NULL, NULL));
        ck_assert_int_eq(second, 5); /* the queue goes on */
        ok(clReleaseEvent(gate));
        ok(clReleaseEvent(read));
        ok(clReleaseEvent(behind));
        ok(clReleaseEvent(last));
    }
    ok(clReleaseMemObject(buffer));
}
END_TEST

static atomic_int called[4];

static void CL_CALLBACK
note_status(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    atomic_fetch_add(&called[status < 0 ? 3 : status], 1);
}

static void
wait_until(atomic_int *value, int wanted)
{
    for (int i = 0; i < 5000 && atomic_load(value) != wanted; i++)
        usleep(1000);
    ck_assert_int_eq(atomic_load(value), wanted);
}

/* Called back without anybody waiting for the queue. */
START_TEST(test_callbacks)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(w.context, &error), marker;
    ok(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    fails(CL_INVALID_VALUE, clSetEventCallback(marker, CL_QUEUED, note_status, NULL));
    fails(CL_INVALID_VALUE, clSetEventCallback(marker, CL_COMPLETE, NULL, NULL));
    ok(clSetEventCallback(marker, CL_COMPLETE, note_status, NULL));
    ok(clSetEventCallback(marker, CL_COMPLETE, note_status, NULL));
    ok(clSetEventCallback(marker, CL_SUBMITTED, note_status, NULL));
    ok(clSetEventCallback(marker, CL_RUNNING, note_status, NULL));
    ok(clFlush(w.queue));
    ck_assert_int_eq(atomic_load(&called[CL_COMPLETE]), 0);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_until(&called[CL_COMPLETE], 2);
    wait_until(&called[CL_SUBMITTED], 1);
    wait_until(&called[CL_RUNNING], 1);
    ok(clSetEventCallback(marker, CL_COMPLETE, note_status, NULL)); /* late: at once */
    ck_assert_int_eq(atomic_load(&called[CL_COMPLETE]), 3);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(marker));
}
END_TEST

START_TEST(test_profiling)
{
    cl_ulong stamps[4];
    static const cl_profiling_info names[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                               CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    int value = 1;
    cl_int error;
    cl_mem buffer = make_buffer(&value, 1);
    cl_event read, plain, user = clCreateUserEvent(w.context, &error);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, &read));
    for (unsigned i = 0; i < 4; i++)
        ok(clGetEventProfilingInfo(read, names[i], sizeof stamps[i], &stamps[i], NULL));
    for (unsigned i = 1; i < 4; i++)
        ck_assert_uint_ge(stamps[i], stamps[i - 1]);
    ck_assert_uint_gt(stamps[0], 0);
    ok(clEnqueueReadBuffer(w.unordered, buffer, CL_TRUE, 0, 4, &value, 0, NULL, &plain));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(plain, names[0], 8, &stamps[0], NULL));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(user, names[0], 8, &stamps[0], NULL));
    ok(clReleaseEvent(read));
    ok(clReleaseEvent(plain));
    ok(clReleaseEvent(user));
    ok(clReleaseMemObject(buffer));
}
END_TEST

static void CL_CALLBACK
note_running(cl_event event, cl_int status, void *time)
{
    struct timespec now;
    (void)event, (void)status;
    clock_gettime(CLOCK_MONOTONIC, &now); /* what events are measured by */
    *(cl_ulong *)time = (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec;
}

/* A command does not execute while its kernel is compiled, which no compiler does in this little time. */
START_TEST(test_compiling_is_no_execution)
{
    const size_t one = 1;
    const cl_ulong least = 100000;
    cl_ulong running = 0, start, end;
    int value = 1;
    cl_int error;
    cl_program program = make_program("kernel void fresh(global int *a, int b) { a[0] += b * 77; }", "");
    cl_kernel kernel = make_kernel_of(program, "fresh");
    cl_mem buffer = make_buffer(&value, 1);
    cl_event gate = clCreateUserEvent(w.context, &error), event;
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 1, sizeof value, &value));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, &one, 1, &gate, &event));
    ok(clSetEventCallback(event, CL_RUNNING, note_running, &running));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &event));
    ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    ck_assert_uint_gt(running, 0);
    ck_assert_uint_ge(start, running + least);
    ck_assert_uint_ge(end, start);
    ok(clReleaseEvent(event));
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}
END_TEST

static void CL_CALLBACK
triple(void *arguments)
{
    int *data = *(int **)arguments;
    data[0] *= 3;
}

START_TEST(test_native_kernel)
{
    int value = 14;
    cl_mem buffer = make_buffer(&value, 1);
    void *arguments = NULL;
    const void *place = &arguments;
    ok(clEnqueueNativeKernel(w.queue, triple, &arguments, sizeof arguments, 1, &buffer, &place, 0, NULL,
                             NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    ck_assert_int_eq(value, 42);
    fails(CL_INVALID_VALUE, clEnqueueNativeKernel(w.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueNativeKernel(w.queue, triple, NULL, 8, 0, NULL, NULL, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* Everything released while it still has to run. */
START_TEST(test_release_under_way)
{
    int data[64] = {0}, got[64] = {0};
    cl_int error;
    const size_t items = 64;
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, w.device, 0, &error);
    size_t size;
    void *module = read_module("opencl_kernels.spv", &size);
    cl_program program = clCreateProgramWithIL(context, module, size, &error);
    free(module);
    ok(clBuildProgram(program, 1, &w.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
    cl_event gate = clCreateUserEvent(context, &error), read;
    int value = 9;
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 2, sizeof value, &value));
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &gate, NULL));
    ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof got, got, 0, NULL, &read));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &read));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(got[i], 9);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(read));
}
END_TEST

static void *
hammer(void *data)
{
    int *bad = data, in[32], out[32], value = 0;
    const size_t items = 32;
    cl_int error;
    cl_kernel kernel = clCreateKernel(w.program, "add", &error);
    cl_mem buffer = clCreateBuffer(w.context, 0, sizeof in, NULL, &error);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof buffer, &buffer);
    for (int round = 0; round < 200; round++) {
        cl_command_queue queue = round % 2 ? w.queue : w.unordered;
        cl_event wrote, added;
        for (int i = 0; i < 32; i++)
            in[i] = i + round;
        value = round;
        clSetKernelArg(kernel, 2, sizeof value, &value);
        clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof in, in, 0, NULL, &wrote);
        clEnqueueNDRangeKernel(w.unordered, kernel, 1, NULL, &items, NULL, 1, &wrote, &added);
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 1, &added, NULL);
        clReleaseEvent(wrote);
        clReleaseEvent(added);
        for (int i = 0; i < 32; i++)
            *bad += out[i] != i + 2 * round;
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    return NULL;
}

START_TEST(test_threads)
{
    pthread_t threads[4];
    int bad[4] = {0};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, hammer, &bad[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(bad[i], 0);
}
END_TEST

/* Threads of this process that are a queue's. */
static int
count_queue_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    ck_assert_ptr_nonnull(tasks);
    for (struct dirent *t; (t = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", t->d_name);
        FILE *from = fopen(path, "re");
        if (!from)
            continue;
        count += fgets(name, sizeof name, from) && !strcmp(name, "lanewise-queue\n");
        fclose(from);
    }
    closedir(tasks);
    return count;
}

/* Enqueues for each queue, flushes it, and waits without working on it. */
static void
use_queues(cl_command_queue *queues, int count)
{
    cl_event event;
    for (int i = 0; i < count; i++) {
        ok(clEnqueueMarkerWithWaitList(queues[i], 0, NULL, &event));
        ok(clFlush(queues[i]));
        while (status_of(event) != CL_COMPLETE)
            usleep(100);
        ok(clReleaseEvent(event));
    }
}

/* Programs keep many queues (dpctl one for each SYCL queue that it ever had): those that are not used have no
 * thread, and get one again. */
START_TEST(test_idle_threads)
{
    enum { QUEUES = 50 };
    cl_command_queue queues[QUEUES];
    cl_int error;
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueueWithProperties(w.context, w.device, NULL, &error);
        ok(error);
    }
    for (int round = 0; round < 2; round++) {
        use_queues(queues, QUEUES);
        ck_assert_int_gt(count_queue_threads(), 0);
        for (int waited = 0; count_queue_threads(); waited++) {
            ck_assert_int_lt(waited, 200);
            usleep(100000);
        }
    }
    for (int i = 0; i < QUEUES; i++)
        ok(clReleaseCommandQueue(queues[i]));
}
END_TEST

/* A child has none of its parent's threads: the queue works there, and is not waited for in vain. */
static int
in_child(cl_kernel kernel, cl_mem buffer)
{
    int log[4];
    const size_t one = 1;
    cl_event event;
    cl_int status = CL_QUEUED;
    if (clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, &one, 0, NULL, &event) || clFlush(w.queue))
        return 1;
    for (int i = 0; i < 5000 && status > CL_COMPLETE; i++) {
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        usleep(1000);
    }
    if (status != CL_COMPLETE || clReleaseEvent(event) ||
        clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof log, log, 0, NULL, NULL))
        return 2;
    return log[0] == 2 && log[2] == 7 ? 0 : 3;
}

START_TEST(test_fork)
{
    int log[4] = {0}, status, value = 7;
    cl_event event;
    cl_mem buffer = make_buffer(log, 4);
    cl_kernel kernel = make_kernel("append");
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    append(w.queue, kernel, value, 0, NULL, &event);
    ok(clSetEventCallback(event, CL_COMPLETE, note_status, NULL)); /* the queue's thread is started for it */
    ok(clWaitForEvents(1, &event));
    ok(clFinish(w.queue));
    pid_t child = fork();
    if (child == 0)
        _exit(in_child(kernel, buffer));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ok(clReleaseEvent(event));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* A process may end while a queue works, or compiles. */
START_TEST(test_exit_under_way)
{
    for (int round = 0; round < 24; round++) {
        pid_t child = fork();
        if (child == 0) {
            const size_t items = 1 << 16;
            int rounds = 20000;
            cl_mem buffer = make_buffer(NULL, items);
            cl_kernel kernel = make_kernel("slow");
            clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
            clSetKernelArg(kernel, 1, sizeof rounds, &rounds);
            clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
            clFlush(w.queue);
            usleep((useconds_t)round * 2000);
            exit(0);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
}
END_TEST

TCase *
queue_tests(void)
{
    TCase *tests = tcase_create("queue");
    tcase_add_test(tests, test_create);
    tcase_add_test(tests, test_order);
    tcase_add_test(tests, test_out_of_order);
    tcase_add_test(tests, test_across_queues);
    tcase_add_test(tests, test_failure);
    tcase_add_test(tests, test_failure_in_order);
    tcase_add_test(tests, test_callbacks);
    tcase_add_test(tests, test_profiling);
    tcase_add_test(tests, test_compiling_is_no_execution);
    tcase_add_test(tests, test_native_kernel);
    tcase_add_test(tests, test_release_under_way);
    tcase_add_test(tests, test_threads);
    tcase_add_test(tests, test_idle_threads);
    tcase_add_test(tests, test_fork);
    tcase_add_test(tests, test_exit_under_way);
    return tests;
}
