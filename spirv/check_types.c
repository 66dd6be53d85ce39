/* SPDX-License-Identifier: MIT */
/* Types, constants and module-scope variables that a kernel uses.
 *
 * Enters: a read module and the list of what is used.  Leaves: the promise that each is well formed and
 * supported. Relies on: lw_uses_collect listing operands of operands too.  Never: recurses; each item is
 * checked by itself, its operands being in the list as well and before it.
 */
#include "chains.h"
#include "check_parts.h"
#include "pipe.h"

#define MOST_NESTED 16 /* types in each other, that are compared part by part */

static bool
is_storage(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassUniformConstant:
    case SpvStorageClassInput:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassFunction:
    case SpvStorageClassGeneric: return true;
    default: return false;
    }
}

static bool
check_struct(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_layout layout;
    if (!lw_type_layout(m, inst->result, &layout))
        return lw_refused(c, inst,
                          "the structure has a member without a size, or is too large or too deeply nested");
    for (uint32_t i = m->first_decoration[inst->result]; i < m->first_decoration[inst->result + 1]; i++) {
        const struct lw_decoration *d = &m->decorations[i];
        if (d->kind == SpvDecorationOffset && d->count && d->member < inst->count - 2u &&
            m->words[d->at] != lw_member_offset(m, inst->result, d->member))
            return lw_refused(c, inst, "a member's Offset is not the natural one");
    }
    return true;
}

/* Instructions for types that may stand behind a pointer or in a signature. */
static bool
check_type(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_layout layout;
    bool laid_out = lw_type_layout(m, inst->result, &layout);
    uint32_t lanes = lw_word(m, inst, 3), width = lw_word(m, inst, 2);
    switch (inst->op) {
    case SpvOpTypeInt: return laid_out || lw_refused(c, inst, "integers have at most 64 bits");
    case SpvOpTypeFloat:
        return ((width == 16 || width == 32 || width == 64) && inst->count == 3) ||
               lw_refused(c, inst, "floating-point numbers are half, float or double");
    case SpvOpTypeVector:
        /* Clang's passes make six halves of three words, and its SPIR-V has them. Of one component they make
         * pointers on the way to another, clang-15 at -O0 constants on the way to as_int2(1.0): values like
         * their component, and without a layout, so that none is in memory. */
        if (lanes == 1 && lw_op_of(m, lw_word(m, inst, 2)) != SpvOpTypePointer)
            return true;
        return (laid_out && lanes >= 2 && lanes <= LW_MAX_VECTOR) ||
               lw_refused(c, inst, "vectors have 2 to 64 numbers or booleans");
    case SpvOpTypeArray:
        return laid_out || lw_refused(c, inst, "the array has no size, or is too large or deep");
    case SpvOpTypeStruct: return check_struct(c, inst);
    case SpvOpTypePointer:
        return is_storage(lw_word(m, inst, 2)) || lw_refused(c, inst, "its storage class is not supported");
    case SpvOpTypeFunction: return true; /* its parts are checked where it is used */
    default: return true;
    }
}

static bool
is_address_operation(uint32_t op)
{
    return (lw_derives_pointer(op) && op != SpvOpCopyObject) || op == SpvOpConvertPtrToU ||
           op == SpvOpConvertUToPtr;
}

/* An OpSpecConstantOp that is computed where it is used, as an instruction: its value is not known before, so
 * that nothing in memory can begin with it. */
static bool
is_computed(const lw_module *m, uint32_t id)
{
    uint64_t lanes[LW_MAX_VECTOR];
    for (;;) {
        const struct lw_inst *inst = lw_def(m, id);
        if (!inst || inst->op != SpvOpSpecConstantOp || lw_constant_values(m, id, lanes))
            return false;
        uint32_t base = lw_word(m, inst, 4);
        struct lw_shape s = lw_shape_of_type(m, inst->type);
        bool address = s.class == LW_CLASS_POINTER || lw_word(m, inst, 3) == SpvOpConvertPtrToU;
        if (!is_address_operation(lw_word(m, inst, 3)) || !address || m->def[base] >= m->def[id])
            return true;
        id = base;
    }
}

