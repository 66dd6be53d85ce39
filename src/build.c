/* SPDX-License-Identifier: MIT */
/* Modules as loaded (shared between equal programs) and builds of them (with specialization constants set).
 */
#include "../spirv/module_check.h"
#include "ranges/shape.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Sources ---- */

static uint64_t
hash_words(const lw_module *module)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < module->word_count; i++)
        hash = (hash ^ module->words[i]) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static bool
same_words(const lw_module *a, const lw_module *b)
{
    return a->word_count == b->word_count &&
           memcmp(a->words, b->words, a->word_count * sizeof *a->words) == 0;
}

/* Takes `module` over, or frees it where an equal one is alive. NULL: no memory, the module is freed. */
struct lw_source *
lw_source_intern(lw_device *device, lw_module *module)
{
    struct lw_source *made = calloc(1, sizeof *made);
    if (!made) {
        lw_module_free(module);
        return NULL;
    }
    *made = (struct lw_source){.hash = hash_words(module), .module = module, .device = device};
    atomic_init(&made->refs, 1);
    pthread_mutex_lock(&device->sources_lock);
    struct lw_source *found = device->sources;
    for (; found; found = found->next)
        if (found->hash == made->hash && same_words(found->module, module)) {
            lw_source_retain(found);
            break;
        }
    if (!found) {
        made->next = device->sources;
        device->sources = made;
    }
    pthread_mutex_unlock(&device->sources_lock);
    if (!found)
        return made;
    lw_module_free(module);
    free(made);
    return found;
}

void
lw_source_retain(struct lw_source *source)
{
    atomic_fetch_add_explicit(&source->refs, 1, memory_order_relaxed);
}

/* The list is no owner: the count reaches zero only under its lock, so that nobody finds a dying source. */
void
lw_source_release(struct lw_source *source)
{
    if (!source)
        return;
    lw_device *device = source->device;
    pthread_mutex_lock(&device->sources_lock);
    bool last = atomic_fetch_sub_explicit(&source->refs, 1, memory_order_acq_rel) == 1;
    if (last) {
        struct lw_source **link = &device->sources;
        while (*link != source)
            link = &(*link)->next;
        *link = source->next;
    }
    pthread_mutex_unlock(&device->sources_lock);
    if (!last)
        return;
    lw_module_free(source->module);
    free(source);
}

/* ---- Builds ---- */

static bool
make_tables(struct lw_build *build, lw_error *error)
{
    uint32_t count = build->module->entry_point_count;
    build->kernels = calloc(count ? count : 1, sizeof *build->kernels);
    build->checks = calloc(count ? count : 1, sizeof *build->checks);
    build->known = calloc(count ? count : 1, sizeof *build->known);
    build->strides = calloc(count ? count : 1, sizeof *build->strides);
    if (!build->kernels || !build->checks || !build->known || !build->strides)
        return lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for the kernels of a module");
    build->kernel_count = count;
    return true;
}

/* Each kernel is checked on its own: what is wrong with one leaves its siblings alive. Once known, an entry
 * never changes. */
const struct lw_kernel_desc *
lw_build_kernel(struct lw_build *build, uint32_t kernel, const lw_error **why)
{
    pthread_mutex_lock(&build->lock);
    lw_error *check = &build->checks[kernel];
    if (!build->known[kernel]) {
        build->known[kernel] = true;
        bool good = lw_kernel_check(build->module, kernel, check);
        lw_error reflection = {0};
        build->kernels[kernel] = lw_reflect_kernel(build->module, kernel, &reflection);
        if (build->kernels[kernel] && build->source->device->guard_local &&
            !lw_guard_locals(build->kernels[kernel], &reflection)) {
            lw_kernel_desc_free(build->kernels[kernel]);
            build->kernels[kernel] = NULL;
        }
        if (good)
            *check = reflection;
        if (good && build->kernels[kernel] &&
            lw_fits_device(build->kernels[kernel], build->source->device, check))
            lw_no_error(check);
    }
    pthread_mutex_unlock(&build->lock);
    if (why)
        *why = check;
    return build->kernels[kernel];
}

