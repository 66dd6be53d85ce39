/* SPDX-License-Identifier: MIT */
/* What LLVM may take for granted of the sub-group function while it is one.
 *
 * Enters: lw.subgroup, widened. Leaves: the same, its calls of lw.* with their effects, its loads of constant
 * memory marked.
 */
#include "../../spirv/attributes.h"
#include "../../spirv/intrinsics.h"
#include "../facts/gep.h"
#include "../facts/instructions.h"
#include "workgroup.h"

#include <string.h>

void
lw_mark_subgroup_calls(LLVMModuleRef module)
{
    static const char barrier[] = "lw.wg.barrier";

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        if (!LLVMIsDeclaration(f) || strncmp(name, "lw.", 3) != 0)
            continue;
        lw_add_attributes(f, strcmp(name, barrier) == 0 ? "nounwind convergent noduplicate nomerge"
                                                        : "nounwind memory willreturn speculatable");
    }
}

void
lw_mark_constant_loads(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef function = LLVMGetNamedFunction(module, "lw.subgroup");
    LLVMValueRef none = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
    unsigned kind = LLVMGetMDKindIDInContext(context, "invariant.load", 14);

    for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        if (LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && lw_space_of(LLVMGetOperand(i, 0)) == LW_AS_CONSTANT)
            LLVMSetMetadata(i, kind, none);
}
