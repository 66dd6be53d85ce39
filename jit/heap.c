/* SPDX-License-Identifier: MIT */
/* The compiler library's own heap: small blocks by size, a list of free ones for each size and thread.
 *
 * LLVM asks for some fifty thousand small blocks a compilation, of which the C library's tables of a thread
 * hold few: its malloc is a fourteenth of a compilation's instructions, this one a quarter of that. The
 * linker's --wrap sends the calls of LLVM, of its C++ library (linked statically for that) and of ours here;
 * nobody outside sees it. Large blocks, and those for which there is no room, are the C library's: a block
 * belongs to the heap if its address lies in the range that is reserved for it. So do not blocks that the C
 * library allocated (strdup) and we free.
 *
 * The range is cut into spans of 64 KiB, each of one size of blocks. A thread's lists outlive it, for the
 * next thread. Never: waits for a lock, which a child of a fork may find taken for ever. Memory for blocks
 * that LLVM frees goes back to the system only by lw_heap_trim.
 */
#include "heap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
void __wrap_free(void *block);

#define RANGE_BYTES ((size_t)4 << 30)
#define SPAN_SHIFT 16
#define SPAN_BYTES ((size_t)1 << SPAN_SHIFT)
#define SPANS (RANGE_BYTES / SPAN_BYTES)
#define STEP 16 /* sizes up to FINE_MOST are its multiples */
#define FINE_MOST 1024
#define MOST 16384 /* above FINE_MOST four sizes to a doubling */
#define FINE_CLASSES (FINE_MOST / STEP + 1)
#define CLASSES (FINE_CLASSES + 16)
#define TAKE_SPANS 4   /* at once, for one size of blocks and the next */
#define KEPT_SPANS 256 /* 16 MiB: what a thread's heap keeps */

struct block {
    struct block *next;
};

struct heap {
    struct block *free[CLASSES];
    char *fresh[CLASSES], *end[CLASSES]; /* of the span that blocks are cut from */
    char *spans, *spans_end;             /* taken from the range, not used yet */
    size_t empty;                        /* span that was given back, the first of a list; NO_SPAN */
    size_t span_count;
    struct heap *next; /* at rest */
};

#define NO_SPAN SPANS

static struct {
    pthread_once_t once;
    pthread_key_t key;
    char *base;
    atomic_size_t taken; /* bytes of the range */
    pthread_mutex_t lock;
    struct heap *idle;
} range = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};
static uint8_t span_class[SPANS];
static uint32_t next_empty[SPANS];
static _Thread_local struct heap *mine __attribute__((tls_model("initial-exec")));

/* ---- sizes ---- */

static unsigned
class_of(size_t size)
{
    if (size <= FINE_MOST)
        return size ? (unsigned)((size + STEP - 1) / STEP) : 1;
    unsigned top = 63u - (unsigned)__builtin_clzll(size - 1);
    return FINE_CLASSES + (top - 10) * 4 + (unsigned)(((size - 1) >> (top - 2)) & 3);
}

static size_t
class_bytes(unsigned class)
{
    if (class < FINE_CLASSES)
        return (size_t) class * STEP;
    unsigned above = class - FINE_CLASSES;
    return (size_t)(above % 4 + 5) << (above / 4 + 8);
}

/* ---- the range, and threads' heaps ---- */

/* A thread ends: its heap is for the next one. */
static void
rest(void *data)
{
    struct heap *heap = data;

    mine = NULL;
    if (pthread_mutex_trylock(&range.lock) != 0)
        return; /* its memory is lost */
    heap->next = range.idle;
    range.idle = heap;
    pthread_mutex_unlock(&range.lock);
}

static void
reserve_range(void)
{
    /* Twice a span's alignment is at hand: mmap knows of pages only. */
    char *base =
        mmap(NULL, RANGE_BYTES + SPAN_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED || pthread_key_create(&range.key, rest) != 0)
        return; /* every block is the C library's */
    range.base = (char *)(((uintptr_t)base + SPAN_BYTES - 1) & ~(uintptr_t)(SPAN_BYTES - 1));
}

static struct heap *
take_heap(void)
{
    struct heap *heap = NULL;

    pthread_once(&range.once, reserve_range);
    if (!range.base)
        return NULL;
    if (pthread_mutex_trylock(&range.lock) == 0) {
        heap = range.idle;
        if (heap)
            range.idle = heap->next;
        pthread_mutex_unlock(&range.lock);
    }
    if (!heap) {
        heap = __real_malloc(sizeof *heap);
        if (!heap)
            return NULL;
        *heap = (struct heap){.empty = NO_SPAN};
    }
    if (pthread_setspecific(range.key, heap) != 0) {
        rest(heap);
        return NULL;
    }
    mine = heap;
    return heap;
}

static size_t
span_of(const void *block)
{
    return (size_t)((const char *)block - range.base) >> SPAN_SHIFT;
}

static bool
is_ours(const void *block)
{
    return (uintptr_t)block - (uintptr_t)range.base < RANGE_BYTES && range.base;
}

