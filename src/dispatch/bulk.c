/* SPDX-License-Identifier: MIT */
/* Copies of much memory, see bulk.h.
 *
 * One thread has a third or less of the bandwidth that a memory has, so pieces go to whoever is free. What
 * no cache holds is written past the caches: else each line that is written is read before.
 *
 * Legal: pieces are written by one thread each, in any order, and nothing that is written is read. Never:
 * waits for a thread that does not come; the caller copies too.
 */
#include "bulk.h"
#include "../threads/pool.h"

#include <emmintrin.h>
#include <string.h>

#define PIECE_BYTES ((size_t)256 << 10)
#define LARGE_PIECE_BYTES ((size_t)2 << 20) /* a huge page, which one thread touches first */
#define LEAST_BYTES ((size_t)2 << 20) /* else waking a thread takes longer */
#define LEAST_BYTES_BESIDE_AWAKE ((size_t)512 << 10)
#define STREAMED_BYTES ((size_t)32 << 20)
#define LEAST_STREAMED_ROW 4096
#define MOST_THREADS 16 /* that a memory serves */
#define LINE 64

struct copy {
    struct lw_task task; /* first: what the pool has a pointer to */
    const struct lw_bulk *bulk;
    size_t piece_bytes, pieces_per_row; /* a row in several pieces */
    size_t rows_per_piece, pieces;      /* or several rows in one */
    bool streamed;
    _Atomic size_t next;
};

static void
stream(char *to, const char *from, size_t size)
{
    size_t head = -(uintptr_t)to % LINE;
    head = head < size ? head : size;
    size_t end = size - (size - head) % LINE;
    memcpy(to, from, head);
    for (size_t at = head; at < end; at += LINE)
        for (size_t k = 0; k < LINE; k += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(to + at + k),
                             _mm_loadu_si128((const __m128i *)(const void *)(from + at + k)));
    memcpy(to + end, from + end, size - end);
    _mm_sfence();
}

/* `size` bytes of a row from `at` on. */
static void
copy_part(const struct lw_bulk *b, size_t row, size_t at, size_t size, bool streamed)
{
    size_t slice = row / b->region[1], line = row % b->region[1];
    char *to = b->to + slice * b->to_slice + line * b->to_row + at;
    const char *from = b->from + slice * b->from_slice + line * b->from_row + at;
    if (streamed)
        stream(to, from, size);
    else
        memmove(to, from, size);
}

static void
copy_piece(const struct copy *c, size_t piece)
{
    const struct lw_bulk *b = c->bulk;
    size_t rows = b->region[1] * b->region[2];
    if (c->pieces_per_row > 1) {
        size_t at = piece % c->pieces_per_row * c->piece_bytes, left = b->region[0] - at;
        copy_part(b, piece / c->pieces_per_row, at, left < c->piece_bytes ? left : c->piece_bytes,
                  c->streamed);
        return;
    }
    for (size_t row = piece * c->rows_per_piece, k = 0; k < c->rows_per_piece && row < rows; row++, k++)
        copy_part(b, row, 0, b->region[0], c->streamed);
}

static void
work(struct lw_task *task, struct lw_thread_memory *arena)
{
    struct copy *c = (struct copy *)task;
    size_t piece;
    (void)arena;
    while ((piece = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->pieces)
        copy_piece(c, piece);
}

static void
cut(struct copy *c)
{
    const struct lw_bulk *b = c->bulk;
    size_t rows = b->region[1] * b->region[2];
    size_t bytes = c->streamed ? LARGE_PIECE_BYTES : PIECE_BYTES;
    c->piece_bytes = bytes;
    c->pieces_per_row = (b->region[0] + bytes - 1) / bytes;
    c->rows_per_piece = b->region[0] < bytes ? bytes / b->region[0] : 1;
    c->pieces = c->pieces_per_row > 1 ? rows * c->pieces_per_row
                                      : (rows + c->rows_per_piece - 1) / c->rows_per_piece;
}

static size_t
extent(const struct lw_bulk *b, size_t row, size_t slice)
{
    return (b->region[2] - 1) * slice + (b->region[1] - 1) * row + b->region[0];
}

static bool
may_overlap(const struct lw_bulk *b)
{
    uintptr_t to = (uintptr_t)b->to, from = (uintptr_t)b->from;
    return to < from + extent(b, b->from_row, b->from_slice) && from < to + extent(b, b->to_row, b->to_slice);
}

void
lw_bulk_copy(lw_device *device, unsigned threads, const struct lw_bulk *bulk)
{
    size_t bytes = bulk->region[0] * bulk->region[1] * bulk->region[2];
    if (!bytes)
        return;
    lw_device_after_fork(device);
    bool much = bytes >= (lw_pool_looks_out(device->pool) ? LEAST_BYTES_BESIDE_AWAKE : LEAST_BYTES);
    if (!much || may_overlap(bulk)) {
        for (size_t row = 0; row < bulk->region[1] * bulk->region[2]; row++)
            copy_part(bulk, row, 0, bulk->region[0], false);
        return;
    }
    struct copy c = {.task.work = work,
                     .bulk = bulk,
                     .streamed = bytes >= STREAMED_BYTES && bulk->region[0] >= LEAST_STREAMED_ROW};
    cut(&c);
    threads = threads < device->threads ? threads : device->threads;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    if (threads > 1)
        lw_pool_publish(device->pool, &c.task, threads - 1);
    work(&c.task, NULL);
    if (threads > 1)
        lw_pool_finish(device->pool, &c.task);
}

void
lw_bulk_fill(lw_device *device, unsigned threads, char *to, const void *pattern, size_t pattern_size,
             size_t size)
{
    size_t first = size < PIECE_BYTES ? size : PIECE_BYTES;
    size_t done = pattern_size < first ? pattern_size : first;
    memcpy(to, pattern, done);
    while (done < first) {
        size_t part = done < first - done ? done : first - done;
        memcpy(to + done, to, part);
        done += part;
    }
    size_t rows = (size - first) / PIECE_BYTES, rest = (size - first) % PIECE_BYTES;
    struct lw_bulk bulk = {to + first, to, {PIECE_BYTES, rows, 1}, PIECE_BYTES, 0, 0, 0};
    lw_bulk_copy(device, threads, &bulk);
    memcpy(to + size - rest, to, rest);
}
