/* SPDX-License-Identifier: MIT */
/* Kernel objects: their arguments and settings. */
#include "dispatch/local_guard.h"
#include "ranges/shape.h"
#include "services/family.h"
#include "services/pipe.h"
#include "tiers/specialize.h"

#include <stdlib.h>
#include <string.h>

#define ARGS_ALIGN 128

/* ---- Making and unmaking ---- */

static bool
make_arguments(lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    size_t bytes = ((size_t)desc->arg_bytes + ARGS_ALIGN) & ~(size_t)(ARGS_ALIGN - 1);
    size_t count = desc->arg_count ? desc->arg_count : 1;
    kernel->args = aligned_alloc(ARGS_ALIGN, bytes);
    kernel->set = calloc(count, sizeof *kernel->set);
    kernel->bytes = calloc(count, sizeof *kernel->bytes);
    kernel->facts = calloc(count, sizeof *kernel->facts);
    if (!kernel->args || !kernel->set || !kernel->bytes || !kernel->facts)
        return false;
    memset(kernel->args, 0, bytes);
    return true;
}

/* Takes a reference of the build over. */
static lw_kernel *
make_kernel(lw_program *program, struct lw_build *build, uint32_t entry_point, lw_error *error)
{
    lw_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        lw_build_release(build);
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a kernel");
        return NULL;
    }
    kernel->program = program;
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    kernel->build = build;
    kernel->entry_point = entry_point;
    kernel->desc = lw_build_kernel(build, entry_point, NULL);
    kernel->info.isa = program->device->isa;
    bool room = make_arguments(kernel);
    if (room && lw_build_allocate(build, error))
        return kernel;
    if (!room)
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for the arguments of kernel %s",
                         kernel->desc->name);
    lw_kernel_release(kernel);
    return NULL;
}

static bool
choose_first_size(lw_kernel *kernel, lw_error *error)
{
    const lw_device *device = kernel->program->device;
    /* The environment wishes, it does not insist: a kernel's own modes win silently. */
    uint32_t wish = device->options.sub_group_size;
    if (wish && lw_choose_sub_group_size(kernel->desc, device->isa, wish, &kernel->sub_group_size, NULL)) {
        kernel->asked = wish;
        return true;
    }
    return lw_choose_sub_group_size(kernel->desc, device->isa, 0, &kernel->sub_group_size, error);
}

static uint32_t
find_entry_point(const struct lw_build *build, const char *name)
{
    const lw_module *module = build->source->module;
    uint32_t i = 0;
    while (i < module->kernel_count && strcmp(module->entry_points[i].name, name) != 0)
        i++;
    return i < module->kernel_count ? i : build->kernel_count;
}

lw_kernel *
lw_kernel_create(lw_program *program, const char *name, lw_error *error)
{
    lw_no_error(error);
    if (!program || !name) {
        lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_kernel_create was given no %s",
                         program ? "name" : "program");
        return NULL;
    }
    pthread_mutex_lock(&program->lock);
    struct lw_build *build = program->current;
    lw_build_retain(build);
    pthread_mutex_unlock(&program->lock);
    uint32_t entry_point = find_entry_point(build, name);
    if (entry_point == build->kernel_count) {
        lw_runtime_error(error, LW_NOT_FOUND, "the module has no kernel named %.200s", name);
        lw_build_release(build);
        return NULL;
    }
    const lw_error *why;
    if (!lw_build_kernel(build, entry_point, &why) || why->status != LW_OK) {
        if (error)
            *error = *why;
        lw_build_release(build);
        return NULL;
    }
    lw_kernel *kernel = make_kernel(program, build, entry_point, error);
    if (!kernel || choose_first_size(kernel, error))
        return kernel;
    lw_kernel_release(kernel);
    return NULL;
}

lw_kernel *
lw_kernel_of_block(const lw_kernel *kernel, uint32_t entry_point, lw_error *error)
{
    const lw_error *why;
    if (!lw_build_kernel(kernel->build, entry_point, &why) || why->status != LW_OK) {
        if (error)
            *error = *why;
        return NULL;
    }
    lw_build_retain(kernel->build);
    lw_kernel *block = make_kernel(kernel->program, kernel->build, entry_point, error);
    if (!block || (kernel->asked && lw_kernel_set_sub_group_size(block, kernel->asked, NULL)) ||
        choose_first_size(block, error))
        return block;
    lw_kernel_release(block);
    return NULL;
}

