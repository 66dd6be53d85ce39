/* SPDX-License-Identifier: MIT */
/* Memory of lanes: uniform, contiguous, gathered and scattered accesses under a mask.
 *
 * Inactive lanes cost no branch where the ISA has no masked instruction: their address is replaced, loads
 * read a constant zero, stores go to a slot of the stack. A contiguous load without masked instruction reads
 * the whole vector where it lies in one page: any active lane proves that page, so nothing inactive can
 * fault. Never: reads a page that no active lane lies in; writes a byte that no active lane owns.
 */
#include <llvm-c/Target.h>
#include <string.h>

#include "../facts/calls.h"
#include "internal.h"

enum { MOST_DETOURS = 300, MANY_LANES = 64 };

/* Side memory */

V
lw_lane_zeros(lw_lanes *l, LLVMTypeRef pointer_type)
{
    V global = LLVMGetNamedGlobal(l->module, "lw.zeros");

    if (!global) {
        LLVMTypeRef type = LLVMArrayType2(lw_lane_int_type(l, 8), LW_ZERO_BYTES);
        global = LLVMAddGlobal(l->module, type, "lw.zeros");
        LLVMSetInitializer(global, LLVMConstNull(type));
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMInternalLinkage);
        LLVMSetAlignment(global, 64);
    }
    return LLVMTypeOf(global) == pointer_type ? global : LLVMConstAddrSpaceCast(global, pointer_type);
}

/* A builder at the top of the function's entry block, behind the sink if that is there. */
static LLVMBuilderRef
entry_builder(lw_lanes *l)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(l->function);
    V first = LLVMGetFirstInstruction(entry);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(l->context);
    size_t length;

    if (first && LLVMIsAAllocaInst(first) && !strcmp(LLVMGetValueName2(first, &length), "lw.sink"))
        first = LLVMGetNextInstruction(first);
    if (first)
        LLVMPositionBuilderBefore(builder, first);
    else
        LLVMPositionBuilderAtEnd(builder, entry);
    return builder;
}

V
lw_lane_alloca(lw_lanes *l, LLVMTypeRef type, const char *name)
{
    LLVMBuilderRef builder = entry_builder(l);
    V slot = LLVMBuildAlloca(builder, type, name);

    LLVMSetAlignment(slot, 64);
    LLVMDisposeBuilder(builder);
    return slot;
}

V
lw_lane_sink(lw_lanes *l, LLVMTypeRef pointer_type)
{
    V slot = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->function));
    size_t length;

    if (!slot || !LLVMIsAAllocaInst(slot) || strcmp(LLVMGetValueName2(slot, &length), "lw.sink"))
        slot = lw_lane_alloca(l, LLVMArrayType2(lw_lane_int_type(l, 8), LW_ZERO_BYTES), "lw.sink");
    if (LLVMTypeOf(slot) != pointer_type)
        slot = LLVMBuildAddrSpaceCast(l->builder, slot, pointer_type, "");
    return slot;
}

/* A constant distance from a constant distance is one from the same base: what loads of overlapping vectors
 * have in common is seen by the first clean-up then. */
static bool
is_constant_gep(V pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) && LLVMGetNumOperands(pointer) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(pointer, 1)) && !lw_lane_is_vector(pointer);
}

V
lw_lane_gep(lw_lanes *l, LLVMTypeRef element, V pointer, V index)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);

    if (LLVMIsAConstantInt(index) && is_constant_gep(pointer)) {
        int64_t bytes = LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(layout, element) +
                        LLVMConstIntGetSExtValue(LLVMGetOperand(pointer, 1)) *
                            (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(pointer));
        pointer = LLVMGetOperand(pointer, 0);
        element = lw_lane_int_type(l, 8);
        index = lane_int(l, 64, bytes);
        if (!bytes)
            return pointer;
    }
    return LLVMBuildGEP2(l->builder, element, pointer, &index, 1, "");
}

static V
load(lw_lanes *l, LLVMTypeRef type, V pointer, unsigned align)
{
    V result = LLVMBuildLoad2(l->builder, type, pointer, "");

    LLVMSetAlignment(result, align ? align : 1);
    return result;
}

static void
store(lw_lanes *l, V value, V pointer, unsigned align)
{
    LLVMSetAlignment(LLVMBuildStore(l->builder, value, pointer), align ? align : 1);
}

