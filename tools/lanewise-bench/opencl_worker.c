/* SPDX-License-Identifier: MIT */
/* The worker that runs kernels on one platform. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include "opencl_device.h"
#include "opencl_memory.h"
#include "spirv_patch.h"
#include "worker.h"

struct opencl_worker {
    struct opencl opencl;
    bool open;
    struct work work;
    cl_program program;
    cl_kernel *kernels; /* one a launch, so that arguments are set once */
    cl_mem buffers[MAX_ARGUMENTS]; /* images and pipes, too */
    cl_sampler samplers[MAX_ARGUMENTS];
    void *read[MAX_ARGUMENTS]; /* results as read back */
};

static void
drop(struct opencl_worker *worker)
{
    for (unsigned i = 0; worker->kernels && i < worker->work.description->launch_count; i++)
        if (worker->kernels[i])
            clReleaseKernel(worker->kernels[i]);
    free(worker->kernels);
    worker->kernels = NULL;
    for (unsigned i = 0; i < MAX_ARGUMENTS; i++) {
        if (worker->buffers[i])
            clReleaseMemObject(worker->buffers[i]);
        if (worker->samplers[i])
            clReleaseSampler(worker->samplers[i]);
        worker->samplers[i] = NULL;
        free(worker->read[i]);
        worker->buffers[i] = NULL;
        worker->read[i] = NULL;
    }
    if (worker->program)
        clReleaseProgram(worker->program);
    worker->program = NULL;
    work_close(&worker->work);
}

/* ---- Programs ---- */

static cl_program
program_from_il(struct opencl_worker *worker, const char *path, char *error, size_t error_bytes)
{
    size_t bytes = 0, count;
    char *file = file_read(path, &bytes);
    cl_program program = NULL;
    uint32_t *words = (uint32_t *)file;
    cl_int status;

    if (!file) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (worker->work.made.subgroup) {
        words =
            spirv_demand_subgroup((uint32_t *)file, bytes / 4, (uint32_t)worker->work.made.subgroup, &count);
        free(file);
        bytes = words ? count * 4 : 0;
    }
    if (!words) {
        snprintf(error, error_bytes, "%s: is no SPIR-V module", path);
        return NULL;
    }
    program = clCreateProgramWithIL(worker->opencl.context, words, bytes, &status);
    if (status)
        snprintf(error, error_bytes, "clCreateProgramWithIL: %s", opencl_error(status));
    free(words);
    return status ? NULL : program;
}

static cl_program
program_from_source(struct opencl_worker *worker, const char *path, char *error, size_t error_bytes)
{
    char *source = file_read(path, NULL);
    cl_program program;
    cl_int status;

    if (!*path || !source) {
        snprintf(error, error_bytes,
                 *path ? "%s: %s" : "%sthe platform takes no SPIR-V, the kernel has no OpenCL C", path,
                 strerror(errno));
        free(source);
        return NULL;
    }
    program = clCreateProgramWithSource(worker->opencl.context, 1, (const char **)&source, NULL, &status);
    if (status)
        snprintf(error, error_bytes, "clCreateProgramWithSource: %s", opencl_error(status));
    free(source);
    return status ? NULL : program;
}

