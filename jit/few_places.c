/* SPDX-License-Identifier: MIT */
/* Accesses to private arrays at one of a few constant places, between which selects, a bit or a branch
 * choose.
 *
 *     m = a[1] < a[0] ? 1 : 0; m = a[2] < a[m] ? 2 : m; t = a[m]; a[m] = u;    ->
 *     x = a[1] < a[0] ? a[1] : a[0]; t = a[2] < x ? a[2] : x; each a[k] = m == k ? u : a[k];
 *
 * which is what is left of searches for the least element or the pivot once their loops are written out. Of
 * `high ? tile[r] : tile[r + 8]` front ends make `tile[(lane & 8) ^ (r + 8)]`, or a phi of two addresses.
 *
 * Enters: the scalar kernel, loops unrolled. Leaves: the same values; where every access to an array lies at
 * a constant place or at such a one, loads become selects by the same conditions, stores write every place
 * that may be meant. sroa then makes values of the array. Legal: every place lies inside the array, which is
 * the work-item's own, so that reading one that is not asked for cannot fail, and writing back what was there
 * is not seen; one is aligned as the others are. Never: touches an array whose address escapes or that has
 * other accesses.
 */
#include "jit.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/gep.h"
#include "../vectorizer/facts/integers.h"
#include "../vectorizer/facts/memory_effects.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_POINTERS = 1024,
    MOST_CHOICES = 64, /* selects of one index */
    MOST_PLACES = 32,  /* that it chooses between */
    MOST_STEPS = 6,
    MOST_WRITTEN = 1024, /* places, by all stores */
    MOST_BYTES = 4096
};

/* The array + constant + scale * index, where steps are yet to be taken with `part` to make the index: a
 * number, or an address by its distance from the array. */
struct place {
    LLVMValueRef index, part; /* NULL: none */
    uint64_t constant, scale;
    unsigned count;
    struct step {
        LLVMOpcode opcode;
        unsigned from, to; /* bits */
        uint64_t number;   /* of operations: the second operand */
    } steps[MOST_STEPS];
};

struct walk {
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMValueRef alloca;
    uint64_t size;
    LLVMValueRef pointers[MOST_POINTERS];
    unsigned pointer_count, chosen; /* accesses whose places are */
    uint64_t written;
    /* What loads have become, since the last store to the array in their block. */
    struct known {
        struct place place;
        LLVMValueRef value;
    } known[MOST_CHOICES];
    unsigned known_count;
};

/* Numbers that an index may be. */
struct leaves {
    uint64_t at[MOST_PLACES];
    unsigned count, selects;
};

/* What is left of an address without its constants and an index; NULL: there is more than one. */
static LLVMValueRef
find_base(const struct walk *w, LLVMValueRef pointer, struct place *p)
{
    memset(p, 0, sizeof *p); /* the padding is compared */
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        for (struct lw_gep_walk g = lw_gep_walk(w->layout, pointer); lw_gep_step(&g);) {
            if (g.index && p->index)
                return NULL;
            p->index = g.index ? g.index : p->index;
            p->scale = g.index ? g.bytes : p->scale;
            p->constant += g.index ? 0 : g.bytes;
        }
    }
    return pointer;
}

static bool
is_number(const struct walk *w, LLVMValueRef v, uint64_t *number)
{
    struct place p;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        return lw_is_int_constant(v, number);
    bool constant = find_base(w, v, &p) == w->alloca && !p.index;
    *number = p.constant;
    return constant;
}

