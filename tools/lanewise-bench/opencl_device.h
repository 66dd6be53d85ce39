/* SPDX-License-Identifier: MIT */
/* The platform of an opencl worker. */
#ifndef LANEWISE_BENCH_OPENCL_DEVICE_H
#define LANEWISE_BENCH_OPENCL_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include "text.h"

struct opencl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool takes_il;  /* SPIR-V */
    bool version_2; /* 2.1 or later: entry points of that version are there */
    bool version_3;
    char told[400]; /* what the platform last said of a command that failed, or "" */
};

/* Platform `index` of those that the loader has in this process, its CPU if it has one. */
bool opencl_open(struct opencl *opencl, unsigned index, char *error, size_t error_bytes);
/* key=value lines of a message: name, version, device, ... */
void opencl_describe(const struct opencl *opencl, struct text *answer);
const char *opencl_error(cl_int error);

#endif
