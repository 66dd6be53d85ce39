/* SPDX-License-Identifier: MIT */
/* Numbers and ids of work-groups, see group_grid.h. */
#include "group_grid.h"

uint64_t
lw_stretch_end(const struct lw_group_grid *g, uint64_t first, bool *full)
{
    const uint64_t *n = g->groups, *f = g->full;
    uint64_t row = first / n[0], x = first % n[0], y = row % n[1], z = row / n[1];
    uint64_t row_start = row * n[0], plane_start = z * n[0] * n[1];
    if (f[0] == n[0] && f[1] == n[1]) {
        *full = z < f[2];
        return *full ? f[2] * n[0] * n[1] : g->end;
    }
    if (z >= f[2]) {
        *full = false;
        return g->end;
    }
    if (y >= f[1]) {
        *full = false;
        return plane_start + n[0] * n[1];
    }
    if (f[0] == n[0]) {
        *full = true;
        return plane_start + f[1] * n[0];
    }
    *full = x < f[0];
    return *full ? row_start + f[0] : row_start + n[0];
}

void
lw_exchange_dimensions(const struct lw_group_grid *g, uint64_t v[3])
{
    uint64_t first = v[0];
    v[0] = v[g->lanes_dimension];
    v[g->lanes_dimension] = first;
}

void
lw_find_group(const struct lw_group_grid *g, uint64_t number, uint64_t ids[3])
{
    uint64_t row = number / g->groups[0];
    ids[0] = number % g->groups[0];
    ids[1] = row % g->groups[1];
    ids[2] = row / g->groups[1];
    lw_exchange_dimensions(g, ids);
}
