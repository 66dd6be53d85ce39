/* SPDX-License-Identifier: MIT */
/* Loops in which work-items of a sub-group meet keep the ways through them.
 *
 *     do {                                          do {
 *         done = 0;                                     if (key == sub_group_broadcast_first(key))
 *         if (key == sub_group_broadcast_first(key)) {      goto out;
 *             sum = sub_group_non_uniform_reduce_add(x); } while (1);
 *             done = 1;                             out:
 *         }                                             sum = sub_group_non_uniform_reduce_add(x);
 *     } while (!done);
 *
 * To LLVM's passes both are the same, and they make the right one of the left one (simplifycfg,
 * jump-threading: a way on which the test's outcome is known need not come to it). But on the left those of
 * one key meet, a round each, and on the right all do, behind the loop.
 *
 * Enters: SSA form, so that what is known of a test shows. Leaves: a call of LW_HELD, which no pass copies or
 * leads a way around, in front of each test that leaves such a loop, and whose outcome may be known on a way
 * through the loop: because of a constant that a phi has from there, or of another test of the same value.
 * Legal: the call does nothing. Never: holds the tests of counters, which leave loops to be written out, or
 * loops through which all go the same way.
 */
#include "held_loops.h"

#include "../../spirv/attributes.h"
#include "../facts/instructions.h"

typedef LLVMValueRef V;

#define MOST_VALUES 64 /* that a test is looked for behind */

struct holder {
    struct lw_arena *arena;
    LLVMModuleRef module;
    const struct lw_functions *functions;
    struct lw_telling telling;
    struct lw_natural_loops loops; /* of the function at hand */
    uint32_t left;                 /* the loop that the test at hand leaves */
    V test, seen[MOST_VALUES];
    uint32_t seen_count;
    bool full; /* more than these */
};

/* ---- which functions tell ---- */

static bool
is_telling(const struct lw_telling *telling, V function)
{
    for (uint32_t k = 0; k < telling->count; k++)
        if (telling->functions[k] == function)
            return true;
    return false;
}

static V
caller(LLVMUseRef use)
{
    V user = LLVMGetUser(use);
    return LLVMIsACallInst(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) : NULL;
}

void
lw_find_telling(struct lw_arena *arena, LLVMModuleRef module, bool (*tells)(LLVMValueRef function),
                struct lw_telling *out)
{
    uint32_t count = 0;
    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count++;
    *out = (struct lw_telling){.functions = LW_ARENA_NEW(arena, V, count)};
    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (tells(f))
            out->functions[out->count++] = f;
    for (uint32_t k = 0; k < out->count; k++)
        for (LLVMUseRef use = LLVMGetFirstUse(out->functions[k]); use; use = LLVMGetNextUse(use)) {
            V f = caller(use);
            if (f && !is_telling(out, f))
                out->functions[out->count++] = f;
        }
}

bool *
lw_find_telling_blocks(struct lw_arena *arena, const struct lw_telling *telling, V function,
                       const struct lw_natural_loops *loops)
{
    bool *found = LW_ARENA_NEW(arena, bool, loops->graph.count);
    for (uint32_t k = 0; k < telling->count; k++)
        for (LLVMUseRef use = LLVMGetFirstUse(telling->functions[k]); use; use = LLVMGetNextUse(use)) {
            uint32_t block =
                caller(use) == function
                    ? lw_number_of_block(loops, LLVMGetInstructionParent(LLVMGetUser(use)))
                    : LW_NONE;
            if (block != LW_NONE)
                found[block] = true;
        }
    return found;
}

bool *
lw_find_telling_loops(struct lw_arena *arena, const bool *blocks, const struct lw_natural_loops *loops)
{
    bool *found = LW_ARENA_NEW(arena, bool, loops->graph.count);
    for (uint32_t b = 0; b < loops->graph.count; b++)
        for (uint32_t h = blocks[b] ? loops->header[b] : LW_NONE; h != LW_NONE && !found[h];
             h = loops->outer[h])
            found[h] = true;
    return found;
}

/* ---- which tests ---- */

static bool
is_inside(const struct holder *s, LLVMBasicBlockRef block)
{
    return lw_natural_loop_has(&s->loops, s->left, lw_number_of_block(&s->loops, block));
}

static bool
tests(V user, V value)
{
    bool branches = LLVMIsABranchInst(user) && LLVMIsConditional(user);
    return (branches || LLVMIsASwitchInst(user)) && LLVMGetOperand(user, 0) == value;
}

static bool
is_tested_elsewhere(const struct holder *s, V value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        if (user != s->test && tests(user, value) && is_inside(s, LLVMGetInstructionParent(user)))
            return true;
    }
    return false;
}

