/* SPDX-License-Identifier: MIT */
/* What the rows of legal.c share: types and their components, and the walk over a function that replaces
 * instructions. */
#include "legal.h"

#include <string.h>

bool
lw_is_legal_length(unsigned components)
{
    return components == 2 || components == 3 || components == 4 || components == 8 || components == 16;
}

bool
lw_is_legal_width(unsigned bits)
{
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

unsigned
lw_wider(unsigned bits)
{
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 0;
}

T
lw_scalar_of(T type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

unsigned
lw_count_of(T type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

unsigned
lw_bits_of(T scalar)
{
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(scalar);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

void
lw_write_at(struct lw_legal *l, V instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    V at = instruction;
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilder(l->b, block, at);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
}

/* The builder would make nothing of it where the pointer is a constant. */
V
lw_address(struct lw_legal *l, V pointer, T element)
{
    V zero = LLVMConstNull(LLVMInt64TypeInContext(l->context));
    V other = LLVMBuildFreeze(l->b, pointer, "");
    V address = LLVMBuildGEP2(l->b, element, other, &zero, 1, "");
    LLVMSetOperand(address, 0, pointer);
    LLVMInstructionEraseFromParent(other);
    return address;
}

bool
lw_replace_each(struct lw_legal *l, V (*meant)(struct lw_legal *l, V instruction))
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block && !l->why;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i && !l->why; i = next) {
            next = LLVMGetNextInstruction(i);
            V value = meant(l, i);
            if (!value)
                continue;
            LLVMReplaceAllUsesWith(i, value);
            LLVMInstructionEraseFromParent(i);
        }
    return !l->why;
}

void
lw_keep_fast_math(V instead_of, V made)
{
    if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(instead_of) &&
        LLVMCanValueUseFastMathFlags(made))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(instead_of));
}

static V
number(struct lw_legal *l, unsigned k)
{
    return LLVMConstInt(LLVMInt32TypeInContext(l->context), k, false);
}

const char *
lw_called(V call)
{
    size_t length;
    V callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

unsigned
lw_which_call(V call, const char *const *names, unsigned count)
{
    const char *name = lw_called(call);
    unsigned k = 0;
    while (k < count && strncmp(name, names[k], strlen(names[k])) != 0)
        k++;
    return k;
}

V
lw_part(struct lw_legal *l, V value, unsigned k)
{
    T type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return value;
    if (LLVMIsPoison(value))
        return LLVMGetPoison(LLVMGetElementType(type));
    if (LLVMIsUndef(value))
        return LLVMGetUndef(LLVMGetElementType(type));
    V constant = LLVMIsConstant(value) ? LLVMGetAggregateElement(value, k) : NULL;
    return constant ? constant : LLVMBuildExtractElement(l->b, value, number(l, k), "");
}

V
lw_whole(struct lw_legal *l, T type, V *parts)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return parts[0];
    V value = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++)
        if (!LLVMIsPoison(parts[k]))
            value = LLVMBuildInsertElement(l->b, value, parts[k], number(l, k), "");
    return value;
}

V
lw_number(struct lw_legal *l, T type, uint64_t k)
{
    V parts[LW_MOST_COMPONENTS];
    for (unsigned i = 0; i < lw_count_of(type); i++)
        parts[i] = LLVMConstInt(lw_scalar_of(type), k, false);
    return lw_whole(l, type, parts);
}

static T
integer(struct lw_legal *l, unsigned bits)
{
    return LLVMIntTypeInContext(l->context, bits);
}

/* A scalar's bits as an integer. */
static V
bits_as_integer(struct lw_legal *l, V x)
{
    T type = LLVMTypeOf(x);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return x;
    return LLVMBuildBitCast(l->b, x, integer(l, lw_bits_of(type)), "");
}

/* Bits `at` to `at` + `bits` of an integer. */
static V
cut(struct lw_legal *l, V x, unsigned at, unsigned bits)
{
    T type = LLVMTypeOf(x);
    if (LLVMGetIntTypeWidth(type) == bits)
        return x;
    if (at)
        x = LLVMBuildLShr(l->b, x, LLVMConstInt(type, at, false), "");
    return LLVMBuildTrunc(l->b, x, integer(l, bits), "");
}

void
lw_regroup(struct lw_legal *l, V *from, unsigned count, T to, unsigned to_count, V *out)
{
    unsigned from_bits = lw_bits_of(LLVMTypeOf(from[0])), to_bits = lw_bits_of(to);
    V whole[LW_MOST_COMPONENTS];
    for (unsigned k = 0; k < count; k++)
        whole[k] = from_bits == to_bits ? from[k] : bits_as_integer(l, from[k]);
    for (unsigned k = 0; k < to_count; k++) {
        if (from_bits == to_bits) {
            out[k] = LLVMTypeOf(whole[k]) == to ? whole[k] : LLVMBuildBitCast(l->b, whole[k], to, "");
            continue;
        }
        V value = NULL;
        T type = integer(l, to_bits);
        /* Each of the sources that reach into this one. */
        for (unsigned done = 0; done < to_bits;) {
            unsigned bit = k * to_bits + done, source = bit / from_bits, at = bit % from_bits;
            unsigned bits = from_bits - at < to_bits - done ? from_bits - at : to_bits - done;
            V piece = LLVMBuildZExtOrBitCast(l->b, cut(l, whole[source], at, bits), type, "");
            if (done)
                piece = LLVMBuildShl(l->b, piece, LLVMConstInt(type, done, false), "");
            value = value ? LLVMBuildOr(l->b, value, piece, "") : piece;
            done += bits;
        }
        out[k] = type == to ? value : LLVMBuildBitCast(l->b, value, to, "");
    }
    (void)count;
}
