/* SPDX-License-Identifier: MIT */
/* A kernel from a C program through OpenCL: the first platform with the name given, and the source of
 * saxpy.cl.
 *
 *     cc saxpy.c -lOpenCL -o saxpy && ./saxpy Lanewise ../saxpy.cl
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000
#define PLATFORMS 16

static void
demand(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    exit(1);
}

static cl_device_id
find_device(const char *wanted)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint count = 0;
    char name[200] = "";
    cl_device_id device;

    demand(clGetPlatformIDs(PLATFORMS, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < PLATFORMS; i++) {
        demand(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL),
               "clGetPlatformInfo");
        if (strcmp(name, wanted) != 0)
            continue;
        demand(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
        return device;
    }
    fprintf(stderr, "none of the %u platforms is named %s\n", count, wanted);
    exit(1);
}

static cl_program
build(cl_context context, const char *path)
{
    static char source[65536];
    const char *text = source;
    cl_int status;
    FILE *file = fopen(path, "r");

    if (!file || !fread(source, 1, sizeof source - 1, file)) {
        perror(path);
        exit(1);
    }
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    demand(status, "clCreateProgramWithSource");
    demand(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    return program;
}

int
main(int argc, char **argv)
{
    static float x[N], y[N];
    cl_uint n = N;
    float a = 2;
    size_t range = N;
    cl_int status;

    if (argc != 3) {
        fprintf(stderr, "usage: %s PLATFORM saxpy.cl\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    cl_device_id device = find_device(argv[1]);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    demand(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    demand(status, "clCreateCommandQueueWithProperties");
    cl_program program = build(context, argv[2]);
    cl_kernel kernel = clCreateKernel(program, "saxpy", &status);
    demand(status, "clCreateKernel");
    cl_mem x_buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
    demand(status, "clCreateBuffer");
    cl_mem y_buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, &status);
    demand(status, "clCreateBuffer");
    demand(clSetKernelArg(kernel, 0, sizeof n, &n), "clSetKernelArg");
    demand(clSetKernelArg(kernel, 1, sizeof a, &a), "clSetKernelArg");
    demand(clSetKernelArg(kernel, 2, sizeof x_buffer, &x_buffer), "clSetKernelArg");
    demand(clSetKernelArg(kernel, 3, sizeof y_buffer, &y_buffer), "clSetKernelArg");
    demand(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &range, NULL, 0, NULL, NULL),
           "clEnqueueNDRangeKernel");
    demand(clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL),
           "clEnqueueReadBuffer");
    for (int i = 0; i < N; i++)
        if (y[i] != 2 * (float)i + 1) {
            fprintf(stderr, "element %d is %g\n", i, (double)y[i]);
            return 1;
        }
    printf("%d elements of 2 * x + y are right, by the platform %s\n", N, argv[1]);
    clReleaseMemObject(x_buffer);
    clReleaseMemObject(y_buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
