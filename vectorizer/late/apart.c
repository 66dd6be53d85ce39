/* SPDX-License-Identifier: MIT */
/* Addresses that are only taken out of a vector again, lane by lane, are made lane by lane.
 *
 * Enters: a module after its last LLVM pass, where scatters, updates and atomics of lanes are scalar accesses
 * at elements of a vector of addresses. Leaves: an element of a `getelementptr` of vectors is a
 * `getelementptr` of elements, down to the index before its extension: x86 adds base and index in the access
 * itself, and an index that was put together from scalars was one all along. Two indices of 32 bits, or eight
 * of 8, leave their vector in one move. Relies on: code generation to drop what has no use any more, and to
 * merge equal moves in a block. Never: moves an access.
 */
#include "../lanes/internal.h"
#include "../flow/module_pass.h"
#include "../../src/compiler.h"
#include "../facts/instructions.h"

#define MOST_STEPS 8   /* of an address: getelementptr of getelementptr ... */
#define MOST_INDICES 4 /* of one of them */

struct apart {
    lw_lanes *l; /* builder: before the extraction at hand */
    unsigned leaves;        /* elements that must be moved out of vectors for the address at hand */
};

/* The scalar that is lane `k` of a vector that was put together of scalars; NULL: another vector. */
static V
part_of(V vector, unsigned k)
{
    for (unsigned steps = 0; steps <= LW_MAX_LANES; steps++) {
        if (LLVMIsAConstant(vector)) {
            V part = LLVMGetAggregateElement(vector, k);
            return part && !LLVMIsUndef(part) ? part : NULL;
        }
        if (LLVMIsAShuffleVectorInst(vector)) {
            int from = LLVMGetMaskValue(vector, k);
            unsigned width = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(vector, 0)));
            if (from < 0)
                return NULL;
            k = (unsigned)from < width ? (unsigned)from : (unsigned)from - width;
            vector = LLVMGetOperand(vector, (unsigned)from < width ? 0 : 1);
            continue;
        }
        if (!LLVMIsAInsertElementInst(vector) || !LLVMIsAConstantInt(LLVMGetOperand(vector, 2)))
            return NULL;
        if (LLVMConstIntGetZExtValue(LLVMGetOperand(vector, 2)) == k)
            return LLVMGetOperand(vector, 1);
        vector = LLVMGetOperand(vector, 0);
    }
    return NULL;
}

static bool
is_extension(V value)
{
    return LLVMIsASExtInst(value) || LLVMIsAZExtInst(value);
}

/* What lane_of would do, without doing it. */
static bool
comes_apart(struct apart *a, V value, unsigned k, unsigned depth)
{
    if (!lw_lane_is_vector(value) || part_of(value, k))
        return true;
    if (depth == MOST_STEPS)
        return false;
    if (LLVMIsAGetElementPtrInst(value)) {
        if (LLVMGetNumIndices(value) > MOST_INDICES)
            return false;
        for (int o = 0; o < LLVMGetNumOperands(value); o++)
            if (!comes_apart(a, LLVMGetOperand(value, (unsigned)o), k, depth + 1))
                return false;
        return true;
    }
    if (is_extension(value) && part_of(LLVMGetOperand(value, 0), k))
        return true;
    if (LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(value))) != LLVMIntegerTypeKind || depth == 0)
        return false;
    a->leaves++;
    return a->leaves == 1;
}

/* Lane `k` of integers, extended to `wide`: whole words of 64 bits are moved, the lanes parted there. */
static V
moved_out(struct apart *a, V vector, unsigned k, LLVMTypeRef wide, bool sign)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(vector)));
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector)), each = bits ? 64 / bits : 0;
    LLVMTypeRef i64 = lw_lane_int_type(a->l, 64), i32 = lw_lane_int_type(a->l, 32);
    LLVMBuilderRef b = a->l->builder;
    bool lower = bits == 32 && k % 2 == 0;

    if ((bits != 8 && bits != 16 && bits != 32) || count % each || wide != i64 ||
        (lower && (sign || a->l->isa != LW_ISA_AVX2))) {
        V one = LLVMBuildExtractElement(b, vector, LLVMConstInt(i32, k, false), "");
        return LLVMTypeOf(one) == wide ? one
               : sign                  ? LLVMBuildSExt(b, one, wide, "")
                                       : LLVMBuildZExt(b, one, wide, "");
    }
    V words = LLVMBuildBitCast(b, vector, LLVMVectorType(i64, count / each), "");
    V word = LLVMBuildExtractElement(b, words, LLVMConstInt(i32, k / each, false), "");
    unsigned low = k % each * bits;
    if (lower)
        return lw_lane_lower_half(a->l, word);
    if (sign) {
        if (low + bits < 64)
            word = LLVMBuildShl(b, word, LLVMConstInt(i64, 64 - bits - low, false), "");
        return LLVMBuildAShr(b, word, LLVMConstInt(i64, 64 - bits, false), "");
    }
    if (low)
        word = LLVMBuildLShr(b, word, LLVMConstInt(i64, low, false), "");
    return low + bits == 64 ? word : LLVMBuildAnd(b, word, LLVMConstInt(i64, (1ull << bits) - 1, false), "");
}

static V
lane_of(struct apart *a, V value, unsigned k)
{
    V part = lw_lane_is_vector(value) ? part_of(value, k) : value;

    if (part)
        return part;
    if (LLVMIsAGetElementPtrInst(value)) {
        unsigned count = (unsigned)LLVMGetNumIndices(value);
        V base = lane_of(a, LLVMGetOperand(value, 0), k), indices[MOST_INDICES];
        for (unsigned o = 0; o < count; o++)
            indices[o] = lane_of(a, LLVMGetOperand(value, o + 1), k);
        LLVMTypeRef of = LLVMGetGEPSourceElementType(value);
        return LLVMBuildGEP2(a->l->builder, of, base, indices, count, "");
    }
    LLVMTypeRef wide = LLVMGetElementType(LLVMTypeOf(value));
    if (!is_extension(value))
        return moved_out(a, value, k, wide, false);
    bool sign = LLVMIsASExtInst(value) != NULL;
    V from = LLVMGetOperand(value, 0), small = part_of(from, k);
    if (!small)
        return moved_out(a, from, k, wide, sign);
    return LLVMBuildCast(a->l->builder, sign ? LLVMSExt : LLVMZExt, small, wide, "");
}

/* An address of lane `k`, as scalars; NULL: it is better where it is. */
static V
address_of_lane(struct apart *a, V pointers, unsigned k)
{
    if (!LLVMIsAGetElementPtrInst(pointers))
        return NULL;
    a->leaves = 0;
    return comes_apart(a, pointers, k, 0) ? lane_of(a, pointers, k) : NULL;
}

static void
take_apart(lw_lanes *l, V extract)
{
    struct apart a = {.l = l};

    if (!LLVMIsAExtractElementInst(extract) || LLVMGetTypeKind(LLVMTypeOf(extract)) != LLVMPointerTypeKind ||
        !LLVMIsAConstantInt(LLVMGetOperand(extract, 1)))
        return;
    LLVMPositionBuilderBefore(l->builder, extract);
    V pointers = LLVMGetOperand(extract, 0);
    V scalar = address_of_lane(&a, pointers, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(extract, 1)));
    if (!scalar)
        return;
    lw_replace(extract, scalar);
}

void
lw_settle_lanes(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, take_apart);
}
