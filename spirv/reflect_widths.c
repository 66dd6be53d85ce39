/* SPDX-License-Identifier: MIT */
/* How wide a kernel's numbers are, and what it loads and stores at once: its lanes are chosen by that
 * (src/ranges/shape.c).
 *
 * Enters: a read module's instructions, one after the other. Leaves: widest_access, widest_element,
 * has_texels, has_wide_values.
 */
#include <spirv/unified1/OpenCL.std.h>

#include "evaluate.h"
#include "reflect_parts.h"
#include "support.h"

/* Of a load or a store. */
static bool
find_plain(const lw_module *m, const struct lw_inst *inst, uint32_t *bits, uint32_t *element)
{
    uint32_t pointer = lw_word(m, inst, inst->op == SpvOpStore ? 1 : 3);
    const struct lw_inst *type = lw_def(m, lw_type_of(m, pointer));
    if (!type || type->op != SpvOpTypePointer)
        return false;
    uint32_t storage = lw_word(m, type, 2);
    if (storage != SpvStorageClassCrossWorkgroup && storage != SpvStorageClassWorkgroup &&
        storage != SpvStorageClassUniformConstant && storage != SpvStorageClassGeneric)
        return false;
    struct lw_value v = lw_value_of_type(m, lw_word(m, type, 3));
    *bits = v.lanes ? v.width * v.lanes : 64;
    *element = v.lanes ? v.width : 64;
    return true;
}

/* Of vload and the like. */
static bool
find_called(const lw_module *m, const struct lw_inst *inst, uint32_t *bits, uint32_t *element)
{
    uint32_t number = lw_word(m, inst, 4);
    if (m->ext_sets[lw_word(m, inst, 3)] != LW_EXT_OPENCL_STD || number < OpenCLstd_Vloadn ||
        number > OpenCLstd_Vstorea_halfn_r)
        return false;
    bool single = number == OpenCLstd_Vload_half || number == OpenCLstd_Vstore_half ||
                  number == OpenCLstd_Vstore_half_r;
    *bits = *element = single ? 16 : 32;
    return true;
}

bool
lw_find_access(const lw_module *m, const struct lw_inst *inst, uint32_t *bits, uint32_t *element)
{
    if (inst->op == SpvOpLoad || inst->op == SpvOpStore)
        return find_plain(m, inst, bits, element);
    return inst->op == SpvOpExtInst && find_called(m, inst, bits, element);
}

void
lw_reflect_widths(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    uint32_t bits = 32, element = 32;
    struct lw_value v = {0};

    if (inst->type && inst->op != SpvOpLoad) /* ids are loaded as vectors */
        v = lw_value_of_type(m, inst->type);
    if (v.lanes && (v.is_float || (v.lanes > 1 && v.width >= 32)))
        d->has_wide_values = true;
    d->has_texels |=
        inst->op == SpvOpImageSampleExplicitLod || inst->op == SpvOpImageRead || inst->op == SpvOpImageWrite;
    if (!(lw_op_flags(inst->op) & LW_OP_ATOMIC) && !lw_find_access(m, inst, &bits, &element))
        return;
    if (bits > d->widest_access)
        d->widest_access = bits;
    if (element > d->widest_element)
        d->widest_element = element;
}