/* Once more? */
static bool
was_seen(struct holder *s, V value)
{
    for (uint32_t k = 0; k < s->seen_count; k++)
        if (s->seen[k] == value)
            return true;
    s->full = s->seen_count == MOST_VALUES;
    if (!s->full)
        s->seen[s->seen_count++] = value;
    return false;
}

static bool may_be_known(struct holder *s, V value);

static bool
may_phi_be_known(struct holder *s, V phi)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        V value = LLVMGetIncomingValue(phi, k);
        if (is_inside(s, LLVMGetIncomingBlock(phi, k)) && (LLVMIsAConstant(value) || may_be_known(s, value)))
            return true;
    }
    return false;
}

/* On some way through the loop, by what it is computed from? */
static bool
may_be_known(struct holder *s, V value)
{
    if (!LLVMIsAInstruction(value) || !is_inside(s, LLVMGetInstructionParent(value)))
        return false;
    if (was_seen(s, value))
        return false;
    if (s->full || is_tested_elsewhere(s, value))
        return true;
    if (LLVMIsAPHINode(value))
        return may_phi_be_known(s, value);
    if (LLVMIsALoadInst(value) || LLVMIsACallInst(value) || LLVMIsAAtomicRMWInst(value) ||
        LLVMIsAAtomicCmpXchgInst(value))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (may_be_known(s, LLVMGetOperand(value, k)))
            return true;
    return false;
}

/* The outermost loop in which functions tell that a block's end may leave; LW_NONE: there is none. */
static uint32_t
loop_left(const struct holder *s, const bool *telling, uint32_t block)
{
    const struct lw_graph *g = &s->loops.graph;
    uint32_t left = LW_NONE;
    for (uint32_t h = s->loops.header[block]; h != LW_NONE; h = s->loops.outer[h])
        for (uint32_t e = g->succ_begin[block]; telling[h] && e < g->succ_begin[block + 1]; e++)
            left = lw_natural_loop_has(&s->loops, h, g->succs[e]) ? left : h;
    return left;
}

/* ---- which loops all go through the same way ---- */

static bool is_same(struct holder *s, V value);

static bool
are_operands_same(struct holder *s, V value, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (!is_same(s, LLVMGetOperand(value, k)))
            return false;
    return true;
}

static bool
is_call_same(struct holder *s, V call)
{
    V function = LLVMGetCalledValue(call);
    enum lw_result result = LLVMIsAFunction(function) ? s->functions->result(function) : LW_RESULT_OWN;
    return result == LW_RESULT_SAME ||
           (result == LW_RESULT_OF_OPERANDS && are_operands_same(s, call, LLVMGetNumArgOperands(call)));
}

/* The test at the end of a block, if there is one. */
static bool
is_test_same(struct holder *s, uint32_t block)
{
    V end = LLVMGetBasicBlockTerminator(s->loops.blocks[block]);
    return LLVMGetNumSuccessors(end) < 2 || is_same(s, LLVMGetOperand(end, 0));
}

/* Do all leave a loop in the same round? */
static bool
are_exits_same(struct holder *s, uint32_t header)
{
    const struct lw_graph *g = &s->loops.graph;
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->succ_begin[b]; e < g->succ_begin[b + 1]; e++)
            if (lw_natural_loop_has(&s->loops, header, b) &&
                !lw_natural_loop_has(&s->loops, header, g->succs[e]) && !is_test_same(s, b))
                return false;
    return true;
}

static bool
is_header(const struct holder *s, uint32_t block)
{
    return s->loops.header[block] == block;
}

/* Do all come to a block by the same way, from where the ways to it part? To a loop's header: round. */
static bool
are_ways_same(struct holder *s, uint32_t block)
{
    const struct lw_graph *g = &s->loops.graph;
    uint32_t ways[MOST_VALUES] = {block}, count = 1;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t e = g->pred_begin[ways[k]]; e < g->pred_begin[ways[k] + 1]; e++) {
            uint32_t before = g->preds[e], known = 0;
            if (is_header(s, block) && !lw_natural_loop_has(&s->loops, block, before))
                continue;
            if (!is_test_same(s, before))
                return false;
            while (known < count && ways[known] != before)
                known++;
            if (before == s->loops.parent[block] || known < count)
                continue;
            if (count == MOST_VALUES)
                return false;
            ways[count++] = before;
        }
    return true;
}

/* Of a header's phi: is what comes from within the loop one value, or what comes from outside? */
static bool
has_one_value(const struct holder *s, V phi, bool within)
{
    uint32_t header = lw_number_of_block(&s->loops, LLVMGetInstructionParent(phi));
    V one = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        uint32_t from = lw_number_of_block(&s->loops, LLVMGetIncomingBlock(phi, k));
        V value = LLVMGetIncomingValue(phi, k);
        if (lw_natural_loop_has(&s->loops, header, from) != within)
            continue;
        if (one && value != one)
            return false;
        one = value;
    }
    return true;
}

