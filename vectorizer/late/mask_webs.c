/* SPDX-License-Identifier: MIT */
#include "mask_webs.h"
#include "../facts/instructions.h"

bool
lw_mask_webs_open(struct lw_mask_webs *s, struct lw_arena *arena, V function, bool (*is_mask)(V v))
{
    *s = (struct lw_mask_webs){0};
    for (V i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        s->room += is_mask(i);
    if (!s->room)
        return false;
    s->map = lw_value_map_create(arena, s->room);
    s->masks = LW_ARENA_NEW(arena, V, s->room);
    s->web = LW_ARENA_NEW(arena, uint32_t, s->room);
    s->stack = LW_ARENA_NEW(arena, uint32_t, s->room);
    return true;
}

void
lw_mask_add(struct lw_mask_webs *s, V mask)
{
    if (lw_mask_number(s, mask) != UINT32_MAX || s->count == s->room)
        return;
    lw_value_map_add(s->map, mask, s->count);
    s->web[s->count] = s->count;
    s->masks[s->count++] = mask;
}

uint32_t
lw_mask_number(const struct lw_mask_webs *s, V v)
{
    return lw_value_map_get(s->map, v);
}

uint32_t
lw_mask_web(struct lw_mask_webs *s, uint32_t k)
{
    while (s->web[k] != k)
        k = s->web[k] = s->web[s->web[k]];
    return k;
}

void
lw_mask_join(struct lw_mask_webs *s, uint32_t k, V other)
{
    uint32_t number = lw_mask_number(s, other);
    if (number != UINT32_MAX)
        s->web[lw_mask_web(s, number)] = lw_mask_web(s, k);
}

void
lw_mask_make(struct lw_mask_webs *s, uint32_t k, bool (*made)(void *data, uint32_t k),
             void (*make)(void *data, uint32_t k), void *data)
{
    uint32_t depth = 0;
    s->stack[depth++] = k;
    while (depth) {
        uint32_t top = s->stack[depth - 1], missing = UINT32_MAX;
        V mask = s->masks[top];
        for (int o = 0; !made(data, top) && missing == UINT32_MAX && o < LLVMGetNumOperands(mask); o++) {
            uint32_t operand = lw_mask_number(s, LLVMGetOperand(mask, (unsigned)o));
            if (operand != UINT32_MAX && !made(data, operand))
                missing = operand;
        }
        if (missing != UINT32_MAX) {
            s->stack[depth++] = missing;
            continue;
        }
        depth--;
        if (!made(data, top))
            make(data, top);
    }
}