lw_kernel *
lw_kernel_clone(const lw_kernel *kernel, lw_error *error)
{
    lw_build_retain(kernel->build);
    lw_kernel *clone = make_kernel(kernel->program, kernel->build, kernel->entry_point, error);
    if (!clone)
        return NULL;
    clone->sub_group_size = kernel->sub_group_size;
    clone->asked = kernel->asked;
    lw_kernel_copy_arguments(clone, kernel);
    return clone;
}

void
lw_kernel_copy_arguments(lw_kernel *to, const lw_kernel *from)
{
    const struct lw_kernel_desc *desc = from->desc;
    memcpy(to->args, from->args, desc->arg_bytes);
    memcpy(to->set, from->set, desc->arg_count * sizeof *from->set);
    memcpy(to->bytes, from->bytes, desc->arg_count * sizeof *from->bytes);
    memcpy(to->facts, from->facts, desc->arg_count * sizeof *from->facts);
}

void
lw_kernel_release(lw_kernel *kernel)
{
    if (!kernel)
        return;
    lw_device_after_fork(kernel->program->device);
    free(kernel->plan);
    for (unsigned slot = 0; slot < LW_SLOT_COUNT; slot++)
        lw_instance_release(kernel->code[slot]);
    lw_build_release(kernel->build);
    free(kernel->args);
    free(kernel->set);
    free(kernel->bytes);
    free(kernel->facts);
    free(kernel->explanation);
    lw_family_free(kernel->family);
    lw_device_queue_release(kernel->default_queue);
    lw_program_release(kernel->program);
    free(kernel);
}

/* ---- Arguments ---- */

const char *
lw_kernel_name(const lw_kernel *kernel)
{
    return kernel->desc->name;
}

uint32_t
lw_kernel_arg_count(const lw_kernel *kernel)
{
    return kernel->desc->arg_count;
}

const lw_arg_info *
lw_kernel_arg_info(const lw_kernel *kernel, uint32_t index)
{
    return &kernel->desc->args[index].info;
}

/* "argument 2 (`float a`) of kernel saxpy". */
static const char *
describe(const lw_kernel *kernel, uint32_t index, char *out, size_t size)
{
    const lw_arg_info *info = &kernel->desc->args[index].info;
    const char *type = info->type ? info->type : "", *name = info->name ? info->name : "";
    snprintf(out, size, "argument %u (`%.100s%s%.100s`) of kernel %.200s", index, type,
             *type && *name ? " " : "", name, kernel->desc->name);
    return out;
}

static const char *
kind_name(lw_arg_kind kind)
{
    switch (kind) {
    case LW_ARG_VALUE:
        return "a value: lw_kernel_set_arg sets it";
    case LW_ARG_STRUCT:
        return "a struct by value: lw_kernel_set_arg sets it";
    case LW_ARG_POINTER:
        return "a pointer: lw_kernel_set_arg_pointer sets it";
    case LW_ARG_LOCAL:
        return "local memory: lw_kernel_set_arg_local sets it";
    case LW_ARG_PIPE:
        return "a pipe: lw_kernel_set_arg_pipe sets it";
    case LW_ARG_IMAGE:
        return "an image: lw_kernel_set_arg_image sets it";
    case LW_ARG_SAMPLER:
        return "a sampler: lw_kernel_set_arg_sampler sets it";
    case LW_ARG_QUEUE:
        return "a device queue: lw_kernel_set_arg_queue sets it";
    }
    return "of an unknown kind";
}

/* LW_ARG_VALUE: or a struct. */
static bool
find_argument(lw_kernel *kernel, uint32_t index, lw_arg_kind wanted, lw_error *error)
{
    char text[500];
    lw_no_error(error);
    if (!kernel)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "an argument was set of no kernel");
    uint32_t count = kernel->desc->arg_count;
    if (index >= count)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "kernel %s has %u argument%s; there is no argument %u", kernel->desc->name,
                                count, count == 1 ? "" : "s", index);
    lw_arg_kind kind = kernel->desc->args[index].info.kind;
    if ((kind == LW_ARG_STRUCT ? LW_ARG_VALUE : kind) != wanted)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s is %s",
                                describe(kernel, index, text, sizeof text), kind_name(kind));
    return true;
}

