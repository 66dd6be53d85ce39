/* SPDX-License-Identifier: MIT */
/* Operations on known integers, see integers.h.
 *
 * Enters: an operation and its operands. Leaves: its result. Relies on: operands being no wider than they
 * say. Never: does an operation that LLVM leaves undefined.
 */
#include "integers.h"

#include "gep.h"

#define ALIKE_DEPTH 6

bool
lw_int_operate(LLVMOpcode op, unsigned from, unsigned width, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (op) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMFreeze:
        *out = lw_zero_extend(a, width);
        return true;
    case LLVMSExt:
        *out = lw_zero_extend((uint64_t)lw_sign_extend(a, from), width);
        return true;
    case LLVMAdd:
        *out = lw_zero_extend(a + b, width);
        return true;
    case LLVMSub:
        *out = lw_zero_extend(a - b, width);
        return true;
    case LLVMMul:
        *out = lw_zero_extend(a * b, width);
        return true;
    case LLVMAnd:
        *out = a & b;
        return true;
    case LLVMOr:
        *out = a | b;
        return true;
    case LLVMXor:
        *out = a ^ b;
        return true;
    case LLVMShl:
        *out = b < width ? lw_zero_extend(a << b, width) : 0;
        return b < width;
    case LLVMLShr:
        *out = b < width ? a >> b : 0;
        return b < width;
    case LLVMAShr:
        *out = b < width ? lw_zero_extend((uint64_t)(lw_sign_extend(a, width) >> b), width) : 0;
        return b < width;
    case LLVMUDiv:
        *out = b ? a / b : 0;
        return b != 0;
    case LLVMURem:
        *out = b ? a % b : 0;
        return b != 0;
    default:
        return false;
    }
}

LLVMIntPredicate
lw_inverse(LLVMIntPredicate p)
{
    static const LLVMIntPredicate pairs[][2] = {{LLVMIntEQ, LLVMIntNE},
                                                {LLVMIntUGT, LLVMIntULE},
                                                {LLVMIntUGE, LLVMIntULT},
                                                {LLVMIntSGT, LLVMIntSLE},
                                                {LLVMIntSGE, LLVMIntSLT}};
    unsigned k = 0;

    while (p != pairs[k][0] && p != pairs[k][1])
        k++;
    return pairs[k][p == pairs[k][0]];
}

static bool
is_alike(LLVMValueRef a, LLVMValueRef b, int depth)
{
    a = lw_before_casts(a);
    b = lw_before_casts(b);
    if (a == b)
        return true;
    if (depth == ALIKE_DEPTH || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    bool steps = op == LLVMGetElementPtr && LLVMGetGEPSourceElementType(a) == LLVMGetGEPSourceElementType(b);
    bool numbers = (lw_is_int_operation(op) || lw_is_int_cast(op)) && LLVMTypeOf(a) == LLVMTypeOf(b);
    if (!steps && !numbers)
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(a); k++)
        if (!is_alike(LLVMGetOperand(a, k), LLVMGetOperand(b, k), depth + 1))
            return false;
    return true;
}

bool
lw_is_computed_alike(LLVMValueRef a, LLVMValueRef b)
{
    return is_alike(a, b, 0);
}
