/* SPDX-License-Identifier: MIT */
/* See components.h.
 *
 * Enters: extractelement of a vector of integers that was computed, component by component, of one that
 * insertelements put together; of floats, where all of it comes from scalars, constants and arguments, as
 * coordinates do. Leaves: that component, computed of the scalars; the vectors go where nothing else uses
 * them. Relies on: a later CSE, which merges what two components share, and DCE. Never: divides integers,
 * which may trap in a component that nobody asked for; takes vectors from memory apart that no scalar went
 * into (whole_vectors.c puts floats together).
 */
#include "components.h"

#include "../facts/calls.h"
#include "../facts/elementwise.h"
#include "../facts/flags.h"
#include "../facts/instructions.h"
#include "module_pass.h"

#define DEEPEST 8
#define MOST_NODES 24

struct look {
    unsigned nodes;
    bool inserted; /* a scalar goes into it */
    bool floats;   /* it is of floats */
};

static bool
is_vector(V v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static bool
is_of_kind(V v, LLVMTypeKind kind)
{
    return is_vector(v) && LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == kind;
}

/* Integers, and the floats of coordinates that are made of them. */
static bool
is_number_vector(V v)
{
    return is_of_kind(v, LLVMIntegerTypeKind) || is_of_kind(v, LLVMFloatTypeKind);
}

static bool
is_bound(V v)
{
    return lw_is_call_like(v, "llvm.smin.") || lw_is_call_like(v, "llvm.smax.") ||
           lw_is_call_like(v, "llvm.umin.") || lw_is_call_like(v, "llvm.umax.");
}

/* Each component of the result is made of those of the operands at the same place. */
static bool
is_by_component(V v)
{
    if (!LLVMIsAInstruction(v) || !is_number_vector(v))
        return false;
    if (is_bound(v))
        return true;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        return true;
    case LLVMICmp:
        return is_number_vector(LLVMGetOperand(v, 0));
    case LLVMSelect: /* by one condition for all, too */
        return is_of_kind(v, LLVMIntegerTypeKind);
    default:
        return LLVMIsABinaryOperator(v) && lw_is_elementwise(v);
    }
}

static unsigned
operands_of(V v)
{
    return is_bound(v) ? 2 : (unsigned)LLVMGetNumOperands(v); /* a call's last is the callee */
}

/* The scalar that was inserted as component k; else the vector whose component k it is, at `*k`. */
static V
source_of(V v, unsigned *k)
{
    for (;;) {
        uint64_t at;
        if (LLVMIsAInsertElementInst(v) && lw_is_int_constant(LLVMGetOperand(v, 2), &at)) {
            if (at == *k)
                return LLVMGetOperand(v, 1);
            v = LLVMGetOperand(v, 0);
        } else if (LLVMIsAShuffleVectorInst(v)) {
            unsigned first = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
            int from = LLVMGetMaskValue(v, *k);
            if (from == LLVMGetUndefMaskElem())
                return v;
            v = LLVMGetOperand(v, (unsigned)from >= first);
            *k = (unsigned)from >= first ? (unsigned)from - first : (unsigned)from;
        } else {
            return v;
        }
    }
}

static bool
is_worth_it(struct look *look, V v, unsigned k, unsigned depth)
{
    if (!is_vector(v))
        return true;
    V source = source_of(v, &k);
    look->inserted |= !is_vector(source);
    if (!is_by_component(source))
        return !look->floats || !is_vector(source) || LLVMIsAConstant(source) || LLVMIsAArgument(source);
    if (depth == DEEPEST || ++look->nodes > MOST_NODES)
        return false;
    for (unsigned n = 0; n < operands_of(source); n++)
        if (!is_worth_it(look, LLVMGetOperand(source, n), k, depth + 1))
            return false;
    return true;
}

static V component(lw_lanes *l, V v, unsigned k, V before);

/* Component k, written before the instruction that computes the vector. */
static V
computed(lw_lanes *l, V v, unsigned k)
{
    V part[3];
    for (unsigned n = 0; n < operands_of(v); n++)
        part[n] = component(l, LLVMGetOperand(v, n), k, v);
    LLVMPositionBuilderBefore(l->builder, v);
    V made = lw_build_like(l->builder, v, LLVMGetElementType(LLVMTypeOf(v)), part);
    lw_copy_flags(v, made);
    return made;
}

static V
component(lw_lanes *l, V v, unsigned k, V before)
{
    V source = is_vector(v) ? source_of(v, &k) : v;
    if (!is_vector(source))
        return source;
    if (is_by_component(source))
        return computed(l, source, k);
    LLVMPositionBuilderBefore(l->builder, before);
    return LLVMBuildExtractElement(l->builder, source, lane_int(l, 32, (int64_t)k), "");
}

static bool
take_component(lw_lanes *l, V extract)
{
    uint64_t k;
    struct look look = {0};
    if (!LLVMIsAExtractElementInst(extract) || !lw_is_int_constant(LLVMGetOperand(extract, 1), &k))
        return false;
    V v = LLVMGetOperand(extract, 0);
    look.floats = is_of_kind(v, LLVMFloatTypeKind);
    if (!is_number_vector(v) || k >= LLVMGetVectorSize(LLVMTypeOf(v)) ||
        !is_worth_it(&look, v, (unsigned)k, 0) || !look.inserted)
        return false;
    lw_replace(extract, component(l, v, (unsigned)k, extract));
    return true;
}

static void
take_all(lw_lanes *l, struct lw_arena *arena, void *data)
{
    bool *changed = data;
    (void)arena;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (V i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                *changed |= take_component(l, i);
            }
}

bool
lw_take_components(LLVMModuleRef module)
{
    bool changed = false;
    return lw_run_pass(module, LW_ISA_AUTO, take_all, &changed) && changed;
}
