/* SPDX-License-Identifier: MIT */
/* Programs: loading, specialization constants, and what kernels there are. */
#include "../spirv/module_check.h"
#include "objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE_BYTES ((size_t)1 << 30)

static lw_program *
make_program(lw_device *device, struct lw_source *source, lw_error *error)
{
    lw_program *program = calloc(1, sizeof *program);
    if (!program) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a program");
        return NULL;
    }
    program->original = lw_build_create(source, NULL, NULL, 0, error);
    if (!program->original) {
        free(program);
        return NULL;
    }
    atomic_init(&program->refs, 1);
    program->current = program->original;
    lw_build_retain(program->current);
    program->source = source;
    program->device = device;
    lw_device_retain(device);
    pthread_mutex_init(&program->lock, NULL);
    return program;
}

lw_program *
lw_program_create(lw_device *device, const void *data, size_t size, lw_error *error)
{
    lw_no_error(error);
    if (!device || (!data && size)) {
        lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_program_create was given no %s",
                         device ? "data" : "device");
        return NULL;
    }
    lw_device_after_fork(device);
    lw_module *module = lw_module_read(data, size, error);
    if (!module)
        return NULL;
    if (!lw_module_check(module, error)) {
        lw_module_free(module);
        return NULL;
    }
    struct lw_source *source = lw_source_intern(device, module);
    if (!source) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a program");
        return NULL;
    }
    lw_program *program = make_program(device, source, error);
    if (!program)
        lw_source_release(source);
    return program;
}

/* ---- Files ---- */

/* What the file is where it is clearly something else, as the end of a sentence; NULL: it may be SPIR-V. */
static const char *
other_format(const unsigned char *data, size_t size)
{
    static const struct {
        const char *start;
        size_t length;
        const char *what;
    } formats[] = {
        {"BC\xC0\xDE", 4, "is LLVM bitcode, not SPIR-V: llvm-spirv translates it"},
        {"\x7f"
         "ELF",
         4, "is an ELF file, not SPIR-V"},
        {"; SPIR-V", 8, "is SPIR-V assembly: spirv-as makes a module of it, and spirv-run takes it as it is"},
        {"; ModuleID", 10, "is LLVM assembly, not SPIR-V"},
        {"__kernel", 8, "is OpenCL C source, not SPIR-V: clang-22 --target=spirv64 compiles it"},
        {"kernel ", 7, "is OpenCL C source, not SPIR-V: clang-22 --target=spirv64 compiles it"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (size >= formats[i].length && memcmp(data, formats[i].start, formats[i].length) == 0)
            return formats[i].what;
    return NULL;
}

/* Reads to the end, whatever kind of file it is. NULL and `error` on failure. */
static unsigned char *
read_all(FILE *file, const char *path, size_t *size, lw_error *error)
{
    unsigned char *data = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used == room) {
            room = room ? room * 2 : 65536;
            unsigned char *grown = room <= MAX_FILE_BYTES ? realloc(data, room) : NULL;
            if (!grown) {
                lw_runtime_error(error, LW_OUT_OF_MEMORY, "%s is too large: more than %zu bytes", path, used);
                break;
            }
            data = grown;
        }
        size_t got = fread(data + used, 1, room - used, file);
        used += got;
        if (got)
            continue;
        if (ferror(file)) {
            lw_runtime_error(error, LW_NOT_FOUND, "cannot read %s: %s", path, strerror(errno));
            break;
        }
        *size = used;
        return data;
    }
    free(data);
    return NULL;
}

static unsigned char *
read_file(const char *path, size_t *size, lw_error *error)
{
    FILE *file = fopen(path, "rbe");
    struct stat status;
    if (!file) {
        lw_runtime_error(error, LW_NOT_FOUND, "cannot open %s: %s", path, strerror(errno));
        return NULL;
    }
    unsigned char *data = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode))
        lw_runtime_error(error, LW_NOT_FOUND, "%s is a directory", path);
    else
        data = read_all(file, path, size, error);
    fclose(file);
    return data;
}

lw_program *
lw_program_load_file(lw_device *device, const char *path, lw_error *error)
{
    lw_no_error(error);
    if (!device || !path) {
        lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_program_load_file was given no %s",
                         device ? "path" : "device");
        return NULL;
    }
    size_t size = 0;
    unsigned char *data = read_file(path, &size, error);
    if (!data)
        return NULL;
    lw_program *program = NULL;
    lw_error inner = {0};
    const char *other = other_format(data, size);
    if (!size)
        lw_runtime_error(error, LW_BAD_MODULE, "%s is empty", path);
    else if (other)
        lw_runtime_error(error, LW_BAD_MODULE, "%s %s", path, other);
    else if (!(program = lw_program_create(device, data, size, &inner))) {
        lw_runtime_error(error, inner.status, "%s: %s", path, inner.text);
        if (error)
            error->word = inner.word;
    }
    free(data);
    return program;
}

