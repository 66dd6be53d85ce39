/* SPDX-License-Identifier: MIT */
/* opencl-latency: every figure is measured in a process of its own kind, which writes `name value` lines.
 *
 * - main.c: arguments; starts the processes, platform after platform, round after round
 * - figures.c: the table of figures
 * - start.c: measured in a new process: first call, first program, memory; programs built one after the other
 * - launch.c: measured in a process that has been running for a while: commands
 * - client.c: what both need of OpenCL
 * - table.c: medians, as a table and as JSON
 */
#ifndef OPENCL_LATENCY_H
#define OPENCL_LATENCY_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- figures.c ---- */

enum part { PART_COLD, PART_WARM, PART_BUILD, PART_LAUNCH, PART_COUNT };

struct figure {
    const char *name, *unit;
    enum part part;
    double goal; /* of the project, 0: none */
    const char *text;
};

extern const struct figure figures[];
extern const unsigned figure_count;
extern const char *const part_names[PART_COUNT];

/* ---- client.c ---- */

struct client {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool il;
};

double now_us(void);
int by_value(const void *a, const void *b); /* for qsort of doubles */
/* Ends the process with a sentence. */
_Noreturn void die(const char *what, cl_int error);
void try_call(cl_int error, const char *what);
/* The first platform whose name contains `wanted` (NULL: the first one). */
cl_platform_id find_platform(const char *wanted);
void open_client(struct client *client, const char *wanted);
/* Its programs, not yet built: from IL where the platform takes it, else from the source. */
cl_program launch_program(const struct client *client);
cl_program build_program(const struct client *client, uint32_t seed);
void build_all(const struct client *client, cl_program program);
cl_kernel make_kernel(cl_program program, const char *name);
/* A figure's line. */
void tell(const char *name, double value);

/* ---- start.c, launch.c: called with the time at which the process was started ---- */

void measure_start(const char *platform, double started, bool warm);
void measure_builds(const char *platform);
void measure_launches(const char *platform);

/* ---- table.c ---- */

#define MAX_ROUNDS 1000
#define MAX_COLUMNS 16

struct cell {
    double *values; /* by round */
    unsigned count;
};

struct column {
    const char *name; /* as given, else the platform's */
    const char *icd;  /* NULL: what the loader finds by itself */
    const char *library_path;
    char platform[128], version[128];
    struct cell *cells; /* by figure */
    unsigned rounds;
    char error[256]; /* why figures are missing */
};

void print_table(FILE *out, const struct column *columns, unsigned count);
void print_json(FILE *out, const struct column *columns, unsigned count, unsigned rounds);

#endif
