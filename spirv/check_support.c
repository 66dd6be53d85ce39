/* SPDX-License-Identifier: MIT */
/* The table of instructions that their operands' types describe, and why others are refused. */
#include <stdlib.h>

#include "check_parts.h"

/* Sorted by opcode; the codes are check_signature.c's. */
static const struct lw_signature signatures[] = {
    {SpvOpVectorExtractDynamic, 'm', "es"},
    {SpvOpVectorInsertDynamic, 'M', "=cs"},
    {SpvOpCopyObject, 'a', "="},
    {SpvOpConvertFToU, 'i', "f"},
    {SpvOpConvertFToS, 'i', "f"},
    {SpvOpConvertSToF, 'f', "i"},
    {SpvOpConvertUToF, 'f', "i"},
    {SpvOpUConvert, 'i', "i"},
    {SpvOpSConvert, 'i', "i"},
    {SpvOpFConvert, 'f', "f"},
    {SpvOpQuantizeToF16, 'f', "="},
    {SpvOpConvertPtrToU, 'I', "p"},
    {SpvOpSatConvertSToU, 'i', "i"},
    {SpvOpSatConvertUToS, 'i', "i"},
    {SpvOpConvertUToPtr, 'p', "s"},
    {SpvOpSNegate, 'i', "="},
    {SpvOpFNegate, 'f', "="},
    {SpvOpIAdd, 'i', "=="},
    {SpvOpFAdd, 'f', "=="},
    {SpvOpISub, 'i', "=="},
    {SpvOpFSub, 'f', "=="},
    {SpvOpIMul, 'i', "=="},
    {SpvOpFMul, 'f', "=="},
    {SpvOpUDiv, 'i', "=="},
    {SpvOpSDiv, 'i', "=="},
    {SpvOpFDiv, 'f', "=="},
    {SpvOpUMod, 'i', "=="},
    {SpvOpSRem, 'i', "=="},
    {SpvOpSMod, 'i', "=="},
    {SpvOpFRem, 'f', "=="},
    {SpvOpFMod, 'f', "=="},
    {SpvOpVectorTimesScalar, 'f', "=c"},
    {SpvOpDot, 'F', "u1"},
    {SpvOpAny, 'B', "Y"},
    {SpvOpAll, 'B', "Y"},
    {SpvOpIsNan, 'b', "f"},
    {SpvOpIsInf, 'b', "f"},
    {SpvOpIsFinite, 'b', "f"},
    {SpvOpIsNormal, 'b', "f"},
    {SpvOpSignBitSet, 'b', "f"},
    {SpvOpLessOrGreater, 'b', "f1"},
    {SpvOpOrdered, 'b', "f1"},
    {SpvOpUnordered, 'b', "f1"},
    {SpvOpLogicalEqual, 'b', "=="},
    {SpvOpLogicalNotEqual, 'b', "=="},
    {SpvOpLogicalOr, 'b', "=="},
    {SpvOpLogicalAnd, 'b', "=="},
    {SpvOpLogicalNot, 'b', "="},
    {SpvOpSelect, 'a', "Q=="},
    {SpvOpIEqual, 'b', "N1"},
    {SpvOpINotEqual, 'b', "i1"},
    {SpvOpUGreaterThan, 'b', "i1"},
    {SpvOpSGreaterThan, 'b', "i1"},
    {SpvOpUGreaterThanEqual, 'b', "i1"},
    {SpvOpSGreaterThanEqual, 'b', "i1"},
    {SpvOpULessThan, 'b', "i1"},
    {SpvOpSLessThan, 'b', "i1"},
    {SpvOpULessThanEqual, 'b', "i1"},
    {SpvOpSLessThanEqual, 'b', "i1"},
    {SpvOpFOrdEqual, 'b', "f1"},
    {SpvOpFUnordEqual, 'b', "f1"},
    {SpvOpFOrdNotEqual, 'b', "f1"},
    {SpvOpFUnordNotEqual, 'b', "f1"},
    {SpvOpFOrdLessThan, 'b', "f1"},
    {SpvOpFUnordLessThan, 'b', "f1"},
    {SpvOpFOrdGreaterThan, 'b', "f1"},
    {SpvOpFUnordGreaterThan, 'b', "f1"},
    {SpvOpFOrdLessThanEqual, 'b', "f1"},
    {SpvOpFUnordLessThanEqual, 'b', "f1"},
    {SpvOpFOrdGreaterThanEqual, 'b', "f1"},
    {SpvOpFUnordGreaterThanEqual, 'b', "f1"},
    {SpvOpShiftRightLogical, 'i', "=i"},
    {SpvOpShiftRightArithmetic, 'i', "=i"},
    {SpvOpShiftLeftLogical, 'i', "=i"},
    {SpvOpBitwiseOr, 'i', "=="},
    {SpvOpBitwiseXor, 'i', "=="},
    {SpvOpBitwiseAnd, 'i', "W="},
    {SpvOpNot, 'i', "="},
    {SpvOpBitFieldInsert, 'i', "==ss"},
    {SpvOpBitFieldSExtract, 'i', "=ss"},
    {SpvOpBitFieldUExtract, 'i', "=ss"},
    {SpvOpBitReverse, 'i', "="},
    {SpvOpBitCount, 'i', "i"},
    {SpvOpSubgroupBallotKHR, '4', "S"},
    {SpvOpSubgroupFirstInvocationKHR, 'n', "="},
    {SpvOpSubgroupAllKHR, 'B', "S"},
    {SpvOpSubgroupAnyKHR, 'B', "S"},
    {SpvOpSubgroupAllEqualKHR, 'B', "S"},
    {SpvOpSubgroupReadInvocationKHR, 'n', "=s"},
    {SpvOpSubgroupShuffleINTEL, 'n', "=s"},
    {SpvOpSubgroupShuffleDownINTEL, 'n', "==s"},
    {SpvOpSubgroupShuffleUpINTEL, 'n', "==s"},
    {SpvOpSubgroupShuffleXorINTEL, 'n', "=s"},
    {SpvOpAssumeTrueKHR, 0, "S"},
    {SpvOpExpectKHR, 'a', "=="},
};

