/* SPDX-License-Identifier: MIT */
/* LANEWISE_CROSS_CHECK: each dispatch runs by three codes that know different things, and must leave the
 * same.
 *
 *   masked, of 4 lanes where the kernel cannot tell, told nothing of sizes, offsets and buffers
 *   first code
 *   what repeated runs end up with (tiers.c): specialised code
 *
 * They run in place, so that pointers in memory stay good; between them the memory that the kernel may touch
 * is put back as it was: its buffers, what the caller listed (SVM, USM), the program's variables. What
 * differs at the end makes the dispatch fail, with the first place of it. The last code's writes stay, and
 * its output; the others print nothing.
 *
 * Not compared, and run once: kernels whose atomics tell the order of work-items or round (reflect_order.c),
 * pointers to memory of unknown size, and more than LW_MOST_CHECKED_BYTES. NaNs of floats are all equal.
 * Dispatches of a device run one after another here; a host that writes to a kernel's memory while it runs,
 * which none of the tests may, would be undone.
 */
#include "cross_check.h"
#include "../api.h"
#include "../ranges/shape.h"
#include "dispatch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_LANES 4
#define PROGRAM_VARIABLES UINT32_MAX /* as an argument */
#define LISTED (UINT32_MAX - 1)

struct area {
    unsigned char *base;
    size_t size;
    uint32_t argument;
    unsigned char *before, *expected; /* one allocation */
};

struct check {
    lw_kernel *kernel;
    struct area *areas;
    size_t count;
    size_t local_bytes;
    struct lw_range uncut;
    lw_error *error;
};

/* ---- What the kernel may touch ---- */

static bool
lies_in_listed(const lw_kernel *kernel, const unsigned char *at)
{
    for (size_t i = 0; i < kernel->listed_count; i++)
        if (at >= (unsigned char *)kernel->listed[i].base &&
            at < (unsigned char *)kernel->listed[i].base + kernel->listed[i].size)
            return true;
    return false;
}

static void
add(struct check *c, void *base, size_t size, uint32_t argument)
{
    if (size)
        c->areas[c->count++] = (struct area){.base = base, .size = size, .argument = argument};
}

static int
by_address(const void *left, const void *right)
{
    const struct area *a = left, *b = right;
    return (a->base > b->base) - (a->base < b->base);
}

/* Overlapping ones (sub-buffers, a buffer given twice) become one. */
static void
merge(struct check *c)
{
    size_t last = 0;
    qsort(c->areas, c->count, sizeof *c->areas, by_address);
    for (size_t i = 1; i < c->count; i++) {
        struct area *a = &c->areas[last], *b = &c->areas[i];
        if (b->base >= a->base + a->size)
            c->areas[++last] = *b;
        else if (b->base + b->size > a->base + a->size)
            a->size = (size_t)(b->base + b->size - a->base);
    }
    c->count = c->count ? last + 1 : 0;
}

/* false: not all of it is known. */
static bool
find_areas(struct check *c)
{
    const lw_kernel *kernel = c->kernel;
    const struct lw_kernel_desc *desc = kernel->desc;
    c->areas = calloc(desc->arg_count + kernel->listed_count + 1, sizeof *c->areas);
    if (!c->areas)
        return false;
    for (uint32_t i = 0; i < desc->arg_count; i++) {
        uint64_t address;
        bool image = desc->args[i].info.kind == LW_ARG_IMAGE;
        if (desc->args[i].info.kind != LW_ARG_POINTER && !image)
            continue;
        memcpy(&address, kernel->args + desc->args[i].offset, sizeof address);
        if (!address || lies_in_listed(kernel, (unsigned char *)(uintptr_t)address))
            continue;
        if (image) {
            const struct lw_image *header = (const struct lw_image *)(uintptr_t)address;
            add(c, header->data, lw_image_span(header), i);
            continue;
        }
        if (kernel->bytes[i] == SIZE_MAX)
            return false;
        add(c, (void *)(uintptr_t)address, kernel->bytes[i], i);
    }
    for (size_t i = 0; i < kernel->listed_count; i++)
        add(c, kernel->listed[i].base, kernel->listed[i].size, LISTED);
    if (kernel->build->memory)
        add(c, kernel->build->memory, kernel->build->module->program_bytes, PROGRAM_VARIABLES);
    merge(c);
    return true;
}

