/* SPDX-License-Identifier: MIT */
/* Native kernels (API 5.10). */
#include "support.h"

#include <stdatomic.h>

struct natively {
    cl_uint count;
    int *first, *second, *none;
};

static void CL_CALLBACK
add_up(void *arguments)
{
    const struct natively *a = arguments;
    for (cl_uint i = 0; i < a->count; i++)
        a->first[i] += a->second[i] + (a->none != NULL);
}

static atomic_int bare_calls;

static void CL_CALLBACK
without_arguments(void *arguments)
{
    atomic_fetch_add(&bare_calls, arguments ? 100 : 1);
}

START_TEST(test_native_kernels)
{
    int ones[16], twos[16], got[16];
    for (int i = 0; i < 16; i++) {
        ones[i] = 1;
        twos[i] = i;
    }
    cl_mem list[3] = {make_buffer(ones, 16), make_buffer(twos, 16), NULL};
    struct natively arguments = {16, NULL, NULL, (int *)&list};
    const void *places[3] = {&arguments.first, &arguments.second, &arguments.none};
    cl_event event, gate = make_gate();
    cl_command_type type;
    ok(clEnqueueNativeKernel(w.queue, add_up, &arguments, sizeof arguments, 3, list, places, 1, &gate,
                             &event));
    memset(&arguments, 0xff, sizeof arguments); /* they were copied */
    ok(clReleaseMemObject(list[1]));            /* and the buffer is held */
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_NATIVE_KERNEL);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clEnqueueReadBuffer(w.queue, list[0], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(got[i], 1 + i);
    ok(clEnqueueNativeKernel(w.queue, without_arguments, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ck_assert_int_eq(atomic_load(&bare_calls), 1);
    ok(clReleaseEvent(event));
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(list[0]));
}
END_TEST

START_TEST(test_native_kernel_errors)
{
    char room[48], *arguments = room + 8;
    cl_mem buffer = make_buffer(NULL, 4);
    const void *place = arguments, *outside = arguments + 30, *before = arguments - 8;
    const struct {
        bool function;
        void *arguments;
        size_t size;
        cl_uint count;
        const cl_mem *list;
        const void **places;
    } rows[] = {
        {false, NULL, 0, 0, NULL, NULL},
        {true, NULL, 8, 0, NULL, NULL},
        {true, NULL, 0, 1, &buffer, &place},
        {true, arguments, 0, 0, NULL, NULL},
        {true, arguments, 32, 1, NULL, &place},
        {true, arguments, 32, 1, &buffer, NULL},
        {true, arguments, 32, 0, &buffer, NULL},
        {true, arguments, 32, 0, NULL, &place},
        {true, arguments, 32, 1, &buffer, &outside},
        {true, arguments, 32, 1, &buffer, &before},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fails(CL_INVALID_VALUE, clEnqueueNativeKernel(w.queue, rows[i].function ? without_arguments : NULL,
                                                      rows[i].arguments, rows[i].size, rows[i].count,
                                                      rows[i].list, rows[i].places, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
}
END_TEST

TCase *
native_kernel_tests(void)
{
    TCase *tests = tcase_create("native kernel");
    tcase_add_test(tests, test_native_kernels);
    tcase_add_test(tests, test_native_kernel_errors);
    return tests;
}
