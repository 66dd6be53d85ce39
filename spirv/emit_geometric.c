/* SPDX-License-Identifier: MIT */
/* Geometric functions. Half works in float and float in double, where squares neither overflow nor vanish;
 * double scales by a power of two instead. fast_* work in their own type. */
#include <spirv/unified1/OpenCL.std.h>
#include "emitter.h"

static V
operand(lw_emitter *e, unsigned n)
{
    V x = lw_operand_value(e, n);
    if (!e->failed && !lw_is_float(LLVMTypeOf(x)))
        lw_emit_fail(e, "a geometric function of integers");
    return e->failed ? NULL : x;
}

static V
sum_of_products(lw_emitter *e, V a, V b)
{
    V product = LLVMBuildFMul(e->b, a, b, ""), sum = NULL;
    for (unsigned i = 0; i < lw_parts(LLVMTypeOf(a)); i++) {
        V part = lw_component(e, product, i);
        sum = sum ? LLVMBuildFAdd(e->b, sum, part, "") : part;
    }
    return sum;
}

static V
wider(lw_emitter *e, V x)
{
    T type = LLVMTypeOf(x);
    return lw_bits(type) == 64
               ? x
               : LLVMBuildFPExt(e->b, x, lw_like(lw_bits(type) == 16 ? e->f32 : e->f64, type), "");
}

/* The power of two that brings the largest component of a double vector to [2^500, 2^501), and its inverse.
 * Those below 2^-500 come to less. Either way no component loses a digit that the result could have. */
static V
scale_of(lw_emitter *e, V x, V *inverse)
{
    V largest = lw_real(e->f64, 0x1p-500), magnitude = lw_intrinsic1(e, "llvm.fabs", x);
    for (unsigned i = 0; i < lw_parts(LLVMTypeOf(x)) && !e->failed; i++) {
        V part = lw_component(e, magnitude, i);
        V more = LLVMBuildFCmp(e->b, LLVMRealOGT, part, largest, "");
        largest = LLVMBuildSelect(e->b, more, part, largest, "");
    }
    if (e->failed)
        return NULL;
    T word = LLVMInt64TypeInContext(e->context);
    V bits = LLVMBuildBitCast(e->b, largest, word, "");
    /* 2046 + 500 less the exponent's field */
    V exponent = LLVMBuildAnd(e->b, bits, LLVMConstInt(word, UINT64_C(0x7ff) << 52, 0), "");
    V scale = LLVMBuildSub(e->b, LLVMConstInt(word, UINT64_C(0x9f2) << 52, 0), exponent, "");
    V back = LLVMBuildSub(e->b, exponent, LLVMConstInt(word, UINT64_C(500) << 52, 0), "");
    *inverse = LLVMBuildBitCast(e->b, back, e->f64, "");
    return LLVMBuildBitCast(e->b, scale, e->f64, "");
}

/* What is rounded to float needs no more of a double. */
static V
near_root(lw_emitter *e, V square)
{
    return LLVMTypeOf(square) == e->f64 ? lw_call(e, "lw.cl.near_sqrt.f64", e->f64, &square, 1)
                                        : lw_intrinsic1(e, "llvm.sqrt", square);
}

static V
inverse_root(lw_emitter *e, V square, bool near)
{
    T type = LLVMTypeOf(square);
    const char *name = type == e->f16   ? "lw.cl.rsqrt.f16"
                       : type == e->f32 ? "lw.cl.rsqrt.f32"
                       : near           ? "lw.cl.near_rsqrt.f64"
                                        : "lw.cl.rsqrt.f64";
    return lw_call(e, name, type, &square, 1);
}

/* Length of `x` in the wider type. */
static V
length(lw_emitter *e, V x)
{
    x = wider(e, x);
    T type = LLVMTypeOf(x);
    if (lw_parts(type) == 1)
        return lw_intrinsic1(e, "llvm.fabs", x);
    if (lw_scalar(type) != e->f64 || lw_bits(LLVMTypeOf(lw_operand_value(e, 5))) != 64)
        return near_root(e, sum_of_products(e, x, x));
    V inverse, scale = scale_of(e, x, &inverse);
    if (e->failed)
        return NULL;
    x = LLVMBuildFMul(e->b, x, lw_splat(e, scale, type), "");
    V scaled = lw_intrinsic1(e, "llvm.sqrt", sum_of_products(e, x, x));
    return LLVMBuildFMul(e->b, scaled, inverse, "");
}

/* An infinite component counts as one, of its sign, and the finite ones as zero. */
static V
without_infinities(lw_emitter *e, V x)
{
    T type = LLVMTypeOf(x);
    V infinity = LLVMBuildFDiv(e->b, lw_real(type, 1), lw_real(type, 0), ""), any = NULL;
    V magnitude = lw_intrinsic1(e, "llvm.fabs", x);
    V is_infinite = LLVMBuildFCmp(e->b, LLVMRealOEQ, magnitude, infinity, "");
    for (unsigned i = 0; i < lw_parts(type); i++) {
        V part = lw_component(e, is_infinite, i);
        any = any ? LLVMBuildOr(e->b, any, part, "") : part;
    }
    V one = lw_intrinsic2(e, "llvm.copysign", lw_real(type, 1), x);
    V zero = LLVMBuildFMul(e->b, x, lw_real(type, 0), "");
    return LLVMBuildSelect(e->b, any, LLVMBuildSelect(e->b, is_infinite, one, zero, ""), x, "");
}