void
lw_program_release(lw_program *program)
{
    if (!program || atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) != 1)
        return;
    lw_device_after_fork(program->device);
    lw_build_release(program->current);
    lw_build_release(program->original);
    lw_source_release(program->source);
    while (program->texts) {
        struct lw_text *text = program->texts;
        program->texts = text->next;
        free(text);
    }
    pthread_mutex_destroy(&program->lock);
    lw_device_release(program->device);
    free(program);
}

/* ---- Specialization constants ---- */

uint32_t
lw_program_spec_constant_count(const lw_program *program)
{
    return program ? lw_module_spec_constant_count(program->source->module) : 0;
}

/* The program's lock is no part of what a caller may see change. */
static struct lw_build *
current_build(const lw_program *program)
{
    lw_program *p = (lw_program *)program;
    pthread_mutex_lock(&p->lock);
    struct lw_build *build = p->current;
    lw_build_retain(build);
    pthread_mutex_unlock(&p->lock);
    return build;
}

bool
lw_program_spec_constant(const lw_program *program, uint32_t index, lw_spec_constant *out)
{
    lw_spec_constant original;
    if (!program || !out || !lw_module_spec_constant(program->source->module, index, &original))
        return false;
    struct lw_build *build = current_build(program);
    bool found = lw_module_spec_constant(build->module, index, out);
    out->name = original.name;
    lw_build_release(build);
    return found;
}

bool
lw_program_specialize(lw_program *program, uint32_t id, const void *value, size_t size, lw_error *error)
{
    lw_no_error(error);
    if (!program || !value)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_program_specialize was given no %s",
                                program ? "value" : "program");
    struct lw_spec_value one = {.id = id, .size = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX)};
    memcpy(&one.value, value, size < sizeof one.value ? size : sizeof one.value);
    return lw_program_specialize_all(program, &one, 1, error);
}

bool
lw_program_specialize_all(lw_program *program, const struct lw_spec_value *spec, size_t count,
                          lw_error *error)
{
    lw_no_error(error);
    lw_device_after_fork(program->device);
    pthread_mutex_lock(&program->lock);
    struct lw_build *build = lw_build_create(program->source, program->current, spec, count, error);
    if (build) {
        lw_build_release(program->current);
        program->current = build;
    }
    pthread_mutex_unlock(&program->lock);
    return build;
}

void
lw_program_set_flags(lw_program *program, unsigned flags)
{
    program->flags = flags;
}

void
lw_program_set_enqueue_flags(lw_program *program, unsigned flags)
{
    program->enqueue = flags;
}

/* ---- What kernels there are ---- */

uint32_t
lw_program_kernel_count(const lw_program *program)
{
    return program ? program->original->module->kernel_count : 0;
}

/* A copy that lives as long as the program; equal texts are kept once. */
static const char *
intern(const lw_program *constant, const char *text)
{
    lw_program *program = (lw_program *)constant;
    pthread_mutex_lock(&program->lock);
    struct lw_text *found = program->texts;
    while (found && strcmp(found->text, text) != 0)
        found = found->next;
    if (!found) {
        size_t size = strlen(text) + 1;
        found = malloc(sizeof *found + size);
        if (found) {
            memcpy(found->text, text, size);
            found->next = program->texts;
            program->texts = found;
        }
    }
    pthread_mutex_unlock(&program->lock);
    return found ? found->text : "unsupported";
}

bool
lw_program_kernel_info(const lw_program *program, uint32_t kernel, lw_kernel_info *out)
{
    if (!program || !out || kernel >= program->original->module->kernel_count)
        return false;
    struct lw_build *build = current_build(program);
    const lw_error *why;
    const struct lw_kernel_desc *desc = lw_build_kernel(build, kernel, &why);
    *out = desc ? desc->info : (lw_kernel_info){0};
    out->name = program->source->module->entry_points[kernel].name;
    out->unsupported = why->status == LW_OK ? NULL : intern(program, why->text);
    lw_build_release(build);
    return true;
}

bool
lw_program_arg_info(const lw_program *program, uint32_t kernel, uint32_t arg, lw_arg_info *out)
{
    if (!program || !out || kernel >= program->original->module->kernel_count)
        return false;
    const struct lw_kernel_desc *original = lw_build_kernel(program->original, kernel, NULL);
    struct lw_build *build = current_build(program);
    const struct lw_kernel_desc *desc = lw_build_kernel(build, kernel, NULL);
    bool found = original && desc && arg < original->arg_count && arg < desc->arg_count;
    if (found) {
        *out = desc->args[arg].info;
        out->name = original->args[arg].info.name;
        out->type = original->args[arg].info.type;
    }
    lw_build_release(build);
    return found;
}

size_t
lw_program_variable_bytes(const lw_program *program)
{
    struct lw_build *build = current_build(program);
    size_t bytes = build->module->program_bytes;
    lw_build_release(build);
    return bytes;
}

bool
lw_program_variable(lw_program *program, const char *name, void **address, size_t *size)
{
    struct lw_build *build = current_build(program);
    const struct lw_program_variable *found = lw_program_variable_named(build->module, name);
    bool good = found && lw_build_allocate(build, NULL);
    if (good) {
        *address = (char *)build->memory + found->offset;
        *size = found->size;
    }
    lw_build_release(build);
    return good;
}
