/* SPDX-License-Identifier: MIT */
/* What instructions make of values that are taken apart: part by part.
 *
 * Enters: an instruction that makes or takes such a value (lengths.h), whose operands have their parts.
 * Leaves: what it makes, in parts, before it; or, where it makes another type, that in its place.
 */
#include "lengths.h"

#include <stdlib.h>
#include <string.h>

/* ---- Types ---- */

/* Bits of an integer that is too long, or of the elements of a vector of such; 0 for others. */
unsigned
lw_long_bits(T type)
{
    T scalar = lw_scalar_of(type);
    unsigned bits = LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(scalar) : 0;
    return bits > 64 ? bits : 0;
}

bool
lw_is_odd(T type)
{
    return (LLVMGetTypeKind(type) == LLVMVectorTypeKind && !lw_is_legal_length(LLVMGetVectorSize(type))) ||
           lw_long_bits(type);
}

static unsigned
word_bits(unsigned bits)
{
    return bits % 64 == 0 ? 64 : bits % 32 == 0 ? 32 : bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : 1;
}

/* What a value is taken apart into, and how many: components, or words of them. */
T
lw_part_type(struct lengths *s, T type)
{
    unsigned bits = lw_long_bits(type);
    return bits ? LLVMIntTypeInContext(s->l->context, word_bits(bits)) : lw_scalar_of(type);
}

static unsigned
words_of(T type)
{
    unsigned bits = lw_long_bits(type);
    return bits ? bits / word_bits(bits) : 1;
}

unsigned
lw_part_count(T type)
{
    return lw_count_of(type) * words_of(type);
}

bool
lw_refuse_length(struct lengths *s, const char *why)
{
    s->l->why = why;
    return false;
}

/* ---- Parts ---- */

int
lw_compare_splits(const void *left, const void *right)
{
    const struct split *a = left, *b = right;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

struct split *
lw_find_split(struct lengths *s, V value)
{
    struct split key = {.instruction = value};
    return s->count ? bsearch(&key, s->splits, s->count, sizeof *s->splits, lw_compare_splits) : NULL;
}

/* Component `k` of an operand, of any length. */
static V
part(struct lengths *s, V value, unsigned k)
{
    T type = LLVMTypeOf(value);
    struct split *split = lw_is_odd(type) ? lw_find_split(s, value) : NULL;
    unsigned words = words_of(type);
    if (split)
        return split->parts[k];
    V whole = lw_part(s->l, value, k / words);
    if (words == 1)
        return whole;
    V shift = LLVMConstInt(LLVMTypeOf(whole), (uint64_t)(k % words) * word_bits(lw_long_bits(type)), false);
    return LLVMBuildTrunc(s->l->b, LLVMBuildLShr(s->l->b, whole, shift, ""), lw_part_type(s, type), "");
}

/* ---- What makes such values ---- */

/* The same instruction with components for operands; those that are no vectors stay. */
static V
elementwise(struct lengths *s, V i, unsigned k)
{
    LLVMBuilderRef b = s->l->b;
    T type = lw_part_type(s, LLVMTypeOf(i));
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    bool is_long = lw_long_bits(LLVMTypeOf(i)), of_bits = op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    V x = part(s, LLVMGetOperand(i, 0), op == LLVMSelect ? k / words_of(LLVMTypeOf(i)) : k), made = NULL;
    if (is_long && !of_bits && op != LLVMSelect && op != LLVMFreeze)
        return NULL;
    if (LLVMIsABinaryOperator(i))
        made = LLVMBuildBinOp(b, op, x, part(s, LLVMGetOperand(i, 1), k), "");
    else if (op == LLVMICmp)
        made = LLVMBuildICmp(b, LLVMGetICmpPredicate(i), x, part(s, LLVMGetOperand(i, 1), k), "");
    else if (op == LLVMFCmp)
        made = LLVMBuildFCmp(b, LLVMGetFCmpPredicate(i), x, part(s, LLVMGetOperand(i, 1), k), "");
    else if (op == LLVMSelect)
        made = LLVMBuildSelect(b, x, part(s, LLVMGetOperand(i, 1), k), part(s, LLVMGetOperand(i, 2), k), "");
    else if (op == LLVMFNeg)
        made = LLVMBuildFNeg(b, x, "");
    else if (op == LLVMFreeze)
        made = LLVMBuildFreeze(b, x, "");
    else if (LLVMIsACastInst(i))
        made = LLVMBuildCast(b, op, x, type, "");
    if (made)
        lw_keep_fast_math(i, made);
    return made;
}

/* "llvm.fma.v7f32": nothing is behind the first type. */
static bool
has_one_type(V function)
{
    size_t length;
    const char *type = strstr(LLVMGetValueName2(function, &length), ".v");
    while (type && (type[2] < '0' || type[2] > '9'))
        type = strstr(type + 1, ".v");
    return type && !strchr(type + 1, '.');
}

/* One of LLVM's functions, overloaded on its result alone, whose vector operands all have the result's
 * length. */
static bool
called(struct lengths *s, V i, V *out)
{
    T type = LLVMTypeOf(i), scalar = LLVMGetElementType(type);
    V callee = LLVMGetCalledValue(i), args[4];
    unsigned count = LLVMGetNumArgOperands(i), id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    if (!id || count > 4 || !has_one_type(callee))
        return lw_refuse_length(s, "a call with such a vector");
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        for (unsigned a = 0; a < count; a++) {
            V operand = LLVMGetOperand(i, a);
            if (LLVMTypeOf(operand) != type && LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMVectorTypeKind)
                return lw_refuse_length(s, "a call with such a vector");
            args[a] = part(s, operand, k);
        }
        V function = LLVMGetIntrinsicDeclaration(s->l->module, id, &scalar, 1);
        T function_type = LLVMGlobalGetValueType(function);
        if (LLVMCountParamTypes(function_type) != count)
            return lw_refuse_length(s, "a call with such a vector");
        out[k] = LLVMBuildCall2(s->l->b, function_type, function, args, count, "");
    }
    return true;
}

