/* SPDX-License-Identifier: MIT */
/* Widening of everything that works on each lane alone: arithmetic, conversions, comparisons, selects, and
 * the rearranging of vectors and aggregates, which is only a renaming of leaves.
 *
 * Enters: an instruction whose result is varying. Uniform and strided results are cloned by the caller.
 * Leaves: its leaves defined.
 */
#include "../facts/flags.h"
#include "../facts/integers.h"
#include "widener.h"

/* Is the scalar computed of a strided value's base, whose lane may not be active? */
static bool
works_on_bases(lw_widener *w, LLVMValueRef i)
{
    bool bases = lw_info(w, i).form == LW_STRIDED;
    for (int k = 0; k < LLVMGetNumOperands(i) && !bases; k++)
        bases = lw_info(w, LLVMGetOperand(i, (unsigned)k)).form == LW_STRIDED;
    return bases;
}

/* A divisor that cannot trap: 1 in place of 0, and of -1 under INT_MIN. Both results are undefined in OpenCL.
 */
static V
safe_divisor(lw_widener *w, LLVMOpcode op, V dividend, V divisor)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef type = LLVMTypeOf(divisor), element = type;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        element = LLVMGetElementType(type);
    unsigned bits = LLVMGetIntTypeWidth(element);
    V zero = LLVMConstNull(type), minus_one = LLVMConstAllOnes(type), one = LLVMConstSub(zero, minus_one);
    if (LLVMIsAConstantInt(divisor) && divisor != zero && divisor != minus_one)
        return divisor;
    V bad = LLVMBuildICmp(b, LLVMIntEQ, divisor, zero, "");
    if (op == LLVMSDiv || op == LLVMSRem) {
        V minimum, shift = LLVMConstInt(element, bits - 1, false);
        if (element != type) {
            V lanes[64];
            unsigned n = LLVMGetVectorSize(type) < 64 ? LLVMGetVectorSize(type) : 64;
            for (unsigned k = 0; k < n; k++)
                lanes[k] = shift;
            shift = LLVMConstVector(lanes, n);
        }
        minimum = LLVMBuildShl(b, one, shift, "");
        V overflows = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, divisor, minus_one, ""),
                                   LLVMBuildICmp(b, LLVMIntEQ, dividend, minimum, ""), "");
        bad = LLVMBuildOr(b, bad, overflows, "");
    }
    return LLVMBuildSelect(b, LLVMBuildFreeze(b, bad, ""), one, divisor, "");
}

/* A multiplication where that will do: a table would go through memory. */
static V
offset_of_lane(lw_widener *w, struct lw_vinfo info, LLVMTypeRef type, V lane)
{
    if (!info.linear)
        return lane_extract(&w->l, lane_offsets(&w->l, type, info.offsets), lane);
    V stride = LLVMConstInt(type, (unsigned long long)info.stride, true);
    return LLVMBuildMul(w->l.builder, LLVMBuildIntCast2(w->l.builder, lane, type, false, ""), stride, "");
}

/* A sext or zext whose narrow operand wraps only in lanes that are not active: the wide base is counted back
 * from the first active lane. */
static V
extend_from_active_lane(lw_widener *w, LLVMValueRef i)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    struct lw_vinfo narrow = lw_info(w, operand), wide = lw_info(w, i);
    V first = lane_first(&w->l, w->mask);
    V ahead = offset_of_lane(w, narrow, LLVMTypeOf(operand), first);
    V value = LLVMBuildAdd(b, lw_use_scalar(w, operand), ahead, "");
    value = LLVMBuildCast(b, LLVMGetInstructionOpcode(i), value, LLVMTypeOf(i), "");
    V back = offset_of_lane(w, wide, LLVMTypeOf(i), first);
    return LLVMBuildSub(b, value, back, "");
}

void
lw_widen_uniform(lw_widener *w, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    struct lw_vinfo info = lw_info(w, i);
    V made;
    if (info.assumes_no_wrap && w->u->masked[w->block] && info.form == LW_STRIDED) {
        made = extend_from_active_lane(w, i);
    } else if (lw_is_int_division(op)) {
        V a = lw_use_scalar(w, LLVMGetOperand(i, 0));
        V d = safe_divisor(w, op, a, lw_use_scalar(w, LLVMGetOperand(i, 1)));
        made = LLVMBuildBinOp(w->l.builder, op, a, LLVMBuildFreeze(w->l.builder, d, ""), "");
    } else {
        made = lw_clone_scalar(w, i);
        if (w->may_be_empty || works_on_bases(w, i))
            lw_drop_flags(made);
    }
    lw_define_scalar(w, i, made);
}

