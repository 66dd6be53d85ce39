/* SPDX-License-Identifier: MIT */
/* Two ways through a loop that each end with the test of its counter make the test together:
 *
 *     bool good = true;                        H: i = phi [0, P], [i + 1, J];  good = phi [1, P], [g, J]
 *     for (i = 0; i < n; i++)                     if (fits) A  else  B
 *         if (fits) A; else { good = false; B }   A: -> J     B: -> J
 *     if (good) C;                             J: g = phi [good, A], [0, B];  if (i + 1 == n) X  else H
 *                                              X: if (was A) -> good ? C : D  else  D
 *
 * LLVM knows after B that C is not to be done, so it writes the test once behind A, once behind B, and then
 * calls what goes back from A a loop within the one that goes back from B, whose head has phis and nothing
 * else. Lanes would go round in the inner one until all have come to B, at places further and further apart;
 * one loop, that the same counter ends in all ways, is left by all lanes at once.
 *
 * Legal: a block of phis that goes on to a loop's head is none of the work-item's steps, so that its loop and
 * the inner one are one. Both tests are the same operations of the same values, which are there where the
 * ways meet, and none of them can trap; what is taken along from either end is a phi there, and which end it
 * was is one, too, that decides behind the loop as the ends did. Never: where anything in the loop is done
 * together with other work-items, to which the two loops may tell who comes at the same time.
 *
 * Enters: any function whose loops have one latch, in LCSSA. Leaves: fewer loops or exits, the same values.
 */
#include "same_tests.h"

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../facts/linear.h"
#include "../facts/memory_effects.h"
#include "../facts/model.h"
#include "module_pass.h"

enum { DEPTH = 6 };

/* Where ways of a loop meet: `first` and `second` go to `target`, or out of the loop. */
struct meeting {
    LLVMBasicBlockRef first, second, target;
    LLVMBasicBlockRef head, before; /* the outer loop's head of phis and what leads there; NULL: none */
    LLVMBasicBlockRef join;
    unsigned out; /* which of their branches' ways leads out */
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
};

/* ---- values that both ends have ---- */

static bool
is_equal(V a, V b, unsigned depth)
{
    a = lw_without_lcssa(a);
    b = lw_without_lcssa(b);
    if (a == b)
        return true;
    if (!depth || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMTypeOf(a) != LLVMTypeOf(b))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    if (op != LLVMGetInstructionOpcode(b) ||
        (!lw_is_int_operation(op) && !lw_is_int_cast(op) && op != LLVMICmp) ||
        (op == LLVMICmp && LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b)))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(a); k++)
        if (!is_equal(LLVMGetOperand(a, (unsigned)k), LLVMGetOperand(b, (unsigned)k), depth - 1))
            return false;
    return true;
}

/* What both are, made where the ways meet; it promises what both promise. */
static V
make_equal(LLVMBuilderRef builder, V a, V b)
{
    a = lw_without_lcssa(a);
    b = lw_without_lcssa(b);
    if (a == b)
        return a;
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    V x = make_equal(builder, LLVMGetOperand(a, 0), LLVMGetOperand(b, 0));
    if (lw_is_int_cast(op))
        return LLVMBuildCast(builder, op, x, LLVMTypeOf(a), "");
    V y = make_equal(builder, LLVMGetOperand(a, 1), LLVMGetOperand(b, 1));
    if (op == LLVMICmp)
        return LLVMBuildICmp(builder, LLVMGetICmpPredicate(a), x, y, "");
    V made = LLVMBuildBinOp(builder, op, x, y, "");
    if (LLVMIsAInstruction(made) && (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl)) {
        LLVMSetNSW(made, LLVMGetNSW(a) && LLVMGetNSW(b));
        LLVMSetNUW(made, LLVMGetNUW(a) && LLVMGetNUW(b));
    }
    return made;
}

/* x - y of a comparison, with the sign that gives the first part of a value that is no phi 1, so that equal
 * sums are equal; false: there is none. */
static bool
difference(const struct meeting *at, V test, struct lw_linear *sum)
{
    unsigned width = lw_int_width(LLVMGetOperand(test, 0)), lead = 0;

    *sum = (struct lw_linear){.layout = at->layout};
    if (!width || width > 64)
        return false;
    lw_linear_add(sum, LLVMGetOperand(test, 0), 1);
    lw_linear_add(sum, LLVMGetOperand(test, 1), (uint64_t)-1);
    lw_linear_reduce(sum, width);
    while (lead < sum->count && LLVMIsAPHINode(sum->parts[lead].value))
        lead++;
    lead = lead == sum->count ? 0 : lead;
    if (sum->full || !sum->count)
        return false;
    if (sum->parts[lead].by != 1) {
        for (unsigned k = 0; k < sum->count; k++)
            sum->parts[k].by = 0 - sum->parts[k].by;
        sum->number = 0 - sum->number;
        lw_linear_reduce(sum, width);
    }
    if (sum->parts[lead].by != 1)
        return false;
    V first = sum->parts[lead].value;
    sum->parts[lead].value = sum->parts[0].value;
    sum->parts[lead].by = sum->parts[0].by;
    sum->parts[0].value = first;
    sum->parts[0].by = 1;
    return true;
}

