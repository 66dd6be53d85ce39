/* SPDX-License-Identifier: MIT */
/* Tests of a number's class as comparisons: see number_class.h. */
#include <math.h>
#include <string.h>

#include "number_class.h"

typedef LLVMValueRef V;

/* Classes as they lie from minus infinity to infinity, both zeros in the middle. */
enum { ZERO = 3, LAST = 6, MOST_LANES = 64 };

struct test {
    LLVMBuilderRef b;
    V x;
    bool of_nan;
    double least;    /* normal number */
    unsigned lowest; /* class that x can have */
};

static V
in_all(LLVMTypeRef type, double value)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned count = is_vector ? LLVMGetVectorSize(type) : 1;
    V number = LLVMConstReal(is_vector ? LLVMGetElementType(type) : type, value), lanes[MOST_LANES];

    for (unsigned k = 0; k < count; k++)
        lanes[k] = number;
    return is_vector ? LLVMConstVector(lanes, count) : number;
}

static V
magnitude(LLVMBuilderRef b, V x)
{
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMTypeRef type = LLVMTypeOf(x);
    V fabs_of = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID("llvm.fabs", 9), &type, 1);

    return LLVMBuildCall2(b, LLVMGlobalGetValueType(fabs_of), fabs_of, &x, 1, "");
}

/* Is x in the class numbered `place`, or above? Or else, is it below? */
static V
compare(const struct test *t, unsigned place, bool below)
{
    const double numbers[] = {0, -INFINITY, -t->least, 0, 0, t->least, INFINITY};
    bool or_equal = (place == ZERO || place > ZERO + 1) != below;
    LLVMRealPredicate p =
        below ? (or_equal ? LLVMRealOLE : LLVMRealOLT) : (or_equal ? LLVMRealOGE : LLVMRealOGT);
    return LLVMBuildFCmp(t->b, t->of_nan ? p + (LLVMRealUGT - LLVMRealOGT) : p, t->x,
                         in_all(LLVMTypeOf(t->x), numbers[place]), "");
}

/* Is it in the classes from `first` to `last`? NULL: always, or for no NaN. */
static V
within(const struct test *t, unsigned first, unsigned last)
{
    V above = first > t->lowest ? compare(t, first, false) : NULL;
    V below = last < LAST ? compare(t, last + 1, true) : NULL;

    return above && below ? LLVMBuildAnd(t->b, above, below, "") : above ? above : below;
}

static bool
is_row(unsigned set, unsigned *first, unsigned *last)
{
    *first = set ? (unsigned)__builtin_ctz(set) : 0;
    *last = set ? 31 - (unsigned)__builtin_clz(set) : 0;
    return set && set == (2u << *last) - (1u << *first);
}

static V
write_test(const struct test *t, unsigned set)
{
    unsigned all = (2u << LAST) - (1u << t->lowest), first, last;

    if (is_row(set, &first, &last))
        return within(t, first, last);
    if (!is_row(all & ~set, &first, &last) || first == t->lowest || last == LAST)
        return NULL;
    V below = compare(t, first, true);
    return LLVMBuildOr(t->b, below, compare(t, last + 1, false), "");
}

LLVMValueRef
lw_compare_class(LLVMBuilderRef builder, LLVMValueRef call)
{
    V callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL, made;
    bool mirrored = true;
    size_t length;

    if (!callee || !LLVMIsAFunction(callee) ||
        strncmp(LLVMGetValueName2(callee, &length), "llvm.is.fpclass.", 16) != 0)
        return NULL;
    uint64_t classes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
    unsigned nans = classes & 3, zeros = classes >> 5 & 3, set = 0;
    struct test t = {.b = builder, .x = LLVMGetOperand(call, 0), .of_nan = nans};
    LLVMTypeRef type = LLVMTypeOf(t.x);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeKind kind = LLVMGetTypeKind(is_vector ? LLVMGetElementType(type) : type);
    if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) || nans % 3 || zeros % 3 ||
        (is_vector && LLVMGetVectorSize(type) > MOST_LANES))
        return NULL;
    t.least = kind == LLVMFloatTypeKind ? 0x1p-126 : 0x1p-1022;
    for (unsigned k = 0; k <= LAST; k++)
        set |= (unsigned)(classes >> (k + 2 + (k > ZERO)) & 1) << k;
    for (unsigned k = 0; k < ZERO; k++)
        mirrored = mirrored && (set >> k & 1) == (set >> (LAST - k) & 1);
    LLVMPositionBuilderBefore(builder, call);
    if (!mirrored)
        return write_test(&t, set);
    t.x = magnitude(builder, t.x);
    t.lowest = ZERO;
    made = write_test(&t, set >> ZERO << ZERO);
    if (!made)
        LLVMInstructionEraseFromParent(t.x);
    return made;
}
