/* SPDX-License-Identifier: MIT */
/* The widener's values: what a scalar value became, inside a block and across blocks. See widener.h.
 *
 * Enters: scalar values and their forms. Leaves: scalars, vectors and leaves of them, where they are asked
 * for; slots for what other blocks read. Relies on: definitions before uses in the plan's order.
 */
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

#include "widener.h"
#include "../facts/memory_effects.h"

#define MAX_LEAVES 4096

/* ---- leaves of a type ---- */

static uint32_t
element_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        return LLVMCountStructElementTypes(type);
    case LLVMArrayTypeKind: {
        uint64_t n = LLVMGetArrayLength2(type);
        return n > MAX_LEAVES ? MAX_LEAVES + 1 : (uint32_t)n;
    }
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type);
    default:
        return 0;
    }
}

static bool
is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind k = LLVMGetTypeKind(type);
    return k == LLVMStructTypeKind || k == LLVMArrayTypeKind || k == LLVMVectorTypeKind;
}

static LLVMTypeRef
element_type(LLVMTypeRef type, uint32_t i)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
                                                       : LLVMGetElementType(type);
}

static uint64_t
element_offset(lw_widener *w, LLVMTypeRef type, uint32_t i)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMOffsetOfElement(w->layout, type, i);
    LLVMTypeRef e = LLVMGetElementType(type);
    return i * (LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMStoreSizeOfType(w->layout, e)
                                                            : LLVMABISizeOfType(w->layout, e));
}

/* Types nest as deep as the module's OpType chain, which the check bounds. */
uint32_t
lw_leaf_count(lw_widener *w, LLVMTypeRef type)
{
    if (!is_aggregate(type))
        return LLVMGetTypeKind(type) == LLVMVoidTypeKind ? 0 : 1;
    uint32_t n = element_count(type);
    if (n == 0)
        return 0;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) {
        uint64_t total = (uint64_t)n * lw_leaf_count(w, element_type(type, 0));
        return total > MAX_LEAVES ? MAX_LEAVES + 1 : (uint32_t)total;
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < n && total <= MAX_LEAVES; i++)
        total += lw_leaf_count(w, element_type(type, i));
    return total;
}

/* Which element of an aggregate holds leaf `*index`; leaves the index inside it. */
static uint32_t
element_of_leaf(lw_widener *w, LLVMTypeRef type, uint32_t *index)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) {
        uint32_t per = lw_leaf_count(w, element_type(type, 0));
        uint32_t i = *index / per;
        *index %= per;
        return i;
    }
    for (uint32_t i = 0;; i++) {
        uint32_t per = lw_leaf_count(w, element_type(type, i));
        if (*index < per)
            return i;
        *index -= per;
    }
}

struct lw_leaf
lw_leaf_at(lw_widener *w, LLVMTypeRef type, uint32_t index)
{
    uint64_t offset = 0;
    while (is_aggregate(type)) {
        uint32_t i = element_of_leaf(w, type, &index);
        offset += element_offset(w, type, i);
        type = element_type(type, i);
    }
    return (struct lw_leaf){type, offset, LLVMStoreSizeOfType(w->layout, type)};
}

V
lw_scalar_leaf(lw_widener *w, V aggregate, uint32_t leaf)
{
    LLVMTypeRef type = LLVMTypeOf(aggregate);
    while (is_aggregate(type)) {
        uint32_t i = element_of_leaf(w, type, &leaf);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            aggregate = LLVMBuildExtractElement(w->l.builder, aggregate, lane_int(&w->l, 32, i), "");
        else
            aggregate = LLVMBuildExtractValue(w->l.builder, aggregate, i, "");
        type = LLVMTypeOf(aggregate);
    }
    return aggregate;
}

V
lw_scalar_from_leaves(lw_widener *w, LLVMTypeRef type, V *leaves)
{
    if (!is_aggregate(type))
        return leaves[0];
    V result = LLVMGetUndef(type);
    uint32_t n = element_count(type);
    for (uint32_t i = 0, leaf = 0; i < n; i++) {
        LLVMTypeRef e = element_type(type, i);
        V part = lw_scalar_from_leaves(w, e, leaves + leaf);
        leaf += lw_leaf_count(w, e);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            result = LLVMBuildInsertElement(w->l.builder, result, part, lane_int(&w->l, 32, i), "");
        else
            result = LLVMBuildInsertValue(w->l.builder, result, part, i, "");
    }
    return result;
}

/* ---- slots ---- */