/* i == n - 1 and i + 1 == n, as LLVM writes one test in two places. */
static bool
is_equal_difference(const struct meeting *at, V a, V b)
{
    struct lw_linear x, y;

    if (!LLVMIsAICmpInst(a) || !LLVMIsAICmpInst(b) || LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b) ||
        (LLVMGetICmpPredicate(a) != LLVMIntEQ && LLVMGetICmpPredicate(a) != LLVMIntNE) ||
        !difference(at, a, &x) || !difference(at, b, &y) || x.count != y.count || x.number != y.number)
        return false;
    for (unsigned k = 0, n; k < x.count; k++) {
        for (n = 0; n < y.count && y.parts[n].value != x.parts[k].value; n++)
            continue;
        if (n == y.count || x.parts[k].by != y.parts[n].by)
            return false;
    }
    return true;
}

static bool
is_same_test(const struct meeting *at, V a, V b)
{
    return is_equal(a, b, DEPTH) || is_equal_difference(at, a, b);
}

static V
make_test(const struct meeting *at, V a, V b)
{
    struct lw_linear sum;
    LLVMBuilderRef builder = at->builder;

    if (is_equal(a, b, DEPTH) || !difference(at, b, &sum))
        return make_equal(builder, a, b);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(b, 0));
    V rest = LLVMConstInt(type, 0 - sum.number, false);
    for (unsigned k = 1; k < sum.count; k++) {
        V by = LLVMConstInt(type, 0 - sum.parts[k].by, false);
        rest = LLVMBuildAdd(builder, LLVMBuildMul(builder, sum.parts[k].value, by, ""), rest, "");
    }
    return LLVMBuildICmp(builder, LLVMGetICmpPredicate(b), sum.parts[0].value, rest, "");
}

/* ---- the ways meet ---- */

/* What `v`, which the outer head hands on, is on the way from `from`. */
static V
handed_on(const struct meeting *at, V v, LLVMBasicBlockRef from)
{
    bool of_head = at->head && LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == at->head;

    return of_head ? lw_incoming_from(v, from) : v;
}

/* One value behind the meeting for `a` of the first and `b` of the second. */
static V
meet(const struct meeting *at, V a, V b)
{
    if (is_equal(a, b, DEPTH)) {
        LLVMPositionBuilderBefore(at->builder, LLVMGetBasicBlockTerminator(at->join));
        return make_equal(at->builder, a, b);
    }
    LLVMPositionBuilderBefore(at->builder, LLVMGetFirstInstruction(at->join));
    V phi = LLVMBuildPhi(at->builder, LLVMTypeOf(a), "");
    LLVMAddIncoming(phi, (V[]){a, b}, (LLVMBasicBlockRef[]){at->first, at->second}, 2);
    return phi;
}

static V
new_phi(const struct meeting *at, V before, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderBefore(at->builder, LLVMGetFirstInstruction(block));
    return LLVMBuildPhi(at->builder, LLVMTypeOf(before), "");
}

/* The incoming values of `phi` from elsewhere than `from` and `other`. */
static void
keep_incoming(V phi, V made, LLVMBasicBlockRef from, LLVMBasicBlockRef other)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        V v = LLVMGetIncomingValue(phi, k);
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, k);
        if (block != from && block != other)
            LLVMAddIncoming(made, &v, &block, 1);
    }
}

/* A phi of the target, of a loop's head with what the outer one hands on. */
static void
meet_at_target(struct meeting *at, V phi)
{
    V made = new_phi(at, phi, at->target), b = lw_incoming_from(phi, at->second), value;

    if (at->head) {
        V v = lw_incoming_from(phi, at->head), first = handed_on(at, v, at->before);
        value = meet(at, handed_on(at, v, at->first), b);
        LLVMAddIncoming(made, &first, &at->before, 1);
    } else {
        value = meet(at, lw_incoming_from(phi, at->first), b);
        keep_incoming(phi, made, at->first, at->second);
    }
    LLVMAddIncoming(made, &value, &at->join, 1);
    lw_replace(phi, made);
}

