/* SPDX-License-Identifier: MIT */
/* clBuildProgram, clCompileProgram, clLinkProgram: their arguments checked and copied into a job. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

/* ---- Checks ---- */

static cl_int
check_devices(cl_uint known, const cl_device_id *list, cl_uint count, const cl_device_id *devices,
              bool callback, const void *data)
{
    if ((count == 0) != (devices == NULL) || (!callback && data))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        cl_uint k = 0;
        while (k < known && list[k] != devices[i])
            k++;
        if (k == known)
            return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

/* Source needs a compiler, which may be missing; the log says what to install. */
static cl_int
check_compiler(cl_program program)
{
    char path[1024];
    if (!program->source || lw_cl_source_compiler(path, sizeof path))
        return CL_SUCCESS;
    lw_cl_log(program, "%s", lw_cl_how_to_install);
    return CL_COMPILER_NOT_AVAILABLE;
}

static cl_int
check_headers(cl_program program, cl_uint count, const cl_program *headers, const char **names)
{
    if (program->il)
        return CL_SUCCESS; /* they are ignored */
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!lw_cl_is(headers[i], LW_CL_PROGRAM) || !names[i] || !headers[i]->source ||
            headers[i]->context != program->context)
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static bool
is_linkable(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    bool good = !program->building && program->module &&
                (program->binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                 program->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    pthread_mutex_unlock(&program->lock);
    return good;
}

static cl_int
check_inputs(cl_context context, cl_uint count, const cl_program *inputs)
{
    if (!count || !inputs)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!lw_cl_is(inputs[i], LW_CL_PROGRAM) || inputs[i]->context != context)
            return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < count; i++)
        if (!is_linkable(inputs[i]))
            return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* Has the program something to link for the device? */
static bool
has_compiled(cl_program program, const struct _cl_device_id *device)
{
    pthread_mutex_lock(&program->lock);
    bool found = lw_cl_program_is_built(program, device);
    for (; device && !found; device = device->parent)
        found = program->status == CL_BUILD_NONE &&
                lw_cl_program_device(program, device) < program->device_count;
    pthread_mutex_unlock(&program->lock);
    return found;
}

/* For each device all inputs have something, or none has. Marks the devices that there is a link for. */
static cl_int
mark_linked(cl_program program, cl_uint count, const cl_program *inputs)
{
    for (cl_uint d = 0; d < program->device_count; d++) {
        cl_uint have = 0;
        for (cl_uint i = 0; i < count; i++)
            have += has_compiled(inputs[i], program->devices[d]);
        if (have && have < count)
            return CL_INVALID_OPERATION;
        program->built[d] = have;
    }
    return CL_SUCCESS;
}

/* ---- What the job takes with it ---- */

static bool
copy_constants(struct lw_cl_job *job, cl_program from)
{
    pthread_mutex_lock(&from->lock);
    cl_uint count = from->spec_count;
    job->spec = count ? malloc(count * sizeof *job->spec) : NULL;
    if (job->spec) {
        memcpy(job->spec, from->spec, count * sizeof *job->spec);
        job->spec_count = count;
    }
    pthread_mutex_unlock(&from->lock);
    return job->spec || !count;
}

static bool
copy_headers(struct lw_cl_job *job, cl_uint count, const cl_program *programs, const char **names)
{
    job->headers = calloc(count + 1, sizeof *job->headers);
    job->held = calloc(count + 1, sizeof *job->held);
    if (!job->headers || !job->held)
        return false;
    for (cl_uint i = 0; i < count; i++) {
        char *name = strdup(names[i]);
        if (!name)
            return false;
        job->headers[i] = (struct lw_cl_header){name, programs[i]->source};
        job->held[i] = programs[i];
        lw_cl_hold(programs[i]);
        job->header_count++;
    }
    return true;
}

/* Freedoms hold for the whole where every input was compiled with them, constraints where one was. Options of
 * the link count unless one of them is a library that was not made for that. */
static void
join_flags(struct lw_cl_job *job, const struct _cl_program *input, bool first)
{
    const unsigned freedoms =
        LW_MATH_FINITE | LW_MATH_NO_SIGNED_ZEROS | LW_MATH_CONTRACT | LW_MATH_UNSAFE | LW_MATH_FLUSH;
    unsigned free = first ? freedoms : job->flags & freedoms;
    job->flags = (free & input->flags) | ((job->flags | input->flags) & ~(freedoms | LW_CL_LINK_OPTIONS));
    job->closed |=
        input->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY && !(input->flags & LW_CL_LINK_OPTIONS);
}

/* CL_INVALID_OPERATION: one of them is being built by now. */
static cl_int
copy_inputs(struct lw_cl_job *job, cl_uint count, const cl_program *inputs)
{
    job->modules = calloc(count, sizeof *job->modules);
    job->sizes = calloc(count, sizeof *job->sizes);
    if (!job->modules || !job->sizes)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++) {
        cl_int error = CL_SUCCESS;
        pthread_mutex_lock(&inputs[i]->lock);
        void *copy = inputs[i]->module ? malloc(inputs[i]->module_size) : NULL;
        if (!inputs[i]->module || inputs[i]->building)
            error = CL_INVALID_OPERATION;
        else if (!copy)
            error = CL_OUT_OF_HOST_MEMORY;
        else
            memcpy(copy, inputs[i]->module, inputs[i]->module_size);
        job->sizes[i] = inputs[i]->module_size;
        join_flags(job, inputs[i], i == 0);
        pthread_mutex_unlock(&inputs[i]->lock);
        job->modules[i] = copy;
        job->module_count++;
        if (error)
            return error;
    }
    return CL_SUCCESS;
}

