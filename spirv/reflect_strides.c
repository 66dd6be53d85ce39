/* SPDX-License-Identifier: MIT */
/* Which arguments of a kernel are strides: multiplied by what differs from work-item to work-item, or from
 * round to round of a loop, on the way to an address. Where one of them is 1, accesses that look scattered
 * are in one piece.
 *
 * Enters: a read module.  Leaves: it as it was.  Relies on: ids in range.
 * Never: is relied on. What it says decides for which arguments it is asked whether they are 1, no more; so
 * it follows values through whatever computes, and does not look at what that does.
 */
#include "reflect.h"

#include <stdlib.h>

#include "operands.h"
#include "support.h"
#include "uses.h"

#define MOST_ROUNDS 4 /* over a function whose loops take values round */

struct seen {
    bool varies;      /* from one work-item or round to the next */
    uint8_t argument; /* its number plus one that this is, or a multiple of, or 0 */
    uint64_t strides; /* arguments that it is a multiple of, or a sum of such multiples */
};

struct search {
    const lw_module *m;
    struct seen *at; /* by id */
    uint64_t found;
    bool changed;
};

static void
join(struct search *s, uint32_t id, struct seen value)
{
    struct seen *to = &s->at[id], was = *to;
    to->varies |= value.varies;
    to->strides |= value.strides;
    to->argument = was.argument ? was.argument : value.argument;
    s->changed |= to->varies != was.varies || to->strides != was.strides || to->argument != was.argument;
}

static uint32_t
storage_class(const lw_module *m, uint32_t pointer)
{
    const struct lw_inst *type = lw_def(m, lw_type_of(m, pointer));
    return type && type->op == SpvOpTypePointer ? lw_word(m, type, 2) : SpvStorageClassCrossWorkgroup;
}

static bool
is_id(const lw_module *m, uint32_t variable)
{
    const struct lw_decoration *b = lw_find_decoration(m, variable, LW_NO_MEMBER, SpvDecorationBuiltIn);
    switch (b && b->count ? m->words[b->at] : SpvBuiltInMax) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInGlobalLinearId:
    case SpvBuiltInSubgroupLocalInvocationId: return true;
    default: return false;
    }
}

/* Everything that the operands are. */
static struct seen
all_operands(const struct search *s, const struct lw_inst *i)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    struct seen all = {0};
    lw_operands_start(&walk, s->m, i);
    while (lw_operands_next(&walk, &operand)) {
        const struct seen *from = &s->at[operand.kind == LW_OPERAND_ID ? s->m->words[operand.at] : 0];
        all.varies |= from->varies;
        all.strides |= from->strides;
    }
    return all;
}

static void
follow_call(struct search *s, const struct lw_inst *call)
{
    uint32_t index = lw_function_index(s->m, lw_word(s->m, call, 3)), k = 4;
    if (index == LW_NO_INST)
        return;
    const struct lw_spirv_function *f = &s->m->functions[index];
    for (uint32_t i = f->inst; i < f->end && k < call->count; i++)
        if (s->m->insts[i].op == SpvOpFunctionParameter)
            join(s, s->m->insts[i].result, s->at[lw_word(s->m, call, k++)]);
    join(s, call->result, s->at[f->id]);
}

/* What a loop carries from round to round. */
static bool
is_carried(const lw_module *m, uint32_t id)
{
    const struct lw_inst *i = lw_def(m, id);
    while (i && i->op == SpvOpBitcast)
        i = lw_def(m, lw_word(m, i, 3));
    return i && i->op == SpvOpPhi;
}

/* A product with a stride, or one step of a loop that goes by it. */
static void
follow_stride(struct search *s, const struct lw_inst *i)
{
    struct seen result = all_operands(s, i);
    bool product = i->op == SpvOpIMul;
    for (uint32_t k = 3; k < i->count; k++) {
        const struct seen *by = &s->at[lw_word(s->m, i, k)];
        uint32_t other = lw_word(s->m, i, k == 3 ? 4 : 3);
        if (by->argument && (product ? s->at[other].varies : is_carried(s->m, other)))
            result.strides |= UINT64_C(1) << (by->argument - 1);
        if (product && lw_op_of(s->m, other) == SpvOpConstant)
            result.argument = by->argument;
    }
    join(s, i->result, result);
}

