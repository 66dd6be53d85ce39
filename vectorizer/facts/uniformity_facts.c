/* SPDX-License-Identifier: MIT */
/* What one instruction makes of what is known of its operands: a step of the fixpoint in uniformity.c.
 *
 * Enters: the facts so far, of operands that come later in a loop too (unseen, at first). Leaves: nothing
 * changed but `distrusted` and `apart`. Relies on: the same as uniformity.c.
 */
#include <string.h>
#include <llvm-c/Target.h>

#include "agreement.h"
#include "calls.h"
#include "extensions.h"
#include "gep.h"
#include "integers.h"
#include "kept.h"
#include "roots.h"
#include "uniformity_internal.h"

/* ---- Operands ---- */

struct lw_fact
lw_operand_fact(struct analysis *a, LLVMValueRef value)
{
    uint32_t id = lw_value_id(a->m, value);
    if (id != LW_NONE)
        return a->facts[id];
    unsigned width = lw_fact_width(LLVMTypeOf(value));
    if (LLVMIsAConstantInt(value) && width)
        return lw_fact_constant(a->o, width, LLVMConstIntGetZExtValue(value));
    if (LLVMIsAInstruction(value)) /* in a block that is never reached */
        return (struct lw_fact){.level = LW_LEVEL_UNSEEN};
    return lw_fact_uniform(a->o, width, true);
}

uint32_t
lw_alloca_of(const struct analysis *a, LLVMValueRef value)
{
    uint32_t id = lw_value_id(a->m, value);
    return id == LW_NONE ? LW_NONE : a->u->alloca_base[id];
}

static struct lw_fact
weakest(LLVMValueRef i, unsigned width)
{
    return lw_fact_varying(width ? width : lw_fact_width(LLVMTypeOf(i)));
}

/* Uniform where all operands are, unseen while one is. */
static struct lw_fact
elementwise(struct analysis *a, LLVMValueRef i, unsigned operands)
{
    unsigned width = lw_fact_width(LLVMTypeOf(i));
    bool group_uniform = true, uniform = true, unseen = false;
    for (unsigned k = 0; k < operands; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        if (LLVMValueIsBasicBlock(operand))
            continue;
        struct lw_fact f = lw_operand_fact(a, operand);
        unseen |= f.level == LW_LEVEL_UNSEEN;
        uniform &= f.level == LW_LEVEL_UNIFORM;
        group_uniform &= f.group_uniform;
    }
    if (unseen)
        return (struct lw_fact){.level = LW_LEVEL_UNSEEN};
    return uniform ? lw_fact_uniform(a->o, width, group_uniform) : lw_fact_varying(width);
}
/* ---- Instructions ---- */

/* Does the call only compute, from its operands alone? */
static bool
is_pure(LLVMValueRef call)
{
    if (!lw_is_call_like(call, "llvm.") && lw_call_same(call) != LW_SAME_OPERANDS)
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
        return false;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, k));
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            type = LLVMGetElementType(type);
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
            return false;
    }
    return true;
}

/* By the instance that the arguments ask for. */
static struct lw_fact
kept_fact(struct analysis *a, LLVMValueRef call, unsigned width)
{
    bool uniform[LW_KEPT_PARAMS] = {false};

    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        struct lw_fact f = lw_operand_fact(a, LLVMGetOperand(call, k));
        if (f.level == LW_LEVEL_UNSEEN)
            return f;
        uniform[k] = f.level == LW_LEVEL_UNIFORM;
    }
    if (a->piece || !a->m->kept)
        return weakest(call, width);
    const struct lw_kept_instance *called = lw_kept_find(a->m->kept, LLVMGetCalledValue(call), uniform);
    return called && called->uniform_result ? lw_fact_uniform(a->o, width, false) : weakest(call, width);
}

