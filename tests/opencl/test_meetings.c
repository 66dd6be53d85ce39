/* SPDX-License-Identifier: MIT */
/* Work-items of a sub-group meet where OpenCL C's source has it, whatever clang's passes make of loops.
 *
 * meetings.cl says what comes out; here it is counted one by one.
 */
#include "random_meetings.h"
#include "support.h"

enum { ITEMS = 1024, KEYS = 8, MOST_KERNELS = 32 };

static void
run(cl_kernel kernel, const int *keys, size_t sub_group, const char *what)
{
    int out[ITEMS] = {0}, count[KEYS] = {0}, all[KEYS] = {0};
    size_t items = ITEMS, local = 256;
    cl_mem from = make_buffer(keys, ITEMS), to = make_buffer(out, ITEMS), counts = make_buffer(count, KEYS);
    ok(clSetKernelArg(kernel, 0, sizeof from, &from));
    ok(clSetKernelArg(kernel, 1, sizeof to, &to));
    ok(clSetKernelArg(kernel, 2, sizeof counts, &counts));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, counts, CL_TRUE, 0, sizeof count, count, 0, NULL, NULL));
    for (size_t i = 0; i < ITEMS; i++) {
        int wanted = 0;
        for (size_t k = i / sub_group * sub_group; k < (i / sub_group + 1) * sub_group; k++)
            wanted += keys[k] == keys[i];
        ck_assert_msg(out[i] == wanted, "%s: work-item %zu met %d, not %d", what, i, out[i], wanted);
        all[keys[i]]++;
    }
    for (int k = 0; k < KEYS; k++)
        ck_assert_msg(count[k] == all[k], "%s: %d of key %d were counted, not %d", what, count[k], k, all[k]);
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseMemObject(counts));
}

static void
run_kernel(cl_kernel kernel)
{
    char name[64];
    int keys[ITEMS];
    size_t local = 256, sub_group;
    for (unsigned i = 0; i < ITEMS; i++)
        keys[i] = (int)((i * 2654435761u ^ i << 7) >> 13 & (KEYS - 1));
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                               &local, sizeof sub_group, &sub_group, NULL));
    ok(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    for (int times = 0; times < 3; times++) /* by first code, then by what follows */
        run(kernel, keys, sub_group, name);
    ok(clReleaseKernel(kernel));
}

START_TEST(test_source)
{
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable",
                                          "-cl-std=CL3.0 -g"};
    size_t size;
    char *text = read_module("meetings.cl", &size);
    text[size - 1] = 0;
    cl_program program = make_program(text, options[_i]);
    free(text);
    cl_kernel kernels[MOST_KERNELS];
    cl_uint count;
    ok(clCreateKernelsInProgram(program, MOST_KERNELS, kernels, &count));
    ck_assert_uint_eq(count, 19);
    for (cl_uint k = 0; k < count; k++)
        run_kernel(kernels[k]);
    ok(clReleaseProgram(program));
}
END_TEST

/* A module does not say where a loop's source ended, but what its cycles are: those that no way leaves before
 * the round's end. */
START_TEST(test_module)
{
    static const char *const names[] = {"until_done", "while_more", "break_tested_before", "tested_twice",
                                        "known_rounds", "known_in_an_arm", "states", "served_keys"};
    cl_program program = load_program("opencl_meetings.spv");
    ok(clBuildProgram(program, 1, &w.device, NULL, NULL, NULL));
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        run_kernel(make_kernel_of(program, names[k]));
    ok(clReleaseProgram(program));
}
END_TEST

static void
run_random(cl_kernel kernel, const struct random_kernel *random, const char *options)
{
    unsigned out[RANDOM_ITEMS] = {0};
    size_t items = RANDOM_ITEMS, sub_group, row = 0;
    cl_mem from = make_buffer((const int *)random->words, RANDOM_ITEMS),
           to = make_buffer((const int *)out, RANDOM_ITEMS);
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof items,
                               &items, sizeof sub_group, &sub_group, NULL));
    while (row < RANDOM_SIZES && (size_t)4 << row != sub_group)
        row++;
    ck_assert_uint_lt(row, RANDOM_SIZES);
    ok(clSetKernelArg(kernel, 0, sizeof to, &to));
    ok(clSetKernelArg(kernel, 1, sizeof from, &from));
    for (int times = 0; times < 3; times++) { /* by first code, then by what follows */
        ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (size_t i = 0; i < RANDOM_ITEMS; i++)
            ck_assert_msg(out[i] == random->results[row][i], "%s (%s, %zu): work-item %zu has %u, not %u",
                          random->name, options, sub_group, i, out[i], random->results[row][i]);
    }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(kernel));
}

START_TEST(test_random)
{
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"};
    cl_program program = make_program(random_source, options[_i]);
    for (const struct random_kernel *k = random_kernels; k->name; k++)
        run_random(make_kernel_of(program, k->name), k, options[_i]);
    ok(clReleaseProgram(program));
}
END_TEST

/* A program that names none of the other functions: those of a cluster that leave the loop in one round. */
START_TEST(test_clustered)
{
    enum { CLUSTER = 4 };
    static const char source[] =
        "kernel void served(global const int *keys, global int *out) {\n"
        "    int key = keys[get_global_id(0)], r = 0;\n"
        "    for (int k = 0;; k++)\n"
        "        if (key == k) {\n"
        "            r = sub_group_clustered_reduce_add(1, 4u);\n"
        "            break;\n"
        "        }\n"
        "    out[get_global_id(0)] = r;\n"
        "}\n";
    int keys[RANDOM_ITEMS], out[RANDOM_ITEMS] = {0};
    size_t items = RANDOM_ITEMS;
    for (int i = 0; i < RANDOM_ITEMS; i++)
        keys[i] = (int)(random_kernels[0].words[i] >> 7 & 3);
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel kernel = make_kernel_of(program, "served");
    cl_mem from = make_buffer(keys, RANDOM_ITEMS), to = make_buffer(out, RANDOM_ITEMS);
    ok(clSetKernelArg(kernel, 0, sizeof from, &from));
    ok(clSetKernelArg(kernel, 1, sizeof to, &to));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < RANDOM_ITEMS; i++) {
        int wanted = 0;
        for (int k = i / CLUSTER * CLUSTER; k < (i / CLUSTER + 1) * CLUSTER; k++)
            wanted += keys[k] == keys[i];
        ck_assert_msg(out[i] == wanted, "work-item %d met %d, not %d", i, out[i], wanted);
    }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
meeting_tests(void)
{
    TCase *t = tcase_create("meetings");
    tcase_add_loop_test(t, test_source, 0, 3);
    tcase_add_test(t, test_module);
    tcase_add_loop_test(t, test_random, 0, 2);
    tcase_add_test(t, test_clustered);
    return t;
}
