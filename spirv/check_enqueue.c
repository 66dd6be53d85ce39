/* SPDX-License-Identifier: MIT */
/* Device-side enqueue: blocks and what is asked of them, NDRanges, queues, events (SPIR-V 3.49.23). See
 * check_code.c. */
#include "check_parts.h"
#include "enqueue.h"

static bool
is_integer(const lw_module *m, uint32_t id, uint32_t width)
{
    struct lw_shape s = lw_shape_of(m, id);
    return s.class == LW_CLASS_INT && s.lanes == 1 && (!width || s.width == width);
}

static bool
is_pointer(const lw_module *m, uint32_t id)
{
    struct lw_shape s = lw_shape_of(m, id);
    return s.class == LW_CLASS_POINTER && s.storage != SpvStorageClassInput;
}

/* Scalar, or array of as many words as the NDRange has dimensions; how many, 0: neither. */
static uint32_t
dimensions_of(const lw_module *m, uint32_t id)
{
    struct lw_shape s = lw_shape_of(m, id);
    if (s.class != LW_CLASS_ARRAY)
        return is_integer(m, id, 0) && (s.width == 64 || s.width == 32);
    struct lw_shape e = lw_shape_of_type(m, lw_word(m, lw_def(m, s.id), 2));
    uint64_t length = lw_array_length(m, s.id);
    bool words = e.class == LW_CLASS_INT && e.lanes == 1 && (e.width == 64 || e.width == 32);
    return words && length >= 1 && length <= 3 ? (uint32_t)length : 0;
}

static bool
is_ndrange(const lw_module *m, uint32_t type)
{
    const struct lw_inst *inst = lw_def(m, type);
    struct lw_layout layout;
    if (!inst || inst->op != SpvOpTypeStruct || inst->count != 6 || !lw_type_layout(m, type, &layout) ||
        layout.size != LW_NDRANGE_BYTES)
        return false;
    struct lw_shape dimensions = lw_shape_of_type(m, lw_word(m, inst, 2));
    bool good = dimensions.class == LW_CLASS_INT && dimensions.lanes == 1 && dimensions.width == 32;
    for (uint32_t i = 3; i < 6 && good; i++) {
        uint32_t array = lw_word(m, inst, i);
        struct lw_shape word = lw_shape_of_type(m, lw_word(m, lw_def(m, array), 2));
        good = lw_op_of(m, array) == SpvOpTypeArray && lw_array_length(m, array) == 3 &&
               word.class == LW_CLASS_INT && word.lanes == 1 && word.width == 64;
    }
    return good;
}

static bool
check_build(struct lw_check *c, const struct lw_inst *inst)
{
    uint32_t count = inst->count == 6 ? dimensions_of(c->m, lw_word(c->m, inst, 3)) : 0;
    if (!is_ndrange(c->m, inst->type))
        return lw_invalid(c, inst, "its result is no structure of an NDRange");
    return (count && dimensions_of(c->m, lw_word(c->m, inst, 4)) == count &&
            dimensions_of(c->m, lw_word(c->m, inst, 5)) == count) ||
           lw_invalid(c, inst, "its sizes are not of one number of dimensions");
}

/* The function at `word`, behind it what is captured, its size and alignment: `local` pointers to local
 * memory follow in the function. */
static bool
check_block(struct lw_check *c, const struct lw_inst *inst, uint32_t word, uint32_t local)
{
    const lw_module *m = c->m;
    uint32_t entry = lw_block_of(m, lw_word(m, inst, word));
    if (entry == LW_NO_INST)
        return lw_invalid(c, inst, "it names no function with a body for a block");
    const struct lw_inst *type = lw_def(m, m->functions[m->entry_points[entry].function].type);
    if (!type || type->op != SpvOpTypeFunction || type->count < 4 ||
        lw_op_of(m, lw_word(m, type, 2)) != SpvOpTypeVoid ||
        lw_shape_of_type(m, lw_word(m, type, 3)).class != LW_CLASS_POINTER)
        return lw_invalid(c, inst, "its block is no function that takes a pointer and returns nothing");
    for (uint32_t i = 4; i < type->count; i++) {
        struct lw_shape s = lw_shape_of_type(m, lw_word(m, type, i));
        if (s.class != LW_CLASS_POINTER || s.storage != SpvStorageClassWorkgroup)
            return lw_invalid(c, inst, "its block takes more than pointers to local memory");
    }
    if (local != UINT32_MAX && local != type->count - 4u)
        return lw_invalid(c, inst, "it does not have a size for each of its block's local pointers");
    if (!is_pointer(m, lw_word(m, inst, word + 1)))
        return lw_invalid(c, inst, "what its block captured is behind no pointer");
    uint32_t size = lw_constant_operand(m, inst, word + 2, UINT32_MAX);
    uint32_t align = lw_constant_operand(m, inst, word + 3, 0);
    if (size > LW_MAX_CAPTURED)
        return lw_refused(c, inst, "what its block captured has no constant size of at most 4096 bytes");
    return (align && (align & (align - 1)) == 0) ||
           lw_refused(c, inst, "the alignment of what its block captured is no constant power of two");
}