static V
normalize(lw_emitter *e, V x)
{
    T type = LLVMTypeOf(x);
    x = without_infinities(e, wider(e, x));
    V inverse, scale = lw_bits(type) == 64 ? scale_of(e, x, &inverse) : NULL;
    if (e->failed)
        return NULL;
    if (scale)
        x = LLVMBuildFMul(e->b, x, lw_splat(e, scale, LLVMTypeOf(x)), "");
    V square = sum_of_products(e, x, x);
    V by = inverse_root(e, square, lw_bits(type) != 64);
    V is_zero = LLVMBuildFCmp(e->b, LLVMRealOEQ, square, lw_real(LLVMTypeOf(square), 0), "");
    V scaled = LLVMBuildFMul(e->b, x, lw_splat(e, by, LLVMTypeOf(x)), "");
    return lw_float_to_float(e, LLVMBuildSelect(e->b, is_zero, x, scaled, ""), type, LW_RTE);
}

static V
fast_length(lw_emitter *e, V x)
{
    return lw_fast(e, lw_intrinsic1(e, "llvm.sqrt", sum_of_products(e, x, x)));
}

/* Where the sum of squares is subnormal, and has lost digits, the specification permits `x` itself. */
static V
fast_normalize(lw_emitter *e, V x)
{
    T type = LLVMTypeOf(x), scalar = lw_scalar(type);
    V square = sum_of_products(e, x, x);
    V inverse = lw_fast(e, inverse_root(e, square, false));
    if (e->failed)
        return NULL;
    double least = lw_bits(type) == 16 ? 0x1p-14 : lw_bits(type) == 32 ? 0x1p-126 : 0x1p-1022;
    V is_tiny = LLVMBuildFCmp(e->b, LLVMRealOLT, square, lw_real(scalar, least), "");
    V scaled = LLVMBuildFMul(e->b, x, lw_splat(e, inverse, type), "");
    return LLVMBuildSelect(e->b, is_tiny, x, scaled, "");
}

/* a.yzx * b.zxy - a.zxy * b.yzx; a fourth component is zero. */
static V
cross(lw_emitter *e, V a, V b)
{
    T type = LLVMTypeOf(a);
    V parts[4];
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        V left = LLVMBuildFMul(e->b, lw_component(e, a, j), lw_component(e, b, k), "");
        V right = LLVMBuildFMul(e->b, lw_component(e, a, k), lw_component(e, b, j), "");
        parts[i] = LLVMBuildFSub(e->b, left, right, "");
    }
    parts[3] = lw_real(lw_scalar(type), 0);
    return lw_assemble(e, type, parts);
}

static V
expand(lw_emitter *e, uint32_t number, V a, V b)
{
    T type = LLVMTypeOf(a);
    switch (number) {
    case OpenCLstd_Cross:
        return cross(e, a, b);
    case OpenCLstd_Distance:
        a = wider(e, a);
        b = wider(e, b);
        return lw_float_to_float(e, length(e, LLVMBuildFSub(e->b, a, b, "")), lw_scalar(type), LW_RTE);
    case OpenCLstd_Length:
        return lw_float_to_float(e, length(e, a), lw_scalar(type), LW_RTE);
    case OpenCLstd_Normalize:
        return normalize(e, a);
    case OpenCLstd_Fast_distance:
        return fast_length(e, LLVMBuildFSub(e->b, a, b, ""));
    case OpenCLstd_Fast_length:
        return fast_length(e, a);
    default:
        return fast_normalize(e, a);
    }
}

bool
lw_emit_geometric(lw_emitter *e, uint32_t number)
{
    if (number < OpenCLstd_Cross || number > OpenCLstd_Fast_normalize)
        return false;
    bool two = number == OpenCLstd_Cross || number == OpenCLstd_Distance || number == OpenCLstd_Fast_distance;
    V a = operand(e, 5), b = two ? operand(e, 6) : a;
    T result = lw_emit_type(e, e->inst->type);
    bool vector =
        number == OpenCLstd_Cross || number == OpenCLstd_Normalize || number == OpenCLstd_Fast_normalize;
    if (e->failed)
        return true;
    T type = LLVMTypeOf(a);
    if (LLVMTypeOf(b) != type || result != (vector ? type : lw_scalar(type)) ||
        (number == OpenCLstd_Cross && lw_parts(type) != 3 && lw_parts(type) != 4))
        lw_emit_fail(e, "a geometric function with operands of the wrong types");
    else
        lw_emit_result(e, expand(e, number, a, b));
    return true;
}
