/* SPDX-License-Identifier: MIT */
/* Build, compile and link: what they do, at once or on a thread. Machine code is made when a kernel first
 * runs; what is made here is the checked module, so that the build log says what a run would refuse.
 *
 * Who has claimed a program (lw_cl_claim) alone changes it until lw_cl_job_run is done; others may ask. A job
 * has copies of all else that it needs, so that nothing the caller does meanwhile reaches it.
 */
#include "build.h"
#include "../../threads/threads.h"
#include "../../../spirv/module.h"

#include <stdlib.h>
#include <string.h>

/* ---- The steps ---- */

static bool
specialise(const struct lw_cl_job *job, lw_program *made)
{
    lw_error error;
    if (!job->spec_count || lw_program_specialize_all(made, job->spec, job->spec_count, &error))
        return true;
    lw_cl_log(job->program, "error: %s", error.text);
    return false;
}

/* A function or variable that the program's own text declares, and nobody defines; logged. Mangled names may
 * be built-in functions that the device lacks. */
static bool
lacks_definition(const struct lw_cl_job *job)
{
    cl_program program = job->program;
    lw_error error;
    bool lacks = false;
    lw_module *m = program->source ? lw_module_read(program->module, program->module_size, &error) : NULL;
    for (uint32_t i = 0; m && i < m->decoration_count && !lacks; i++) {
        const struct lw_decoration *d = &m->decorations[i];
        if (d->kind != SpvDecorationLinkageAttributes || d->count < 2 || d->member != LW_NO_MEMBER ||
            m->words[d->at + d->count - 1] != SpvLinkageTypeImport)
            continue;
        const char *name = lw_string_at(m, d->at);
        lacks = strncmp(name, "_Z", 2) != 0 && strncmp(name, "__", 2) != 0 && strstr(program->source, name);
        if (lacks)
            lw_cl_log(program, "error: %.300s is declared, but not defined", name);
    }
    lw_module_free(m);
    return lacks;
}

/* Kernels that cannot be had are named, as a warning where others are left; without a good one, or where
 * warnings are errors, the build has failed. So it has where a definition is missing. */
static bool
log_kernels(const struct lw_cl_job *job, lw_program *made)
{
    uint32_t count = lw_program_kernel_count(made), bad = 0;
    bool werror = job->options.werror, quiet = job->options.quiet && !werror;
    lw_kernel_info info;
    for (uint32_t i = 0; i < count; i++)
        if (lw_program_kernel_info(made, i, &info) && info.unsupported)
            bad++;
    if (bad && lacks_definition(job))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (lw_program_kernel_info(made, i, &info) && info.unsupported && (bad == count || !quiet))
            lw_cl_log(job->program, "%s: %s", bad == count || werror ? "error" : "warning: left out",
                      info.unsupported);
    return bad == 0 || (bad < count && !werror);
}

/* From the module to what kernels are created of. */
static bool
make_executable(struct lw_cl_job *job)
{
    lw_error error;
    cl_program program = job->program;
    lw_program *made =
        lw_program_create(program->context->device->device, program->module, program->module_size, &error);
    if (!made) {
        lw_cl_log(program, "error: %s", error.text);
        return false;
    }
    if (!specialise(job, made) || !log_kernels(job, made)) {
        lw_program_release(made);
        return false;
    }
    lw_program_set_flags(made, job->flags & 0xffff);
    lw_program_set_enqueue_flags(made, (job->flags & LW_CL_UNIFORM ? LW_ENQUEUE_UNIFORM : 0u) |
                                           (job->flags & LW_CL_ENQUEUE_CODES ? LW_ENQUEUE_CODES : 0u));
    job->made = made;
    return true;
}

static void
replace_module(cl_program program, void *module, size_t size)
{
    pthread_mutex_lock(&program->lock);
    free(program->module);
    program->module = module;
    program->module_size = size;
    pthread_mutex_unlock(&program->lock);
}

