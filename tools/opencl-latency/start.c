/* SPDX-License-Identifier: MIT */
/* Figures of a new process, and of programs built. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT 4096u
#define LOCAL 64u
#define BUILDS 9u
#define STEADY 9u

struct job {
    cl_program program;
    cl_kernel kernel;
    cl_mem in, out;
};

static void
make_buffers(const struct client *client, struct job *job)
{
    static float data[COUNT];
    cl_int error;
    for (unsigned i = 0; i < COUNT; i++)
        data[i] = (float)(i % 5);
    job->in =
        clCreateBuffer(client->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
    try_call(error, "clCreateBuffer");
    job->out =
        clCreateBuffer(client->context, CL_MEM_WRITE_ONLY, COUNT / LOCAL * sizeof(float), NULL, &error);
    try_call(error, "clCreateBuffer");
}

static void
run(const struct client *client, const struct job *job)
{
    const size_t global = 1024, local = LOCAL;
    try_call(clEnqueueNDRangeKernel(client->queue, job->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
    try_call(clFinish(client->queue), "clFinish");
}

/* From IL to the end of the first run. */
static void
build_and_run(const struct client *client, struct job *job, uint32_t seed)
{
    const cl_uint count = COUNT;
    job->program = build_program(client, seed);
    build_all(client, job->program);
    job->kernel = make_kernel(job->program, "sums");
    clSetKernelArg(job->kernel, 0, sizeof job->in, &job->in);
    clSetKernelArg(job->kernel, 1, sizeof job->out, &job->out);
    clSetKernelArg(job->kernel, 2, sizeof count, &count);
    clSetKernelArg(job->kernel, 3, LOCAL * sizeof(float), NULL);
    run(client, job);
}

static void
release(struct job *job)
{
    clReleaseKernel(job->kernel);
    clReleaseProgram(job->program);
}

/* A wrong result has no time. */
static void
check(const struct client *client, const struct job *job, uint32_t seed)
{
    float got, want = 0;
    try_call(clEnqueueReadBuffer(client->queue, job->out, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    for (unsigned i = 0; i < COUNT; i++)
        if (i % 1024 < LOCAL)
            want += (float)((i % 5) * (i % 5)); /* exact */
    want += (float)(COUNT ^ seed);
    if (got != want) {
        fprintf(stderr, "opencl-latency: the kernel's result is wrong: %g, not %g\n", (double)got,
                (double)want);
        exit(1);
    }
}

static double
median_run(const struct client *client, const struct job *job)
{
    double times[STEADY];
    for (unsigned i = 0; i < STEADY; i++) {
        double begin = now_us();
        run(client, job);
        times[i] = now_us() - begin;
    }
    qsort(times, STEADY, sizeof times[0], by_value);
    return times[STEADY / 2];
}

/* MiB; what exec began with is not counted. */
static double
peak_memory(void)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = atof(line + 6);
    if (file)
        fclose(file);
    return kib / 1024;
}

void
measure_start(const char *platform, double started, bool warm)
{
    struct client client;
    struct job job;
    const uint32_t seed = 0x12345;
    find_platform(platform);
    if (!warm)
        tell("platform", (now_us() - started) / 1e3);
    open_client(&client, platform);
    make_buffers(&client, &job);
    double begin = now_us();
    build_and_run(&client, &job, seed);
    double end = now_us(), memory = peak_memory();
    check(&client, &job, seed);
    tell(warm ? "warm_result" : "result", (end - started) / 1e3);
    tell(warm ? "warm_program" : "program", (end - begin - median_run(&client, &job)) / 1e3);
    tell(warm ? "warm_memory" : "memory", memory);
}

void
measure_builds(const char *platform)
{
    struct client client;
    struct job job;
    double times[BUILDS];
    open_client(&client, platform);
    make_buffers(&client, &job);
    uint32_t seed = ((uint32_t)getpid() << 8 ^ (uint32_t)time(NULL)) & 0xffff00u;
    build_and_run(&client, &job, seed);
    release(&job);
    for (unsigned i = 0; i < BUILDS; i++) {
        double begin = now_us();
        build_and_run(&client, &job, ++seed);
        times[i] = now_us() - begin;
        check(&client, &job, seed);
        times[i] -= median_run(&client, &job);
        release(&job);
    }
    qsort(times, BUILDS, sizeof times[0], by_value);
    tell("build", times[BUILDS / 2] / 1e3);
}
