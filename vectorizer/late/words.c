/* SPDX-License-Identifier: MIT */
/* 64-bit integers by what multiplies their lower halves (pmuludq).
 *
 *     zext (mul (trunc x), c)    ->    mul (x, c) & (2^32 - 1), where products alone use it: in the lanes of
 *                                      64 bits, which need neither shuffles nor pmulld's two steps
 *     x / d                      ->    high half of x * ceil (2^(64 + s) / d), shifted right by s; of |x|,
 * which gets the sign of x back, where there are signs x % d                      ->    x - x / d * d
 *
 * Enters: a module after its last LLVM pass, for levels without products of 64 bits; quotients for AVX2,
 * whose four lanes outrun the scalar multiplier. Leaves: the same values: the lower half of a product is made
 * of lower halves alone, which of a quotient or a shift down is not so; the factor's excess over 2^(64 + s) /
 * d times d is at most 2^s, which no x makes a whole, or one bit more is kept.
 */
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

static bool
is_of(V v, unsigned bits)
{
    return lw_lane_is_vector(v) && LLVMGetTypeKind(lw_lane_element(v)) == LLVMIntegerTypeKind &&
           lw_lane_bits(lw_lane_element(v)) == bits;
}

static V
lower(lw_lanes *l, V x)
{
    return LLVMBuildAnd(l->builder, x, lw_lane_number(l, x, UINT32_MAX), "");
}

static V
shifted(lw_lanes *l, V x, unsigned by)
{
    return by ? LLVMBuildLShr(l->builder, x, lw_lane_number(l, x, by), "") : x;
}

static V
high_product(lw_lanes *l, V x, uint64_t factor)
{
    LLVMBuilderRef b = l->builder;
    V x0 = lower(l, x), x1 = shifted(l, x, 32), f0 = lw_lane_number(l, x, factor & UINT32_MAX);
    V f1 = lw_lane_number(l, x, factor >> 32), middle = shifted(l, LLVMBuildMul(b, x0, f0, ""), 32);

    middle = LLVMBuildAdd(b, LLVMBuildMul(b, x0, f1, ""), middle, "");
    V other = LLVMBuildAdd(b, LLVMBuildMul(b, x1, f0, ""), lower(l, middle), "");
    V high = LLVMBuildAdd(b, LLVMBuildMul(b, x1, f1, ""), shifted(l, middle, 32), "");
    return LLVMBuildAdd(b, high, shifted(l, other, 32), "");
}

/* x / d, 1 < d < 2^63; `few`: x <= 2^63 */
static V
quotient(lw_lanes *l, V x, uint64_t d, bool few)
{
    unsigned shift = 63 - (unsigned)__builtin_clzll(d), zeros = (unsigned)__builtin_ctzll(d);
    unsigned __int128 whole = (unsigned __int128)1 << 64 << shift, factor = (whole + d - 1) / d;

    if (factor >> 64) /* a power of two */
        return shifted(l, x, shift);
    if (few || factor * d - whole <= (uint64_t)1 << shift)
        return shifted(l, high_product(l, x, (uint64_t)factor), shift);
    if (zeros)
        return quotient(l, shifted(l, x, zeros), d >> zeros, true);
    factor = (2 * whole + d - 1) / d; /* 65 bits, the highest set */
    V high = high_product(l, x, (uint64_t)factor);
    V half = shifted(l, LLVMBuildSub(l->builder, x, high, ""), 1);
    return shifted(l, LLVMBuildAdd(l->builder, half, high, ""), shift);
}

static void
settle_quotient(lw_lanes *l, V i, LLVMOpcode opcode)
{
    LLVMBuilderRef b = l->builder;
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    V x = LLVMGetOperand(i, 0), divisor = lw_lane_splat_source(LLVMGetOperand(i, 1)), sign = NULL;
    uint64_t d;

    if (!is_of(i, 64) || !divisor || !lw_is_int_constant(divisor, &d) || (int64_t)d < 2)
        return;
    LLVMPositionBuilderBefore(b, i);
    V found = x;
    if (is_signed) {
        sign = LLVMBuildICmp(b, LLVMIntSLT, x, lw_lane_number(l, x, 0), "");
        sign = LLVMBuildSExt(b, sign, LLVMTypeOf(x), "");
        found = LLVMBuildSub(b, LLVMBuildXor(b, x, sign, ""), sign, "");
    }
    found = quotient(l, found, d, is_signed);
    if (sign)
        found = LLVMBuildSub(b, LLVMBuildXor(b, found, sign, ""), sign, "");
    if (opcode == LLVMURem || opcode == LLVMSRem)
        found = LLVMBuildSub(b, x, LLVMBuildMul(b, found, lw_lane_number(l, x, d), ""), "");
    lw_replace(i, found);
}

/* In the lanes of 64 bits, lower halves; NULL: it is not there. */
static V
wide(lw_lanes *l, V x, LLVMTypeRef type)
{
    if (LLVMIsATruncInst(x) && LLVMTypeOf(LLVMGetOperand(x, 0)) == type)
        return LLVMGetOperand(x, 0);
    return LLVMIsConstant(x) ? LLVMBuildZExt(l->builder, x, type, "") : NULL;
}

static void
settle_product(lw_lanes *l, V i)
{
    V product = LLVMGetOperand(i, 0);

    if (!is_of(i, 64) || !is_of(product, 32) || !LLVMIsABinaryOperator(product) ||
        LLVMGetInstructionOpcode(product) != LLVMMul || !lw_has_one_use(product))
        return;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionOpcode(LLVMGetUser(use)) != LLVMMul)
            return;
    LLVMPositionBuilderBefore(l->builder, i);
    V x = wide(l, LLVMGetOperand(product, 0), LLVMTypeOf(i));
    V y = wide(l, LLVMGetOperand(product, 1), LLVMTypeOf(i));
    if (!x || !y)
        return;
    lw_replace(i, lower(l, LLVMBuildMul(l->builder, x, y, "")));
    LLVMInstructionEraseFromParent(product);
}

static void
visit(lw_lanes *l, V i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

    if (opcode == LLVMZExt)
        settle_product(l, i);
    else if (l->isa == LW_ISA_AVX2 && lw_is_int_division(opcode))
        settle_quotient(l, i, opcode);
}

void
lw_settle_words(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, visit);
}