static void
set_word(lw_kernel *kernel, uint32_t index, const void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    memcpy(kernel->args + kernel->desc->args[index].offset, &address, sizeof address);
    kernel->set[index] = true;
}

bool
lw_kernel_set_arg(lw_kernel *kernel, uint32_t index, const void *value, size_t size, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_VALUE, error))
        return false;
    const struct lw_kernel_arg *arg = &kernel->desc->args[index];
    if (size != arg->info.size)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s has %u bytes, not %zu",
                                describe(kernel, index, text, sizeof text), arg->info.size, size);
    if (!value)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s was given no value",
                                describe(kernel, index, text, sizeof text));
    memcpy(kernel->args + arg->offset, value, size);
    kernel->set[index] = true;
    return true;
}

/* What the module promises of a pointer's alignment, and so what the code may rely on. */
static size_t
promised_alignment(const struct lw_kernel_arg *arg)
{
    static const struct {
        const char *scalar;
        size_t align;
    } scalars[] = {{"i16", 2}, {"u16", 2}, {"f16", 2}, {"i32", 4}, {"u32", 4},
                   {"f32", 4}, {"i64", 8}, {"u64", 8}, {"f64", 8}};
    size_t align = arg->align_decoration ? arg->align_decoration : 1;
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (strcmp(arg->info.scalar, scalars[i].scalar) == 0 && scalars[i].align > align)
            align = scalars[i].align;
    return align;
}

bool
lw_kernel_set_arg_pointer(lw_kernel *kernel, uint32_t index, void *pointer, size_t bytes, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_POINTER, error))
        return false;
    const struct lw_kernel_arg *arg = &kernel->desc->args[index];
    size_t align = promised_alignment(arg);
    if ((uintptr_t)pointer % align)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "%s: the address %p is not a multiple of %zu, as its type is",
                                describe(kernel, index, text, sizeof text), pointer, align);
    set_word(kernel, index, pointer);
    kernel->bytes[index] = bytes;
    return true;
}

bool
lw_kernel_set_arg_pipe(lw_kernel *kernel, uint32_t index, void *memory, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_PIPE, error))
        return false;
    if (!memory || (uintptr_t)memory % LW_PIPE_ALIGN)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s: %p is no memory of a pipe, aligned to %u bytes",
                                describe(kernel, index, text, sizeof text), memory, LW_PIPE_ALIGN);
    set_word(kernel, index, memory);
    return true;
}

uint64_t
lw_image_span(const struct lw_image *image)
{
    bool rows = image->kind == LW_IMAGE_1D_ARRAY;
    uint64_t slices = image->kind == LW_IMAGE_3D ? image->depth : rows ? 1 : image->layers;
    uint64_t height = rows ? image->layers : image->height;
    return (slices - 1) * image->slice_pitch + (height - 1) * image->row_pitch +
           (uint64_t)image->width * image->element_size;
}

bool
lw_kernel_set_arg_image(lw_kernel *kernel, uint32_t index, const struct lw_image *image, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_IMAGE, error))
        return false;
    const struct lw_kernel_arg *arg = &kernel->desc->args[index];
    if (!image || !image->data || !image->width || !image->height || !image->depth || !image->layers)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s was given no image",
                                describe(kernel, index, text, sizeof text));
    if (image->kind != arg->image_kind)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s was given an image of another kind",
                                describe(kernel, index, text, sizeof text));
    set_word(kernel, index, image);
    kernel->facts[index] = LW_FACT_IMAGE(image->order, image->type) |
                           ((lw_image_span(image) + LW_IMAGE_PADDING) >> 31 ? 0 : LW_FACT_SMALL) |
                           (image->padded ? LW_FACT_PADDED : 0);
    return true;
}

