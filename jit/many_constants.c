/* SPDX-License-Identifier: MIT */
/* Constants beyond the first few hundred of a large function, loaded from memory.
 *
 * Enters: a module behind all that folds. Leaves: the same values; of each function the first MOST distinct
 * constants that are no immediates as they were, others as loads. Why: LLVM's pool of a function's constants
 * compares each use with all that it has: of 20,000 numbers in a kernel that takes half the time, of 80,000
 * four fifths. Never: touches what has to be a constant, or what an instruction is chosen by: shifts,
 * divisors, masks, indices.
 */
#include "jit.h"

#include <string.h>

#include "../spirv/arena.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/instructions.h"
#include "../vectorizer/facts/value_map.h"

#define LEAST_USES 4000 /* of constants in a function; fewer are found as soon as moved */
#define MOST 500        /* that stay */

struct constants {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    struct lw_value_map *numbers; /* of the function's constants, as they come */
    LLVMValueRef *globals;        /* by number: where it is loaded from; NULL: nowhere yet */
    uint32_t count;
};

/* The element that all elements of a vector are; a number itself; NULL: they differ. */
static LLVMValueRef
only_element(LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return v;
    size_t size;
    const char *bytes = LLVMGetRawDataValues(v, &size);
    size_t step = size / LLVMGetVectorSize(LLVMTypeOf(v));
    return memcmp(bytes, bytes + step, size - step) == 0 ? LLVMGetAggregateElement(v, 0) : NULL;
}

/* Floats and doubles, and vectors of any numbers; not zeros and ones, which come from no memory. */
static bool
is_pooled(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMVectorTypeKind)
        return LLVMIsAConstantDataVector(v) && !LLVMIsNull(v) && v != LLVMConstAllOnes(type);
    bool floats = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    return floats && LLVMIsAConstantFP(v) && !LLVMIsNull(v);
}

/* Of the operands of `i` so many may be any value. */
static unsigned
free_operands(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFCmp:
    case LLVMICmp:
        return 2;
    case LLVMSelect:
        return 3;
    case LLVMCall:
        return lw_is_call_like(i, "llvm.fma.") ? 3 : 0;
    default:
        return 0;
    }
}

static LLVMValueRef
splat(LLVMBuilderRef b, LLVMValueRef element, LLVMTypeRef vector)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(vector));
    LLVMValueRef none = LLVMGetPoison(vector), zero = LLVMConstInt(i32, 0, false);
    return LLVMBuildShuffleVector(b, LLVMBuildInsertElement(b, none, element, zero, ""), none,
                                  LLVMConstNull(LLVMVectorType(i32, LLVMGetVectorSize(vector))), "");
}

static LLVMValueRef
load(struct constants *c, LLVMValueRef v, uint32_t number)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef element = only_element(v), kept = element ? element : v;

    if (!c->globals[number]) {
        c->globals[number] = LLVMAddGlobal(c->module, LLVMTypeOf(kept), "");
        LLVMSetInitializer(c->globals[number], kept);
        LLVMSetGlobalConstant(c->globals[number], true);
        LLVMSetLinkage(c->globals[number], LLVMPrivateLinkage);
        LLVMSetUnnamedAddress(c->globals[number], LLVMGlobalUnnamedAddr);
    }
    LLVMValueRef loaded = LLVMBuildLoad2(c->b, LLVMTypeOf(kept), c->globals[number], "");
    return kept == v ? loaded : splat(c->b, loaded, type);
}

static void
move_operands(struct constants *c, LLVMValueRef i)
{
    for (unsigned k = 0; k < free_operands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        if (!is_pooled(v))
            continue;
        uint32_t number = lw_value_map_get(c->numbers, v);
        if (number == UINT32_MAX)
            lw_value_map_add(c->numbers, v, number = c->count++);
        if (number < MOST)
            continue;
        LLVMPositionBuilderBefore(c->b, i);
        LLVMSetOperand(i, k, load(c, v, number));
    }
}

static void
move_constants(struct lw_arena *arena, void *data)
{
    LLVMValueRef function = data;
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    struct constants c = {.module = module};
    size_t uses = 0;

    for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        for (unsigned k = 0; k < free_operands(i); k++)
            uses += is_pooled(LLVMGetOperand(i, k));
    if (uses < LEAST_USES)
        return;
    c.numbers = lw_value_map_create(arena, uses);
    c.globals = LW_ARENA_NEW(arena, LLVMValueRef, uses);
    c.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        move_operands(&c, i);
    LLVMDisposeBuilder(c.b);
}

bool
lw_move_many_constants(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !lw_with_arena(move_constants, f))
            return false;
    return true;
}
