/* SPDX-License-Identifier: MIT */
/* What each value of a kernel is to the grid-stride loop that it may be; and what the kernel does beside
 * computing, which must be loads, and stores in the loop.
 *
 * Enters: a function whose loop is known.  Leaves: at[], the loop's bound and the branch that asks for it.
 * May assume: definitions before uses, but for phis.
 */
#include "grid_stride.h"

#include "chains.h"
#include "operands.h"
#include "support.h"

typedef struct lw_stride_value value;

static bool
has_harmless_operands(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    lw_operands_start(&walk, s->m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_OPAQUE ||
            (operand.kind == LW_OPERAND_ID && !lw_stride_is_harmless(s->at[s->m->words[operand.at]])))
            return false;
    return !walk.bad;
}

static bool
has_pointer_operand(const lw_module *m, const struct lw_inst *inst)
{
    for (uint32_t k = 5; k < inst->count; k++)
        if (lw_op_of(m, lw_type_of(m, lw_word(m, inst, k))) == SpvOpTypePointer)
            return true;
    return false;
}

/* Computes its result from its operands, and does nothing else. */
static bool
only_computes(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t op = inst->op;
    if (op == SpvOpExtInst)
        return m->ext_sets[lw_word(m, inst, 3)] == LW_EXT_OPENCL_STD && lw_word(m, inst, 4) != LW_CL_printf &&
               !has_pointer_operand(m, inst);
    return op == SpvOpUndef || op == SpvOpUConvert || op == SpvOpSConvert || op == SpvOpFConvert ||
           op == SpvOpBitcast || lw_is_access_chain(op) ||
           (op >= SpvOpVectorExtractDynamic && op <= SpvOpCopyObject) ||
           (op >= SpvOpConvertFToU && op <= SpvOpConvertUToF) ||
           (op >= SpvOpSNegate && op <= SpvOpSMulExtended) ||
           (op >= SpvOpAny && op <= SpvOpFUnordGreaterThanEqual) ||
           (op >= SpvOpShiftRightLogical && op <= SpvOpBitCount);
}

static bool
does_nothing(const lw_module *m, const struct lw_inst *inst)
{
    switch (inst->op) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpLabel:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpBranch:
    case SpvOpReturn:
    case SpvOpUnreachable:
        return true;
    case SpvOpExtInst:
        return lw_is_non_semantic(m, inst);
    default:
        return false;
    }
}

uint32_t
lw_stride_builtin(const lw_module *m, const struct lw_inst *load)
{
    const struct lw_decoration *b =
        lw_find_decoration(m, lw_word(m, load, 3), LW_NO_MEMBER, SpvDecorationBuiltIn);
    return b && b->count ? m->words[b->at] : SpvBuiltInMax;
}

/* What the first component of a built-in variable is. */
static enum lw_stride_kind
first_component(uint32_t builtin)
{
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        return LW_STRIDE_ID;
    case SpvBuiltInGlobalSize:
        return LW_STRIDE_SIZE;
    case SpvBuiltInWorkgroupId:
        return LW_STRIDE_GROUP;
    case SpvBuiltInNumWorkgroups:
        return LW_STRIDE_GROUPS;
    case SpvBuiltInLocalInvocationId:
        return LW_STRIDE_LOCAL_ID;
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return LW_STRIDE_LOCAL_SIZE;
    default:
        return LW_STRIDE_OTHER;
    }
}

/* What is computed without an effect is as good as its operands. */
static value
plain_or_other(bool is_plain)
{
    return (value){.kind = is_plain ? LW_STRIDE_PLAIN : LW_STRIDE_OTHER};
}

static value
load(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    uint32_t builtin = lw_stride_builtin(s->m, inst);
    if (builtin == SpvBuiltInMax)
        return plain_or_other(has_harmless_operands(s, inst));
    enum lw_stride_kind first = first_component(builtin);
    return (value){.kind = first == LW_STRIDE_OTHER ? LW_STRIDE_OTHER : LW_STRIDE_VECTOR, .of = first};
}