/* One of two numbers: a condition, a bit, or what a branch or a select chooses. */
static bool
is_choice(const struct walk *w, LLVMValueRef v, uint64_t *no, uint64_t *yes)
{
    unsigned bits = lw_int_width(v);
    uint64_t shift;
    *no = 0;
    *yes = 1;
    if (bits == 1)
        return true;
    if (bits > 64 || !LLVMIsAInstruction(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd:
        return lw_is_int_constant(LLVMGetOperand(v, 1), yes) && *yes && !(*yes & (*yes - 1));
    case LLVMLShr:
        return lw_is_int_constant(LLVMGetOperand(v, 1), &shift) && shift == bits - 1;
    case LLVMPHI:
        return LLVMCountIncoming(v) == 2 && is_number(w, LLVMGetIncomingValue(v, 0), no) &&
               is_number(w, LLVMGetIncomingValue(v, 1), yes) && *no != *yes;
    case LLVMSelect:
        return lw_int_width(LLVMGetOperand(v, 0)) == 1 && is_number(w, LLVMGetOperand(v, 1), yes) &&
               is_number(w, LLVMGetOperand(v, 2), no) && *no != *yes;
    default:
        return false;
    }
}

/* True where the choice, that an access goes by, is the second number. */
static LLVMValueRef
condition_of(const struct walk *w, LLVMValueRef access, LLVMValueRef choice, uint64_t yes)
{
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef type = LLVMTypeOf(choice), i1 = LLVMInt1TypeInContext(LLVMGetTypeContext(type));
    if (type == i1)
        return choice;
    if (LLVMIsASelectInst(choice))
        return LLVMGetOperand(choice, 0);
    if (!LLVMIsAPHINode(choice))
        return LLVMBuildICmp(b, LLVMIntEQ, choice, LLVMConstInt(type, yes, false), "");
    LLVMPositionBuilderBefore(b, choice);
    LLVMValueRef phi = LLVMBuildPhi(b, i1, "");
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef value = LLVMConstInt(i1, k, false);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(choice, k);
        LLVMAddIncoming(phi, &value, &from, 1);
    }
    LLVMPositionBuilderBefore(b, access);
    return phi;
}

/* To the choice, select or constant that the index is made of; false: there is none. */
static bool
find_part(const struct walk *w, struct place *p)
{
    uint64_t no, yes;
    for (;;) {
        LLVMValueRef v = p->part;
        unsigned bits = lw_int_width(v);
        if (LLVMIsAConstantInt(v) || is_choice(w, v, &no, &yes))
            return bits <= 64;
        if (!LLVMIsAInstruction(v) || !bits || bits > 64)
            return false;
        LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
        if (opcode == LLVMSelect)
            return lw_int_width(LLVMGetOperand(v, 0)) == 1;
        bool cast = lw_is_int_cast(opcode);
        if ((!cast && !lw_is_int_operation(opcode)) || p->count == MOST_STEPS)
            return false;
        struct step *step = &p->steps[p->count++];
        p->part = LLVMGetOperand(v, 0);
        step->opcode = opcode;
        step->from = lw_int_width(p->part);
        step->to = bits;
        if (!cast && !lw_is_int_constant(LLVMGetOperand(v, 1), &step->number))
            return false;
    }
}

/* The index where its part is `number`. */
static uint64_t
index_at(const struct place *p, uint64_t number)
{
    for (unsigned k = p->count; k-- > 0;) {
        uint64_t result = 0; /* of a shift by too much */
        lw_int_operate(p->steps[k].opcode, p->steps[k].from, p->steps[k].to, number, p->steps[k].number,
                       &result);
        number = result;
    }
    return number;
}

static uint64_t
bytes_at(const struct place *p, uint64_t index)
{
    unsigned bits = lw_int_width(p->index);
    return p->constant + (bits ? p->scale * (uint64_t)lw_sign_extend(index, bits) : index);
}

static bool
add_leaf(struct leaves *l, uint64_t number)
{
    for (unsigned k = 0; k < l->count; k++)
        if (l->at[k] == number)
            return true;
    if (l->count == MOST_PLACES)
        return false;
    l->at[l->count++] = number;
    return true;
}

static struct place
with_part(const struct place *p, unsigned operand)
{
    struct place other = *p;
    other.part = LLVMGetOperand(p->part, operand);
    return other;
}

static bool
collect(const struct walk *w, struct place p, struct leaves *l)
{
    uint64_t no, yes;
    if (!find_part(w, &p))
        return false;
    if (is_number(w, p.part, &no))
        return add_leaf(l, index_at(&p, no));
    if (is_choice(w, p.part, &no, &yes))
        return add_leaf(l, index_at(&p, no)) && add_leaf(l, index_at(&p, yes));
    return l->selects++ < MOST_CHOICES && collect(w, with_part(&p, 1), l) && collect(w, with_part(&p, 2), l);
}

