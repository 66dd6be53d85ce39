/* SPDX-License-Identifier: MIT */
/* The last touch before code generation on AVX-512: tests of a bit that LLVM 22 must not see as sign tests,
 * and addresses beside the gathers that use them.
 *
 * Enters: a module after its last LLVM pass.
 * Leaves: vector `trunc to i1`, `icmp slt x, 0` and `icmp sgt x, -1` as a test of one bit under `and`, which
 * selects vptestm instead of vpmovd2m (and its kin). Relies on: no pass after it that folds the `and` away
 * again (instcombine does). Why: x86-compress-evex turns vpmovd2m + kmov into vmovmskps and drops the mask
 * register even where an instruction behind it both reads and overwrites that register (kxor k0, k1, k0): the
 * mask is then whatever was there before. Masked stores of one lane become stores: of a truncated vector,
 * LLVM 22 stores that lane before the truncation, over its neighbours. And: code generation sees one block at
 * a time, and needs base and index for a gather's addressing mode, and the index's extension for 32-bit
 * indices.
 */
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"
#include "../../src/compiler.h"

/* The bit that `i` tests of its first operand, 0 for another instruction; *set: true where the bit is set. */
static uint64_t
bit_tested(LLVMValueRef i, bool *set)
{
    *set = true;
    if (!lw_lane_is_mask(i))
        return 0;
    LLVMValueRef x = LLVMGetOperand(i, 0);
    if (LLVMIsATruncInst(i))
        return 1;
    if (!LLVMIsAICmpInst(i) || LLVMGetTypeKind(lw_lane_element(x)) != LLVMIntegerTypeKind)
        return 0;
    unsigned width = LLVMGetIntTypeWidth(lw_lane_element(x));
    LLVMValueRef y = LLVMGetOperand(i, 1);
    if (width < 8 || width > 64)
        return 0;
    if (LLVMGetICmpPredicate(i) == LLVMIntSLT && LLVMIsConstant(y) && LLVMIsNull(y))
        return 1ull << (width - 1);
    *set = false;
    if (LLVMGetICmpPredicate(i) == LLVMIntSGT && y == LLVMConstAllOnes(LLVMTypeOf(x)))
        return 1ull << (width - 1);
    return 0;
}

static void
settle(LLVMBuilderRef builder, LLVMValueRef i, uint64_t bit, bool set)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), bits[LW_MAX_LANES];
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned count = LLVMGetVectorSize(type);

    for (unsigned k = 0; k < count; k++)
        bits[k] = LLVMConstInt(LLVMGetElementType(type), bit, false);
    LLVMPositionBuilderBefore(builder, i);
    LLVMValueRef one = LLVMBuildAnd(builder, x, LLVMConstVector(bits, count), "");
    LLVMValueRef test = LLVMBuildICmp(builder, set ? LLVMIntNE : LLVMIntEQ, one, LLVMConstNull(type), "");
    lw_replace(i, test);
}

/* The operand number of the addresses; -1: neither gather nor scatter. */
static int
addresses_of(LLVMValueRef i)
{
    if (lw_is_call_like(i, "llvm.masked.gather."))
        return 0;
    return lw_is_call_like(i, "llvm.masked.scatter.") ? 1 : -1;
}

static LLVMValueRef
copy_before(LLVMBuilderRef builder, LLVMValueRef i, LLVMValueRef at)
{
    LLVMValueRef copy = LLVMInstructionClone(i);

    LLVMPositionBuilderBefore(builder, at);
    LLVMInsertIntoBuilder(builder, copy);
    return copy;
}

/* The address and the extension of its index, where they stand in blocks before. */
static void
bring_addresses(lw_lanes *l, V i)
{
    int operand = addresses_of(i);
    if (operand < 0)
        return;
    LLVMBasicBlockRef home = LLVMGetInstructionParent(i);
    LLVMValueRef gep = LLVMGetOperand(i, (unsigned)operand);

    if (!LLVMIsAGetElementPtrInst(gep) ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(gep, 0))) == LLVMVectorTypeKind)
        return;
    unsigned last = (unsigned)LLVMGetNumOperands(gep) - 1;
    LLVMValueRef index = LLVMGetOperand(gep, last);
    bool extended = LLVMIsASExtInst(index) && LLVMGetInstructionParent(index) != home;
    if (LLVMGetInstructionParent(gep) == home && !extended)
        return;
    gep = copy_before(l->builder, gep, i);
    LLVMSetOperand(i, (unsigned)operand, gep);
    if (extended)
        LLVMSetOperand(gep, last, copy_before(l->builder, index, gep));
}

/* The only lane of a masked store whose mask is constant; -1: others. */
static int
only_lane(LLVMValueRef i)
{
    uint64_t lanes;

    if (!lw_is_call_like(i, "llvm.masked.store.") || !lane_mask_is_known(LLVMGetOperand(i, 2), &lanes))
        return -1;
    return lanes && !(lanes & (lanes - 1)) ? __builtin_ctzll(lanes) : -1;
}

static void
store_lane(LLVMBuilderRef builder, LLVMValueRef i, unsigned lane)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(context), lane, false);
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));

    LLVMPositionBuilderBefore(builder, i);
    value = LLVMBuildExtractElement(builder, value, number, "");
    pointer = LLVMBuildGEP2(builder, element, pointer, &number, 1, "");
    LLVMValueRef store = LLVMBuildStore(builder, value, pointer);
    LLVMSetAlignment(store, lane == 0 ? lw_pointer_align(i, 1) : 1);
    LLVMInstructionEraseFromParent(i);
}

static void
settle_mask(lw_lanes *l, V i)
{
    bool set;
    int lane = only_lane(i);

    if (lane >= 0) {
        store_lane(l->builder, i, (unsigned)lane);
        return;
    }
    uint64_t bit = LLVMGetNumOperands(i) ? bit_tested(i, &set) : 0;
    if (bit && LLVMGetVectorSize(LLVMTypeOf(i)) <= LW_MAX_LANES)
        settle(l->builder, i, bit, set);
}

void
lw_settle_addresses(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, bring_addresses);
}

void
lw_settle_masks(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, settle_mask);
}