/* One of the loop's own begins as a multiple of the id; what it takes from the last round is asked later. */
static value
phi(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    value v = {.kind = LW_STRIDE_OTHER};
    if (!lw_stride_is_phi(s, inst->result))
        return (value){.kind = LW_STRIDE_PLAIN};
    for (uint32_t k = 3; k + 1 < inst->count && inst->count == 7; k += 2)
        if (lw_word(s->m, inst, k + 1) != s->latch)
            v = s->at[lw_word(s->m, inst, k)];
    if (v.kind != LW_STRIDE_ID)
        return (value){.kind = LW_STRIDE_OTHER};
    v.kind = LW_STRIDE_INDEX;
    return v;
}

static value
follow(struct lw_stride_search *s, const struct lw_inst *inst)
{
    const lw_module *m = s->m;
    value v;
    switch (inst->op) {
    case SpvOpLoad:
        return load(s, inst);
    case SpvOpPhi:
        return phi(s, inst);
    case SpvOpCompositeExtract:
        v = s->at[lw_word(m, inst, 3)];
        if (v.kind == LW_STRIDE_VECTOR) /* other components are 0, or 1, of a range of one dimension */
            return lw_word(m, inst, 4) == 0 ? (value){.kind = (uint8_t)v.of, .times = 1}
                                            : (value){.kind = LW_STRIDE_PLAIN};
        break;
    default:
        break;
    }
    if (lw_stride_compute(s, inst, &v))
        return v;
    return plain_or_other(only_computes(m, inst) && has_harmless_operands(s, inst));
}

/* The branch that goes back asks whether the next index is below the bound; others ask what is no matter. */
static bool
note_branch(struct lw_stride_search *s, const struct lw_inst *inst, uint32_t block)
{
    value v = s->at[lw_word(s->m, inst, 1)];
    if (block != s->latch)
        return lw_stride_is_harmless(v);
    s->found.latch = (uint32_t)(inst - s->m->insts);
    s->found.back_if_true = lw_word(s->m, inst, 2) == s->header;
    return v.kind == LW_STRIDE_AGAIN && s->found.back_if_true == (v.times != 0);
}

static bool
follow_values(struct lw_stride_search *s)
{
    uint32_t block = 0;
    for (uint32_t i = s->function->inst; i < s->function->end; i++) {
        const struct lw_inst *inst = &s->m->insts[i];
        bool good = true;
        if (inst->op == SpvOpLabel)
            block = inst->result;
        if (does_nothing(s->m, inst))
            continue;
        if (inst->op == SpvOpStore)
            good = lw_stride_is_in_loop(s, inst) && has_harmless_operands(s, inst);
        else if (inst->op == SpvOpBranchConditional)
            good = note_branch(s, inst, block);
        else if (inst->op == SpvOpSwitch)
            good = lw_stride_is_harmless(s->at[lw_word(s->m, inst, 1)]);
        else if (inst->result)
            good = (s->at[inst->result] = follow(s, inst)).kind != LW_STRIDE_OTHER;
        else
            good = false;
        if (!good)
            return false;
    }
    return s->found.latch && s->found.bound;
}

static bool
is_next(const struct lw_stride_search *s, value next, uint32_t phi)
{
    value v = s->at[phi];
    return next.kind == LW_STRIDE_NEXT && next.times == v.times && next.plus == v.plus &&
           next.of == (v.displaced ? phi : 0);
}

/* Phis take from other blocks, and the last round, what goes on. */
static bool
phis_go_on(const struct lw_stride_search *s)
{
    for (uint32_t i = s->function->inst; i < s->function->end; i++) {
        const struct lw_inst *inst = &s->m->insts[i];
        if (inst->op != SpvOpPhi)
            continue;
        bool own = lw_stride_is_phi(s, inst->result);
        for (uint32_t k = 3; k + 1 < inst->count; k += 2) {
            value from = s->at[lw_word(s->m, inst, k)];
            bool last = own && lw_word(s->m, inst, k + 1) == s->latch;
            if (last ? !is_next(s, from, inst->result) : !own && !lw_stride_is_harmless(from))
                return false;
        }
    }
    return true;
}

bool
lw_stride_follow_values(struct lw_stride_search *s)
{
    return follow_values(s) && phis_go_on(s);
}