static struct lw_fact
call_fact(struct analysis *a, LLVMValueRef i, unsigned width)
{
    const struct lw_call_row *row = lw_call_row(i);
    if (lw_is_kept(LLVMGetCalledValue(i)))
        return kept_fact(a, i, width);
    if (row && row->effect == LW_DOES_TELLS && row->same >= LW_SAME_SUB_GROUP)
        return lw_fact_uniform(a->o, width, row->same == LW_SAME_GROUP);
    if (is_pure(i))
        return elementwise(a, i, LLVMGetNumArgOperands(i));
    LLVMValueRef dim = LLVMGetNumArgOperands(i) == 1 ? LLVMGetOperand(i, 0) : NULL;
    struct lw_fact root = {.level = LW_LEVEL_UNSEEN};
    if (row && LLVMGetNumArgOperands(i) <= 1 && (!dim || LLVMIsAConstantInt(dim))) {
        /* a multiple of the piece, plus the lane in it */
        bool first = a->piece && row->id == LW_CALL_SUB_GROUP_LOCAL_ID;
        root = lw_root_fact(a->o, a->shape, first ? LW_CALL_LOCAL_LINEAR_ID : row->id, row->same,
                            dim ? (unsigned)LLVMConstIntGetZExtValue(dim) : 0, width);
    }
    return root.level != LW_LEVEL_UNSEEN ? root : weakest(i, width);
}

/* What a GEP adds to `address`; varying where that is no base and offsets. */
static struct lw_fact
add_steps(struct analysis *a, LLVMValueRef i, struct lw_fact address)
{
    for (struct lw_gep_walk g = lw_gep_walk(a->layout, i); lw_gep_step(&g);) {
        if (address.level == LW_LEVEL_VARYING)
            return lw_fact_varying(64);
        struct lw_fact step = lw_fact_constant(a->o, 64, g.bytes);
        if (g.index) {
            struct lw_fact index = lw_operand_fact(a, g.index);
            unsigned width = lw_fact_width(LLVMTypeOf(g.index));
            if (width == 0 || index.level == LW_LEVEL_UNSEEN)
                return lw_fact_varying(64);
            if (width < 64)
                index = lw_fact_cast(a->o, LLVMSExt, index, width, 64, false);
            if (index.assumes &&
                width < 64) /* the sign extension is no instruction: nobody could mend its base */
                return lw_fact_varying(64);
            step = lw_fact_binary(a->o, LLVMMul, index, step, 64, false, false);
        }
        address = lw_fact_binary(a->o, LLVMAdd, address, step, 64, false, false);
    }
    return address;
}

static struct lw_fact
gep_fact(struct analysis *a, LLVMValueRef i)
{
    struct lw_fact all = elementwise(a, i, (unsigned)LLVMGetNumOperands(i));
    if (all.level != LW_LEVEL_VARYING || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
        return all;
    struct lw_fact address = add_steps(a, i, lw_operand_fact(a, LLVMGetOperand(i, 0)));
    return address.level != LW_LEVEL_VARYING && lw_fact_reaches(a->o, &address) ? address : all;
}

/* Lane numbers in a constant table: offsets again, where each lane's element is known. */
static struct lw_fact
table_fact(struct analysis *a, LLVMValueRef load, unsigned width)
{
    LLVMValueRef gep = LLVMGetOperand(load, 0);
    LLVMValueRef table = LLVMIsAGetElementPtrInst(gep) ? LLVMGetOperand(gep, 0) : NULL;
    struct lw_fact f = lw_fact_varying(width);
    int64_t values[LW_MAX_LANES];
    if (!width || !table || !LLVMIsAGlobalVariable(table) || !LLVMIsGlobalConstant(table) ||
        LLVMGetVolatile(load) || !LLVMGetInitializer(table) ||
        LLVMGetTypeKind(LLVMTypeOf(load)) != LLVMIntegerTypeKind)
        return f;
    LLVMValueRef data = LLVMGetInitializer(table);
    LLVMTypeRef type = LLVMTypeOf(data);
    struct lw_fact place = add_steps(a, gep, lw_fact_constant(a->o, 64, 0));
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetElementType(type) != LLVMTypeOf(load) ||
        place.level != LW_LEVEL_STRIDED || place.known != 64 || place.assumes || place.in_buffer)
        return f;
    int64_t size = width / 8;
    for (unsigned lane = 0; lane < a->shape->lanes; lane++) {
        int64_t at = (int64_t)place.residue + place.offsets[lane];
        LLVMValueRef element =
            width % 8 == 0 && at >= 0 && at % size == 0 && at / size < (int64_t)LLVMGetArrayLength2(type)
                ? LLVMGetAggregateElement(data, (unsigned)(at / size))
                : NULL;
        if (!element || !LLVMIsAConstantInt(element))
            return f;
        values[lane] = LLVMConstIntGetSExtValue(element);
    }
    f = lw_fact_constant(a->o, width, (uint64_t)values[0]);
    for (unsigned lane = 0; lane < a->shape->lanes; lane++) {
        f.lo = values[lane] < f.lo ? values[lane] : f.lo;
        f.hi = values[lane] > f.hi ? values[lane] : f.hi;
    }
    for (unsigned lane = a->shape->lanes; lane-- > 0;)
        values[lane] = lw_sign_extend((uint64_t)values[lane] - (uint64_t)values[0], width);
    f.offsets = lw_offsets_intern(a->o, values);
    f.group_uniform = false;
    lw_fact_finish(a->o, &f, width);
    return f;
}

