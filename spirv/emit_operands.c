/* SPDX-License-Identifier: MIT */
/* What each group of instructions asks of the one at hand: its operands, its decorations, its result. */
#include "emitter.h"

uint32_t
lw_operand(const lw_emitter *e, unsigned n)
{
    return lw_word(e->spv, e->inst, n);
}

V
lw_operand_value(lw_emitter *e, unsigned n)
{
    if (n >= e->inst->count)
        lw_emit_fail(e, "a missing operand");
    return e->failed ? NULL : lw_emit_value(e, lw_operand(e, n));
}

V
lw_unsigned(lw_emitter *e, V number, T type)
{
    if (e->failed || !number || LLVMGetTypeKind(LLVMTypeOf(number)) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "a number that is no integer");
        return NULL;
    }
    return LLVMBuildIntCast2(e->b, number, type, false, "");
}

void
lw_emit_result(lw_emitter *e, V value)
{
    uint32_t id = e->inst->result;
    if (e->failed || !id)
        return;
    T type = lw_emit_type(e, e->inst->type);
    if (!value || LLVMTypeOf(value) != type) {
        lw_emit_fail(e, "a result of another type than declared");
        return;
    }
    e->values[id] = value;
}

bool
lw_decorated(const lw_emitter *e, uint32_t id, uint32_t decoration)
{
    return lw_find_decoration(e->spv, id, LW_NO_MEMBER, decoration) != NULL;
}

uint32_t
lw_decoration_value(const lw_emitter *e, uint32_t id, uint32_t decoration, uint32_t absent)
{
    const struct lw_decoration *d = lw_find_decoration(e->spv, id, LW_NO_MEMBER, decoration);
    return d && d->count ? e->spv->words[d->at] : absent;
}