static bool
is_phi_same(struct holder *s, V phi)
{
    uint32_t block = lw_number_of_block(&s->loops, LLVMGetInstructionParent(phi));
    if (!lw_natural_loop_has(&s->loops, s->left, block))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (!is_same(s, LLVMGetIncomingValue(phi, k)))
            return false;
    if (!is_header(s, block))
        return are_ways_same(s, block);
    return has_one_value(s, phi, false) && (has_one_value(s, phi, true) || are_ways_same(s, block)) &&
           are_exits_same(s, block);
}

/* For all that are in the loop at hand, if they go through it together. */
static bool
is_same(struct holder *s, V value)
{
    if (LLVMIsAArgument(value))
        return s->functions->is_kernel(LLVMGetParamParent(value));
    if (!LLVMIsAInstruction(value))
        return LLVMIsAConstant(value);
    if (was_seen(s, value))
        return true;
    if (s->full || LLVMIsAAllocaInst(value) || LLVMIsALoadInst(value) || LLVMIsAAtomicRMWInst(value) ||
        LLVMIsAAtomicCmpXchgInst(value))
        return false;
    if (LLVMIsACallInst(value))
        return is_call_same(s, value);
    return LLVMIsAPHINode(value) ? is_phi_same(s, value)
                                 : are_operands_same(s, value, (unsigned)LLVMGetNumOperands(value));
}

/* Whether all leave the loop at hand together, and come to that block in each round. */
static bool
go_together(struct holder *s, uint32_t block)
{
    const struct lw_graph *g = &s->loops.graph;
    for (uint32_t e = g->pred_begin[s->left]; e < g->pred_begin[s->left + 1]; e++)
        if (lw_natural_loop_has(&s->loops, s->left, g->preds[e]) &&
            !lw_block_dominates(&s->loops, block, g->preds[e]))
            return false;
    s->seen_count = 0;
    return are_exits_same(s, s->left);
}

/* ---- the calls ---- */

static V
held_function(LLVMModuleRef module)
{
    enum { INACCESSIBLE_READ_WRITE = 3 << 2 }; /* LLVM's MemoryEffects */
    V function = LLVMGetNamedFunction(module, LW_HELD);
    if (!function) {
        LLVMTypeRef type =
            LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
        function = LLVMAddFunction(module, LW_HELD, type);
        lw_add_attributes(function, "convergent noduplicate nomerge nounwind willreturn");
        lw_add_attribute(function, "memory", INACCESSIBLE_READ_WRITE);
    }
    return function;
}

static void
hold(LLVMModuleRef module, LLVMBasicBlockRef block)
{
    V function = held_function(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(builder, lw_behind_phis(LLVMGetFirstInstruction(block)));
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
    LLVMDisposeBuilder(builder);
}

static void
hold_function(struct holder *s, V function)
{
    lw_find_natural_loops(s->arena, function, &s->loops);
    bool *blocks = lw_find_telling_blocks(s->arena, &s->telling, function, &s->loops),
         *telling = lw_find_telling_loops(s->arena, blocks, &s->loops);
    for (uint32_t b = 0; b < s->loops.graph.count; b++) {
        s->left = loop_left(s, telling, b);
        if (s->left == LW_NONE)
            continue;
        s->test = LLVMGetBasicBlockTerminator(s->loops.blocks[b]);
        s->seen_count = 0;
        V value = LLVMGetNumSuccessors(s->test) > 1 ? LLVMGetOperand(s->test, 0) : NULL;
        if (value && (is_tested_elsewhere(s, value) || may_be_known(s, value)) && !go_together(s, b))
            hold(s->module, s->loops.blocks[b]);
    }
}

static void
hold_all(struct lw_arena *arena, void *data)
{
    struct holder *s = data;
    s->arena = arena;
    lw_find_telling(arena, s->module, s->functions->tells, &s->telling);
    for (uint32_t k = 0; k < s->telling.count; k++)
        if (LLVMCountBasicBlocks(s->telling.functions[k]))
            hold_function(s, s->telling.functions[k]);
}

bool
lw_hold_loops(LLVMModuleRef module, const struct lw_functions *functions)
{
    struct holder s = {.module = module, .functions = functions};
    return lw_with_arena(hold_all, &s);
}

void
lw_release_loops(LLVMModuleRef module)
{
    V function = LLVMGetNamedFunction(module, LW_HELD);
    if (!function)
        return;
    for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    }
    LLVMDeleteFunction(function);
}
