/* SPDX-License-Identifier: MIT */
/* Specialization constants: which a module has, and the values that they are given.
 *
 * Enters: a read module.  Leaves: `overrides`, sorted by SpecId; lw_module_specialize: all constants
 * evaluated anew, which takes as long as there are constants and types, so that who sets many does it once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "evaluate.h"
#include "reflect.h"

uint32_t
lw_module_spec_constant_count(const lw_module *module)
{
    return module->spec_constant_count;
}

static uint32_t
id_of(const lw_module *m, uint32_t index)
{
    const struct lw_inst *inst = &m->insts[m->spec_constants[index]];
    return m->words[lw_find_decoration(m, inst->result, LW_NO_MEMBER, SpvDecorationSpecId)->at];
}

bool
lw_module_spec_constant(const lw_module *module, uint32_t index, lw_spec_constant *out)
{
    if (index >= module->spec_constant_count)
        return false;
    const struct lw_inst *inst = &module->insts[module->spec_constants[index]];
    const struct lw_inst *type = lw_def(module, inst->type);
    memset(out, 0, sizeof *out);
    out->id = id_of(module, index);
    out->name = module->names[inst->result];
    lw_constant_bits(module, inst->result, &out->value);
    if (type->op == SpvOpTypeBool) {
        strcpy(out->type, "bool");
        out->size = 1;
        return true;
    }
    uint32_t width = lw_word(module, type, 2);
    char kind = type->op == SpvOpTypeFloat ? 'f' : lw_word(module, type, 3) ? 'i' : 'u';
    snprintf(out->type, sizeof out->type, "%c%u", kind, width % 128);
    out->size = width / 8;
    return true;
}

/* Sets or adds the override; overrides stay sorted by id. */
static bool
put_override(lw_module *m, uint32_t spec_id, uint64_t value)
{
    uint32_t place = lw_override_place(m, spec_id);
    if (place == m->override_count || m->overrides[place].spec_id != spec_id) {
        struct lw_spec_override *grown = realloc(m->overrides, sizeof *grown * (m->override_count + 1));
        if (!grown)
            return false;
        memmove(grown + place + 1, grown + place, sizeof *grown * (m->override_count - place));
        m->overrides = grown;
        m->override_count++;
    }
    m->overrides[place] = (struct lw_spec_override){spec_id, value};
    return true;
}

bool
lw_module_override(lw_module *m, uint32_t spec_id, const void *value, size_t size, lw_error *error)
{
    lw_spec_constant constant;
    uint32_t i = 0;
    while (i < m->spec_constant_count && id_of(m, i) != spec_id)
        i++;
    if (!lw_module_spec_constant(m, i, &constant))
        return lw_spirv_fail(error, LW_ERR_NO_SPEC, 0, spec_id);
    if (size != constant.size)
        return lw_spirv_fail(error, LW_ERR_SPEC_SIZE, 0, spec_id, constant.size, size);
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    return put_override(m, spec_id, bits) || lw_spirv_fail(error, LW_ERR_MEMORY, 0);
}

bool
lw_module_specialize(lw_module *m, uint32_t spec_id, const void *value, size_t size, lw_error *error)
{
    return lw_module_override(m, spec_id, value, size, error) &&
           (lw_module_evaluate(m) || lw_spirv_fail(error, LW_ERR_MEMORY, 0));
}
