/* SPDX-License-Identifier: MIT */
/* Sub-groups that wait for each other, through the ICD loader: of IL and of source, and with
 * -cl-no-subgroup-ifp. */
#include "support.h"

#define ENOUGH 100000 /* rounds, before it gives up */
#define LOCAL 150     /* several sub-groups of any size, the last a tail */

/* The first sub-group waits for the others, which run behind it where it does not let them go on. */
static const char text[] =
    "kernel void wait_or_give_up(global int *rounds, int enough) {\n"
    "    local atomic_int flag;\n"
    "    int n = 0;\n"
    "    if (get_local_linear_id() == 0) atomic_init(&flag, 0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_sub_group_id() > 0)\n"
    "        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);\n"
    "    else\n"
    "        while (n < enough && !atomic_load_explicit(&flag, memory_order_acquire, "
    "memory_scope_work_group)) n++;\n"
    "    rounds[get_global_id(0)] = n;\n"
    "}\n"
    "#if !defined(cl_khr_subgroups) || !defined(__opencl_c_subgroups)\n#error\n#endif\n";

static cl_program
compile(const char *options)
{
    const char *source = text;
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    ok(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* Does the first sub-group of each work-group see what the others write? All of its lanes do, or none. */
static bool
goes_on(cl_program program)
{
    int values[2 * LOCAL], enough = ENOUGH, waited = 0;
    size_t global = 2 * LOCAL, local = LOCAL;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "wait_or_give_up", &error);
    ok(error);
    cl_mem out = make_buffer(NULL, 2 * LOCAL);
    ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    ok(clSetKernelArg(kernel, 1, sizeof enough, &enough));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < 2 * LOCAL; i++)
        waited += values[i] == ENOUGH;
    ck_assert_msg(!waited || (waited % 8 == 0 && values[0] == ENOUGH && values[LOCAL] == ENOUGH), "%d",
                  waited);
    ck_assert_int_eq(values[LOCAL - 1], 0);
    ok(clReleaseMemObject(out));
    ok(clReleaseKernel(kernel));
    return !waited;
}

START_TEST(test_progress_device)
{
    cl_bool progress;
    char extensions[4000];
    ok(clGetDeviceInfo(w.device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof progress, &progress,
                       NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    ck_assert(progress && strstr(extensions, "cl_khr_subgroups ") != NULL);
}
END_TEST

/* The option counts where a program is built, and where it is linked. */
START_TEST(test_progress_option)
{
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-no-subgroup-ifp"};
    for (int off = 0; off < 2; off++) {
        const char *source = text;
        cl_int error;
        cl_program whole = clCreateProgramWithSource(w.context, 1, &source, NULL, &error),
                   part = compile("-cl-std=CL3.0");
        ok(clBuildProgram(whole, 0, NULL, options[off], NULL, NULL));
        ck_assert_int_eq(goes_on(whole), !off);
        cl_program linked = clLinkProgram(w.context, 0, NULL, off ? "-cl-no-subgroup-ifp" : NULL, 1, &part,
                                          NULL, NULL, &error);
        ok(error);
        ck_assert_int_eq(goes_on(linked), !off);
        ok(clReleaseProgram(linked));
        ok(clReleaseProgram(part));
        ok(clReleaseProgram(whole));
    }
}
END_TEST

/* IL of both front ends. What a sub-group waits for comes from a higher number, and from a lower one. */
START_TEST(test_progress_il)
{
    static const char *const modules[] = {"../progress/progress.spv", "../progress/progress15.spv"};
    enum { GROUPS = 5, N = GROUPS * LOCAL };
    for (int round = 0; round < 4; round++) {
        static int values[N];
        int down = round % 2, counted = 0, sub_groups = 0;
        size_t global = N, local = LOCAL, n, one;
        cl_program program = load_program(modules[round / 2]);
        cl_int error;
        ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        cl_kernel flag = clCreateKernel(program, "local_flag", &error),
                  lock = clCreateKernel(program, "spin_lock", &error);
        cl_mem out = make_buffer(NULL, N), word = make_buffer(&sub_groups, 1),
               count = make_buffer(&sub_groups, 1);
        ok(clSetKernelArg(flag, 0, sizeof out, &out));
        ok(clSetKernelArg(flag, 1, sizeof down, &down));
        ok(clEnqueueNDRangeKernel(w.queue, flag, 1, NULL, &global, &local, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(values[i], 17 + i / LOCAL + i % LOCAL);
        ok(clSetKernelArg(lock, 0, sizeof out, &out));
        ok(clSetKernelArg(lock, 1, sizeof word, &word));
        ok(clSetKernelArg(lock, 2, sizeof count, &count));
        ok(clEnqueueNDRangeKernel(w.queue, lock, 1, NULL, &global, &local, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, count, CL_TRUE, 0, sizeof counted, &counted, 0, NULL, NULL));
        ok(clGetKernelSubGroupInfo(lock, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                   &local, sizeof n, &n, NULL));
        ok(clGetKernelSubGroupInfo(lock, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local,
                                   &local, sizeof one, &one, NULL));
        ck_assert_uint_eq(one, (LOCAL + n - 1) / n);
        ck_assert_int_eq(counted, GROUPS * (int)one);
        ok(clReleaseMemObject(out));
        ok(clReleaseMemObject(word));
        ok(clReleaseMemObject(count));
        ok(clReleaseKernel(flag));
        ok(clReleaseKernel(lock));
        ok(clReleaseProgram(program));
    }
}
END_TEST

TCase *
progress_tests(void)
{
    TCase *tests = tcase_create("progress");
    tcase_add_test(tests, test_progress_device);
    tcase_add_test(tests, test_progress_option);
    tcase_add_test(tests, test_progress_il);
    return tests;
}