/* Types whose values are the same bytes. clang-22 writes pointers in initialisers with other pointees than
 * those in their places have, which makes other types of the arrays and structures around them. A caller has
 * bounded the leaves of both. */
static bool
is_alike(const lw_module *m, uint32_t a, uint32_t b, unsigned depth)
{
    const struct lw_inst *x = lw_def(m, a), *y = lw_def(m, b);
    if (a == b || !x || !y || x->op != y->op || x->count != y->count || !depth)
        return a == b;
    switch (x->op) {
    case SpvOpTypeArray:
        return lw_array_length(m, a) == lw_array_length(m, b) &&
               is_alike(m, lw_word(m, x, 2), lw_word(m, y, 2), depth - 1);
    case SpvOpTypeStruct:
        for (uint32_t i = 0; i < x->count - 2u; i++)
            if (lw_member_offset(m, a, i) != lw_member_offset(m, b, i) ||
                !is_alike(m, lw_word(m, x, 2 + i), lw_word(m, y, 2 + i), depth - 1))
                return false;
        return true;
    default: return lw_same_shape(lw_shape_of_type(m, a), lw_shape_of_type(m, b));
    }
}

/* Whether a value may begin what is of `type`. clang-22 writes null pointers as 64-bit zeros. */
static bool
fits(const lw_module *m, uint32_t id, uint32_t type)
{
    struct lw_shape value = lw_shape_of(m, id), place = lw_shape_of_type(m, type);
    bool null = place.class == LW_CLASS_POINTER && value.class == LW_CLASS_INT && value.width == 64 &&
                value.lanes == 1 && lw_op_of(m, id) == SpvOpConstantNull;
    return null || lw_same_shape(value, place) ||
           ((value.class == LW_CLASS_STRUCT || value.class == LW_CLASS_ARRAY) && value.class == place.class &&
            lw_type_leaves(m, value.id) <= LW_MAX_CONSTANT_LEAVES &&
            lw_type_leaves(m, place.id) <= LW_MAX_CONSTANT_LEAVES &&
            is_alike(m, value.id, place.id, MOST_NESTED));
}

static bool
check_composite_constant(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    const struct lw_inst *type = lw_def(m, inst->type);
    uint64_t parts = inst->count - 3u;
    bool is_struct = type && type->op == SpvOpTypeStruct;
    uint64_t wanted = !type                           ? 0
                      : is_struct                     ? type->count - 2u
                      : type->op == SpvOpTypeVector   ? lw_word(m, type, 3)
                      : type->op == SpvOpTypeArray    ? lw_array_length(m, inst->type)
                                                      : UINT64_MAX;
    if (parts != wanted)
        return lw_invalid(c, inst, "it does not have as many constituents as its type");
    if (lw_type_leaves(m, inst->type) > LW_MAX_CONSTANT_LEAVES)
        return lw_refused(c, inst, "the constant is too large");
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t part_type = lw_word(m, type, is_struct ? 2 + i : 2);
        uint32_t id = lw_word(m, inst, 3 + i);
        if (!fits(m, id, part_type))
            return lw_invalid(c, inst, "a constituent has another type than its place");
        if (m->def[id] >= c->m->def[inst->result])
            return lw_invalid(c, inst, "a constituent is declared after it");
        if (is_computed(m, id))
            return lw_refused(c, inst, "a constituent is computed of an address or of a structure");
    }
    return true;
}

/* Which operations a kernel's constants may have, but for those of addresses. */
static bool
is_value_operation(uint32_t op)
{
    switch (op) {
    case SpvOpBitcast:
    case SpvOpSelect:
    case SpvOpVectorShuffle:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert: return true;
    default:
        return (op >= SpvOpConvertFToU && op <= SpvOpFConvert) || (op >= SpvOpSNegate && op <= SpvOpFMod) ||
               (op >= SpvOpLogicalEqual && op <= SpvOpLogicalNot) ||
               (op >= SpvOpIEqual && op <= SpvOpSLessThanEqual) ||
               (op >= SpvOpShiftRightLogical && op <= SpvOpNot);
    }
}

