/* SPDX-License-Identifier: MIT */
/* What a loop's source does before a break is done in that round.
 *
 *     for (;;)                                       for (;;) {
 *         if (sub_group_elect()) {                       leave = 0;
 *             sub_group_ballot(..);                      if (sub_group_elect()) {
 *             break;                            ->           sub_group_ballot(..);
 *         }                                                  leave = 1;
 *                                                        }
 *                                                        if (leave) break;
 *                                                    }
 *
 * Enters: a function as clang has written it before any pass, blocks in the order of the source and with
 * their names: what stands between a loop's first block and its "for.end" was written in the loop. Leaves:
 * ways out of a loop through blocks that are not of the cycle, or from a loop in it, where functions tell in
 * one of these, by a block at the end of the round. Why: all that is known of a cycle is what comes back to
 * it; what does not would be done behind it, by those of all rounds together. Legal: the same blocks are run
 * in the same order. Never: touches loops that are left straight away, or blocks that have phis.
 */
#include "meetings.h"

#include "vectorizer/facts/instructions.h"

#include <string.h>

#define MOST_TARGETS 8

struct breaker {
    struct lw_arena *arena;
    LLVMBuilderRef builder;
    V function;
    struct lw_natural_loops loops;
    bool *tells;            /* by block */
    bool *loop_tells;       /* by header */
    uint32_t *place, count; /* by block: where it stands in the text */
    uint32_t header, end;   /* of the loop at hand; places: from the one up to the other */
    V leave;                /* i32: 0, or which of the targets */
    LLVMBasicBlockRef again, targets[MOST_TARGETS];
    unsigned target_count;
};

/* ---- where the source's loop ends ---- */

static bool
begins(LLVMBasicBlockRef block, const char *with, const char *part)
{
    const char *name = LLVMGetBasicBlockName(block);
    size_t length = strlen(with);

    return strncmp(name, with, length) == 0 && strncmp(name + length, part, strlen(part)) == 0;
}

/* What the blocks of a loop are called, and the one behind it, with ".end". */
static const char *const kinds[] = {"for", "while", "do"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* KINDS: it is one of gotos. */
static unsigned
kind_of(LLVMBasicBlockRef header)
{
    unsigned k = 0;
    while (k < KINDS && !begins(header, kinds[k], "."))
        k++;
    return k;
}

/* A label of the source, or where the function ends; clang's names of other blocks have a dot. */
static bool
is_label_or_return(LLVMBasicBlockRef block)
{
    return !strchr(LLVMGetBasicBlockName(block), '.') || begins(block, "return", "");
}

static void
find_places(struct breaker *s)
{
    s->place = lw_arena_fill(s->arena, s->loops.graph.count, LW_NONE);
    s->count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b)) {
        uint32_t number = lw_number_of_block(&s->loops, b);
        if (number != LW_NONE)
            s->place[number] = s->count;
        s->count++;
    }
}

/* By block: of headers, the last place in the loop. */
static uint32_t *
find_last_places(const struct breaker *s)
{
    uint32_t n = s->loops.graph.count, *last = lw_arena_fill(s->arena, n, 0);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t h = s->loops.header[b]; h != LW_NONE; h = s->loops.outer[h])
            last[h] = s->place[b] > last[h] ? s->place[b] : last[h];
    return last;
}

/* The place behind a loop whose last block is at `last`. Where all jump out of it, nothing is called its end.
 * A goto stands at the end of its loop. */
static uint32_t
find_end(const struct breaker *s, const uint32_t *at, bool *taken, LLVMBasicBlockRef header, uint32_t last)
{
    uint32_t kind = kind_of(header), other = s->count;
    if (kind == KINDS)
        return last + 1;
    for (uint32_t place = last + 1; place < s->count; place++) {
        LLVMBasicBlockRef block = at[place] == LW_NONE ? NULL : s->loops.blocks[at[place]];
        if (block && !taken[place] && begins(block, kinds[kind], ".end")) {
            taken[place] = true;
            return place;
        }
        if (block && other == s->count && is_label_or_return(block))
            other = place;
    }
    return other;
}

