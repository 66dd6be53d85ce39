/* SPDX-License-Identifier: MIT */
/* See whole_vectors.h.
 *
 * Enters: a vector of floats that insertelements make of a scalar for each component. Leaves: the same value
 * by instructions over vectors, where all the scalars are computed alike, of the same components of other
 * vectors, of constants and of what is the same for all components; the scalars are gone. Legal: what is
 * between works on each component alone and touches no memory. Never: computes twice what others use too;
 * joins integers as such, of which more is known one by one (strides, ranges).
 */
#include "whole_vectors.h"

#include <llvm-c/DebugInfo.h>

#include "../facts/elementwise.h"
#include "module_pass.h"

#define MOST_COMPONENTS 16
#define MOST_NODES 96
#define MOST_DEPTH 64

struct node {
    V part[MOST_COMPONENTS]; /* scalars */
    V whole;                 /* the vector that they are the components of; NULL: not yet */
    unsigned operand[3], operands;
    bool computed, same;
};

struct tree {
    lw_lanes *l;
    V root; /* the last insertelement */
    unsigned parts, count;
    struct node node[MOST_NODES];
};

static bool
is_at(V index, unsigned at)
{
    return LLVMIsAConstantInt(index) && LLVMConstIntGetZExtValue(index) == at;
}

/* The vector that all parts are the components of, in order. */
static V
vector_of(const struct tree *t, const V *part)
{
    V from = LLVMIsAExtractElementInst(part[0]) ? LLVMGetOperand(part[0], 0) : NULL;

    if (!from || LLVMGetVectorSize(LLVMTypeOf(from)) != t->parts)
        return NULL;
    for (unsigned k = 0; k < t->parts; k++)
        if (!LLVMIsAExtractElementInst(part[k]) || LLVMGetOperand(part[k], 0) != from ||
            !is_at(LLVMGetOperand(part[k], 1), k))
            return NULL;
    return from;
}

static bool
are_constants(const struct tree *t, const V *part)
{
    for (unsigned k = 0; k < t->parts; k++)
        if (!LLVMIsAConstantInt(part[k]) && !LLVMIsAConstantFP(part[k]))
            return false;
    return true;
}

/* Of one operation, that works on each component alone, in the block of the root. */
static bool
are_alike(const struct tree *t, const V *part, unsigned *operands)
{
    V first = part[0];
    int scalar = -1;

    if (!LLVMIsAInstruction(first))
        return false;
    bool call = LLVMIsACallInst(first);
    if (!lw_is_by_component(first) || (call && lw_is_call_by_component(first, &scalar) && scalar >= 0))
        return false;
    *operands = call ? LLVMGetNumArgOperands(first) : (unsigned)LLVMGetNumOperands(first);
    for (unsigned k = 0; k < t->parts; k++)
        if (!LLVMIsAInstruction(part[k]) ||
            LLVMGetInstructionParent(part[k]) != LLVMGetInstructionParent(t->root) ||
            LLVMTypeOf(part[k]) != LLVMTypeOf(first) || !lw_is_same_operation(first, part[k]))
            return false;
    return *operands <= 3;
}

static bool
is_scalar_type(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMIntegerTypeKind;
}

/* The node of these scalars; -1: they are no vector. */
static int
plan(struct tree *t, const V *part, unsigned depth)
{
    struct node made = {0};
    unsigned k = 0;

    if (!is_scalar_type(LLVMTypeOf(part[0])) || depth == MOST_DEPTH)
        return -1;
    for (unsigned n = 0; n < t->count; n++) {
        for (k = 0; k < t->parts && t->node[n].part[k] == part[k]; k++)
            ;
        if (k == t->parts)
            return (int)n;
    }
    made.same = true;
    for (k = 0; k < t->parts; k++) {
        made.part[k] = part[k];
        made.same &= part[k] == part[0];
    }
    made.whole = vector_of(t, part);
    if (!made.whole && !made.same && !are_constants(t, part)) {
        made.computed = are_alike(t, part, &made.operands);
        for (k = 0; k < made.operands && made.computed; k++) {
            V from[MOST_COMPONENTS];
            for (unsigned j = 0; j < t->parts; j++)
                from[j] = LLVMGetOperand(part[j], k);
            int operand = plan(t, from, depth + 1);
            made.operand[k] = (unsigned)operand;
            made.computed = operand >= 0;
        }
        if (!made.computed)
            return -1;
    }
    if (t->count == MOST_NODES)
        return -1;
    t->node[t->count] = made;
    return (int)t->count++;
}

