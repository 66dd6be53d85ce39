/* SPDX-License-Identifier: MIT */
/* The work-groups of a dispatch in the order in which they run: numbers, ids, full and remainder ones. */
#ifndef LW_SRC_GROUP_GRID_H
#define LW_SRC_GROUP_GRID_H

#include <stdbool.h>
#include <stdint.h>

struct lw_group_grid {
    uint64_t groups[3], full[3]; /* work-groups, and those of them that have the whole local size */
    uint64_t end;                /* the one behind the last that runs */
    uint8_t lanes_dimension;     /* of the kernel, that is dimension 0 here */
};

/* Where the stretch of equal work-groups (all full, or all not) that begins at `first` ends. */
uint64_t lw_stretch_end(const struct lw_group_grid *g, uint64_t first, bool *full);
/* Dimensions as the kernel has them, or back. */
void lw_exchange_dimensions(const struct lw_group_grid *g, uint64_t v[3]);
/* The ids, as the kernel has them, of the work-group of which `number` go before it. */
void lw_find_group(const struct lw_group_grid *g, uint64_t number, uint64_t ids[3]);

#endif