static uint32_t
leaves_of(lw_widener *w, LLVMValueRef v)
{
    return lw_leaf_count(w, LLVMTypeOf(v));
}

static LLVMTypeRef
lane_leaf_type(lw_widener *w, LLVMTypeRef type, uint32_t leaf)
{
    return lane_type(&w->l, lw_leaf_at(w, type, leaf).type);
}

/* Each component by that of the divisor. */
static V
widen_division(lw_widener *w, LLVMValueRef i, uint32_t k)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef divisor = LLVMGetOperand(i, 1);
    V a = lw_use_vector(w, LLVMGetOperand(i, 0), k);
    if (lw_info(w, divisor).form != LW_UNIFORM)
        return lane_divide(&w->l, op, a, lw_use_vector(w, divisor, k), w->mask);
    V scalar = lw_use_scalar(w, divisor);
    if (LLVMGetTypeKind(LLVMTypeOf(scalar)) == LLVMVectorTypeKind)
        scalar = LLVMBuildExtractElement(w->l.builder, scalar, lane_int(&w->l, 32, k), "");
    return lane_divide_by(&w->l, op, a, scalar, w->mask);
}

static void
widen_binary(lw_widener *w, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    bool divides = lw_is_int_division(op);
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        V made;
        if (divides) {
            made = widen_division(w, i, k);
        } else {
            V a = lw_use_for(w, i, LLVMGetOperand(i, 0), k);
            V b = lw_use_for(w, i, LLVMGetOperand(i, 1), k);
            made = LLVMBuildBinOp(w->l.builder, op, a, b, "");
            lw_copy_flags(i, made);
        }
        lw_define_leaf(w, i, k, made);
    }
}

static void
widen_unary(lw_widener *w, LLVMValueRef i)
{
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        V a = lw_use_for(w, i, LLVMGetOperand(i, 0), k), made;
        if (LLVMGetInstructionOpcode(i) == LLVMFreeze)
            made = LLVMBuildFreeze(w->l.builder, a, "");
        else
            made = LLVMBuildFNeg(w->l.builder, a, "");
        lw_copy_flags(i, made);
        lw_define_leaf(w, i, k, made);
    }
}

/* Integers of 32 bits with a sign are what all vectors convert to floats, others by scalars or in many steps:
 * those that are known to fit go by them. */
static bool
converts_by_words(lw_widener *w, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0));
    if ((op != LLVMUIToFP && op != LLVMSIToFP) || LLVMGetTypeKind(from) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(from) < 32 || LLVMGetIntTypeWidth(from) > 64)
        return false;
    struct lw_vinfo info = lw_info(w, LLVMGetOperand(i, 0));
    return info.lo <= info.hi && info.lo >= (op == LLVMUIToFP ? 0 : INT32_MIN) && info.hi <= INT32_MAX;
}

static void
widen_cast(lw_widener *w, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    bool words = converts_by_words(w, i);
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        V a = lw_use_for(w, i, LLVMGetOperand(i, 0), k);
        if (words)
            a = LLVMBuildTrunc(w->l.builder, a, lane_type(&w->l, LLVMInt32TypeInContext(w->l.context)), "");
        V made =
            LLVMBuildCast(w->l.builder, words ? LLVMSIToFP : op, a, lane_leaf_type(w, LLVMTypeOf(i), k), "");
        lw_copy_flags(i, made);
        lw_define_leaf(w, i, k, made);
    }
}

static void
widen_compare(lw_widener *w, LLVMValueRef i)
{
    V places = LLVMIsAICmpInst(i) ? lw_compare_places(w, i) : NULL;
    if (places) {
        lw_define_leaf(w, i, 0, places);
        return;
    }
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        V a = lw_use_for(w, i, LLVMGetOperand(i, 0), k);
        V b = lw_use_for(w, i, LLVMGetOperand(i, 1), k), made;
        if (LLVMGetInstructionOpcode(i) == LLVMICmp)
            made = LLVMBuildICmp(w->l.builder, LLVMGetICmpPredicate(i), a, b, "");
        else
            made = LLVMBuildFCmp(w->l.builder, LLVMGetFCmpPredicate(i), a, b, "");
        lw_copy_flags(i, made);
        lw_define_leaf(w, i, k, made);
    }
}