/* Uniform addresses */

static V
load_behind_branch(lw_lanes *l, LLVMTypeRef type, V pointer, V any, unsigned align, bool is_volatile)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    LLVMBasicBlockRef read = lw_lane_block(l, "uniform.load"), done = lw_lane_block(l, "uniform.done");

    LLVMBuildCondBr(l->builder, any, read, done);
    LLVMPositionBuilderAtEnd(l->builder, read);
    V value = load(l, type, pointer, align);
    LLVMSetVolatile(value, is_volatile);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return lw_lane_phi2(l, value, read, LLVMConstNull(type), before);
}

/* Vectors for all lanes: their components are mostly spread over the lanes, which is free where they come
 * from memory, and a shuffle each where they come from a register. */
static bool
is_taken_apart(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && lw_lane_bits(LLVMGetElementType(type)) >= 32;
}

static V
load_apart(lw_lanes *l, LLVMTypeRef type, V pointer, unsigned align)
{
    LLVMTypeRef element = LLVMGetElementType(type);
    int64_t bytes = lw_lane_bits(element) / 8;
    V value = LLVMGetUndef(type);
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        V at = lw_lane_gep(l, element, pointer, lane_int(l, 64, k));
        V part = load(l, element, at, lw_align_at(align, k * (uint64_t)bytes));
        value = LLVMBuildInsertElement(l->builder, value, part, lane_int(l, 32, k), "");
    }
    return value;
}

V
lane_load_uniform(lw_lanes *l, LLVMTypeRef type, V pointer, V mask, unsigned align, bool is_volatile)
{
    if (!lane_mask_is_all(mask)) {
        LLVMTypeRef scalar = type;
        unsigned count = 1;
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
            scalar = LLVMGetElementType(type);
            count = LLVMGetVectorSize(type);
        }
        unsigned bits = lw_lane_bits(scalar);
        V any = lane_any(l, mask);
        if (!bits || (bits + 7) / 8 * count > LW_ZERO_BYTES || align > 64)
            return load_behind_branch(l, type, pointer, any, align, is_volatile);
        pointer = LLVMBuildSelect(l->builder, any, pointer, lw_lane_zeros(l, LLVMTypeOf(pointer)), "");
    }
    if (!is_volatile && is_taken_apart(type))
        return load_apart(l, type, pointer, align);
    V value = load(l, type, pointer, align);
    LLVMSetVolatile(value, is_volatile);
    return value;
}

void
lane_store_uniform(lw_lanes *l, V vector, V pointer, V mask, unsigned align)
{
    V value = lw_lane_splat_source(vector);

    if (!value)
        value = lane_extract(l, lw_lane_to_memory(l, vector), lane_last(l, mask));
    if (!lane_mask_is_all(mask)) {
        V sink = lw_lane_sink(l, LLVMTypeOf(pointer));
        pointer = LLVMBuildSelect(l->builder, lane_any(l, mask), pointer, sink, "");
    }
    store(l, lw_lane_to_memory(l, value), pointer, align < 64 ? align : 64);
}

/* Contiguous */

bool
lw_lane_has_masked_move(lw_lanes *l, unsigned bits)
{
    return bits >= lw_isa_row(l->isa)->move_bits;
}

unsigned
lw_lane_moves_together(lw_lanes *l, unsigned bits, unsigned each)
{
    unsigned together = lw_isa_row(l->isa)->move_bits / bits;

    if (lw_lane_has_masked_move(l, bits))
        return 1;
    return each % together == 0 && l->n % together == 0 ? together : 0;
}

V
lw_lane_masked_load(lw_lanes *l, LLVMTypeRef type, V pointer, V mask, V others, unsigned align)
{
    LLVMTypeRef overloads[] = {type, LLVMTypeOf(pointer)};
    V args[] = {pointer, mask, others ? others : LLVMConstNull(type)};
    V result = lw_lane_call(l, "llvm.masked.load", overloads, 2, args, 3);

    lw_set_pointer_align(result, 0, align);
    return result;
}

void
lw_lane_masked_store(lw_lanes *l, V value, V pointer, V mask, unsigned align)
{
    LLVMTypeRef overloads[] = {LLVMTypeOf(value), LLVMTypeOf(pointer)};
    V args[] = {value, pointer, mask};
    V call = lw_lane_call(l, "llvm.masked.store", overloads, 2, args, 3);

    lw_set_pointer_align(call, 1, align);
}

