/* SPDX-License-Identifier: MIT */
/* What the accesses of one block touch together: members of a record, neighbours in an array.
 *
 * Enters: a load or store of the block being widened, whose address is strided.
 * Leaves: the bytes around it that lanes of the same mask access too. Relies on: all of a block is executed
 * by the same lanes. Never: looks further than NEAR accesses before and behind, or into other blocks.
 */
#include "widener.h"

#define NEAR 24  /* accesses */
#define REACH 64 /* bytes between two members */
#define TERMS 4
#define DEPTH 4

/* root + constant + sum of scale * term, each of which is extended or has 64 bits */
struct place {
    LLVMValueRef root, term[TERMS];
    LLVMOpcode extension[TERMS]; /* LLVMZExt or LLVMSExt; LLVMAdd: none */
    int64_t scale[TERMS], constant;
    unsigned terms;
    bool in_buffer; /* root is local memory, or a buffer of less than 4 GiB */
};

/* Takes constants out of an index below an extension. What wraps there would lie 4 GiB from its neighbours,
 * which the same lanes access in the same buffer. */
static LLVMValueRef
take_constants(struct place *p, LLVMValueRef index, int64_t scale)
{
    while (LLVMIsAInstruction(index)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(index);
        bool adds = (op == LLVMAdd && p->in_buffer) || (op == LLVMOr && LLVMGetIsDisjoint(index));
        if (!adds || !LLVMIsAConstantInt(LLVMGetOperand(index, 1)))
            break;
        int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(index, 1));
        if (op == LLVMOr && step < 0)
            break;
        p->constant = (int64_t)((uint64_t)p->constant + (uint64_t)step * (uint64_t)scale);
        index = LLVMGetOperand(index, 0);
    }
    return index;
}

static bool
add_term(struct place *p, LLVMValueRef index, int64_t scale)
{
    while (LLVMIsAInstruction(index) && LLVMGetInstructionOpcode(index) == LLVMAdd &&
           LLVMIsAConstantInt(LLVMGetOperand(index, 1)) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) == 64) {
        int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(index, 1));
        p->constant = (int64_t)((uint64_t)p->constant + (uint64_t)step * (uint64_t)scale);
        index = LLVMGetOperand(index, 0);
    }
    if (p->terms == TERMS)
        return false;
    p->extension[p->terms] = LLVMAdd;
    if (LLVMIsAZExtInst(index) || LLVMIsASExtInst(index)) {
        p->extension[p->terms] = LLVMGetInstructionOpcode(index);
        index = take_constants(p, LLVMGetOperand(index, 0), scale);
    }
    p->term[p->terms] = index;
    p->scale[p->terms++] = scale;
    return true;
}

static bool
add_gep(lw_widener *w, struct place *p, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        bool constant = LLVMIsAConstantInt(index) != NULL;
        int64_t n = constant ? LLVMConstIntGetSExtValue(index) : 0, scale;
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            if (!constant)
                return false;
            p->constant += (int64_t)LLVMOffsetOfElement(w->layout, type, (unsigned)n);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)n);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        scale = (int64_t)LLVMABISizeOfType(w->layout, type);
        if (constant)
            p->constant = (int64_t)((uint64_t)p->constant + (uint64_t)n * (uint64_t)scale);
        else if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64 || !add_term(p, index, scale))
            return false;
    }
    return true;
}

static bool
find_place(lw_widener *w, LLVMValueRef pointer, struct place *p)
{
    LLVMValueRef root = pointer;

    *p = (struct place){0};
    while (LLVMIsAInstruction(root) && LLVMGetInstructionOpcode(root) == LLVMGetElementPtr)
        root = LLVMGetOperand(root, 0);
    bool local = LLVMGetTypeKind(LLVMTypeOf(root)) == LLVMPointerTypeKind &&
                 LLVMGetPointerAddressSpace(LLVMTypeOf(root)) == 3;
    p->in_buffer = local || (w->shape->buffers_4g && LLVMIsAArgument(root));
    while (LLVMIsAInstruction(pointer) && LLVMGetInstructionOpcode(pointer) == LLVMGetElementPtr) {
        if (!add_gep(w, p, pointer))
            return false;
        pointer = LLVMGetOperand(pointer, 0);
    }
    p->root = pointer;
    return true;
}

