/* SPDX-License-Identifier: MIT */
/* Loads whose places lie far from round to round of a loop are asked for some rounds ahead.
 *
 *   for (i = first; i < n; i += get_global_size(0)) ... x[i] ...   ->   a prefetch of &x[i + 2 * global size]
 *
 * Enters: a module behind its last LLVM pass. Leaves: the same loads, and prefetches beside them. Legal:
 * always: a prefetch changes nothing and never faults. Why: processors look ahead by themselves within a page
 * only, so loops by grid strides and down columns wait for every line, but where rounds are so short that the
 * next ones are under way by then: those are left alone. Relies on: nothing; where a step is small after all,
 * or an index wraps, a line is asked for in vain. What a loop that is left alone has in front of it is dead.
 */
#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/gep.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"
#include "loop_blocks.h"

enum {
    LEAST_ROUND = 40,  /* instructions */
    WINDOW = 480,      /* of them, about, while a line is on its way */
    MOST_AHEAD = 8,    /* rounds */
    LEAST_STEP = 2048, /* bytes a round: of less, processors look ahead themselves */
    LINE = 64,
    MOST_LINES = 8, /* of a round */
    DEPTH = 8
};

struct search {
    lw_lanes *l;
    LLVMTargetDataRef layout;
    struct lw_loop_blocks loop;
};

