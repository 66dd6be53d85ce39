/* SPDX-License-Identifier: MIT */
/* Every allocation of a whole life (context, queue, program, kernel, buffer, commands) fails once: each call
 * succeeds or says so, and nothing of it is left behind. The allocator of this process is ours for that. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *pointer);

#define PUBLIC __attribute__((visibility("default")))

/* Counted in the thread that tests alone: others (the queue's) allocate nothing in what is tested here. */
static _Thread_local long countdown;
static _Thread_local bool counting;
static _Thread_local long alive;

static bool
fails_now(void)
{
    if (counting && --countdown == 0) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

static void *
note(void *pointer)
{
    if (counting && pointer)
        alive++;
    return pointer;
}

PUBLIC void *
malloc(size_t size)
{
    return fails_now() ? NULL : note(__libc_malloc(size));
}

PUBLIC void *
calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : note(__libc_calloc(count, size));
}

PUBLIC void *
realloc(void *old, size_t size)
{
    if (fails_now())
        return NULL;
    void *new = __libc_realloc(old, size);
    if (!old)
        note(new);
    return new;
}

PUBLIC void *
aligned_alloc(size_t align, size_t size)
{
    return fails_now() ? NULL : note(__libc_memalign(align, size));
}

PUBLIC void
free(void *pointer)
{
    if (counting && pointer)
        alive--;
    __libc_free(pointer);
}

static cl_platform_id platform;
static cl_device_id device;
static struct module {
    unsigned char words[1 << 16];
    size_t size;
} kernels, variable;

static bool
read_module(struct module *m, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", getenv("LANEWISE_TEST_MODULES"), name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    m->size = fread(m->words, 1, sizeof m->words, file);
    fclose(file);
    return true;
}

static const char *
use_kernel(cl_context context, cl_command_queue queue, cl_kernel kernel)
{
    int data[64], value = 2;
    cl_int error;
    const size_t items = 64;
    cl_event event = NULL;
    const char *failed = NULL;
    memset(data, 0, sizeof data);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
    if (!buffer)
        return "buffer";
    if (clSetKernelArg(kernel, 0, sizeof buffer, &buffer) ||
        clSetKernelArg(kernel, 1, sizeof buffer, &buffer) || clSetKernelArg(kernel, 2, sizeof value, &value))
        failed = "argument";
    else if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event))
        failed = "enqueue";
    else if (clWaitForEvents(1, &event))
        failed = "run";
    else if (clEnqueueFillBuffer(queue, buffer, &value, 4, 0, 4, 1, &event, NULL))
        failed = "fill";
    else if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL))
        failed = "read";
    else if (data[0] != 2 || data[63] != 2) {
        fprintf(stderr, "every call succeeded, yet the result is wrong: %d, %d\n", data[0], data[63]);
        exit(1);
    }
    clFinish(queue);
    if (event)
        clReleaseEvent(event);
    clReleaseMemObject(buffer);
    return failed;
}

/* Each of them may be NULL, but the context. */
static void
release_all(cl_context context, cl_command_queue queue, cl_program program)
{
    if (program)
        clReleaseProgram(program);
    if (queue)
        clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* NULL, or what failed. */
static const char *
whole_life(void)
{
    cl_int error;
    const char *failed = "context";
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (!context)
        return failed;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithIL(context, kernels.words, kernels.size, &error);
    cl_kernel kernel = NULL;
    failed = "queue, program or build";
    if (queue && program && clBuildProgram(program, 0, NULL, "-cl-mad-enable", NULL, NULL) == CL_SUCCESS) {
        kernel = clCreateKernel(program, "add", &error);
        failed = kernel ? use_kernel(context, queue, kernel) : "kernel";
    }
    if (kernel)
        clReleaseKernel(kernel);
    release_all(context, queue, program);
    return failed;
}

/* A read that waits is all that is left of its program. */
static const char *
read_variable(cl_command_queue queue, cl_program *program)
{
    typedef cl_int CL_API_CALL read_function(cl_command_queue, cl_program, const char *, cl_bool, size_t,
                                             size_t, void *, cl_uint, const cl_event *, cl_event *);
    __extension__ read_function *read = (read_function *)clGetExtensionFunctionAddressForPlatform(
        platform, "clEnqueueReadGlobalVariableINTEL");
    int got = 0;
    cl_int error = read(queue, *program, "numbers", CL_FALSE, sizeof got, 8, &got, 0, NULL, NULL);
    clReleaseProgram(*program);
    *program = NULL;
    clFinish(queue); /* runs what was not begun */
    if (got != (error ? 0 : 3)) {
        fprintf(stderr, "the call said %d, and read %d\n", error, got);
        exit(1);
    }
    return error ? "read" : NULL;
}

static const char *
life_of_variable(void)
{
    cl_int error;
    const char *failed = "queue, program or build";
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (!context)
        return "context";
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithIL(context, variable.words, variable.size, &error);
    if (queue && program && clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS)
        failed = read_variable(queue, &program);
    release_all(context, queue, program);
    return failed;
}

/* Each allocation of a life fails once: nothing stays behind; it has so many, and so many are noticed. */
static bool
fail_each(const char *(*life)(void), long least, long least_noticed)
{
    long n = 1, failures = 0;
    for (bool reached = true; reached; n++) {
        countdown = n;
        alive = 0;
        counting = true;
        const char *failed = life();
        reached = countdown <= 0;
        counting = false;
        failures += failed != NULL;
        if (alive > 0) {
            fprintf(stderr, "allocation %ld failed (%s): %ld allocations were not freed\n", n,
                    failed ? failed : "unnoticed", alive);
            return false;
        }
    }
    printf("%ld allocations, %ld of them noticed when they failed\n", n - 2, failures);
    return n - 2 >= least && failures >= least_noticed;
}

int
main(void)
{
    cl_int error;
    /* Else code for arguments that stay is made, with a thread for it, and kept, in whichever life the kernel
     * has run for long enough. */
    setenv("LANEWISE_RACE", "0", 1);
    if (!read_module(&kernels, "opencl_kernels.spv") || !read_module(&variable, "opencl_variable.spv") ||
        clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    /* Keeps the module and its code alive, so that nothing is compiled below: LLVM does not survive a failed
     * allocation. By the last of these lives the code is the one that lasts. */
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_program program = clCreateProgramWithIL(context, kernels.words, kernels.size, &error);
    if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL))
        return 1;
    for (int i = 0; i < 12; i++)
        if (whole_life())
            return 1;
    bool good = fail_each(whole_life, 48, 40) && !life_of_variable() && fail_each(life_of_variable, 10, 10);
    clReleaseProgram(program);
    clReleaseContext(context);
    return !good;
}
