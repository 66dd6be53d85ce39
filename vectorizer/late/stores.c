/* SPDX-License-Identifier: MIT */
/* Halves of registers that are stored side by side but come from different ones stay stores of their own.
 *
 *     store (lower half of a), p                     vmovups %xmm0, (p)
 *     store (lower half of b), p + 16         ->     vmovups %xmm1, 16(p)
 *     store (upper half of a), p + 32                vextractf128 $1, %ymm0, 32(p)
 *
 * Enters: a module after its last LLVM pass, for AVX2. Leaves: the same stores, volatile, since LLVM 22 makes
 * one store of two neighbours and a shuffle to put them together. Relies on: no pass after it. Never: touches
 * the two halves of one register that lie side by side, which are one store without a shuffle. Why: a store
 * of the upper half takes no shuffle, and where records are turned (lanes/interleave.c) there are enough.
 */
#include "../../src/compiler.h"
#include "../flow/module_pass.h"
#include "pack_internal.h"

enum { LEAST_STORES = 4 };

V
lw_pack_half(V v, bool *upper)
{
    if (!LLVMIsAShuffleVectorInst(v))
        return NULL;
    V from = LLVMGetOperand(v, 0);
    unsigned n = lw_lane_count(v);
    int first = LLVMGetMaskValue(v, 0);
    if (n * lw_lane_bits(lw_lane_element(v)) != 128 || lw_lane_count(from) != 2 * n ||
        (first != 0 && first != (int)n))
        return NULL;
    for (unsigned k = 1; k < n; k++)
        if (LLVMGetMaskValue(v, k) != first + (int)k)
            return NULL;
    *upper = first != 0;
    return from;
}

static bool
is_plain(V i)
{
    return LLVMIsAStoreInst(i) && !lw_is_ordered_access(i);
}

/* Is the other half of `from` stored beside this one? */
static bool
has_its_like(LLVMTargetDataRef layout, V store, V from, bool upper)
{
    struct address mine, other;
    bool part;

    if (!lw_pack_address(layout, LLVMGetOperand(store, 1), &mine))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(from); u; u = LLVMGetNextUse(u)) {
        V half = LLVMGetUser(u);
        if (lw_pack_half(half, &part) != from || part == upper)
            continue;
        for (LLVMUseRef s = LLVMGetFirstUse(half); s; s = LLVMGetNextUse(s)) {
            V i = LLVMGetUser(s);
            if (LLVMIsAStoreInst(i) && LLVMGetOperand(i, 0) == half &&
                lw_pack_address(layout, LLVMGetOperand(i, 1), &other) &&
                lw_pack_follows(upper ? &other : &mine, upper ? &mine : &other, 16))
                return true;
        }
    }
    return false;
}

/* Counts them; `keep`: makes them stay. */
static unsigned
visit_block(LLVMTargetDataRef layout, LLVMBasicBlockRef block, bool keep)
{
    unsigned count = 0;
    bool upper;

    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        V from = is_plain(i) ? lw_pack_half(LLVMGetOperand(i, 0), &upper) : NULL;
        if (!from || has_its_like(layout, i, from, upper))
            continue;
        count++;
        if (keep)
            LLVMSetVolatile(i, true);
    }
    return count;
}

void
lw_settle_stores(LLVMModuleRef module, lw_isa isa)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);

    if (isa != LW_ISA_AVX2)
        return;
    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            if (visit_block(layout, b, false) >= LEAST_STORES)
                visit_block(layout, b, true);
}
