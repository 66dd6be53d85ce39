/* SPDX-License-Identifier: MIT */
/* Null values of SPIR-V's own types, say an event that a loop begins with: the back end dies of them as what
 * a phi or a select chooses and as what a function returns ("unable to translate constant"); as what is
 * stored it writes them. One variable for each such type has the null stored and loaded where the function
 * begins. */
#include "legal.h"

#define MOST_TYPES 8u

struct nulls {
    T types[MOST_TYPES];
    V values[MOST_TYPES];
    unsigned count;
};

static bool
is_null(V value)
{
    return LLVMIsConstant(value) && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMTargetExtTypeKind;
}

/* At the function's head, which comes before all that may use it. */
static V
loaded(struct lw_legal *l, struct nulls *nulls, T type)
{
    for (unsigned k = 0; k < nulls->count; k++)
        if (nulls->types[k] == type)
            return nulls->values[k];
    if (nulls->count == MOST_TYPES) {
        l->why = "null values of more types than are known";
        return NULL;
    }
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->function)));
    V variable = LLVMBuildAlloca(l->b, type, "");
    LLVMBuildStore(l->b, LLVMConstNull(type), variable);
    nulls->types[nulls->count] = type;
    return nulls->values[nulls->count++] = LLVMBuildLoad2(l->b, type, variable, "");
}

/* What is poison may be null, too. */
static void
mend_operands(struct lw_legal *l, struct nulls *nulls, V i)
{
    unsigned count = (unsigned)LLVMGetNumOperands(i);
    for (unsigned k = 0; k < count && !l->why; k++)
        if (is_null(LLVMGetOperand(i, k))) {
            V value = loaded(l, nulls, LLVMTypeOf(LLVMGetOperand(i, k)));
            if (value)
                LLVMSetOperand(i, k, value);
        }
}

bool
lw_legal_nulls(struct lw_legal *l)
{
    struct nulls nulls = {.count = 0};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block && !l->why;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block); i && !l->why; i = LLVMGetNextInstruction(i)) {
            LLVMOpcode op = LLVMGetInstructionOpcode(i);
            if (op == LLVMPHI || op == LLVMSelect || op == LLVMRet)
                mend_operands(l, &nulls, i);
        }
    return !l->why;
}
