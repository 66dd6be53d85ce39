/* SPDX-License-Identifier: MIT */
/* Events (API 5.11), markers and barriers (5.12), profiling (5.14), timers (4.3), the deprecated entry
 * points of OpenCL 1.x, queues (5.1, appendix H). */
#include "support.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static cl_int
status_of(cl_event event)
{
    cl_int status;
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void
wait_until(atomic_int *value, int wanted)
{
    for (int i = 0; i < 5000 && atomic_load(value) != wanted; i++)
        usleep(1000);
    ck_assert_int_eq(atomic_load(value), wanted);
}

/* ---- User events ---- */

START_TEST(test_user_event_status)
{
    static const struct {
        cl_int status, error;
    } rows[] = {{CL_COMPLETE, CL_SUCCESS},
                {-1, CL_SUCCESS},
                {-9999, CL_SUCCESS},
                {CL_RUNNING, CL_INVALID_VALUE},
                {CL_SUBMITTED, CL_INVALID_VALUE},
                {CL_QUEUED, CL_INVALID_VALUE},
                {4, CL_INVALID_VALUE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_event gate = make_gate();
        ck_assert_int_eq(status_of(gate), CL_SUBMITTED);
        fails(rows[i].error, clSetUserEventStatus(gate, rows[i].status));
        ck_assert_int_eq(status_of(gate), rows[i].error ? CL_SUBMITTED : rows[i].status);
        if (!rows[i].error) { /* once only */
            fails(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
            fails(CL_INVALID_OPERATION, clSetUserEventStatus(gate, -5));
            ck_assert_int_eq(status_of(gate), rows[i].status);
        }
        ok(clReleaseEvent(gate));
    }
}
END_TEST

START_TEST(test_wait)
{
    cl_event good = make_gate(), bad = make_gate();
    cl_int error;
    ok(clSetUserEventStatus(good, CL_COMPLETE));
    ok(clSetUserEventStatus(bad, -3));
    ok(clWaitForEvents(1, &good));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(2, (cl_event[]){good, bad}));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(2, (cl_event[]){bad, good}));
    fails(CL_INVALID_VALUE, clWaitForEvents(0, &good));
    fails(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
    fails(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    fails(CL_INVALID_EVENT, clWaitForEvents(2, (cl_event[]){good, NULL}));
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_event foreign = clCreateUserEvent(context, &error);
    ok(clSetUserEventStatus(foreign, CL_COMPLETE));
    fails(CL_INVALID_CONTEXT, clWaitForEvents(2, (cl_event[]){good, foreign}));
    ok(clReleaseEvent(foreign));
    ok(clReleaseContext(context));
    ok(clReleaseEvent(good));
    ok(clReleaseEvent(bad));
}
END_TEST

/* A list without a count and the reverse: of every kind of command (test_handles.c has those with bad
 * events). */
START_TEST(test_wait_lists)
{
    cl_event gate = make_gate(), event = NULL;
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(w.queue, 1, NULL, &event));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(w.queue, 0, &gate, &event));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(w.queue, 1, NULL, &event));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(w.queue, 0, &gate, &event));
    fails(CL_INVALID_VALUE, clEnqueueWaitForEvents(w.queue, 0, &gate));
    fails(CL_INVALID_VALUE, clEnqueueWaitForEvents(w.queue, 1, NULL));
    ck_assert_ptr_null(event); /* a call that fails makes none */
    ok(clEnqueueWaitForEvents(w.queue, 1, &gate));
    ok(clFinish(w.queue));
    ok(clReleaseEvent(gate));
}
END_TEST

/* ---- Callbacks ---- */

static atomic_int calls[3][2]; /* by the status registered for; with it, or with an error */

static void CL_CALLBACK
note_status(cl_event event, cl_int status, void *data)
{
    const int *registered = data;
    (void)event;
    if (status < 0)
        atomic_fetch_add(&calls[*registered][1], 1);
    else if (status == *registered)
        atomic_fetch_add(&calls[*registered][0], 1);
    else
        ck_abort_msg("called with %d, registered for %d", status, *registered);
}

static const int complete = CL_COMPLETE, running = CL_RUNNING, submitted = CL_SUBMITTED;

static void
register_all(cl_event event)
{
    ok(clSetEventCallback(event, CL_COMPLETE, note_status, (void *)&complete));
    ok(clSetEventCallback(event, CL_RUNNING, note_status, (void *)&running));
    ok(clSetEventCallback(event, CL_SUBMITTED, note_status, (void *)&submitted));
}