static struct lw_fact
load_fact(struct analysis *a, LLVMValueRef i, unsigned width)
{
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    struct lw_fact address = lw_operand_fact(a, pointer);
    uint32_t base = lw_alloca_of(a, pointer);
    if (address.level == LW_LEVEL_UNSEEN)
        return address;
    if (address.level == LW_LEVEL_STRIDED)
        return table_fact(a, i, width);
    if (address.level != LW_LEVEL_UNIFORM || base == MIXED ||
        (base != LW_NONE && a->u->varying_alloca[base]) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return lw_fact_varying(width);
    bool constant = lw_space_of(pointer) == LW_AS_CONSTANT;
    return lw_fact_uniform(a->o, width, constant && address.group_uniform);
}

/* Joins what comes in; `apart`: the lanes that meet here may bring different values. */
static struct lw_fact
phi_fact(struct analysis *a, LLVMValueRef i, uint32_t block, unsigned width)
{
    struct lw_fact f = {.level = LW_LEVEL_UNSEEN};
    LLVMValueRef first = NULL;
    bool same = true, temporal = false, group_temporal = false;
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
        LLVMValueRef value = LLVMGetIncomingValue(i, k);
        uint32_t from = lw_block_id(a->m, LLVMGetIncomingBlock(i, k)), id = lw_value_id(a->m, value);
        if (from == LW_NONE)
            continue;
        uint32_t home = id == LW_NONE ? LW_NONE : a->block_of[id];
        same &= first == NULL || first == value;
        first = value;
        if (home != LW_NONE) {
            temporal |= lw_scope_temporal(a->sub_group, home, from, block);
            group_temporal |= lw_scope_temporal(a->group, home, from, block);
        }
        f = lw_fact_join(f, lw_operand_fact(a, value), width);
    }
    if (f.level == LW_LEVEL_UNSEEN)
        return f;
    if (temporal || (a->sub_group->join[block] && !same)) {
        struct lw_fact varying = lw_fact_varying(width);
        if (width) {
            varying.lo = f.lo;
            varying.hi = f.hi;
        }
        f = varying;
    }
    if (group_temporal || (a->group->join[block] && !same))
        f.group_uniform = false;
    f.assumes = false;
    uint32_t loop = a->m->blocks[block].loop;
    if (width && loop != LW_NONE &&
        a->m->loops[loop].header == block) { /* no range: it would grow for ever */
        struct lw_fact full = lw_fact_varying(width);
        f.lo = full.lo;
        f.hi = full.hi;
    }
    return f;
}

static struct lw_fact
select_fact(struct analysis *a, LLVMValueRef i, unsigned width)
{
    struct lw_fact all = elementwise(a, i, 3), condition = lw_operand_fact(a, LLVMGetOperand(i, 0));
    struct lw_fact on = lw_operand_fact(a, LLVMGetOperand(i, 1)),
                   off = lw_operand_fact(a, LLVMGetOperand(i, 2));
    if (all.level == LW_LEVEL_UNSEEN || !width)
        return all;
    struct lw_fact f = lw_fact_join(on, off, width);
    if (condition.level != LW_LEVEL_UNIFORM && LLVMGetOperand(i, 1) != LLVMGetOperand(i, 2)) {
        all.lo = f.lo;
        all.hi = f.hi;
        return all;
    }
    f.group_uniform &= condition.group_uniform;
    f.assumes = false;
    return f;
}

/* This value differs between sub-groups that go through the code together. */
void
lw_set_apart(struct analysis *a, uint32_t id)
{
    if (!a->apart[id])
        a->apart[id] = a->changed = true;
}