static char *
build_log(struct opencl_worker *worker)
{
    size_t bytes = 0;
    char *log;

    if (clGetProgramBuildInfo(worker->program, worker->opencl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes))
        bytes = 0;
    log = memory_get(bytes + 1);
    if (bytes)
        clGetProgramBuildInfo(worker->program, worker->opencl.device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

/* The line of a log that says what is wrong: the first with `word`; else `otherwise`; else the first. */
static void
reason_of_log(const char *log, const char *word, const char *otherwise, char *reason, size_t reason_bytes)
{
    const char *best = NULL;

    for (const char *line = log; *line && !best; line += strcspn(line, "\n"), line += *line == '\n') {
        char *text = text_make("%.*s", (int)strcspn(line, "\n"), line);

        if (strstr(text, word))
            best = line;
        free(text);
    }
    if (!best && !otherwise)
        best = log + strspn(log, "\n");
    snprintf(reason, reason_bytes, "%.*s", best ? (int)strcspn(best, "\n") : (int)strlen(otherwise),
             best ? best : otherwise);
}

static bool
build_program(struct opencl_worker *worker, const struct message *message, struct text *answer)
{
    struct work *work = &worker->work;
    bool il = worker->opencl.takes_il && *message_get(message, "il");
    char error[512], *options, *log;
    cl_int status;

    if (!il && worker->opencl.takes_il && *message_get(message, "il_error")) {
        answer_failed(answer, "build", "clang-22 refuses the kernel", message_get(message, "il_error"));
        return false;
    }
    worker->program = il ? program_from_il(worker, message_get(message, "il"), error, sizeof error)
                         : program_from_source(worker, message_get(message, "source"), error, sizeof error);
    if (!worker->program) {
        answer_failed(answer, "build", error, "");
        return false;
    }
    options = text_make("%s", work->description->options ? work->description->options : "");
    if (!il) {
        char *whole = text_make("%s-I%s -I%s/.. %s", worker->opencl.version_3 ? "-cl-std=CL3.0 " : "",
                                work->description->folder, work->description->folder, options);

        free(options);
        options = whole;
    }
    status = clBuildProgram(worker->program, 1, &worker->opencl.device, options, NULL, NULL);
    free(options);
    if (!status)
        return true;
    log = build_log(worker);
    reason_of_log(log, "error", *log ? NULL : opencl_error(status), error, sizeof error);
    answer_failed(answer, "build", error, log);
    free(log);
    return false;
}

/* ---- Kernels ---- */

static bool
make_kernels(struct opencl_worker *worker, struct text *answer)
{
    struct work *work = &worker->work;
    char error[300];
    cl_int status;

    worker->kernels = memory_get(work->description->launch_count * sizeof *worker->kernels);
    for (unsigned i = 0; i < work->description->launch_count; i++) {
        worker->kernels[i] = clCreateKernel(worker->program, work->description->launches[i].kernel, &status);
        if (status) {
            const char *name = work->description->launches[i].kernel;
            char *log = build_log(worker),
                 *otherwise = text_make("kernel %s: %s", name, opencl_error(status));

            worker->kernels[i] = NULL;
            reason_of_log(log, name, otherwise, error, sizeof error); /* why it was left out of the program */
            free(otherwise);
            answer_failed(answer, "build", error, log);
            free(log);
            return false;
        }
    }
    return true;
}

/* What the first kernel runs with: 0 where the platform has no sub-groups. */
static int64_t
chosen_subgroup(struct opencl_worker *worker)
{
    const struct case_launch *launch = &worker->work.made.launches[0];
    size_t size = 0, local[3] = {launch->local[0], launch->local[1], launch->local[2]};

    if (!worker->opencl.version_2)
        return 0;
    if (!local[0])
        local[0] = 256, local[1] = local[2] = 1;
    if (clGetKernelSubGroupInfo(worker->kernels[0], worker->opencl.device,
                                CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                launch->line->dimensions * sizeof local[0], local, sizeof size, &size, NULL))
        return 0;
    return (int64_t)size;
}

static void
open_case(struct opencl_worker *worker, const struct message *message, struct text *answer)
{
    char error[512];
    double begin;
    int64_t subgroup;

    drop(worker);
    if (!work_open(&worker->work, message, error, sizeof error)) {
        answer_failed(answer, "build", error, "");
        return;
    }
    begin = clock_seconds();
    if (!build_program(worker, message, answer) || !make_kernels(worker, answer))
        return;
    begin = clock_seconds() - begin;
    subgroup = chosen_subgroup(worker);
    if (worker->work.made.subgroup && subgroup && subgroup != worker->work.made.subgroup) {
        snprintf(error, sizeof error, "runs with sub-groups of %lld, %lld are demanded", (long long)subgroup,
                 (long long)worker->work.made.subgroup);
        answer_failed(answer, "build", error, "");
        return;
    }
    if (!work_choose_subgroup(&worker->work, subgroup, error, sizeof error)) {
        answer_failed(answer, "build", error, "");
        return;
    }
    message_begin(answer, "ok");
    message_put(answer, "subgroup", "%lld", (long long)subgroup);
    message_put(answer, "build", "%.9f", begin);
}

static bool
set_arguments(struct opencl_worker *worker, char *error, size_t error_bytes)
{
    struct work *work = &worker->work;

    for (unsigned l = 0; l < work->description->launch_count; l++) {
        const struct case_launch *launch = &work->made.launches[l];

        for (unsigned i = 0; i < launch->argument_count; i++) {
            const struct case_argument *argument = &work->made.arguments[launch->arguments[i]];
            const void *value = argument->value;
            cl_int status;

            for (unsigned w = 0; w < launch->line->with_count; w++)
                if (launch->with[w] == launch->arguments[i])
                    value = launch->with_value[w];
            if (is_memory(argument->line))
                status = clSetKernelArg(worker->kernels[l], i, sizeof(cl_mem),
                                        &worker->buffers[launch->arguments[i]]);
            else if (argument->line->kind == ARGUMENT_SAMPLER)
                status = clSetKernelArg(worker->kernels[l], i, sizeof(cl_sampler),
                                        &worker->samplers[launch->arguments[i]]);
            else
                status = clSetKernelArg(worker->kernels[l], i, argument->bytes,
                                        argument->line->kind == ARGUMENT_LOCAL ? NULL : value);
            if (status) {
                snprintf(error, error_bytes, "kernel %s, argument %u '%s': %s", launch->line->kernel, i,
                         argument->line->name, opencl_error(status));
                return false;
            }
        }
    }
    return true;
}

/* ---- Runs ---- */

static bool
refill(struct opencl_worker *worker, bool all, char *error, size_t error_bytes)
{
    struct work *work = &worker->work;

    for (unsigned i = 0; i < work->description->argument_count; i++) {
        const struct argument_line *line = &work->description->arguments[i];
        cl_int status;

        if (!has_contents(line) || !worker->buffers[i] || !(all || line->restored))
            continue;
        status = opencl_move(&worker->opencl, worker->buffers[i], &work->made.arguments[i],
                             work->data + work->places[i].initial, true);
        if (status) {
            snprintf(error, error_bytes, "writing '%s': %s", work->description->arguments[i].name,
                     opencl_error(status));
            return false;
        }
    }
    return true;
}

/* Enqueue to finish, all launches, whose events the caller releases where it asks for them. */
static double
launch_all(struct opencl_worker *worker, cl_event *events, char *error, size_t error_bytes)
{
    struct work *work = &worker->work;
    double begin = clock_seconds();
    cl_int status = CL_SUCCESS;

    for (unsigned i = 0; status == CL_SUCCESS && i < work->description->launch_count; i++) {
        const struct case_launch *launch = &work->made.launches[i];

        status =
            clEnqueueNDRangeKernel(worker->opencl.queue, worker->kernels[i], launch->line->dimensions, NULL,
                                   launch->global, launch->local[0] ? launch->local : NULL, 0, NULL,
                                   events ? &events[i] : NULL);
        if (status)
            snprintf(error, error_bytes, "kernel %s, clEnqueueNDRangeKernel: %s", launch->line->kernel,
                     opencl_error(status));
    }
    if (status == CL_SUCCESS) {
        status = clFinish(worker->opencl.queue);
        if (status)
            snprintf(error, error_bytes, "clFinish: %s", opencl_error(status));
    }
    return status ? -1 : clock_seconds() - begin;
}

static double
opencl_once(void *state, char *error, size_t error_bytes)
{
    return refill(state, false, error, error_bytes) ? launch_all(state, NULL, error, error_bytes) : -1;
}

static const void *
opencl_result(void *state, unsigned argument, char *error, size_t error_bytes)
{
    struct opencl_worker *worker = state;
    size_t bytes = worker->work.made.arguments[argument].bytes;
    cl_int status;

    if (!worker->read[argument])
        worker->read[argument] = memory_get(bytes);
    status = opencl_move(&worker->opencl, worker->buffers[argument], &worker->work.made.arguments[argument],
                         worker->read[argument], false);
    if (status)
        snprintf(error, error_bytes, "reading '%s': %s", worker->work.description->arguments[argument].name,
                 opencl_error(status));
    return status ? NULL : worker->read[argument];
}

static void
take_data(struct opencl_worker *worker, const struct message *message, struct text *answer)
{
    struct work *work = &worker->work;
    char error[512];
    cl_int status = CL_SUCCESS;

    if (!work_map(work, message_get(message, "file"), false, error, sizeof error)) {
        answer_failed(answer, "run", error, "");
        return;
    }
    for (unsigned i = 0; i < work->description->argument_count && status == CL_SUCCESS; i++) {
        const struct argument_line *line = &work->description->arguments[i];

        if (is_memory(line) && !worker->buffers[i])
            worker->buffers[i] = opencl_memory(&worker->opencl, &work->made.arguments[i], &status);
        if (line->kind == ARGUMENT_SAMPLER && !worker->samplers[i])
            worker->samplers[i] = opencl_sampler(&worker->opencl, line, &status);
        if (status)
            snprintf(error, sizeof error, "creating '%s': %s", line->name, opencl_error(status));
    }
    if (status || !refill(worker, true, error, sizeof error) || !set_arguments(worker, error, sizeof error))
        answer_failed(answer, "run", error, "");
    else
        message_begin(answer, "ok");
}

/* As launch_all, and asks what became of each launch: a platform may end one whose kernel faults. */
static double
launch_all_watched(struct opencl_worker *worker, char *error, size_t error_bytes)
{
    struct work *work = &worker->work;
    cl_event *events = memory_get(work->description->launch_count * sizeof *events);
    double time = launch_all(worker, events, error, error_bytes);

    for (unsigned i = 0; i < work->description->launch_count && events[i]; i++) {
        cl_int ended = CL_COMPLETE;

        if (time >= 0 &&
            clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof ended, &ended, NULL) ==
                CL_SUCCESS &&
            ended < 0) {
            snprintf(error, error_bytes, "kernel %s: the launch ended with %s%s%s",
                     work->made.launches[i].line->kernel, opencl_error(ended),
                     worker->opencl.told[0] ? ": " : "", worker->opencl.told);
            time = -1;
        }
        clReleaseEvent(events[i]);
    }
    free(events);
    return time;
}

/* `check`, and `save`: a run on fresh contents; then compares, or keeps the results as what is expected. */
static void
check(struct opencl_worker *worker, bool save, struct text *answer)
{
    struct work *work = &worker->work;
    char error[512];
    double time =
        refill(worker, true, error, sizeof error) ? launch_all_watched(worker, error, sizeof error) : -1;

    if (time < 0) {
        answer_failed(answer, "run", error, "");
        return;
    }
    if (!save) {
        answer_check(work, answer, opencl_result, worker);
    } else {
        for (unsigned i = 0; i < work->description->argument_count; i++) {
            const void *got;

            if (!worker->buffers[i] || !work->description->arguments[i].result)
                continue;
            got = opencl_result(worker, i, error, sizeof error);
            if (!got) {
                answer_failed(answer, "run", error, "");
                return;
            }
            memcpy(work->data + work->places[i].expected, got, work->made.arguments[i].bytes);
        }
        message_begin(answer, "ok");
    }
    if (!strncmp(answer->data, "ok", 2))
        message_put(answer, "first", "%.9f", time);
}

void
opencl_worker_answer(void **state, const struct message *message, struct text *answer)
{
    struct opencl_worker *worker = *state;
    char error[512];

    if (!worker)
        worker = *state = memory_get(sizeof *worker);
    if (!worker->open) {
        worker->open =
            opencl_open(&worker->opencl, (unsigned)message_number(message, "index"), error, sizeof error);
        if (!worker->open) {
            answer_failed(answer, "platform", error, "");
            return;
        }
    }
    if (!strcmp(message->verb, "platform")) {
        message_begin(answer, "ok");
        opencl_describe(&worker->opencl, answer);
    } else if (!strcmp(message->verb, "case")) {
        open_case(worker, message, answer);
    } else if (!strcmp(message->verb, "data")) {
        take_data(worker, message, answer);
    } else if (!strcmp(message->verb, "check") || !strcmp(message->verb, "save")) {
        check(worker, !strcmp(message->verb, "save"), answer);
    } else if (!strcmp(message->verb, "time")) {
        answer_times(message, answer, opencl_once, worker);
    } else {
        drop(worker);
        message_begin(answer, "ok");
    }
}
