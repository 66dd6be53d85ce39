/* SPDX-License-Identifier: MIT */
/* Figures of commands, in a process that has run them for a while. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS 160000u
#define LARGE ((size_t)1 << 20)
#define SAMPLE_US 100000.0 /* for each figure */
#define MAX_SAMPLES 20000u
#define LEAST_SAMPLES 15u
#define MEDIUM_ITEMS 4096u
#define MEDIUM_LOCAL 64u

struct bench {
    struct client client;
    cl_kernel empty, group_ids, spin;
    cl_mem out, large;
    char *host, *other;
    size_t global, local;
    cl_uint steps;
};

/* The median of what `once` gives, microseconds. */
static double
sample(struct bench *b, double once(struct bench *b))
{
    static double times[MAX_SAMPLES];
    unsigned count = 0;
    double end = now_us() + SAMPLE_US / 4;
    do
        once(b);
    while (now_us() < end);
    end = now_us() + SAMPLE_US;
    while (count < MAX_SAMPLES && (count < LEAST_SAMPLES || now_us() < end))
        times[count++] = once(b);
    qsort(times, count, sizeof times[0], by_value);
    return times[count / 2];
}

static void
enqueue(struct bench *b, cl_kernel kernel, size_t global, size_t local)
{
    try_call(clEnqueueNDRangeKernel(b->client.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
}

static void
finish(struct bench *b)
{
    try_call(clFinish(b->client.queue), "clFinish");
}

/* ---- Kernels ---- */

static double
empty(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 10; i++) {
        enqueue(b, b->empty, 16, 16);
        finish(b);
    }
    return (now_us() - begin) / 10;
}

static double
empty_100(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 100; i++)
        enqueue(b, b->empty, 16, 16);
    finish(b);
    return (now_us() - begin) / 100;
}

static double
enqueue_alone(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 10; i++)
        enqueue(b, b->empty, 16, 16);
    double end = now_us();
    finish(b);
    return (end - begin) / 10;
}

static double
one_range(struct bench *b)
{
    double begin = now_us();
    enqueue(b, b->group_ids, b->global, b->local);
    finish(b);
    return now_us() - begin;
}

static double
many_groups(struct bench *b, size_t groups, size_t local)
{
    b->global = groups * local;
    b->local = local;
    double time = sample(b, one_range);
    cl_uint *got = (cl_uint *)b->host;
    memset(got, 0xff, b->global * sizeof *got);
    try_call(
        clEnqueueReadBuffer(b->client.queue, b->out, CL_TRUE, 0, b->global * sizeof *got, got, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    for (size_t i = 0; i < b->global; i++)
        if (got[i] != i / local + i % local) {
            fprintf(stderr, "opencl-latency: the kernel's result is wrong\n");
            exit(1);
        }
    return time;
}

static double
spinning(struct bench *b)
{
    double begin = now_us();
    enqueue(b, b->spin, b->global, MEDIUM_LOCAL);
    finish(b);
    return now_us() - begin;
}

/* What a dispatch of `work` microseconds takes longer than its share of one that is 64 times as large. */
static double
medium(struct bench *b, double work)
{
    b->steps = 64;
    for (;;) {
        b->global = (size_t)64 * MEDIUM_ITEMS;
        clSetKernelArg(b->spin, 1, sizeof b->steps, &b->steps);
        double share = sample(b, spinning) / 64;
        if (share < work * 0.9 && b->steps < 1u << 24) {
            double factor = work / share;
            b->steps = (cl_uint)((double)b->steps * (factor > 16 ? 16 : factor < 1.15 ? 1.15 : factor));
            continue;
        }
        b->global = MEDIUM_ITEMS;
        return sample(b, spinning) - share;
    }
}

/* ---- Memory ---- */

static double
write_alone(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 10; i++)
        clEnqueueWriteBuffer(b->client.queue, b->large, CL_FALSE, 0, 64, b->host, 0, NULL, NULL);
    double end = now_us();
    finish(b);
    return (end - begin) / 10;
}

static double
read_alone(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 10; i++)
        clEnqueueReadBuffer(b->client.queue, b->large, CL_FALSE, 0, 64, b->host, 0, NULL, NULL);
    double end = now_us();
    finish(b);
    return (end - begin) / 10;
}

static double
write_small(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 10; i++)
        try_call(clEnqueueWriteBuffer(b->client.queue, b->large, CL_TRUE, 0, 64, b->host, 0, NULL, NULL),
                 "clEnqueueWriteBuffer");
    return (now_us() - begin) / 10;
}

