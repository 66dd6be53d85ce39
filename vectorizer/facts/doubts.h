/* SPDX-License-Identifier: MIT */
/* Is it in doubt how many lanes a kernel is best run with? */
#ifndef LW_VECTORIZER_DOUBTS_H
#define LW_VECTORIZER_DOUBTS_H

#include "uniformity.h"

/* Does it loop (lanes may stray from each other there, and registers run short), or do lanes go to memory
 * each at a place of its own, or are some elements of 32 bits and others smaller, so that one kind does not
 * fill registers? Then data, caches and processor tell what a width costs. LW_LANES_STRAY: lanes leave one of
 * the loops in different rounds. */
enum lw_doubt lw_find_doubt(const struct lw_model *model, const struct lw_uniformity *u);

#endif
