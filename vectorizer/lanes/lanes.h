/* SPDX-License-Identifier: MIT */
/* A small vocabulary for code over lanes: every helper emits at the builder's position, for `n` lanes, the
 * best sequence the ISA level has. A mask is <n x i1>; `NULL` as a mask means all lanes. Vectors are <n x T>.
 */
#ifndef LW_VECTORIZER_LANES_H
#define LW_VECTORIZER_LANES_H

#include <llvm-c/Core.h>
#include <lanewise/lanewise.h>

#include "isa.h"

struct lw_lanes {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    /* Being written: helpers may add blocks to it and leave the builder in a new one. */
    LLVMValueRef function;
    unsigned n;      /* lanes: 4, 8, 16, 32, 64 */
    unsigned summed; /* parts that a work-group's sum is kept in: N; 0: n */
    unsigned detours; /* branches for accesses that may need them, so far */
    lw_isa isa;
    /* Called where an operation is serialised lane by lane for want of a vector form; may be NULL. */
    void (*serialised)(void *data, const char *what);
    void *serialised_data;
};

typedef struct lw_lanes lw_lanes;
typedef LLVMValueRef V;

/* Types and constants */
LLVMTypeRef lane_type(lw_lanes *l, LLVMTypeRef element); /* <n x T> */
V lane_iota(lw_lanes *l, LLVMTypeRef int_element);       /* 0, 1, 2, ... */
V lane_offsets(lw_lanes *l, LLVMTypeRef int_element, const int64_t *offsets);
V lane_splat(lw_lanes *l, V scalar);                   /* the same in each lane */
V lane_int(lw_lanes *l, unsigned bits, int64_t value); /* scalar constant */
V lane_all_true(lw_lanes *l);
bool lane_mask_is_all(V mask); /* NULL or the constant */
bool lane_mask_is_known(V mask, uint64_t *lanes); /* a constant: the active lanes, lane 0 in bit 0 */

/* Masks */
V lane_mask_bits(lw_lanes *l, V mask);           /* i<n>, lane 0 in bit 0 */
V lane_mask_bits64(lw_lanes *l, V mask);         /* i64 */
V lane_mask_from_bits(lw_lanes *l, V bits);      /* i<n> or i64 -> <n x i1> */
V lane_any(lw_lanes *l, V mask);                 /* i1 */
V lane_all(lw_lanes *l, V mask);                 /* i1 */
V lane_and(lw_lanes *l, V a, V b);               /* NULL-aware, poison-safe (select) */
V lane_first(lw_lanes *l, V mask);               /* i32: lowest active lane; 0 where none */
V lane_last(lw_lanes *l, V mask);                /* i32: highest active lane; 0 where none */
V lane_mask_below(lw_lanes *l, V count);         /* lane < count (i32/i64 scalar, signed) */
V lane_select(lw_lanes *l, V mask, V on, V off); /* NULL mask: `on` */

/* Single lanes */
V lane_extract(lw_lanes *l, V vector, V lane); /* any integer type */

/* Memory. Pointers are scalar or <n x ptr>; `align` in bytes is that of one lane's access. Inactive lanes
 * neither read nor write nor trap. Results of inactive lanes are zero or anything, never poison. */
/* Scalar: one guarded load of any type; zero where no lane is active. */
V lane_load_uniform(lw_lanes *l, LLVMTypeRef type, V pointer, V mask, unsigned align, bool is_volatile);
/* All lanes to one address: the last active lane's value stays. */
void lane_store_uniform(lw_lanes *l, V vector, V pointer, V mask, unsigned align);
/* Lane i at pointer + i. */
V lane_load_contiguous(lw_lanes *l, LLVMTypeRef element, V pointer, V mask, unsigned align);
void lane_store_contiguous(lw_lanes *l, V vector, V pointer, V mask, unsigned align);
/* The active lanes one after the other, the first of them at `pointer`. */
void lane_store_compressed(lw_lanes *l, V vector, V pointer, V mask, unsigned align);
/* Records of `count` integers each in memory that is the caller's alone, with room for those of all lanes:
 * the active lanes' one after the other from `pointer` on. Behind the last one anything is written. */
void lane_pack_records(lw_lanes *l, V *values, unsigned count, V pointer, V mask);
void lane_unpack_records(lw_lanes *l, LLVMTypeRef element, unsigned count, V pointer, V mask, V *results);
bool lane_has_compress(lw_lanes *l, LLVMTypeRef element); /* is there an instruction for it? */
/* Each lane at its own address. Of lanes with one address the highest active one is stored. */
V lane_gather(lw_lanes *l, LLVMTypeRef element, V pointers, V mask, unsigned align);
void lane_scatter(lw_lanes *l, V vector, V pointers, V mask, unsigned align);
/* The same, but many bytes or shorts in a loop: compiled in a third of the time, and lanes that are not
 * active cost nothing. For what no lane waits to read again. */
void lane_scatter_away(lw_lanes *l, V vector, V pointers, V mask, unsigned align);
/* `count` fields of `element` type at consecutive addresses per lane, lane i's record at pointer + i * stride
 * bytes, stride = count * size: one wide load and shuffles. results/values: `count` vectors. */
void lane_load_interleaved(lw_lanes *l, LLVMTypeRef element, unsigned count, V pointer, V mask,
                           unsigned align, V *results);
void lane_store_interleaved(lw_lanes *l, LLVMTypeRef element, unsigned count, V *values, V pointer, V mask,
                            unsigned align);

