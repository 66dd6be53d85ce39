/* SPDX-License-Identifier: MIT */
/* Loops that end whatever their values are. */
#ifndef LW_VECTORIZER_ENDINGS_H
#define LW_VECTORIZER_ENDINGS_H

#include "model.h"

/* Does a test in each round of `loop` see to it? Asked of loops that no work-item is in: what they compute
 * there, of loads that did not happen, is no work-item's, and may be anything. false: not known. */
bool lw_loop_ends(const struct lw_model *m, uint32_t loop);

#endif