/* With `before` operands in front of the function. */
static bool
check_query(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint32_t word = lw_block_word(inst->op);
    if (!is_integer(m, inst->result, 32))
        return lw_invalid(c, inst, "its result is no 32-bit integer");
    if (inst->count != word + 4)
        return lw_invalid(c, inst, "it has the wrong number of operands");
    bool count = inst->op == SpvOpGetKernelLocalSizeForSubgroupCount;
    if (word == 4 && !(count ? is_integer(m, lw_word(m, inst, 3), 0) : is_pointer(m, lw_word(m, inst, 3))))
        return lw_invalid(c, inst, "an operand is not of the type that it must have");
    return check_block(c, inst, word, UINT32_MAX);
}

/* Number of events, list, where the event goes. */
static bool
check_events(struct lw_check *c, const struct lw_inst *inst, uint32_t word)
{
    const lw_module *m = c->m;
    return (is_integer(m, lw_word(m, inst, word), 0) && is_pointer(m, lw_word(m, inst, word + 1)) &&
            is_pointer(m, lw_word(m, inst, word + 2))) ||
           lw_invalid(c, inst, "its events are no number and two pointers");
}

#define FIRST_LOCAL 13u /* words before the sizes of local memory */

static bool
check_enqueue(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    if (inst->count < FIRST_LOCAL)
        return lw_invalid(c, inst, "it has the wrong number of operands");
    if (!is_integer(m, inst->result, 32) || !is_integer(m, lw_word(m, inst, 3), 64) ||
        !is_integer(m, lw_word(m, inst, 4), 0) || !is_pointer(m, lw_word(m, inst, 5)))
        return lw_invalid(c, inst, "an operand is not of the type that it must have");
    for (uint32_t w = FIRST_LOCAL; w < inst->count; w++) {
        uint32_t id = lw_word(m, inst, w);
        struct lw_shape s = lw_shape_of(m, id), size = lw_shape_of_type(m, s.pointee);
        bool behind = is_pointer(m, id) && size.class == LW_CLASS_INT && size.lanes == 1 && size.width >= 32;
        if (!behind && !is_integer(m, id, 0))
            return lw_invalid(c, inst, "a size of local memory is no integer, nor a pointer to one");
    }
    return check_events(c, inst, 6) && check_block(c, inst, 9, inst->count - FIRST_LOCAL);
}

static bool
check_marker(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    if (inst->count != 7 || !is_integer(m, inst->result, 32) || !is_integer(m, lw_word(m, inst, 3), 64))
        return lw_invalid(c, inst, "an operand is not of the type that it must have");
    return check_events(c, inst, 4);
}

/* An event, behind it one more operand of the kind of `operands`. */
static bool
check_event(struct lw_check *c, const struct lw_inst *inst, char result, const char *operands)
{
    return lw_check_signature(c, inst, result, operands, result ? 3 : 1);
}

bool
lw_check_enqueue(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    if (!lw_is_enqueue_op(inst->op))
        return false;
    switch (inst->op) {
    case SpvOpBuildNDRange: *fine = check_build(c, inst); return true;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
    case SpvOpGetKernelWorkGroupSize:
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelLocalSizeForSubgroupCount:
    case SpvOpGetKernelMaxNumSubgroups: *fine = check_query(c, inst); return true;
    case SpvOpEnqueueKernel: *fine = check_enqueue(c, inst); return true;
    case SpvOpEnqueueMarker: *fine = check_marker(c, inst); return true;
    case SpvOpGetDefaultQueue:
    case SpvOpCreateUserEvent: *fine = check_event(c, inst, 'I', ""); return true;
    case SpvOpIsValidEvent: *fine = check_event(c, inst, 'B', "s"); return true;
    case SpvOpRetainEvent:
    case SpvOpReleaseEvent: *fine = check_event(c, inst, 0, "s"); return true;
    case SpvOpSetUserEventStatus: *fine = check_event(c, inst, 0, "ss"); return true;
    case SpvOpCaptureEventProfilingInfo: *fine = check_event(c, inst, 0, "ssp"); return true;
    default: return false;
    }
}

bool
lw_check_block_import(struct lw_check *c, const struct lw_inst *inst, uint32_t op)
{
    const lw_module *m = c->m;
    bool range = lw_block_word(op) == 4;
    bool good = inst->count == (range ? 7 : 6) && is_integer(m, inst->result, 32);
    for (uint32_t i = 4; i < inst->count; i++)
        good = good && is_pointer(m, lw_word(m, inst, i));
    return good && lw_block_asked(m, inst) != LW_NO_INST;
}
