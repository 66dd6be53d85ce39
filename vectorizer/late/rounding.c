/* SPDX-License-Identifier: MIT */
/* Floats rounded to the nearest whole number and converted to integers, as bytes and shorts of pictures are
 * made: by x86's conversion, which rounds so itself.
 *
 *     y = roundeven x                                z = x > 0 ? x : 0;  z = z < 255 ? z : 255
 *     y = y > 0 ? y : 0;  y = y < 255 ? y : 255  ->  lrint z
 *     fptosi y & 255
 *
 * With AVX2 four registers of such words, or what is converted to bytes at once, become one of bytes by
 * packs.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same integers; where bounds stand between rounding
 * and conversion, they bound what is not rounded yet, which is the same for whole bounds. What bounds say of
 * the integer makes masks of it superfluous. Relies on: kernels running with MXCSR's default rounding, to the
 * nearest. Never: changes a rounded number that others use too.
 */
#include <math.h>

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

enum { MOST_STEPS = 4 };

/* ---- bounds ---- */

/* The same number in all lanes, or a scalar. */
static bool
is_number(V v, double *number)
{
    LLVMBool lossy;

    if (lw_lane_is_vector(v))
        v = lw_lane_splat_source(v);
    if (!v || !LLVMIsAConstantFP(v))
        return false;
    *number = LLVMConstRealGetDouble(v, &lossy);
    return true;
}

static bool
is_rounding(V v)
{
    return lw_is_call_like(v, "llvm.roundeven.") || lw_is_call_like(v, "llvm.rint.") ||
           lw_is_call_like(v, "llvm.nearbyint.");
}

/* `v` is used by `a` and `b` alone. */
static bool
only_used_by(V v, V a, V b)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != a && LLVMGetUser(use) != b)
            return false;
    return true;
}

/* One bound: x > c ? x : c or x < c ? x : c, or c for a NaN, with a whole c. NULL: another instruction, or x
 * is used elsewhere; else x, and the bound. */
static V
bounded(V choice, double *bound, bool *below, bool *of_nan)
{
    V compare = LLVMIsASelectInst(choice) ? LLVMGetOperand(choice, 0) : NULL;
    double c;

    if (!compare || !LLVMIsAFCmpInst(compare) || !is_number(LLVMGetOperand(choice, 2), bound) ||
        !is_number(LLVMGetOperand(compare, 1), &c))
        return NULL;
    V x = LLVMGetOperand(choice, 1);
    LLVMRealPredicate p = LLVMGetFCmpPredicate(compare);
    *of_nan = p == LLVMRealORD;
    *below = p == LLVMRealOGT || p == LLVMRealOGE;
    bool above = p == LLVMRealOLT || p == LLVMRealOLE;
    if (LLVMGetOperand(compare, 0) != x || *bound != nearbyint(*bound) ||
        !(*of_nan || ((*below || above) && c == *bound)) || !only_used_by(x, compare, choice) ||
        !only_used_by(compare, choice, choice))
        return NULL;
    return x;
}

/* The number that the bounds before `v` bound, and within what they leave `v`: *low > *high where not both
 * sides are. The bounds nearest to `v` hold last. */
static V
without_bounds(V v, double *low, double *high)
{
    double least = -INFINITY, most = INFINITY, bound;
    bool below, of_nan;
    V before;

    for (unsigned k = 0; k < MOST_STEPS && (before = bounded(v, &bound, &below, &of_nan)); k++, v = before) {
        if (!of_nan && below)
            least = fmax(least, fmin(bound, most));
        else if (!of_nan)
            most = fmin(most, fmax(bound, least));
    }
    bool both = least > -INFINITY && most < INFINITY;
    *low = both ? least : 1;
    *high = both ? most : 0;
    return v;
}

/* ---- conversions ---- */