/* The loop that `header` begins, where something counts in it: only that goes far. */
static bool
find_loop(struct search *s, LLVMBasicBlockRef header)
{
    for (V i = LLVMGetFirstInstruction(header); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        for (unsigned k = 0; LLVMCountIncoming(i) == 2 && k < 2; k++)
            if (lw_added_to(i, LLVMGetIncomingValue(i, k))) {
                s->loop.header = header;
                s->loop.before = LLVMGetIncomingBlock(i, !k);
                s->loop.latch = LLVMGetIncomingBlock(i, k);
                return lw_find_loop_blocks(&s->loop);
            }
    return false;
}

/* ---- how far a value goes ---- */

static V go_of(struct search *s, V v, unsigned depth);

/* Zeros stay constants, so that what does not go on is seen. */
static V
sum(struct search *s, V a, V b, bool minus)
{
    if (!a || !b || LLVMIsNull(b))
        return b ? a : NULL;
    if (minus)
        return LLVMBuildSub(s->l->builder, a, b, "");
    return LLVMIsNull(a) ? b : LLVMBuildAdd(s->l->builder, a, b, "");
}

static V
product(struct search *s, V a, V b)
{
    return !a || !b || LLVMIsNull(a) ? a : LLVMBuildMul(s->l->builder, a, b, "");
}

/* As a number of 64 bits, where the loop does not change it. */
static V
word(struct search *s, V v)
{
    return lw_is_in_loop(&s->loop, v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind
               ? NULL
               : LLVMBuildIntCast2(s->l->builder, v, lw_lane_int_type(s->l, 64), true, "");
}

static V
go_of_phi(struct search *s, V phi)
{
    struct lw_round r;
    if (LLVMGetInstructionParent(phi) != s->loop.header || !lw_read_round(phi, s->loop.latch, &r))
        return NULL;
    V step = lw_added_to(phi, r.next);
    return step ? word(s, step) : NULL;
}

static V
go_of_address(struct search *s, V gep, unsigned depth)
{
    V go = go_of(s, LLVMGetOperand(gep, 0), depth);
    struct lw_gep_walk walk = lw_gep_walk(s->layout, gep);
    while (go && lw_gep_step(&walk))
        if (walk.index)
            go = sum(s, go, product(s, go_of(s, walk.index, depth), lane_int(s->l, 64, walk.bytes)), false);
    return go;
}

static V
go_of_operation(struct search *s, V v, unsigned depth)
{
    V a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr: /* of bits that are not in both, in an address */
    case LLVMAdd:
        return sum(s, go_of(s, a, depth), go_of(s, b, depth), false);
    case LLVMSub:
        return sum(s, go_of(s, a, depth), go_of(s, b, depth), true);
    case LLVMMul:
        if (lw_is_in_loop(&s->loop, b))
            return lw_is_in_loop(&s->loop, a) ? NULL : product(s, go_of(s, b, depth), word(s, a));
        return product(s, go_of(s, a, depth), word(s, b));
    case LLVMShl:
        if (lw_is_in_loop(&s->loop, b))
            return NULL;
        a = go_of(s, a, depth);
        return a && !LLVMIsNull(a) ? LLVMBuildShl(s->l->builder, a, word(s, b), "") : a;
    default:
        return NULL;
    }
}

/* What is added to an integer or address in each round, of 64 bits, in front of the loop; NULL: not known. */
static V
go_of(struct search *s, V v, unsigned depth)
{
    if (!lw_is_in_loop(&s->loop, v))
        return lane_int(s->l, 64, 0);
    if (depth == DEPTH)
        return NULL;
    if (LLVMIsAPHINode(v))
        return go_of_phi(s, v);
    if (LLVMIsAGetElementPtrInst(v))
        return go_of_address(s, v, depth + 1);
    if (LLVMIsABinaryOperator(v))
        return go_of_operation(s, v, depth + 1);
    if (lw_is_int_cast(LLVMGetInstructionOpcode(v)) || LLVMIsAFreezeInst(v) || LLVMIsAAddrSpaceCastInst(v))
        return go_of(s, LLVMGetOperand(v, 0), depth + 1);
    return NULL;
}

/* ---- what is asked for ---- */

/* A load's address from memory that all share; NULL: it is none. */
static V
address_of(V i)
{
    V pointer = LLVMIsALoadInst(i) || lw_is_call_like(i, "llvm.masked.load.") ? LLVMGetOperand(i, 0) : NULL;
    unsigned space = pointer ? lw_space_of(pointer) : LW_AS_PRIVATE;
    return space == LW_AS_GLOBAL || space == LW_AS_CONSTANT ? pointer : NULL;
}

static bool
is_far(V go)
{
    if (!go || !LLVMIsAConstantInt(go))
        return go;
    long long bytes = LLVMConstIntGetSExtValue(go);
    return bytes >= LEAST_STEP || bytes <= -LEAST_STEP;
}

struct far {
    V load, go;
    unsigned lines;
};

/* A load whose place lies far in the next round; what it goes on by is written in front of the loop. */
static bool
find_far(struct search *s, V load, struct far *far)
{
    V pointer = address_of(load);
    if (!pointer)
        return false;
    LLVMPositionBuilderBefore(s->l->builder, LLVMGetBasicBlockTerminator(s->loop.before));
    *far = (struct far){load, go_of(s, pointer, 0),
                        (unsigned)(LLVMABISizeOfType(s->layout, LLVMTypeOf(load)) + LINE - 1) / LINE};
    return is_far(far->go);
}

static void
ask_ahead(struct search *s, const struct far *far, unsigned rounds)
{
    lw_lanes *l = s->l;
    LLVMPositionBuilderBefore(l->builder, LLVMGetBasicBlockTerminator(s->loop.before));
    V bytes = LLVMBuildMul(l->builder, far->go, lane_int(l, 64, rounds), "");
    LLVMPositionBuilderBefore(l->builder, far->load);
    for (unsigned k = 0; k < far->lines; k++) {
        V offset = k ? LLVMBuildAdd(l->builder, bytes, lane_int(l, 64, k * LINE), "") : bytes;
        V place = LLVMBuildGEP2(l->builder, lw_lane_int_type(l, 8), address_of(far->load), &offset, 1, "");
        LLVMTypeRef type = LLVMTypeOf(place);
        V args[] = {place, lane_int(l, 32, 0), lane_int(l, 32, 3), lane_int(l, 32, 1)};
        lw_lane_call(l, "llvm.prefetch", &type, 1, args, 4);
    }
}

static unsigned
count_instructions(const struct search *s)
{
    unsigned count = 0;
    for (unsigned k = 0; k < s->loop.count; k++)
        for (V i = LLVMGetFirstInstruction(s->loop.blocks[k]); i; i = LLVMGetNextInstruction(i))
            count++;
    return count;
}

static void
visit_loop(struct search *s)
{
    unsigned count = count_instructions(s), lines = 0, loads = 0;
    struct far far[MOST_LINES];
    if (count < LEAST_ROUND || count > WINDOW)
        return;
    for (unsigned k = 0; k < s->loop.count; k++)
        for (V i = LLVMGetFirstInstruction(s->loop.blocks[k]); i; i = LLVMGetNextInstruction(i)) {
            struct far found;
            if (!find_far(s, i, &found))
                continue;
            lines += found.lines;
            if (lines > MOST_LINES)
                return;
            far[loads++] = found;
        }
    unsigned rounds = WINDOW / count + 1;
    rounds = rounds < MOST_AHEAD ? rounds : MOST_AHEAD;
    for (unsigned k = 0; k < loads; k++)
        ask_ahead(s, &far[k], rounds);
}

static void
visit_module(lw_lanes *l, struct lw_arena *arena, void *data)
{
    struct search s = {.l = l, .layout = LLVMGetModuleDataLayout(l->module)};
    (void)arena, (void)data;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            if (find_loop(&s, b))
                visit_loop(&s);
}

bool
lw_ask_ahead(LLVMModuleRef module, lw_isa isa)
{
    return lw_run_pass(module, isa, visit_module, NULL);
}