V
lw_lane_in_one_page(lw_lanes *l, V pointer, unsigned bytes)
{
    V address = LLVMBuildPtrToInt(l->builder, pointer, lw_lane_int_type(l, 64), "");
    V offset = LLVMBuildAnd(l->builder, address, lane_int(l, 64, LW_PAGE - 1), "");

    return LLVMBuildICmp(l->builder, LLVMIntULE, offset, lane_int(l, 64, LW_PAGE - bytes), "");
}

static V
load_lanes_serially(lw_lanes *l, LLVMTypeRef element, V pointer, V mask, unsigned align)
{
    LLVMTypeRef type = lane_type(l, element);
    V slot = lw_lane_alloca(l, type, "lanes");
    struct lw_lane_loop loop;

    store(l, LLVMConstNull(type), slot, 64);
    lw_lane_loop_begin(l, mask, &loop);
    V value = load(l, element, lw_lane_gep(l, element, pointer, loop.lane), align);
    store(l, value, lw_lane_gep(l, element, slot, loop.lane), 1);
    lw_lane_loop_end(l, &loop);
    return load(l, type, slot, 64);
}

static V
load_by_page(lw_lanes *l, LLVMTypeRef element, V pointer, V mask, unsigned align)
{
    unsigned bytes = lw_lane_bits(element) / 8 * l->n;
    V fits = lw_lane_in_one_page(l, pointer, bytes);
    V whole = LLVMBuildSelect(l->builder, lane_any(l, mask), fits, lane_int(l, 1, 0), "");
    struct lw_two_ways ways;

    lw_lane_fork(l, &ways, whole, true, "load.page", "load.lanes");
    /* Frozen: other threads may be writing what inactive lanes see. */
    V all = LLVMBuildFreeze(l->builder, load(l, lane_type(l, element), pointer, align), "");
    lw_lane_other_way(l, &ways);
    V some = load_lanes_serially(l, element, pointer, mask, align);
    lw_lane_meet(l, &ways);
    return lw_lane_met(l, &ways, all, some);
}

/* Ways around in blocks of their own: each value that is alive there lives in three blocks more, and code
 * generation takes the time of both multiplied. After so many, lanes go one by one without branches. */
static bool
takes_detour(lw_lanes *l)
{
    return l->detours < MOST_DETOURS && ++l->detours;
}

static V
each_pointer(lw_lanes *l, LLVMTypeRef memory, V pointer)
{
    return lw_lane_gep(l, memory, pointer, lane_iota(l, lw_lane_int_type(l, 64)));
}

V
lane_load_contiguous(lw_lanes *l, LLVMTypeRef element, V pointer, V mask, unsigned align)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);
    unsigned bits = lw_lane_bits(memory);
    V value;

    if (lane_mask_is_all(mask)) {
        value = load(l, lane_type(l, memory), pointer, align);
    } else if (lw_lane_has_masked_move(l, bits)) {
        value = lw_lane_masked_load(l, lane_type(l, memory), pointer, mask, NULL, align);
    } else if (!takes_detour(l)) {
        return lane_gather(l, element, each_pointer(l, memory, pointer), mask, align);
    } else {
        lw_lane_note(l, "masked load where it crosses a page");
        value = load_by_page(l, memory, pointer, mask, align);
    }
    return lw_lane_from_memory(l, value, element);
}

static void
store_unless_all(lw_lanes *l, V vector, V pointer, V mask, unsigned align)
{
    LLVMTypeRef element = lw_lane_element(vector);
    V slot = lw_lane_alloca(l, LLVMTypeOf(vector), "lanes");
    struct lw_lane_loop loop;
    struct lw_two_ways ways;

    lw_lane_fork(l, &ways, lane_all(l, mask), false, "store.all", "store.lanes");
    store(l, vector, pointer, align);
    lw_lane_other_way(l, &ways);
    store(l, vector, slot, 64);
    lw_lane_loop_begin(l, mask, &loop);
    V value = load(l, element, lw_lane_gep(l, element, slot, loop.lane), 1);
    store(l, value, lw_lane_gep(l, element, pointer, loop.lane), align);
    lw_lane_loop_end(l, &loop);
    lw_lane_meet(l, &ways);
}

