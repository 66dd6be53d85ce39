/* SPDX-License-Identifier: MIT */
/* Which loops a work-group goes through together (far_rounds_write.c says how): by the size of the range, or
 * another large step, where neighbouring work-items access what lies side by side. One sub-group after the
 * other would go from page to page, a line of each, as often as there are sub-groups, and no hardware reads
 * ahead.
 *
 * Enters: lw.kernel in canonical form. Leaves: the same values, but not the form.
 * Legal: work-items have no order among each other but by barriers, atomics and collectives, of which there
 * are none in the loop. Every work-item comes to the loop, and step and bound are equal over the work-group,
 * and in every round. The step is looked at where no work-item may go through the loop: what could be poison
 * in it promises nothing any more (the bound is looked at anyway). What is done once before the first round
 * does not trap. Pays: where sub-groups' accesses of global memory adjoin, or go along rows of a neighbouring
 * index, a round is FAR bytes from the next, and there are LW_FAR_ROUNDS rounds: where there may not be, as
 * the shape says, nothing is made. What each work-item carries from round to round is in memory: few values
 * may do so.
 */
#include "far_rounds_internal.h"

#include "../../spirv/arena.h"
#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "../facts/gep.h"
#include "module_pass.h"
#include "../../spirv/intrinsics.h"
#include "../facts/kept.h"

#define DONE "lw.far_rounds"
#define FAR 2048         /* bytes: where hardware stops to read ahead, or nearly */
#define MOST_WRITTEN 240 /* instructions of a round */
#define MOST_CARRIED 2
#define DEPTH 10

/* Of comparisons that a copy was made for. */
static unsigned
done_kind(const struct march *s)
{
    return LLVMGetMDKindIDInContext(s->context, DONE, sizeof DONE - 1);
}

/* x <= n, a constant, as x < n + 1. NULL: there is no such number. */
static LLVMValueRef
one_more(LLVMValueRef n, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(n);
    if (!LLVMIsAConstantInt(n) || lw_int_width(n) > 64)
        return NULL;
    uint64_t ones = LLVMConstIntGetZExtValue(LLVMConstAllOnes(type)), most = is_signed ? ones >> 1 : ones;
    return LLVMConstIntGetZExtValue(n) == most ? NULL : LLVMConstAdd(n, LLVMConstInt(type, 1, false));
}

