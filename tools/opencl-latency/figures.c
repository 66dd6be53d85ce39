/* SPDX-License-Identifier: MIT */
#include "latency.h"

const char *const part_names[PART_COUNT] = {"cold", "warm", "build", "launch"};

const struct figure figures[] = {
    {"empty", "us", PART_LAUNCH, 1.0, "empty kernel of one work-group: enqueue, finish"},
    {"empty_100", "us", PART_LAUNCH, 0.5, "each of 100 empty kernels: enqueued, then one finish"},
    {"enqueue", "us", PART_LAUNCH, 0, "enqueue alone, of an empty kernel"},
    {"groups_10000", "us", PART_LAUNCH, 15,
     "10,000 work-groups of 16 work-items, a store each: enqueue, finish"},
    {"groups_100000", "us", PART_LAUNCH, 0,
     "100,000 work-groups of 1 work-item, a store each: enqueue, finish"},
    {"medium_20", "us", PART_LAUNCH, 0,
     "64 work-groups, 20 us of the whole device's time: what a dispatch adds"},
    {"medium_100", "us", PART_LAUNCH, 0,
     "64 work-groups, 100 us of the whole device's time: what a dispatch adds"},
    {"write_enqueue", "us", PART_LAUNCH, 0.3, "enqueue alone, of a write of 64 bytes that does not block"},
    {"read_enqueue", "us", PART_LAUNCH, 0.3, "enqueue alone, of a read of 64 bytes that does not block"},
    {"write", "us", PART_LAUNCH, 0, "blocking write of 64 bytes"},
    {"read", "us", PART_LAUNCH, 0, "blocking read of 64 bytes"},
    {"read_1m", "us", PART_LAUNCH, 0, "blocking read of 1 MiB"},
    {"copy_1m", "us", PART_LAUNCH, 0, "memcpy of 1 MiB, without OpenCL, for comparison"},
    {"map", "us", PART_LAUNCH, 0, "blocking map of 64 bytes, unmap, finish"},
    {"user_event", "us", PART_LAUNCH, 0,
     "kernel behind a user event: set the event complete, wait for the kernel"},
    {"chain", "us", PART_LAUNCH, 0, "each of 20 kernels, every one waiting for the event of the one before"},
    {"build", "ms", PART_BUILD, 10,
     "a new program in a running process: from its IL to the end of its first run"},
    {"platform", "ms", PART_COLD, 5, "start of a process to clGetPlatformIDs answered"},
    {"program", "ms", PART_COLD, 45,
     "a process's first program, without caches: from its IL to the end of its first run"},
    {"result", "ms", PART_COLD, 0, "start of a process to its first result, without caches"},
    {"memory", "MiB", PART_COLD, 60, "peak memory of that process"},
    {"warm_program", "ms", PART_WARM, 3,
     "a process's first program, with the platform's cache on disk filled"},
    {"warm_result", "ms", PART_WARM, 0, "start of a process to its first result, with that cache"},
    {"warm_memory", "MiB", PART_WARM, 20, "peak memory of that process"},
};
const unsigned figure_count = sizeof figures / sizeof figures[0];
