/* SPDX-License-Identifier: MIT */
/* Gathers of lanes that are known to be active, where the processor's gathers are slower than loads: one load
 * for each, put together.
 *
 *     gather base[index]    ->    { base[index.0], base[index.1], ... }
 *
 * Two indices of 32 bits are taken out of their register at a time. Enters: a module behind its last LLVM
 * pass. Leaves: the same values. Legal: the mask is a constant, and only its lanes read, in any order.
 * Gathers under other masks stay: they do less where fewer lanes are active. Pays: AMD's processors take a
 * gather apart into some 5 operations for each lane (Zen 4, Zen 5), a load put where it belongs is 2 or 3.
 * More than MOST_LOADS do not fit the caches of instructions.
 */
#include "single_loads.h"

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

enum { MOST_LOADS = 1000 };

struct loads {
    lw_lanes *l;
    V pointers; /* of the gather */
    V base;     /* NULL: addresses have nothing in common */
    LLVMTypeRef element;
    /* What is added to the base; 32 bits wide ones two by two, NULL: each of its own: where lanes are not
     * active, half a pair may be poison, and of a frozen pair LLVM 22 takes the upper half for a part of the
     * lower. */
    V indices, pairs;
    bool is_signed;
};

/* base[index] with one base for all and one index. */
static void
find_base(struct loads *s, bool all)
{
    V gep = s->pointers;

    if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetNumOperands(gep) != 2 ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(gep, 0))) == LLVMVectorTypeKind)
        return;
    s->base = LLVMGetOperand(gep, 0);
    s->element = LLVMGetGEPSourceElementType(gep);
    s->indices = LLVMGetOperand(gep, 1);
    V narrow =
        LLVMIsASExtInst(s->indices) || LLVMIsAZExtInst(s->indices) ? LLVMGetOperand(s->indices, 0) : NULL;
    if (!all || !narrow || LLVMIsAFreezeInst(narrow) ||
        LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(narrow))) != 32)
        return;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    s->is_signed = LLVMIsASExtInst(s->indices) != NULL;
    s->pairs = LLVMBuildBitCast(s->l->builder, narrow, LLVMVectorType(i64, lw_lane_count(narrow) / 2), "");
}

static V
address_of(struct loads *s, unsigned lane)
{
    LLVMBuilderRef b = s->l->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context), i32 = LLVMInt32TypeInContext(s->l->context);

    if (!s->base)
        return LLVMBuildExtractElement(b, s->pointers, lane_int(s->l, 32, lane), "");
    V index, up = LLVMConstInt(i64, 32, false);
    if (!s->pairs) {
        index = LLVMBuildExtractElement(b, s->indices, lane_int(s->l, 32, lane), "");
    } else {
        index = LLVMBuildExtractElement(b, s->pairs, lane_int(s->l, 32, lane / 2), "");
        if (lane % 2)
            index = s->is_signed ? LLVMBuildAShr(b, index, up, "") : LLVMBuildLShr(b, index, up, "");
        else
            index = s->is_signed ? LLVMBuildSExt(b, LLVMBuildTrunc(b, index, i32, ""), i64, "")
                                 : lw_lane_lower_half(s->l, index);
    }
    return LLVMBuildGEP2(b, s->element, s->base, &index, 1, "");
}

static void
load_singly(lw_lanes *l, V gather, uint64_t active)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef type = LLVMTypeOf(gather), element = LLVMGetElementType(type);
    bool all = lane_mask_is_all(LLVMGetOperand(gather, 1));
    V result = all ? LLVMGetPoison(type) : LLVMGetOperand(gather, 2);

    LLVMPositionBuilderBefore(b, gather);
    struct loads s = {.l = l, .pointers = LLVMGetOperand(gather, 0)};
    find_base(&s, all);
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        if (!(active >> k & 1))
            continue;
        V loaded = LLVMBuildLoad2(b, element, address_of(&s, k), "");
        LLVMSetAlignment(loaded, 1); /* all one to x86 */
        result = LLVMBuildInsertElement(b, result, loaded, lane_int(l, 32, k), "");
    }
    lw_replace(gather, result);
}

static void
visit(lw_lanes *l, struct lw_arena *arena, void *data)
{
    unsigned count = 0;
    uint64_t active;
    V next;

    (void)arena;
    (void)data;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (V i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!lw_is_call_like(i, "llvm.masked.gather.") ||
                    !lane_mask_is_known(LLVMGetOperand(i, 1), &active))
                    continue;
                count += (unsigned)__builtin_popcountll(active);
                if (count <= MOST_LOADS)
                    load_singly(l, i, active);
            }
}

bool
lw_load_singly(LLVMModuleRef module)
{
    return lw_run_pass(module, LW_ISA_AUTO, visit, NULL);
}
