/* SPDX-License-Identifier: MIT */
/* Functions that are kept as calls, where inlining them everywhere would pass a budget (jit/keep_calls.c).
 *
 * In scalar code such a function is called kept.NAME: a function of one work-item's values, of the kernel's
 * language: it asks for ids, lanes and memory as lw.kernel does, but has no operation of the work-group. It
 * may call others of its kind; none is recursive.
 *
 * Widened it is one function for each *instance*, that is for each set of parameters that are uniform where
 * it is called: lanes.NAME.K(ptr context, mask, parameters...).
 *
 *   mask         the lanes that are active; never none: calls are guarded where that is not known. Passed as
 *                an integer of bits with AVX-512, else as bytes: the calling convention has no vectors of i1
 *   parameters   uniform ones as they are, others as vectors, one for each leaf of the type (widener.h)
 *   result       likewise: uniform where it is by the uniform parameters alone
 *   context      what the function asks of the work-group and the sub-group, and room for its private arrays:
 *                memory of the sub-group function (kept_context.c)
 *
 * Pointers into private memory vary: each lane has its object. An array whose address is passed on lies lane
 * by lane (private_arrays.c), and the function gathers and scatters.
 *
 *   kernel     x = f(p, n, gid)   ->   lw.subgroup   x = lanes.f.0(context, mask, p, n, <gid...>)
 *   kept.f     (ptr, i32, i32)         lanes.f.0     n uniform, the others vectors
 *
 * Which instance a call needs is found in the fixpoint of uniformity.c: facts of arguments only get weaker,
 * so a call asks for weaker and weaker instances, and each is analysed once, with its calls. At most
 * MOST_INSTANCES of a function (kept.c); further calls take the one in which everything varies.
 */
#ifndef LW_VECTORIZER_KEPT_H
#define LW_VECTORIZER_KEPT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../src/compiler.h"

struct lw_model;
struct lw_uniformity;

#define LW_KEPT_PREFIX "kept."
#define LW_KEPT_ASKS "lw.asks" /* attribute: a loop may wait by something in it (flow/wait_sources.h) */
#define LW_KEPT_PARAMS 64  /* no more: such functions are inlined */
#define LW_KEPT_LEAVES 256 /* of one parameter or result */

/* A scalar function that is kept. */
bool lw_is_kept(LLVMValueRef function);
bool lw_has_kept(LLVMModuleRef module);
/* A widened one. */
bool lw_is_kept_lanes(LLVMValueRef function);

struct lw_kept_instance {
    struct lw_kept_function *function;
    bool uniform[LW_KEPT_PARAMS]; /* by parameter */
    bool uniform_result;
    struct lw_uniformity *u;
    LLVMValueRef lanes;            /* the widened function, NULL: nobody calls it so far */
    struct lw_kept_instance *next; /* of the function; */
    struct lw_kept_instance *wait; /* of those that are called and not written */
    unsigned number;
};

struct lw_kept_function {
    LLVMValueRef scalar;
    struct lw_model *model;
    struct lw_kept_instance *instances;
    unsigned count;
};

/* One for each widening. */
struct lw_kept {
    struct lw_shape shape; /* buffers_4g and _apart are not known of pointers that are passed */
    struct lw_kept_function *functions;
    uint32_t function_count;
    struct lw_kept_instance *first, *last; /* the waiting ones */
    unsigned scratch;                      /* pieces of lw.group_scratch used */
    bool failed;                           /* out of memory */
};

/* NULL and *why where a model cannot be built or there is no memory. */
struct lw_kept *lw_kept_open(LLVMModuleRef module, const struct lw_shape *shape, const char **why);
void lw_kept_close(struct lw_kept *kept);
/* The instance for a call with these uniform arguments; NULL: out of memory. */
struct lw_kept_instance *lw_kept_find(struct lw_kept *kept, LLVMValueRef callee, const bool *uniform);
/* The next one that is called and has no body; NULL: none. */
struct lw_kept_instance *lw_kept_next(struct lw_kept *kept);

/* kept_context.c */
/* The name of the alloca for private arrays of kept functions: nothing in it outlives a call. */
#define LW_KEPT_ROOM "kept.room"
/* Behind clean-up, before the work-group function: answers what kept functions ask. */
bool lw_pass_contexts(LLVMModuleRef module);

#endif