static bool
is_word(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

/* The operand of the conversion without rounding; NULL: it is not rounded. */
static V
unrounded(V conversion)
{
    V converted = LLVMGetOperand(conversion, 0);
    double low, high;

    if (is_rounding(converted))
        return LLVMGetOperand(converted, 0);
    V rounding = without_bounds(converted, &low, &high);
    if (!is_rounding(rounding) || !only_used_by(converted, conversion, conversion))
        return NULL;
    lw_replace(rounding, LLVMGetOperand(rounding, 0));
    return converted;
}

static void
convert(lw_lanes *l, V conversion)
{
    V number = is_word(LLVMTypeOf(conversion)) ? unrounded(conversion) : NULL;

    if (!number)
        return;
    LLVMPositionBuilderBefore(l->builder, conversion);
    LLVMTypeRef types[] = {LLVMTypeOf(conversion), LLVMTypeOf(number)};
    lw_replace(conversion, lw_lane_call(l, "llvm.lrint", types, 2, &number, 1));
}

/* ---- masks ---- */

static bool
is_word_constant(V v, uint64_t *value)
{
    if (lw_lane_is_vector(v))
        v = lw_lane_splat_source(v);
    if (!v || !LLVMIsAConstantInt(v))
        return false;
    *value = LLVMConstIntGetZExtValue(v);
    return true;
}

/* Those that a word may have, of a rounded number that has bounds, shifted or not. */
static uint64_t
bits_of(V word)
{
    uint64_t by = 0, bits = 1;
    double low, high;

    if (LLVMIsAFreezeInst(word))
        word = LLVMGetOperand(word, 0);
    if (LLVMIsABinaryOperator(word) && LLVMGetInstructionOpcode(word) == LLVMShl &&
        is_word_constant(LLVMGetOperand(word, 1), &by) && by < 32)
        return bits_of(LLVMGetOperand(word, 0)) << by & UINT32_MAX;
    if (!lw_is_call_like(word, "llvm.lrint.") && !LLVMIsAFPToSIInst(word))
        return UINT32_MAX;
    without_bounds(LLVMGetOperand(word, 0), &low, &high);
    while (bits < high && bits < UINT32_MAX)
        bits = bits << 1 | 1;
    return low >= 0 && low <= high ? bits : UINT32_MAX;
}

static void
leave_out(V mask)
{
    V word = LLVMGetOperand(mask, 0);
    uint64_t left;

    if (!is_word(LLVMTypeOf(mask)) || !is_word_constant(LLVMGetOperand(mask, 1), &left) ||
        (bits_of(word) & ~left))
        return;
    lw_replace(mask, word);
}

/* ---- bytes ---- */

static V
pack(lw_lanes *l, const char *name, V low, V high)
{
    V both[] = {low, high};

    return lw_lane_call(l, name, NULL, 0, both, 2);
}

/* Words below 256 as bytes, for which LLVM 22 takes each register apart. A pack takes of each half of its two
 * registers in turn: eight bytes of a register come out as four, and four. */
static V
bytes_of(lw_lanes *l, V words, unsigned first)
{
    static const int order[] = {0, 4, 1, 5, 2, 6, 3, 7};
    V parts[4];

    for (unsigned k = 0; k < 4; k++)
        parts[k] = lw_lane_part(l, words, first + 8 * k, 8);
    V low = pack(l, "llvm.x86.avx2.packusdw", parts[0], parts[1]);
    V high = pack(l, "llvm.x86.avx2.packusdw", parts[2], parts[3]);
    V bytes = pack(l, "llvm.x86.avx2.packuswb", low, high);
    bytes = LLVMBuildBitCast(l->builder, bytes, LLVMTypeOf(parts[0]), "");
    bytes = lw_lane_shuffle_const(l, bytes, NULL, order, 8);
    return LLVMBuildBitCast(l->builder, bytes, LLVMVectorType(lw_lane_int_type(l, 8), 32), "");
}

/* A conversion to bytes, or one to words within bounds that is made shorter. */
static void
narrow(lw_lanes *l, V i)
{
    V x = LLVMGetOperand(i, 0), bytes[4];
    unsigned count = lw_lane_count(i);

    if (!lw_lane_is_vector(i) || (count != 32 && count != 64 && count != 128) ||
        lw_lane_bits(lw_lane_element(i)) != 8 || lw_lane_bits(lw_lane_element(x)) != 32 ||
        (LLVMIsATruncInst(i) && (bits_of(x) & ~(uint64_t)UINT8_MAX)))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    if (LLVMIsAFPToUIInst(i))
        x = LLVMBuildFPToSI(l->builder, x, LLVMVectorType(lw_lane_int_type(l, 32), count), "");
    for (unsigned k = 0; k < count / 32; k++)
        bytes[k] = bytes_of(l, x, 32 * k);
    lw_replace(i, lw_lane_concat(l, bytes, count / 32));
}

static void
visit(lw_lanes *l, V i)
{
    if (LLVMIsAFPToSIInst(i))
        convert(l, i);
    else if (LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == LLVMAnd)
        leave_out(i);
    else if (l->isa == LW_ISA_AVX2 && (LLVMIsATruncInst(i) || LLVMIsAFPToUIInst(i)))
        narrow(l, i);
}

void
lw_settle_rounding(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, visit);
}
