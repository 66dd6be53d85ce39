/* SPDX-License-Identifier: MIT */
/* Memory that lives as long as one analysis: allocated piece by piece, zeroed, released at once.
 *
 * Out of memory leaves the work that lw_arena_try called: analyses and passes need no check at each call, and
 * hold nothing that would have to be freed but what their caller frees.
 */
#ifndef LW_SPIRV_ARENA_H
#define LW_SPIRV_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lw_arena;

/* NULL where there is no memory. */
struct lw_arena *lw_arena_create(void);
void lw_arena_free(struct lw_arena *arena);
/* Does `work`, inside which the arena may be allocated from. false: it was left, for want of memory or by
 * lw_arena_leave. No variable of the caller's is lost by that. */
bool lw_arena_try(struct lw_arena *arena, void (*work)(struct lw_arena *arena, void *data), void *data);
_Noreturn void lw_arena_leave(struct lw_arena *arena);
/* The same with an arena that lasts as long as the work. */
bool lw_with_arena(void (*work)(struct lw_arena *arena, void *data), void *data);
/* `count` zeroed objects of `size` bytes, aligned for any type; never NULL, also for none. */
void *lw_arena_alloc(struct lw_arena *arena, size_t count, size_t size);
/* `count` numbers, all `value`. */
uint32_t *lw_arena_fill(struct lw_arena *arena, size_t count, uint32_t value);

#define LW_ARENA_NEW(arena, type, count) ((type *)lw_arena_alloc(arena, count, sizeof(type)))

#endif
