/* SPDX-License-Identifier: MIT */
/* What the accesses of one block touch together: members of a record, neighbours in an array.
 *
 * Enters: a load or store of the block being widened, whose address is strided.
 * Leaves: the bytes around it that lanes of the same mask access too. Relies on: all of a block is executed
 * by the same lanes. Never: looks further than NEAR accesses before and behind, or into other blocks.
 */
#include "../flow/canonical.h"
#include "../facts/integers.h"
#include "../facts/calls.h"
#include "../facts/gep.h"
#include "../facts/memory_effects.h"
#include "../widen/widener.h"
#include "../../spirv/intrinsics.h"

#define NEAR 24  /* accesses */
#define REACH 64 /* bytes between two members */

/* Takes constants out of an index below an extension. What wraps there, in 32 bits or more, would lie 4 GiB
 * from its neighbours, which the same lanes access in the same buffer; narrower ones may begin anew within
 * it. */
static LLVMValueRef
take_constants(struct lw_place *p, LLVMValueRef index, int64_t scale)
{
    bool leads_out = p->in_buffer && LLVMGetIntTypeWidth(LLVMTypeOf(index)) >= 32;

    while (LLVMIsAInstruction(index)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(index);
        bool adds = (op == LLVMAdd && leads_out) || (op == LLVMOr && LLVMGetIsDisjoint(index));
        if (!adds || !LLVMIsAConstantInt(LLVMGetOperand(index, 1)))
            break;
        int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(index, 1));
        if (op == LLVMOr && step < 0)
            break;
        p->constant = (int64_t)((uint64_t)p->constant + (uint64_t)step * (uint64_t)scale);
        p->within[p->terms] = (int64_t)((uint64_t)p->within[p->terms] + (uint64_t)step);
        index = LLVMGetOperand(index, 0);
    }
    return index;
}

/* index = other + step, or other * factor, modulo 2^64; NULL: neither. */
static LLVMValueRef
strip_constant(LLVMValueRef index, int64_t *step, int64_t *factor)
{
    *step = 0;
    *factor = 1;
    if (!LLVMIsAInstruction(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64 ||
        LLVMGetNumOperands(index) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(index, 1)))
        return NULL;
    int64_t n = LLVMConstIntGetSExtValue(LLVMGetOperand(index, 1));
    switch (LLVMGetInstructionOpcode(index)) {
    case LLVMOr:
        if (!LLVMGetIsDisjoint(index))
            return NULL;
        *step = n;
        break;
    case LLVMAdd:
        *step = n;
        break;
    case LLVMShl:
        if (n < 0 || n > 62)
            return NULL;
        *factor = (int64_t)1 << n;
        break;
    case LLVMMul:
        *factor = n;
        break;
    default:
        return NULL;
    }
    return LLVMGetOperand(index, 0);
}

static bool
add_term(struct lw_place *p, LLVMValueRef index, int64_t scale)
{
    int64_t step, factor;

    for (LLVMValueRef other; (other = strip_constant(index, &step, &factor)); index = other) {
        p->constant = (int64_t)((uint64_t)p->constant + (uint64_t)step * (uint64_t)scale);
        scale = (int64_t)((uint64_t)scale * (uint64_t)factor);
    }
    if (p->terms == LW_PLACE_TERMS)
        return false;
    p->extension[p->terms] = LLVMAdd;
    if (LLVMIsAZExtInst(index) || LLVMIsASExtInst(index)) {
        LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(index));
        unsigned kind = LLVMGetMDKindIDInContext(context, LW_NATURAL, sizeof LW_NATURAL - 1);
        p->extension[p->terms] = LLVMGetInstructionOpcode(index);
        LLVMValueRef narrow = take_constants(p, LLVMGetOperand(index, 0), scale);
        p->natural[p->terms] = LLVMGetMetadata(index, kind) && narrow == LLVMGetOperand(index, 0);
        index = narrow;
    }
    p->term[p->terms] = index;
    p->scale[p->terms++] = scale;
    return true;
}

static bool
add_gep(lw_widener *w, struct lw_place *p, LLVMValueRef gep)
{
    for (struct lw_gep_walk g = lw_gep_walk(w->layout, gep); lw_gep_step(&g);) {
        if (!g.index)
            p->constant = (int64_t)((uint64_t)p->constant + g.bytes);
        else if (LLVMGetIntTypeWidth(LLVMTypeOf(g.index)) != 64 || !add_term(p, g.index, (int64_t)g.bytes))
            return false;
    }
    return true;
}

static bool
find_place(lw_widener *w, LLVMValueRef pointer, bool in_buffer, struct lw_place *p)
{
    *p = (struct lw_place){.in_buffer = in_buffer};
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0))
        if (!add_gep(w, p, pointer))
            return false;
    p->root = pointer;
    return true;
}

bool
lw_find_place(lw_widener *w, LLVMValueRef pointer, struct lw_place *p)
{
    LLVMValueRef root = lw_gep_root(pointer);
    bool local = LLVMGetTypeKind(LLVMTypeOf(root)) == LLVMPointerTypeKind && lw_space_of(root) == LW_AS_LOCAL;
    return find_place(w, pointer, local || (w->shape->buffers_4g && LLVMIsAArgument(root)), p);
}

bool
lw_find_exact_place(lw_widener *w, LLVMValueRef pointer, struct lw_place *p)
{
    return find_place(w, pointer, false, p);
}