/* Registered before and after: each is called once, with the status it was registered for. */
START_TEST(test_callbacks_of_success)
{
    cl_event gate = make_gate(), marker;
    ok(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    register_all(marker);
    ok(clFlush(w.queue));
    wait_until(&calls[CL_SUBMITTED][0], 1);
    ck_assert_int_eq(atomic_load(&calls[CL_RUNNING][0]), 0);
    ck_assert_int_eq(atomic_load(&calls[CL_COMPLETE][0]), 0);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &marker));
    wait_until(&calls[CL_COMPLETE][0], 1);
    wait_until(&calls[CL_RUNNING][0], 1);
    register_all(marker);
    for (int status = CL_COMPLETE; status <= CL_SUBMITTED; status++) {
        wait_until(&calls[status][0], 2);
        ck_assert_int_eq(atomic_load(&calls[status][1]), 0);
    }
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(marker));
}
END_TEST

/* Terminated: whoever has not been called is, with the error; of a user event too. */
START_TEST(test_callbacks_of_failure)
{
    cl_event gate = make_gate(), marker;
    ok(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    ok(clSetEventCallback(marker, CL_RUNNING, note_status, (void *)&running));
    ok(clSetEventCallback(marker, CL_COMPLETE, note_status, (void *)&complete));
    ok(clSetEventCallback(gate, CL_RUNNING, note_status, (void *)&running));
    ok(clSetEventCallback(gate, CL_COMPLETE, note_status, (void *)&complete));
    ok(clSetEventCallback(gate, CL_SUBMITTED, note_status, (void *)&submitted)); /* it is: at once */
    wait_until(&calls[CL_SUBMITTED][0], 1);
    ok(clFlush(w.queue));
    ok(clSetUserEventStatus(gate, -11));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &marker));
    wait_until(&calls[CL_RUNNING][1], 2);
    wait_until(&calls[CL_COMPLETE][1], 2);
    ck_assert_int_eq(status_of(gate), -11);
    ck_assert_int_lt(status_of(marker), 0);
    ok(clSetEventCallback(marker, CL_COMPLETE, note_status, (void *)&complete)); /* late */
    wait_until(&calls[CL_COMPLETE][1], 3);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(marker));
}
END_TEST

START_TEST(test_callback_errors)
{
    cl_event gate = make_gate();
    fails(CL_INVALID_VALUE, clSetEventCallback(gate, CL_COMPLETE, NULL, NULL));
    fails(CL_INVALID_VALUE, clSetEventCallback(gate, CL_QUEUED, note_status, NULL));
    fails(CL_INVALID_VALUE, clSetEventCallback(gate, -1, note_status, NULL));
    fails(CL_INVALID_VALUE, clSetEventCallback(gate, 4, note_status, NULL));
    ok(clReleaseEvent(gate));
}
END_TEST

struct follow_up {
    cl_mem buffer;
    int value;
    atomic_int enqueued;
};

static void CL_CALLBACK
enqueue_more(cl_event event, cl_int status, void *data)
{
    struct follow_up *f = data;
    (void)event;
    ck_assert_int_eq(status, CL_COMPLETE);
    ok(clEnqueueWriteBuffer(w.queue, f->buffer, CL_FALSE, 0, 4, &f->value, 0, NULL, NULL));
    ok(clFlush(w.queue));
    atomic_store(&f->enqueued, 1);
}

/* Callbacks may enqueue, and flush (the note on callbacks in 5.5.1). */
START_TEST(test_callback_enqueues)
{
    struct follow_up f = {make_buffer(NULL, 1), 44, 0};
    int got = 0;
    cl_event gate = make_gate(), marker;
    ok(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, &marker));
    ok(clSetEventCallback(marker, CL_COMPLETE, enqueue_more, &f));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_until(&f.enqueued, 1);
    ok(clEnqueueReadBuffer(w.queue, f.buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    ck_assert_int_eq(got, 44);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(marker));
    ok(clReleaseMemObject(f.buffer));
}
END_TEST

/* ---- Markers and barriers, in a queue without order ---- */

