/* SPDX-License-Identifier: MIT */
/* Alias scopes from address spaces: for x86 LLVM's analyses take no notice of these, and a store to local
 * memory stands in the way of every load of a buffer.
 *
 * Enters: any function. Leaves: !alias.scope and !noalias on plain accesses of global, constant and local
 * memory. Relies on: pointers of these spaces staying in them; generic ones get no mark. Barriers, fences and
 * atomics are no accesses in this sense: LLVM moves nothing over them that it did not before. Never: says
 * that two accesses of one space differ: `restrict` holds within a region only (DESIGN).
 */
#include "spaces.h"

#include <limits.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <string.h>

#include "../spirv/intrinsics.h"
#include "calls.h"

enum space { GLOBAL, LOCAL, SLOT, SPACES };

static LLVMMetadataRef
scope_of(LLVMContextRef context, enum space space)
{
    static const char *const names[SPACES] = {"global", "local", "slot"};
    LLVMMetadataRef name = LLVMMDStringInContext2(context, "lanewise", 8);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(context, &name, 1);
    LLVMMetadataRef scope[] = {LLVMMDStringInContext2(context, names[space], strlen(names[space])), domain};

    return LLVMMDNodeInContext2(context, scope, 2);
}

/* What an access of a space is told. */
struct marks {
    unsigned own_kind, others_kind;
    LLVMValueRef own, others;
};

static struct marks
marks_of(LLVMContextRef context, enum space space)
{
    LLVMMetadataRef own = scope_of(context, space), others[SPACES - 1];
    unsigned count = 0;

    for (enum space s = 0; s < SPACES; s++)
        if (s != space)
            others[count++] = scope_of(context, s);
    return (struct marks){
        LLVMGetMDKindIDInContext(context, "alias.scope", 11),
        LLVMGetMDKindIDInContext(context, "noalias", 7),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &own, 1)),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, others, count)),
    };
}

static void
mark(LLVMValueRef access, const struct marks *m)
{
    LLVMSetMetadata(access, m->own_kind, m->own);
    LLVMSetMetadata(access, m->others_kind, m->others);
}

/* The address of a plain access; NULL: none. */
static LLVMValueRef
address_of(LLVMValueRef i)
{
    bool load = LLVMIsALoadInst(i) != NULL;

    if (load || LLVMIsAStoreInst(i)) {
        bool plain = !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
        return plain ? LLVMGetOperand(i, load ? 0 : 1) : NULL;
    }
    if (!lw_is_call_like(i, "llvm.masked."))
        return NULL;
    bool stores = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind;
    return LLVMGetOperand(i, stores ? 1 : 0);
}

static void
mark_by_address(const struct marks *marks, LLVMValueRef access, LLVMValueRef address)
{
    LLVMTypeRef type = LLVMTypeOf(address);

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    unsigned space = LLVMGetPointerAddressSpace(type);
    if (space == LW_AS_GLOBAL || space == LW_AS_CONSTANT)
        mark(access, &marks[GLOBAL]);
    else if (space == LW_AS_LOCAL)
        mark(access, &marks[LOCAL]);
}

void
lw_mark_spaces(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct marks marks[] = {[GLOBAL] = marks_of(context, GLOBAL), [LOCAL] = marks_of(context, LOCAL)};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef address = address_of(i);
                if (address)
                    mark_by_address(marks, i, address);
            }
}

void
lw_mark_slot(LLVMValueRef access)
{
    struct marks marks = marks_of(LLVMGetTypeContext(LLVMTypeOf(access)), SLOT);

    mark(access, &marks);
}

#define NEAR 512 /* instructions from a load to the first use */

static bool
uses(LLVMValueRef i, LLVMValueRef x)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (LLVMGetOperand(i, (unsigned)k) == x)
            return true;
    return false;
}

/* The first of the users of `x` among `steps` instructions behind `load`, all of which are in its block;
 * NULL: they are not, or something is stored in a slot before: the next round's value may go to the same. */