/* Memory for one more span; NULL: there is none. */
static char *
take_span(struct heap *heap)
{
    if (heap->empty != NO_SPAN) {
        size_t span = heap->empty;
        heap->empty = next_empty[span];
        heap->span_count++;
        return range.base + (span << SPAN_SHIFT);
    }
    if (heap->spans == heap->spans_end) {
        size_t bytes = TAKE_SPANS * SPAN_BYTES, at = atomic_fetch_add(&range.taken, bytes);
        if (at + bytes > RANGE_BYTES) {
            atomic_fetch_sub(&range.taken, bytes);
            return NULL;
        }
        if (mprotect(range.base + at, bytes, PROT_READ | PROT_WRITE) != 0)
            return NULL;
        heap->spans = range.base + at;
        heap->spans_end = heap->spans + bytes;
    }
    char *span = heap->spans;
    heap->spans += SPAN_BYTES;
    heap->span_count++;
    return span;
}

/* The first block of a fresh span, or NULL. */
static void *
begin_span(struct heap *heap, unsigned class)
{
    size_t size = class_bytes(class);
    char *span = take_span(heap);

    if (!span)
        return NULL;
    span_class[span_of(span)] = (uint8_t) class;
    heap->fresh[class] = span + size;
    heap->end[class] = span + SPAN_BYTES / size * size;
    return span;
}

static void *
allocate(unsigned class)
{
    struct heap *heap = mine ? mine : take_heap();

    if (!heap)
        return NULL;
    struct block *block = heap->free[class];
    if (block) {
        heap->free[class] = block->next;
        return block;
    }
    char *fresh = heap->fresh[class];
    if (fresh == heap->end[class])
        return begin_span(heap, class);
    heap->fresh[class] = fresh + class_bytes(class);
    return fresh;
}

/* ---- what stands in for the C library's calls ---- */

void *
__wrap_malloc(size_t size)
{
    void *block = size <= MOST ? allocate(class_of(size)) : NULL;

    return block ? block : __real_malloc(size);
}

void
__wrap_free(void *data)
{
    struct block *block = data;

    if (!is_ours(data)) {
        __real_free(data);
        return;
    }
    struct heap *heap = mine ? mine : take_heap();
    if (!heap)
        return; /* lost */
    unsigned class = span_class[span_of(block)];
    block->next = heap->free[class];
    heap->free[class] = block;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *block = bytes <= MOST ? allocate(class_of(bytes)) : NULL;
    return block ? memset(block, 0, bytes) : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
    if (!old)
        return __wrap_malloc(size);
    if (!is_ours(old))
        return __real_realloc(old, size);
    unsigned class = span_class[span_of(old)];
    size_t room = class_bytes(class);
    if (size && size <= MOST && class_of(size) == class)
        return old;
    void *block = __wrap_malloc(size);
    if (block) {
        memcpy(block, old, size < room ? size : room);
        __wrap_free(old);
    }
    return block;
}

void *
__wrap_aligned_alloc(size_t align, size_t size)
{
    size_t bytes = (size + align - 1) & ~(align - 1);
    void *block = NULL;

    /* Spans are aligned, blocks lie one behind the other: a size that is a multiple is enough. */
    if (align && bytes >= size && bytes <= MOST && class_bytes(class_of(bytes)) % align == 0)
        block = allocate(class_of(bytes));
    return block ? block : __real_aligned_alloc(align, size);
}

int
__wrap_posix_memalign(void **out, size_t align, size_t size)
{
    void *block = __wrap_aligned_alloc(align, size);

    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

void *
lw_malloc_for_others(size_t size)
{
    return __real_malloc(size);
}

/* ---- giving back ---- */

/* Free blocks of each span. */
static void
count_blocks(const struct heap *heap, uint32_t *counts)
{
    for (unsigned class = 1; class < CLASSES; class ++)
        for (const struct block *block = heap->free[class]; block; block = block->next)
            counts[span_of(block)]++;
}

/* Takes the blocks of spans that are free as a whole out of the lists. */
static void
drop_blocks(struct heap *heap, const uint32_t *counts)
{
    for (unsigned class = 1; class < CLASSES; class ++) {
        uint32_t whole = (uint32_t)(SPAN_BYTES / class_bytes(class));
        struct block **link = &heap->free[class];
        while (*link) {
            if (counts[span_of(*link)] == whole)
                *link = (*link)->next;
            else
                link = &(*link)->next;
        }
    }
}

void
lw_heap_trim(void)
{
    struct heap *heap = mine;

    if (!heap || heap->span_count <= KEPT_SPANS)
        return;
    size_t spans = atomic_load(&range.taken) >> SPAN_SHIFT;
    uint32_t *counts = __real_calloc(spans, sizeof *counts);
    if (!counts)
        return;
    count_blocks(heap, counts);
    drop_blocks(heap, counts);
    for (size_t span = 0; span < spans; span++) {
        unsigned class = span_class[span];
        if (!counts[span] || counts[span] != SPAN_BYTES / class_bytes(class))
            continue;
        madvise(range.base + (span << SPAN_SHIFT), SPAN_BYTES, MADV_DONTNEED);
        if (heap->end[class] > range.base + (span << SPAN_SHIFT) &&
            heap->end[class] <= range.base + ((span + 1) << SPAN_SHIFT))
            heap->fresh[class] = heap->end[class] = NULL;
        next_empty[span] = (uint32_t)heap->empty;
        heap->empty = span;
        heap->span_count--;
    }
    __real_free(counts);
}