/* A phi of the outer head: what goes back from the second does not change it. */
static void
move_from_head(struct meeting *at, V phi)
{
    V made = new_phi(at, phi, at->target), first = lw_incoming_from(phi, at->before);
    V value = meet(at, lw_incoming_from(phi, at->first), phi);

    LLVMAddIncoming(made, (V[]){first, value}, (LLVMBasicBlockRef[]){at->before, at->join}, 2);
    lw_replace(phi, made);
}

/* What the phis of an exit get by the way of `from`, they get from `by`. */
static void
meet_at_exit(struct meeting *at, LLVMBasicBlockRef exit, LLVMBasicBlockRef from, LLVMBasicBlockRef by)
{
    for (V phi = LLVMGetFirstInstruction(exit), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        V v = lw_incoming_from(phi, from);
        V other = from == at->first ? lw_incoming_from(phi, at->second) : NULL;
        if (!v || LLVMCountIncoming(phi) == 0)
            continue;
        bool both = by == at->join;
        V value, none = LLVMGetPoison(LLVMTypeOf(v)), made = new_phi(at, phi, exit);
        if (both)
            value = meet(at, v, other);
        else if (!LLVMIsAInstruction(v))
            value = v;
        else
            value = from == at->first ? meet(at, v, none) : meet(at, none, v);
        keep_incoming(phi, made, from, both ? at->second : from);
        LLVMAddIncoming(made, &value, &by, 1);
        lw_replace(phi, made);
    }
}

/* What the outer head computes of its phis becomes phis, computed at the end of either way there. */
static void
leave_phis(struct meeting *at)
{
    LLVMBasicBlockRef ways[2] = {at->before, at->first};
    V i = lw_behind_phis(LLVMGetFirstInstruction(at->head)), values[2];

    for (V next; !LLVMIsATerminatorInst(i); i = next) {
        next = LLVMGetNextInstruction(i);
        for (unsigned w = 0; w < 2; w++) {
            LLVMPositionBuilderBefore(at->builder, LLVMGetBasicBlockTerminator(ways[w]));
            values[w] = LLVMInstructionClone(i);
            LLVMInsertIntoBuilder(at->builder, values[w]);
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                LLVMSetOperand(values[w], (unsigned)k,
                               handed_on(at, LLVMGetOperand(i, (unsigned)k), ways[w]));
        }
        V phi = new_phi(at, i, at->head);
        LLVMAddIncoming(phi, values, ways, 2);
        lw_replace(i, phi);
    }
}

/* Does every round of the joined loop add the same to the phi? Then how much, else 0. */
static uint64_t
step_of(const struct meeting *at, V phi, unsigned width)
{
    struct lw_linear sum = {.layout = at->layout};

    lw_linear_add(&sum, lw_incoming_from(phi, at->join), 1);
    lw_linear_add(&sum, phi, (uint64_t)-1);
    lw_linear_reduce(&sum, width);
    return sum.count || sum.full ? 0 : sum.number;
}

/* Where a value went on by steps in the inner loop, and was computed of the counter when the outer one began,
 * `phi` is the same multiple of the counter in both, whichever way was taken:
 * phi = its start + many * (counter - the counter's start), which the way from `first` must have shown. */
static bool
follows(const struct meeting *at, V phi, V counter, unsigned width, uint64_t *many)
{
    V back = lw_incoming_from(phi, at->join);
    uint64_t step = step_of(at, counter, width);
    struct lw_linear second = {.layout = at->layout}, first = second;

    if (phi == counter || (step != 1 && lw_sign_extend(step, width) != -1) || !LLVMIsAPHINode(back) ||
        LLVMGetInstructionParent(back) != at->join)
        return false;
    lw_linear_add(&second, lw_incoming_from(back, at->second), 1);
    lw_linear_add(&second, phi, (uint64_t)-1);
    lw_linear_reduce(&second, width);
    if (second.count || second.full)
        return false;
    *many = second.number * step;
    lw_linear_add(&first, lw_incoming_from(back, at->first), 1);
    lw_linear_add(&first, lw_incoming_from(phi, at->before), (uint64_t)-1);
    lw_linear_add(&first, counter, 0 - *many);
    lw_linear_add(&first, lw_incoming_from(counter, at->before), *many);
    first.number -= *many * step;
    lw_linear_reduce(&first, width);
    return !first.count && !first.full && !first.number;
}

/* 64 of addresses; 0: of something else. */
static unsigned
width_of(V v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? 64 : lw_int_width(v);
}

