/* SPDX-License-Identifier: MIT */
/* See moved_vectors.h.
 *
 * Enters: vectors of 32 or 64 bits, of components of less than 32, which lanes would take apart. Leaves:
 * integers of as many bits in the place of those that are loaded or constant, chosen by phis and scalar
 * conditions, and stored, and that nothing else is done with. Legal: memory has the same bytes either way,
 * and nobody reads a component. An integer of which one component is poison is all poison: so components of
 * constants that are undefined become zero, what others store as vectors where such integers are loaded has
 * no poison any more, and private memory, whose values LLVM hands on, has no part in it. Never: changes what
 * is accessed, or when.
 */
#include "moved_vectors.h"

#include <llvm-c/DebugInfo.h>

#include "../facts/flags.h"
#include "../facts/gep.h"
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "module_pass.h"

#include "../../spirv/intrinsics.h"

#define MOST_MOVED 64
#define MOST_STORES 64

/* Those that are moved into each other: they all change, or none. */
struct web {
    lw_lanes *l;
    LLVMTypeRef vector, whole;
    V moved[MOST_MOVED]; /* loads, phis, selects, freezes */
    V made[MOST_MOVED];
    V stores[MOST_STORES];
    unsigned count, store_count;
    unsigned loaded; /* written: a bit for each address space that its integers come from */
};

static LLVMTypeRef
whole_type(lw_lanes *l, LLVMTypeRef vector)
{
    if (LLVMGetTypeKind(vector) != LLVMVectorTypeKind)
        return NULL;
    LLVMTypeRef element = LLVMGetElementType(vector);
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    unsigned size = kind == LLVMHalfTypeKind      ? 16
                    : kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element)
                                                  : 0;
    unsigned bits = size == 8 || size == 16 ? size * LLVMGetVectorSize(vector) : 0;
    return bits == 32 || bits == 64 ? lw_lane_int_type(l, bits) : NULL;
}

static bool
is_plain_access(V access, V pointer)
{
    unsigned space = lw_space_of(pointer);
    return !lw_is_ordered_access(access) && space != LW_AS_PRIVATE && space != LW_AS_GENERIC;
}

/* ---- finding ---- */

static bool
add(V *list, unsigned *count, unsigned most, V v)
{
    for (unsigned k = 0; k < *count; k++)
        if (list[k] == v)
            return true;
    if (*count == most)
        return false;
    list[(*count)++] = v;
    return true;
}

static bool
is_moved_constant(V v)
{
    if (!LLVMIsConstant(v))
        return false;
    if (LLVMIsNull(v) || LLVMIsUndef(v)) /* poison too */
        return true;
    if (!LLVMIsAConstantDataVector(v) && !LLVMIsAConstantVector(v))
        return false;
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++) {
        V element = LLVMGetAggregateElement(v, k);
        if (!LLVMIsAConstantInt(element) && !LLVMIsAConstantFP(element) && !LLVMIsUndef(element))
            return false;
    }
    return true;
}

static bool
is_chosen(V v)
{
    return LLVMIsAPHINode(v) || LLVMIsAFreezeInst(v) ||
           (LLVMIsASelectInst(v) &&
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind);
}

/* What is chosen between joins the web. */
static bool
take_operand(struct web *w, V v)
{
    if (is_moved_constant(v))
        return true;
    bool loads = LLVMIsALoadInst(v) && is_plain_access(v, LLVMGetOperand(v, 0));
    return (loads || (LLVMIsAInstruction(v) && is_chosen(v))) && add(w->moved, &w->count, MOST_MOVED, v);
}

static bool
take_user(struct web *w, V user, V v)
{
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) == v && is_plain_access(user, LLVMGetOperand(user, 1)) &&
               add(w->stores, &w->store_count, MOST_STORES, user);
    return is_chosen(user) && add(w->moved, &w->count, MOST_MOVED, user);
}

static bool
find_web(struct web *w, V first)
{
    if (!is_chosen(first) || !add(w->moved, &w->count, MOST_MOVED, first))
        return false;
    for (unsigned k = 0; k < w->count; k++) {
        V v = w->moved[k];
        unsigned from = LLVMIsASelectInst(v) ? 1 : 0;
        for (unsigned o = from; !LLVMIsALoadInst(v) && o < (unsigned)LLVMGetNumOperands(v); o++)
            if (!take_operand(w, LLVMGetOperand(v, o)))
                return false;
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
            if (!take_user(w, LLVMGetUser(use), v))
                return false;
    }
    return w->store_count > 0;
}

/* ---- writing ---- */

