/* SPDX-License-Identifier: MIT */
/* One instruction of a body: supported, and its operands of the types that SPIR-V demands.
 *
 * Enters: an instruction in range.  Leaves: the promise that the emitter can translate it by its types.
 * Relies on: check_types.c having checked every type.  Never: looks at where operands are defined
 * (check_flow.c).
 */
#include <stdlib.h>
#include <string.h>

#include "check_parts.h"

static bool
check_bitcast(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), o = lw_shape_of(c->m, lw_word(c->m, inst, 3));
    bool numbers = (r.class == LW_CLASS_INT || r.class == LW_CLASS_FLOAT || r.class == LW_CLASS_POINTER) &&
                   (o.class == LW_CLASS_INT || o.class == LW_CLASS_FLOAT || o.class == LW_CLASS_POINTER);
    if (!numbers || r.width * r.lanes != o.width * o.lanes ||
        (r.class == LW_CLASS_POINTER && o.class == LW_CLASS_POINTER && r.storage != o.storage))
        return lw_invalid(c, inst, "its operand cannot be reinterpreted so");
    return true;
}

/* OpenCL C's CLK_NULL_EVENT and CLK_NULL_RESERVE_ID are SIZE_MAX as an opaque type: clang-15's pointers,
 * which llvm-spirv converts, casts and compares as such. */
static bool
check_handle_cast(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), o = lw_shape_of(c->m, lw_word(c->m, inst, 3));
    return (inst->count == 4 && r.class == LW_CLASS_INT && r.lanes == 1 && o.class == LW_CLASS_INT &&
            o.lanes == 1) ||
           lw_invalid(c, inst, "its operand or its result is not of a type that it can have");
}

static bool
check_generic_cast(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), o = lw_shape_of(c->m, lw_word(c->m, inst, 3));
    bool to = inst->op == SpvOpPtrCastToGeneric;
    uint32_t generic = to ? r.storage : o.storage, named = to ? o.storage : r.storage;
    bool explicit_fits = inst->op != SpvOpGenericCastToPtrExplicit || lw_word(c->m, inst, 4) == named;
    if (r.class != LW_CLASS_POINTER || o.class != LW_CLASS_POINTER || generic != SpvStorageClassGeneric ||
        (named != SpvStorageClassCrossWorkgroup && named != SpvStorageClassWorkgroup &&
         named != SpvStorageClassFunction) ||
        !explicit_fits)
        return lw_invalid(c, inst, "it does not cast between a generic and a named address space");
    return true;
}

/* Products and sums with a second word: the result is a structure of two such values. */
static bool
check_extended(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    const struct lw_inst *type = lw_def(m, inst->type);
    struct lw_shape a = lw_shape_of(m, lw_word(m, inst, 3));
    if (inst->count != 5 || !type || type->op != SpvOpTypeStruct || type->count != 4 ||
        a.class != LW_CLASS_INT || !lw_same_shape(a, lw_shape_of(m, lw_word(m, inst, 4))) ||
        !lw_same_shape(a, lw_shape_of_type(m, lw_word(m, type, 2))) ||
        !lw_same_shape(a, lw_shape_of_type(m, lw_word(m, type, 3))))
        return lw_invalid(c, inst, "its result is no structure of two values like its operands");
    return true;
}

/* Two integer vectors of one type, or four bytes packed in a 32-bit integer each. */
static bool
check_dot(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type), a = lw_shape_of(m, lw_word(m, inst, 3));
    uint32_t operands = inst->op >= SpvOpSDotAccSatKHR ? 6 : 5;
    bool packed = a.lanes == 1 && a.width == 32;
    if (inst->count != operands + packed)
        return lw_invalid(c, inst, "it has the wrong number of operands");
    if (packed && lw_word(m, inst, operands) != SpvPackedVectorFormatPackedVectorFormat4x8BitKHR)
        return lw_refused(c, inst, "its packed vector format is not supported");
    if (r.class != LW_CLASS_INT || r.lanes != 1 || a.class != LW_CLASS_INT || (a.lanes < 2 && !packed) ||
        (!packed && a.width > r.width) || !lw_same_shape(a, lw_shape_of(m, lw_word(m, inst, 4))) ||
        (operands == 6 && !lw_same_shape(r, lw_shape_of(m, lw_word(m, inst, 5)))))
        return lw_invalid(c, inst, "an operand is not of the type that it must have");
    return true;
}