static void
follow(const struct meeting *at, V phi, V counter, uint64_t many)
{
    LLVMTypeRef type = LLVMTypeOf(counter), byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
    V start = lw_incoming_from(phi, at->before);

    LLVMPositionBuilderBefore(at->builder, lw_behind_phis(phi));
    V rounds = LLVMBuildSub(at->builder, counter, lw_incoming_from(counter, at->before), "");
    V by = LLVMBuildMul(at->builder, rounds, LLVMConstInt(type, many, false), "");
    bool is_address = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind;
    lw_replace(phi, is_address ? LLVMBuildGEP2(at->builder, byte, start, &by, 1, "")
                            : LLVMBuildAdd(at->builder, start, by, ""));
}

/* Values of the joined loop that its counter tells. */
static void
follow_counter(const struct meeting *at)
{
    for (V c = LLVMGetFirstInstruction(at->target); LLVMIsAPHINode(c); c = LLVMGetNextInstruction(c)) {
        unsigned width = lw_int_width(c);
        uint64_t many;
        if (!width || width > 64 || !step_of(at, c, width))
            continue;
        for (V phi = LLVMGetFirstInstruction(at->target), next; LLVMIsAPHINode(phi); phi = next) {
            next = LLVMGetNextInstruction(phi);
            if (width_of(phi) == width && follows(at, phi, c, width, &many))
                follow(at, phi, c, many);
        }
    }
}

static void
go_to(struct meeting *at, LLVMBasicBlockRef block)
{
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block));
    LLVMPositionBuilderAtEnd(at->builder, block);
    LLVMBuildBr(at->builder, at->join);
}

static void
join(struct meeting *at)
{
    V first = LLVMGetBasicBlockTerminator(at->first), second = LLVMGetBasicBlockTerminator(at->second);
    LLVMBasicBlockRef exits[2] = {LLVMGetSuccessor(first, at->out), LLVMGetSuccessor(second, at->out)};
    LLVMContextRef context = LLVMGetValueContext(first);
    LLVMTypeRef bit = LLVMInt1TypeInContext(context);

    at->join = LLVMInsertBasicBlockInContext(context, at->target, "");
    LLVMPositionBuilderAtEnd(at->builder, at->join);
    LLVMBuildUnreachable(at->builder);
    LLVMBasicBlockRef out = exits[0];
    if (exits[0] == exits[1]) {
        meet_at_exit(at, exits[0], at->first, at->join);
    } else {
        out = LLVMInsertBasicBlockInContext(context, exits[0], "");
        V was = meet(at, LLVMConstInt(bit, 1, false), LLVMConstInt(bit, 0, false));
        LLVMPositionBuilderAtEnd(at->builder, out);
        LLVMBuildCondBr(at->builder, was, exits[0], exits[1]);
        meet_at_exit(at, exits[0], at->first, out);
        meet_at_exit(at, exits[1], at->second, out);
    }
    V last = NULL; /* of the phis that were there */
    for (V i = LLVMGetFirstInstruction(at->target); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        last = i;
    for (V phi = last, next; phi; phi = next) {
        next = phi == LLVMGetFirstInstruction(at->target) ? NULL : LLVMGetPreviousInstruction(phi);
        bool is_new = !lw_incoming_from(phi, at->second);
        if (is_new)
            break;
        meet_at_target(at, phi);
    }
    for (V phi; at->head && (phi = LLVMGetFirstInstruction(at->head), LLVMIsAPHINode(phi));)
        move_from_head(at, phi);
    V end = LLVMGetBasicBlockTerminator(at->join);
    LLVMPositionBuilderBefore(at->builder, end);
    V test = make_test(at, LLVMGetCondition(first), LLVMGetCondition(second));
    V way = LLVMBuildCondBr(at->builder, test, at->out ? at->target : out, at->out ? out : at->target);
    V asked = LLVMGetMetadata(second, LLVMGetMDKindIDInContext(context, "llvm.loop", 9));
    if (asked)
        LLVMSetMetadata(way, LLVMGetMDKindIDInContext(context, "llvm.loop", 9), asked);
    LLVMInstructionEraseFromParent(end);
    go_to(at, at->first);
    go_to(at, at->second);
    if (!at->head)
        return;
    way = LLVMGetBasicBlockTerminator(at->before);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(way); k++)
        if (LLVMGetSuccessor(way, k) == at->head)
            LLVMSetSuccessor(way, k, at->target);
    LLVMDeleteBasicBlock(at->head);
    follow_counter(at);
}

/* ---- where they may ---- */

static bool
is_branch(V end)
{
    return LLVMIsABranchInst(end) && LLVMIsConditional(end);
}