void
lane_store_contiguous(lw_lanes *l, V vector, V pointer, V mask, unsigned align)
{
    vector = lw_lane_to_memory(l, vector);
    if (lane_mask_is_all(mask)) {
        store(l, vector, pointer, align);
    } else if (lw_lane_has_masked_move(l, lw_lane_bits(lw_lane_element(vector)))) {
        lw_lane_masked_store(l, vector, pointer, mask, align);
    } else if (!takes_detour(l)) {
        lane_scatter(l, vector, each_pointer(l, lw_lane_element(vector), pointer), mask, align);
    } else {
        lw_lane_note(l, "masked store");
        store_unless_all(l, vector, pointer, mask, align);
    }
}

V
lw_lane_mask_of_records(lw_lanes *l, V mask, unsigned each, unsigned r, unsigned elements)
{
    int lanes[64];

    for (unsigned i = 0; i < elements; i++)
        lanes[i] = (int)((r * elements + i) / each);
    return mask ? lw_lane_shuffle_const(l, mask, NULL, lanes, elements) : NULL;
}

/* Elements `together` as integers of their bits. */
static LLVMTypeRef
words_type(lw_lanes *l, LLVMTypeRef element, unsigned together)
{
    return LLVMVectorType(lw_lane_int_type(l, lw_lane_bits(element) * together), l->n / together);
}

static V
mask_of_words(lw_lanes *l, V mask, unsigned together)
{
    int first[64];

    for (unsigned k = 0; k < l->n / together; k++)
        first[k] = (int)(k * together);
    return lw_lane_shuffle_const(l, mask, NULL, first, l->n / together);
}

V
lw_lane_load_records(lw_lanes *l, LLVMTypeRef element, unsigned each, V pointer, V mask, unsigned align)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);
    unsigned together = lw_lane_moves_together(l, lw_lane_bits(memory), each);

    if (lane_mask_is_all(mask) || together < 2)
        return lane_load_contiguous(l, element, pointer, mask, align);
    LLVMTypeRef type = words_type(l, memory, together);
    V words = lw_lane_masked_load(l, type, pointer, mask_of_words(l, mask, together), NULL, align);
    return lw_lane_from_memory(l, LLVMBuildBitCast(l->builder, words, lane_type(l, memory), ""), element);
}

void
lw_lane_store_records(lw_lanes *l, V vector, unsigned each, V pointer, V mask, unsigned align)
{
    V bits = lw_lane_to_memory(l, vector);
    LLVMTypeRef memory = lw_lane_element(bits);
    unsigned together = lw_lane_moves_together(l, lw_lane_bits(memory), each);

    if (lane_mask_is_all(mask) || together < 2) {
        lane_store_contiguous(l, vector, pointer, mask, align);
        return;
    }
    V words = LLVMBuildBitCast(l->builder, bits, words_type(l, memory, together), "");
    lw_lane_masked_store(l, words, pointer, mask_of_words(l, mask, together), align);
}

/* Gathered and scattered */

static V
full_mask(lw_lanes *l, V mask)
{
    return mask ? mask : lane_all_true(l);
}

static V
hardware_gather(lw_lanes *l, LLVMTypeRef type, V pointers, V mask, unsigned align)
{
    LLVMTypeRef overloads[] = {type, LLVMTypeOf(pointers)};
    V args[] = {pointers, full_mask(l, mask), LLVMConstNull(type)};
    V result = lw_lane_call(l, "llvm.masked.gather", overloads, 2, args, 3);

    lw_set_pointer_align(result, 0, align);
    return result;
}

/* 8 and 16 bits by a gather of the aligned 32 bits they lie in, which never leave the page. Of some lanes:
 * where all are active, a load and an insertion of each lane's element take half as long on a Zen 5. */
static V
gather_small(lw_lanes *l, LLVMTypeRef element, V pointers, V mask)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32), words = lane_type(l, i32);
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), addresses = lane_type(l, i64);
    V address = LLVMBuildPtrToInt(l->builder, pointers, addresses, "");
    /* Not llvm.ptrmask: LLVM 22's instcombine marks a vector of it nonnull, which its verifier refuses. */
    V past = LLVMBuildAnd(l->builder, address, lane_splat(l, lane_int(l, 64, 3)), "");
    V back = LLVMBuildNeg(l->builder, past, "");
    V aligned = LLVMBuildGEP2(l->builder, lw_lane_int_type(l, 8), pointers, &back, 1, "");
    V word = LLVMBuildFreeze(l->builder, hardware_gather(l, words, aligned, mask, 4), "");
    V low = LLVMBuildTrunc(l->builder, address, words, "");
    low = LLVMBuildAnd(l->builder, low, lane_splat(l, lane_int(l, 32, 3)), "");
    V shift = LLVMBuildShl(l->builder, low, lane_splat(l, lane_int(l, 32, 3)), "");

    word = LLVMBuildLShr(l->builder, word, shift, "");
    return LLVMBuildTrunc(l->builder, word, lane_type(l, element), "");
}

