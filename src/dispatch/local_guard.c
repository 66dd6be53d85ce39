/* SPDX-License-Identifier: MIT */
/* Local memory between pages that may not be touched (lw_device_options.guard_local), so that an access
 * beyond an argument or a variable faults where it happens.
 *
 * Enters: a kernel whose variables have their guarded places (lw_guard_locals) and whose arguments are set.
 * Leaves: places for the arguments behind them, and arenas mapped accordingly. Each argument ends at its
 * guard, or as near to it as its alignment allows: that of its size, if the device's option asks for no more.
 * Relies on: code of shapes with `guarded`, which has the same places for variables.
 */
#include "local_guard.h"
#include "../api.h"

#include <string.h>
#include <sys/mman.h>

static uint64_t
argument_bytes(const lw_kernel *kernel, uint32_t index)
{
    const uint64_t size = kernel->bytes[index], least = kernel->program->device->guard_local;
    uint64_t align = size & (0 - size) & 127; /* 0: a multiple of 128 */
    align = !size || !align ? 128 : align;
    align = align > least ? align : least;
    return (size + align - 1) / align * align;
}

/* The first byte behind the guard, and the place of an object of so many bytes that ends before the next. */
static uint64_t
place(uint64_t *at, uint64_t bytes)
{
    uint64_t body = (bytes + LW_GUARD_PAGE - 1) / LW_GUARD_PAGE * LW_GUARD_PAGE;
    uint64_t offset = *at + body - bytes;
    *at += body + LW_GUARD_BYTES;
    return offset;
}

void
lw_place_guarded(lw_kernel *kernel, uint64_t *total)
{
    uint64_t at = kernel->desc->info.local_bytes;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++) {
        const struct lw_kernel_arg *arg = &kernel->desc->args[i];
        if (arg->info.kind != LW_ARG_LOCAL)
            continue;
        uint64_t offset = place(&at, argument_bytes(kernel, i));
        memcpy(kernel->args + arg->offset, &offset, sizeof offset);
    }
    *total = at;
}

bool
lw_kernel_local_object(const lw_kernel *kernel, uint32_t index, lw_local_object *out)
{
    if (!kernel || !out || !kernel->program->device->guard_local)
        return false;
    const struct lw_kernel_desc *desc = kernel->desc;
    if (index < desc->local_count) {
        const struct lw_local_variable *variable = &desc->locals[index];
        *out = (lw_local_object){.argument = UINT32_MAX,
                                 .name = lw_name_of(kernel->build->module, variable->id),
                                 .offset = variable->offset,
                                 .bytes = variable->size};
        return true;
    }
    uint64_t at = desc->info.local_bytes;
    uint32_t left = index - desc->local_count;
    for (uint32_t i = 0; i < desc->arg_count; i++) {
        if (desc->args[i].info.kind != LW_ARG_LOCAL)
            continue;
        uint64_t offset = place(&at, argument_bytes(kernel, i));
        if (left-- > 0)
            continue;
        *out = (lw_local_object){i, desc->args[i].info.name, offset, kernel->bytes[i]};
        return true;
    }
    return false;
}

static bool
open_pages(char *base, uint64_t offset, uint64_t bytes)
{
    uint64_t first = offset / LW_GUARD_PAGE * LW_GUARD_PAGE;
    uint64_t end = (offset + bytes + LW_GUARD_PAGE - 1) / LW_GUARD_PAGE * LW_GUARD_PAGE;
    return end == first || mprotect(base + first, end - first, PROT_READ | PROT_WRITE) == 0;
}

bool
lw_thread_memory_guard(struct lw_thread_memory *arena, const lw_kernel *kernel, size_t frame, size_t bytes)
{
    lw_local_object object;
    size_t all = (bytes + LW_GUARD_PAGE - 1) / LW_GUARD_PAGE * LW_GUARD_PAGE + 2 * LW_GUARD_BYTES;
    lw_thread_memory_release(arena);
    char *map = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    char *base = map + LW_GUARD_BYTES;
    bool good = open_pages(base, frame, bytes - frame);
    for (uint32_t i = 0; good && lw_kernel_local_object(kernel, i, &object); i++)
        good = open_pages(base, object.offset, object.bytes);
    if (!good) {
        munmap(map, all);
        return false;
    }
    arena->base = base;
    arena->size = bytes;
    arena->map = map;
    arena->map_bytes = all;
    return true;
}