struct lw_vinfo
lw_info(lw_widener *w, LLVMValueRef value)
{
    return lw_form_of(w->u, w->m, value);
}

bool
lw_is_varying(lw_widener *w, LLVMValueRef value)
{
    return lw_info(w, value).form == LW_VARYING;
}

/* Is the slot of value `id` written on every linear way to the end of block `at`? */
static void
check_written(lw_widener *w, uint32_t id, uint32_t at)
{
    LLVMValueRef value = w->m->values[id];
    if (id < w->m->param_count || at == LW_NONE || LLVMIsAPHINode(value))
        return;
    uint32_t made = lw_block_id_of(w->m, value);
    if (!lw_runs_before(w->m, w->plan, w->homes, made, at))
        w->may_be_unwritten[id] = true;
}

static void
find_unwritten(lw_widener *w)
{
    for (uint32_t id = w->m->param_count; id < w->m->value_count; id++) {
        LLVMValueRef i = w->m->values[id];
        uint32_t at = lw_block_id_of(w->m, i), used;
        if (!LLVMIsAPHINode(i)) {
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if ((used = lw_value_id(w->m, LLVMGetOperand(i, (unsigned)k))) != LW_NONE)
                    check_written(w, used, at);
            continue;
        }
        w->may_be_unwritten[id] = w->homes->home[at] == LW_NONE;
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            if ((used = lw_value_id(w->m, LLVMGetIncomingValue(i, k))) != LW_NONE)
                check_written(w, used, lw_block_id(w->m, LLVMGetIncomingBlock(i, k)));
    }
}

static void
find_escapes(lw_widener *w)
{
    for (uint32_t id = 0; id < w->m->value_count; id++) {
        LLVMValueRef v = w->m->values[id];
        if (id < w->m->param_count)
            continue;
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
        /* addresses may be made of it again elsewhere */
        bool index = w->forms[LW_FORM_PIECES] && !lw_is_varying(w, v) &&
                     (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
        /* Accesses of private arrays ask for the array where they have a pointer into it (forms/few.c). */
        if (LLVMGetInstructionOpcode(v) == LLVMPHI || LLVMIsAAllocaInst(v) || index) {
            w->escapes[id] = true;
            continue;
        }
        LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
        for (LLVMUseRef u = LLVMGetFirstUse(v); u && !w->escapes[id]; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            /* A phi reads at the end of its predecessor; that may be this block, but edges read through `now`
             * too. */
            w->escapes[id] =
                LLVMGetInstructionParent(user) != home || LLVMGetInstructionOpcode(user) == LLVMPHI;
        }
    }
}

/* The block of `i` reads what the place is made of. */
static void
read_place(lw_widener *w, const struct lw_place *p, LLVMValueRef i)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
    for (unsigned k = 0; k <= p->terms; k++) {
        uint32_t of = lw_value_id(w->m, k < p->terms ? p->term[k] : p->root);
        if (of == LW_NONE || of < w->m->param_count)
            continue;
        w->escapes[of] |= LLVMIsAStoreInst(i) || LLVMGetInstructionParent(w->m->values[of]) != block;
        check_written(w, of, lw_block_id(w->m, block));
    }
}

/* Forms make an access's address again of what it is made of, which nothing but the address may use, in
 * another block; of stores also where a load behind them is (forms/rows.c). */
static void
find_placed(lw_widener *w)
{
    for (uint32_t id = w->m->param_count; id < w->m->value_count; id++) {
        LLVMValueRef i = w->m->values[id];
        LLVMValueRef address = lw_address_of(i);
        struct lw_place p;
        if (!address)
            continue;
        if (lw_find_place(w, address, &p))
            read_place(w, &p, i);
        if (lw_find_exact_place(w, address, &p))
            read_place(w, &p, i);
    }
}

/* Whether all lanes fulfil a condition is asked of what it compares (widen/whole.c), where it is used: that
 * may be behind another block than the one that has both. */
static void
find_compared_again(lw_widener *w)
{
    for (uint32_t id = w->m->value_count; id-- > w->m->param_count;) {
        LLVMValueRef v = w->m->values[id];
        LLVMTypeRef type = LLVMTypeOf(v);
        if (!w->escapes[id] || LLVMIsAPHINode(v) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
            LLVMGetIntTypeWidth(type) != 1)
            continue;
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++) {
            uint32_t operand = lw_value_id(w->m, LLVMGetOperand(v, k));
            if (operand == LW_NONE || operand < w->m->param_count)
                continue;
            w->escapes[operand] = true;
            w->may_be_unwritten[operand] |= w->may_be_unwritten[id];
        }
    }
}