/* Atomics; vloadn, and whatever else of OpenCL.std takes a pointer. */
static bool
hides_access(const lw_module *m, const struct lw_inst *i)
{
    return lw_op_flags(i->op) & LW_OP_ATOMIC ||
           (i->op == SpvOpExtInst && m->ext_sets[lw_word(m, i, 3)] == LW_EXT_OPENCL_STD);
}

/* `function`: what returns. */
static void
follow(struct search *s, const struct lw_inst *i, uint32_t function)
{
    const lw_module *m = s->m;
    uint32_t to, class;
    switch (i->op) {
    case SpvOpLoad:
    case SpvOpStore:
        to = lw_word(m, i, i->op == SpvOpStore ? 1 : 3);
        class = storage_class(m, to);
        s->found |= class == SpvStorageClassFunction ? 0 : s->at[to].strides;
        if (i->op == SpvOpStore && class == SpvStorageClassFunction)
            join(s, to, s->at[lw_word(m, i, 2)]);
        else if (i->op == SpvOpLoad && (class == SpvStorageClassFunction || class == SpvStorageClassInput))
            join(s, i->result, s->at[to]);
        break;
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpShiftLeftLogical:
    case SpvOpCopyObject: join(s, i->result, s->at[lw_word(m, i, 3)]); break;
    case SpvOpIMul:
    case SpvOpIAdd:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain: follow_stride(s, i); break;
    case SpvOpFunctionCall: follow_call(s, i); break;
    case SpvOpReturnValue: join(s, function, s->at[lw_word(m, i, 1)]); break;
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpFunctionParameter:
    case SpvOpVariable: break;
    default:
        if (hides_access(m, i))
            s->found |= all_operands(s, i).strides;
        if (i->op == SpvOpPhi)
            s->at[i->result].varies = true;
        if (i->result)
            join(s, i->result, all_operands(s, i));
    }
}

static void
begin(struct search *s, const struct lw_kernel_desc *d, const struct lw_uses *uses)
{
    const struct lw_spirv_function *f = &s->m->functions[d->function];
    uint32_t k = 0;
    for (uint32_t i = f->first_param; k < d->arg_count && i < f->end; i++)
        if (s->m->insts[i].op == SpvOpFunctionParameter && lw_may_be_stride(d, k++))
            s->at[s->m->insts[i].result].argument = (uint8_t)k;
    for (uint32_t g = 0; g < uses->global_count; g++) {
        const struct lw_inst *inst = &s->m->insts[uses->globals[g]];
        if (inst->op == SpvOpVariable && is_id(s->m, inst->result))
            s->at[inst->result].varies = true;
    }
}

bool
lw_may_be_stride(const struct lw_kernel_desc *d, uint32_t index)
{
    const struct lw_kernel_arg *arg = &d->args[index];
    return index < 63 && arg->info.kind == LW_ARG_VALUE && arg->info.components == 1 &&
           arg->info.scalar[0] == 'i' && arg->info.size >= 4;
}

uint64_t
lw_find_strides(const lw_module *m, const struct lw_kernel_desc *d)
{
    struct search s = {.m = m, .at = calloc(m->bound, sizeof *s.at), .changed = true};
    struct lw_uses uses = {0};
    bool good = s.at && lw_uses_collect(m, d->function, &uses);
    if (good)
        begin(&s, d, &uses);
    for (unsigned round = 0; good && s.changed && round < MOST_ROUNDS; round++) {
        s.changed = false;
        for (uint32_t f = 0; f < uses.function_count; f++) {
            const struct lw_spirv_function *function = &m->functions[uses.functions[f]];
            for (uint32_t i = function->inst + 1; i < function->end; i++)
                follow(&s, &m->insts[i], function->id);
        }
    }
    lw_uses_free(&uses);
    free(s.at);
    while (__builtin_popcountll(s.found) > LW_MOST_STRIDES)
        s.found &= ~(UINT64_C(1) << (63 - __builtin_clzll(s.found)));
    return s.found;
}