bool
lw_places_match(const struct lw_place *a, const struct lw_place *b)
{
    if (a->root != b->root || a->terms != b->terms)
        return false;
    for (unsigned k = 0; k < a->terms; k++)
        if (a->scale[k] != b->scale[k] || a->extension[k] != b->extension[k] ||
            !lw_is_computed_alike(a->term[k], b->term[k]))
            return false;
    return true;
}

bool
lw_is_beside(lw_widener *w, LLVMValueRef a, LLVMValueRef b, int64_t *apart)
{
    struct lw_place x, y;

    if (!lw_find_place(w, a, &x) || !lw_find_place(w, b, &y) || !lw_places_match(&x, &y))
        return false;
    *apart = (int64_t)((uint64_t)y.constant - (uint64_t)x.constant);
    return true;
}

/* Takes the access `i` in, where it is beside the one at `mine`. */
static bool
take_in(lw_widener *w, LLVMValueRef i, const struct lw_place *mine, const int64_t *offsets, int64_t *low,
        int64_t *high)
{
    LLVMValueRef pointer = lw_plain_address(i);
    struct lw_place other;

    if (!pointer)
        return false;
    struct lw_vinfo info = lw_info(w, pointer);
    if (info.form != LW_STRIDED || info.offsets != offsets || !lw_find_place(w, pointer, &other) ||
        !lw_places_match(mine, &other))
        return true;
    int64_t apart = (int64_t)((uint64_t)other.constant - (uint64_t)mine->constant);
    if (apart < -REACH || apart > REACH)
        return true;
    int64_t size = (int64_t)LLVMStoreSizeOfType(w->layout, LLVMTypeOf(lw_moved_by(i)));
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
    LLVMValueRef pointer = lw_plain_address(access);
    struct lw_place mine;
    const int64_t *offsets = pointer ? lw_info(w, pointer).offsets : NULL;

    *low = *high = 0;
    if (!offsets || !lw_find_place(w, pointer, &mine))
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

/* 1 for the first argument of a function; 0: none. */
static unsigned
argument_number(LLVMValueRef v)
{
    LLVMValueRef function = LLVMIsAArgument(v) ? LLVMGetParamParent(v) : NULL;
    unsigned k = 0, count = function ? LLVMCountParams(function) : 0;

    while (k < count && LLVMGetParam(function, k) != v)
        k++;
    return k < count ? k + 1 : 0;
}

/* The bytes behind a pointer that may be read at any time; 0: nothing is known. */
static int64_t
readable_behind(lw_widener *w, LLVMValueRef root)
{
    static const char name[] = "dereferenceable";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1), number = argument_number(root);
    LLVMAttributeRef a = NULL;

    if (LLVMIsAGlobalVariable(root) && LLVMIsGlobalConstant(root))
        return (int64_t)LLVMStoreSizeOfType(w->layout, LLVMGlobalGetValueType(root));
    if (number)
        a = LLVMGetEnumAttributeAtIndex(LLVMGetParamParent(root), number, kind);
    else if (LLVMIsACallInst(root))
        a = LLVMGetCallSiteEnumAttribute(root, LLVMAttributeReturnIndex, kind);
    return a ? (int64_t)LLVMGetEnumAttributeValue(a) : 0;
}

bool
lw_find_term_range(lw_widener *w, const struct lw_place *p, unsigned k, int64_t *lo, int64_t *hi)
{
    struct lw_vinfo x = lw_info(w, p->term[k]);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(p->term[k]));

    if (x.assumes_no_wrap || (x.lo > x.hi && bits > 16))
        return false;
    *lo = x.lo <= x.hi ? x.lo : -((int64_t)1 << (bits - 1));
    *hi = x.lo <= x.hi ? x.hi : ((int64_t)1 << (bits - 1)) - 1;
    if (p->extension[k] != LLVMZExt || *lo >= 0)
        return true;
    *lo = 0;
    *hi = bits < 63 ? ((int64_t)1 << bits) - 1 : -1;
    return *hi >= 0;
}

#define MOST_READABLE ((int64_t)1 << 24)

int64_t
lw_readable_from(lw_widener *w, const struct lw_place *p, unsigned but)
{
    int64_t bytes = readable_behind(w, p->root), first = p->constant, lo, hi;

    if (bytes > MOST_READABLE || first < 0 || first > bytes)
        return 0;
    for (unsigned k = 0; k < p->terms; k++) {
        if (k == but)
            continue;
        if (!lw_find_term_range(w, p, k, &lo, &hi) || lo < 0 || hi > bytes || p->scale[k] < 0 ||
            p->scale[k] > bytes)
            return 0;
        first += hi * p->scale[k]; /* below 2^48 each */
    }
    return first < bytes ? bytes - first : 0;
}

bool
lw_is_readable(lw_widener *w, LLVMValueRef pointer, LLVMTypeRef type)
{
    struct lw_place p;
    return lw_find_place(w, pointer, &p) &&
           lw_readable_from(w, &p, LW_PLACE_TERMS) >= (int64_t)LLVMStoreSizeOfType(w->layout, type);
}

bool
lw_is_pure_call(LLVMValueRef i)
{
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return false;
    const struct lw_call_row *row = lw_call_row(i);
    return lw_call_computes(i) || (row && row->effect == LW_DOES_TELLS && row->meets == LW_MEETS_SUB_GROUP);
}

bool
lw_is_among(const int64_t *list, unsigned count, int64_t at)
{
    for (unsigned k = 0; k < count; k++)
        if (list[k] == at)
            return true;
    return false;
}
