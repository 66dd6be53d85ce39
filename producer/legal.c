/* SPDX-License-Identifier: MIT */
/* The table of what is made legal, and what its rows share. */
#include "legal.h"

#include <string.h>

static const struct {
    bool (*run)(struct lw_legal *l);
    const char *what, *why_here;
} rows[] = {
    {lw_legal_conversions, "conversions between integers", "first: the others see their instructions"},
    {lw_legal_overflows, "signed results that may be too large", "before widths: it makes others"},
    {lw_legal_funnels, "shifts of two integers in a row", "before lengths and widths: they are of any"},
    {lw_legal_intrinsics, "intrinsics of which nothing is selected", "before lengths: vectors of any"},
    {lw_legal_extremes, "extremes with NaNs and zeros", "before lengths: they take vectors of any"},
    {lw_legal_classes, "classes of numbers", "before lengths: they take vectors of any"},
    {lw_legal_orders, "orders and scopes", "anywhere: it changes calls only"},
    {lw_legal_reductions, "reductions of vectors", "before lengths: they take vectors of any"},
    {lw_legal_fused, "products and sums of halves", "before lengths: they take vectors of any"},
    {lw_legal_lengths, "lengths of vectors", "before widths, which then meets few vectors"},
    {lw_legal_truths, "booleans", "before widths: four of them are an i4"},
    {lw_legal_widths, "widths of integers", "behind what makes integers of vectors' bits"},
    {lw_legal_extensions, "extensions of what was cut off", "behind widths, which makes some"},
    {lw_legal_nulls, "null values of types of SPIR-V", "anywhere: no other row has to do with them"},
    {lw_legal_operands, "operands from which nothing is selected, alignments", "last: the others make some"},
};

bool
lw_make_legal(LLVMModuleRef module, const char **why)
{
    struct lw_legal l = {.context = LLVMGetModuleContext(module), .module = module};
    l.b = LLVMCreateBuilderInContext(l.context);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !l.why; k++)
        for (V f = LLVMGetFirstFunction(module); f && !l.why; f = LLVMGetNextFunction(f)) {
            l.function = f;
            if (LLVMCountBasicBlocks(f) && !rows[k].run(&l) && !l.why)
                l.why = rows[k].what;
        }
    LLVMDisposeBuilder(l.b);
    *why = l.why;
    return !l.why;
}

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
