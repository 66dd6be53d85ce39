/* SPDX-License-Identifier: MIT */
/* What kernels leave behind besides their buffers, as an OpenCL program sees it: printed text. */
#include "support.h"

#include <unistd.h>

static cl_program
build(const char *source)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    error = clBuildProgram(program, 1, &w.device, "-cl-std=CL3.0", NULL, NULL);
    if (error) {
        char log[4000] = "";
        clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        ck_abort_msg("%d: %s", error, log);
    }
    return program;
}

static cl_kernel
kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    return kernel;
}

static void
run(cl_kernel kernel, size_t items)
{
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* Two commands' text is there, in order, when clFinish returns. */
START_TEST(test_print)
{
    static const char source[] =
        "kernel void say(int n, const global int *p) {\n"
        "    printf(\"%d of %d: %v4hld %s %.2f\\n\", (int)get_global_id(0), n, vload4(0, p),\n"
        "           get_global_id(0) % 2 ? \"odd\" : \"even\", n / 4.0f);\n"
        "}\n";
    char text[1000] = "", expected[1000] = "";
    int data[4] = {1, -2, 3, 4};
    size_t bytes;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_ge(bytes, 1 << 20);
    cl_program program = build(source);
    cl_kernel say = kernel_of(program, "say");
    cl_mem buffer = make_buffer(data, 4);
    ok(clSetKernelArg(say, 1, sizeof buffer, &buffer));

    FILE *file = tmpfile();
    fflush(stdout);
    int keep = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    for (int n = 3; n < 5; n++) {
        clSetKernelArg(say, 0, sizeof n, &n);
        run(say, (size_t)n);
        for (int i = 0; i < n; i++)
            sprintf(expected + strlen(expected), "%d of %d: 1,-2,3,4 %s %.2f\n", i, n, i % 2 ? "odd" : "even",
                    n / 4.0);
    }
    cl_int finished = clFinish(w.queue);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    ok(finished);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, expected);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(say));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
language_tests(void)
{
    TCase *tests = tcase_create("language");
    tcase_add_test(tests, test_print);
    return tests;
}