/* Of structures and arrays, of numbers made of addresses: what the same instruction in a function may do. */
static bool
check_computed(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_operand_walk walk;
    struct lw_operand operand;
    struct lw_inst operation = *inst;
    operation.at++; /* its operands stand one word later */
    operation.count--;
    operation.op = (uint16_t)lw_word(m, inst, 3);
    if (!is_value_operation(operation.op))
        return lw_refused(c, inst, "this constant operation is not supported");
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_ID && m->words[operand.at] != inst->result &&
            m->def[m->words[operand.at]] >= m->def[inst->result])
            return lw_invalid(c, inst, "an operand is declared after it");
    return lw_check_instruction(c, &operation);
}

/* An address constant: OpSpecConstantOp of address arithmetic and casts. */
static bool
check_address_constant(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape result = lw_shape_of_type(m, inst->type), base = lw_shape_of(m, lw_word(m, inst, 4));
    uint32_t op = lw_word(m, inst, 3);
    bool chain = lw_is_access_chain(op);
    bool cast = op == SpvOpBitcast || op == SpvOpPtrCastToGeneric || op == SpvOpGenericCastToPtr;
    bool number = (op == SpvOpConvertPtrToU && result.class == LW_CLASS_INT && result.lanes == 1) ||
                  (op == SpvOpConvertUToPtr && base.class == LW_CLASS_INT && base.lanes == 1);
    if (m->def[lw_word(m, inst, 4)] >= m->def[inst->result])
        return lw_invalid(c, inst, "an operand is declared after it");
    if (number)
        return true;
    if ((!chain && !cast) || result.class != LW_CLASS_POINTER || base.class != LW_CLASS_POINTER)
        return check_computed(c, inst);
    uint32_t first = lw_chain_has_element(op) ? 6 : 5, type = base.pointee;
    for (uint32_t i = 5; chain && i < inst->count; i++) {
        uint64_t index;
        if (!lw_constant_bits(m, lw_word(m, inst, i), &index))
            return lw_refused(c, inst, "an index of an address constant is no integer constant");
        type = i < first ? type : lw_indexed_type(m, type, lw_word(m, inst, i));
        if (!type)
            return lw_invalid(c, inst, "an index does not fit the type");
    }
    struct lw_layout layout;
    if (chain && !lw_type_layout(m, base.pointee, &layout))
        return lw_refused(c, inst, "the type behind the pointer has no size");
    return true;
}

static bool
check_pipe_storage(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint64_t packets, size = inst->count == 6 ? lw_word(m, inst, 3) : 0;
    if (lw_op_of(m, inst->type) != SpvOpTypePipeStorage ||
        !lw_pipe_bytes((uint32_t)size, lw_word(m, inst, 5), &packets))
        return lw_invalid(c, inst, "it is no storage of a pipe, or has no size that one can have");
    return m->program_bytes <= LW_MAX_PROGRAM_BYTES ||
           lw_refused(c, inst, "program-scope variables have at most 1 GiB together");
}

static bool
check_constant(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint64_t lanes[LW_MAX_VECTOR];
    struct lw_shape s = lw_shape_of_type(m, inst->type);
    if (lw_constant_values(m, inst->result, lanes))
        return true;
    switch (inst->op) {
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite: return check_composite_constant(c, inst);
    case SpvOpConstantNull:
    case SpvOpUndef:
        if (s.class == LW_CLASS_POINTER || s.class == LW_CLASS_PIPE || s.class == LW_CLASS_STRUCT ||
            s.class == LW_CLASS_ARRAY || (s.class == LW_CLASS_IMAGE && inst->op == SpvOpUndef))
            return true;
        return lw_refused(c, inst, "its type is not supported");
    case SpvOpSpecConstantOp: return check_address_constant(c, inst);
    case SpvOpConstantPipeStorage: return check_pipe_storage(c, inst);
    case SpvOpConstantSampler: return lw_check_sampler_constant(c, inst);
    default: return lw_invalid(c, inst, "its value does not fit its type");
    }
}

