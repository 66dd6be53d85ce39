/* SPDX-License-Identifier: MIT */
/* The first work-item's pointer is everybody's, see block_pointers.h.
 *
 * Enters: any function in SSA and LCSSA form. Leaves: the same values. Legal: all that the pointer is
 * computed from is the kernel's arguments, constants, what a sub-group's work-items are told alike, and
 * counters of loops, which those that are in a round have in common. Why: behind integers nobody sees what
 * a pointer points into. Never: looks through loads, nor at more than MOST values.
 */
#include "block_pointers.h"

#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/integers.h"
#include "module_pass.h"

#define MOST 64

struct values {
    LLVMValueRef all[MOST];
    uint32_t count;
};

/* false: it may differ, or there is no room. */
static bool
look_at(struct values *s, LLVMValueRef v)
{
    if (LLVMIsConstant(v))
        return true;
    for (uint32_t k = 0; k < s->count; k++)
        if (s->all[k] == v)
            return true;
    if (s->count == MOST)
        return false;
    s->all[s->count++] = v;
    return true;
}

static bool
look_at_operands(struct values *s, LLVMValueRef v)
{
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!look_at(s, LLVMGetOperand(v, (unsigned)k)))
            return false;
    return true;
}

static bool
computes(LLVMOpcode op)
{
    return lw_is_int_operation(op) || lw_is_int_division(op) || lw_is_int_cast(op) || op == LLVMFreeze ||
           op == LLVMGetElementPtr || op == LLVMAddrSpaceCast || op == LLVMICmp || op == LLVMSelect;
}

/* Is it the same in all work-items of a sub-group, if what was added to `s` is? */
static bool
is_common(struct values *s, LLVMValueRef v)
{
    struct lw_round r;
    if (LLVMIsAArgument(v)) {
        LLVMValueRef f = LLVMGetParamParent(v);
        return LLVMGetFirstUse(f) == NULL; /* a kernel's, which nobody calls */
    }
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    enum lw_call_same same = lw_call_same(v);
    if (op == LLVMPHI)
        return lw_read_counter(v, &r) && look_at(s, r.first);
    if (op == LLVMCall && same != LW_SAME_OPERANDS)
        return same == LW_SAME_GROUP || same == LW_SAME_SUB_GROUP;
    return (op == LLVMCall || computes(op)) && look_at_operands(s, v);
}

static void
take_pointer(lw_lanes *l, LLVMValueRef pointer)
{
    (void)l;
    if (!LLVMIsAIntToPtrInst(pointer))
        return;
    LLVMValueRef first = LLVMGetOperand(pointer, 0);
    if (!lw_is_call_of(first, "lw.sg.broadcast_first.i64"))
        return;
    LLVMValueRef number = LLVMGetOperand(first, 0);
    if (!LLVMIsAPtrToIntInst(number) || LLVMTypeOf(LLVMGetOperand(number, 0)) != LLVMTypeOf(pointer))
        return;
    struct values s = {{LLVMGetOperand(number, 0)}, 1};
    for (uint32_t k = 0; k < s.count; k++)
        if (!is_common(&s, s.all[k]))
            return;
    LLVMReplaceAllUsesWith(pointer, s.all[0]);
    LLVMInstructionEraseFromParent(pointer);
    if (!LLVMGetFirstUse(first))
        LLVMInstructionEraseFromParent(first);
}

void
lw_take_block_pointers(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, take_pointer);
}