/* Reads the options and sets off; gives the claim back where that fails. Takes the job over. */
static cl_int
start(struct lw_cl_job *job, cl_int error, const char *text, cl_int option_error,
      lw_cl_build_callback *callback, void *data)
{
    cl_program program = job->program;
    job->callback = callback;
    job->data = data;
    if (!error)
        error = lw_cl_read_options(program, text, job->work == LW_CL_LINK, option_error, &job->options);
    if (!error)
        error = check_compiler(program);
    if (!error) {
        unsigned asked = job->options.flags;
        if (job->work != LW_CL_LINK)
            job->flags = program->base_flags | asked;
        else if (!job->closed || job->options.create_library)
            job->flags |= asked;
        return lw_cl_job_run(job);
    }
    lw_cl_unclaim(program, false, CL_PROGRAM_BINARY_TYPE_NONE, job);
    lw_cl_job_free(job);
    return error;
}

/* ---- Entry points ---- */

CL_API_ENTRY cl_int CL_API_CALL
clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *text,
               lw_cl_build_callback *callback, void *data)
{
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_int error =
        check_devices(program->device_count, program->devices, num_devices, devices, callback != NULL, data);
    if (error)
        return error;
    if (program->origin == LW_CL_FROM_LINK || (!program->source && program->origin == LW_CL_FROM_SOURCE))
        return CL_INVALID_OPERATION;
    if (program->origin == LW_CL_FROM_BINARY && is_linkable(program))
        return CL_INVALID_BINARY; /* no executable */
    struct lw_cl_job *job = lw_cl_job_create(program, LW_CL_BUILD);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    error = lw_cl_claim(program, text, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, num_devices, devices);
    if (error) {
        lw_cl_job_free(job);
        return error;
    }
    error = copy_constants(job, program) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return start(job, error, text, CL_INVALID_BUILD_OPTIONS, callback, data);
}

CL_API_ENTRY cl_int CL_API_CALL
clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *text,
                 cl_uint header_count, const cl_program *header_programs, const char **header_names,
                 lw_cl_build_callback *callback, void *data)
{
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_int error =
        check_devices(program->device_count, program->devices, num_devices, devices, callback != NULL, data);
    if (!error)
        error = check_headers(program, header_count, header_programs, header_names);
    if (error)
        return error;
    if (!program->source && !program->il)
        return CL_INVALID_OPERATION;
    struct lw_cl_job *job = lw_cl_job_create(program, LW_CL_COMPILE);
    if (!job)
        return CL_OUT_OF_HOST_MEMORY;
    error = lw_cl_claim(program, text, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, num_devices, devices);
    if (error) {
        lw_cl_job_free(job);
        return error;
    }
    bool good = program->source ? copy_headers(job, header_count, header_programs, header_names)
                                : copy_constants(job, program);
    if (!good)
        error = CL_OUT_OF_HOST_MEMORY;
    return start(job, error, text, CL_INVALID_COMPILER_OPTIONS, callback, data);
}

CL_API_ENTRY cl_program CL_API_CALL
clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *devices, const char *text,
              cl_uint count, const cl_program *inputs, lw_cl_build_callback *callback, void *data,
              cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    cl_int error =
        check_devices(context->device_count, context->devices, num_devices, devices, callback != NULL, data);
    if (!error)
        error = check_inputs(context, count, inputs);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    cl_program program = lw_cl_program_create(context, LW_CL_FROM_LINK, NULL, 0, errcode_ret);
    if (!program)
        return NULL;
    bool good = !devices || lw_cl_program_take_devices(program, num_devices, devices);
    struct lw_cl_job *job = good ? lw_cl_job_create(program, LW_CL_LINK) : NULL;
    if (!job) {
        lw_cl_drop(program);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    /* Nobody else has it yet. */
    lw_cl_claim(program, text, CL_PROGRAM_BINARY_TYPE_NONE, 0, NULL);
    error = mark_linked(program, count, inputs);
    if (!error)
        error = copy_inputs(job, count, inputs);
    error = start(job, error, text, CL_INVALID_LINKER_OPTIONS, callback, data);
    if (errcode_ret)
        *errcode_ret = error;
    if (error == CL_SUCCESS || error == CL_LINK_PROGRAM_FAILURE)
        return program; /* with its log, where it failed */
    lw_cl_drop(program);
    return NULL;
}
