/* SPDX-License-Identifier: MIT */
/* Reads the types of OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo: no check has looked into them, so
 * what is not as it should be is nothing. */
#include "debug_info.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "intrinsics.h"

enum { TYPES_DEEP = 8, MOST_MEMBERS = 64 };

const struct lw_inst *
lw_debug_inst(const lw_emitter *e, uint32_t id, uint32_t number, unsigned operands)
{
    const struct lw_inst *inst = id < e->spv->bound ? lw_def(e->spv, id) : NULL;
    if (!inst || inst->op != SpvOpExtInst || !lw_is_debug_set(e->spv, inst))
        return NULL;
    return lw_word(e->spv, inst, 4) == number && inst->count >= LW_DEBUG_FIRST_OPERAND + operands ? inst
                                                                                                  : NULL;
}

uint32_t
lw_debug_operand(const lw_emitter *e, const struct lw_inst *inst, unsigned n)
{
    return lw_word(e->spv, inst, LW_DEBUG_FIRST_OPERAND + n);
}

static bool
has_literals(const lw_emitter *e, const struct lw_inst *inst)
{
    return e->spv->ext_sets[lw_word(e->spv, inst, 3)] == LW_EXT_DEBUG_INFO;
}

/* A size, an offset, or a number of elements: a constant in both sets. */
static uint32_t
constant_of(const lw_emitter *e, const struct lw_inst *inst, unsigned n)
{
    uint32_t id = lw_debug_operand(e, inst, n);
    const struct lw_inst *constant = id < e->spv->bound ? lw_def(e->spv, id) : NULL;
    return constant && constant->op == SpvOpConstant ? lw_word(e->spv, constant, 3) : 0;
}

uint32_t
lw_debug_number(const lw_emitter *e, const struct lw_inst *inst, unsigned n)
{
    return has_literals(e, inst) ? lw_debug_operand(e, inst, n) : constant_of(e, inst, n);
}

const char *
lw_debug_name(const lw_emitter *e, const struct lw_inst *inst)
{
    uint32_t name = lw_debug_operand(e, inst, 0);
    return name < e->spv->bound && lw_op_of(e->spv, name) == SpvOpString
               ? lw_string_at(e->spv, lw_def(e->spv, name)->at + 2)
               : "?";
}

/* Below names and qualifiers. */
static uint32_t
plain_type(const lw_emitter *e, uint32_t type)
{
    const struct lw_inst *outer;
    for (unsigned deep = 0; deep < TYPES_DEEP; deep++) {
        if ((outer = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypedef, 2)))
            type = lw_debug_operand(e, outer, 1);
        else if ((outer = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeQualifier, 1)))
            type = lw_debug_operand(e, outer, 0);
        else
            break;
    }
    return type;
}

uint32_t
lw_debug_encoding(const lw_emitter *e, uint32_t type)
{
    type = plain_type(e, type);
    if (lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypePointer, 1))
        return LW_ENCODED_POINTER;
    const struct lw_inst *vector = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeVector, 1);
    const struct lw_inst *basic =
        lw_debug_inst(e, vector ? plain_type(e, lw_debug_operand(e, vector, 0)) : type,
                      OpenCLDebugInfo100DebugTypeBasic, 3);
    return basic ? lw_debug_number(e, basic, 2) : 0;
}

T
lw_debug_value_type(const lw_emitter *e, uint32_t type)
{
    type = plain_type(e, type);
    const struct lw_inst *vector = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeVector, 2);
    const struct lw_inst *basic =
        lw_debug_inst(e, vector ? plain_type(e, lw_debug_operand(e, vector, 0)) : type,
                      OpenCLDebugInfo100DebugTypeBasic, 3);
    uint32_t bits = basic ? constant_of(e, basic, 1) : 0, count = vector ? lw_debug_number(e, vector, 1) : 1;
    bool real = basic && lw_debug_number(e, basic, 2) == OpenCLDebugInfo100Float;
    T scalar = bits == 16   ? real ? e->f16 : e->i16
               : bits == 32 ? real ? e->f32 : e->i32
               : bits == 64 ? real ? e->f64 : e->i64
               : bits == 8  ? e->i8
                            : NULL;
    if (!scalar || !count || count > 16)
        return NULL;
    return count > 1 ? LLVMVectorType(scalar, count) : scalar;
}

