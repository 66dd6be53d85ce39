/* SPDX-License-Identifier: MIT */
/* `do { old = *p; } while (atomic_cmpxchg(p, old, old + x) != old)`: what programs write where there is no
 * atomic addition of floats. It is one here, which lanes make without going round together, and in local
 * memory without locking anything.
 *
 * What the loop leaves is what the exchange that succeeded has put in the place of what stood there. So it is
 * an operation's where that value is what was expected, op something that no round changes; where nothing
 * else of a round is seen, in memory or behind the loop; and where what is expected is what stands there or
 * stood there, for only then does the loop end. Sums of floats stay apart: each goes to memory by itself,
 * rounded as it was.
 *
 * Enters: loops in their scalar form, LLVM's passes done. Leaves: the loop's branch with a constant
 * condition. Relies on: a pass over the control flow behind it. Never: keeps an exchange whose result it has
 * replaced.
 */
#include "exchanges.h"

#include "../facts/instructions.h"
#include "../facts/memory_effects.h"
typedef LLVMValueRef V;

static V
strip(V v)
{
    return LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : v;
}

static bool
is_inside(V v, LLVMBasicBlockRef block)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == block;
}

/* The part of an exchange's result: 0, what stood there, or 1, whether it succeeded. */
static bool
is_part(V v, V exchange, unsigned part)
{
    return LLVMIsAExtractValueInst(v) && LLVMGetOperand(v, 0) == exchange && *LLVMGetIndices(v) == part;
}

/* Loaded there in this round, or what stood there in the one before, of which the first knows no more. */
static bool
stands_there(V expected, V exchange, LLVMBasicBlockRef block)
{
    if (!is_inside(expected, block))
        return false;
    if (LLVMIsALoadInst(expected))
        return LLVMGetOperand(expected, 0) == LLVMGetOperand(exchange, 0);
    for (unsigned k = 0; LLVMIsAPHINode(expected) && k < LLVMCountIncoming(expected); k++)
        if (LLVMGetIncomingBlock(expected, k) == block)
            return is_part(strip(LLVMGetIncomingValue(expected, k)), exchange, 0);
    return false;
}

/* expected + by. */
static bool
is_sum(V changed, V expected, LLVMBasicBlockRef block, V *by)
{
    LLVMOpcode op = is_inside(changed, block) ? LLVMGetInstructionOpcode(changed) : LLVMRet;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(changed));
    if (op != LLVMAdd && (op != LLVMFAdd || (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)))
        return false;
    bool turned = strip(LLVMGetOperand(changed, 0)) != expected;
    *by = LLVMGetOperand(changed, !turned);
    return strip(LLVMGetOperand(changed, turned)) == expected && !is_inside(*by, block);
}

/* Does a round nothing but compute, and the exchange with its load, and nobody behind it ask for a value? */
static bool
is_all(LLVMBasicBlockRef block, V exchange, V expected)
{
    for (V i = LLVMGetFirstInstruction(block); i != LLVMGetBasicBlockTerminator(block);
         i = LLVMGetNextInstruction(i)) {
        if (i != exchange && i != expected && !LLVMIsAPHINode(i) && !lw_only_computes(i))
            return false;
        for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
            if (LLVMGetInstructionParent(LLVMGetUser(use)) != block)
                return false;
    }
    return true;
}

static bool
join(LLVMBuilderRef b, V exchange)
{
    if (!LLVMIsAAtomicCmpXchgInst(exchange))
        return false;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(exchange);
    V end = LLVMGetBasicBlockTerminator(block), by;
    V expected = strip(LLVMGetOperand(exchange, 1)), changed = strip(LLVMGetOperand(exchange, 2));
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || LLVMGetSuccessor(end, 1) != block ||
        !is_part(LLVMGetCondition(end), exchange, 1) || !stands_there(expected, exchange, block) ||
        !is_sum(changed, expected, block, &by) || !is_all(block, exchange, expected))
        return false;
    LLVMPositionBuilderBefore(b, exchange);
    bool of_floats = LLVMGetInstructionOpcode(changed) == LLVMFAdd;
    LLVMAtomicRMWBinOp op = of_floats ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
    V made = LLVMBuildAtomicRMW(b, op, LLVMGetOperand(exchange, 0), by,
                                LLVMGetCmpXchgSuccessOrdering(exchange), false);
    LLVMSetVolatile(made, of_floats); /* nobody adds two operands first */
    LLVMSetCondition(end, LLVMConstInt(LLVMTypeOf(LLVMGetCondition(end)), 1, false));
    lw_replace(exchange, LLVMGetPoison(LLVMTypeOf(exchange)));
    if (LLVMIsALoadInst(expected))
        lw_replace(expected, LLVMGetPoison(LLVMTypeOf(expected)));
    return true;
}

bool
lw_join_exchanges(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool changed = false;

    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                changed |= join(b, i);
            }
    LLVMDisposeBuilder(b);
    return changed;
}