/* The complete check of a module as loaded; memory that runs out is the caller's error, not the kernel's. */
static bool
check_kernels(struct lw_build *build, lw_error *error)
{
    for (uint32_t i = 0; i < build->kernel_count; i++) {
        const lw_error *why;
        lw_build_kernel(build, i, &why);
        if (why->status == LW_OUT_OF_MEMORY) {
            if (error)
                *error = *why;
            return false;
        }
    }
    return true;
}

static int
compare_spec(const void *a, const void *b)
{
    const struct lw_spec_value *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The constants that were set, in an order that does not tell in which order. */
static bool
collect_spec(struct lw_build *build, lw_error *error)
{
    const lw_module *module = build->module;
    if (!module->override_count)
        return true;
    build->spec = calloc(module->override_count, sizeof *build->spec);
    if (!build->spec)
        return lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for specialization constants");
    build->spec_count = module->override_count;
    uint32_t known = lw_module_spec_constant_count(module);
    for (uint32_t i = 0; i < module->override_count; i++) {
        build->spec[i].id = module->overrides[i].spec_id;
        build->spec[i].value = module->overrides[i].value;
        for (uint32_t k = 0; k < known; k++) {
            lw_spec_constant constant;
            if (lw_module_spec_constant(module, k, &constant) && constant.id == build->spec[i].id)
                build->spec[i].size = constant.size;
        }
    }
    qsort(build->spec, build->spec_count, sizeof *build->spec, compare_spec);
    return true;
}

static bool
specialised_module(struct lw_build *build, const struct lw_build *base, const struct lw_spec_value *spec,
                   size_t count, lw_error *error)
{
    build->module = lw_module_copy(base->module);
    if (!build->module)
        return lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a specialised module");
    for (size_t i = 0; i < count; i++)
        if (!lw_module_override(build->module, spec[i].id, &spec[i].value, spec[i].size, error))
            return false;
    return lw_module_evaluate(build->module) ||
           lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a specialised module");
}

/* `base` NULL: the module as loaded; else `base` with these constants set. */
struct lw_build *
lw_build_create(struct lw_source *source, const struct lw_build *base, const struct lw_spec_value *spec,
                size_t count, lw_error *error)
{
    struct lw_build *build = calloc(1, sizeof *build);
    if (!build) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a program");
        return NULL;
    }
    atomic_init(&build->refs, 1);
    pthread_mutex_init(&build->lock, NULL);
    build->source = source;
    lw_source_retain(source);
    if (!base)
        build->module = source->module;
    if ((!base || specialised_module(build, base, spec, count, error)) &&
        collect_spec(build, error) && make_tables(build, error) && (base || check_kernels(build, error)))
        return build;
    lw_build_release(build);
    return NULL;
}

/* Pages that nobody touches cost nothing, so large tables are for free until they are used. */
bool
lw_build_allocate(struct lw_build *build, lw_error *error)
{
    const lw_module *module = build->module;
    bool good = true;
    pthread_mutex_lock(&build->lock);
    if (!build->memory && module->program_bytes) {
        void *memory = MAP_FAILED;
        if (module->program_bytes <= LW_MAX_PROGRAM_BYTES)
            memory = mmap(NULL, module->program_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        good = memory != MAP_FAILED;
        if (good) {
            lw_fill_program_variables(module, memory);
            build->memory = memory;
        }
    }
    pthread_mutex_unlock(&build->lock);
    return good ||
           lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for the %llu bytes of a program's variables",
                            (unsigned long long)module->program_bytes);
}

void
lw_build_retain(struct lw_build *build)
{
    atomic_fetch_add_explicit(&build->refs, 1, memory_order_relaxed);
}

void
lw_build_release(struct lw_build *build)
{
    if (!build || atomic_fetch_sub_explicit(&build->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < build->kernel_count; i++)
        lw_kernel_desc_free(build->kernels[i]);
    free(build->kernels);
    free(build->checks);
    free(build->known);
    free(build->strides);
    pthread_mutex_destroy(&build->lock);
    if (build->memory)
        munmap(build->memory, build->module->program_bytes);
    free(build->spec);
    if (build->module != build->source->module)
        lw_module_free(build->module);
    lw_source_release(build->source);
    free(build);
}
