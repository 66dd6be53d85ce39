/* SPDX-License-Identifier: MIT */
/* Exposes 32-bit index arithmetic and sinks it to the accesses, see addresses.h.
 *
 * Enters: any function, before lcssa. Leaves: the same control flow, the same values.
 * Relies on: nothing. Never: moves or copies anything but GEPs, extensions and integer arithmetic.
 */
#include "addresses.h"
#include "../facts/calls.h"
#include "../facts/extensions.h"
#include "../facts/gep.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"

#define DEPTH 8       /* of address arithmetic that is looked through */
#define INDEX_DEPTH 4 /* users of users from a masked number to the access that it is the index of */
#define USERS 64      /* of one extension */

/* ---- Extensions ---- */

/* Is the lower half of `v` zero, and its upper one the low half of something known: shl x, 32 and more, what
 * LLVM makes of a multiple of that, mul x, factor << 32, constants, and sums and differences of these?
 * sext(x + 3) comes so, where x is the low half of something wider. */
static bool
is_moved_up(LLVMValueRef v, int depth)
{
    uint64_t by;
    LLVMOpcode op = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : LLVMPHI;
    switch (op) {
    case LLVMShl:
        return lw_is_int_constant(LLVMGetOperand(v, 1), &by) && by >= 32 && by < 64;
    case LLVMMul:
        return lw_is_int_constant(LLVMGetOperand(v, 1), &by) && (by & UINT32_MAX) == 0;
    case LLVMAdd:
    case LLVMSub:
        return depth < DEPTH / 2 && is_moved_up(LLVMGetOperand(v, 0), depth + 1) &&
               is_moved_up(LLVMGetOperand(v, 1), depth + 1);
    default:
        return depth > 0 && lw_is_int_constant(v, &by) && (by & UINT32_MAX) == 0;
    }
}

/* The low half that was moved to the upper one. */
static LLVMValueRef
moved_up(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef i32)
{
    uint64_t by = 0;
    if (lw_is_int_constant(v, &by))
        return LLVMConstInt(i32, by >> 32, false);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMAdd || op == LLVMSub) {
        LLVMValueRef left = moved_up(b, LLVMGetOperand(v, 0), i32);
        return LLVMBuildBinOp(b, op, left, moved_up(b, LLVMGetOperand(v, 1), i32), "");
    }
    lw_is_int_constant(LLVMGetOperand(v, 1), &by);
    LLVMValueRef low = LLVMBuildTrunc(b, LLVMGetOperand(v, 0), i32, "");
    uint64_t factor = op == LLVMShl ? UINT64_C(1) << (by - 32) : by >> 32;
    return factor == 1 ? low : LLVMBuildMul(b, low, LLVMConstInt(i32, factor, false), "");
}

static bool
is_step(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMGetElementPtr || op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
}

static void
add_chain(LLVMValueRef v, LLVMValueRef *steps, unsigned *count)
{
    if (!is_step(v) && !lw_is_extension(v) && !LLVMIsABinaryOperator(v))
        return;
    for (unsigned k = 0; k < *count; k++)
        if (steps[k] == v)
            return;
    if (*count == USERS)
        return;
    steps[(*count)++] = v;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        add_chain(LLVMGetOperand(v, k), steps, count);
}

/* Arithmetic that something else took the place of, where nothing uses it: the last steps first. */
static void
erase_chain(LLVMValueRef v)
{
    LLVMValueRef steps[USERS];
    unsigned count = 0;
    add_chain(v, steps, &count);
    for (bool erased = true; erased;) {
        erased = false;
        for (unsigned k = 0; k < count; k++) {
            if (!steps[k] || LLVMGetFirstUse(steps[k]))
                continue;
            LLVMInstructionEraseFromParent(steps[k]);
            steps[k] = NULL;
            erased = true;
        }
    }
}

/* ashr or lshr (shl x, 32), c: the low half of x, extended, then shifted by what is left; of a multiple of x
 * likewise. NULL: something else. */
