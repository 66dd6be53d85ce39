/* SPDX-License-Identifier: MIT */
/* Mapping buffers (API 5.2.4, 5.5.3, 5.5.4), blocking calls that fail, migration. */
#include "support.h"

static cl_uint
map_count(cl_mem memory)
{
    cl_uint count;
    ok(clGetMemObjectInfo(memory, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static int *
map(cl_mem memory, cl_map_flags flags, size_t offset, size_t size, cl_int expected)
{
    cl_int error = 1;
    int *pointer = clEnqueueMapBuffer(w.queue, memory, CL_TRUE, flags, offset, size, 0, NULL, NULL, &error);
    ck_assert_int_eq(error, expected);
    ck_assert(!pointer == (expected != CL_SUCCESS));
    return pointer;
}

static void
unmap(cl_mem memory, void *pointer, cl_int expected)
{
    fails(expected, clEnqueueUnmapMemObject(w.queue, memory, pointer, 0, NULL, NULL));
}

START_TEST(test_map_contents)
{
    int data[64], got[64];
    for (int i = 0; i < 64; i++)
        data[i] = i;
    cl_mem memory = make_buffer(data, 64);
    int *p = map(memory, CL_MAP_READ | CL_MAP_WRITE, 64, 128, CL_SUCCESS);
    for (int i = 0; i < 32; i++) {
        ck_assert_int_eq(p[i], 16 + i);
        p[i] = -i;
    }
    unmap(memory, p, CL_SUCCESS);
    p = map(memory, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, CL_SUCCESS);
    *p = 99;
    unmap(memory, p, CL_SUCCESS);
    ok(clEnqueueReadBuffer(w.queue, memory, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(got[i], i == 0 ? 99 : i >= 16 && i < 48 ? 16 - i : i);
    ok(clReleaseMemObject(memory));
}
END_TEST

START_TEST(test_map_counts)
{
    cl_mem memory = make_buffer(NULL, 64), other = make_buffer(NULL, 64);
    int *a = map(memory, CL_MAP_READ, 0, 64, CL_SUCCESS), *b = map(memory, CL_MAP_READ, 0, 32, CL_SUCCESS);
    int *c = map(memory, CL_MAP_READ, 128, 64, CL_SUCCESS);
    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_eq((char *)c, (char *)a + 128);
    ck_assert_uint_eq(map_count(memory), 3);
    unmap(other, a, CL_INVALID_VALUE); /* of another buffer */
    unmap(memory, (char *)a + 4, CL_INVALID_VALUE);
    unmap(memory, NULL, CL_INVALID_VALUE);
    unmap(memory, a, CL_SUCCESS);
    unmap(memory, c, CL_SUCCESS);
    ck_assert_uint_eq(map_count(memory), 1);
    unmap(memory, c, CL_INVALID_VALUE);
    unmap(memory, b, CL_SUCCESS);
    unmap(memory, b, CL_INVALID_VALUE);
    ck_assert_uint_eq(map_count(memory), 0);
    map(memory, CL_MAP_READ, 0, 4, CL_SUCCESS); /* never unmapped */
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(memory));
    ok(clReleaseMemObject(other));
}
END_TEST

START_TEST(test_map_flags)
{
    cl_mem memory = make_buffer(NULL, 64);
    static const cl_map_flags bad[] = {CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION,
                                       CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 8,
                                       (cl_map_flags)1 << 40};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        map(memory, bad[i], 0, 4, CL_INVALID_VALUE);
        int value;
        fails(CL_INVALID_VALUE, clEnqueueSVMMap(w.queue, CL_TRUE, bad[i], &value, 4, 0, NULL, NULL));
    }
    map(memory, CL_MAP_READ, 0, 0, CL_INVALID_VALUE);
    map(memory, CL_MAP_READ, 0, 257, CL_INVALID_VALUE);
    ck_assert_uint_eq(map_count(memory), 0);
    ok(clReleaseMemObject(memory));
}
END_TEST

/* No byte is mapped for writing twice, by a buffer or its sub-buffers; reading overlaps. */
START_TEST(test_map_overlap)
{
    cl_mem memory = make_buffer(NULL, 128);
    cl_int error;
    cl_mem part =
        clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){256, 256}, &error);
    int *a = map(memory, CL_MAP_WRITE, 0, 64, CL_SUCCESS);
    map(memory, CL_MAP_WRITE, 63, 4, CL_INVALID_OPERATION);
    map(memory, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, CL_INVALID_OPERATION);
    map(memory, CL_MAP_READ | CL_MAP_WRITE, 32, 64, CL_INVALID_OPERATION);
    ck_assert_uint_eq(map_count(memory), 1);
    int *b = map(memory, CL_MAP_WRITE, 64, 64, CL_SUCCESS);
    int *c = map(part, CL_MAP_WRITE, 0, 64, CL_SUCCESS);
    ck_assert_uint_eq(map_count(memory), 2);
    ck_assert_uint_eq(map_count(part), 1);
    map(memory, CL_MAP_WRITE, 256, 4, CL_INVALID_OPERATION);
    unmap(memory, c, CL_INVALID_VALUE); /* it is the part's */
    unmap(part, c, CL_SUCCESS);
    int *d = map(memory, CL_MAP_WRITE, 256, 4, CL_SUCCESS);
    map(part, CL_MAP_WRITE, 0, 4, CL_INVALID_OPERATION);
    unmap(memory, d, CL_SUCCESS);
    unmap(memory, a, CL_SUCCESS);
    unmap(memory, b, CL_SUCCESS);
    map(part, CL_MAP_WRITE, 0, 64, CL_SUCCESS);
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(part)); /* mapped as it was: forgotten with it */
    a = map(memory, CL_MAP_WRITE, 0, 512, CL_SUCCESS);
    unmap(memory, a, CL_SUCCESS);
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(memory));
}
END_TEST