bool
lw_debug_distance(const lw_emitter *e, uint32_t expression, uint32_t *bytes)
{
    const struct lw_inst *inst = lw_debug_inst(e, expression, OpenCLDebugInfo100DebugExpression, 0), *step;
    *bytes = 0;
    if (!inst || inst->count == LW_DEBUG_FIRST_OPERAND)
        return inst != NULL;
    step = lw_debug_inst(e, lw_debug_operand(e, inst, 0), OpenCLDebugInfo100DebugOperation, 2);
    if (!step || inst->count != LW_DEBUG_FIRST_OPERAND + 1 ||
        lw_debug_number(e, step, 0) != OpenCLDebugInfo100PlusUconst)
        return false;
    *bytes = lw_debug_number(e, step, 1);
    return true;
}

/* ---- What pointers point to ---- */

static LLVMMetadataRef describe(lw_emitter *e, uint32_t type, unsigned deep);

static LLVMMetadataRef
describe_basic(lw_emitter *e, const struct lw_inst *basic)
{
    const char *name = lw_debug_name(e, basic);
    return LLVMDIBuilderCreateBasicType(e->di, name, strlen(name), constant_of(e, basic, 1),
                                        lw_dwarf_encoding(lw_debug_number(e, basic, 2)), LLVMDIFlagZero);
}

/* Of an array, or a vector: three components have the room of four. */
static LLVMMetadataRef
describe_row(lw_emitter *e, const struct lw_inst *row, bool vector, unsigned deep)
{
    LLVMMetadataRef of = describe(e, lw_debug_operand(e, row, 0), deep);
    uint32_t count = vector ? lw_debug_number(e, row, 1) : constant_of(e, row, 1),
             room = vector && count == 3 ? 4 : count;
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(e->di, 0, count);
    return of ? LLVMDIBuilderCreateArrayType(e->di, LLVMDITypeGetSizeInBits(of) * room, 0, of, &range, 1)
              : NULL;
}

/* What tells of an offset is one operand further on where a member has a parent. */
static LLVMMetadataRef
describe_composite(lw_emitter *e, const struct lw_inst *composite, unsigned deep)
{
    LLVMMetadataRef members[MOST_MEMBERS];
    const char *name = lw_debug_name(e, composite);
    unsigned count = 0, first = 9, parent = has_literals(e, composite);
    for (unsigned n = first; LW_DEBUG_FIRST_OPERAND + n < composite->count && count < MOST_MEMBERS; n++) {
        const struct lw_inst *m =
            lw_debug_inst(e, lw_debug_operand(e, composite, n), OpenCLDebugInfo100DebugTypeMember, 7);
        LLVMMetadataRef type = m ? describe(e, lw_debug_operand(e, m, 1), deep) : NULL;
        if (!type)
            continue;
        const char *of = lw_debug_name(e, m);
        members[count++] = LLVMDIBuilderCreateMemberType(e->di, e->di_file, of, strlen(of), e->di_file, 0,
                                                         constant_of(e, m, 6 + parent), 0,
                                                         constant_of(e, m, 5 + parent), LLVMDIFlagZero, type);
    }
    return LLVMDIBuilderCreateStructType(e->di, e->di_file, name, strlen(name), e->di_file, 0,
                                         constant_of(e, composite, 7), 0, LLVMDIFlagZero, NULL, members,
                                         count, 0, NULL, "", 0);
}

static LLVMMetadataRef
describe(lw_emitter *e, uint32_t type, unsigned deep)
{
    const struct lw_inst *inst;
    type = plain_type(e, type);
    if ((inst = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeBasic, 3)))
        return describe_basic(e, inst);
    if (!deep)
        return NULL;
    if ((inst = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeVector, 2)))
        return describe_row(e, inst, true, deep - 1);
    if ((inst = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeArray, 2)))
        return describe_row(e, inst, false, deep - 1);
    if ((inst = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypeComposite, 9)))
        return describe_composite(e, inst, deep - 1);
    inst = lw_debug_inst(e, type, OpenCLDebugInfo100DebugTypePointer, 1); /* which may lead back */
    return inst ? LLVMDIBuilderCreatePointerType(e->di, describe(e, lw_debug_operand(e, inst, 0), 0), 64, 64,
                                                 0, "", 0)
                : NULL;
}

LLVMMetadataRef
lw_debug_pointee(lw_emitter *e, uint32_t pointer)
{
    const struct lw_inst *inst =
        lw_debug_inst(e, plain_type(e, pointer), OpenCLDebugInfo100DebugTypePointer, 1);
    return inst ? describe(e, lw_debug_operand(e, inst, 0), TYPES_DEEP) : NULL;
}
