/* SPDX-License-Identifier: MIT */
/* Chooses the layout of private arrays, before uniformity is known (see private_arrays.h).
 *
 * A pointer into a lane-minor array is kept as the address of its row for lane 0: adding `b` bytes in the
 * scalar program adds `b * W` bytes. So every step must be a whole number of elements, and an access must be
 * of one element size; anything that lets the pointer be seen otherwise (stored, compared, cast to an
 * integer, passed on) makes the array per-lane.
 *
 * Enters: the model of the scalar kernel. Leaves: a layout of each alloca. Relies on: nothing but its uses.
 * Never: changes an instruction.
 */
#include "gep.h"
#include "private_arrays.h"

enum { FACTOR_DEPTH = 6, FACTOR_MOST = 4096, FACTOR_VISITS = 100 };

struct walk {
    const struct lw_model *m;
    struct lw_privates *out;
    LLVMTargetDataRef layout;
    uint32_t *stack;
    uint32_t depth, root;
    uint64_t granule, steps; /* element size seen (0: none yet), gcd of all steps */
    bool fits;
};

static uint64_t
gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* Every scalar inside `type` must be of one size: the granule. Depth is bounded by the module check. */
static void
see_access(struct walk *k, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && k->fits; i++) {
            k->steps = gcd(k->steps, LLVMOffsetOfElement(k->layout, type, i));
            see_access(k, LLVMStructGetTypeAtIndex(type, i));
        }
        return;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        see_access(k, LLVMGetElementType(type));
        return;
    default: {
        uint64_t size = LLVMStoreSizeOfType(k->layout, type);
        bool whole =
            LLVMSizeOfTypeInBits(k->layout, type) == size * 8 && (size & (size - 1)) == 0 && size <= 8;
        k->fits = k->fits && whole && (k->granule == 0 || k->granule == size);
        k->granule = size;
    }
    }
}

/* A power of two that divides `v`, 0 for all of them: what byte offsets of front ends' loops (0, 4, 8, ...)
 * are multiples of. A phi on the way to itself (`through`) adds nothing: sums, products and choices of
 * multiples stay multiples, and so does what wraps. */
static uint64_t
factor_of(LLVMValueRef v, const LLVMValueRef *through, unsigned depth, unsigned *visits)
{
    if (LLVMIsAConstantInt(v)) {
        uint64_t c = LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 ? LLVMConstIntGetZExtValue(v) : 1;
        return c & (~c + 1);
    }
    for (unsigned i = 0; i < depth; i++)
        if (through[i] == v)
            return 0;
    if (depth == FACTOR_DEPTH || ++*visits > FACTOR_VISITS || !LLVMIsAInstruction(v))
        return 1;
    LLVMValueRef path[FACTOR_DEPTH];
    for (unsigned i = 0; i < depth; i++)
        path[i] = through[i];
    path[depth] = v;
    unsigned operands = (unsigned)LLVMGetNumOperands(v), first = 0;
    uint64_t g = 0;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMMul: {
        uint64_t a = factor_of(LLVMGetOperand(v, 0), path, depth + 1, visits);
        uint64_t b = factor_of(LLVMGetOperand(v, 1), path, depth + 1, visits);
        return a > FACTOR_MOST || b > FACTOR_MOST ? FACTOR_MOST : a * b;
    }
    case LLVMShl: {
        LLVMValueRef by = LLVMGetOperand(v, 1);
        uint64_t a = factor_of(LLVMGetOperand(v, 0), path, depth + 1, visits);
        if (!LLVMIsAConstantInt(by) || a > FACTOR_MOST || LLVMConstIntGetZExtValue(by) > 12)
            return a;
        return a << LLVMConstIntGetZExtValue(by);
    }
    case LLVMSelect:
        first = 1;
        break;
    case LLVMPHI:
    case LLVMAdd:
    case LLVMSub:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze:
        break;
    default:
        return 1;
    }
    for (unsigned i = first; i < operands && g != 1; i++)
        g = gcd(g, factor_of(LLVMGetOperand(v, i), path, depth + 1, visits));
    return g;
}

