/* SPDX-License-Identifier: MIT */
/* Critical edges of large functions. */
#ifndef LW_VECTORIZER_CRITICAL_EDGES_H
#define LW_VECTORIZER_CRITICAL_EDGES_H

#include "../facts/model.h"

/* Enters: branches and one return, of which the model tells no more behind it. Leaves: no critical edges but
 * very many breaks of one loop to one place. false: out of memory. */
bool lw_split_critical_edges(const struct lw_model *model, bool *changed);

#endif
