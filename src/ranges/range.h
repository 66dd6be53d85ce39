/* SPDX-License-Identifier: MIT */
/* A checked NDRange, cut into work-groups. */
#ifndef LW_SRC_RANGE_H
#define LW_SRC_RANGE_H

#include "../objects.h"

struct lw_range {
    uint32_t dimensions;
    uint64_t global[3], local[3], offset[3]; /* unused dimensions: 1, 1, 0 */
    uint64_t groups[3];                      /* work-groups along each dimension */
    uint64_t full[3];                        /* of them, those of full size: groups[d] or groups[d] - 1 */
    uint64_t total_groups, total_items;
    uint64_t group_items; /* of a full work-group */
    uint64_t first_group,
        end_group;           /* those that run, of all: 0 and total_groups but for lw_kernel_run_slab */
    uint8_t lanes_dimension; /* of the kernel's, that is dimension 0 here, and the other way round */
    bool keeps_groups;       /* is not cut anew */
    bool shares;             /* rows of dimension 0 have loads in common, and lanes */
    bool stretched;          /* dimension 0 is as long as the kernel's loop, not as was asked for */
};

/* Refuses, with a sentence, what no dispatch of this kernel may have. Zero global sizes are legal:
 * total_groups is 0 then. A zero local size is filled in by lw_suggest_local_size. */
bool lw_range_check(const lw_kernel *kernel, const lw_ndrange *asked, struct lw_range *range,
                    lw_error *error);
/* The same without cutting it: what is counted in work-groups is not set. */
bool lw_range_validate(const lw_kernel *kernel, const lw_ndrange *asked, struct lw_range *range,
                       lw_error *error);
/* Cuts the checked range anew into work-groups of another size. */
void lw_range_cut(struct lw_range *range, const uint64_t local[3]);
/* Another size in dimension 0; to be cut afterwards. */
void lw_range_stretch(struct lw_range *range, uint64_t size);
/* Lets dimensions 0 and `dimension` change places; to be cut afterwards. */
void lw_range_turn(struct lw_range *range, unsigned dimension);

/* The local size that a kernel requires, 1 in dimensions that it does not name, and its work-items; 0: it
 * requires none. More than LW_MAX_WORK_GROUP where there are too many: as many as may be. */
uint64_t lw_required_local_size(const lw_kernel_info *info, uint64_t local[3]);

/* suggest.c. The work-group size where the caller leaves it to us; global and dimensions of `range` are set.
 */
void lw_suggest_local_size(const lw_kernel *kernel, const struct lw_range *range, uint64_t local[3]);
/* The most work-items of a work-group of sub-groups of `n`: its private variables may have to live all at
 * once. */
uint32_t lw_most_work_items(const struct lw_kernel_desc *desc, uint32_t n);
/* A block of at most `most` (a power of two) work-items whose rows follow dimension 0, with as little
 * remainder as may be. */
void lw_choose_block(const uint64_t global[3], uint64_t most, uint64_t local[3]);

#endif