/* By block: of headers, the place of the loop's end, each of another. Inner loops choose first. */
static uint32_t *
find_ends(const struct breaker *s)
{
    uint32_t n = s->loops.graph.count, *end = lw_arena_fill(s->arena, n, LW_NONE),
             *last = find_last_places(s),
             *at = lw_arena_fill(s->arena, s->count, LW_NONE); /* blocks by place */
    bool *taken = LW_ARENA_NEW(s->arena, bool, s->count);
    for (uint32_t b = 0; b < n; b++)
        at[s->place[b]] = b;
    for (uint32_t p = s->count; p-- > 0;) {
        uint32_t h = at[p];
        if (h != LW_NONE && s->loops.header[h] == h)
            end[h] = find_end(s, at, taken, s->loops.blocks[h], last[h]);
    }
    return end;
}

/* ---- the ways out ---- */

/* Written in the loop at hand, but not of the cycle; or of a loop in it, which may prove to be none. */
static bool
leads_out(const struct breaker *s, uint32_t block)
{
    if (lw_natural_loop_has(&s->loops, s->header, block))
        return s->loops.header[block] != s->header;
    return s->place[block] > s->place[s->header] && s->place[block] < s->end;
}

static bool
is_outside(const struct breaker *s, uint32_t block)
{
    return s->place[block] < s->place[s->header] || s->place[block] >= s->end;
}

static bool
has_phis(LLVMBasicBlockRef block)
{
    return LLVMIsAPHINode(LLVMGetFirstInstruction(block));
}

/* One more that a way leads to; false: there are too many, or it has phis. */
static bool
add_target(struct breaker *s, LLVMBasicBlockRef block)
{
    for (unsigned k = 0; k < s->target_count; k++)
        if (s->targets[k] == block)
            return true;
    if (s->target_count == MOST_TARGETS || has_phis(block))
        return false;
    s->targets[s->target_count++] = block;
    return true;
}

/* Does the loop have ways out that are to be changed, and can they be? */
static bool
find_targets(struct breaker *s)
{
    const struct lw_graph *g = &s->loops.graph;
    bool wanted = false, good = !has_phis(s->loops.blocks[s->header]);
    s->target_count = 0;
    for (uint32_t b = 0; b < g->count && good; b++) {
        if (!leads_out(s, b))
            continue;
        uint32_t inner = s->loops.header[b];
        bool in_cycle = lw_natural_loop_has(&s->loops, s->header, b), leaves = false;
        for (uint32_t e = g->succ_begin[b]; e < g->succ_begin[b + 1] && good; e++)
            if (is_outside(s, g->succs[e])) {
                good = add_target(s, s->loops.blocks[g->succs[e]]);
                leaves = true;
            }
        wanted |= in_cycle ? leaves && s->loop_tells[inner] : s->tells[b];
    }
    return wanted && good && s->target_count;
}

static V
number(const struct breaker *s, unsigned value)
{
    return LLVMConstInt(LLVMGetAllocatedType(s->leave), value, false);
}

static void
store_at(struct breaker *s, LLVMBasicBlockRef block, unsigned value)
{
    LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(block));
    LLVMBuildStore(s->builder, number(s, value), s->leave);
}

/* A block where the source's loop ends: the places of what is around it stay what they are. */
static LLVMBasicBlockRef
insert_at_end(const struct breaker *s, LLVMContextRef context)
{
    static const char name[] = "loop.again";
    LLVMBasicBlockRef end = LLVMGetFirstBasicBlock(s->function);
    for (uint32_t k = 0; k < s->end && end; k++)
        end = LLVMGetNextBasicBlock(end);
    return end ? LLVMInsertBasicBlockInContext(context, end, name)
               : LLVMAppendBasicBlockInContext(context, s->function, name);
}