/* What came before waits for a gate: does the second command wait for it, and what comes after that? */
START_TEST(test_markers_and_barriers)
{
    enum { WAITS = 1, BLOCKS = 2 };
    for (int kind = 0; kind < 6; kind++) {
        static const int expected[6] = {WAITS, 0, WAITS | BLOCKS, BLOCKS, WAITS, WAITS | BLOCKS};
        cl_event gate = make_gate(), open = make_gate(), before, event = NULL, after;
        cl_command_queue q = w.unordered;
        cl_command_type type = CL_COMMAND_BARRIER;
        cl_uint wanted = kind == 0 || kind == 1 || kind == 4 ? CL_COMMAND_MARKER : CL_COMMAND_BARRIER;
        ok(clEnqueueMarkerWithWaitList(q, 1, &gate, &before));
        switch (kind) {
        case 0: ok(clEnqueueMarkerWithWaitList(q, 0, NULL, &event)); break;
        case 1: ok(clEnqueueMarkerWithWaitList(q, 1, &open, &event)); break;
        case 2: ok(clEnqueueBarrierWithWaitList(q, 0, NULL, &event)); break;
        case 3: ok(clEnqueueBarrierWithWaitList(q, 1, &open, &event)); break;
        case 4: ok(clEnqueueMarker(q, &event)); break;
        default:
            ok(clEnqueueBarrier(q));
        }
        ok(clEnqueueMarkerWithWaitList(q, 1, &open, &after));
        if (kind == 3) { /* it blocks until its list is complete, not until all is */
            ok(clFlush(q));
            usleep(2000);
            ck_assert_int_gt(status_of(after), CL_COMPLETE);
        }
        ok(clSetUserEventStatus(open, CL_COMPLETE));
        if (event && !(expected[kind] & WAITS))
            ok(clWaitForEvents(1, &event));
        if (!(expected[kind] & WAITS) || !(expected[kind] & BLOCKS))
            ok(clWaitForEvents(1, &after));
        ok(clFlush(q));
        usleep(2000);
        if (event && (expected[kind] & WAITS))
            ck_assert_int_gt(status_of(event), CL_COMPLETE);
        if (expected[kind] == (WAITS | BLOCKS))
            ck_assert_int_gt(status_of(after), CL_COMPLETE);
        ck_assert_int_gt(status_of(before), CL_COMPLETE);
        ok(clSetUserEventStatus(gate, CL_COMPLETE));
        ok(clFinish(q));
        ck_assert_int_eq(status_of(after), CL_COMPLETE);
        if (event) {
            ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
            ok(clReleaseEvent(event));
        }
        ck_assert_uint_eq(type, wanted);
        ok(clReleaseEvent(gate));
        ok(clReleaseEvent(open));
        ok(clReleaseEvent(before));
        ok(clReleaseEvent(after));
    }
}
END_TEST

/* Random commands behind gates, markers and barriers among them. As the gates open, what may be complete gets
 * so, and nothing else. */
START_TEST(test_random_order)
{
    enum { COMMANDS = 24, GATES = 5 };
    srand(7);
    for (int round = 0; round < 40; round++) {
        cl_event gates[GATES], events[COMMANDS];
        unsigned needs[COMMANDS], earlier = 0, barrier = 0, open = 0; /* bits of gates */
        for (int g = 0; g < GATES; g++)
            gates[g] = make_gate();
        for (int i = 0; i < COMMANDS; i++) {
            int kind = rand() % 4, gate = rand() % GATES;
            if (kind >= 2) {
                ok(clEnqueueMarkerWithWaitList(w.unordered, 1, &gates[gate], &events[i]));
                needs[i] = barrier | 1u << gate;
            } else {
                ok((kind ? clEnqueueMarkerWithWaitList
                         : clEnqueueBarrierWithWaitList)(w.unordered, 0, NULL, &events[i]));
                needs[i] = earlier;
                barrier = kind ? barrier : earlier;
            }
            earlier |= needs[i];
        }
        for (int g = 0; g < GATES; g++) {
            int next = rand() % GATES;
            while (open & 1u << next)
                next = (next + 1) % GATES;
            open |= 1u << next;
            ok(clSetUserEventStatus(gates[next], CL_COMPLETE));
            ok(clFlush(w.unordered));
            for (int i = 0; i < COMMANDS; i++) {
                if (!(needs[i] & ~open))
                    ok(clWaitForEvents(1, &events[i]));
                ck_assert_int_eq(status_of(events[i]) == CL_COMPLETE, !(needs[i] & ~open));
            }
        }
        for (int i = 0; i < COMMANDS; i++)
            ok(clReleaseEvent(events[i]));
        for (int g = 0; g < GATES; g++)
            ok(clReleaseEvent(gates[g]));
    }
}
END_TEST

static void CL_CALLBACK
count_call(cl_event event, cl_int status, void *count)
{
    (void)event, (void)status;
    atomic_fetch_add((atomic_int *)count, 1);
}