void
lw_values_open(lw_widener *w)
{
    uint32_t n = w->m->value_count, total = 0;
    w->first_slot = LW_ARENA_NEW(w->arena, uint32_t, n + 1);
    w->slot_count = LW_ARENA_NEW(w->arena, uint32_t, n + 1);
    w->escapes = LW_ARENA_NEW(w->arena, bool, n + 1);
    w->may_be_unwritten = LW_ARENA_NEW(w->arena, bool, n + 1);
    w->spread = LW_ARENA_NEW(w->arena, V, n + 1);
    w->spread_stamp = LW_ARENA_NEW(w->arena, uint32_t, n + 1);
    for (uint32_t id = 0; id < n; id++) {
        uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(w->m->values[id]));
        if (leaves > MAX_LEAVES) {
            lw_widen_fail(w, w->m->values[id], "a value with more than 4096 parts");
            return;
        }
        w->first_slot[id] = total;
        w->slot_count[id] = leaves == 0 ? 0 : w->u->values[id].form == LW_VARYING ? leaves : 1;
        total += w->slot_count[id];
    }
    w->slots = LW_ARENA_NEW(w->arena, V, total + 1);
    w->now = LW_ARENA_NEW(w->arena, V, total + 1);
    w->stamp = LW_ARENA_NEW(w->arena, uint32_t, total + 1);
    find_escapes(w);
    find_unwritten(w);
    find_placed(w);
    find_compared_again(w);
}

/* Of the block being written: one that is written twice has two. 0 is never valid. */
static uint32_t
stamp_now(const lw_widener *w)
{
    return w->turn;
}

static LLVMTypeRef
slot_type(lw_widener *w, uint32_t id, uint32_t leaf)
{
    LLVMTypeRef type = LLVMTypeOf(w->m->values[id]);
    if (w->u->values[id].form != LW_VARYING)
        return type;
    return lane_type(&w->l, lw_leaf_at(w, type, leaf).type);
}

V
lw_slot(lw_widener *w, LLVMValueRef value, uint32_t leaf)
{
    uint32_t id = lw_value_id(w->m, value), at = w->first_slot[id] + leaf;
    if (!w->slots[at]) {
        LLVMTypeRef type = slot_type(w, id, leaf);
        w->slots[at] = LLVMBuildAlloca(w->alloca_builder, type, "");
        /* Never undefined: a block may run with no lane in it, and then branch on what it reads. */
        if (w->may_be_unwritten[id])
            LLVMBuildStore(w->alloca_builder, LLVMConstNull(type), w->slots[at]);
    }
    return w->slots[at];
}

static V
read_slot(lw_widener *w, LLVMValueRef value, uint32_t leaf)
{
    uint32_t id = lw_value_id(w->m, value), at = w->first_slot[id] + leaf;
    if (w->stamp[at] != stamp_now(w)) {
        w->now[at] = LLVMBuildLoad2(w->l.builder, slot_type(w, id, leaf), lw_slot(w, value, leaf), "");
        w->stamp[at] = stamp_now(w);
    }
    return w->now[at];
}

static void
write_slot(lw_widener *w, LLVMValueRef value, uint32_t leaf, V made)
{
    uint32_t id = lw_value_id(w->m, value), at = w->first_slot[id] + leaf;
    w->now[at] = made;
    w->stamp[at] = stamp_now(w);
    if (w->escapes[id])
        LLVMBuildStore(w->l.builder, made, lw_slot(w, value, leaf));
}

static bool
is_constant_like(lw_widener *w, LLVMValueRef value)
{
    return lw_value_id(w->m, value) == LW_NONE;
}

/* undef and poison operands become zero: "may differ at each use" must not reach masks and branches. */
static V
plain_constant(LLVMValueRef value)
{
    return LLVMIsUndef(value) || LLVMIsPoison(value) ? LLVMConstNull(LLVMTypeOf(value)) : value;
}

V
lw_use_scalar(lw_widener *w, LLVMValueRef value)
{
    if (is_constant_like(w, value))
        return plain_constant(value);
    uint32_t id = lw_value_id(w->m, value);
    if (id < w->m->param_count)
        return w->params ? w->params[w->first_slot[id]] : LLVMGetParam(w->l.function, id);
    return read_slot(w, value, 0);
}