static bool
is_supported_builtin(uint32_t builtin)
{
    switch (builtin) {
    case SpvBuiltInWorkDim:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInSubgroupMaxSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInNumEnqueuedSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask: return true;
    default: return false;
    }
}

/* What each built-in's value looks like: lanes, and whether 32 bits are allowed beside 64. */
static bool
check_builtin(struct lw_check *c, const struct lw_inst *inst, struct lw_shape value, uint32_t builtin)
{
    if (!is_supported_builtin(builtin))
        return lw_spirv_fail(c->error, LW_ERR_BUILT_IN, inst->at, inst->at, c->kernel, builtin);
    bool mask = builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask;
    uint32_t lanes = mask ? 4 : 1;
    switch (builtin) {
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInGlobalOffset: lanes = 3; break;
    default: break;
    }
    if (value.class != LW_CLASS_INT || value.lanes != lanes || (value.width != 32 && value.width != 64) ||
        (mask && value.width != 32))
        return lw_invalid(c, inst, "the variable's type is not the built-in's");
    return true;
}

/* OpUndef, or a composite of nothing else, as llvm-spirv writes for local structs: no initialiser in truth.
 * Eight levels deep, which is more than front ends nest. */
static bool
is_undefined(const lw_module *m, uint32_t id)
{
    const struct lw_inst *level[8] = {lw_def(m, id)};
    uint32_t next[8] = {3}, depth = 0, steps = 0;

    while (++steps < LW_MAX_CONSTANT_LEAVES &&
           (level[depth]->op == SpvOpConstantComposite || level[depth]->op == SpvOpUndef)) {
        if (level[depth]->op == SpvOpUndef || next[depth] >= level[depth]->count) {
            if (depth-- == 0)
                return true;
            continue;
        }
        const struct lw_inst *inner = lw_def(m, lw_word(m, level[depth], next[depth]++));
        if (!inner || ++depth == 8)
            return false;
        level[depth] = inner;
        next[depth] = 3;
    }
    return false;
}

/* LinkageAttributes Import: a name, then the linkage. */
static bool
is_imported(const lw_module *m, uint32_t id)
{
    const struct lw_decoration *d =
        lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationLinkageAttributes);
    return d && d->count && m->words[d->at + d->count - 1] == SpvLinkageTypeImport;
}

static bool
check_variable(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape pointer = lw_shape_of_type(m, inst->type);
    uint32_t storage = lw_word(m, inst, 3), initialiser = lw_word(m, inst, 4);
    const struct lw_decoration *builtin =
        lw_find_decoration(m, inst->result, LW_NO_MEMBER, SpvDecorationBuiltIn);
    struct lw_layout layout;
    if (pointer.class != LW_CLASS_POINTER || pointer.storage != storage)
        return lw_invalid(c, inst, "its type is no pointer to its storage class");
    if (!lw_type_layout(m, pointer.pointee, &layout))
        return lw_refused(c, inst, "a variable of such a type has no size");
    if (initialiser &&
        (!fits(m, initialiser, pointer.pointee) || m->def[initialiser] >= m->def[inst->result]))
        return lw_invalid(c, inst, "its initialiser has another type, or is declared after it");
    if (initialiser && is_computed(m, initialiser))
        return lw_refused(c, inst, "its initialiser is computed of an address or of a structure");
    if (initialiser && lw_type_leaves(m, pointer.pointee) > LW_MAX_CONSTANT_LEAVES)
        return lw_refused(c, inst, "its initialiser is too large");
    if (lw_is_builtin_variable(m, inst->result))
        return check_builtin(c, inst, lw_shape_of_type(m, pointer.pointee), m->words[builtin->at]);
    switch (storage) {
    case SpvStorageClassInput: return lw_refused(c, inst, "an Input variable without a BuiltIn");
    case SpvStorageClassWorkgroup:
        return !initialiser || is_undefined(m, initialiser) ||
               lw_refused(c, inst, "local memory cannot be initialised");
    case SpvStorageClassUniformConstant:
        return initialiser || lw_refused(c, inst, "constant memory of another module is not linked");
    case SpvStorageClassFunction: /* of what llvm-spirv copies from: a private array's or structure's value */
        c->private_bytes += layout.size < LW_MAX_PRIVATE_BYTES ? layout.size : LW_MAX_PRIVATE_BYTES + 1;
        return (initialiser && c->private_bytes <= LW_MAX_PRIVATE_BYTES) ||
               lw_refused(c, inst, "private memory at module scope that is not the value of a variable");
    case SpvStorageClassCrossWorkgroup:
        if (is_imported(m, inst->result))
            return lw_refused(c, inst, "a variable of another module is not linked");
        return (layout.size <= LW_MAX_PROGRAM_BYTES && m->program_bytes <= LW_MAX_PROGRAM_BYTES) ||
               lw_refused(c, inst, "program-scope variables have at most 1 GiB together");
    default: return lw_refused(c, inst, "its storage class is not supported at module scope");
    }
}

