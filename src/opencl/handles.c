/* SPDX-License-Identifier: MIT */
/* Handles: cells of one reserved stretch of address space, so that any value can be asked whether it is a
 * handle.
 *
 * A cell is never unmapped and keeps its dispatch pointers when it is freed (the loader follows them before
 * we are asked), and freed cells wait at the end of a queue, so that a handle used after its release is told
 * from a new one for long.
 */
#include "objects.h"

#include <string.h>
#include <sys/mman.h>

#define CELL_BYTES ((size_t)512)
#define STEP_BYTES ((size_t)64 << 10)

_Static_assert(sizeof(struct _cl_event) <= CELL_BYTES, "an event fits a cell");
_Static_assert(sizeof(struct _cl_device_id) <= CELL_BYTES, "a device fits a cell");
_Static_assert(sizeof(struct _cl_context) <= CELL_BYTES, "a context fits a cell");
_Static_assert(sizeof(struct _cl_program) <= CELL_BYTES, "a program fits a cell");
_Static_assert(sizeof(struct _cl_kernel) <= CELL_BYTES, "a kernel fits a cell");
_Static_assert(sizeof(struct _cl_mem) <= CELL_BYTES, "a buffer fits a cell");
_Static_assert(sizeof(struct _cl_command_queue) <= CELL_BYTES, "a queue fits a cell");

struct free_cell {
    struct lw_cl_object object;
    struct free_cell *next;
};

/* Handles are the process's: the API has no context to keep them in. */
static struct {
    pthread_mutex_t lock;
    char *base;
    size_t reserved;
    void *dispatch_data;
    _Atomic size_t used; /* bytes that may be read */
    struct free_cell *first, *last;
} cells = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
reserve_cells(void)
{
    for (size_t bytes = (size_t)16 << 30; bytes >= (size_t)1 << 20; bytes /= 4) {
        void *base = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            cells.base = base;
            cells.reserved = bytes;
            return true;
        }
    }
    return false;
}

/* LeakSanitizer's, where the program has it: it does not look into mapped memory unasked. */
extern void __lsan_register_root_region(const void *begin, size_t size) __attribute__((weak));

/* Under the lock. */
static bool
more_cells(void)
{
    size_t used = atomic_load(&cells.used);
    if ((!cells.base && !reserve_cells()) || used + STEP_BYTES > cells.reserved ||
        mprotect(cells.base + used, STEP_BYTES, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (__lsan_register_root_region)
        __lsan_register_root_region(cells.base + used, STEP_BYTES);
    for (size_t at = 0; at < STEP_BYTES; at += CELL_BYTES) {
        struct free_cell *cell = (struct free_cell *)(cells.base + used + at);
        cell->object.dispatch = &lw_cl_dispatch;
        cell->object.dispatch_data = cells.dispatch_data;
        cell->next = NULL;
        *(cells.last ? &cells.last->next : &cells.first) = cell;
        cells.last = cell;
    }
    atomic_store(&cells.used, used + STEP_BYTES);
    return true;
}

void *
lw_cl_new(enum lw_cl_kind kind, size_t size, void (*destroy)(void *object))
{
    pthread_mutex_lock(&cells.lock);
    struct free_cell *cell = NULL;
    if (cells.first || more_cells()) {
        cell = cells.first;
        cells.first = cell->next;
        if (!cells.first)
            cells.last = NULL;
    }
    pthread_mutex_unlock(&cells.lock);
    if (!cell)
        return NULL;
    struct lw_cl_object *object = &cell->object;
    const size_t kept = offsetof(struct lw_cl_object, magic);
    memset((char *)object + kept, 0, size - kept);
    atomic_init(&object->refs, 1);
    atomic_init(&object->holds, 1);
    object->destroy = destroy;
    __atomic_store_n(&object->magic, (uint32_t)kind, __ATOMIC_RELEASE);
    return object;
}

void
lw_cl_set_dispatch_data(void *data)
{
    pthread_mutex_lock(&cells.lock);
    cells.dispatch_data = data;
    for (size_t at = 0; at < atomic_load(&cells.used); at += CELL_BYTES)
        ((struct lw_cl_object *)(cells.base + at))->dispatch_data = data;
    pthread_mutex_unlock(&cells.lock);
}

bool
lw_cl_is(const void *handle, enum lw_cl_kind kind)
{
    size_t at = (size_t)((uintptr_t)handle - (uintptr_t)cells.base);
    return at < atomic_load_explicit(&cells.used, memory_order_acquire) && at % CELL_BYTES == 0 &&
           __atomic_load_n(&((const struct lw_cl_object *)handle)->magic, __ATOMIC_ACQUIRE) == (uint32_t)kind;
}

void
lw_cl_hold(void *object)
{
    atomic_fetch_add_explicit(&((struct lw_cl_object *)object)->holds, 1, memory_order_relaxed);
}

void
lw_cl_drop(void *handle)
{
    struct lw_cl_object *object = handle;
    if (!object || atomic_fetch_sub_explicit(&object->holds, 1, memory_order_acq_rel) != 1)
        return;
    __atomic_store_n(&object->magic, 0u, __ATOMIC_RELEASE);
    object->destroy(object);
    struct free_cell *cell = handle;
    cell->next = NULL;
    pthread_mutex_lock(&cells.lock);
    *(cells.last ? &cells.last->next : &cells.first) = cell;
    cells.last = cell;
    pthread_mutex_unlock(&cells.lock);
}

static cl_int
invalid(enum lw_cl_kind kind)
{
    switch (kind) {
    case LW_CL_PLATFORM: return CL_INVALID_PLATFORM;
    case LW_CL_DEVICE: return CL_INVALID_DEVICE;
    case LW_CL_CONTEXT: return CL_INVALID_CONTEXT;
    case LW_CL_QUEUE:
    case LW_CL_DEVICE_QUEUE: return CL_INVALID_COMMAND_QUEUE;
    case LW_CL_EVENT: return CL_INVALID_EVENT;
    case LW_CL_MEMORY: return CL_INVALID_MEM_OBJECT;
    case LW_CL_PROGRAM: return CL_INVALID_PROGRAM;
    case LW_CL_KERNEL: return CL_INVALID_KERNEL;
    case LW_CL_SAMPLER: return CL_INVALID_SAMPLER;
    }
    return CL_INVALID_VALUE;
}

cl_int
lw_cl_retain(void *handle, enum lw_cl_kind kind)
{
    if (!lw_cl_is(handle, kind))
        return invalid(kind);
    struct lw_cl_object *object = handle;
    /* Back from zero (a kernel's program that was released is still its program): ours again. */
    if (atomic_fetch_add(&object->refs, 1) == 0)
        lw_cl_hold(object);
    return CL_SUCCESS;
}

cl_int
lw_cl_release(void *handle, enum lw_cl_kind kind)
{
    if (!lw_cl_is(handle, kind))
        return invalid(kind);
    struct lw_cl_object *object = handle;
    unsigned refs = atomic_load(&object->refs);
    do {
        if (refs == 0)
            return invalid(kind);
    } while (!atomic_compare_exchange_weak(&object->refs, &refs, refs - 1));
    if (refs == 1)
        lw_cl_drop(object);
    return CL_SUCCESS;
}