static bool
loaded(struct lengths *s, V i, V *out)
{
    T type = LLVMTypeOf(i), scalar = lw_part_type(s, type);
    if (!lw_bits_of(scalar) || lw_bits_of(scalar) % 8)
        return lw_refuse_length(s, "a load of such a vector of odd components");
    lw_load_parts(s->l, i, scalar, lw_part_count(type), out);
    return true;
}

static bool
stored(struct lengths *s, V i)
{
    V value = LLVMGetOperand(i, 0), parts[16];
    T type = LLVMTypeOf(value), scalar = lw_part_type(s, type);
    unsigned count = lw_part_count(type);
    if (!lw_bits_of(scalar) || lw_bits_of(scalar) % 8)
        return lw_refuse_length(s, "a store of such a vector of odd components");
    for (unsigned first = 0, length; first < count; first += length) {
        length = lw_next_length(count - first);
        for (unsigned k = 0; k < length; k++)
            parts[k] = part(s, value, first + k);
        lw_store_piece(s->l, i, scalar, first, length, parts);
    }
    return true;
}

/* All components of any value. */
static unsigned
all_parts(struct lengths *s, V value, V *out)
{
    unsigned count = lw_part_count(LLVMTypeOf(value));
    for (unsigned k = 0; k < count && k < LW_MOST_COMPONENTS; k++)
        out[k] = part(s, value, k);
    return count;
}

/* The value's bits, from the first on, as the parts of another type. */
static bool
regrouped(struct lengths *s, V value, T to, V *out)
{
    V from[LW_MOST_COMPONENTS];
    T source = LLVMTypeOf(value), scalar = lw_part_type(s, to);
    bool is_large = lw_part_count(source) > LW_MOST_COMPONENTS;
    if (is_large || !lw_bits_of(scalar) || !lw_bits_of(lw_part_type(s, source)))
        return lw_refuse_length(s, "a reinterpretation of such a value");
    unsigned count = all_parts(s, value, from);
    lw_regroup(s->l, from, count, scalar, lw_part_count(to), out);
    return true;
}

