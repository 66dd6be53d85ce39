/* SPDX-License-Identifier: MIT */
/* What the files that replace calls of built-in functions share. */
#ifndef LW_BUILTINS_RESOLVE_H
#define LW_BUILTINS_RESOLVE_H

#include "builtins/builtins.h"

#define LW_BUILTIN_PREFIX "lw.cl."
#define LW_IMAGE_PREFIX "lw.image."

struct lw_resolve {
    LLVMModuleRef module;
    LLVMModuleRef library; /* the slices wanted so far, linked into `module` at the end of a round; or NULL */
    LLVMContextRef context;
    LLVMBuilderRef builder;
    lw_isa isa;
    lw_error *error;
};

/* ---- wanted_slices.c ---- */

/* The function `name` of `module`, declared with `type` if it is new. */
LLVMValueRef lw_builtin_declare(struct lw_resolve *r, const char *name, LLVMTypeRef type);
/* Adds the slice `name` to the library. */
bool lw_builtin_want(struct lw_resolve *r, const char *name);
/* Links what was wanted into the module: once a round, as each link walks the whole of it. */
bool lw_builtin_link(struct lw_resolve *r);
/* Fills the error and returns false. */
bool lw_builtin_fail(struct lw_resolve *r, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- The rows of a round ---- */

/* powers.c: replaces the calls of pow or pown that have a small whole constant as their exponent. */
void lw_builtin_small_powers(struct lw_resolve *r, LLVMValueRef f);

/* pairs.c: makes sin and cos of the same operand one sincos. */
void lw_builtin_join_sincos(struct lw_resolve *r);

/* soften.c: removes what x86 has no instructions for in half: double to half at every level; everything that
 * computes or converts at SSE4.2. Its slices are left in the library. */
bool lw_builtin_soften_half(struct lw_resolve *r);

#endif