static LLVMValueRef
first_user(LLVMValueRef x, LLVMValueRef load, const struct marks *slot, unsigned steps)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(load);
    LLVMValueRef i = LLVMGetNextInstruction(load);

    for (LLVMUseRef u = LLVMGetFirstUse(x); u; u = LLVMGetNextUse(u))
        if (LLVMIsAPHINode(LLVMGetUser(u)) || LLVMGetInstructionParent(LLVMGetUser(u)) != block)
            return NULL;
    for (; i && steps; steps--, i = LLVMGetNextInstruction(i)) {
        if (uses(i, x))
            return i;
        if (LLVMIsAStoreInst(i) && LLVMGetMetadata(i, slot->own_kind) == slot->own)
            return NULL;
    }
    return NULL;
}

static bool
is_taken_apart(LLVMValueRef load, const struct marks *slot)
{
    LLVMTypeRef type = LLVMTypeOf(load);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetMetadata(load, slot->own_kind) != slot->own)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
    bool bytes = kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
                 (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMGetElementType(type)) % 8 == 0);
    for (LLVMUseRef u = LLVMGetFirstUse(load); bytes && u; u = LLVMGetNextUse(u)) {
        LLVMValueRef lane = LLVMGetUser(u);
        bytes = LLVMIsAExtractElementInst(lane) && LLVMIsAConstantInt(LLVMGetOperand(lane, 1)) &&
                first_user(lane, load, slot, NEAR);
    }
    return bytes && LLVMGetFirstUse(load);
}

/* Code generation would load them all where the vector is, and keep them on the stack. Nothing writes a slot
 * between its load and the end of the region. */
static void
take_apart(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef load, const struct marks *slot)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(load));
    unsigned align = LLVMGetAlignment(load), size = (unsigned)LLVMABISizeOfType(layout, element);

    for (LLVMUseRef u; (u = LLVMGetFirstUse(load));) {
        LLVMValueRef lane = LLVMGetUser(u), index = LLVMGetOperand(lane, 1);
        /* Near when the load was chosen; the other lanes' loads stand between by now. */
        LLVMPositionBuilderBefore(b, first_user(lane, load, slot, UINT_MAX));
        LLVMValueRef at = LLVMBuildGEP2(b, element, LLVMGetOperand(load, 0), &index, 1, "");
        LLVMValueRef one = LLVMBuildLoad2(b, element, at, "");
        LLVMSetAlignment(one, align < size ? align : size);
        mark(one, slot);
        LLVMReplaceAllUsesWith(lane, one);
        LLVMInstructionEraseFromParent(lane);
    }
    LLVMInstructionEraseFromParent(load);
}

/* What is loaded from a slot goes there where it is used first. */
static void
bring_near(LLVMBuilderRef b, LLVMValueRef load, const struct marks *slot)
{
    LLVMValueRef user = NULL;

    if (LLVMGetMetadata(load, slot->own_kind) == slot->own)
        user = first_user(load, load, slot, NEAR);
    LLVMValueRef i = LLVMGetNextInstruction(load);
    while (user && i != user && (LLVMIsALoadInst(i) || LLVMIsAGetElementPtrInst(i)))
        i = LLVMGetNextInstruction(i);
    if (!user || i == user) /* near already: others that were brought stand between */
        return;
    LLVMInstructionRemoveFromParent(load);
    LLVMPositionBuilderBefore(b, user);
    LLVMInsertIntoBuilder(b, load);
}

void
lw_settle_slots(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    struct marks slot = marks_of(context, SLOT);

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
                next = LLVMGetNextInstruction(i);
                /* What is erased stands behind the load; what follows it may be among that. */
                if (!LLVMIsALoadInst(i) || LLVMGetVolatile(i))
                    continue;
                if (!is_taken_apart(i, &slot)) {
                    bring_near(builder, i, &slot);
                } else {
                    LLVMValueRef before = LLVMGetPreviousInstruction(i);
                    take_apart(builder, LLVMGetModuleDataLayout(module), i, &slot);
                    next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(b);
                }
            }
        }
    LLVMDisposeBuilder(builder);
}
