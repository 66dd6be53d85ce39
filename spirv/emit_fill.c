/* SPDX-License-Identifier: MIT */
/* Functions that set bytes, as producers write them who have no instruction for it: of each llvm.memset whose
 * length is no constant, of which a loop of zeros is one, a call of a function with a loop over bytes.
 *
 * The loop must be all there is: for (i = 0; i < length; i++) to[i] = byte, the test for 0 before it. Then it
 * is llvm.memset again, and the vectorizer chooses elements as wide as the length of each call allows.
 */
#include "emit_function.h"

#define MOST 12 /* instructions */

static bool
is_chain(uint16_t op)
{
    return op == SpvOpInBoundsPtrAccessChain || op == SpvOpPtrAccessChain;
}

/* The function's instructions without lines; more than there may be: MOST + 1. */
static uint32_t
list(const lw_module *m, const struct lw_spirv_function *f, const struct lw_inst **out)
{
    uint32_t count = 0;
    for (uint32_t i = f->first_param; i < f->end && count <= MOST; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (inst->op == SpvOpFunctionParameter || inst->op == SpvOpLine || inst->op == SpvOpNoLine)
            continue;
        if (count < MOST)
            out[count] = inst;
        count++;
    }
    return count;
}

static bool
is_constant(const lw_module *m, uint32_t id, uint64_t value)
{
    uint64_t bits;
    return lw_constant_bits(m, id, &bits) && bits == value;
}

/* Operands at word `at`, in either order: one of them is that id, the other that constant. */
static bool
is_with(const lw_module *m, const struct lw_inst *i, uint32_t id, uint64_t constant)
{
    uint32_t a = lw_word(m, i, 3), b = lw_word(m, i, 4);
    return (a == id && is_constant(m, b, constant)) || (b == id && is_constant(m, a, constant));
}

static bool
branches(const lw_module *m, const struct lw_inst *i, uint32_t condition, uint32_t yes, uint32_t no)
{
    return i->op == SpvOpBranchConditional && lw_word(m, i, 1) == condition && lw_word(m, i, 2) == yes &&
           lw_word(m, i, 3) == no;
}

/* A phi of 0 from the first block and of `next` from its own. */
static bool
counts(const lw_module *m, const struct lw_inst *phi, uint32_t first, uint32_t own, uint32_t next)
{
    if (phi->op != SpvOpPhi || phi->count != 7)
        return false;
    uint32_t k = lw_word(m, phi, 4) == first ? 3 : 5, other = 8 - k;
    return lw_word(m, phi, k + 1) == first && is_constant(m, lw_word(m, phi, k), 0) &&
           lw_word(m, phi, other) == next && lw_word(m, phi, other + 1) == own;
}

static bool
is_fill(const lw_module *m, const struct lw_spirv_function *f, const uint32_t *parameters)
{
    static const uint16_t shape[MOST] = {SpvOpLabel, SpvOpIEqual, SpvOpBranchConditional, SpvOpLabel,
                                         SpvOpPhi,   0,           SpvOpStore,             SpvOpIAdd,
                                         SpvOpULessThan, SpvOpBranchConditional, SpvOpLabel, SpvOpReturn};
    const struct lw_inst *at[MOST];
    if (list(m, f, at) != MOST)
        return false;
    for (unsigned k = 0; k < MOST; k++)
        if (shape[k] ? at[k]->op != shape[k] : !is_chain(at[k]->op))
            return false;
    uint32_t first = at[0]->result, loop = at[3]->result, end = at[10]->result, counter = at[4]->result;
    const struct lw_inst *chain = at[5], *store = at[6], *next = at[7], *less = at[8];
    struct lw_layout layout;
    const struct lw_inst *pointer = lw_def(m, chain->type);
    bool is_volatile = store->count > 3 && (lw_word(m, store, 3) & SpvMemoryAccessVolatileMask);
    return pointer && pointer->op == SpvOpTypePointer &&
           lw_type_layout(m, lw_word(m, pointer, 3), &layout) && layout.size == 1 &&
           is_with(m, at[1], parameters[2], 0) && branches(m, at[2], at[1]->result, end, loop) &&
           counts(m, at[4], first, loop, next->result) && chain->count == 5 &&
           lw_word(m, chain, 3) == parameters[0] && lw_word(m, chain, 4) == counter &&
           lw_word(m, store, 1) == chain->result && lw_word(m, store, 2) == parameters[1] && !is_volatile &&
           is_with(m, next, counter, 1) && lw_word(m, less, 3) == next->result &&
           lw_word(m, less, 4) == parameters[2] && branches(m, at[9], less->result, loop, end);
}

bool
lw_emit_fill(lw_emitter *e, const struct lw_spirv_function *f)
{
    uint32_t parameters[4], count = 0;
    if (f->param_count < 3 || f->param_count > 4)
        return false;
    for (uint32_t i = f->first_param; i < f->end && count < f->param_count; i++)
        if (e->spv->insts[i].op == SpvOpFunctionParameter)
            parameters[count++] = e->spv->insts[i].result;
    if (count < 3 || !is_fill(e->spv, f, parameters))
        return false;
    V to = e->values[parameters[0]], byte = e->values[parameters[1]], length = e->values[parameters[2]];
    if (LLVMTypeOf(byte) != LLVMInt8TypeInContext(e->context))
        return false;
    LLVMBuildMemSet(e->prologue, to, byte, LLVMBuildZExtOrBitCast(e->prologue, length, e->i64, ""), 1);
    LLVMBuildRetVoid(e->prologue);
    return true;
}
