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

#include <stdbool.h>
#include <string.h>

#include "../spirv/intrinsics.h"

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
    size_t length;

    if (load || LLVMIsAStoreInst(i)) {
        bool plain = !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
        return plain ? LLVMGetOperand(i, load ? 0 : 1) : NULL;
    }
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) ||
        strncmp(LLVMGetValueName2(callee, &length), "llvm.masked.", 12) != 0)
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