static void
see_gep(struct walk *k, LLVMValueRef gep)
{
    uint64_t constant = 0;
    for (struct lw_gep_walk g = lw_gep_walk(k->layout, gep); lw_gep_step(&g);) {
        unsigned visits = 0;
        if (!g.index)
            constant += g.bytes;
        else if (g.bytes % 8 && k->steps != 1)
            k->steps = gcd(k->steps, g.bytes * factor_of(g.index, NULL, 0, &visits));
        else
            k->steps = gcd(k->steps, g.bytes);
    }
    k->steps = gcd(k->steps, (int64_t)constant < 0 ? -constant : constant);
}

static void
derive(struct walk *k, LLVMValueRef pointer)
{
    uint32_t id = lw_value_id(k->m, pointer);
    if (id == LW_NONE || k->out->root[id] == k->root)
        return;
    if (k->out->root[id] != LW_NONE) {
        k->fits = false;
        return;
    }
    k->out->root[id] = k->root;
    k->stack[k->depth++] = id;
}

static void
see_use(struct walk *k, LLVMValueRef user, LLVMValueRef pointer)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
        k->fits &= LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
        see_access(k, LLVMTypeOf(user));
        return;
    case LLVMStore:
        k->fits &= LLVMGetOperand(user, 0) != pointer && LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
        see_access(k, LLVMTypeOf(LLVMGetOperand(user, 0)));
        return;
    case LLVMGetElementPtr:
        k->fits &= LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind;
        see_gep(k, user);
        derive(k, user);
        return;
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        derive(k, user);
        return;
    default:
        k->fits = false;
    }
}

/* Phis and selects must not mix this array with other pointers. */
static bool
operands_agree(struct walk *k, LLVMValueRef v)
{
    bool phi = LLVMIsAPHINode(v) != NULL;
    if (!phi && !LLVMIsASelectInst(v))
        return true;
    unsigned n = phi ? LLVMCountIncoming(v) : 2;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef o = phi ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, i + 1);
        uint32_t id = lw_value_id(k->m, o);
        if (id == LW_NONE || k->out->root[id] != k->root)
            return false;
    }
    return true;
}

static void
walk_alloca(struct walk *k, uint32_t id)
{
    LLVMValueRef alloca = k->m->values[id];
    struct lw_private *p = &k->out->arrays[id];
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    uint64_t count = LLVMIsAConstantInt(LLVMGetOperand(alloca, 0))
                         ? LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0))
                         : 1;
    p->align = LLVMGetAlignment(alloca) ? LLVMGetAlignment(alloca) : 1;
    p->size = (LLVMABISizeOfType(k->layout, type) * count + p->align - 1) / p->align * p->align;

    k->root = id;
    k->depth = 0;
    k->granule = k->steps = 0;
    k->fits = true;
    derive(k, alloca);
    for (uint32_t at = 0; at < k->depth && k->fits; at++) {
        LLVMValueRef pointer = k->m->values[k->stack[at]];
        for (LLVMUseRef u = LLVMGetFirstUse(pointer); u && k->fits; u = LLVMGetNextUse(u))
            see_use(k, LLVMGetUser(u), pointer);
    }
    for (uint32_t at = 0; at < k->depth && k->fits; at++)
        k->fits = operands_agree(k, k->m->values[k->stack[at]]);
    if (k->granule && k->steps % k->granule)
        k->fits = false;
    p->layout = k->fits ? LW_PRIVATE_LANE_MINOR : LW_PRIVATE_PER_LANE;
    p->granule = k->granule ? (uint32_t)k->granule : 1;
    for (uint32_t at = 0; at < k->depth && !k->fits; at++)
        k->out->root[k->stack[at]] = LW_NONE;
}

struct lw_privates
lw_find_private_layouts(struct lw_arena *arena, const struct lw_model *model)
{
    LLVMModuleRef module = LLVMGetGlobalParent(model->function);
    struct lw_privates found = {LW_ARENA_NEW(arena, struct lw_private, model->value_count),
                                lw_arena_fill(arena, model->value_count, LW_NONE)};
    struct walk k = {.m = model, .out = &found, .layout = LLVMGetModuleDataLayout(module)};
    k.stack = LW_ARENA_NEW(arena, uint32_t, model->value_count);
    for (uint32_t id = model->param_count; id < model->value_count; id++)
        if (LLVMIsAAllocaInst(model->values[id]))
            walk_alloca(&k, id);
    return found;
}
