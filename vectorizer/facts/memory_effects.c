/* SPDX-License-Identifier: MIT */
/* What single instructions may do to memory, and where; for passes that move code, or tell what stays as it
 * was.
 *
 * Enters: any instruction. Leaves: the most that it may do. Relies on: the attributes of what is called.
 */
#include "memory_effects.h"

#include <stddef.h>

#include "../../spirv/intrinsics.h"
#include "gep.h"

#define MOST_PHIS 4 /* between a pointer and what it began with */

/* LLVM's `memory` attribute has two bits for each kind of memory: the lower one reads, the higher writes. */
#define WRITE_BITS 0xaaaaaaaau

static enum lw_memory_effect
effect_of_call(LLVMValueRef call)
{
    static const char name[] = "memory";
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (!LLVMIsAFunction(callee))
        return LW_WRITES_MEMORY;
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind);
    if (!a || LLVMGetEnumAttributeValue(a) & WRITE_BITS)
        return LW_WRITES_MEMORY;
    return LLVMGetEnumAttributeValue(a) ? LW_READS_MEMORY : LW_NO_MEMORY;
}

enum lw_memory_effect
lw_memory_effect(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return lw_is_ordered_access(i) ? LW_WRITES_MEMORY : LW_READS_MEMORY;
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LW_WRITES_MEMORY;
    case LLVMCall:
        return effect_of_call(i);
    default:
        return LW_NO_MEMORY;
    }
}

bool
lw_only_computes(LLVMValueRef i)
{
    return !LLVMIsATerminatorInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind &&
           lw_memory_effect(i) == LW_NO_MEMORY;
}

bool
lw_is_ordered_access(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return true;
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    default:
        return false;
    }
}

LLVMValueRef
lw_address_of(LLVMValueRef access)
{
    bool store = LLVMIsAStoreInst(access);
    return store || LLVMIsALoadInst(access) ? LLVMGetOperand(access, store) : NULL;
}

LLVMValueRef
lw_moved_by(LLVMValueRef access)
{
    return LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : LLVMIsALoadInst(access);
}

LLVMValueRef
lw_written_address(LLVMValueRef access)
{
    bool atomic = LLVMIsAAtomicRMWInst(access) || LLVMIsAAtomicCmpXchgInst(access);
    return LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 1) : atomic ? LLVMGetOperand(access, 0) : NULL;
}

LLVMValueRef
lw_accessed_address(LLVMValueRef access)
{
    return LLVMIsALoadInst(access) ? LLVMGetOperand(access, 0) : lw_written_address(access);
}

LLVMValueRef
lw_plain_address(LLVMValueRef access)
{
    LLVMValueRef address = lw_address_of(access);
    return address && !lw_is_ordered_access(access) ? address : NULL;
}

/* What the address was made of: of a pointer that walks, what it began with. */
static LLVMValueRef
root_of(LLVMValueRef pointer, unsigned depth)
{
    LLVMValueRef phi = lw_gep_root(pointer), root = NULL;

    if (!LLVMIsAPHINode(phi) || depth == 0)
        return phi;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef from = lw_gep_root(LLVMGetIncomingValue(phi, k));
        if (from == phi)
            continue;
        from = root_of(from, depth - 1);
        if (root && from != root)
            return phi;
        root = from;
    }
    return root ? root : phi;
}

bool
lw_never_meet(const struct lw_shape *shape, LLVMValueRef a, LLVMValueRef b)
{
    unsigned x = lw_space_of(a), y = lw_space_of(b);
    bool buffers = x != LW_AS_LOCAL && x != LW_AS_PRIVATE && y != LW_AS_LOCAL && y != LW_AS_PRIVATE;

    if (x != y && x != LW_AS_GENERIC && y != LW_AS_GENERIC && !buffers)
        return true;
    LLVMValueRef from = root_of(a, MOST_PHIS), to = root_of(b, MOST_PHIS);
    return shape->buffers_apart && from != to && LLVMIsAArgument(from) && LLVMIsAArgument(to);
}