static double
read_small(struct bench *b)
{
    double begin = now_us();
    for (unsigned i = 0; i < 10; i++)
        try_call(clEnqueueReadBuffer(b->client.queue, b->large, CL_TRUE, 0, 64, b->host, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
    return (now_us() - begin) / 10;
}

static double
read_large(struct bench *b)
{
    double begin = now_us();
    try_call(clEnqueueReadBuffer(b->client.queue, b->large, CL_TRUE, 0, LARGE, b->host, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    return now_us() - begin;
}

static double
copy_large(struct bench *b)
{
    double begin = now_us();
    memcpy(b->host, b->other, LARGE);
    double end = now_us();
    b->other[0] += b->host[LARGE - 1];
    return end - begin;
}

static double
map_small(struct bench *b)
{
    cl_int error;
    double begin = now_us();
    void *data = clEnqueueMapBuffer(b->client.queue, b->large, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, 0,
                                    NULL, NULL, &error);
    try_call(error, "clEnqueueMapBuffer");
    try_call(clEnqueueUnmapMemObject(b->client.queue, b->large, data, 0, NULL, NULL),
             "clEnqueueUnmapMemObject");
    finish(b);
    return now_us() - begin;
}

/* ---- Events ---- */

static double
user_event(struct bench *b)
{
    const size_t size = 16;
    cl_int error;
    cl_event done, gate = clCreateUserEvent(b->client.context, &error);
    try_call(error, "clCreateUserEvent");
    try_call(clEnqueueNDRangeKernel(b->client.queue, b->empty, 1, NULL, &size, &size, 1, &gate, &done),
             "clEnqueueNDRangeKernel");
    try_call(clFlush(b->client.queue), "clFlush");
    double begin = now_us();
    clSetUserEventStatus(gate, CL_COMPLETE);
    try_call(clWaitForEvents(1, &done), "clWaitForEvents");
    double end = now_us();
    clReleaseEvent(gate);
    clReleaseEvent(done);
    return end - begin;
}

static double
chain(struct bench *b)
{
    const size_t size = 16;
    cl_event events[20];
    double begin = now_us();
    for (unsigned i = 0; i < 20; i++)
        try_call(clEnqueueNDRangeKernel(b->client.queue, b->empty, 1, NULL, &size, &size, i ? 1 : 0,
                                        i ? &events[i - 1] : NULL, &events[i]),
                 "clEnqueueNDRangeKernel");
    try_call(clWaitForEvents(1, &events[19]), "clWaitForEvents");
    for (unsigned i = 0; i < 20; i++)
        clReleaseEvent(events[i]);
    return (now_us() - begin) / 20;
}

/* ---- All of them ---- */

static void
set_up(struct bench *b, const char *platform)
{
    cl_int error;
    open_client(&b->client, platform);
    cl_program program = launch_program(&b->client);
    build_all(&b->client, program);
    b->empty = make_kernel(program, "empty");
    b->group_ids = make_kernel(program, "group_ids");
    b->spin = make_kernel(program, "spin");
    b->out =
        clCreateBuffer(b->client.context, CL_MEM_READ_WRITE, (size_t)64 * MEDIUM_ITEMS * 4, NULL, &error);
    try_call(error, "clCreateBuffer");
    b->large = clCreateBuffer(b->client.context, CL_MEM_READ_WRITE, LARGE, NULL, &error);
    try_call(error, "clCreateBuffer");
    b->host = calloc(1, LARGE);
    b->other = calloc(1, LARGE);
    if (!b->host || !b->other)
        die("no memory", CL_OUT_OF_HOST_MEMORY);
    memset(b->other, 1, LARGE);
    clEnqueueWriteBuffer(b->client.queue, b->large, CL_TRUE, 0, LARGE, b->other, 0, NULL, NULL);
    clSetKernelArg(b->group_ids, 0, sizeof b->out, &b->out);
    clSetKernelArg(b->spin, 0, sizeof b->out, &b->out);
}

void
measure_launches(const char *platform)
{
    static const struct {
        const char *name;
        double (*once)(struct bench *b);
    } simple[] = {
        {"empty", empty},
        {"empty_100", empty_100},
        {"enqueue", enqueue_alone},
        {"write_enqueue", write_alone},
        {"read_enqueue", read_alone},
        {"write", write_small},
        {"read", read_small},
        {"read_1m", read_large},
        {"copy_1m", copy_large},
        {"map", map_small},
        {"user_event", user_event},
        {"chain", chain},
    };
    static struct bench b;
    set_up(&b, platform);
    for (unsigned i = 0; i < sizeof simple / sizeof simple[0]; i++)
        tell(simple[i].name, sample(&b, simple[i].once));
    tell("groups_10000", many_groups(&b, 10000, 16));
    tell("groups_100000", many_groups(&b, 100000, 1));
    tell("medium_20", medium(&b, 20));
    tell("medium_100", medium(&b, 100));
}