/* Is every scalar read by others of the tree alone? */
static bool
is_read(const struct tree *t, V user)
{
    for (unsigned n = 0; n < t->count; n++)
        for (unsigned k = 0; k < t->parts && t->node[n].computed; k++)
            if (t->node[n].part[k] == user)
                return true;
    for (V i = t->root; LLVMIsAInsertElementInst(i); i = LLVMGetOperand(i, 0))
        if (i == user)
            return true;
    return false;
}

static bool
serves_itself(const struct tree *t)
{
    bool any = false;

    for (unsigned n = 0; n < t->count; n++) {
        any |= t->node[n].computed;
        for (unsigned k = 0; k < t->parts && t->node[n].computed; k++)
            for (LLVMUseRef use = LLVMGetFirstUse(t->node[n].part[k]); use; use = LLVMGetNextUse(use))
                if (!is_read(t, LLVMGetUser(use)))
                    return false;
    }
    return any;
}

/* What the last insertelement of a vector puts together. */
static bool
read_root(struct tree *t, V root, V *part)
{
    unsigned known = 0;
    V i = root;

    for (LLVMUseRef use = LLVMGetFirstUse(root); use; use = LLVMGetNextUse(use))
        if (LLVMIsAInsertElementInst(LLVMGetUser(use)) && LLVMGetOperand(LLVMGetUser(use), 0) == root)
            return false;
    for (unsigned k = 0; k < t->parts; k++)
        part[k] = NULL;
    for (; known < t->parts && LLVMIsAInsertElementInst(i); i = LLVMGetOperand(i, 0)) {
        V index = LLVMGetOperand(i, 2);
        if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) >= t->parts)
            return false;
        V *p = &part[LLVMConstIntGetZExtValue(index)];
        known += !*p;
        *p = *p ? *p : LLVMGetOperand(i, 1);
    }
    return known == t->parts;
}

/* ---- writing ---- */

static V
write_given(struct tree *t, const struct node *n)
{
    LLVMBuilderRef b = t->l->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(n->part[0]), t->parts);
    V zeros = LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(t->l->context), t->parts));

    if (are_constants(t, n->part))
        return LLVMConstVector((V *)n->part, t->parts);
    V one = LLVMBuildInsertElement(b, LLVMGetPoison(type), n->part[0], lane_int(t->l, 64, 0), "");
    return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type), zeros, "");
}

static V
write_computed(struct tree *t, const struct node *n)
{
    V x[3];

    for (unsigned k = 0; k < n->operands; k++)
        x[k] = t->node[n->operand[k]].whole;
    return lw_build_like(t->l->builder, n->part[0], LLVMVectorType(LLVMTypeOf(n->part[0]), t->parts), x);
}

/* The scalars, and the extractelements that were read by them alone. */
static void
erase_scalars(struct tree *t)
{
    for (unsigned n = t->count; n-- > 0;)
        for (unsigned k = 0; k < t->parts; k++) {
            V p = t->node[n].part[k];
            bool again = false;
            for (unsigned j = 0; j < k; j++)
                again |= t->node[n].part[j] == p;
            if (!again && LLVMIsAInstruction(p) && !LLVMGetFirstUse(p) &&
                (t->node[n].computed || LLVMIsAExtractElementInst(p)))
                LLVMInstructionEraseFromParent(p);
        }
}

static void
form_whole(lw_lanes *l, V root)
{
    struct tree t = {.l = l, .root = root};
    V part[MOST_COMPONENTS];

    if (!LLVMIsAInsertElementInst(root))
        return;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(root)));
    t.parts = LLVMGetVectorSize(LLVMTypeOf(root));
    if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) || t.parts > MOST_COMPONENTS ||
        !read_root(&t, root, part) || plan(&t, part, 0) < 0 || !serves_itself(&t))
        return;
    LLVMPositionBuilderBefore(l->builder, root);
    LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(root));
    for (unsigned n = 0; n < t.count; n++)
        if (!t.node[n].whole)
            t.node[n].whole =
                t.node[n].computed ? write_computed(&t, &t.node[n]) : write_given(&t, &t.node[n]);
    LLVMReplaceAllUsesWith(root, t.node[t.count - 1].whole);
    for (V i = root, before; LLVMIsAInsertElementInst(i) && !LLVMGetFirstUse(i); i = before) {
        before = LLVMGetOperand(i, 0);
        LLVMInstructionEraseFromParent(i);
    }
    erase_scalars(&t);
}

void
lw_form_whole_vectors(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, form_whole);
}