/* The difference of two strided values with equal offsets is that of their bases. */
static struct lw_fact
compare_fact(struct analysis *a, LLVMValueRef i, unsigned width)
{
    struct lw_fact all = elementwise(a, i, 2);
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    struct lw_fact x = lw_operand_fact(a, LLVMGetOperand(i, 0)), y = lw_operand_fact(a, LLVMGetOperand(i, 1));
    if (all.level == LW_LEVEL_VARYING && x.level == LW_LEVEL_STRIDED && y.level == LW_LEVEL_STRIDED &&
        x.offsets == y.offsets && (p == LLVMIntEQ || p == LLVMIntNE))
        return lw_fact_uniform(a->o, width, false);
    bool known = x.level != LW_LEVEL_VARYING && y.level != LW_LEVEL_VARYING;
    if (all.level == LW_LEVEL_VARYING && known &&
        lw_lanes_agree(a->shape->lanes, p, &x, &y, lw_fact_width(LLVMTypeOf(LLVMGetOperand(i, 0))))) {
        lw_set_apart(a, lw_value_id(a->m, i));
        return lw_fact_uniform(a->o, width, false);
    }
    return all;
}

/* index / divisor * -divisor, or with the sign taken out. */
static bool
is_whole_part(LLVMValueRef i, LLVMValueRef index, uint64_t divisor, bool negative)
{
    if (!LLVMIsAInstruction(i) || LLVMGetInstructionOpcode(i) != LLVMMul ||
        !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return false;
    LLVMValueRef quotient = LLVMGetOperand(i, 0);
    int64_t factor = LLVMConstIntGetSExtValue(LLVMGetOperand(i, 1));
    return factor == (negative ? -(int64_t)divisor : (int64_t)divisor) && LLVMIsAInstruction(quotient) &&
           LLVMGetInstructionOpcode(quotient) == LLVMUDiv && LLVMGetOperand(quotient, 0) == index &&
           LLVMIsAConstantInt(LLVMGetOperand(quotient, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(quotient, 1)) == divisor;
}

bool
lw_is_remainder(LLVMValueRef i, LLVMValueRef index, uint64_t divisor)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMURem && op != LLVMAdd && op != LLVMSub)
        return false;
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    if (op == LLVMURem)
        return x == index && LLVMIsAConstantInt(y) && LLVMConstIntGetZExtValue(y) == divisor;
    if (op == LLVMSub)
        return x == index && is_whole_part(y, index, divisor, false);
    return (x == index && is_whole_part(y, index, divisor, true)) ||
           (y == index && is_whole_part(x, index, divisor, true));
}

/* Inside a piece a quotient is uniform, and the remainder counts up with the index. */
static bool
piece_fact(struct analysis *a, LLVMValueRef i, LLVMOpcode op, unsigned width, struct lw_fact *f)
{
    const struct lw_piece *p = a->piece;
    if (!p || !p->index)
        return false;
    if (op == LLVMUDiv && LLVMGetOperand(i, 0) == p->index && LLVMIsAConstantInt(LLVMGetOperand(i, 1)) &&
        LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) % p->divisor == 0 &&
        LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1))) {
        *f = lw_fact_uniform(a->o, width, false);
        f->lo = 0;
        f->hi = (int64_t)((UINT64_MAX >> (64 - width)) / p->divisor);
        return true;
    }
    if (!lw_is_remainder(i, p->index, p->divisor))
        return false;
    struct lw_fact index = lw_operand_fact(a, p->index);
    *f = lw_fact_uniform(a->o, width, false);
    f->offsets = index.offsets ? index.offsets : lw_offsets_linear(a->o, 1);
    f->exact_signed = f->exact_unsigned = LW_NOT_PROVED;
    f->lo = 0;
    f->hi = (int64_t)p->divisor - 1;
    lw_fact_finish(a->o, f, width);
    return true;
}

static struct lw_fact
binary_fact(struct analysis *a, LLVMValueRef i, LLVMOpcode op, unsigned width)
{
    struct lw_fact all = elementwise(a, i, 2), own;
    if (all.level == LW_LEVEL_UNSEEN || !width)
        return all;
    if (piece_fact(a, i, op, width, &own))
        return own;
    bool wraps = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    return lw_fact_binary(a->o, op, lw_operand_fact(a, LLVMGetOperand(i, 0)),
                          lw_operand_fact(a, LLVMGetOperand(i, 1)), width, wraps && LLVMGetNSW(i),
                          wraps && LLVMGetNUW(i));
}

