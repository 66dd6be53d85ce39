/* SPDX-License-Identifier: MIT */
/* Program objects: from IL, source, binaries; specialization constants; what can be asked. */
#include "../objects.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void
destroy_program(void *object)
{
    cl_program program = object;
    lw_program_release(program->program);
    free(program->source);
    free(program->il);
    free(program->module);
    free(program->spec);
    free(program->constants);
    free(program->options);
    free(program->log);
    free(program->devices);
    free(program->built);
    pthread_mutex_destroy(&program->lock);
    lw_cl_drop(program->context);
}

static void *
copy_bytes(const void *data, size_t size)
{
    void *copy = malloc(size + 1);
    if (copy) {
        if (size)
            memcpy(copy, data, size);
        ((char *)copy)[size] = '\0';
    }
    return copy;
}

bool
lw_cl_program_take_devices(cl_program program, cl_uint count, const cl_device_id *devices)
{
    free(program->devices);
    free(program->built);
    program->device_count = count;
    program->devices = malloc(count * sizeof *devices);
    program->built = calloc(count, sizeof *program->built);
    if (!program->devices || !program->built)
        return false;
    memcpy(program->devices, devices, count * sizeof *devices);
    return true;
}

cl_program
lw_cl_program_create(cl_context context, enum lw_cl_origin origin, const void *module, size_t size,
                     cl_int *errcode_ret)
{
    cl_program program = lw_cl_new(LW_CL_PROGRAM, sizeof *program, destroy_program);
    if (!program)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    program->context = context;
    lw_cl_hold(context);
    pthread_mutex_init(&program->lock, NULL);
    program->origin = origin;
    program->status = CL_BUILD_NONE;
    program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    if (module) {
        program->module = copy_bytes(module, size);
        program->module_size = size;
    }
    if ((module && !program->module) ||
        !lw_cl_program_take_devices(program, context->device_count, context->devices)) {
        lw_cl_drop(program);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    return lw_cl_give(errcode_ret, program);
}

void
lw_cl_log(cl_program program, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    pthread_mutex_lock(&program->lock);
    size_t add = length < 0 ? 0 : (size_t)length, have = program->log ? strlen(program->log) : 0;
    char *grown = realloc(program->log, have + add + 2);
    if (grown) {
        vsnprintf(grown + have, add + 1, format, again);
        memcpy(grown + have + add, "\n", 2);
        program->log = grown;
    }
    pthread_mutex_unlock(&program->lock);
    va_end(again);
}

/* ---- Creating ---- */

/* What clSetProgramSpecializationConstant may set. */
static bool
note_constants(cl_program program, const lw_module *module)
{
    const uint32_t count = lw_module_spec_constant_count(module);
    lw_spec_constant constant;
    program->constants = count ? malloc(count * sizeof *program->constants) : NULL;
    for (uint32_t i = 0; program->constants && lw_module_spec_constant(module, i, &constant); i++)
        program->constants[program->constant_count++] =
            (struct lw_spec_value){.id = constant.id, .size = constant.size};
    return program->constants || !count;
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithIL(cl_context context, const void *il, size_t size, cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!il || !size)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    lw_error error;
    lw_module *module = lw_module_read(il, size, &error);
    if (!module) {
        lw_cl_notify(context, "clCreateProgramWithIL: %s", error.text);
        return lw_cl_fail(errcode_ret,
                          error.status == LW_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_VALUE);
    }
    cl_program program = lw_cl_program_create(context, LW_CL_FROM_IL, il, size, errcode_ret);
    bool good = program && note_constants(program, module);
    lw_module_free(module);
    if (!program)
        return NULL;
    program->il = copy_bytes(il, size);
    program->il_size = size;
    if (program->il && good)
        return program;
    lw_cl_drop(program);
    return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                          cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    size_t total = 0;
    for (cl_uint i = 0; strings && i < count; i++) {
        if (!strings[i])
            return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
        total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    }
    if (!count || !strings)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_program program = lw_cl_program_create(context, LW_CL_FROM_SOURCE, NULL, 0, errcode_ret);
    if (!program)
        return NULL;
    char *at = program->source = malloc(total + 1);
    if (!at) {
        lw_cl_drop(program);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        for (size_t k = 0; k < length; k++) /* without the zeros that a length may count */
            if (strings[i][k])
                *at++ = strings[i][k];
    }
    *at = '\0';
    return program;
}

/* All devices run the same code: one binary is taken, and the others must be equal to it. */
static cl_int
read_binaries(cl_uint count, const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
              struct lw_cl_binary *out)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        cl_int error = !lengths[i] || !binaries[i] ? CL_INVALID_VALUE : CL_SUCCESS;
        if (!error && out->module)
            error = lengths[i] == lengths[0] && memcmp(binaries[i], binaries[0], lengths[0]) == 0
                        ? CL_SUCCESS
                        : CL_INVALID_BINARY;
        else if (!error)
            error = lw_cl_binary_read(binaries[i], lengths[i], out);
        if (statuses)
            statuses[i] = error;
        if (!result)
            result = error;
    }
    return result;
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *devices,
                          const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
                          cl_int *errcode_ret)
{
    struct lw_cl_binary binary = {0};
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!devices || !num_devices || !lengths || !binaries)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!lw_cl_context_has(context, devices[i]))
            return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    cl_int error = read_binaries(num_devices, lengths, binaries, statuses, &binary);
    cl_program program = NULL;
    if (!error)
        program = lw_cl_program_create(context, LW_CL_FROM_BINARY, binary.module, binary.module_size, &error);
    if (program) {
        if (lw_cl_program_take_devices(program, num_devices, devices)) {
            program->spec = binary.spec;
            program->spec_count = binary.spec_count;
            program->binary_type = binary.type;
            program->flags = program->base_flags = binary.flags;
            return lw_cl_give(errcode_ret, program);
        }
        lw_cl_drop(program);
        error = CL_OUT_OF_HOST_MEMORY;
    }
    free(binary.spec);
    return lw_cl_fail(errcode_ret, error);
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices, const cl_device_id *devices,
                                  const char *names, cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!devices || !num_devices || !names)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!lw_cl_context_has(context, devices[i]))
            return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    return lw_cl_fail(errcode_ret, CL_INVALID_VALUE); /* the device has no built-in kernels */
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainProgram(cl_program program)
{
    return lw_cl_retain(program, LW_CL_PROGRAM);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseProgram(cl_program program)
{
    return lw_cl_release(program, LW_CL_PROGRAM);
}

CL_API_ENTRY cl_int CL_API_CALL
clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *function)(cl_program, void *), void *data)
{
    (void)function, (void)data;
    /* For program-scope constructors, which no device here has. */
    return lw_cl_is(program, LW_CL_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* ---- Specialization constants ---- */

static cl_int
find_constant(const struct _cl_program *program, cl_uint id, size_t size)
{
    for (cl_uint i = 0; i < program->constant_count; i++)
        if (program->constants[i].id == id)
            return program->constants[i].size == size ? CL_SUCCESS : CL_INVALID_VALUE;
    return CL_INVALID_SPEC_ID;
}

CL_API_ENTRY cl_int CL_API_CALL
clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size, const void *value)
{
    if (!lw_cl_is(program, LW_CL_PROGRAM) || program->origin != LW_CL_FROM_IL)
        return CL_INVALID_PROGRAM;
    cl_int error = find_constant(program, id, size);
    if (error)
        return error;
    if (!value)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&program->lock);
    struct lw_spec_value *spec = NULL;
    for (cl_uint i = 0; i < program->spec_count; i++)
        if (program->spec[i].id == id)
            spec = &program->spec[i];
    if (!spec) {
        struct lw_spec_value *grown = realloc(program->spec, (program->spec_count + 1) * sizeof *grown);
        if (grown) {
            program->spec = grown;
            spec = &grown[program->spec_count++];
        }
    }
    if (spec) {
        *spec = (struct lw_spec_value){.id = id, .size = (uint32_t)size};
        memcpy(&spec->value, value, size);
    }
    pthread_mutex_unlock(&program->lock);
    return spec ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