static int
compare_cases(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool
check_switch(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape s = lw_shape_of(m, lw_word(m, inst, 1));
    uint32_t words = lw_switch_literal_words(m, inst), count = (inst->count - 3u) / (words + 1);
    if (s.class != LW_CLASS_INT || s.lanes != 1 || (inst->count - 3u) % (words + 1))
        return lw_invalid(c, inst, "its selector is no integer, or a case is cut off");
    uint64_t *cases = calloc(count + 1u, sizeof *cases);
    if (!cases)
        return lw_spirv_fail(c->error, LW_ERR_MEMORY, inst->at);
    uint64_t mask = s.width >= 64 ? UINT64_MAX : ((uint64_t)1 << s.width) - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t w = 3 + i * (words + 1);
        cases[i] = (lw_word(m, inst, w) | (words == 2 ? (uint64_t)lw_word(m, inst, w + 1) << 32 : 0)) & mask;
    }
    qsort(cases, count, sizeof *cases, compare_cases);
    bool fine = true;
    for (uint32_t i = 1; i < count && fine; i++)
        fine = cases[i - 1] != cases[i] || lw_invalid(c, inst, "it has the same case twice");
    free(cases);
    return fine;
}

static bool
check_return(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape wanted = lw_shape_of_type(m, m->insts[c->flow->function->inst].type);
    if (inst->op == SpvOpReturn)
        return wanted.class == LW_CLASS_VOID || lw_invalid(c, inst, "the function returns a value");
    return lw_same_shape(wanted, lw_shape_of(m, lw_word(m, inst, 1))) ||
           lw_invalid(c, inst, "the value is not of the function's type");
}

/* Instructions that no signature describes. true: it was one of them. */
static bool
check_special(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    switch (inst->op) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpLabel:
    case SpvOpBranch:
    case SpvOpUnreachable:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge: return true;
    case SpvOpUndef:
    case SpvOpPhi:
        *fine = lw_is_value(c->m, r) || lw_refused(c, inst, "its type is not supported");
        return true;
    case SpvOpBranchConditional:
        r = lw_shape_of(c->m, lw_word(c->m, inst, 1));
        *fine =
            (r.class == LW_CLASS_BOOL && r.lanes == 1) || lw_invalid(c, inst, "its condition is no boolean");
        return true;
    case SpvOpSwitch: *fine = check_switch(c, inst); return true;
    case SpvOpReturn:
    case SpvOpReturnValue: *fine = check_return(c, inst); return true;
    case SpvOpBitcast: *fine = check_bitcast(c, inst); return true;
    case SpvOpConvertPtrToU: /* here where a handle is */
    case SpvOpConvertUToPtr: *fine = check_handle_cast(c, inst); return true;
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        *fine = lw_casts_handle(c->m, inst) ? check_handle_cast(c, inst) : check_generic_cast(c, inst);
        return true;
    case SpvOpGenericCastToPtrExplicit: *fine = check_generic_cast(c, inst); return true;
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended: *fine = check_extended(c, inst); return true;
    case SpvOpSDotKHR:
    case SpvOpUDotKHR:
    case SpvOpSUDotKHR:
    case SpvOpSDotAccSatKHR:
    case SpvOpUDotAccSatKHR:
    case SpvOpSUDotAccSatKHR: *fine = check_dot(c, inst); return true;
    case SpvOpExtInst: *fine = lw_check_ext_inst(c, inst); return true;
    case SpvOpFunctionCall: *fine = lw_check_call(c, inst); return true;
    default: return false;
    }
}

bool
lw_check_instruction(struct lw_check *c, const struct lw_inst *inst)
{
    const struct lw_signature *row = lw_signature_of(inst->op);
    if (row && !lw_casts_handle(c->m, inst))
        return lw_check_signature(c, inst, row->result, row->operands, 1u + 2u * (row->result != 0));
    bool fine = true;
    if (check_special(c, inst, &fine) || lw_check_memory(c, inst, &fine) ||
        lw_check_composite(c, inst, &fine) || lw_check_group(c, inst, &fine) ||
        lw_check_pipe(c, inst, &fine) || lw_check_image(c, inst, &fine) || lw_check_enqueue(c, inst, &fine))
        return fine;
    if (!lw_op_known(inst->op))
        return lw_spirv_fail(c->error, LW_ERR_UNKNOWN_OP, inst->at, inst->op, inst->at, c->kernel);
    return lw_refused(c, inst, "this instruction is not supported in kernels");
}