static LLVMValueRef
extend_shifted(LLVMBuilderRef b, LLVMValueRef i, LLVMTypeRef i32, LLVMTypeRef i64)
{
    LLVMValueRef low;
    uint64_t right;
    bool arithmetic = LLVMGetInstructionOpcode(i) == LLVMAShr;
    if (!lw_is_int_constant(LLVMGetOperand(i, 1), &right) || right >= 64)
        return NULL;
    if (!arithmetic && right < 32) /* some bits of a sign extension would be lost */
        return NULL;
    if (!is_moved_up(LLVMGetOperand(i, 0), 0))
        return NULL;
    low = moved_up(b, LLVMGetOperand(i, 0), i32);
    low = arithmetic ? LLVMBuildSExt(b, low, i64, "") : LLVMBuildZExt(b, low, i64, "");
    if (right < 32)
        return LLVMBuildShl(b, low, LLVMConstInt(i64, 32 - right, false), "");
    if (right == 32)
        return low;
    return LLVMBuildBinOp(b, LLVMGetInstructionOpcode(i), low, LLVMConstInt(i64, right - 32, false), "");
}

/* Does it soon become an index, or meet what is one? What only computes with it keeps its 64 bits: vectors'
 * halves would be packed and taken apart again. `looks` at so many users at most, then it does. */
static bool
is_soon_index(LLVMValueRef v, int depth, unsigned *looks)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool goes_on = LLVMIsABinaryOperator(user) || LLVMIsACastInst(user) || LLVMIsASelectInst(user) ||
                       LLVMIsAPHINode(user);
        if (!*looks || (!goes_on && !LLVMIsAStoreInst(user)))
            return true;
        --*looks;
        if (goes_on && depth < INDEX_DEPTH && is_soon_index(user, depth + 1, looks))
            return true;
    }
    return false;
}

/* The extension that `i` is in disguise, or NULL. */
static LLVMValueRef
extend(LLVMBuilderRef b, LLVMValueRef i, LLVMTypeRef i32, LLVMTypeRef i64)
{
    unsigned looks = USERS;
    uint64_t mask;
    if (LLVMTypeOf(i) != i64)
        return NULL;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAShr:
    case LLVMLShr:
        return extend_shifted(b, i, i32, i64);
    case LLVMAnd:
        if (!lw_is_int_constant(LLVMGetOperand(i, 1), &mask) || mask != UINT32_MAX ||
            !is_soon_index(i, 0, &looks))
            return NULL;
        return LLVMBuildZExt(b, LLVMBuildTrunc(b, LLVMGetOperand(i, 0), i32, ""), i64, "");
    default:
        return NULL;
    }
}

static void
widen_indices(LLVMBuilderRef b, LLVMValueRef gep, LLVMTypeRef i64)
{
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        LLVMTypeRef type = LLVMTypeOf(index);
        if (!LLVMIsAConstant(index) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
            LLVMGetIntTypeWidth(type) < 64)
            LLVMSetOperand(gep, k, LLVMBuildSExt(b, index, i64, ""));
    }
}

/* ---- Counters ---- */

/* The low half of `v`, by arithmetic on low halves where `v` is such. */
static LLVMValueRef
low_half(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef i32, int depth)
{
    if (LLVMIsAConstantInt(v))
        return LLVMConstInt(i32, LLVMConstIntGetZExtValue(v) & UINT32_MAX, false);
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMPHI;
    switch (op) {
    case LLVMZExt:
    case LLVMSExt:
        if (LLVMTypeOf(LLVMGetOperand(v, 0)) == i32)
            return LLVMGetOperand(v, 0);
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
        if (depth < DEPTH / 2)
            return LLVMBuildBinOp(b, op, low_half(b, LLVMGetOperand(v, 0), i32, depth + 1),
                                  low_half(b, LLVMGetOperand(v, 1), i32, depth + 1), "");
        break;
    default:
        break;
    }
    return LLVMBuildTrunc(b, v, i32, "");
}

/* Does the phi count in 64 bits of which the low half alone is read? */
static bool
counts_low_half(LLVMValueRef phi, LLVMTypeRef i32)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 64 ||
        !LLVMGetFirstUse(phi))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMGetInstructionOpcode(user) != LLVMTrunc || LLVMTypeOf(user) != i32)
            return false;
    }
    return true;
}

/* The low half of what comes in to a counter, right behind it where it is computed: what goes round and what
 * is compared are one value then, and loops are known by it (far_rounds.c). */