/* What one more command costs is no matter of how many wait already, nor a callback, a barrier, a flush. */
START_TEST(test_many_pending)
{
    enum { N = 8000 };
    cl_command_queue queues[2] = {w.queue, w.unordered};
    for (int i = 0; i < 2; i++) {
        cl_event gate = make_gate(), event;
        atomic_int called = 0;
        clock_t before = clock();
        for (int k = 0; k < N; k++) {
            ok(clEnqueueMarkerWithWaitList(queues[i], 1, &gate, &event));
            ok(clSetEventCallback(event, CL_COMPLETE, count_call, &called));
            ok(clSetEventCallback(gate, CL_COMPLETE, count_call, &called));
            ok(clReleaseEvent(event));
            ok(clEnqueueBarrierWithWaitList(queues[i], 0, NULL, NULL));
            ok(clFlush(queues[i]));
        }
        double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
        ck_assert_int_eq(atomic_load(&called), 0);
        ok(clSetUserEventStatus(gate, CL_COMPLETE));
        ok(clFinish(queues[i]));
        wait_until(&called, 2 * N);
        ok(clReleaseEvent(gate));
        ck_assert_msg(seconds < 1, "%d commands: %g s", 2 * N, seconds);
    }
}
END_TEST

/* After a flush nothing is merely queued any more, wherever in the queue it is (5.15). */
START_TEST(test_flush_submits)
{
    cl_command_queue queues[2] = {w.queue, w.unordered};
    for (int i = 0; i < 2; i++) {
        cl_event gate = make_gate(), events[3];
        for (int k = 0; k < 3; k++)
            ok(clEnqueueMarkerWithWaitList(queues[i], 1, &gate, &events[k]));
        ok(clFlush(queues[i]));
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(status_of(events[k]), CL_SUBMITTED);
        ok(clSetUserEventStatus(gate, CL_COMPLETE));
        ok(clFinish(queues[i]));
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(status_of(events[k]), CL_COMPLETE);
            ok(clReleaseEvent(events[k]));
        }
        ok(clReleaseEvent(gate));
    }
}
END_TEST

/* ---- Profiling ---- */

START_TEST(test_stamps)
{
    static const cl_profiling_info names[5] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                               CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                               CL_PROFILING_COMMAND_COMPLETE};
    cl_event gate = make_gate(), events[4];
    cl_mem buffer = make_buffer(NULL, 1024);
    const int zero = 0;
    cl_int error;
    cl_ulong stamps[5], device, host, before, after;
    ok(clGetDeviceAndHostTimer(w.device, &before, &host));
    ok(clEnqueueFillBuffer(w.queue, buffer, &zero, 4, 0, 4096, 1, &gate, &events[0]));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(events[0], names[0], 8, &device, NULL));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clEnqueueMarkerWithWaitList(w.queue, 0, NULL, &events[1]));
    void *p = clEnqueueMapBuffer(w.queue, buffer, CL_FALSE, CL_MAP_READ, 0, 4, 0, NULL, &events[2], &error);
    ok(clEnqueueUnmapMemObject(w.queue, buffer, p, 0, NULL, &events[3]));
    ok(clFinish(w.queue));
    ok(clGetDeviceAndHostTimer(w.device, &after, &host));
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 5; k++)
            ok(clGetEventProfilingInfo(events[i], names[k], sizeof stamps[k], &stamps[k], NULL));
        ck_assert_uint_ge(stamps[0], before);
        for (int k = 1; k < 5; k++)
            ck_assert_uint_ge(stamps[k], stamps[k - 1]);
        ck_assert_uint_le(stamps[4], after);
        ck_assert_uint_eq(stamps[3], stamps[4]); /* they enqueue nothing themselves */
        ok(clReleaseEvent(events[i]));
    }
    /* Never of user events, of queues without profiling, of commands that failed. */
    fails(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(gate, names[0], 8, &device, NULL));
    cl_event plain, bad = make_gate(), failed;
    ok(clEnqueueMarkerWithWaitList(w.unordered, 0, NULL, &plain));
    ok(clSetUserEventStatus(bad, -1));
    ok(clEnqueueMarkerWithWaitList(w.queue, 1, &bad, &failed));
    ok(clFinish(w.unordered));
    ok(clFinish(w.queue));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(plain, names[0], 8, &device, NULL));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(failed, names[0], 8, &device, NULL));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(plain));
    ok(clReleaseEvent(bad));
    ok(clReleaseEvent(failed));
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_timers)
{
    cl_ulong device, host, later;
    fails(CL_INVALID_VALUE, clGetDeviceAndHostTimer(w.device, NULL, &host));
    fails(CL_INVALID_VALUE, clGetDeviceAndHostTimer(w.device, &device, NULL));
    fails(CL_INVALID_VALUE, clGetHostTimer(w.device, NULL));
    for (int i = 0; i < 100; i++) {
        ok(clGetDeviceAndHostTimer(w.device, &device, &host));
        ok(clGetHostTimer(w.device, &later));
        ck_assert_uint_ge(later, host);
    }
}
END_TEST