static bool
remember(struct check *c)
{
    size_t total = 0;
    for (size_t i = 0; i < c->count; i++)
        total += c->areas[i].size;
    if (total > LW_MOST_CHECKED_BYTES)
        return false;
    for (size_t i = 0; i < c->count; i++) {
        struct area *a = &c->areas[i];
        a->before = malloc(2 * a->size);
        if (!a->before)
            return false;
        a->expected = a->before + a->size;
        memcpy(a->before, a->base, a->size);
    }
    return true;
}

/* What has not changed is not written: it may be memory that cannot be. */
static void
put_back(const struct check *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct area *a = &c->areas[i];
        for (size_t at = 0; at < a->size; at += 4096) {
            size_t bytes = a->size - at < 4096 ? a->size - at : 4096;
            if (memcmp(a->base + at, a->before + at, bytes) != 0)
                memcpy(a->base + at, a->before + at, bytes);
        }
    }
}

static void
free_areas(struct check *c)
{
    for (size_t i = 0; c->areas && i < c->count; i++)
        free(c->areas[i].before);
    free(c->areas);
}

/* ---- Comparing ---- */

static bool
is_nan(const unsigned char *at, unsigned bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, at, bytes);
    return bytes == 2   ? (bits & 0x7fff) > 0x7c00
           : bytes == 4 ? (bits & 0x7fffffff) > 0x7f800000
                        : (bits & INT64_MAX) > 0x7ff0000000000000;
}

/* Are both NaNs here? Memory whose type nobody tells may be of any. How many bytes: 0, they are not. */
static unsigned
nans_at(const struct check *c, const struct area *a, size_t at)
{
    const char *scalar = a->argument < LISTED ? c->kernel->desc->args[a->argument].info.scalar : "";
    for (unsigned bytes = 2; bytes <= 8; bytes *= 2) {
        size_t start = at & ~(size_t)(bytes - 1);
        bool may = scalar[0] == 0 ? bytes > 2 : scalar[0] == 'f' && (unsigned)atoi(scalar + 1) == 8 * bytes;
        if (may && start + bytes <= a->size && is_nan(a->base + start, bytes) &&
            is_nan(a->expected + start, bytes))
            return (unsigned)(start + bytes - at);
    }
    return 0;
}

/* Of the first byte that differs; a->size where none does. */
static size_t
difference(const struct check *c, const struct area *a)
{
    size_t at = 0;
    if (memcmp(a->base, a->expected, a->size) == 0)
        return a->size;
    while (at < a->size) {
        unsigned step = a->base[at] == a->expected[at] ? 1 : nans_at(c, a, at);
        if (!step)
            break;
        at += step;
    }
    return at;
}

static void
name_place(const struct check *c, const struct area *a, size_t at, char *out, size_t room)
{
    const struct lw_kernel_desc *desc = c->kernel->desc;
    for (uint32_t i = 0; i < desc->arg_count; i++) {
        uint64_t address;
        memcpy(&address, c->kernel->args + desc->args[i].offset, sizeof address);
        if (desc->args[i].info.kind != LW_ARG_POINTER ||
            (uintptr_t)(a->base + at) - address >= c->kernel->bytes[i])
            continue;
        const char *name = desc->args[i].info.name;
        snprintf(out, room, "argument %u%s%.100s%s, byte %zu", i, name ? " (`" : "", name ? name : "",
                 name ? "`)" : "", (size_t)((uintptr_t)(a->base + at) - address));
        return;
    }
    snprintf(out, room, "%s, byte %zu",
             a->argument == PROGRAM_VARIABLES ? "the program's variables" : "an allocation", at);
}

static uint64_t
value_at(const unsigned char *memory, size_t size, size_t at)
{
    uint64_t value = 0;
    size_t start = at & ~(size_t)3;
    memcpy(&value, memory + start, size - start < 4 ? size - start : 4);
    return value;
}