static bool
find_place(const struct walk *w, LLVMValueRef pointer, struct place *p)
{
    uint64_t no, yes;
    LLVMValueRef base = find_base(w, pointer, p);
    if (base && base != w->alloca && !p->index && is_choice(w, base, &no, &yes))
        p->index = base;
    p->part = p->index;
    return base == w->alloca || (base && base == p->index);
}

static bool
lies_inside(const struct walk *w, uint64_t at, uint64_t bytes)
{
    return bytes <= w->size && at <= w->size - bytes;
}

/* As aligned as any other one is that it may be. */
static bool
is_aligned(LLVMValueRef i, uint64_t at, uint64_t other)
{
    return (at - other) % LLVMGetAlignment(i) == 0;
}

static bool
see_access(struct walk *w, LLVMValueRef i, LLVMValueRef pointer)
{
    uint64_t bytes = LLVMStoreSizeOfType(w->layout, LLVMTypeOf(lw_moved_by(i)));
    struct leaves l = {.count = 0};
    struct place p;
    if (lw_is_ordered_access(i) || lw_moved_by(i) == pointer || !find_place(w, pointer, &p))
        return false;
    if (!p.index)
        return lies_inside(w, p.constant, bytes);
    if (!collect(w, p, &l))
        return false;
    for (unsigned k = 0; k < l.count; k++)
        if (!lies_inside(w, bytes_at(&p, l.at[k]), bytes) ||
            !is_aligned(i, bytes_at(&p, l.at[k]), bytes_at(&p, l.at[0])))
            return false;
    w->chosen++;
    w->written += LLVMIsAStoreInst(i) ? l.count : 0;
    return w->written <= MOST_WRITTEN;
}

static bool
add_pointer(struct walk *w, LLVMValueRef pointer)
{
    for (unsigned k = 0; !LLVMIsAGetElementPtrInst(pointer) && k < w->pointer_count; k++)
        if (w->pointers[k] == pointer)
            return true;
    if (w->pointer_count == MOST_POINTERS)
        return false;
    w->pointers[w->pointer_count++] = pointer;
    return true;
}

/* Can all of the array's accesses be written so, and is there one that must? */
static bool
see_array(struct walk *w)
{
    w->pointer_count = w->chosen = 0;
    w->written = 0;
    w->pointers[w->pointer_count++] = w->alloca;
    for (unsigned k = 0; k < w->pointer_count; k++)
        for (LLVMUseRef u = LLVMGetFirstUse(w->pointers[k]); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (!LLVMIsAInstruction(user))
                return false;
            if (LLVMIsALoadInst(user) || LLVMIsAStoreInst(user)) {
                if (!see_access(w, user, w->pointers[k]))
                    return false;
            } else if (LLVMIsAGetElementPtrInst(user) || LLVMIsAPHINode(user) || LLVMIsASelectInst(user)) {
                if (!add_pointer(w, user))
                    return false;
            } else if (!lw_is_call_like(user, "llvm.lifetime.")) {
                return false;
            }
        }
    return w->chosen > 0;
}

static LLVMValueRef
load_at(struct walk *w, LLVMValueRef like, uint64_t offset, LLVMValueRef *address)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(w->alloca));
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);
    *address = LLVMBuildInBoundsGEP2(w->builder, LLVMInt8TypeInContext(context), w->alloca, &index, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(w->builder, LLVMTypeOf(lw_moved_by(like)), *address, "");
    LLVMSetAlignment(load, LLVMGetAlignment(like));
    return load;
}

/* Of the same part and steps; the index that these make may be another value. */
static LLVMValueRef
find_known(const struct walk *w, const struct place *p, LLVMTypeRef type)
{
    for (unsigned k = w->known_count; k-- > 0;) {
        const struct place *q = &w->known[k].place;
        if (q->part == p->part && q->constant == p->constant && q->scale == p->scale &&
            q->count == p->count && !memcmp(q->steps, p->steps, p->count * sizeof *p->steps) &&
            LLVMTypeOf(q->index) == LLVMTypeOf(p->index) && LLVMTypeOf(w->known[k].value) == type)
            return w->known[k].value;
    }
    return NULL;
}

