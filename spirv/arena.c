/* SPDX-License-Identifier: MIT */
/* Chunked bump allocation for the analyses, see arena.h.
 *
 * Enters: counts and sizes. Leaves: zeroed objects, which stay where they are until all go at once. Relies
 * on: lw_arena_try around every allocation. Never: returns NULL for an object.
 */
#include "arena.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGN ((size_t)16)

struct lw_arena_chunk {
    struct lw_arena_chunk *older;
    size_t bytes; /* keeps the payload aligned */
};

struct lw_arena {
    struct lw_arena_chunk *chunks;
    char *next;
    size_t left;
    jmp_buf out;
};

_Static_assert(sizeof(struct lw_arena_chunk) % 16 == 0, "the payload follows the chunk's head");

struct lw_arena *
lw_arena_create(void)
{
    return calloc(1, sizeof(struct lw_arena));
}

void
lw_arena_free(struct lw_arena *arena)
{
    if (!arena)
        return;
    for (struct lw_arena_chunk *chunk = arena->chunks, *older; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    free(arena);
}

bool
lw_arena_try(struct lw_arena *arena, void (*work)(struct lw_arena *arena, void *data), void *data)
{
    if (setjmp(arena->out))
        return false;
    work(arena, data);
    return true;
}

_Noreturn void
lw_arena_leave(struct lw_arena *arena)
{
    longjmp(arena->out, 1);
}

bool
lw_with_arena(void (*work)(struct lw_arena *arena, void *data), void *data)
{
    struct lw_arena *arena = lw_arena_create();
    bool done = arena && lw_arena_try(arena, work, data);
    lw_arena_free(arena);
    return done;
}

void *
lw_arena_alloc(struct lw_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        lw_arena_leave(arena);
    bytes = (bytes + ALIGN) & ~(ALIGN - 1); /* at least one byte, so that addresses differ */
    if (bytes > arena->left) {
        size_t payload = bytes > CHUNK_BYTES / 4 ? bytes : CHUNK_BYTES;
        struct lw_arena_chunk *chunk = malloc(sizeof *chunk + payload);
        if (!chunk)
            lw_arena_leave(arena);
        chunk->bytes = payload;
        chunk->older = arena->chunks;
        arena->chunks = chunk;
        if (payload == bytes) /* a chunk of its own; the current one stays open */
            return memset(chunk + 1, 0, bytes);
        arena->next = (char *)(chunk + 1);
        arena->left = payload;
    }
    void *result = arena->next;
    arena->next += bytes;
    arena->left -= bytes;
    return memset(result, 0, bytes); /* not the whole chunk: most arenas need little of it */
}

uint32_t *
lw_arena_fill(struct lw_arena *arena, size_t count, uint32_t value)
{
    uint32_t *numbers = LW_ARENA_NEW(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = value;
    return numbers;
}
