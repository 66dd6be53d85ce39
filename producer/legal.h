/* SPDX-License-Identifier: MIT */
/* LLVM IR of OpenCL C made legal for LLVM's SPIR-V back end, which writes what SPIR-V does not have, or asks
 * it to be what it is not, without a word.
 *
 * Legal are vectors of 2, 3, 4, 8 and 16 components, and integers of 1, 8, 16, 32 and 64 bits.
 */
#ifndef LW_PRODUCER_LEGAL_H
#define LW_PRODUCER_LEGAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

typedef LLVMValueRef V;
typedef LLVMTypeRef T;

#define LW_MOST_COMPONENTS 256u

/* What a pass knows of its function, and where it writes. */
struct lw_legal {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    V function;
    const char *why; /* set where something cannot be made legal */
};

/* ---- legal.c ---- */

/* Every row of the table over every function; false and `why` where something cannot be made legal. */
bool lw_make_legal(LLVMModuleRef module, const char **why);

/* ---- rewrite.c ---- */

bool lw_is_legal_length(unsigned components);
bool lw_is_legal_width(unsigned bits);
/* The next legal width; 0 above 64. */
unsigned lw_wider(unsigned bits);
T lw_scalar_of(T type);        /* of a vector, or the type itself */
unsigned lw_count_of(T type);  /* components; 1 of a scalar */
unsigned lw_bits_of(T scalar); /* of integers and floating-point numbers; 0 of others */
/* The name of the function that is called; "": none, or through a pointer. */
const char *lw_called(V call);
/* Of the names, the one that it begins with; `count`: none. */
unsigned lw_which_call(V call, const char *const *names, unsigned count);
/* The builder goes before the instruction (behind the phis, if it is one). */
void lw_write_at(struct lw_legal *l, V instruction);
/* Component `k` of a value of vector type, or a scalar itself: of a constant without an instruction. */
V lw_part(struct lw_legal *l, V value, unsigned k);
/* A value of `type` of its components. */
V lw_whole(struct lw_legal *l, T type, V *parts);
/* A number: in each component, if `type` is a vector. */
V lw_number(struct lw_legal *l, T type, uint64_t k);
/* An instruction that is `pointer` as one to an element, which tells the back end so. */
V lw_address(struct lw_legal *l, V pointer, T element);
/* Each instruction of the function for which `meant` gives another value is replaced by it; `meant` sets
   `why` where it cannot, which ends the walk. False if it did. */
bool lw_replace_each(struct lw_legal *l, V (*meant)(struct lw_legal *l, V instruction));
/* What `made` is written in the place of may have been promised to be computed faster: so is it, then. */
void lw_keep_fast_math(V instead_of, V made);
/* Bits of `from`, `count` values one behind the other, as `to_count` values of `to`. */
void lw_regroup(struct lw_legal *l, V *from, unsigned count, T to, unsigned to_count, V *out);

/* ---- lengths_memory.c ---- */

/* Of an access of so many parts, the length of the next vector, or 1. */
unsigned lw_next_length(unsigned left);
/* All parts that a load brings; and those from `first` on, in one vector or alone, that a store takes. */
void lw_load_parts(struct lw_legal *l, V load, T scalar, unsigned count, V *out);
void lw_store_piece(struct lw_legal *l, V store, T scalar, unsigned first, unsigned length, V *parts);

/* ---- reach.c ---- */

/* Of a program that is linked to nothing: without the functions that no kernel reaches. */
void lw_drop_unreached(LLVMModuleRef module);

/* ---- long_arrays.c ---- */

/* False: no memory. */
bool lw_part_long_arrays(LLVMModuleRef module);

/* ---- The rows ---- */
bool lw_legal_conversions(struct lw_legal *l);
bool lw_legal_overflows(struct lw_legal *l);
bool lw_legal_funnels(struct lw_legal *l);
bool lw_legal_intrinsics(struct lw_legal *l);
bool lw_legal_extremes(struct lw_legal *l);
bool lw_legal_classes(struct lw_legal *l);
bool lw_legal_orders(struct lw_legal *l);
bool lw_legal_reductions(struct lw_legal *l);
bool lw_legal_lengths(struct lw_legal *l);
bool lw_legal_truths(struct lw_legal *l);
bool lw_legal_widths(struct lw_legal *l);
bool lw_legal_extensions(struct lw_legal *l);
bool lw_legal_nulls(struct lw_legal *l);
bool lw_legal_steps(struct lw_legal *l);
bool lw_legal_copies(struct lw_legal *l);
bool lw_legal_fused(struct lw_legal *l);
bool lw_legal_operands(struct lw_legal *l);

#endif
