/* SPDX-License-Identifier: MIT */
/* x / sqrt(y) of floats: x * rsqrt(y), with AVX-512, where a root and a division of 16 lanes take over 20
 * cycles, the estimate and its correction some 5.
 *
 * Enters: a scalar module before its built-ins have their bodies. Legal: the root may err by 3 ULP and the
 * division by 2.5 of what it is given; together these are within 2. rsqrt has no argument of which it is
 * infinite or zero and the root's inverse is not, so that zeros, infinities and NaN come out as by division.
 * Not where the program asks for correctly rounded division (-cl-fp32-correctly-rounded-divide-sqrt), which
 * the caller knows. The root itself stays exact, for what else uses it. */
#include "builtins/builtins.h"

#include <math.h>

enum {
    MOST_COMPONENTS = 16,
    DEPTH = 40,  /* of elements put into a vector */
    SHUFFLE = 12 /* counts as so many: it has two operands, which are written out each */
};

struct roots {
    LLVMBuilderRef builder;
    LLVMValueRef sqrt[3], rsqrt; /* functions of the module, or NULL */
};

static const char *const names[3] = {"lw.cl.sqrt.f32", "lw.cl.half_sqrt.f32", "lw.cl.native_sqrt.f32"};

/* Can the inverse be had of everything that `v`, the divisor, is made of? */
static bool
is_root(const struct roots *r, LLVMValueRef v, unsigned depth)
{
    if (LLVMIsUndef(v) || LLVMIsNull(v))
        return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; /* what elements are put into */
    if (LLVMIsACallInst(v)) {
        LLVMValueRef f = LLVMGetCalledValue(v);
        return f == r->sqrt[0] || f == r->sqrt[1] || f == r->sqrt[2];
    }
    unsigned step = LLVMIsAInsertElementInst(v) ? 1 : LLVMIsAShuffleVectorInst(v) ? SHUFFLE : DEPTH;
    return step < depth && is_root(r, LLVMGetOperand(v, 0), depth - step) &&
           is_root(r, LLVMGetOperand(v, 1), depth - step);
}

static LLVMValueRef
splat(LLVMTypeRef type, double value)
{
    LLVMValueRef elements[MOST_COMPONENTS];
    unsigned count = LLVMGetVectorSize(type);

    for (unsigned k = 0; k < count; k++)
        elements[k] = LLVMConstReal(LLVMGetElementType(type), value);
    return LLVMConstVector(elements, count);
}

/* Built where the root is. */
static LLVMValueRef
inverse(struct roots *r, LLVMValueRef v)
{
    if (LLVMIsUndef(v))
        return v;
    if (LLVMIsNull(v))
        return splat(LLVMTypeOf(v), INFINITY);
    if (LLVMIsACallInst(v)) {
        LLVMValueRef y = LLVMGetOperand(v, 0);
        LLVMPositionBuilderBefore(r->builder, v);
        return LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(r->rsqrt), r->rsqrt, &y, 1, "");
    }
    LLVMValueRef a = inverse(r, LLVMGetOperand(v, 0)), b = inverse(r, LLVMGetOperand(v, 1));
    LLVMPositionBuilderBefore(r->builder, v);
    if (LLVMIsAInsertElementInst(v))
        return LLVMBuildInsertElement(r->builder, a, b, LLVMGetOperand(v, 2), "");
    unsigned count = LLVMGetNumMaskElements(v);
    LLVMValueRef mask[MOST_COMPONENTS];
    LLVMTypeRef number = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
    for (unsigned k = 0; k < count; k++) {
        int at = LLVMGetMaskValue(v, k);
        mask[k] = at < 0 ? LLVMGetUndef(number) : LLVMConstInt(number, (unsigned)at, false);
    }
    return LLVMBuildShuffleVector(r->builder, a, b, LLVMConstVector(mask, count), "");
}

static void
multiply(struct roots *r, LLVMValueRef division)
{
    LLVMValueRef by = inverse(r, LLVMGetOperand(division, 1));

    LLVMPositionBuilderBefore(r->builder, division);
    LLVMValueRef product = LLVMBuildFMul(r->builder, LLVMGetOperand(division, 0), by, "");
    if (LLVMIsAInstruction(product) && LLVMCanValueUseFastMathFlags(product))
        LLVMSetFastMathFlags(product, LLVMGetFastMathFlags(division));
    LLVMReplaceAllUsesWith(division, product);
    LLVMInstructionEraseFromParent(division);
}

static bool
is_division(LLVMValueRef i)
{
    if (LLVMGetInstructionOpcode(i) != LLVMFDiv)
        return false;
    LLVMTypeRef type = LLVMTypeOf(i);
    return LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) <= MOST_COMPONENTS;
}

void
lw_builtins_invert_roots(LLVMModuleRef module)
{
    struct roots r = {.rsqrt = LLVMGetNamedFunction(module, "lw.cl.rsqrt.f32")};
    LLVMValueRef any = NULL;

    for (unsigned k = 0; k < 3; k++) {
        r.sqrt[k] = LLVMGetNamedFunction(module, names[k]);
        any = r.sqrt[k] ? r.sqrt[k] : any;
    }
    if (!any)
        return;
    r.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    if (!r.rsqrt)
        r.rsqrt = LLVMAddFunction(module, "lw.cl.rsqrt.f32", LLVMGlobalGetValueType(any));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_division(i) && is_root(&r, LLVMGetOperand(i, 1), DEPTH))
                    multiply(&r, i);
            }
    LLVMDisposeBuilder(r.builder);
}