/* Where each lane's vector is: `pointers`, and where distances are known, base + offsets[lane] too. */
struct lw_lane_places {
    V pointers, base;
    const int64_t *offsets;
};
/* Vectors of `count` components, a lane's where it says: moved whole. `lane_moves_vectors`: is there one? */
bool lane_moves_vectors(lw_lanes *l, LLVMTypeRef element, unsigned count, unsigned align, bool stores);
void lane_gather_vectors(lw_lanes *l, LLVMTypeRef element, unsigned count,
                         const struct lw_lane_places *places, V mask, unsigned align, V *results);
void lane_scatter_vectors(lw_lanes *l, V *values, unsigned count, const struct lw_lane_places *places, V mask,
                          unsigned align);

/* Arithmetic with no good instruction. Inactive lanes do not trap. */
V lane_divide(lw_lanes *l, LLVMOpcode op, V a, V b, V mask); /* UDiv SDiv URem SRem over <n x iB> */
V lane_divide_by(lw_lanes *l, LLVMOpcode op, V a, V b, V mask); /* the same by one iB for all lanes */

/* a.x * b.x + ... of four bytes packed in i32 or <n x i32> each. */
V lane_dot_4x8(lw_lanes *l, V a, V b, bool signed_a, bool signed_b);

/* Instructions of AVX-512 that the bodies of builtins/ call by their scalar forms: is `name` one, and its
 * form for all lanes, of the call of the scalar form and all lanes of its two registers.
 */
bool lane_is_native(const char *name);
V lane_native(lw_lanes *l, const char *name, V scalar, V a, V b);

/* half <-> float, scalars or vectors of any length, without library calls on any ISA level. */
V lane_half_to_float(lw_lanes *l, V value);
V lane_float_to_half(lw_lanes *l, V value); /* to nearest even */

/* Anything else, lane by lane over the active lanes: `emit` is called once, inside a loop over the set bits,
 * with the lane's number (i32) and returns a scalar (NULL for none) that lands in the result vector. */
V lane_serialise(lw_lanes *l, const char *what, V mask, LLVMTypeRef result_element,
                 V (*emit)(lw_lanes *l, V lane, void *data), void *data);
/* A vector kept in memory, for `emit` above to read single lanes of: cheaper than lane_extract inside the
 * loop. The lane (i32) must be below n. */
V lane_spill(lw_lanes *l, V vector);
V lane_reload(lw_lanes *l, LLVMTypeRef element, V spilled, V lane);

/* For AVX-512, behind the last LLVM pass and right before code generation: keeps LLVM 22 from losing mask
 * registers (late/settle.c says how). */
void lw_settle_masks(LLVMModuleRef module);
/* There too, for levels with gathers: their addresses beside them. */
void lw_settle_addresses(LLVMModuleRef module);
/* There too, before it: addresses that are used lane by lane, made so (late/apart.c). */
void lw_settle_lanes(LLVMModuleRef module, lw_isa isa);
/* For the other levels, there too: masks that outlive a block as integers (late/broaden.c). false: out of
 * memory. */
bool lw_broaden_masks(LLVMModuleRef module, lw_isa isa);
/* In the sub-group function: masks and lanes made of one condition for all (late/known.c). true: changed. */
bool lw_fold_known_lanes(LLVMModuleRef module);
/* Behind the last LLVM pass: masked accesses with lanes that are never active, made shorter. */
void lw_narrow_masks(LLVMModuleRef module, lw_isa isa);
/* There too: fmin and fmax in fewer instructions than LLVM's (late/minmax.c). `soon`: without those that
 * take more time to compile. */
void lw_settle_min_max(LLVMModuleRef module, lw_isa isa, bool soon);
/* There too, behind all others: no access asks for more than its elements' alignment (late/alignments.c). */
void lw_lower_alignments(LLVMModuleRef module, lw_isa isa);
/* There too, before masks are settled, for AVX-512: quotients by reciprocals (late/divisions.c). */
void lw_settle_divisions(LLVMModuleRef module, lw_isa isa);
/* There too, before it: floats rounded and converted to integers (late/rounding.c). */
void lw_settle_rounding(LLVMModuleRef module, lw_isa isa);
/* There too, below AVX-512: tests of numbers' classes (late/classes.c); doubles and 64-bit integers
 * (late/conversions.c). */
void lw_settle_classes(LLVMModuleRef module);
void lw_settle_conversions(LLVMModuleRef module);
/* There too, below AVX-512: products and quotients of 64-bit integers (late/words.c). */
void lw_settle_words(LLVMModuleRef module, lw_isa isa);
/* There too: halves of registers that are stored apart (late/stores.c). */
void lw_settle_stores(LLVMModuleRef module, lw_isa isa);
/* There too: single halves that are loaded, where no instruction computes them (late/half_loads.c). */
void lw_load_halves_alone(LLVMModuleRef module, lw_isa isa);
/* There too: vectors of several registers, stored in the order of memory (late/wide_stores.c). */
void lw_part_wide_stores(LLVMModuleRef module, lw_isa isa);
/* There too: loads that go far from round to round, asked for ahead (late/far_loads.c). false: out of
 * memory. */
bool lw_ask_ahead(LLVMModuleRef module, lw_isa isa);
/* There too, first: conditions and counters of divergent loops (late/rounds.c). */
void lw_settle_rounds(LLVMModuleRef module, lw_isa isa);
/* There too, for AVX-512, before lw_settle_masks: masks over several registers in parts (late/halves.c).
 * false: out of memory. */
bool lw_halve_masks(LLVMModuleRef module);
/* There too, in large modules: long loops that nothing is hoisted out of (late/long_loops.c). false: out of
 * memory. */
bool lw_enter_long_loops(LLVMModuleRef module);
/* Masks that a uniform condition turns over, below AVX-512. */
void lw_settle_flips(LLVMModuleRef module, lw_isa isa);

#endif