/* What is mapped lies where the host's memory is: use-host-ptr buffers and their parts. */
START_TEST(test_map_host_pointer)
{
    static char data[512] __attribute__((aligned(128)));
    cl_int error;
    cl_mem memory = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof data, data, &error);
    cl_mem part =
        clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 256}, &error);
    void *p = map(memory, CL_MAP_READ, 100, 4, CL_SUCCESS), *q = map(part, CL_MAP_READ, 12, 4, CL_SUCCESS);
    ck_assert_ptr_eq(p, data + 100);
    ck_assert_ptr_eq(q, data + 140);
    unmap(memory, p, CL_SUCCESS);
    unmap(part, q, CL_SUCCESS);
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(part));
    ok(clReleaseMemObject(memory));
}
END_TEST

/* The pointer is there at once; what the region holds is settled when the command is done. */
START_TEST(test_map_non_blocking)
{
    cl_int error, status, value = 5;
    cl_mem memory = make_buffer(NULL, 4);
    cl_event gate = clCreateUserEvent(w.context, &error), mapped, type;
    cl_command_type command;
    ok(clEnqueueWriteBuffer(w.queue, memory, CL_FALSE, 0, 4, &value, 1, &gate, NULL));
    int *p = clEnqueueMapBuffer(w.queue, memory, CL_FALSE, CL_MAP_READ, 0, 16, 0, NULL, &mapped, &error);
    ok(error);
    ck_assert_ptr_nonnull(p);
    ok(clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    ok(clGetEventInfo(mapped, CL_EVENT_COMMAND_TYPE, sizeof command, &command, NULL));
    ck_assert_uint_eq(command, CL_COMMAND_MAP_BUFFER);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &mapped));
    ck_assert_int_eq(p[0], 5);
    ok(clEnqueueUnmapMemObject(w.queue, memory, p, 1, &mapped, &type));
    ok(clGetEventInfo(type, CL_EVENT_COMMAND_TYPE, sizeof command, &command, NULL));
    ck_assert_uint_eq(command, CL_COMMAND_UNMAP_MEM_OBJECT);
    ok(clFinish(w.queue));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(mapped));
    ok(clReleaseEvent(type));
    ok(clReleaseMemObject(memory));
}
END_TEST

/* A blocking call whose wait list fails gives neither result nor event nor mapping. */
START_TEST(test_blocking_failure)
{
    cl_int error, value = 5;
    cl_mem memory = make_buffer(NULL, 4);
    cl_event gate = clCreateUserEvent(w.context, &error), event = (cl_event)&value;
    const size_t zero[3] = {0}, box[3] = {4, 1, 1};
    ok(clSetUserEventStatus(gate, -5));
    const cl_int failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    fails(failed, clEnqueueReadBuffer(w.queue, memory, CL_TRUE, 0, 4, &value, 1, &gate, &event));
    fails(failed, clEnqueueWriteBuffer(w.queue, memory, CL_TRUE, 0, 4, &value, 1, &gate, &event));
    fails(failed, clEnqueueReadBufferRect(w.queue, memory, CL_TRUE, zero, zero, box, 0, 0, 0, 0, &value, 1,
                                          &gate, &event));
    fails(failed, clEnqueueWriteBufferRect(w.queue, memory, CL_TRUE, zero, zero, box, 0, 0, 0, 0, &value, 1,
                                           &gate, &event));
    ck_assert_ptr_null(
        clEnqueueMapBuffer(w.queue, memory, CL_TRUE, CL_MAP_WRITE, 0, 4, 1, &gate, &event, &error));
    fails(failed, error);
    int other;
    fails(failed, clEnqueueSVMMemcpy(w.queue, CL_TRUE, &other, &value, 4, 1, &gate, &event));
    fails(failed, clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, &other, 4, 1, &gate, &event));
    ck_assert_ptr_eq(event, (cl_event)&value);
    ck_assert_int_eq(value, 5);
    ck_assert_uint_eq(map_count(memory), 0);
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(memory));
}
END_TEST

START_TEST(test_migrate)
{
    cl_mem both[2] = {make_buffer(NULL, 4), make_buffer(NULL, 4)};
    cl_event event;
    cl_command_type type;
    ok(clEnqueueMigrateMemObjects(w.queue, 2, both, 0, 0, NULL, NULL));
    ok(clEnqueueMigrateMemObjects(w.queue, 2, both,
                                  CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                  NULL, &event));
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_MIGRATE_MEM_OBJECTS);
    fails(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(w.queue, 0, both, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(w.queue, 1, NULL, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(w.queue, 1, both, 8, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(both[0]));
    ok(clReleaseMemObject(both[1]));
}
END_TEST

TCase *
mapping_tests(void)
{
    TCase *tests = tcase_create("mapping");
    tcase_add_test(tests, test_map_contents);
    tcase_add_test(tests, test_map_counts);
    tcase_add_test(tests, test_map_flags);
    tcase_add_test(tests, test_map_overlap);
    tcase_add_test(tests, test_map_host_pointer);
    tcase_add_test(tests, test_map_non_blocking);
    tcase_add_test(tests, test_blocking_failure);
    tcase_add_test(tests, test_migrate);
    return tests;
}