/* Back to the next round, or on to where the work-item leaves. */
static void
write_again(struct breaker *s)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(s->function));
    LLVMTypeRef type = LLVMInt32TypeInContext(context);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->function);
    LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(entry));
    LLVMSetCurrentDebugLocation2(s->builder, NULL);
    s->leave = LLVMBuildAlloca(s->builder, type, "leave");
    LLVMBuildStore(s->builder, number(s, 0), s->leave);
    s->again = insert_at_end(s, context);
    LLVMPositionBuilderAtEnd(s->builder, s->again);
    V which = LLVMBuildLoad2(s->builder, type, s->leave, "");
    V go = LLVMBuildSwitch(s->builder, which, s->loops.blocks[s->header], s->target_count);
    for (unsigned k = 0; k < s->target_count; k++) {
        LLVMAddCase(go, number(s, k + 1), s->targets[k]);
        store_at(s, s->targets[k], 0);
    }
}

static LLVMBasicBlockRef
way_to(struct breaker *s, LLVMBasicBlockRef target)
{
    unsigned k = 0;
    while (s->targets[k] != target)
        k++;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(s->function));
    LLVMBasicBlockRef way = LLVMInsertBasicBlockInContext(context, s->again, "loop.leave");
    LLVMPositionBuilderAtEnd(s->builder, way);
    LLVMBuildStore(s->builder, number(s, k + 1), s->leave);
    LLVMBuildBr(s->builder, s->again);
    return way;
}

static void
change_ways(struct breaker *s)
{
    const struct lw_graph *g = &s->loops.graph;
    for (uint32_t b = 0; b < g->count; b++) {
        V end = LLVMGetBasicBlockTerminator(s->loops.blocks[b]);
        bool inside = lw_natural_loop_has(&s->loops, s->header, b), out = leads_out(s, b);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            uint32_t to = g->succs[g->succ_begin[b] + k];
            if (inside && to == s->header)
                LLVMSetSuccessor(end, k, s->again);
            else if (out && is_outside(s, to))
                LLVMSetSuccessor(end, k, way_to(s, s->loops.blocks[to]));
        }
    }
}

/* Each return is a block behind all others, so that ways lead out of loops there, too. */
static void
move_returns(struct breaker *s)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(s->function));
    LLVMBasicBlockRef last = LLVMGetLastBasicBlock(s->function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function), next; b; b = next) {
        V old = LLVMGetBasicBlockTerminator(b), slot = NULL;
        next = b == last ? NULL : LLVMGetNextBasicBlock(b);
        if (!LLVMIsAReturnInst(old))
            continue;
        V value = LLVMGetNumOperands(old) ? LLVMGetOperand(old, 0) : NULL;
        if (value) {
            LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->function);
            LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(entry));
            slot = LLVMBuildAlloca(s->builder, LLVMTypeOf(value), "value");
        }
        LLVMPositionBuilderBefore(s->builder, old);
        if (value)
            LLVMBuildStore(s->builder, value, slot);
        LLVMBasicBlockRef made = LLVMAppendBasicBlockInContext(context, s->function, "return.from");
        LLVMBuildBr(s->builder, made);
        LLVMInstructionEraseFromParent(old);
        LLVMPositionBuilderAtEnd(s->builder, made);
        if (value)
            LLVMBuildRet(s->builder, LLVMBuildLoad2(s->builder, LLVMTypeOf(value), slot, ""));
        else
            LLVMBuildRetVoid(s->builder);
    }
}

/* One loop; false: there is none left. */
static bool
change_one(struct breaker *s, const struct lw_telling *telling)
{
    lw_find_natural_loops(s->arena, s->function, &s->loops);
    s->tells = lw_find_telling_blocks(s->arena, telling, s->function, &s->loops);
    s->loop_tells = lw_find_telling_loops(s->arena, s->tells, &s->loops);
    find_places(s);
    uint32_t *end = find_ends(s);
    for (s->header = s->loops.graph.count; s->header-- > 0;) {
        s->end = end[s->header];
        if (s->loops.header[s->header] != s->header || !find_targets(s))
            continue;
        write_again(s);
        change_ways(s);
        return true;
    }
    return false;
}

void
lw_change_breaks(struct lw_arena *arena, V function, const struct lw_telling *telling)
{
    enum { MOST_LOOPS = 100 };
    struct breaker s = {.arena = arena,
                        .function = function,
                        .builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)))};
    move_returns(&s);
    for (unsigned k = 0; k < MOST_LOOPS && change_one(&s, telling); k++)
        ;
    LLVMDisposeBuilder(s.builder);
}