/* The scalar constant's bits into its instruction. */
static void
write_constant(const lw_module *m, const struct lw_inst *inst, const lw_spec_constant *constant,
               uint64_t bits)
{
    if (inst->op != SpvOpSpecConstant) {
        m->words[inst->at] = inst->count << 16 | (bits ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
        return;
    }
    unsigned unused = constant->size < 4 ? 32 - 8 * (unsigned)constant->size : 0;
    uint32_t low = (uint32_t)bits << unused;
    m->words[inst->at + 3] = constant->type[0] == 'i' ? (uint32_t)((int32_t)low >> unused) : low >> unused;
    if (constant->size == 8)
        m->words[inst->at + 4] = (uint32_t)(bits >> 32);
}

/* What the program's specialization constants are when it is compiled, they are in what is linked of it: the
 * IL with these values for its own. */
static bool
settle_constants(struct lw_cl_job *job)
{
    lw_error error;
    lw_spec_constant constant;
    cl_program program = job->program;
    lw_module *m = lw_module_read(program->il, program->il_size, &error);
    size_t size = m ? m->word_count * sizeof *m->words : 0;
    void *settled = m ? malloc(size) : NULL;
    for (uint32_t i = 0; settled && lw_module_spec_constant(m, i, &constant); i++)
        for (cl_uint k = 0; k < job->spec_count; k++)
            if (job->spec[k].id == constant.id)
                write_constant(m, &m->insts[m->spec_constants[i]], &constant, job->spec[k].value);
    if (settled)
        replace_module(program, memcpy(settled, m->words, size), size);
    else
        lw_cl_log(program, "error: no memory for the module");
    lw_module_free(m);
    return settled;
}

/* From source to the module, where there is source. */
static bool
make_module(struct lw_cl_job *job)
{
    if (!job->program->source)
        return true;
    size_t size;
    void *module = lw_cl_compile_source(job->program, &job->options, job->headers, job->header_count,
                                        job->work == LW_CL_COMPILE, &size);
    if (module)
        replace_module(job->program, module, size);
    return module;
}

static bool
link_modules(struct lw_cl_job *job)
{
    lw_error error;
    size_t size;
    uint32_t *linked = lw_cl_link((const void *const *)job->modules, job->sizes, job->module_count,
                                  job->options.create_library, &size, &error);
    if (linked)
        replace_module(job->program, linked, size);
    else
        lw_cl_log(job->program, "error: %s", error.text);
    return linked;
}

static bool
do_work(struct lw_cl_job *job, cl_program_binary_type *type)
{
    *type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    switch (job->work) {
    case LW_CL_BUILD: return make_module(job) && make_executable(job);
    case LW_CL_COMPILE:
        *type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        return job->program->source ? make_module(job) : settle_constants(job);
    case LW_CL_LINK:
        if (job->options.create_library)
            *type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
        return link_modules(job) && (job->options.create_library || make_executable(job));
    }
    return false;
}

/* ---- Claiming and letting go ---- */

/* Under the lock, before anything else changes. */
static void
mark_devices(cl_program program, bool same, cl_uint count, const cl_device_id *devices)
{
    for (cl_uint i = 0; i < program->device_count; i++)
        program->built[i] = count == 0 || (same && program->built[i]);
    for (cl_uint i = 0; i < count; i++)
        program->built[lw_cl_program_device(program, devices[i])] = true;
}

cl_int
lw_cl_claim(cl_program program, const char *options, cl_program_binary_type type, cl_uint device_count,
            const cl_device_id *devices)
{
    pthread_mutex_lock(&program->lock);
    bool free_to_take = !program->building && atomic_load(&program->kernels) == 0;
    if (free_to_take) {
        program->building = true;
        bool same = program->status == CL_BUILD_SUCCESS && program->binary_type == type &&
                    strcmp(program->options ? program->options : "", options ? options : "") == 0;
        mark_devices(program, same, device_count, devices);
        lw_program_release(program->program);
        program->program = NULL;
        free(program->log);
        free(program->options);
        program->log = NULL;
        program->options = options ? strdup(options) : NULL;
        program->status = CL_BUILD_IN_PROGRESS;
    }
    pthread_mutex_unlock(&program->lock);
    return free_to_take ? CL_SUCCESS : CL_INVALID_OPERATION;
}

void
lw_cl_unclaim(cl_program program, bool good, cl_program_binary_type type, const struct lw_cl_job *job)
{
    pthread_mutex_lock(&program->lock);
    program->program = job->made;
    if (good)
        program->flags = job->flags;
    program->status = good ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program->binary_type = good ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    program->building = false;
    if (!good && lw_cl_debugs() && program->log)
        fprintf(stderr, "Lanewise: build log:\n%s", program->log);
    pthread_mutex_unlock(&program->lock);
}

/* ---- Jobs ---- */

struct lw_cl_job *
lw_cl_job_create(cl_program program, enum lw_cl_work work)
{
    struct lw_cl_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->program = program;
    lw_cl_hold(program);
    job->work = work;
    return job;
}

void
lw_cl_job_free(struct lw_cl_job *job)
{
    for (cl_uint i = 0; job->held && i < job->header_count; i++)
        lw_cl_drop(job->held[i]);
    for (cl_uint i = 0; job->headers && i < job->header_count; i++)
        free((char *)job->headers[i].name);
    for (cl_uint i = 0; job->modules && i < job->module_count; i++)
        free(job->modules[i]);
    free(job->held);
    free(job->headers);
    free(job->modules);
    free(job->sizes);
    free(job->spec);
    free(job->options.compiler);
    lw_cl_drop(job->program);
    free(job);
}

static bool
run(struct lw_cl_job *job)
{
    cl_program_binary_type type;
    bool good = do_work(job, &type);
    lw_cl_unclaim(job->program, good, type, job);
    if (job->callback)
        job->callback(job->program, job->data);
    lw_cl_job_free(job);
    return good;
}

static void *
job_thread(void *job)
{
    run(job);
    lw_work_ends();
    return NULL;
}

static bool
start_thread(struct lw_cl_job *job)
{
    pthread_t thread;
    lw_work_begins();
    bool started = lw_thread_start(&thread, "lanewise-build", job_thread, job);
    if (started)
        pthread_detach(thread);
    else
        lw_work_ends();
    return started;
}

cl_int
lw_cl_job_run(struct lw_cl_job *job)
{
    cl_int failure = job->work == LW_CL_BUILD     ? CL_BUILD_PROGRAM_FAILURE
                     : job->work == LW_CL_COMPILE ? CL_COMPILE_PROGRAM_FAILURE
                                                  : CL_LINK_PROGRAM_FAILURE;
    if (job->callback && start_thread(job))
        return CL_SUCCESS;
    return run(job) ? CL_SUCCESS : failure;
}
