/* SPDX-License-Identifier: MIT */
/* Loops of very many exits get one. */
#ifndef LW_VECTORIZER_MANY_EXITS_H
#define LW_VECTORIZER_MANY_EXITS_H

#include "../facts/model.h"

/* Enters: LCSSA and simple loops, of which the model tells no more where `*changed`. Leaves: switches then.
 * false: out of memory. */
bool lw_join_many_exits(const struct lw_model *model, bool *changed);

#endif
