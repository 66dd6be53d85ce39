/* SPDX-License-Identifier: MIT */
/* OpenCL C's conversions between integers, which the back end takes for those of another sign:
 * convert_uint(uchar) becomes OpSConvert, convert_short_sat(int) the unsigned one. And vloada_half3, whose
 * elements are four halves apart, which it takes for vload_half3. Their calls become the instructions that
 * they mean. */
#include "legal.h"

#include <string.h>

#include "spirv/support.h"

/* The one of a value and a bound that the predicate holds for, the value first. */
static V
bounded(struct lw_legal *l, V x, LLVMIntPredicate within, uint64_t bound)
{
    V limit = lw_number(l, LLVMTypeOf(x), bound);
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, within, x, limit, ""), x, limit, "");
}

static V
converted(struct lw_legal *l, const struct lw_import_conversion *c, V x, T to)
{
    bool from_signed = c->from == 's', to_signed = c->to == 's';
    unsigned from_bits = lw_bits_of(lw_scalar_of(LLVMTypeOf(x))), to_bits = c->to_width;
    unsigned from_values = from_bits - from_signed, to_values = to_bits - to_signed;
    if (c->saturated && from_signed && (!to_signed || from_bits > to_bits))
        x = bounded(l, x, LLVMIntSGT, to_signed ? ~(uint64_t)0 << to_values : 0);
    if (c->saturated && from_values > to_values)
        x = bounded(l, x, from_signed ? LLVMIntSLT : LLVMIntULT, ~(uint64_t)0 >> (64 - to_values));
    return LLVMBuildIntCast2(l->b, x, to, from_signed, "");
}

static V
loaded(struct lw_legal *l, V offset, V pointer)
{
    T half = LLVMHalfTypeInContext(l->context), three = LLVMVectorType(half, 3);
    V first = LLVMBuildShl(l->b, offset, LLVMConstInt(LLVMTypeOf(offset), 2, false), "");
    V halves = LLVMBuildLoad2(l->b, three, LLVMBuildGEP2(l->b, half, pointer, &first, 1, ""), "");
    LLVMSetAlignment(halves, 8);
    return LLVMBuildFPExt(l->b, halves, LLVMVectorType(LLVMFloatTypeInContext(l->context), 3), "");
}

static V
meant(struct lw_legal *l, V call)
{
    if (!LLVMIsACallInst(call))
        return NULL;
    size_t length;
    V callee = LLVMGetCalledValue(call);
    const char *mangled =
        LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) ? LLVMGetValueName2(callee, &length) : "";
    const char *name, *parameters;
    struct lw_import_conversion c;
    if (strncmp(mangled, "_Z", 2) != 0)
        return NULL;
    lw_write_at(l, call);
    if (lw_import_conversion(mangled, &c) && c.from != 'f' && c.to != 'f')
        return converted(l, &c, LLVMGetOperand(call, 0), LLVMTypeOf(call));
    if (lw_unmangle(mangled, &name, &parameters) == strlen("vloada_half3") &&
        strncmp(name, "vloada_half3", strlen("vloada_half3")) == 0)
        return loaded(l, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
    return NULL;
}

bool
lw_legal_conversions(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}