static bool
compare(const struct check *c, const char *what, const struct lw_shape *shape)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct area *a = &c->areas[i];
        size_t at = difference(c, a);
        char place[200];
        if (at == a->size)
            continue;
        name_place(c, a, at, place, sizeof place);
        const struct lw_range *r = &c->uncut;
        lw_error own = {0}, *error = c->error ? c->error : &own;
        lw_runtime_error(
            error, LW_INTERNAL,
            "cross check: kernel %s, global %" PRIu64 " x %" PRIu64 " x %" PRIu64 ", local %" PRIu64
            " x %" PRIu64 " x %" PRIu64 ", offset %" PRIu64 " %" PRIu64 " %" PRIu64
            ", sub-groups of %u, %s: %s of %u lanes differs from masked code in %s: the word is %#" PRIx64
            ", not %#" PRIx64,
            c->kernel->desc->name, r->global[0], r->global[1], r->global[2], r->local[0], r->local[1],
            r->local[2], r->offset[0], r->offset[1], r->offset[2], shape->sub_group_size,
            lw_isa_name((lw_isa)shape->isa), what, shape->lanes, place, value_at(a->base, a->size, at),
            value_at(a->expected, a->size, at));
        fprintf(stderr, "lanewise: %s\n", error->text);
        return false;
    }
    return true;
}

/* ---- The three runs ---- */

/* Knows as little as code may. Where work-groups may wait for each other they stay as they were cut. */
static bool
run_masked(struct check *c, const struct lw_range *cut, const struct lw_shape *masked)
{
    lw_kernel *kernel = c->kernel;
    struct lw_shape shape;
    memcpy(&shape, masked, sizeof shape); /* the padding is part of the key */
    if (lw_width_is_free(kernel))
        shape.lanes = LEAST_LANES;
    shape.offset_zero = shape.index31 = shape.buffers_4g = shape.buffers_apart = shape.row_multiple =
        shape.flat = 0;
    const struct lw_range *range = kernel->desc->has_atomics ? cut : &c->uncut;
    shape.lanes_dimension = range->lanes_dimension;
    shape.stretched = range->stretched;
    struct lw_instance *code = lw_cache_find(kernel->program->device->cache, kernel, &shape);
    if (!code)
        return lw_runtime_error(c->error, LW_OUT_OF_MEMORY, "no memory for the code of kernel %s",
                                kernel->desc->name);
    struct lw_choice choice = {.masked = code, .silent = true};
    bool good = lw_compile_code(kernel, code, c->error) &&
                lw_dispatch(kernel, range, &choice, c->local_bytes, c->error);
    lw_instance_release(code);
    for (size_t i = 0; good && i < c->count; i++)
        memcpy(c->areas[i].expected, c->areas[i].base, c->areas[i].size);
    put_back(c);
    return good;
}

static bool
run_and_compare(struct check *c, const struct lw_range *range, const struct lw_choice *choice,
                const char *what)
{
    return lw_dispatch(c->kernel, range, choice, c->local_bytes, c->error) &&
           compare(c, what, choice->special ? &choice->special->shape : &choice->masked->shape);
}

static bool
run_all(struct check *c, const struct lw_range *range, const struct lw_shape *masked,
        const struct lw_choice *last)
{
    struct lw_choice choice;
    if (!run_masked(c, range, masked))
        return false;
    if (lw_choose_first_code(c->kernel, range, &choice)) {
        choice.silent = true;
        if (!run_and_compare(c, range, &choice, "first code"))
            return false;
        put_back(c);
    }
    return run_and_compare(c, range, last, last->special ? "specialised code" : "usual masked code");
}

/* ---- */

bool
lw_cross_check(lw_kernel *kernel, const lw_ndrange *asked, const struct lw_range *range,
               const struct lw_shape *masked, const struct lw_choice *last, size_t local_bytes, bool *done,
               lw_error *error)
{
    lw_device *device = kernel->program->device;
    struct check c = {.kernel = kernel, .local_bytes = local_bytes, .error = error};
    bool good = true;
    pthread_mutex_lock(&device->check_lock);
    *done = !lw_depends_on_order(kernel->build->module, kernel->desc) && find_areas(&c) && remember(&c);
    if (*done)
        good = lw_range_check(kernel, asked, &c.uncut, error) && run_all(&c, range, masked, last);
    device->checked[*done]++;
    pthread_mutex_unlock(&device->check_lock);
    free_areas(&c);
    return good;
}
