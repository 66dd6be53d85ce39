/* SPDX-License-Identifier: MIT */
/* Build, compile and link. Machine code is made when a kernel first runs; what is made here is the checked
 * module, so that the build log says what a run would refuse. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

typedef void CL_CALLBACK build_callback(cl_program program, void *data);

/* ---- The steps ---- */

static bool
specialise(cl_program program, lw_program *made)
{
    lw_error error;
    for (cl_uint i = 0; i < program->spec_count; i++) {
        const struct lw_cl_spec *spec = &program->spec[i];
        if (!lw_program_specialize(made, spec->id, &spec->value, spec->size, &error)) {
            lw_cl_log(program, "error: %s", error.text);
            return false;
        }
    }
    return true;
}

/* Kernels that cannot be had are named; without a single good one among several bad the build has failed. */
static bool
log_kernels(cl_program program, lw_program *made)
{
    uint32_t count = lw_program_kernel_count(made), bad = 0;
    lw_kernel_info info;
    for (uint32_t i = 0; i < count; i++)
        if (lw_program_kernel_info(made, i, &info) && info.unsupported)
            bad++;
    for (uint32_t i = 0; i < count; i++)
        if (lw_program_kernel_info(made, i, &info) && info.unsupported)
            lw_cl_log(program, "%s: %s", bad == count ? "error" : "warning: left out", info.unsupported);
    return bad == 0 || bad < count;
}

/* From the module to what kernels are created of. */
static bool
make_executable(cl_program program)
{
    lw_error error;
    lw_program *made =
        lw_program_create(program->context->device->device, program->module, program->module_size, &error);
    if (!made) {
        lw_cl_log(program, "error: %s", error.text);
        return false;
    }
    if (!specialise(program, made) || !log_kernels(program, made)) {
        lw_program_release(made);
        return false;
    }
    program->program = made;
    program->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return true;
}

/* From source to the module, where there is source. */
static bool
make_module(cl_program program, const struct lw_cl_options *options, const struct lw_cl_header *headers,
            cl_uint header_count)
{
    if (!program->source)
        return true;
    size_t size;
    void *module = lw_cl_compile_source(program, options, headers, header_count, &size);
    if (!module)
        return false;
    free(program->module);
    program->module = module;
    program->module_size = size;
    return true;
}

static void
begin(cl_program program, const char *options)
{
    lw_program_release(program->program);
    program->program = NULL;
    free(program->log);
    free(program->options);
    program->log = NULL;
    program->options = options ? strdup(options) : NULL;
    program->status = CL_BUILD_IN_PROGRESS;
}

static cl_int
end(cl_program program, bool good, cl_int failure)
{
    program->status = good ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (!good) {
        program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
        const char *debug = getenv("LANEWISE_DEBUG");
        if (debug && *debug && strcmp(debug, "0") != 0 && program->log)
            fprintf(stderr, "Lanewise: build log:\n%s", program->log);
    }
    return good ? CL_SUCCESS : failure;
}

/* ---- Checks ---- */