/* ---- Queues ---- */

START_TEST(test_queue_properties)
{
    const cl_queue_properties host = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    const cl_queue_properties ordered = CL_QUEUE_ON_DEVICE, all = ordered | host;
    const struct {
        cl_queue_properties list[7];
        cl_int error;
    } rows[] = {
        {{0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, 0, 0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, host, 0}, CL_SUCCESS},
        {{CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_MED_KHR,
          0},
         CL_SUCCESS},
        {{CL_QUEUE_PRIORITY_KHR, 99, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_THROTTLE_KHR, 99, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, 1 << 20, 0}, CL_INVALID_VALUE},
        {{0x7777, 1, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_SIZE, 1024, 0}, CL_INVALID_VALUE},          /* for queues on the device */
        {{CL_QUEUE_PROPERTIES, ordered, 0}, CL_INVALID_VALUE}, /* which are out of order */
        {{CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_PROPERTIES, all, 0}, CL_SUCCESS},
        {{CL_QUEUE_PROPERTIES, all | CL_QUEUE_ON_DEVICE_DEFAULT, CL_QUEUE_SIZE, 1024, 0}, CL_SUCCESS},
        {{CL_QUEUE_SIZE, 1024, CL_QUEUE_PROPERTIES, all, 0}, CL_SUCCESS},
        {{CL_QUEUE_SIZE, 0, CL_QUEUE_PROPERTIES, all, 0}, CL_INVALID_VALUE},
        {{CL_QUEUE_SIZE, (cl_queue_properties)1 << 40, CL_QUEUE_PROPERTIES, all, 0},
         CL_INVALID_QUEUE_PROPERTIES},
        {{CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PROPERTIES, all, 0}, /* of the host's */
         CL_INVALID_QUEUE_PROPERTIES},
        {{CL_QUEUE_PROPERTIES, all, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, 0},
         CL_INVALID_QUEUE_PROPERTIES},
        {{CL_QUEUE_PROPERTIES, all, CL_QUEUE_THROTTLE_KHR, 99, 0}, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error;
        cl_command_queue q = clCreateCommandQueueWithProperties(w.context, w.device, rows[i].list, &error);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
        if (q)
            ok(clReleaseCommandQueue(q));
    }
    makes(CL_INVALID_VALUE, clCreateCommandQueue(w.context, w.device, 1 << 20, code_ret));
    makes(CL_INVALID_VALUE, clCreateCommandQueue(w.context, w.device, all, code_ret));
    /* the host's */
    fails(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(w.context, w.device, w.queue));
    cl_command_queue_properties old = 0;
    fails(CL_INVALID_OPERATION,
          clSetCommandQueueProperty(w.queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old));
}
END_TEST

START_TEST(test_deprecated)
{
    fails(CL_INVALID_VALUE, clEnqueueMarker(w.queue, NULL));
    ok(clEnqueueBarrier(w.queue));
    ok(clFinish(w.queue));
    ok(clUnloadPlatformCompiler(w.platform));
    ck_assert_ptr_nonnull(clGetExtensionFunctionAddressForPlatform(w.platform, "clGetHostTimer"));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(w.platform, "clGetHostTime"));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(w.platform, ""));
    /* After an unloaded compiler there is one again. */
    cl_program program = load_program("opencl_spec.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
event_tests(void)
{
    TCase *tests = tcase_create("event");
    tcase_add_test(tests, test_user_event_status);
    tcase_add_test(tests, test_wait);
    tcase_add_test(tests, test_wait_lists);
    tcase_add_test(tests, test_callbacks_of_success);
    tcase_add_test(tests, test_callbacks_of_failure);
    tcase_add_test(tests, test_callback_errors);
    tcase_add_test(tests, test_callback_enqueues);
    tcase_add_test(tests, test_markers_and_barriers);
    tcase_add_test(tests, test_random_order);
    tcase_add_test(tests, test_many_pending);
    tcase_add_test(tests, test_flush_submits);
    tcase_add_test(tests, test_stamps);
    tcase_add_test(tests, test_timers);
    tcase_add_test(tests, test_queue_properties);
    tcase_add_test(tests, test_deprecated);
    return tests;
}
