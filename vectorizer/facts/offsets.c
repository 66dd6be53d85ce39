/* SPDX-License-Identifier: MIT */
/* Interned offset tables, and facts about values made of them, see offsets.h.
 *
 * Enters: tables of one entry for each lane. Leaves: the one table that is equal; joins and bounds of facts.
 * Relies on: an arena that outlives the facts.
 */
#include "offsets_internal.h"

#include <string.h>

/* ---- Tables ---- */

static size_t
find_slot(const struct lw_offsets *o, const int64_t *table)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < o->lanes; i++)
        hash = (hash ^ (uint64_t)table[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    size_t slot = hash & o->mask;
    while (o->slots[slot] && memcmp(o->slots[slot], table, o->lanes * sizeof *table) != 0)
        slot = (slot + 1) & o->mask;
    return slot;
}

const int64_t *
lw_offsets_intern(struct lw_offsets *o, const int64_t *table)
{
    size_t slot = find_slot(o, table);
    if (o->slots[slot])
        return o->slots[slot];
    if (2 * (o->count + 1) > o->mask) {
        const int64_t **old = o->slots;
        size_t size = o->mask + 1;
        o->mask = 2 * size - 1;
        o->slots = LW_ARENA_NEW(o->arena, const int64_t *, 2 * size);
        for (size_t i = 0; i < size; i++)
            if (old[i])
                o->slots[find_slot(o, old[i])] = old[i];
        slot = find_slot(o, table);
    }
    int64_t *copy = LW_ARENA_NEW(o->arena, int64_t, o->lanes);
    memcpy(copy, table, o->lanes * sizeof *table);
    o->count++;
    return o->slots[slot] = copy;
}

struct lw_offsets *
lw_offsets_create(struct lw_arena *arena, unsigned lanes)
{
    struct lw_offsets *o = LW_ARENA_NEW(arena, struct lw_offsets, 1);
    o->arena = arena;
    o->lanes = lanes > LW_MAX_LANES ? LW_MAX_LANES : lanes;
    o->mask = 63;
    o->slots = LW_ARENA_NEW(arena, const int64_t *, o->mask + 1);
    o->zero = lw_offsets_linear(o, 0);
    return o;
}

const int64_t *
lw_offsets_linear(struct lw_offsets *o, int64_t stride)
{
    int64_t table[LW_MAX_LANES];
    for (unsigned i = 0; i < o->lanes; i++)
        table[i] = (int64_t)((uint64_t)stride * i);
    return lw_offsets_intern(o, table);
}

bool
lw_offsets_are_linear(const struct lw_offsets *o, const int64_t *table)
{
    for (unsigned i = 1; i < o->lanes; i++)
        if ((__int128)table[1] * i != table[i])
            return false;
    return true;
}

/* ---- Facts ---- */

void
lw_fact_set_range(struct lw_fact *f, unsigned width, __int128 lo, __int128 hi)
{
    int64_t least = lw_sign_extend(UINT64_C(1) << (width - 1), width);
    f->lo = least;
    f->hi = ~least;
    if (lo >= f->lo && hi <= f->hi) {
        f->lo = (int64_t)lo;
        f->hi = (int64_t)hi;
    }
}

void
lw_fact_forget_range(struct lw_fact *f, unsigned width)
{
    lw_fact_set_range(f, width, (__int128)INT64_MIN - 1, 0); /* does not fit */
}

unsigned
lw_fact_width(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) <= 64 ? LLVMGetIntTypeWidth(type) : 0;
    case LLVMPointerTypeKind:
        return 64;
    default:
        return 0;
    }
}

struct lw_fact
lw_fact_varying(unsigned width)
{
    struct lw_fact f = {.level = LW_LEVEL_VARYING, .lo = 1};
    if (width)
        lw_fact_forget_range(&f, width);
    return f;
}

