/* SPDX-License-Identifier: MIT */
/* What every measurement needs of OpenCL. */
#include "latency.h"
#include "modules.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_PLATFORMS 64
#define SEED 0x5eedc0deu

int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double
now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

void
die(const char *what, cl_int error)
{
    fprintf(stderr, "opencl-latency: %s: error %d\n", what, error);
    exit(1);
}

void
try_call(cl_int error, const char *what)
{
    if (error != CL_SUCCESS)
        die(what, error);
}

cl_platform_id
find_platform(const char *wanted)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    cl_int error = clGetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    if (error != CL_SUCCESS || !count)
        die("clGetPlatformIDs found no platform (OCL_ICD_VENDORS, --icd)", error);
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
        char name[256] = "";
        if (!wanted)
            return platforms[i];
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, wanted))
            return platforms[i];
    }
    fprintf(stderr, "opencl-latency: no platform's name contains '%s'\n", wanted);
    exit(1);
}

void
open_client(struct client *client, const char *wanted)
{
    cl_int error;
    char il[256] = "";
    client->platform = find_platform(wanted);
    try_call(clGetDeviceIDs(client->platform, CL_DEVICE_TYPE_ALL, 1, &client->device, NULL),
             "clGetDeviceIDs");
    client->context = clCreateContext(NULL, 1, &client->device, NULL, NULL, &error);
    try_call(error, "clCreateContext");
    client->queue = clCreateCommandQueueWithProperties(client->context, client->device, NULL, &error);
    try_call(error, "clCreateCommandQueueWithProperties");
    /* An old platform does not know the question. */
    error = clGetDeviceInfo(client->device, CL_DEVICE_IL_VERSION, sizeof il, il, NULL);
    client->il = error == CL_SUCCESS && strstr(il, "SPIR-V");
}

static cl_program
from_il(const struct client *client, const unsigned char *il, size_t bytes, uint32_t seed)
{
    cl_int error;
    uint32_t *words = malloc(bytes);
    if (!words)
        die("no memory", CL_OUT_OF_HOST_MEMORY);
    memcpy(words, il, bytes);
    for (size_t i = 0; i < bytes / 4; i++)
        if (words[i] == SEED)
            words[i] = seed;
    cl_program program = clCreateProgramWithIL(client->context, words, bytes, &error);
    try_call(error, "clCreateProgramWithIL");
    free(words);
    return program;
}

static cl_program
from_source(const struct client *client, const unsigned char *source, uint32_t seed)
{
    char define[64];
    const char *texts[] = {define, (const char *)source};
    cl_int error;
    snprintf(define, sizeof define, "#define SEED 0x%xu\n", (unsigned)seed);
    cl_program program = clCreateProgramWithSource(client->context, 2, texts, NULL, &error);
    try_call(error, "clCreateProgramWithSource");
    return program;
}

cl_program
launch_program(const struct client *client)
{
    return client->il ? from_il(client, launch_il, launch_il_bytes, SEED)
                      : from_source(client, launch_source, SEED);
}

cl_program
build_program(const struct client *client, uint32_t seed)
{
    return client->il ? from_il(client, build_il, build_il_bytes, seed)
                      : from_source(client, build_source, seed);
}

void
build_all(const struct client *client, cl_program program)
{
    cl_int error = clBuildProgram(program, 1, &client->device, "", NULL, NULL);
    if (error == CL_SUCCESS)
        return;
    static char log[4096];
    clGetProgramBuildInfo(program, client->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fputs(log, stderr);
    die("clBuildProgram", error);
}

cl_kernel
make_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    try_call(error, name);
    return kernel;
}

void
tell(const char *name, double value)
{
    printf("%s %.9g\n", name, value);
}