/* An integer with zeros above. */
static bool
extended(struct lengths *s, V i, V *out)
{
    V x = LLVMGetOperand(i, 0);
    T type = LLVMTypeOf(i), scalar = lw_part_type(s, type);
    unsigned bits = word_bits(lw_long_bits(type));
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind || lw_long_bits(LLVMTypeOf(x)))
        return lw_refuse_length(s, "an extension to such a value");
    for (unsigned k = 0; k < lw_part_count(type); k++) {
        bool beyond = k * bits >= lw_bits_of(LLVMTypeOf(x));
        V shift = LLVMConstInt(LLVMTypeOf(x), beyond ? 0 : (uint64_t)k * bits, false);
        out[k] = beyond ? LLVMConstNull(scalar)
                        : LLVMBuildIntCast2(s->l->b, LLVMBuildLShr(s->l->b, x, shift, ""), scalar, false, "");
    }
    return true;
}

/* A long integer moved by a constant, up or down. */
static bool
shifted(struct lengths *s, V i, V *out)
{
    T type = LLVMTypeOf(i), scalar = lw_part_type(s, type);
    V x = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    bool up = LLVMGetInstructionOpcode(i) == LLVMShl;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind || !LLVMIsAConstantInt(by))
        return lw_refuse_length(s, "a shift of a long integer");
    int bits = (int)word_bits(lw_long_bits(type)), count = (int)lw_part_count(type);
    by = LLVMConstTrunc(by, LLVMInt64TypeInContext(s->l->context));
    int distance = (int)LLVMConstIntGetZExtValue(by), words = distance / bits, rest = distance % bits;
    V zero = LLVMConstNull(scalar), within = LLVMConstInt(scalar, (unsigned)rest, false);
    V across = LLVMConstInt(scalar, (unsigned)(bits - rest), false);
    for (int k = 0; k < count; k++) {
        int near = up ? k - words : k + words, far = up ? near - 1 : near + 1;
        V a = near >= 0 && near < count ? part(s, x, (unsigned)near) : zero;
        V b = rest && far >= 0 && far < count ? part(s, x, (unsigned)far) : zero;
        if (rest) {
            a = up ? LLVMBuildShl(s->l->b, a, within, "") : LLVMBuildLShr(s->l->b, a, within, "");
            b = up ? LLVMBuildLShr(s->l->b, b, across, "") : LLVMBuildShl(s->l->b, b, across, "");
        }
        out[k] = rest ? LLVMBuildOr(s->l->b, a, b, "") : a;
    }
    return true;
}

static void
shuffled(struct lengths *s, V i, V *out)
{
    V a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    T type = LLVMTypeOf(i);
    int of_a = (int)LLVMGetVectorSize(LLVMTypeOf(a));
    unsigned words = words_of(type);
    for (unsigned k = 0; k < lw_part_count(type); k++) {
        int from = LLVMGetMaskValue(i, k / words);
        out[k] = from < 0      ? LLVMGetPoison(lw_part_type(s, type))
                 : from < of_a ? part(s, a, (unsigned)from * words + k % words)
                               : part(s, b, (unsigned)(from - of_a) * words + k % words);
    }
}

static void
inserted(struct lengths *s, V i, V *out)
{
    V index = LLVMGetOperand(i, 2), value = LLVMGetOperand(i, 1);
    T type = LLVMTypeOf(i);
    unsigned words = words_of(type);
    for (unsigned k = 0; k < lw_part_count(type); k++) {
        V here = LLVMConstInt(LLVMTypeOf(index), k / words, false);
        V old = part(s, LLVMGetOperand(i, 0), k), new = part(s, value, k % words);
        if (LLVMIsAConstantInt(index))
            out[k] = LLVMConstIntGetZExtValue(index) == k / words ? new : old;
        else
            out[k] =
                LLVMBuildSelect(s->l->b, LLVMBuildICmp(s->l->b, LLVMIntEQ, index, here, ""), new, old, "");
    }
}

/* One element of a vector, all its words. */
static void
extracted(struct lengths *s, V i, V *out)
{
    V vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, 1);
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector)), words = words_of(LLVMTypeOf(vector));
    bool known = LLVMIsAConstantInt(index);
    uint64_t at = known ? LLVMConstIntGetZExtValue(index) : 0;
    for (unsigned w = 0; w < words; w++) {
        out[w] = at < count ? part(s, vector, (unsigned)at * words + w)
                            : LLVMGetPoison(lw_part_type(s, LLVMTypeOf(vector)));
        for (unsigned k = 1; k < count && !known; k++) {
            V here = LLVMBuildICmp(s->l->b, LLVMIntEQ, index, LLVMConstInt(LLVMTypeOf(index), k, false), "");
            out[w] = LLVMBuildSelect(s->l->b, here, part(s, vector, k * words + w), out[w], "");
        }
    }
}

