/* SPDX-License-Identifier: MIT */
/* What the files of the lanes vocabulary share among themselves: parts of vectors, side memory, loops over
 * lanes. */
#ifndef LW_VECTORIZER_LANES_INTERNAL_H
#define LW_VECTORIZER_LANES_INTERNAL_H

#include "lanes.h"

#define LW_PAGE 4096

/* What alignment remains `offset` bytes further; 0: none is known. */
static inline unsigned
lw_align_at(unsigned align, uint64_t offset)
{
    uint64_t low = offset & -offset;
    align = align ? align : 1;
    return offset && low < align ? (unsigned)low : align;
}

LLVMTypeRef lw_lane_int_type(lw_lanes *l, unsigned bits); /* a scalar */
unsigned lw_lane_bits(LLVMTypeRef scalar); /* of an integer, float or pointer (64); 0: anything else */
bool lw_lane_is_float(LLVMTypeRef scalar); /* half, float, double */
/* An element that vectors are computed of as they are: conditions too, halves where the ISA computes with
 * them. */
bool lw_lane_computes(const lw_lanes *l, LLVMTypeRef scalar);
LLVMTypeRef lw_lane_element(V vector);     /* element type of a vector value; else its type */
unsigned lw_lane_count(V vector);          /* its length; 1 for a scalar */
bool lw_lane_is_vector(V value);
bool lw_lane_is_mask(V value); /* <n x i1> */
/* An instruction that makes masks of masks: a phi, and, or, xor, freeze, select by a mask or a condition. */
bool lw_lane_is_mask_logic(V value);
/* Where `bits`, a mask as a number, is read by one test alone, of any or all of its lanes: that test. */
V lw_lane_question(V bits);
/* The same test of another mask, which holds as many lanes or what several registers have in common. */
void lw_lane_ask_instead(lw_lanes *l, V bits, V test, V mask);

/* An intrinsic by its name without types, those that it is overloaded on (NULL, 0: none) and its operands. */
V lw_lane_call(lw_lanes *l, const char *intrinsic, LLVMTypeRef *overloads, unsigned overload_count, V *args,
               unsigned arg_count);
V lw_lane_call1(lw_lanes *l, const char *intrinsic, V a); /* overloaded on a's type */
V lw_lane_call2(lw_lanes *l, const char *intrinsic, V a, V b);
/* The lower 32 bits of a word of 64, the upper ones cleared; from AVX2 on. Not by a truncation: where LLVM 22
 * knows bits of that half, its instruction selection may take it for one that clears the upper half, and drop
 * the extension (X86's shrinkAndImmediate, behind a pattern that was matched already). bzhi does for sure. */
V lw_lane_lower_half(lw_lanes *l, V word);
void lw_lane_note(lw_lanes *l, const char *what); /* calls `serialised` */

/* Vectors of any length */
V lw_lane_splat_n(lw_lanes *l, V scalar, unsigned count);
V lw_lane_number(lw_lanes *l, V like, uint64_t value); /* in each lane, of its type */
V lw_lane_splat_source(V vector); /* the scalar of a splat, NULL where not seen to be one */
V lw_lane_shuffle_const(lw_lanes *l, V a, V b, const int *lanes, unsigned count); /* -1: any; b may be NULL */
V lw_lane_component(lw_lanes *l, V words, unsigned bits, unsigned k); /* of each lane's word the k-th part */
V lw_lane_part(lw_lanes *l, V vector, unsigned first, unsigned count); /* poison behind its end */
V lw_lane_concat(lw_lanes *l, V *parts, unsigned count); /* count: a power of two; equal types */
V lw_lane_const_vector(LLVMTypeRef int_element, const int64_t *values, unsigned count);

/* Look-ups (lanes/permute.c): elements of a table, which has a power of two of them, integers of 8 to 64
 * bits; index: <n x i32>, any n. The cost is that of the sub-group's lanes in instructions, about; UINT_MAX:
 * not in registers. */
V lw_lane_permute(lw_lanes *l, V table, V index);
unsigned lw_lane_permute_cost(const lw_lanes *l, unsigned bits, unsigned elements);

/* `count` vectors of a field each, and as many of all fields in the order of memory, record after record. */
void lw_lane_take_apart(lw_lanes *l, V *vectors, unsigned count, V *fields);
void lw_lane_put_together(lw_lanes *l, V *fields, unsigned count, V *vectors);

/* Records of four fields of 32 bits, up to 8 lanes, before AVX-512: record i in the 16 bytes i / 4 of
 * rows[i % 4], or field k in rows[k]; each becomes the other. */