/* The first component lies lowest. */
static V
whole_constant(struct web *w, V v)
{
    unsigned n = LLVMIsNull(v) || LLVMIsUndef(v) ? 0 : LLVMGetVectorSize(w->vector);
    unsigned bits = LLVMGetIntTypeWidth(w->whole) / LLVMGetVectorSize(w->vector);
    uint64_t whole = 0;

    for (unsigned k = 0; k < n; k++) {
        V element = LLVMConstBitCast(LLVMGetAggregateElement(v, k), lw_lane_int_type(w->l, bits));
        if (!LLVMIsUndef(element))
            whole |= LLVMConstIntGetZExtValue(element) << (k * bits);
    }
    return LLVMConstInt(w->whole, whole, false);
}

static V write_whole(struct web *w, V v);

static V
write_chosen(struct web *w, V v)
{
    LLVMBuilderRef b = w->l->builder;

    if (LLVMIsAFreezeInst(v)) {
        V x = write_whole(w, LLVMGetOperand(v, 0));
        LLVMPositionBuilderBefore(b, v);
        return LLVMBuildFreeze(b, x, "");
    }
    V x = write_whole(w, LLVMGetOperand(v, 1)), y = write_whole(w, LLVMGetOperand(v, 2));
    LLVMPositionBuilderBefore(b, v);
    return LLVMBuildSelect(b, LLVMGetOperand(v, 0), x, y, "");
}

/* Recursion: through selects and freezes, no deeper than there are of them; phis are there already. */
static V
write_whole(struct web *w, V v)
{
    unsigned at = 0;

    if (LLVMIsConstant(v))
        return whole_constant(w, v);
    while (w->moved[at] != v)
        at++;
    if (!w->made[at])
        w->made[at] = write_chosen(w, v);
    return w->made[at];
}

static void
write_loads_and_phis(struct web *w)
{
    for (unsigned k = 0; k < w->count; k++) {
        V v = w->moved[k];
        LLVMPositionBuilderBefore(w->l->builder, v);
        LLVMSetCurrentDebugLocation2(w->l->builder, LLVMInstructionGetDebugLoc(v));
        if (LLVMIsAPHINode(v))
            w->made[k] = LLVMBuildPhi(w->l->builder, w->whole, "");
        if (!LLVMIsALoadInst(v))
            continue;
        w->made[k] = LLVMBuildLoad2(w->l->builder, w->whole, LLVMGetOperand(v, 0), "");
        w->loaded |= 1u << lw_space_of(LLVMGetOperand(v, 0));
        LLVMSetAlignment(w->made[k], LLVMGetAlignment(v));
        lw_copy_metadata(v, w->made[k]);
    }
}

static void
write_web(struct web *w)
{
    write_loads_and_phis(w);
    for (unsigned k = 0; k < w->count; k++) {
        V v = w->moved[k];
        write_whole(w, v);
        for (unsigned o = 0; LLVMIsAPHINode(v) && o < LLVMCountIncoming(v); o++) {
            V x = write_whole(w, LLVMGetIncomingValue(v, o));
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, o);
            LLVMAddIncoming(w->made[k], &x, &from, 1);
        }
    }
    for (unsigned k = 0; k < w->store_count; k++) {
        V old = w->stores[k], x = write_whole(w, LLVMGetOperand(old, 0));
        LLVMPositionBuilderBefore(w->l->builder, old);
        LLVMSetCurrentDebugLocation2(w->l->builder, LLVMInstructionGetDebugLoc(old));
        V store = LLVMBuildStore(w->l->builder, x, LLVMGetOperand(old, 1));
        LLVMSetAlignment(store, LLVMGetAlignment(old));
        lw_copy_metadata(old, store);
        LLVMInstructionEraseFromParent(old);
    }
    lw_erase_together(w->moved, w->count);
}

/* ---- the function ---- */

/* One web, whose loads' spaces are added; false: there is none, or no other. */
static bool
move_whole(lw_lanes *l, V f, unsigned *loaded)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct web w = {.l = l, .vector = LLVMTypeOf(i), .whole = whole_type(l, LLVMTypeOf(i))};
            if (w.whole && find_web(&w, i)) {
                write_web(&w);
                *loaded |= w.loaded;
                return true;
            }
        }
    return false;
}

/* Other vectors that are stored in these spaces: a word that is loaded there must not be poison for a
 * component of theirs. */
static void
store_no_poison(lw_lanes *l, V f, unsigned spaces)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            V v = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
            if (!v || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind || LLVMIsAFreezeInst(v) ||
                !(spaces >> lw_space_of(LLVMGetOperand(i, 1)) & 1))
                continue;
            LLVMPositionBuilderBefore(l->builder, i);
            LLVMSetOperand(i, 0, LLVMBuildFreeze(l->builder, v, ""));
        }
}

static void
move_all(lw_lanes *l, struct lw_arena *arena, void *module)
{
    (void)arena;
    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        unsigned loaded = 0;
        while (move_whole(l, f, &loaded))
            ;
        if (loaded)
            store_no_poison(l, f, loaded | 1u << LW_AS_GENERIC);
    }
}

void
lw_move_vectors_whole(LLVMModuleRef module)
{
    lw_run_pass(module, LW_ISA_AUTO, move_all, module);
}