/* Do `first`, on its way to `a`, and `second`, on its way to `b`, leave the loop by the same test? */
static bool
tests_same(const struct lw_model *m, uint32_t loop, struct meeting *at, LLVMBasicBlockRef a,
           LLVMBasicBlockRef b)
{
    V x = LLVMGetBasicBlockTerminator(at->first), y = LLVMGetBasicBlockTerminator(at->second);

    if (at->first == at->second || !is_branch(x) || !is_branch(y))
        return false;
    at->out = LLVMGetSuccessor(x, 0) == a;
    return LLVMGetSuccessor(x, !at->out) == a && LLVMGetSuccessor(y, !at->out) == b &&
           !lw_loop_contains(m, loop, lw_block_id(m, LLVMGetSuccessor(x, at->out))) &&
           !lw_loop_contains(m, loop, lw_block_id(m, LLVMGetSuccessor(y, at->out))) &&
           is_same_test(at, LLVMGetCondition(x), LLVMGetCondition(y));
}

/* Has the block nothing but phis, and what is computed of them without a chance to trap? */
static bool
is_head_of_phis(LLVMBasicBlockRef block)
{
    V i = LLVMGetFirstInstruction(block);

    for (; !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) && (!lw_only_computes(i) || LLVMIsACallInst(i) ||
                                   lw_is_int_division(LLVMGetInstructionOpcode(i))))
            return false;
    return LLVMIsABranchInst(i) && !LLVMIsConditional(i);
}

static bool
is_alone(const struct lw_model *m, const struct lw_loop *loop)
{
    for (uint32_t b = loop->header; b < loop->end; b++)
        for (V i = LLVMGetFirstInstruction(m->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (lw_call_meets(i) != LW_MEETS_ALONE)
                return false;
    return true;
}

/* A loop that is the only thing in the loop `n`. */
static bool
find_inner(const struct lw_model *m, uint32_t n, struct meeting *at)
{
    const struct lw_loop *o = &m->loops[n];
    uint32_t k = n + 1, target = m->blocks[o->header].succs[0];

    if (!is_head_of_phis(m->blocks[o->header].ref) || m->blocks[o->header].pred_count != 2)
        return false;
    while (k < m->loop_count && (m->loops[k].parent != n || m->loops[k].header != target))
        k++;
    if (k == m->loop_count || m->blocks[target].pred_count != 2)
        return false;
    at->head = m->blocks[o->header].ref;
    at->before = m->blocks[o->preheader].ref;
    at->first = m->blocks[o->latch].ref;
    at->second = m->blocks[m->loops[k].latch].ref;
    at->target = m->blocks[target].ref;
    return tests_same(m, n, at, at->head, at->target);
}

/* Two ways that meet in the loop `n`. */
static bool
find_ways(const struct lw_model *m, uint32_t n, struct meeting *at)
{
    for (uint32_t b = m->loops[n].header + 1; b < m->loops[n].end; b++) {
        const struct lw_vblock *block = &m->blocks[b];
        if (block->loop != n || block->pred_count != 2)
            continue;
        *at = (struct meeting){.builder = at->builder, .layout = at->layout, .target = block->ref};
        at->first = m->blocks[block->preds[0]].ref;
        at->second = m->blocks[block->preds[1]].ref;
        if (tests_same(m, n, at, at->target, at->target))
            return true;
    }
    return false;
}

static bool
join_any(const struct lw_model *m, struct meeting *at)
{
    for (uint32_t n = m->loop_count; n-- > 0;)
        if ((find_inner(m, n, at) || find_ways(m, n, at)) && is_alone(m, &m->loops[n])) {
            if (at->head)
                leave_phis(at);
            V x = LLVMGetBasicBlockTerminator(at->first), y = LLVMGetBasicBlockTerminator(at->second);
            if (is_same_test(at, LLVMGetCondition(x), LLVMGetCondition(y)))
                join(at);
            return true;
        }
    return false;
}

static void
visit_kernel(lw_lanes *l, struct lw_arena *arena, void *data)
{
    V kernel = LLVMGetNamedFunction(l->module, "lw.kernel");
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    const char *why;

    (void)arena;
    for (bool again = kernel != NULL; again;) {
        struct lw_model *m = lw_model_build(kernel, &why);
        struct meeting at = {.builder = l->builder, .layout = layout};
        again = m && m->loop_count && join_any(m, &at);
        lw_model_free(m);
        *(bool *)data |= again;
    }
}

bool
lw_join_same_tests(LLVMModuleRef module)
{
    bool changed = false;

    lw_run_pass(module, LW_ISA_AUTO, visit_kernel, &changed);
    return changed;
}
