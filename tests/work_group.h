/* SPDX-License-Identifier: MIT */
/* One work-group of a launch, as the specification has it: what tests that call lw_run themselves expect by.
 * */
#ifndef LW_TESTS_WORK_GROUP_H
#define LW_TESTS_WORK_GROUP_H

#include <stdint.h>

#include "../src/compiler.h"

struct range {
    uint32_t dims;
    uint64_t global[3], local[3], offset[3];
};

struct group {
    struct lw_launch launch;
    uint64_t id[3], size[3], n, linear;
    /* Given to the kernel: */
    uint64_t lanes;
    const int32_t *in; /* of this group; */
    const int32_t *all;
    uint32_t arg;
};

static inline void
set_group(struct group *g, const struct range *r, uint64_t linear)
{
    uint64_t rest = linear;
    g->launch.work_dim = r->dims;
    g->linear = linear;
    g->n = 1;
    for (int d = 0; d < 3; d++) {
        g->launch.global_size[d] = r->global[d];
        g->launch.global_offset[d] = r->offset[d];
        g->launch.local_size[d] = r->local[d];
        g->launch.num_groups[d] = (r->global[d] + r->local[d] - 1) / r->local[d];
        g->id[d] = rest % g->launch.num_groups[d];
        rest /= g->launch.num_groups[d];
        uint64_t left = r->global[d] - g->id[d] * r->local[d];
        g->size[d] = left < r->local[d] ? left : r->local[d];
        g->n *= g->size[d];
    }
}

#endif
