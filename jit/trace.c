/* SPDX-License-Identifier: MIT */
/* Loops whose way is known beforehand, written out along it.
 *
 * Enters: the scalar kernel, in LCSSA form. Leaves: loops over private arrays, whose every branch follows
 * from constants, as straight code; what they were is unreachable. Relies on: values that leave a loop
 * passing a phi. Never: copies what is convergent, or writes more than MOST_WRITTEN instructions, or than
 * there is room for. Why: front ends thread jumps through small loops until LLVM's own unrolling finds no
 * exit that it can count, and the arrays stay in memory.
 */
#include "trace.h"
#include "../vectorizer/facts/instructions.h"
#include "../vectorizer/facts/integers.h"

#include <stdlib.h>

#define MOST_WRITTEN 2000

struct trace {
    LLVMBuilderRef builder;
    LLVMBasicBlockRef out; /* being written */
    const struct lw_trace_loop *loop;
    LLVMValueRef *from, *to; /* open addressing */
    size_t mask, count;
    unsigned written, most;
};

static size_t
slot_of(const struct trace *t, LLVMValueRef v)
{
    size_t at = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u >> 20 & t->mask;
    while (t->from[at] && t->from[at] != v)
        at = (at + 1) & t->mask;
    return at;
}

/* false: no room. */
static bool
set(struct trace *t, LLVMValueRef from, LLVMValueRef to)
{
    size_t at = slot_of(t, from);
    if (!t->from[at] && ++t->count * 2 > t->mask)
        return false;
    t->from[at] = from;
    t->to[at] = to;
    return true;
}

static LLVMValueRef
get(const struct trace *t, LLVMValueRef v)
{
    size_t at = slot_of(t, v);
    return t->from[at] ? t->to[at] : v;
}

/* Integer arithmetic of constants, which the builder folds; NULL: something else. */
static LLVMValueRef
fold(struct trace *t, LLVMValueRef i)
{
    LLVMValueRef x[3];
    int n = LLVMGetNumOperands(i);

    for (int k = 0; k < n && k < 3; k++) {
        x[k] = get(t, LLVMGetOperand(i, (unsigned)k));
        if (!LLVMIsAConstantInt(x[k]))
            return NULL;
    }
    if (LLVMIsABinaryOperator(i)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        return lw_is_int_division(op) ? NULL : LLVMBuildBinOp(t->builder, op, x[0], x[1], "");
    }
    if (LLVMIsAICmpInst(i))
        return LLVMBuildICmp(t->builder, LLVMGetICmpPredicate(i), x[0], x[1], "");
    if (LLVMIsATruncInst(i) || LLVMIsAZExtInst(i) || LLVMIsASExtInst(i))
        return LLVMBuildCast(t->builder, LLVMGetInstructionOpcode(i), x[0], LLVMTypeOf(i), "");
    if (LLVMIsASelectInst(i))
        return LLVMBuildSelect(t->builder, x[0], x[1], x[2], "");
    return NULL;
}

static bool
write_instruction(struct trace *t, LLVMValueRef i)
{
    LLVMValueRef folded = fold(t, i);

    if (folded && LLVMIsConstant(folded))
        return set(t, i, folded);
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        LLVMSetOperand(copy, (unsigned)k, get(t, LLVMGetOperand(i, (unsigned)k)));
    LLVMInsertIntoBuilder(t->builder, copy);
    return ++t->written <= t->most && set(t, i, copy);
}

/* The phis of `block`, all at once. */
static bool
take_phis(struct trace *t, LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
    LLVMValueRef values[64];
    unsigned count = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef v = lw_incoming_from(i, from);
        if (!v || count == 64)
            return false;
        values[count++] = get(t, v);
    }
    count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        if (!set(t, i, values[count++]))
            return false;
    return true;
}

/* From the loop's entry to its exit; false: the way is not known, or too long. */
static bool
follow(struct trace *t, LLVMBasicBlockRef from, LLVMBasicBlockRef block, LLVMBasicBlockRef *last,
       LLVMBasicBlockRef *exit)
{
    while (t->loop->contains(t->loop->data, block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (!take_phis(t, block, from) || !LLVMIsABranchInst(end) || ++t->written > t->most)
            return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end; i = LLVMGetNextInstruction(i))
            if (!LLVMIsAPHINode(i) && !write_instruction(t, i))
                return false;
        unsigned way = 0;
        if (LLVMIsConditional(end)) {
            LLVMValueRef c = get(t, LLVMGetCondition(end));
            if (!LLVMIsAConstantInt(c))
                return false;
            way = LLVMIsNull(c) ? 1 : 0;
        }
        from = block;
        block = LLVMGetSuccessor(end, way);
    }
    *last = from;
    *exit = block;
    return true;
}

bool
lw_write_loop_out(LLVMBasicBlockRef preheader, LLVMBasicBlockRef header, const struct lw_trace_loop *loop,
                  uint32_t *room)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(header)));
    struct trace t = {.loop = loop, .mask = 16384 - 1, .most = *room < MOST_WRITTEN ? *room : MOST_WRITTEN};
    LLVMBasicBlockRef last, exit;

    t.from = calloc(t.mask + 1, sizeof *t.from);
    t.to = calloc(t.mask + 1, sizeof *t.to);
    t.builder = LLVMCreateBuilderInContext(context);
    t.out = LLVMInsertBasicBlockInContext(context, header, "");
    LLVMPositionBuilderAtEnd(t.builder, t.out);
    bool known = t.from && t.to && follow(&t, preheader, header, &last, &exit);
    if (known) {
        *room -= t.written;
        for (LLVMValueRef i = LLVMGetFirstInstruction(exit); i && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef v = get(&t, lw_incoming_from(i, last));
            LLVMAddIncoming(i, &v, &t.out, 1);
        }
        LLVMBuildBr(t.builder, exit);
        /* The old edge stays, never taken, for the phis of the loop. */
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(preheader));
        LLVMPositionBuilderAtEnd(t.builder, preheader);
        LLVMBuildCondBr(t.builder, LLVMConstInt(LLVMInt1TypeInContext(context), 1, false), t.out, header);
    } else {
        while (LLVMGetLastInstruction(t.out)) /* users before what they use */
            LLVMInstructionEraseFromParent(LLVMGetLastInstruction(t.out));
        LLVMDeleteBasicBlock(t.out);
    }
    LLVMDisposeBuilder(t.builder);
    free(t.from);
    free(t.to);
    return known;
}