static void
widen_select(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef c = LLVMGetOperand(i, 0);
    bool by_component = LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMVectorTypeKind;
    bool uniform = !by_component && lw_info(w, c).form == LW_UNIFORM;
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        V condition = uniform        ? lw_use_scalar(w, c)
                      : by_component ? lw_use_for(w, i, c, k)
                                     : lw_use_vector(w, c, 0);
        if (!uniform && !by_component && lw_is_in_order(w, i))
            condition = lw_mask_in_order(w, condition, leaves_of(w, i), k);
        V on = lw_use_for(w, i, LLVMGetOperand(i, 1), k);
        V off = lw_use_for(w, i, LLVMGetOperand(i, 2), k);
        V made = LLVMBuildSelect(w->l.builder, condition, on, off, "");
        lw_copy_flags(i, made);
        lw_define_leaf(w, i, k, made);
    }
}

/* One leaf as an integer vector, for reinterpreting. */
static V
leaf_as_integer(lw_widener *w, LLVMValueRef value, uint32_t leaf, unsigned bits)
{
    V v = lw_use_vector(w, value, leaf);
    LLVMTypeRef type = lane_type(&w->l, LLVMIntTypeInContext(w->l.context, bits));
    if (LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(w->l.builder, v, type, "");
    return LLVMBuildBitCast(w->l.builder, v, type, "");
}

/* A bitcast between different numbers of components: by shifts, lane by lane alike. */
static void
widen_reshaping_bitcast(lw_widener *w, LLVMValueRef i, uint32_t from, uint32_t to)
{
    LLVMValueRef source = LLVMGetOperand(i, 0);
    LLVMBuilderRef b = w->l.builder;
    unsigned from_bits = (unsigned)LLVMSizeOfTypeInBits(w->layout, LLVMTypeOf(source)) / from;
    unsigned to_bits = (unsigned)LLVMSizeOfTypeInBits(w->layout, LLVMTypeOf(i)) / to;
    LLVMTypeRef to_int = LLVMIntTypeInContext(w->l.context, to_bits);
    for (uint32_t k = 0; k < to; k++) {
        V made;
        if (to < from) { /* pack */
            uint32_t per = from / to;
            made = NULL;
            for (uint32_t j = 0; j < per; j++) {
                V part = leaf_as_integer(w, source, k * per + j, from_bits);
                part = LLVMBuildZExt(b, part, lane_type(&w->l, to_int), "");
                part =
                    LLVMBuildShl(b, part, lane_splat(&w->l, LLVMConstInt(to_int, j * from_bits, false)), "");
                made = made ? LLVMBuildOr(b, made, part, "") : part;
            }
        } else { /* split */
            uint32_t per = to / from;
            V whole = leaf_as_integer(w, source, k / per, from_bits);
            V amount =
                LLVMConstInt(LLVMIntTypeInContext(w->l.context, from_bits), (k % per) * to_bits, false);
            made = LLVMBuildLShr(b, whole, lane_splat(&w->l, amount), "");
            made = LLVMBuildTrunc(b, made, lane_type(&w->l, to_int), "");
        }
        made = LLVMBuildBitCast(b, made, lane_leaf_type(w, LLVMTypeOf(i), k), "");
        lw_define_leaf(w, i, k, made);
    }
}

static void
widen_bitcast(lw_widener *w, LLVMValueRef i)
{
    uint32_t from = leaves_of(w, LLVMGetOperand(i, 0)), to = leaves_of(w, i);
    if (from == to)
        widen_cast(w, i);
    else if (from % to == 0 || to % from == 0)
        widen_reshaping_bitcast(w, i, from, to);
    else
        lw_widen_fail(w, i, "a bitcast between vectors whose component counts do not divide");
}

/* value[index] for an index that is not constant: a chain of selects. */
static V
pick(lw_widener *w, LLVMValueRef vector, LLVMValueRef index)
{
    uint32_t n = leaves_of(w, vector);
    V at = lw_use_vector(w, index, 0), made = lw_use_vector(w, vector, 0);
    LLVMTypeRef type = LLVMTypeOf(index);
    for (uint32_t k = 1; k < n; k++) {
        V here =
            LLVMBuildICmp(w->l.builder, LLVMIntEQ, at, lane_splat(&w->l, LLVMConstInt(type, k, false)), "");
        made = LLVMBuildSelect(w->l.builder, here, lw_use_vector(w, vector, k), made, "");
    }
    return made;
}

static void
widen_extract_element(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, 1);
    if (LLVMIsAConstantInt(index)) {
        uint64_t k = LLVMConstIntGetZExtValue(index);
        lw_define_leaf(w, i, 0, lw_use_vector(w, vector, k < leaves_of(w, vector) ? (uint32_t)k : 0));
    } else {
        lw_define_leaf(w, i, 0, pick(w, vector, index));
    }
}