/* Lanes outside the mask get `other` as their address. */
static V
redirect(lw_lanes *l, V pointers, V mask, V other)
{
    return lane_mask_is_all(mask) ? pointers
                                  : LLVMBuildSelect(l->builder, mask, pointers, lane_splat(l, other), "");
}

V
lane_gather(lw_lanes *l, LLVMTypeRef element, V pointers, V mask, unsigned align)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element), type = lane_type(l, memory);
    unsigned bits = lw_lane_bits(memory);
    V value = LLVMGetPoison(type);

    if (!lw_lane_is_vector(pointers))
        return lane_splat(l, lane_load_uniform(l, element, pointers, mask, align, false));
    if (bits >= lw_isa_row(l->isa)->gather_bits)
        return hardware_gather(l, type, pointers, mask, align);
    bool small = l->isa >= LW_ISA_AVX512 && align * 8 >= bits;
    if (small && !lane_mask_is_all(mask))
        return lw_lane_from_memory(l, gather_small(l, memory, pointers, mask), element);
    if (!small)
        lw_lane_note(l, "gather");
    pointers = redirect(l, pointers, mask, lw_lane_zeros(l, lw_lane_element(pointers)));
    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i);
        V pointer = LLVMBuildExtractElement(l->builder, pointers, lane, "");
        V one = load(l, memory, pointer, align < 64 ? align : 64);
        value = LLVMBuildInsertElement(l->builder, value, one, lane, "");
    }
    return lw_lane_from_memory(l, value, element);
}

void
lane_scatter(lw_lanes *l, V vector, V pointers, V mask, unsigned align)
{
    if (!lw_lane_is_vector(pointers)) {
        lane_store_uniform(l, vector, pointers, mask, align);
        return;
    }
    vector = lw_lane_to_memory(l, vector);
    if (lw_lane_bits(lw_lane_element(vector)) >= lw_isa_row(l->isa)->scatter_bits) {
        LLVMTypeRef overloads[] = {LLVMTypeOf(vector), LLVMTypeOf(pointers)};
        V args[] = {vector, pointers, full_mask(l, mask)};
        V call = lw_lane_call(l, "llvm.masked.scatter", overloads, 2, args, 3);
        lw_set_pointer_align(call, 1, align);
        return;
    }
    lw_lane_note(l, "scatter");
    if (!lane_mask_is_all(mask))
        pointers = redirect(l, pointers, mask, lw_lane_sink(l, lw_lane_element(pointers)));
    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i);
        V pointer = LLVMBuildExtractElement(l->builder, pointers, lane, "");
        store(l, LLVMBuildExtractElement(l->builder, vector, lane, ""), pointer, align < 64 ? align : 64);
    }
}

void
lane_scatter_away(lw_lanes *l, V vector, V pointers, V mask, unsigned align)
{
    V value = lw_lane_to_memory(l, vector);
    LLVMTypeRef element = lw_lane_element(value), place = lw_lane_element(pointers);
    struct lw_lane_loop loop;

    if (l->n < MANY_LANES || !lw_lane_is_vector(pointers) ||
        lw_lane_bits(element) >= lw_isa_row(l->isa)->scatter_bits || !takes_detour(l)) {
        lane_scatter(l, vector, pointers, mask, align);
        return;
    }
    lw_lane_note(l, "scatter");
    V values = lane_spill(l, value), places = lane_spill(l, pointers);
    lw_lane_loop_begin(l, mask, &loop);
    V one = load(l, element, lw_lane_gep(l, element, values, loop.lane), 1);
    V at = load(l, place, lw_lane_gep(l, place, places, loop.lane), 8);
    store(l, one, at, align < 64 ? align : 64);
    lw_lane_loop_end(l, &loop);
}