bool
lw_kernel_set_arg_sampler(lw_kernel *kernel, uint32_t index, uint32_t bits, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_SAMPLER, error))
        return false;
    if (bits >= 32 || LW_SAMPLER_ADDRESSING(bits) > 4)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s: 0x%x are no sampler's bits",
                                describe(kernel, index, text, sizeof text), bits);
    memcpy(kernel->args + kernel->desc->args[index].offset, &bits, sizeof bits);
    kernel->facts[index] = LW_FACT_SAMPLER(bits);
    kernel->set[index] = true;
    return true;
}

bool
lw_kernel_set_arg_queue(lw_kernel *kernel, uint32_t index, lw_device_queue *queue, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_QUEUE, error))
        return false;
    if (!queue || queue->device != kernel->program->device)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s was given no queue of its device",
                                describe(kernel, index, text, sizeof text));
    set_word(kernel, index, queue);
    return true;
}

bool
lw_kernel_set_default_queue(lw_kernel *kernel, lw_device_queue *queue, lw_error *error)
{
    lw_no_error(error);
    if (!kernel || (queue && queue->device != kernel->program->device))
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_kernel_set_default_queue was given no %s",
                                kernel ? "queue of the kernel's device" : "kernel");
    if (queue)
        atomic_fetch_add(&queue->refs, 1);
    lw_device_queue_release(kernel->default_queue);
    kernel->default_queue = queue;
    return true;
}

bool
lw_kernel_set_arg_local(lw_kernel *kernel, uint32_t index, size_t bytes, lw_error *error)
{
    char text[500];
    if (!find_argument(kernel, index, LW_ARG_LOCAL, error))
        return false;
    if (bytes > LW_MAX_LOCAL_BYTES)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "%s: %zu bytes of local memory are more than the %zu there are",
                                describe(kernel, index, text, sizeof text), bytes, LW_MAX_LOCAL_BYTES);
    kernel->bytes[index] = bytes;
    kernel->set[index] = true;
    return true;
}

bool
lw_kernel_set_sub_group_size(lw_kernel *kernel, uint32_t size, lw_error *error)
{
    lw_no_error(error);
    if (!kernel)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_kernel_set_sub_group_size was given no kernel");
    uint32_t chosen;
    if (!lw_choose_sub_group_size(kernel->desc, kernel->program->device->isa, size, &chosen, error))
        return false;
    kernel->sub_group_size = chosen;
    kernel->asked = size;
    lw_family_free(kernel->family); /* its blocks have the size of before */
    kernel->family = NULL;
    return true;
}

/* ---- For run.c ---- */

bool
lw_kernel_check_arguments(const lw_kernel *kernel, lw_error *error)
{
    char text[500];
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++)
        if (!kernel->set[i])
            return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s was never set",
                                    describe(kernel, i, text, sizeof text));
    return true;
}

bool
lw_kernel_place_local(lw_kernel *kernel, size_t *total, lw_error *error)
{
    bool guarded = kernel->desc->guarded_locals;
    lw_local_object object;
    uint64_t at = guarded ? 0 : ((uint64_t)kernel->desc->info.local_bytes + 127) & ~(uint64_t)127;
    for (uint32_t i = 0; guarded && lw_kernel_local_object(kernel, i, &object); i++)
        at += object.bytes;
    for (uint32_t i = 0; !guarded && i < kernel->desc->arg_count; i++) {
        const struct lw_kernel_arg *arg = &kernel->desc->args[i];
        if (arg->info.kind != LW_ARG_LOCAL)
            continue;
        memcpy(kernel->args + arg->offset, &at, sizeof at);
        at += (kernel->bytes[i] + 127) & ~(uint64_t)127;
    }
    if (at > LW_MAX_LOCAL_BYTES)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "kernel %s: %llu bytes of local memory are more than the %zu there are",
                                kernel->desc->name, (unsigned long long)at, LW_MAX_LOCAL_BYTES);
    if (guarded)
        lw_place_guarded(kernel, &at);
    *total = (size_t)at;
    return true;
}

size_t
lw_kernel_local_bytes(const lw_kernel *kernel)
{
    size_t total = kernel->desc->info.local_bytes;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++)
        if (kernel->desc->args[i].info.kind == LW_ARG_LOCAL)
            total += kernel->bytes[i]; /* each at most LW_MAX_LOCAL_BYTES */
    return total;
}

void
lw_kernel_limit_threads(lw_kernel *kernel, unsigned threads)
{
    kernel->threads = threads;
}
