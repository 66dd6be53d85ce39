/* SPDX-License-Identifier: MIT */
/* Memory that lives as long as one analysis: allocated piece by piece, zeroed, released at once.
 *
 * Out of memory leaves by longjmp to `out`, which the analysis sets before its first allocation: passes need
 * no check at each call and hold nothing else that would have to be freed.
 */
#ifndef LW_VECTORIZER_ARENA_H
#define LW_VECTORIZER_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct lw_arena_chunk;

struct lw_arena {
    struct lw_arena_chunk *chunks;
    char *next;
    size_t left;
    jmp_buf out;
};

/* NULL where there is no memory. The arena itself lies on the heap, so it survives the longjmp unchanged. */
struct lw_arena *lw_arena_create(void);
void lw_arena_free(struct lw_arena *arena);
/* `count` zeroed objects of `size` bytes, aligned for any type; never NULL, also for none. */
void *lw_arena_alloc(struct lw_arena *arena, size_t count, size_t size);
/* `count` numbers, all `value`. */
uint32_t *lw_arena_fill(struct lw_arena *arena, size_t count, uint32_t value);

#define LW_ARENA_NEW(arena, type, count) ((type *)lw_arena_alloc(arena, count, sizeof(type)))

#endif
