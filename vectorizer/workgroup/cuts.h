/* SPDX-License-Identifier: MIT */
/* Where the sub-group function is cut: a partition of its code into single-entry regions.
 *
 * A piece is the part of a block between two barriers. The cuts are the entry, every piece after a barrier,
 * and the iterated dominance frontier of these: so every other piece is reached from exactly one cut, its
 * nearest dominator among them, and belongs to that cut's region. The sizes of all regions add up to the
 * function's.
 */
#ifndef LW_VECTORIZER_CUTS_H
#define LW_VECTORIZER_CUTS_H

#include <stdbool.h>
#include <llvm-c/Core.h>
#include "../../spirv/graph.h"
#include "../facts/value_map.h"

struct lw_piece {
    LLVMBasicBlockRef block;
    LLVMValueRef first; /* its first instruction */
    LLVMValueRef end;   /* the barrier that ends it, NULL where the block's terminator does */
    uint32_t region;
    uint32_t succ_begin; /* into lw_cuts.succs: pieces, in the order of the terminator's successors */
    uint32_t succ_end;
};

struct lw_region {
    uint32_t cut;         /* the piece it begins with */
    uint32_t piece_begin; /* into lw_cuts.region_pieces, in reverse post-order */
    uint32_t piece_end;
    uint32_t target_begin; /* into lw_cuts.targets: regions that it may go to, distinct; */
    uint32_t target_end;   /* lw_cuts.region_count stands for the kernel's end */
    bool irreducible; /* a loop in it may be entered elsewhere than at the piece that edges lead back to */
    bool cyclic;      /* may run more than once per work-group (a superset) */
};

struct lw_cuts {
    struct lw_piece *pieces; /* in reverse post-order, unreachable code left out */
    uint32_t piece_count;
    uint32_t *succs;
    struct lw_region *regions; /* the entry's first */
    uint32_t region_count;
    uint32_t *region_pieces;
    uint32_t *targets;
};

/* `merge_all`: barriers mean nothing (one sub-group per work-group), one region. Leaves by lw_arena_leave
 * where there is no memory. */
struct lw_cuts *lw_find_cuts(struct lw_arena *arena, LLVMValueRef function, bool merge_all);

#endif