/* Computed in the same way from the same values: addresses.c makes copies for every access. */
static bool
is_same(LLVMValueRef a, LLVMValueRef b, int depth)
{
    if (a == b)
        return true;
    if (depth == DEPTH || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b))
        return false;
    switch (LLVMGetInstructionOpcode(a)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMAnd:
    case LLVMSExt:
    case LLVMZExt:
        break;
    default:
        return false;
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(a); k++)
        if (!is_same(LLVMGetOperand(a, k), LLVMGetOperand(b, k), depth + 1))
            return false;
    return true;
}

static bool
is_beside(const struct place *a, const struct place *b)
{
    if (a->root != b->root || a->terms != b->terms)
        return false;
    for (unsigned k = 0; k < a->terms; k++)
        if (a->scale[k] != b->scale[k] || a->extension[k] != b->extension[k] ||
            !is_same(a->term[k], b->term[k], 0))
            return false;
    return true;
}

bool
lw_is_beside(lw_widener *w, LLVMValueRef a, LLVMValueRef b, int64_t *apart)
{
    struct place x, y;

    if (!find_place(w, a, &x) || !find_place(w, b, &y) || !is_beside(&x, &y))
        return false;
    *apart = (int64_t)((uint64_t)y.constant - (uint64_t)x.constant);
    return true;
}

/* The address of a plain access; NULL: something else. */
static LLVMValueRef
pointer_of(LLVMValueRef i, LLVMTypeRef *type)
{
    bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i);

    if ((!load && !store) || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return NULL;
    *type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
    return LLVMGetOperand(i, store);
}

/* Takes the access `i` in, where it is beside the one at `mine`. */
static bool
take_in(lw_widener *w, LLVMValueRef i, const struct place *mine, const int64_t *offsets, int64_t *low,
        int64_t *high)
{
    LLVMTypeRef type;
    LLVMValueRef pointer = pointer_of(i, &type);
    struct place other;

    if (!pointer)
        return false;
    struct lw_vinfo info = lw_info(w, pointer);
    if (info.form != LW_STRIDED || info.offsets != offsets || !find_place(w, pointer, &other) ||
        !is_beside(mine, &other))
        return true;
    int64_t apart = (int64_t)((uint64_t)other.constant - (uint64_t)mine->constant);
    if (apart < -REACH || apart > REACH)
        return true;
    int64_t size = (int64_t)LLVMStoreSizeOfType(w->layout, type);
    for (unsigned lane = 0; lane < w->l.n; lane++) {
        if (apart + offsets[lane] < *low)
            *low = apart + offsets[lane];
        if (apart + offsets[lane] + size > *high)
            *high = apart + offsets[lane] + size;
    }
    return true;
}

void
lw_find_extent(lw_widener *w, LLVMValueRef access, int64_t *low, int64_t *high)
{
    LLVMTypeRef type;
    LLVMValueRef pointer = pointer_of(access, &type);
    struct place mine;
    const int64_t *offsets = pointer ? lw_info(w, pointer).offsets : NULL;

    *low = *high = 0;
    if (!offsets || !find_place(w, pointer, &mine))
        return;
    take_in(w, access, &mine, offsets, low, high);
    unsigned seen = 0;
    for (LLVMValueRef i = LLVMGetPreviousInstruction(access); i && seen < NEAR;
         i = LLVMGetPreviousInstruction(i))
        seen += take_in(w, i, &mine, offsets, low, high);
    seen = 0;
    for (LLVMValueRef i = LLVMGetNextInstruction(access); i && seen < NEAR; i = LLVMGetNextInstruction(i))
        seen += take_in(w, i, &mine, offsets, low, high);
}

bool
lw_lies_beside(lw_widener *w, LLVMValueRef access, LLVMValueRef other, int64_t *apart)
{
    LLVMTypeRef type;
    LLVMValueRef mine = pointer_of(access, &type), theirs = pointer_of(other, &type);
    struct place a, b;

    if (!mine || !theirs)
        return false;
    struct lw_vinfo info = lw_info(w, mine), info_other = lw_info(w, theirs);
    if (info.form != LW_STRIDED || info_other.form != LW_STRIDED || info.offsets != info_other.offsets ||
        !find_place(w, mine, &a) || !find_place(w, theirs, &b) || !is_beside(&a, &b))
        return false;
    *apart = (int64_t)((uint64_t)b.constant - (uint64_t)a.constant);
    return true;
}
