/* SPDX-License-Identifier: MIT */
/* Variables of the source that are in memory, for a debugger: arrays and structures, by numbers and vectors
 * that they consist of.
 *
 * What is stored to such memory, by whatever instruction, is looked at once the source's line is done, and
 * where the block ends: each part is loaded again and shown as its new value. So nothing need be known of
 * where the store went, and the memory is laid out as without a debugger.
 *
 * Enters: what DebugDeclare tells. Never: changes what the kernel does. */
#include "chains.h"
#include "debug_info.h"

#include <stdlib.h>

enum { MOST_PLACES = 256, MOST_SHOWN = 8192, CHAIN = 64 };

struct lw_place {
    uint32_t pointer, variable, offset;
    T type;
};

void
lw_add_place(lw_emitter *e, uint32_t pointer, uint32_t variable, uint32_t offset)
{
    const struct lw_inst *inst = lw_debug_inst(e, variable, OpenCLDebugInfo100DebugLocalVariable, 4);
    T type = inst ? lw_debug_value_type(e, lw_debug_operand(e, inst, 1)) : NULL;
    struct lw_place *grown = type && e->place_count < MOST_PLACES
                                 ? realloc(e->places, (e->place_count + 1) * sizeof *grown)
                                 : NULL;
    if (!grown)
        return;
    e->places = grown;
    grown[e->place_count++] = (struct lw_place){pointer, variable, offset, type};
    e->places_changed = true;
}

/* The variable or parameter that an address is computed of, else what ends the chain. */
static uint32_t
root_of(const lw_emitter *e, uint32_t id)
{
    for (unsigned k = 0; k < CHAIN; k++) {
        if (!lw_derives_pointer(lw_op_of(e->spv, id)))
            return id;
        id = lw_word(e->spv, lw_def(e->spv, id), 3);
    }
    return 0;
}

/* May memory change that a part is in, by an instruction with this operand? */
static bool
may_change(const lw_emitter *e, uint32_t operand)
{
    uint32_t root = operand < e->spv->bound ? root_of(e, operand) : 0, op = lw_op_of(e->spv, root);
    if (op == SpvOpPhi || op == SpvOpSelect)
        return true;
    for (uint32_t i = 0; i < e->place_count; i++)
        if (e->places[i].pointer == root)
            return true;
    return false;
}

void
lw_note_places(lw_emitter *e)
{
    const struct lw_inst *inst = e->inst;
    uint32_t first = inst->op == SpvOpExtInst ? 5 : inst->op == SpvOpFunctionCall ? 4 : 1, end = inst->count;
    if (!e->place_count || inst->op == SpvOpLoad || inst->op == SpvOpPhi)
        return;
    switch (inst->op) {
    case SpvOpStore:
        end = 2;
        break;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpFunctionCall:
        break;
    case SpvOpExtInst:
        if (lw_is_non_semantic(e->spv, inst))
            return;
        break;
    default:
        if (inst->op < SpvOpAtomicLoad || inst->op > SpvOpAtomicXor)
            return;
    }
    for (uint32_t n = first; n < end && !e->places_changed; n++)
        e->places_changed = may_change(e, lw_word(e->spv, inst, n));
}

/* The least that is promised of an address `offset` bytes behind it. */
static unsigned
align_at(V base, uint32_t offset, unsigned bytes)
{
    unsigned align = LLVMIsAAllocaInst(base) ? LLVMGetAlignment(base) : 1;
    while (align > 1 && (offset % align || bytes % align))
        align /= 2;
    return align ? align : 1;
}

static void
show_place(lw_emitter *e, const struct lw_place *p)
{
    V base = e->values[p->pointer], offset = lw_int(e->i64, p->offset);
    if (!base || LLVMGetTypeKind(LLVMTypeOf(base)) != LLVMPointerTypeKind)
        return;
    V at = p->offset ? LLVMBuildGEP2(e->b, e->i8, base, &offset, 1, "") : base;
    V value = LLVMBuildLoad2(e->b, p->type, at, "");
    LLVMSetAlignment(value, align_at(base, p->offset, lw_parts(p->type) * lw_bits(lw_scalar(p->type)) / 8));
    lw_show(e, p->variable, value);
}

void
lw_show_places(lw_emitter *e, const struct lw_inst *next)
{
    if (!e->places_changed || (next && next->line == e->inst->line && next->file == e->inst->file))
        return;
    e->places_changed = false;
    e->places_shown += e->place_count;
    for (uint32_t i = 0; i < e->place_count; i++)
        if (e->places_shown <= MOST_SHOWN)
            show_place(e, &e->places[i]);
        else
            lw_show(e, e->places[i].variable, NULL);
}

void
lw_forget_places(lw_emitter *e)
{
    e->place_count = 0;
    e->places_changed = false;
}
