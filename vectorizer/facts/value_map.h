/* SPDX-License-Identifier: MIT */
/* Addresses of LLVM objects -> dense numbers: open addressing in an arena, of a size known beforehand. */
#ifndef LW_VECTORIZER_VALUE_MAP_H
#define LW_VECTORIZER_VALUE_MAP_H

#include "../../spirv/arena.h"

struct lw_value_map {
    const void **keys;
    uint32_t *numbers;
    size_t mask;
};

static inline size_t
lw_value_map_slot(const struct lw_value_map *map, const void *key)
{
    size_t slot = (size_t)(((uintptr_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
    while (map->keys[slot] && map->keys[slot] != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

static inline struct lw_value_map *
lw_value_map_create(struct lw_arena *arena, size_t capacity)
{
    struct lw_value_map *map = LW_ARENA_NEW(arena, struct lw_value_map, 1);
    size_t size = 16;
    while (size < 2 * capacity)
        size *= 2;
    map->keys = LW_ARENA_NEW(arena, const void *, size);
    map->numbers = LW_ARENA_NEW(arena, uint32_t, size);
    map->mask = size - 1;
    return map;
}

static inline void
lw_value_map_add(struct lw_value_map *map, const void *key, uint32_t number)
{
    size_t slot = lw_value_map_slot(map, key);
    map->keys[slot] = key;
    map->numbers[slot] = number;
}

/* UINT32_MAX where the key is not in the map. */
static inline uint32_t
lw_value_map_get(const struct lw_value_map *map, const void *key)
{
    size_t slot = lw_value_map_slot(map, key);
    return map->keys[slot] ? map->numbers[slot] : UINT32_MAX;
}

#endif
