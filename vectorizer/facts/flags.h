/* SPDX-License-Identifier: MIT */
/* What an instruction promises: kept where another is written in its place, or dropped. */
#ifndef LW_VECTORIZER_FLAGS_H
#define LW_VECTORIZER_FLAGS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

/* Fast-math flags, where both have such. */
static inline void
lw_copy_fast_math(LLVMValueRef from, LLVMValueRef to)
{
    if (LLVMIsAInstruction(to) && LLVMCanValueUseFastMathFlags(to) && LLVMCanValueUseFastMathFlags(from))
        LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
}

/* Everything that may be promised: no wrap, no rest, no sign, no common bit. Of the same operation on parts
 * of the operands, or on those of all lanes, of which inactive ones' results nobody looks at. */
static inline void
lw_copy_flags(LLVMValueRef from, LLVMValueRef to)
{
    if (!LLVMIsAInstruction(to) || LLVMGetInstructionOpcode(to) != LLVMGetInstructionOpcode(from))
        return;
    switch (LLVMGetInstructionOpcode(from)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(to, LLVMGetNSW(from));
        LLVMSetNUW(to, LLVMGetNUW(from));
        break;
    case LLVMLShr:
    case LLVMAShr:
        LLVMSetExact(to, LLVMGetExact(from));
        break;
    case LLVMZExt:
    case LLVMUIToFP:
        LLVMSetNNeg(to, LLVMGetNNeg(from));
        break;
    case LLVMOr:
        LLVMSetIsDisjoint(to, LLVMGetIsDisjoint(from));
        break;
    default:
        break;
    }
    lw_copy_fast_math(from, to);
}

/* No more such promises: they need not hold where an operation is computed that was not reached, or for a
 * lane that is not active, as the base of a strided value may be. */
static inline void
lw_drop_flags(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMTrunc:
        LLVMSetNSW(v, false);
        LLVMSetNUW(v, false);
        break;
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
        LLVMSetExact(v, false);
        break;
    case LLVMZExt:
    case LLVMUIToFP:
        LLVMSetNNeg(v, false);
        break;
    case LLVMOr:
        LLVMSetIsDisjoint(v, false);
        break;
    default:
        break;
    }
}

/* What is said of an access, as of where it may lead: of one in its place, or of a part of it. */
static inline void
lw_copy_metadata(LLVMValueRef from, LLVMValueRef to)
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);

    for (unsigned k = 0; k < count; k++)
        LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, k),
                        LLVMMetadataAsValue(LLVMGetValueContext(from),
                                            LLVMValueMetadataEntriesGetMetadata(entries, k)));
    LLVMDisposeValueMetadataEntries(entries);
}

#define LW_SOUND "lw.sound" /* metadata of values that keep what they promise wherever they are computed */

static inline unsigned
lw_sound_kind(LLVMValueRef v)
{
    return LLVMGetMDKindIDInContext(LLVMGetValueContext(v), LW_SOUND, sizeof LW_SOUND - 1);
}

/* The value is never poison: nothing has to be frozen of it. Holds as long as the instruction is there. */
static inline void
lw_set_sound(LLVMValueRef v)
{
    LLVMContextRef context = LLVMGetValueContext(v);

    if (LLVMIsAInstruction(v))
        LLVMSetMetadata(v, lw_sound_kind(v),
                        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}

static inline bool
lw_is_sound(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetMetadata(v, lw_sound_kind(v));
}

#endif