static V
spread(lw_widener *w, LLVMValueRef value, uint32_t leaf)
{
    V scalar = lw_scalar_leaf(w, lw_use_scalar(w, value), leaf);
    struct lw_vinfo info = lw_info(w, value);
    if (info.form != LW_STRIDED)
        return lane_splat(&w->l, scalar);
    LLVMTypeRef type = LLVMTypeOf(scalar);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        V offsets = lane_offsets(&w->l, LLVMInt64TypeInContext(w->l.context), info.offsets);
        return LLVMBuildGEP2(w->l.builder, LLVMInt8TypeInContext(w->l.context), scalar, &offsets, 1, "");
    }
    return LLVMBuildAdd(w->l.builder, lane_splat(&w->l, scalar), lane_offsets(&w->l, type, info.offsets), "");
}

V
lw_use_leaf(lw_widener *w, LLVMValueRef value, uint32_t leaf)
{
    return read_slot(w, value, leaf);
}

V
lw_use_for(lw_widener *w, LLVMValueRef of, LLVMValueRef value, uint32_t leaf)
{
    return lw_is_in_order(w, of) ? lw_use_in_order(w, value, leaf) : lw_use_vector(w, value, leaf);
}

V
lw_use_vector(lw_widener *w, LLVMValueRef value, uint32_t leaf)
{
    uint32_t id = lw_value_id(w->m, value);
    if (lw_is_in_order(w, value))
        return lw_use_component(w, value, leaf);
    if (id == LW_NONE)
        return lane_splat(&w->l, plain_constant(lw_scalar_leaf(w, plain_constant(value), leaf)));
    if (w->u->values[id].form == LW_VARYING)
        return id < w->m->param_count ? w->params[w->first_slot[id] + leaf] : read_slot(w, value, leaf);
    if (lw_leaf_count(w, LLVMTypeOf(value)) != 1)
        return spread(w, value, leaf);
    if (w->spread_stamp[id] != stamp_now(w)) {
        w->spread[id] = spread(w, value, leaf);
        w->spread_stamp[id] = stamp_now(w);
    }
    return w->spread[id];
}

void
lw_define_scalar(lw_widener *w, LLVMValueRef value, V scalar)
{
    write_slot(w, value, 0, scalar);
}

static V
insert_leaf(lw_widener *w, V aggregate, uint32_t leaf, V part)
{
    LLVMTypeRef type = LLVMTypeOf(aggregate);
    LLVMBuilderRef b = w->l.builder;
    if (!is_aggregate(type))
        return part;
    uint32_t i = element_of_leaf(w, type, &leaf);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return LLVMBuildInsertElement(b, aggregate, part, lane_int(&w->l, 32, i), "");
    V inner = insert_leaf(w, LLVMBuildExtractValue(b, aggregate, i, ""), leaf, part);
    return LLVMBuildInsertValue(b, aggregate, inner, i, "");
}

void
lw_define_leaf(lw_widener *w, LLVMValueRef value, uint32_t leaf, V made)
{
    bool vector = LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMVectorTypeKind;
    if (lw_is_varying(w, value)) {
        write_slot(w, value, leaf, vector ? made : lane_splat(&w->l, made));
        return;
    }
    /* The value of a lane that is alone. */
    V part = vector ? LLVMBuildExtractElement(w->l.builder, made, lane_int(&w->l, 32, 0), "") : made;
    V whole = leaf ? w->now[w->first_slot[lw_value_id(w->m, value)]] : LLVMGetUndef(LLVMTypeOf(value));
    write_slot(w, value, 0, insert_leaf(w, whole, leaf, part));
}

V
lw_clone_scalar(lw_widener *w, LLVMValueRef instruction)
{
    /* Operands first: reading them may add loads. */
    int n = LLVMGetNumOperands(instruction);
    V few[8], *operands = n > 8 ? malloc((size_t)n * sizeof *operands) : few;
    if (!operands) {
        lw_widen_fail(w, instruction, "out of memory");
        return LLVMConstNull(LLVMTypeOf(instruction));
    }
    for (int i = 0; i < n; i++) {
        LLVMValueRef o = LLVMGetOperand(instruction, (unsigned)i);
        LLVMValueKind kind = LLVMGetValueKind(o);
        bool same = kind == LLVMFunctionValueKind || kind == LLVMMetadataAsValueValueKind;
        operands[i] = same ? o : lw_use_scalar(w, o);
    }
    V clone = LLVMInstructionClone(instruction);
    for (int i = 0; i < n; i++)
        LLVMSetOperand(clone, (unsigned)i, operands[i]);
    LLVMInstructionSetDebugLoc(clone, NULL);
    LLVMInsertIntoBuilder(w->l.builder, clone);
    if (operands != few)
        free(operands);
    return clone;
}