static void
joined(struct lengths *s, V phi, V *out)
{
    for (unsigned k = 0; k < lw_part_count(LLVMTypeOf(phi)); k++) {
        LLVMPositionBuilder(s->l->b, LLVMGetInstructionParent(phi), phi);
        out[k] = LLVMBuildPhi(s->l->b, lw_part_type(s, LLVMTypeOf(phi)), "");
        for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);
            LLVMPositionBuilderBefore(s->l->b, LLVMGetBasicBlockTerminator(from));
            V value = part(s, LLVMGetIncomingValue(phi, n), k);
            LLVMAddIncoming(out[k], &value, &from, 1);
        }
    }
}

bool
lw_compute_parts(struct lengths *s, V i, V *out)
{
    bool is_long = lw_long_bits(LLVMTypeOf(i));
    lw_write_at(s->l, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        joined(s, i, out);
        return true;
    case LLVMLoad:
        return loaded(s, i, out);
    case LLVMCall:
        if (!is_long)
            return called(s, i, out);
        break;
    case LLVMBitCast:
        return regrouped(s, LLVMGetOperand(i, 0), LLVMTypeOf(i), out);
    case LLVMShuffleVector:
        shuffled(s, i, out);
        return true;
    case LLVMInsertElement:
        inserted(s, i, out);
        return true;
    case LLVMExtractElement:
        extracted(s, i, out);
        return true;
    case LLVMZExt:
        if (is_long)
            return extended(s, i, out);
        break;
    case LLVMTrunc: /* to fewer words of as many bits */
        if (is_long && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind)
            return regrouped(s, LLVMGetOperand(i, 0), LLVMTypeOf(i), out);
        break;
    case LLVMShl:
    case LLVMLShr:
        if (is_long)
            return shifted(s, i, out);
        break;
    default:
        break;
    }
    for (unsigned k = 0; k < lw_part_count(LLVMTypeOf(i)); k++)
        if (!(out[k] = elementwise(s, i, k)))
            return lw_refuse_length(s, "an instruction that makes such a vector");
    return true;
}

/* ---- What takes such values ---- */

/* Equality of long integers: no bit differs. */
static V
compared(struct lengths *s, V i)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    V x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1), different = NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind || (p != LLVMIntEQ && p != LLVMIntNE))
        return NULL;
    for (unsigned k = 0; k < lw_part_count(LLVMTypeOf(x)); k++) {
        V bits = LLVMBuildXor(s->l->b, part(s, x, k), part(s, y, k), "");
        different = different ? LLVMBuildOr(s->l->b, different, bits, "") : bits;
    }
    return LLVMBuildICmp(s->l->b, p, different, LLVMConstNull(LLVMTypeOf(different)), "");
}

bool
lw_rewrite_odd_user(struct lengths *s, V i)
{
    V parts[LW_MOST_COMPONENTS], made = NULL;
    T type = LLVMTypeOf(i);
    lw_write_at(s->l, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        if (!stored(s, i))
            return false;
        break;
    case LLVMExtractElement:
        extracted(s, i, parts);
        made = parts[0];
        break;
    case LLVMICmp:
        made = compared(s, i);
        break;
    case LLVMShuffleVector:
        shuffled(s, i, parts);
        made = lw_whole(s->l, type, parts);
        break;
    case LLVMTrunc:
    case LLVMBitCast:
        if (LLVMIsATruncInst(i) && LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            return lw_refuse_length(s, "a vector cut from one of long integers");
        if (!regrouped(s, LLVMGetOperand(i, 0), type, parts))
            return false;
        made = lw_whole(s->l, type, parts);
        break;
    default:
        break;
    }
    if (!made && LLVMGetInstructionOpcode(i) != LLVMStore)
        return lw_refuse_length(s, "an instruction that takes such a value");
    if (made)
        LLVMReplaceAllUsesWith(i, made);
    LLVMInstructionEraseFromParent(i);
    return true;
}