static int
compare(const void *key, const void *row)
{
    int op = *(const uint16_t *)key;
    return op - ((const struct lw_signature *)row)->op;
}

const struct lw_signature *
lw_signature_of(uint32_t op)
{
    uint16_t key = (uint16_t)op;
    return bsearch(&key, signatures, sizeof signatures / sizeof *signatures, sizeof *signatures, compare);
}

static const struct {
    uint16_t first, last;
    const char *topic, *why;
} refusals[] = {
    {SpvOpImageTexelPointer, SpvOpImageTexelPointer, "images", "pointers to texels are not supported"},
    {SpvOpImageSampleImplicitLod, SpvOpImageSampleImplicitLod, "images",
     "kernels sample at a given level of detail"},
    {SpvOpImageSampleDrefImplicitLod, SpvOpImageDrefGather, "images", "only shaders have this instruction"},
    {SpvOpImageQueryLod, SpvOpImageQueryLod, "images", "only shaders have this instruction"},
    {SpvOpImageSparseSampleImplicitLod, SpvOpImageSparseTexelsResident, "images",
     "sparse images are not supported"},
    {SpvOpImageSparseRead, SpvOpImageSparseRead, "images", "sparse images are not supported"},
    {SpvOpTypeNamedBarrier, SpvOpMemoryNamedBarrier, "named barriers", "named barriers are not supported"},
    {SpvOpSubgroupImageMediaBlockReadINTEL, SpvOpSubgroupImageMediaBlockWriteINTEL, "images",
     "media blocks (cl_intel_media_block_io) are not supported"},
    {SpvOpConstantFunctionPointerINTEL, SpvOpFunctionPointerCallINTEL, "function pointers",
     "function pointers are not supported"},
    {SpvOpTypeUntypedPointerKHR, SpvOpUntypedInBoundsAccessChainKHR, "untyped pointers",
     "untyped pointers come with a later version"},
    {SpvOpUntypedPtrAccessChainKHR, SpvOpUntypedInBoundsPtrAccessChainKHR, "untyped pointers",
     "untyped pointers come with a later version"},
    {SpvOpConvertFToBF16INTEL, SpvOpConvertBF16ToFINTEL, "bfloat16", "bfloat16 comes with a later version"},
};

const char *
lw_refusal_of(uint32_t op, const char **topic)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (op >= refusals[i].first && op <= refusals[i].last) {
            *topic = refusals[i].topic;
            return refusals[i].why;
        }
    }
    return NULL;
}