struct lw_fact
lw_fact_uniform(struct lw_offsets *o, unsigned width, bool group_uniform)
{
    struct lw_fact f = lw_fact_varying(width);
    f.level = LW_LEVEL_UNIFORM;
    f.group_uniform = group_uniform;
    f.offsets = o->zero;
    f.exact_signed = f.exact_unsigned = LW_PROVED;
    return f;
}

struct lw_fact
lw_fact_constant(struct lw_offsets *o, unsigned width, uint64_t value)
{
    struct lw_fact f = lw_fact_uniform(o, width, true);
    f.known = 64;
    f.residue = lw_zero_extend(value, width);
    f.lo = f.hi = lw_sign_extend(value, width);
    return f;
}

/* The bits of lane `i` below the unknown ones are residue + offset with no carry out of them. */
bool
lw_fact_stays_below(const struct lw_offsets *o, const struct lw_fact *f)
{
    if (f->known == 0 || f->known >= 63)
        return false;
    for (unsigned i = 0; i < o->lanes; i++) {
        __int128 low = (__int128)f->residue + f->offsets[i];
        if (low < 0 || low >= (__int128)1 << f->known)
            return false;
    }
    return true;
}

void
lw_fact_finish(const struct lw_offsets *o, struct lw_fact *f, unsigned width)
{
    if (f->level == LW_LEVEL_VARYING || f->level == LW_LEVEL_UNSEEN)
        return;
    f->level = f->offsets == o->zero ? LW_LEVEL_UNIFORM : LW_LEVEL_STRIDED;
    if (width == 1 && f->level == LW_LEVEL_STRIDED) { /* a condition is uniform or a mask */
        *f = lw_fact_varying(width);
        return;
    }
    if (f->known >= width)
        f->known = 64;
    f->residue = lw_zero_extend(f->residue, f->known < width ? f->known : width);
    if (f->known == 0)
        f->residue = 0;
    if (f->level == LW_LEVEL_UNIFORM) {
        f->exact_signed = f->exact_unsigned = LW_PROVED;
        f->group_uniform |= f->known == 64; /* a constant */
        return;
    }
    f->group_uniform = false;
    if (f->known < width && lw_fact_stays_below(o, f)) {
        f->exact_signed = f->exact_unsigned = LW_PROVED;
        return;
    }
    if ((__int128)f->hi - f->lo < (__int128)1 << (width - 1)) {
        f->exact_signed = LW_PROVED;
        if (f->lo >= 0)
            f->exact_unsigned = LW_PROVED;
    }
}

struct lw_fact
lw_fact_join(struct lw_fact a, struct lw_fact b, unsigned width)
{
    if (a.level == LW_LEVEL_UNSEEN)
        return b;
    if (b.level == LW_LEVEL_UNSEEN)
        return a;
    struct lw_fact f = a;
    f.lo = a.lo < b.lo ? a.lo : b.lo;
    f.hi = a.hi > b.hi ? a.hi : b.hi;
    if (a.level == LW_LEVEL_VARYING || b.level == LW_LEVEL_VARYING || a.offsets != b.offsets) {
        struct lw_fact varying = lw_fact_varying(width);
        varying.lo = f.lo;
        varying.hi = f.hi;
        return varying;
    }
    f.group_uniform &= b.group_uniform;
    f.assumes |= b.assumes;
    f.in_buffer |= b.in_buffer;
    f.exact_signed = lw_weaker(a.exact_signed, b.exact_signed);
    f.exact_unsigned = lw_weaker(a.exact_unsigned, b.exact_unsigned);
    uint64_t differ = a.residue ^ b.residue;
    unsigned same = differ ? (unsigned)__builtin_ctzll(differ) : 64;
    unsigned known = lw_weaker(a.known, b.known);
    f.known = (uint8_t)(known < same ? known : same);
    if (f.known < 64)
        f.residue = lw_zero_extend(f.residue, f.known);
    if (f.known == 0)
        f.residue = 0;
    return f;
}