/* A branch that goes to `inside` where x < bound. */
static bool
goes_on_below(LLVMValueRef branch, LLVMBasicBlockRef inside, LLVMValueRef *x, LLVMValueRef *bound,
              bool *is_signed)
{
    LLVMValueRef c = lw_compared(branch);
    if (!c || LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(c);
    p = LLVMGetSuccessor(branch, 1) == inside ? lw_inverse(p) : p;
    bool less = p == LLVMIntSLT || p == LLVMIntULT, more = p == LLVMIntSGT || p == LLVMIntUGT;
    bool least = p == LLVMIntSLE || p == LLVMIntULE;
    *is_signed = lw_is_signed_order(p);
    *x = LLVMGetOperand(c, more ? 1 : 0);
    *bound = LLVMGetOperand(c, more ? 0 : 1);
    if (least)
        *bound = one_more(*bound, *is_signed);
    return (less || more || least) && *bound;
}

/* Equal over the work-group, and not computed in the loop. */
static bool
is_of_group(const struct march *s, LLVMValueRef v)
{
    return lw_form_of(s->u, s->m, v).group_uniform && !in_loop(s, v);
}

/* May be done where it would not have been: what stands before the first round. */
static bool
never_traps(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (LLVMIsACallInst(v))
        return lw_memory_effect(v) == LW_NO_MEMORY && lw_call_computes(v);
    return (LLVMIsABinaryOperator(v) && !lw_is_int_division(op)) || LLVMIsACastInst(v) ||
           op == LLVMGetElementPtr || op == LLVMICmp || op == LLVMFCmp || op == LLVMSelect ||
           op == LLVMFreeze;
}

/* Made of numbers that are none but what they are, by operations that are poison where they promise
 * something, and not else. */
static bool
is_sure(LLVMValueRef v, unsigned depth)
{
    if (LLVMIsAConstantInt(v) || LLVMIsAArgument(v) || (LLVMIsACallInst(v) && lw_is_call_like(v, "lw.")))
        return true; /* calls of constants */
    if (!LLVMIsAInstruction(v) || depth == DEPTH)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (lw_is_int_cast(op))
        return is_sure(LLVMGetOperand(v, 0), depth + 1);
    uint64_t by = 0, shift = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
    if (!lw_is_int_operation(op) || (shift && !lw_is_int_constant(LLVMGetOperand(v, 1), &by)))
        return false;
    return by < lw_int_width(v) + !shift && is_sure(LLVMGetOperand(v, 0), depth + 1) &&
           is_sure(LLVMGetOperand(v, 1), depth + 1);
}

/* Equal over the work-group, and in every round: computed before the loop, or in each round of the same. */
static bool
is_step(const struct march *s, LLVMValueRef v)
{
    return is_of_group(s, v) || (lw_form_of(s->u, s->m, v).group_uniform && is_sure(v, 0));
}

/* Nothing that keeps an order among work-items, or has a place for each. */
static bool
may_go_together(LLVMValueRef v)
{
    LLVMValueRef at = lw_address_of(v);
    if (LLVMIsAAllocaInst(v) || lw_is_ordered_access(v))
        return false;
    if (at)
        return lw_space_of(at) != LW_AS_PRIVATE;
    if (!LLVMIsACallInst(v))
        return true;
    return lw_memory_effect(v) == LW_NO_MEMORY && lw_call_computes(v);
}

/* The guard: a block that every work-item comes to, once, with its preheader behind it and nothing between.
 */
static bool
find_guard(struct march *s)
{
    const struct lw_model *m = s->m;
    uint32_t before = s->loop->preheader;
    if (m->blocks[before].pred_count != 1)
        return false;
    s->guard = m->blocks[before].preds[0];
    if (m->blocks[s->guard].loop != LW_NONE || !lw_postdominates(m, s->guard, 0) || s->u->masked[s->guard])
        return false;
    const struct lw_vblock *block = &m->blocks[before];
    for (uint32_t n = block->first_value; n + 1 < block->value_end; n++)
        if (!never_traps(m->values[n]))
            return false;
    return true;
}

/* Is it the first number of the counter that the guard compares with the bound? As it is, or as one of more
 * bits that never has more than these, which LLVM prefers where the bound is a constant. */
static bool
begins_with_guard(struct march *s, LLVMValueRef first, LLVMValueRef bound, bool is_signed)
{
    uint64_t most = INT32_MAX, n, same;
    if (first == s->first)
        return bound == s->bound && is_signed == s->is_signed;
    struct lw_vinfo wide = lw_form_of(s->u, s->m, s->first);
    if (!LLVMIsATruncInst(first) || LLVMGetOperand(first, 0) != s->first || lw_int_width(first) < 32 ||
        wide.lo > wide.hi || wide.lo < 0 || wide.hi > (int64_t)most || !lw_is_int_constant(bound, &n) ||
        !lw_is_int_constant(s->bound, &same) || n != same || n > most)
        return false;
    s->first = first;
    s->bound = bound;
    s->is_signed = is_signed;
    return true;
}

/* Both branches compare one counter with one bound, before the first round and behind each. */
static bool
find_counter(struct march *s)
{
    const struct lw_model *m = s->m;
    const struct lw_loop *loop = s->loop;
    LLVMValueRef guard = LLVMGetBasicBlockTerminator(m->blocks[s->guard].ref), next, bound;
    s->deciding = loop->exit_edges[0];
    LLVMValueRef decides = LLVMGetBasicBlockTerminator(m->blocks[s->deciding].ref);
    bool is_signed;
    if (!lw_dominates(m, s->deciding, loop->latch) || LLVMGetNumSuccessors(decides) != 2)
        return false;
    if (LLVMIsAInstruction(LLVMGetCondition(decides)) &&
        LLVMGetMetadata(LLVMGetCondition(decides), done_kind(s)))
        return false;
    s->on = LLVMGetSuccessor(decides, LLVMGetSuccessor(decides, 0) == m->blocks[loop->exit_edges[1]].ref);
    if (!goes_on_below(guard, m->blocks[loop->preheader].ref, &s->first, &s->bound, &s->is_signed) ||
        !goes_on_below(decides, s->on, &next, &bound, &is_signed))
        return false;
    unsigned width = lw_int_width(next);
    if (!is_of_group(s, bound) || (width != 32 && width != 64))
        return false;
    for (unsigned k = 0; k < s->carried_count; k++) {
        s->counter = &s->carried[k];
        s->step = s->counter->step;
        if (s->counter->next == next && s->step && is_sure(s->step, 0) &&
            begins_with_guard(s, s->counter->first, bound, is_signed))
            return true;
    }
    return false;
}

static bool
find_carried(struct march *s)
{
    const struct lw_vblock *header = &s->m->blocks[s->loop->header];
    unsigned varying = 0;
    s->carried_count = 0;
    for (uint32_t n = header->first_value; n < header->value_end; n++) {
        LLVMValueRef phi = s->m->values[n];
        struct lw_round r;
        if (!LLVMIsAPHINode(phi))
            break;
        if (s->carried_count == MOST_PHIS || !lw_read_round(phi, s->m->blocks[s->loop->latch].ref, &r))
            return false;
        LLVMValueRef by = lw_added_to(phi, r.next);
        by = by && is_step(s, by) ? by : NULL;
        s->carried[s->carried_count++] = (struct carried){phi, r.first, r.next, by};
        varying += !by && !lw_form_of(s->u, s->m, phi).group_uniform;
    }
    return varying <= MOST_CARRIED;
}

/* Is it computed from i / d or i % d, of neighbours' neighbouring i? Most of them lie in one row of d. */
static bool
goes_along_rows(const struct march *s, LLVMValueRef v, unsigned depth)
{
    if (depth == DEPTH || !LLVMIsAInstruction(v) || !in_loop(s, v) ||
        lw_form_of(s->u, s->m, v).form != LW_VARYING)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (lw_is_int_division(op)) {
        struct lw_vinfo index = lw_form_of(s->u, s->m, LLVMGetOperand(v, 0));
        return index.form == LW_STRIDED && index.linear && index.stride == 1;
    }
    if (op != LLVMGetElementPtr && !lw_is_int_operation(op) && !lw_is_int_cast(op))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (goes_along_rows(s, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return true;
    return false;
}

/* Do neighbours access neighbouring places of global memory, other ones in each round? */
static uint64_t
side_by_side(const struct march *s, LLVMValueRef v)
{
    LLVMValueRef at = lw_address_of(v);
    if (!at || lw_space_of(at) != LW_AS_GLOBAL || !in_loop(s, at))
        return 0;
    struct lw_vinfo info = lw_form_of(s->u, s->m, at);
    uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(s->module), LLVMTypeOf(lw_moved_by(v)));
    bool adjoin = info.form == LW_STRIDED && info.linear && (uint64_t)info.stride == size;
    return adjoin || goes_along_rows(s, at, 0) ? size : 0;
}

static bool
is_worth_it(struct march *s)
{
    uint32_t count = 0;
    uint64_t largest = 0;
    uint32_t end = s->m->blocks[s->loop->end - 1].value_end;
    for (uint32_t n = s->m->blocks[s->loop->header].first_value; n < end; n++) {
        uint64_t size = side_by_side(s, s->m->values[n]);
        largest = size > largest ? size : largest;
        if (!may_go_together(s->m->values[n]) || ++count > MOST_WRITTEN)
            return false;
    }
    s->far = largest ? (FAR + largest - 1) / largest : 0;
    struct lw_vinfo step = lw_form_of(s->u, s->m, s->step);
    return largest && !(step.lo <= step.hi && step.hi < (int64_t)s->far);
}

static bool
find_loop(struct march *s)
{
    const struct lw_model *m = s->m;
    for (uint32_t l = 0; l < m->loop_count; l++) {
        bool innermost = true;
        for (uint32_t k = l + 1; k < m->loop_count; k++)
            innermost &= m->loops[k].parent != l;
        s->loop = &m->loops[l];
        if (innermost && s->loop->parent == LW_NONE && s->loop->exit_count == 1 && find_guard(s) &&
            find_carried(s) && find_counter(s) && is_worth_it(s))
            return true;
    }
    return false;
}

static void
join(struct lw_arena *arena, void *data)
{
    struct march *s = data;
    if (!find_loop(s))
        return;
    struct lw_twice *both[] = {&s->twice, &s->rest};
    for (unsigned k = 0; k < 2; k++) {
        *both[k] = (struct lw_twice){.b = s->b, .m = s->m};
        both[k]->copies = LW_ARENA_NEW(arena, LLVMValueRef, s->m->value_count);
        both[k]->blocks = LW_ARENA_NEW(arena, LLVMBasicBlockRef, s->m->block_count);
    }
    LLVMValueRef decides = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->m->blocks[s->deciding].ref));
    LLVMSetMetadata(decides, done_kind(s), LLVMMDNodeInContext(s->context, NULL, 0));
    lw_report_note(s->report, decides, "loop",
                   "rounds far apart in memory: a copy in which the work-group goes through each together");
    lw_march_write(s);
    s->changed = true;
}

bool
lw_join_far_rounds(LLVMModuleRef module, const struct lw_shape *shape, struct lw_report *report)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    struct march s = {.module = module, .context = LLVMGetModuleContext(module), .report = report};
    uint64_t size = (uint64_t)shape->local_size[0] * shape->local_size[1] * shape->local_size[2];
    const char *why;
    if (!kernel || shape->lanes < 2 || size < 2 * (uint64_t)shape->lanes || shape->yields ||
        shape->few_rounds || lw_has_kept(module))
        return false;
    struct lw_model *m = lw_model_build(kernel, &why);
    struct lw_uniformity *u = m && m->loop_count ? lw_find_uniformity(m, shape) : NULL;
    s.m = m;
    s.u = u;
    s.b = LLVMCreateBuilderInContext(s.context);
    if (u)
        lw_with_arena(join, &s);
    LLVMDisposeBuilder(s.b);
    lw_uniformity_free(u);
    lw_model_free(m);
    return s.changed;
}