/* What the load reads, by its index. */
static LLVMValueRef
choose(struct walk *w, LLVMValueRef load, struct place p)
{
    LLVMValueRef address, value, condition, one, other;
    uint64_t no, yes;
    find_part(w, &p);
    if (is_number(w, p.part, &no))
        return load_at(w, load, bytes_at(&p, index_at(&p, no)), &address);
    if ((value = find_known(w, &p, LLVMTypeOf(load))))
        return value;
    if (is_choice(w, p.part, &no, &yes)) {
        condition = condition_of(w, load, p.part, yes);
        one = load_at(w, load, bytes_at(&p, index_at(&p, yes)), &address);
        other = load_at(w, load, bytes_at(&p, index_at(&p, no)), &address);
    } else {
        condition = LLVMGetOperand(p.part, 0);
        one = choose(w, load, with_part(&p, 1));
        other = choose(w, load, with_part(&p, 2));
    }
    value = LLVMBuildSelect(w->builder, condition, one, other, "");
    w->known_count = w->known_count == MOST_CHOICES ? 0 : w->known_count;
    w->known[w->known_count++] = (struct known){p, value};
    return value;
}

/* Of two places, the second is meant where the condition holds. */
static void
store(struct walk *w, LLVMValueRef i, struct place p)
{
    LLVMValueRef stored = LLVMGetOperand(i, 0), meant = NULL;
    struct leaves l = {.count = 0};
    uint64_t no, yes;
    collect(w, p, &l);
    find_part(w, &p);
    bool choice = l.count == 2 && is_choice(w, p.part, &no, &yes);
    if (choice)
        meant = condition_of(w, i, p.part, yes);
    for (unsigned k = 0; k < l.count; k++) {
        LLVMValueRef address, old = load_at(w, i, bytes_at(&p, l.at[k]), &address);
        if (!choice)
            meant = LLVMBuildICmp(w->builder, LLVMIntEQ, p.index,
                                  LLVMConstInt(LLVMTypeOf(p.index), l.at[k], false), "");
        bool first = choice && k == 0;
        LLVMValueRef made =
            LLVMBuildSelect(w->builder, meant, first ? old : stored, first ? stored : old, "");
        LLVMSetAlignment(LLVMBuildStore(w->builder, made, address), LLVMGetAlignment(i));
    }
}

static void
rewrite_block(struct walk *w, LLVMBasicBlockRef block)
{
    struct place p;
    w->known_count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        bool stores = LLVMIsAStoreInst(i);
        if ((!stores && !LLVMIsALoadInst(i)) || !find_place(w, LLVMGetOperand(i, stores), &p))
            continue;
        if (stores)
            w->known_count = 0;
        if (!p.index)
            continue;
        LLVMPositionBuilderBefore(w->builder, i);
        if (stores)
            store(w, i, p);
        else
            LLVMReplaceAllUsesWith(i, choose(w, i, p));
        LLVMInstructionEraseFromParent(i);
    }
}

/* Addresses that nothing uses any more: sroa would stumble over them. */
static void
erase_unused(struct walk *w)
{
    for (unsigned k = w->pointer_count; k-- > 1;)
        if (!LLVMGetFirstUse(w->pointers[k]))
            LLVMInstructionEraseFromParent(w->pointers[k]);
}

bool
lw_take_few_places(LLVMModuleRef module)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    struct walk *w = kernel ? calloc(1, sizeof *w) : NULL;
    bool changed = false;

    if (!w)
        return false;
    w->layout = LLVMGetModuleDataLayout(module);
    w->builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) != 1)
            continue;
        w->alloca = i;
        w->size = LLVMABISizeOfType(w->layout, LLVMGetAllocatedType(i));
        if (w->size > MOST_BYTES || !see_array(w))
            continue;
        for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
            rewrite_block(w, b);
        erase_unused(w);
        changed = true;
    }
    LLVMDisposeBuilder(w->builder);
    free(w);
    return changed;
}