static LLVMValueRef
shared_low_half(LLVMBuilderRef b, LLVMValueRef v, LLVMBasicBlockRef from, LLVMTypeRef i32)
{
    if (!LLVMIsAInstruction(v)) {
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
        return low_half(b, v, i32, 0);
    }
    LLVMPositionBuilderBefore(b, lw_behind_phis(LLVMGetNextInstruction(v)));
    LLVMValueRef low = low_half(b, v, i32, 0);
    for (LLVMUseRef use = LLVMGetFirstUse(v), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (user == low || LLVMGetInstructionOpcode(user) != LLVMTrunc || LLVMTypeOf(user) != i32)
            continue;
        lw_replace(user, low);
    }
    return low;
}

/* Front ends count `uint i` in 64 bits and mask it wherever it is read; what wraps in 32 bits has a stride.
 */
static void
narrow_counter(LLVMBuilderRef b, LLVMValueRef phi)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(phi)));
    if (!counts_low_half(phi, i32))
        return;
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef narrow = LLVMBuildPhi(b, i32, "");
    unsigned n = LLVMCountIncoming(phi);
    while (LLVMGetFirstUse(phi))
        lw_replace(LLVMGetUser(LLVMGetFirstUse(phi)), narrow);
    for (unsigned k = 0; k < n; k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef low = lw_incoming_from(narrow, from); /* of an edge that is there twice */
        if (!low)
            low = shared_low_half(b, LLVMGetIncomingValue(phi, k), from, i32);
        LLVMAddIncoming(narrow, &low, &from, 1);
    }
    LLVMInstructionEraseFromParent(phi);
}

/* `visit` may erase the phi. */
static void
visit_phis(LLVMBuilderRef b, LLVMValueRef function, void (*visit)(LLVMBuilderRef b, LLVMValueRef phi))
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i && LLVMIsAPHINode(i); i = next) {
            next = LLVMGetNextInstruction(i);
            visit(b, i);
        }
}

/* ---- Constants in place of indices ---- */

/* `v`, integer arithmetic of `x` and constants, with `with` in the place of `x`; NULL: it is something else.
 * Without flags: it may wrap where nobody asked for it. Where `with` is a constant, so is what is made. */
static LLVMValueRef
computed_with(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef x, LLVMValueRef with, int depth)
{
    if (v == x)
        return with;
    if (LLVMIsAConstantInt(v))
        return v;
    if (depth == DEPTH / 2 || !LLVMIsAInstruction(v))
        return NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl && op != LLVMAnd &&
        op != LLVMTrunc && op != LLVMSExt && op != LLVMZExt)
        return NULL;
    LLVMValueRef left = computed_with(b, LLVMGetOperand(v, 0), x, with, depth + 1);
    if (!left || !LLVMIsABinaryOperator(v))
        return left ? LLVMBuildCast(b, op, left, LLVMTypeOf(v), "") : NULL;
    LLVMValueRef right = computed_with(b, LLVMGetOperand(v, 1), x, with, depth + 1);
    return right ? LLVMBuildBinOp(b, op, left, right, "") : NULL;
}

/* What is known to be `*constant` on the edge, by the branch there or one that only leads there; or NULL. */
static LLVMValueRef
known_on_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMValueRef *constant)
{
    for (int depth = 0; depth < DEPTH; depth++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
        LLVMValueRef test = lw_compared(end);
        if (test && LLVMGetSuccessor(end, 0) != LLVMGetSuccessor(end, 1)) {
            LLVMIntPredicate way = LLVMGetSuccessor(end, 0) == to ? LLVMIntEQ : LLVMIntNE;
            *constant = LLVMGetOperand(test, 1);
            if (LLVMGetICmpPredicate(test) == way && LLVMIsAConstantInt(*constant))
                return LLVMGetOperand(test, 0);
        }
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(from));
        if (!use || LLVMGetNextUse(use)) /* nothing leads there, or more than one */
            return NULL;
        to = from;
        from = LLVMGetInstructionParent(LLVMGetUser(use));
    }
    return NULL;
}

/* k == 0 ? 0 : 4 * k, as a phi where the ways of `k == 0 || ...` meet, is 4 * k: LLVM puts constants for what
 * a branch has found equal to them, and the lanes' index would be any. Legal: the constant is what the
 * arithmetic gives for the value that the edge is known to have. What it is of dominates both edges, so is
 * there. */