static bool
check_global(struct lw_check *c, const struct lw_inst *inst)
{
    const char *topic, *why;
    switch (inst->op) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeEvent:
    case SpvOpTypePipe:
    case SpvOpTypePipeStorage:
    case SpvOpTypeReserveId:
    case SpvOpTypeQueue:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
    case SpvOpTypeFunction: return check_type(c, inst);
    case SpvOpTypeImage:
    case SpvOpTypeSampler:
    case SpvOpTypeSampledImage: return lw_check_image_type(c, inst);
    case SpvOpTypeOpaque: return true; /* behind a pointer only: it has no layout */
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpConstantNull:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp:
    case SpvOpConstantPipeStorage:
    case SpvOpConstantSampler:
    case SpvOpUndef: return check_constant(c, inst);
    case SpvOpVariable: return check_variable(c, inst);
    case SpvOpExtInstImport:
    case SpvOpString:
    case SpvOpDecorationGroup:
    case SpvOpAliasDomainDeclINTEL:
    case SpvOpAliasScopeDeclINTEL:
    case SpvOpAliasScopeListDeclINTEL: return true;
    default:
        if (!lw_op_known(inst->op))
            return lw_spirv_fail(c->error, LW_ERR_UNKNOWN_OP, inst->at, inst->op, inst->at, c->kernel);
        why = lw_refusal_of(inst->op, &topic);
        if (why)
            return lw_spirv_fail(c->error, LW_ERR_REFUSED_OP, inst->at, lw_op_name(inst->op), topic, inst->at,
                                 c->kernel, why);
        return lw_refused(c, inst, "it is not supported at module scope");
    }
}

/* Operands that declarations name must be declared before, but for what a pointer points to. */
static bool
check_operands_defined(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_operand_walk walk;
    struct lw_operand operand;
    if (inst->type && !lw_def(m, inst->type))
        return lw_spirv_fail(c->error, LW_ERR_UNDEFINED, inst->at, lw_op_name(inst->op), inst->at, c->kernel,
                             inst->type);
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand)) {
        uint32_t id = m->words[operand.at];
        if (operand.kind != LW_OPERAND_ID)
            continue;
        if (!lw_def(m, id))
            return lw_spirv_fail(c->error, LW_ERR_UNDEFINED, inst->at, lw_op_name(inst->op), inst->at,
                                 c->kernel, id);
        if (m->def[id] >= m->global_count)
            return lw_invalid(c, inst, "it names what is inside of a function");
    }
    return true;
}

bool
lw_check_globals(struct lw_check *c, const struct lw_uses *uses)
{
    for (uint32_t i = 0; i < uses->global_count; i++) {
        const struct lw_inst *inst = &c->m->insts[uses->globals[i]];
        if (inst->op == SpvOpExtInst)
            continue; /* debug information */
        if (!check_operands_defined(c, inst) || !check_global(c, inst))
            return false;
    }
    return true;
}
