/* SPDX-License-Identifier: MIT */
/* A function's control flow as a graph of numbers. */
#ifndef LW_VECTORIZER_FLOW_GRAPH_H
#define LW_VECTORIZER_FLOW_GRAPH_H

#include <llvm-c/Core.h>

#include "../../spirv/graph.h"

/* The blocks that are reached from the entry, in reverse post-order (of the arena); `graph` has their edges,
 * to successors as their terminators have them. Changes nothing. */
LLVMBasicBlockRef *lw_read_flow(struct lw_arena *arena, LLVMValueRef function, struct lw_graph *graph);

#endif