static void
widen_insert_element(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, 2);
    V part = lw_use_vector(w, LLVMGetOperand(i, 1), 0);
    bool constant = LLVMIsAConstantInt(index);
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        V old = constant && LLVMConstIntGetZExtValue(index) == k ? NULL : lw_use_vector(w, vector, k), made;
        if (constant) {
            made = old ? old : part;
        } else {
            V number = lane_splat(&w->l, LLVMConstInt(LLVMTypeOf(index), k, false));
            V here = LLVMBuildICmp(w->l.builder, LLVMIntEQ, lw_use_vector(w, index, 0), number, "");
            made = LLVMBuildSelect(w->l.builder, here, part, old, "");
        }
        lw_define_leaf(w, i, k, made);
    }
}

static void
widen_shuffle(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    int n = (int)leaves_of(w, a);
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        int from = LLVMGetMaskValue(i, k);
        V made;
        if (from < 0 || from >= 2 * n) /* undefined: deterministic zero */
            made = LLVMConstNull(lane_leaf_type(w, LLVMTypeOf(i), k));
        else
            made = from < n ? lw_use_vector(w, a, (uint32_t)from) : lw_use_vector(w, b, (uint32_t)(from - n));
        lw_define_leaf(w, i, k, made);
    }
}

/* First leaf of the member that an extractvalue or insertvalue names, and the member's type. */
static uint32_t
member_leaf(lw_widener *w, LLVMValueRef i, LLVMTypeRef type, LLVMTypeRef *member)
{
    uint32_t leaf = 0;
    const unsigned *indices = LLVMGetIndices(i);
    for (unsigned d = 0; d < LLVMGetNumIndices(i); d++) {
        for (unsigned k = 0; k < indices[d]; k++)
            leaf += lw_leaf_count(w, LLVMGetTypeKind(type) == LLVMStructTypeKind
                                         ? LLVMStructGetTypeAtIndex(type, k)
                                         : LLVMGetElementType(type));
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, indices[d])
                                                           : LLVMGetElementType(type);
    }
    *member = type;
    return leaf;
}

static void
widen_extract_value(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef aggregate = LLVMGetOperand(i, 0);
    LLVMTypeRef member;
    uint32_t first = member_leaf(w, i, LLVMTypeOf(aggregate), &member);
    for (uint32_t k = 0; k < leaves_of(w, i); k++)
        lw_define_leaf(w, i, k, lw_use_vector(w, aggregate, first + k));
}

static void
widen_insert_value(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef aggregate = LLVMGetOperand(i, 0), part = LLVMGetOperand(i, 1);
    LLVMTypeRef member;
    uint32_t first = member_leaf(w, i, LLVMTypeOf(aggregate), &member), count = lw_leaf_count(w, member);
    for (uint32_t k = 0; k < leaves_of(w, i); k++) {
        bool inside = k >= first && k < first + count;
        lw_define_leaf(w, i, k, inside ? lw_use_vector(w, part, k - first) : lw_use_vector(w, aggregate, k));
    }
}

bool
lw_widen_elementwise(lw_widener *w, LLVMValueRef i)
{
    if (LLVMIsABinaryOperator(i)) {
        widen_binary(w, i);
        return true;
    }
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFNeg:
    case LLVMFreeze:
        widen_unary(w, i);
        return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        widen_cast(w, i);
        return true;
    case LLVMBitCast:
        widen_bitcast(w, i);
        return true;
    case LLVMICmp:
    case LLVMFCmp:
        widen_compare(w, i);
        return true;
    case LLVMSelect:
        widen_select(w, i);
        return true;
    case LLVMExtractElement:
        widen_extract_element(w, i);
        return true;
    case LLVMInsertElement:
        widen_insert_element(w, i);
        return true;
    case LLVMShuffleVector:
        if (lw_is_in_order(w, i))
            lw_widen_shuffle_in_order(w, i);
        else
            widen_shuffle(w, i);
        return true;
    case LLVMExtractValue:
        widen_extract_value(w, i);
        return true;
    case LLVMInsertValue:
        widen_insert_value(w, i);
        return true;
    default:
        return false;
    }
}