static cl_int
check_program(cl_program program, cl_uint num_devices, const cl_device_id *devices, const void *callback,
              const void *data)
{
    if (!lw_cl_is(program, LW_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if ((num_devices == 0) != (devices == NULL) || (!callback && data))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_devices; i++)
        if (devices[i] != program->context->device)
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

/* ---- Entry points ---- */

CL_API_ENTRY cl_int CL_API_CALL
clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *text,
               build_callback *callback, void *data)
{
    struct lw_cl_options options;
    cl_int error = check_program(program, num_devices, devices, __extension__(void *) callback, data);
    if (error)
        return error;
    if (atomic_load(&program->kernels) || program->origin == LW_CL_FROM_LINK)
        return CL_INVALID_OPERATION;
    pthread_mutex_lock(&program->lock);
    if (!program->module && !program->source) {
        error = CL_INVALID_OPERATION;
    } else {
        begin(program, text);
        error = lw_cl_read_options(program, text, false, CL_INVALID_BUILD_OPTIONS, &options);
        bool good = !error && make_module(program, &options, NULL, 0) && make_executable(program);
        if (!error) {
            program->uniform = options.uniform;
            free(options.compiler);
        }
        error = end(program, good, error ? error : CL_BUILD_PROGRAM_FAILURE);
    }
    pthread_mutex_unlock(&program->lock);
    if (callback)
        callback(program, data);
    return error;
}

static cl_int
check_headers(cl_program program, cl_uint count, const cl_program *headers, const char **names)
{
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!lw_cl_is(headers[i], LW_CL_PROGRAM) || !names[i] || !headers[i]->source ||
            headers[i]->context != program->context)
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *text,
                 cl_uint header_count, const cl_program *header_programs, const char **header_names,
                 build_callback *callback, void *data)
{
    struct lw_cl_options options;
    cl_int error = check_program(program, num_devices, devices, __extension__(void *) callback, data);
    if (!error)
        error = check_headers(program, header_count, header_programs, header_names);
    if (error)
        return error;
    if (atomic_load(&program->kernels) || (!program->source && !program->il))
        return CL_INVALID_OPERATION;
    struct lw_cl_header *headers = calloc(header_count + 1, sizeof *headers);
    if (!headers)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < header_count; i++)
        headers[i] = (struct lw_cl_header){header_names[i], header_programs[i]->source};
    pthread_mutex_lock(&program->lock);
    begin(program, text);
    error = lw_cl_read_options(program, text, false, CL_INVALID_COMPILER_OPTIONS, &options);
    bool good = !error && make_module(program, &options, headers, header_count);
    if (!error)
        free(options.compiler);
    if (good)
        program->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    error = end(program, good, error ? error : CL_COMPILE_PROGRAM_FAILURE);
    pthread_mutex_unlock(&program->lock);
    free(headers);
    if (callback)
        callback(program, data);
    return error;
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
        if (inputs[i]->binary_type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
            inputs[i]->binary_type != CL_PROGRAM_BINARY_TYPE_LIBRARY)
            return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* The inputs' specialization constants hold for the whole: those of the first that sets one. */
static bool
gather_constants(cl_program program, cl_uint count, const cl_program *inputs)
{
    size_t total = 0;
    for (cl_uint i = 0; i < count; i++)
        total += inputs[i]->spec_count;
    if (!total)
        return true;
    program->spec = calloc(total, sizeof *program->spec);
    for (cl_uint i = 0; program->spec && i < count; i++)
        for (cl_uint k = 0; k < inputs[i]->spec_count; k++)
            program->spec[program->spec_count++] = inputs[i]->spec[k];
    return program->spec;
}

static bool
link_modules(cl_program program, cl_uint count, const cl_program *inputs, bool library)
{
    const void **modules = calloc(count, sizeof *modules);
    size_t *sizes = calloc(count, sizeof *sizes);
    lw_error error = {.text = "no memory to link"};
    uint32_t *linked = NULL;
    for (cl_uint i = 0; modules && sizes && i < count; i++) {
        modules[i] = inputs[i]->module;
        sizes[i] = inputs[i]->module_size;
    }
    if (modules && sizes && gather_constants(program, count, inputs))
        linked = lw_cl_link(modules, sizes, count, library, &program->module_size, &error);
    free(modules);
    free(sizes);
    program->module = linked;
    if (!linked)
        lw_cl_log(program, "error: %s", error.text);
    return linked;
}

CL_API_ENTRY cl_program CL_API_CALL
clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *devices, const char *text,
              cl_uint count, const cl_program *inputs, build_callback *callback, void *data,
              cl_int *errcode_ret)
{
    struct lw_cl_options options;
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if ((num_devices == 0) != (devices == NULL) || (!callback && data))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (devices[i] != context->device)
            return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    cl_int error = check_inputs(context, count, inputs);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    cl_program program = lw_cl_program_create(context, LW_CL_FROM_LINK, NULL, 0, errcode_ret);
    if (!program)
        return NULL;
    begin(program, text);
    error = lw_cl_read_options(program, text, true, CL_INVALID_LINKER_OPTIONS, &options);
    if (error) {
        lw_cl_drop(program);
        return lw_cl_fail(errcode_ret, error);
    }
    program->uniform = options.uniform;
    bool good = link_modules(program, count, inputs, options.create_library) &&
                (options.create_library || make_executable(program));
    if (good && options.create_library)
        program->binary_type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    free(options.compiler);
    error = end(program, good, CL_LINK_PROGRAM_FAILURE);
    if (errcode_ret)
        *errcode_ret = error;
    if (callback)
        callback(program, data);
    return program; /* with its log, where it failed */
}