/* Two active lanes that a 32-bit wrap sets apart would access one buffer 2^32 bytes apart (flow/addresses.h).
 */
static bool
trusts_accesses(struct analysis *a, LLVMValueRef extension)
{
    return a->shape->buffers_4g && !a->distrusted[lw_value_id(a->m, extension)] &&
           lw_serves_accesses_only(extension);
}

/* An address that varies proves nothing about the extensions in it. */
void
lw_distrust_operands(struct analysis *a, LLVMValueRef i, LLVMOpcode op)
{
    int operands = op == LLVMLoad || op == LLVMStore ? 0 : LLVMGetNumOperands(i);
    for (int k = 0; k < operands; k++) {
        uint32_t id = lw_value_id(a->m, LLVMGetOperand(i, (unsigned)k));
        if (id != LW_NONE && a->facts[id].in_buffer && !a->distrusted[id])
            a->distrusted[id] = a->changed = true;
    }
}

static struct lw_fact
cast_fact(struct analysis *a, LLVMValueRef i, LLVMOpcode op, unsigned width)
{
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    struct lw_fact f = lw_operand_fact(a, operand);
    unsigned from = lw_fact_width(LLVMTypeOf(operand));
    if (f.level == LW_LEVEL_UNSEEN)
        return f;
    if (op == LLVMPtrToInt || op == LLVMIntToPtr)
        op = width < from ? LLVMTrunc : width > from ? LLVMZExt : LLVMBitCast;
    if (op == LLVMTrunc || op == LLVMZExt || op == LLVMSExt)
        return lw_fact_cast(a->o, op, f, from, width, trusts_accesses(a, i));
    if (!from || from != width)
        return elementwise(a, i, 1);
    f.assumes = false;
    return f;
}

static struct lw_fact
fact_of_lanes(struct analysis *a, LLVMValueRef i, LLVMOpcode op, uint32_t block, unsigned width)
{
    if (lw_is_int_operation(op) || lw_is_int_division(op))
        return binary_fact(a, i, op, width);
    switch (op) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return cast_fact(a, i, op, width);
    case LLVMICmp:
        return compare_fact(a, i, width);
    case LLVMPHI:
        return phi_fact(a, i, block, width);
    case LLVMSelect:
        return select_fact(a, i, width);
    case LLVMGetElementPtr:
        return gep_fact(a, i);
    case LLVMLoad:
        return load_fact(a, i, width);
    case LLVMCall:
        return call_fact(a, i, width);
    case LLVMAlloca:
        if (a->u->varying_alloca[lw_value_id(a->m, i)] &&
            a->u->privates.arrays[lw_value_id(a->m, i)].layout != LW_PRIVATE_LANE_MINOR)
            return lw_fact_varying(width);
        return lw_fact_uniform(a->o, width, false);
    case LLVMFCmp:
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMStore:
    case LLVMFence:
    case LLVMRet:
    case LLVMUnreachable:
        return elementwise(a, i, (unsigned)LLVMGetNumOperands(i));
    case LLVMBr:
    case LLVMSwitch:
        return elementwise(a, i, LLVMGetNumOperands(i) > 1 ? 1 : 0);
    default:
        return weakest(i, width);
    }
}

/* A lane that is alone agrees with itself, whatever its value comes from; with the work-group's other
 * sub-groups it does not. */
struct lw_fact
lw_instruction_fact(struct analysis *a, LLVMValueRef i, LLVMOpcode op, uint32_t block)
{
    unsigned width = lw_fact_width(LLVMTypeOf(i));
    struct lw_fact f = fact_of_lanes(a, i, op, block, width);
    if (a->shape->lanes > 1 || f.level == LW_LEVEL_UNSEEN)
        return f;
    if (f.level > LW_LEVEL_UNIFORM) {
        struct lw_fact alone = lw_fact_uniform(a->o, width, false);
        alone.lo = f.lo;
        alone.hi = f.hi;
        f = alone;
    }
    if (!f.group_uniform)
        lw_set_apart(a, lw_value_id(a->m, i));
    return f;
}
