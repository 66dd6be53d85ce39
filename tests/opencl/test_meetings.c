/* SPDX-License-Identifier: MIT */
/* Work-items of a sub-group meet where OpenCL C's source has it, whatever clang's passes make of loops.
 *
 * meetings.cl says what comes out; here it is counted one by one.
 */
#include "random_meetings.h"
#include "support.h"

enum { ITEMS = 1024, KEYS = 8, MOST_KERNELS = 32 };

/* By a kernel whose arguments are `from` and, at `out_at`, `out`: an int for each work-item. */
static void
launch(cl_kernel kernel, cl_uint out_at, const int *from, int *out, size_t items, size_t local)
{
    cl_mem in = make_buffer(from, items), to = make_buffer(out, items);
    ok(clSetKernelArg(kernel, 1 - out_at, sizeof in, &in));
    ok(clSetKernelArg(kernel, out_at, sizeof to, &to));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, items * sizeof *out, out, 0, NULL, NULL));
    ok(clReleaseMemObject(in));
    ok(clReleaseMemObject(to));
}

static void
run(cl_kernel kernel, const int *keys, size_t sub_group, const char *what)
{
    int out[ITEMS] = {0}, count[KEYS] = {0}, all[KEYS] = {0};
    cl_mem counts = make_buffer(count, KEYS);
    ok(clSetKernelArg(kernel, 2, sizeof counts, &counts));
    launch(kernel, 1, keys, out, ITEMS, 256);
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
    int out[RANDOM_ITEMS] = {0};
    size_t items = RANDOM_ITEMS, sub_group, row = 0;
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof items,
                               &items, sizeof sub_group, &sub_group, NULL));
    while (row < RANDOM_SIZES && (size_t)4 << row != sub_group)
        row++;
    ck_assert_uint_lt(row, RANDOM_SIZES);
    for (int times = 0; times < 3; times++) { /* by first code, then by what follows */
        launch(kernel, 0, (const int *)random->words, out, items, items);
        for (size_t i = 0; i < RANDOM_ITEMS; i++)
            ck_assert_msg((unsigned)out[i] == random->results[row][i],
                          "%s (%s, %zu): work-item %zu has %d, not %u", random->name, options, sub_group, i,
                          out[i], random->results[row][i]);
    }
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
    for (int i = 0; i < RANDOM_ITEMS; i++)
        keys[i] = (int)(random_kernels[0].words[i] >> 7 & 3);
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel kernel = make_kernel_of(program, "served");
    launch(kernel, 1, keys, out, RANDOM_ITEMS, RANDOM_ITEMS);
    for (int i = 0; i < RANDOM_ITEMS; i++) {
        int wanted = 0;
        for (int k = i / CLUSTER * CLUSTER; k < (i / CLUSTER + 1) * CLUSTER; k++)
            wanted += keys[k] == keys[i];
        ck_assert_msg(out[i] == wanted, "work-item %d met %d, not %d", i, out[i], wanted);
    }
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