bool lw_lane_has_quads(lw_lanes *l, LLVMTypeRef memory);
void lw_lane_turn_quads(lw_lanes *l, V *rows);

/* In place: `count` vectors of as many elements of 32 or 64 bits become those of elements 0, 1, ... of each.
 * count: 4, 8 or 16 of 32 bits, 2, 4 or 8 of 64. */
#define LW_SQUARE 16
void lw_lane_turn_square(lw_lanes *l, V *rows, unsigned bits);

bool lw_lane_has_masked_move(lw_lanes *l, unsigned bits); /* are there masked loads and stores of them? */
/* Of elements of which each lane has `each`, beside each other: so many are moved as one, with their lane's
 * mask. 1: they are moved alone; 0: neither. The first is a multiple of so many of its lane. */
unsigned lw_lane_moves_together(lw_lanes *l, unsigned bits, unsigned each);
/* The mask of register r, of so many elements: each has its lane's. NULL: all. */
V lw_lane_mask_of_records(lw_lanes *l, V mask, unsigned each, unsigned r, unsigned elements);
/* lane_load_contiguous and lane_store_contiguous by that. */
V lw_lane_load_records(lw_lanes *l, LLVMTypeRef element, unsigned each, V pointer, V mask, unsigned align);
void lw_lane_store_records(lw_lanes *l, V vector, unsigned each, V pointer, V mask, unsigned align);
/* Of vectors; other lanes are those of `others`, NULL: 0. align 0: 1. */
V lw_lane_masked_load(lw_lanes *l, LLVMTypeRef type, V pointer, V mask, V others, unsigned align);
void lw_lane_masked_store(lw_lanes *l, V value, V pointer, V mask, unsigned align);
/* i1: [pointer, pointer + bytes) lies in one page. */
V lw_lane_in_one_page(lw_lanes *l, V pointer, unsigned bytes);

/* Bits of a vector as integers of the same width (i1: i8, 0 or 1) and back: what shuffles and memory work on.
 */
V lw_lane_to_bits(lw_lanes *l, V vector);
V lw_lane_from_bits(lw_lanes *l, V bits, LLVMTypeRef element);
LLVMTypeRef lw_lane_memory_type(lw_lanes *l, LLVMTypeRef element); /* i1: i8, half: i16, else itself */
V lw_lane_to_memory(lw_lanes *l, V value);                         /* scalar or vector */
V lw_lane_from_memory(lw_lanes *l, V value, LLVMTypeRef element);

/* Side memory. Zeros are constant, LW_ZERO_BYTES long; the sink takes what inactive lanes would write. Both
 * come as pointers of the type given (scalar pointer, any address space). */
#define LW_ZERO_BYTES 256
V lw_lane_zeros(lw_lanes *l, LLVMTypeRef pointer_type);
V lw_lane_sink(lw_lanes *l, LLVMTypeRef pointer_type);
V lw_lane_alloca(lw_lanes *l, LLVMTypeRef type, const char *name); /* in the entry block, 64-byte aligned */

/* for each set bit of `mask`, ascending. The body is what is emitted between begin and end. */
struct lw_lane_loop {
    V lane; /* i32 */
    V bits;
    LLVMBasicBlockRef body, done;
};
void lw_lane_loop_begin(lw_lanes *l, V mask, struct lw_lane_loop *loop);
void lw_lane_loop_end(lw_lanes *l, struct lw_lane_loop *loop);

LLVMBasicBlockRef lw_lane_block(lw_lanes *l, const char *name); /* after the current one in the layout */
void lw_lane_branch_likely(lw_lanes *l, V condition, LLVMBasicBlockRef likely, LLVMBasicBlockRef rare);
/* a or b, by the block that control comes from. */
V lw_lane_phi2(lw_lanes *l, V a, LLVMBasicBlockRef from_a, V b, LLVMBasicBlockRef from_b);
/* pointer + index elements, nothing promised; either may be of all lanes. */
V lw_lane_gep(lw_lanes *l, LLVMTypeRef element, V pointer, V index);

/* Two ways that meet again. What is emitted behind lw_lane_fork is done where the condition holds, what is
 * behind lw_lane_other_way where it does not; of values that both have, lw_lane_met takes the one of the way
 * that was gone. */
struct lw_two_ways {
    LLVMBasicBlockRef one, other, done;
};
void lw_lane_fork(lw_lanes *l, struct lw_two_ways *w, V condition, bool likely, const char *one,
                  const char *other);
void lw_lane_other_way(lw_lanes *l, struct lw_two_ways *w);
void lw_lane_meet(lw_lanes *l, struct lw_two_ways *w);
V lw_lane_met(lw_lanes *l, const struct lw_two_ways *w, V a, V b);

#endif
