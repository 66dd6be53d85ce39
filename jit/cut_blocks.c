/* SPDX-License-Identifier: MIT */
/* Cuts blocks of very many instructions, before code generation and before sroa; and any block in front of an
 * instruction that code generation should leave where it is (lw_cut_before: a debugger's lines).
 *
 * Enters: any module. Leaves: the same code, no block much longer than MOST_INSTRUCTIONS. Each piece ends
 * with a branch, which simplifycfg takes away again, or, where cuts should last, with an empty piece of
 * assembly that may go elsewhere, as LLVM believes. Why: instruction selection, two-address form, the
 * scheduler and the splitting of live ranges look at a block's instructions pair by pair; 40,000 in a row
 * take three times as long as in pieces of 500. What joins blocks again in front of instruction selection
 * knows branches, and leaves assembly alone. Sroa goes through a block from its beginning for each variable
 * that is read there before it is written, as those of lanes are: a store reads what it leaves to other
 * lanes. X86's combineLoad compares each load of a block with all others: 10,000 of them took 40 s, so code
 * generation never gets so many in one piece, in small modules either. Never: moves an instruction over
 * another, but the places of private variables to the front.
 */
#include "jit.h"

#define MOST_INSTRUCTIONS 4000
#define MOST_LOADS 1500 /* as registers of 256 bits */
#define PIECE 500
#define LOAD_BITS 256

static unsigned
bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type) * bits(LLVMGetElementType(type));
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

/* Registers that it loads; 0: it does not. */
static unsigned
loads(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) ? (bits(LLVMTypeOf(i)) + LOAD_BITS - 1) / LOAD_BITS : 0;
}

static unsigned
weight(LLVMValueRef i)
{
    unsigned n = loads(i);
    return n > 1 ? n : 1;
}

struct size {
    unsigned instructions, loads, weight;
};

static struct size
measure(LLVMBasicBlockRef block)
{
    struct size s = {0};

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        s.instructions++;
        s.loads += loads(i);
        s.weight += weight(i);
    }
    return s;
}

static void
move(LLVMBuilderRef b, LLVMValueRef i)
{
    size_t length;
    const char *name = LLVMGetValueName2(i, &length);

    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilderWithName(b, i, name);
}

struct cutter {
    LLVMBuilderRef b;
    bool lasting, large;         /* not large: for its loads only */
    LLVMBasicBlockRef elsewhere; /* of the function at hand: where lasting pieces seem to go, or NULL */
};

/* Where assembly may go that goes nowhere. */
static LLVMBasicBlockRef
never(LLVMBuilderRef b, LLVMValueRef function)
{
    LLVMBasicBlockRef made =
        LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(function)), function, "never");

    LLVMPositionBuilderAtEnd(b, made);
    LLVMBuildUnreachable(b);
    return made;
}

static void
end_piece(struct cutter *c, LLVMBasicBlockRef next)
{
    if (!c->lasting) {
        LLVMBuildBr(c->b, next);
        return;
    }
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(next)))),
                         NULL, 0, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(type, "", 0, "!i", 2, true, false, LLVMInlineAsmDialectATT, false);

    LLVMBuildCallBr(c->b, type, nothing, next, &c->elsewhere, 1, NULL, 0, NULL, 0, "");
}

/* LLVMReplaceAllUsesWith would have the phis behind the block follow. */
static void
lead_to(LLVMBasicBlockRef block, LLVMBasicBlockRef instead)
{
    LLVMUseRef use;

    while ((use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)))) {
        LLVMValueRef end = LLVMGetUser(use);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            if (LLVMGetSuccessor(end, k) == block)
                LLVMSetSuccessor(end, k, instead);
    }
}

/* A new block in front of it, to which all leads that led to it; the builder stands in there. */
static LLVMBasicBlockRef
open_piece(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
    LLVMBasicBlockRef piece = LLVMInsertBasicBlockInContext(context, block, "piece");

    lead_to(block, piece);
    LLVMPositionBuilderAtEnd(b, piece);
    return piece;
}

/* The block's end stays where it is, so that phis behind it need not know; all before it go to new blocks in
 * front of it. */
static void
cut(struct cutter *c, LLVMBasicBlockRef block, unsigned left)
{
    LLVMBuilderRef b = c->b;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
    LLVMBasicBlockRef piece = open_piece(b, block);
    LLVMValueRef i = LLVMGetFirstInstruction(block), next;
    unsigned size = 0; /* of the piece */

    for (; LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        move(b, i);
        left--;
    }
    for (LLVMValueRef a = i; a; a = next) { /* elsewhere than in the first block their size would vary */
        next = LLVMGetNextInstruction(a);
        if (!LLVMIsAAllocaInst(a))
            continue;
        i = a == i ? next : i;
        move(b, a);
        left--;
    }
    for (; left > PIECE; i = next) {
        next = LLVMGetNextInstruction(i);
        size += weight(i);
        left -= weight(i);
        move(b, i);
        if (size < PIECE)
            continue;
        size = 0;
        LLVMBasicBlockRef more =
            left > PIECE ? LLVMInsertBasicBlockInContext(context, block, "piece") : block;
        end_piece(c, more);
        LLVMPositionBuilderAtEnd(b, more);
        piece = more;
    }
    if (piece != block) { /* nothing but phis and variables */
        LLVMPositionBuilderAtEnd(b, piece);
        LLVMBuildBr(b, block);
    }
}

LLVMBasicBlockRef
lw_cut_before(LLVMBuilderRef b, LLVMValueRef first, LLVMBasicBlockRef elsewhere)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
    struct cutter c = {
        .b = b,
        .lasting = true,
        .elsewhere = elsewhere ? elsewhere : never(b, LLVMGetBasicBlockParent(block))};

    open_piece(b, block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != first; i = next) {
        next = LLVMGetNextInstruction(i);
        move(b, i);
    }
    end_piece(&c, block);
    return c.elsewhere;
}

static void
cut_function(struct cutter *c, LLVMValueRef function)
{
    c->elsewhere = NULL;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        struct size s = measure(block);
        if (!(c->large && s.instructions > MOST_INSTRUCTIONS) && !(c->lasting && s.loads > MOST_LOADS))
            continue;
        if (c->lasting && !c->elsewhere)
            c->elsewhere = never(c->b, function);
        cut(c, block, s.weight);
    }
}

void
lw_cut_blocks(LLVMModuleRef module, bool lasting, bool large)
{
    struct cutter c = {
        .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)), .lasting = lasting, .large = large};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            cut_function(&c, f);
    LLVMDisposeBuilder(c.b);
}
