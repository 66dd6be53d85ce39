/* SPDX-License-Identifier: MIT */
/* The roots of the uniformity analysis: ids as base + offsets per lane, where the shape makes them so.
 *
 * Lanes are linear over the work-group, and a sub-group's first linear id is a multiple of W. With P the
 * product of the lower local sizes, local_id(d) = (linear / P) % local_size(d): uniform where W divides P, a
 * table that is the same in every sub-group where P divides W and rows do not straddle sub-groups in
 * different ways. The lanes of the tail sub-group that do not exist go on counting in the highest dimension,
 * hence no modulo there.
 *
 * Enters: a call of an id and the shape. Leaves: its fact. Relies on: queries.c and widen/ids.c making ids
 * so.
 */
#include "roots.h"

#define ANY_ID INT64_C(0x3fffffffffffffff) /* no range runs longer than this */
#define ID31 INT64_C(0x7fff003e)           /* 2^31 - 2^16 - 1, and up to 63 lanes that do not exist */

static unsigned
log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static struct lw_fact
with_range(struct lw_fact f, int64_t lo, int64_t hi)
{
    if (lo > f.lo)
        f.lo = lo;
    if (hi < f.hi)
        f.hi = hi;
    return f;
}

/* Offsets, and the low bits of the base that are known to be zero. */
static struct lw_fact
strided(struct lw_offsets *o, const int64_t *table, unsigned known, int64_t hi, unsigned width)
{
    struct lw_fact f = lw_fact_uniform(o, width, false);
    f.offsets = lw_offsets_intern(o, table);
    f.known = (uint8_t)known;
    f.exact_signed = f.exact_unsigned = LW_NOT_PROVED;
    f = with_range(f, 0, hi);
    lw_fact_finish(o, &f, width);
    return f;
}

static struct lw_fact
linear(struct lw_offsets *o, unsigned known, int64_t hi, unsigned width)
{
    return strided(o, lw_offsets_linear(o, 1), known, hi, width);
}

static bool
has_constants(const struct lw_shape *s)
{
    return s->local_size[0] && s->local_size[1] && s->local_size[2];
}

/* No work-item has an id other than zero in dimension `d`. */
static bool
is_flat(const struct lw_shape *s, unsigned d)
{
    return d >= s->work_dim || d > 2 || (s->flat && d > 0) || (has_constants(s) && s->local_size[d] == 1);
}

static bool
is_one_dimensional(const struct lw_shape *s)
{
    return is_flat(s, 1) && is_flat(s, 2);
}

/* local_id(d) with constant local sizes. */
static struct lw_fact
local_id_constant(struct lw_offsets *o, const struct lw_shape *s, unsigned d, unsigned width)
{
    uint64_t w = s->lanes, lower = 1, total = 1, size = s->local_size[d];
    bool top = true;
    for (unsigned k = 0; k < 3; k++) {
        lower *= k < d ? s->local_size[k] : 1;
        total *= s->local_size[k];
        top &= k <= d || s->local_size[k] == 1;
    }
    int64_t hi = top ? (int64_t)(((total + w - 1) / w * w - 1) / lower) : (int64_t)size - 1;
    if (lower % w == 0)
        return with_range(lw_fact_uniform(o, width, false), 0, hi);
    if (w % lower != 0)
        return with_range(lw_fact_varying(width), 0, hi);
    uint64_t rows = w / lower;
    bool whole = top || size % rows == 0, repeats = !top && rows % size == 0;
    int64_t table[LW_MAX_LANES] = {0};
    if (!whole && !repeats)
        return with_range(lw_fact_varying(width), 0, hi);
    for (uint64_t i = 0; i < w; i++)
        table[i] = (int64_t)(whole ? i / lower : i / lower % size);
    return strided(o, table, whole ? log2_of(rows) : 64, hi, width);
}

static struct lw_fact
local_id(struct lw_offsets *o, const struct lw_shape *s, unsigned d, unsigned width)
{
    int64_t hi = s->index31 ? ID31 : ANY_ID;
    unsigned aligned = log2_of(s->lanes);
    if (is_flat(s, d))
        return lw_fact_constant(o, width, 0);
    if (has_constants(s))
        return local_id_constant(o, s, d, width);
    if (is_one_dimensional(s))
        return linear(o, aligned, hi, width);
    if (s->row_multiple)
        return d == 0 ? linear(o, aligned, hi, width) : with_range(lw_fact_uniform(o, width, false), 0, hi);
    return with_range(lw_fact_varying(width), 0, hi);
}

/* group_id(d) * local_size(d) + offset(d) + local_id(d): the offsets are those of local_id. */
static struct lw_fact
global_id(struct lw_offsets *o, const struct lw_shape *s, unsigned d, unsigned width)
{
    struct lw_fact local = local_id(o, s, d, width), f = lw_fact_uniform(o, width, is_flat(s, d));
    if (d >= s->work_dim || d > 2)
        return lw_fact_constant(o, width, 0);
    if (s->index31 || s->offset_zero)
        f = with_range(f, 0, s->index31 ? ID31 : ANY_ID);
    if (local.level == LW_LEVEL_VARYING) {
        struct lw_fact varying = lw_fact_varying(width);
        return with_range(varying, f.lo, f.hi);
    }
    unsigned step = 0; /* log2 of what the first id of a work-group is a multiple of */
    if (s->offset_zero && has_constants(s))
        step = log2_of(s->local_size[d]);
    else if (s->offset_zero && s->row_multiple && d == 0)
        step = log2_of(s->lanes);
    f.known = (uint8_t)(local.known < step ? local.known : step);
    f.offsets = local.offsets;
    lw_fact_finish(o, &f, width);
    return f;
}

static struct lw_fact
global_linear_id(struct lw_offsets *o, const struct lw_shape *s, unsigned width)
{
    int64_t hi = s->index31 && s->work_dim == 1 ? ID31 : ANY_ID;
    if (s->work_dim == 1 || s->row_multiple || (has_constants(s) && s->local_size[0] % s->lanes == 0))
        return linear(o, 0, hi, width);
    return with_range(lw_fact_varying(width), 0, hi);
}

struct lw_fact
lw_root_fact(struct lw_offsets *o, const struct lw_shape *s, enum lw_call_id id, enum lw_call_same same,
             unsigned dim, unsigned width)
{
    struct lw_fact none = {.level = LW_LEVEL_UNSEEN};
    if (!width)
        return none;
    switch (id) {
    case LW_CALL_LOCAL_ID: return local_id(o, s, dim, width);
    case LW_CALL_GLOBAL_ID: return global_id(o, s, dim, width);
    case LW_CALL_LOCAL_LINEAR_ID: return linear(o, log2_of(s->lanes), s->index31 ? ID31 : ANY_ID, width);
    case LW_CALL_GLOBAL_LINEAR_ID: return global_linear_id(o, s, width);
    case LW_CALL_SUB_GROUP_LOCAL_ID: return linear(o, 64, (int64_t)s->lanes - 1, width);
    default: break;
    }
    if (same < LW_SAME_SUB_GROUP)
        return none;
    struct lw_fact f = lw_fact_uniform(o, width, same == LW_SAME_GROUP);
    switch (id) {
    case LW_CALL_LOCAL_BASE:
    case LW_CALL_PROGRAM_BASE:
    case LW_CALL_MEMORY_BEGIN:
    case LW_CALL_MEMORY_END: return f;
    case LW_CALL_GLOBAL_OFFSET:
        if (!s->offset_zero && !s->index31)
            return f;
        /* fall through */
    default: return with_range(f, 0, s->index31 ? INT32_MAX : ANY_ID);
    }
}