static void
forget_constant(LLVMBuilderRef b, LLVMValueRef phi)
{
    if (LLVMCountIncoming(phi) != 2 || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind)
        return;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef constant = LLVMGetIncomingValue(phi, k), other = LLVMGetIncomingValue(phi, !k), is;
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef x = LLVMIsAConstantInt(constant) && !LLVMIsAConstant(other)
                             ? known_on_edge(from, LLVMGetInstructionParent(phi), &is)
                             : NULL;
        if (!x || !LLVMIsAInstruction(x) || computed_with(b, other, x, is, 0) != constant)
            continue;
        LLVMPositionBuilderBefore(b, lw_behind_phis(LLVMGetNextInstruction(x)));
        lw_replace(phi, computed_with(b, other, x, x, 0));
        return;
    }
}

/* One i64 is all that it is indexed by. */
static LLVMValueRef
only_index(LLVMValueRef gep)
{
    bool one = LLVMIsAGetElementPtrInst(gep) && LLVMGetNumOperands(gep) == 2;
    return one && lw_int_width(LLVMGetOperand(gep, 1)) == 64 ? LLVMGetOperand(gep, 1) : NULL;
}

static bool
is_choice(LLVMValueRef v)
{
    bool extended = LLVMIsASExtInst(v) || LLVMIsAZExtInst(v);
    return LLVMIsASelectInst(extended ? LLVMGetOperand(v, 0) : v);
}

/* a[j < 0 ? n : 0][j] as a[(j < 0 ? n : 0) + j]: what keeps within a ring is one index, likely near those of
 * the lanes beside it (forms/near.c). Addresses wrap as sums do. */
static void
join_choice(LLVMBuilderRef b, LLVMValueRef gep)
{
    LLVMValueRef inner = LLVMGetOperand(gep, 0), x = only_index(gep), y = x ? only_index(inner) : NULL;
    if (!y || (!is_choice(x) && !is_choice(y)) || LLVMIsAConstant(x) || LLVMIsAConstant(y) ||
        LLVMGetGEPSourceElementType(gep) != LLVMGetGEPSourceElementType(inner))
        return;
    LLVMPositionBuilderBefore(b, gep);
    LLVMSetOperand(gep, 1, LLVMBuildAdd(b, y, x, ""));
    LLVMSetOperand(gep, 0, LLVMGetOperand(inner, 0));
    LLVMGEPSetNoWrapFlags(gep, 0);
}

void
lw_expose_extensions(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    visit_phis(b, function, forget_constant);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMPositionBuilderBefore(b, i);
            if (LLVMGetInstructionOpcode(i) == LLVMGetElementPtr) {
                widen_indices(b, i, i64);
                join_choice(b, i);
            }
            LLVMValueRef made = extend(b, i, i32, i64);
            if (!made)
                continue;
            LLVMValueRef inner = LLVMGetOperand(i, 0);
            lw_replace(i, made);
            erase_chain(inner);
        }
    visit_phis(b, function, narrow_counter);
    LLVMDisposeBuilder(b);
}

/* ---- Sinking ---- */

static bool
holds_extension(LLVMValueRef v, int depth)
{
    if (lw_is_extension(v))
        return true;
    for (unsigned k = 0; depth < DEPTH && is_step(v) && k < (unsigned)LLVMGetNumOperands(v); k++)
        if (holds_extension(LLVMGetOperand(v, k), depth + 1))
            return true;
    return false;
}

/* A copy, before `at`, of the part of `v` that holds extensions. */
static LLVMValueRef
copy_chain(LLVMBuilderRef b, LLVMValueRef v, int depth)
{
    if (!holds_extension(v, depth))
        return v;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (unsigned k = 0; !lw_is_extension(v) && k < (unsigned)LLVMGetNumOperands(v); k++)
        LLVMSetOperand(copy, k, copy_chain(b, LLVMGetOperand(v, k), depth + 1));
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

void
lw_sink_addresses(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i)) {
        LLVMValueRef pointer = lw_accessed_address(i);
        if (!pointer || !is_step(pointer) || !holds_extension(pointer, 0))
            continue;
        LLVMPositionBuilderBefore(b, i);
        LLVMSetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0, copy_chain(b, pointer, 0));
        erase_chain(pointer);
    }
    LLVMDisposeBuilder(b);
}
