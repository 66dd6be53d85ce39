/* SPDX-License-Identifier: MIT */
/* Conditions that all lanes of a sub-group answer alike although they compare ids, and what follows for
 * barriers. */
#ifndef LW_VECTORIZER_AGREEMENT_H
#define LW_VECTORIZER_AGREEMENT_H

#include "model.h"
#include "offsets.h"

/* Is `x p y` equal in all lanes? Both are uniform or strided, integers of `width` bits. */
bool lw_lanes_agree(unsigned lanes, LLVMIntPredicate p, const struct lw_fact *x, const struct lw_fact *y,
                    unsigned width);
/* By block, and one more: how many work-group operations there are in the blocks before. `batched` is not
 * NULL: of the atomics that a work-group does at once (batches.h) in their place. */
uint32_t *lw_count_meetings(struct lw_arena *arena, const struct lw_model *m, const bool *batched);
/* Does the branch of block `b` decide which barriers, or batches, come next? */
bool lw_leads_to_barriers(const struct lw_model *m, const uint32_t *barriers, uint32_t b);

#endif
