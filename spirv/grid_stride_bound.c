/* SPDX-License-Identifier: MIT */
/* The bound of a grid-stride loop: an integer that the kernel's arguments are enough to compute.
 *
 * Enters: an id.  Leaves: its value, or that it is made of something else.  Relies on: ids in range.
 */
#include "grid_stride.h"

#include <string.h>

#include "evaluate.h"

#define MOST_DEPTH 8

static uint32_t
width_of(const lw_module *m, uint32_t id)
{
    struct lw_value v = lw_value_of_type(m, lw_type_of(m, id));
    return v.lanes == 1 && !v.is_float && v.width > 1 ? v.width : 0;
}

static int64_t
extend(uint64_t value, uint32_t width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

static uint64_t
truncate(uint64_t value, uint32_t width)
{
    return value << (64 - width) >> (64 - width);
}

uint32_t
lw_stride_argument(const lw_module *m, uint32_t parameter)
{
    uint32_t k = 0;
    for (const struct lw_inst *i = lw_def(m, parameter); i && (--i)->op != SpvOpFunction;)
        k += i->op == SpvOpFunctionParameter;
    return k;
}

static bool
read_argument(const lw_module *m, const struct lw_kernel_desc *desc, uint32_t id, const void *args,
              uint64_t *out)
{
    uint32_t k = lw_stride_argument(m, id);
    *out = 0;
    if (k >= desc->arg_count || desc->args[k].info.kind != LW_ARG_VALUE ||
        desc->args[k].info.components != 1 || desc->args[k].info.size > sizeof *out)
        return false;
    if (args)
        memcpy(out, (const char *)args + desc->args[k].offset, desc->args[k].info.size);
    return true;
}

static bool
compute(uint32_t op, uint32_t width, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (op) {
    case SpvOpIAdd:
        *out = a + b;
        return true;
    case SpvOpISub:
        *out = a - b;
        return true;
    case SpvOpIMul:
        *out = a * b;
        return true;
    case SpvOpBitwiseAnd:
        *out = a & b;
        return true;
    case SpvOpUDiv:
        *out = b ? a / b : 0;
        return b != 0;
    case SpvOpShiftLeftLogical:
        *out = b < width ? a << b : 0;
        return b < width;
    case SpvOpShiftRightLogical:
        *out = b < width ? a >> b : 0;
        return b < width;
    case SpvOpShiftRightArithmetic:
        *out = b < width ? (uint64_t)(extend(a, width) >> b) : 0;
        return b < width;
    case SpvOpSDiv:
        *out = (int64_t)b > 0 ? (uint64_t)(extend(a, width) / (int64_t)b) : 0;
        return (int64_t)b > 0 && b >> (width - 1) == 0;
    default:
        return false;
    }
}

static bool
evaluate(const lw_module *m, const struct lw_kernel_desc *desc, uint32_t id, const void *args, unsigned depth,
         uint64_t *out)
{
    const struct lw_inst *inst = lw_def(m, id);
    uint32_t width = width_of(m, id), from;
    uint64_t a, b;
    if (!inst || !width || depth == MOST_DEPTH)
        return false;
    if (lw_constant_bits(m, id, out))
        return true;
    switch (inst->op) {
    case SpvOpFunctionParameter:
        return read_argument(m, desc, id, args, out);
    case SpvOpUConvert:
    case SpvOpSConvert:
        from = width_of(m, lw_word(m, inst, 3));
        if (!from || !evaluate(m, desc, lw_word(m, inst, 3), args, depth + 1, &a))
            return false;
        *out = truncate(inst->op == SpvOpSConvert ? (uint64_t)extend(a, from) : a, width);
        return true;
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpBitwiseAnd:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        if (!evaluate(m, desc, lw_word(m, inst, 3), args, depth + 1, &a) ||
            !evaluate(m, desc, lw_word(m, inst, 4), args, depth + 1, &b))
            return false;
        if (!compute(inst->op, width, a, b, out))
            return !args;
        *out = truncate(*out, width);
        return true;
    default:
        return false;
    }
}

bool
lw_stride_evaluate(const lw_module *m, const struct lw_kernel_desc *desc, uint32_t id, const void *args,
                   int64_t *out)
{
    uint64_t value = 0;
    if (!evaluate(m, desc, id, args, 0, &value))
        return false;
    *out = extend(value, width_of(m, id));
    return true;
}

uint32_t
lw_stride_unconverted(const lw_module *m, uint32_t id)
{
    for (unsigned depth = 0; depth < MOST_DEPTH; depth++) {
        const struct lw_inst *inst = lw_def(m, id);
        uint32_t inner = inst ? lw_word(m, inst, 3) : 0;
        if (!inst)
            return id;
        if (inst->op == SpvOpShiftRightArithmetic) { /* the lower half of 64 bits, which was all there was */
            const struct lw_inst *left = lw_def(m, inner);
            uint64_t by, back;
            inner = left && left->op == SpvOpShiftLeftLogical ? lw_word(m, left, 3) : 0;
            const struct lw_inst *wide = lw_def(m, inner);
            if (!wide || (wide->op != SpvOpUConvert && wide->op != SpvOpSConvert) || width_of(m, id) != 64 ||
                width_of(m, lw_word(m, wide, 3)) != 32 || !lw_constant_bits(m, lw_word(m, inst, 4), &by) ||
                !lw_constant_bits(m, lw_word(m, left, 4), &back) || by != 32 || back != 32)
                return id;
        } else if ((inst->op != SpvOpUConvert && inst->op != SpvOpSConvert) ||
                   width_of(m, inner) > width_of(m, id) || width_of(m, inner) < 32) {
            return id;
        }
        id = inner;
    }
    return id;
}
