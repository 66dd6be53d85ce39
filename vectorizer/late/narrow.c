/* SPDX-License-Identifier: MIT */
/* Masked loads and stores whose upper lanes are never active, as those of a tail sub-group are, become
 * shorter ones; plain ones, where all that is left is active.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same accesses. Never: touches what the mask does
 * not. Why: a short store is forwarded to the short load behind it; and LLVM 22 at times reads whole
 * registers of a long masked load on AVX2 in which no lane is active.
 */
#include "../facts/calls.h"
#include "../lanes/internal.h"
#include "../flow/module_pass.h"

#define DEPTH 6

/* One past the highest lane that may be active. */
static unsigned
lanes_used(V mask, unsigned n, int depth)
{
    if (LLVMIsConstant(mask)) {
        if (LLVMIsNull(mask))
            return 0;
        while (n > 0) {
            V bit = LLVMGetAggregateElement(mask, n - 1);
            if (!bit || !LLVMIsAConstantInt(bit) || !LLVMIsNull(bit))
                break;
            n--;
        }
        return n;
    }
    if (!LLVMIsAInstruction(mask) || depth == DEPTH)
        return n;
    LLVMOpcode op = LLVMGetInstructionOpcode(mask);
    bool selects =
        op == LLVMSelect && LLVMIsConstant(LLVMGetOperand(mask, 2)) && LLVMIsNull(LLVMGetOperand(mask, 2));
    if (op != LLVMAnd && !selects)
        return n;
    for (unsigned k = 0; k < 2; k++) {
        V part = LLVMGetOperand(mask, k);
        if (LLVMGetTypeKind(LLVMTypeOf(part)) == LLVMVectorTypeKind)
            n = lanes_used(part, n, depth + 1);
    }
    return n;
}

static bool
is_all(V mask, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        V bit = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, k) : NULL;
        if (!bit || !LLVMIsAConstantInt(bit) || LLVMIsNull(bit))
            return false;
    }
    return true;
}

static V
first_lanes(lw_lanes *l, V vector, unsigned count)
{
    if (count == 1)
        return LLVMBuildExtractElement(l->builder, vector, lane_int(l, 32, 0), "");
    return lw_lane_part(l, vector, 0, count);
}

static unsigned
align_of(V call, unsigned operand)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, operand, kind);
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

static void
narrow_load(lw_lanes *l, V call, unsigned count)
{
    V pointer = LLVMGetOperand(call, 0), mask = LLVMGetOperand(call, 1), made;
    LLVMTypeRef type = LLVMTypeOf(call), element = LLVMGetElementType(type),
                shorter = LLVMVectorType(element, count);
    unsigned n = LLVMGetVectorSize(type);
    int lanes[2 * 64];

    if (is_all(mask, count)) {
        made = LLVMBuildLoad2(l->builder, count == 1 ? element : shorter, pointer, "");
        LLVMSetAlignment(made, align_of(call, 1));
    } else {
        LLVMTypeRef overloads[] = {shorter, LLVMTypeOf(pointer)};
        V args[] = {pointer, first_lanes(l, mask, count), LLVMConstNull(shorter)};
        made = lw_lane_call(l, "llvm.masked.load", overloads, 2, args, 3);
        LLVMSetInstrParamAlignment(made, 1, align_of(call, 1));
    }
    if (LLVMTypeOf(made) == element) {
        made = LLVMBuildInsertElement(l->builder, LLVMConstNull(type), made, lane_int(l, 32, 0), "");
    } else {
        for (unsigned k = 0; k < n; k++)
            lanes[k] = (int)(k < count ? k : count);
        made = lw_lane_shuffle_const(l, made, LLVMConstNull(shorter), lanes, n);
    }
    LLVMReplaceAllUsesWith(call, made);
}

static void
narrow_store(lw_lanes *l, V call, unsigned count)
{
    V value = first_lanes(l, LLVMGetOperand(call, 0), count), pointer = LLVMGetOperand(call, 1);
    V mask = LLVMGetOperand(call, 2);

    if (is_all(mask, count)) {
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, pointer), align_of(call, 2));
        return;
    }
    LLVMTypeRef overloads[] = {LLVMTypeOf(value), LLVMTypeOf(pointer)};
    V args[] = {value, pointer, first_lanes(l, mask, count)};
    V made = lw_lane_call(l, "llvm.masked.store", overloads, 2, args, 3);
    LLVMSetInstrParamAlignment(made, 2, align_of(call, 2));
}

/* Lanes that the shorter access has; 0: it stays as it is. */
static unsigned
shorter_count(V mask)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(mask)), used = n <= 64 ? lanes_used(mask, n, 0) : n, count = 1;

    if (used == 0)
        return 0;
    while (count < used)
        count *= 2;
    if (count == 1 && !is_all(mask, 1))
        count = 2; /* masks are of vectors */
    return count < n ? count : 0;
}

static void
narrow(lw_lanes *l, V i)
{
    bool load = lw_is_call_like(i, "llvm.masked.load.");
    if (!load && !lw_is_call_like(i, "llvm.masked.store."))
        return;
    V passed = load ? LLVMGetOperand(i, 2) : NULL;
    if (passed && !LLVMIsNull(passed) && !LLVMIsUndef(passed))
        return;
    unsigned count = shorter_count(LLVMGetOperand(i, load ? 1 : 2));
    if (!count)
        return;
    /* LLVM 22 makes a zero extension of a short store with gaps whose value is half a register, and cannot
     * select it. */
    if (!load && LLVMIsConstant(LLVMGetOperand(i, 2)) && !is_all(LLVMGetOperand(i, 2), count))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    if (load)
        narrow_load(l, i, count);
    else
        narrow_store(l, i, count);
    LLVMInstructionEraseFromParent(i);
}

void
lw_narrow_masks(LLVMModuleRef module)
{
    lw_visit_instructions(module, narrow);
}
