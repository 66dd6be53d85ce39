/* SPDX-License-Identifier: MIT */
/* Calls by the names of what they call: lw.* stand for what the vectorizer makes, with the facts that
 * spirv/intrinsics.def has of each, llvm.* are LLVM's. */
#ifndef LW_VECTORIZER_CALLS_H
#define LW_VECTORIZER_CALLS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <string.h>

#include "../../spirv/intrinsics.h"

/* void lw.sg.yield(i1 goes round, i1 constant: work-items of one sub-group may wait for each other), at the
 * end of a loop that waits for what others write (flow/waits.c). */
#define LW_YIELD "lw.sg.yield"

/* The name of the function that is called; "": no call, or through a pointer. */
static inline const char *
lw_called(LLVMValueRef value)
{
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    size_t length;

    return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

/* Is the value a call of the function of that name, as "lw.local_base"? */
static inline bool
lw_is_call_of(LLVMValueRef value, const char *name)
{
    return strcmp(lw_called(value), name) == 0;
}

/* Of one whose name begins so, as "llvm.masked.load."? */
static inline bool
lw_is_call_like(LLVMValueRef value, const char *prefix)
{
    return strncmp(lw_called(value), prefix, strlen(prefix)) == 0;
}

/* The row of a call of spirv/intrinsics.def; NULL: it is none. */
static inline const struct lw_call_row *
lw_call_row(LLVMValueRef value)
{
    return lw_find_call(lw_called(value));
}

static inline enum lw_call_same
lw_call_same(LLVMValueRef value)
{
    const struct lw_call_row *row = lw_call_row(value);

    return row ? row->same : LW_SAME_OWN;
}

/* Who comes to the call together; any other value: the work-item alone. */
static inline enum lw_call_meets
lw_call_meets(LLVMValueRef value)
{
    const struct lw_call_row *row = lw_call_row(value);

    return row ? row->meets : LW_MEETS_ALONE;
}

/* The alignment that a call's operand, a pointer, is promised to have: 1, where nothing is said. */
static inline unsigned
lw_pointer_align(LLVMValueRef call, unsigned operand)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, operand + 1, kind);

    return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

/* Instead of what was promised; 0: nothing. */
static inline void
lw_set_pointer_align(LLVMValueRef call, unsigned operand, unsigned align)
{
    LLVMSetInstrParamAlignment(call, operand + 1, align ? align : 1);
}

/* Does the call compute, and nothing else, so that it may be done twice? */
static inline bool
lw_call_computes(LLVMValueRef value)
{
    const struct lw_call_row *row = lw_call_row(value);

    return row ? row->effect <= LW_DOES_COMPUTES : lw_is_call_like(value, "llvm.");
}

#endif
