/* SPDX-License-Identifier: MIT */
/* What kept functions ask of the work-group and the sub-group reaches them through memory: their context.
 *
 * Enters: lw.subgroup and lanes.* (kept.h), cleaned; both make the calls that workgroup.h lists.
 * Leaves: such calls in lw.subgroup alone. It has an alloca, the context, and fills it once, at its start: a
 * word for each different question that any function asks, where each finds the answer. The first word is the
 * address of one more alloca, named LW_KEPT_ROOM, for the functions' private arrays where they do not fit the
 * stack: the functions lie behind each other there, callees behind callers, as far as calls go.
 * Relies on: answers that hold for as long as the sub-group runs; no recursion. Never: leaves more than
 * MOST_STACK bytes of arrays on the stack, whatever calls what.
 */
#include <llvm-c/Target.h>
#include <string.h>

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/kept.h"
#include "../flow/module_pass.h"
#include "../subgroup/reduce.h"

#define MOST_STACK (16u << 10)
#define ALIGN 64

struct question {
    LLVMValueRef call; /* the first one found */
    uint64_t offset;
};

struct function {
    LLVMValueRef ref;
    uint64_t start, size; /* of its arrays */
};

struct contexts {
    lw_lanes *l;
    LLVMTargetDataRef layout;
    struct question *questions;
    uint32_t question_count;
    struct function *functions;
    uint32_t function_count;
    uint64_t size; /* of the context */
};

/* ---- questions ---- */

static bool
is_question(V i)
{
    return lw_is_call_like(i, "lw.") && !lw_is_reduction(i, NULL);
}

/* Their operands are constants, which there is one of each. */
static bool
asks_the_same(V a, V b)
{
    int count = LLVMGetNumOperands(a); /* the callee is the last one */

    if (count != LLVMGetNumOperands(b))
        return false;
    for (int k = 0; k < count; k++)
        if (LLVMGetOperand(a, (unsigned)k) != LLVMGetOperand(b, (unsigned)k))
            return false;
    return true;
}

static uint32_t
number_of(struct contexts *c, V call)
{
    uint32_t n = 0;

    while (n < c->question_count && !asks_the_same(c->questions[n].call, call))
        n++;
    return n;
}

static void
add_question(struct contexts *c, V call)
{
    uint64_t align = LLVMABIAlignmentOfType(c->layout, LLVMTypeOf(call));

    align = align > ALIGN ? ALIGN : align;
    c->size = (c->size + align - 1) / align * align;
    c->questions[c->question_count++] = (struct question){call, c->size};
    c->size += LLVMABISizeOfType(c->layout, LLVMTypeOf(call));
}

static V
word(struct contexts *c, V context, uint64_t offset)
{
    V at = LLVMConstInt(LLVMInt64TypeInContext(c->l->context), offset, false);
    return LLVMBuildInBoundsGEP2(c->l->builder, LLVMInt8TypeInContext(c->l->context), context, &at, 1, "");
}

static V
answer(struct contexts *c, V context, LLVMTypeRef type, uint64_t offset)
{
    V load = LLVMBuildLoad2(c->l->builder, type, word(c, context, offset), "");
    unsigned align = LLVMABIAlignmentOfType(c->layout, type);

    LLVMSetAlignment(load, align > ALIGN ? ALIGN : align);
    return load;
}

/* Every question of the function, once at its start. */
static void
answer_questions(struct contexts *c, V *answers, V function)
{
    V start = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

    memset(answers, 0, c->question_count * sizeof *answers);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_question(i))
                continue;
            uint32_t n = number_of(c, i);
            if (!answers[n]) {
                LLVMPositionBuilderBefore(c->l->builder, start);
                answers[n] = answer(c, LLVMGetParam(function, 0), LLVMTypeOf(i), c->questions[n].offset);
            }
            LLVMReplaceAllUsesWith(i, answers[n]);
            if (i == start)
                start = next;
            if (i != c->questions[n].call)
                LLVMInstructionEraseFromParent(i);
            else
                LLVMInstructionRemoveFromParent(i); /* asked again in lw.subgroup */
        }
}

/* ---- arrays ---- */

static struct function *
find_function(struct contexts *c, V ref)
{
    for (uint32_t k = 0; k < c->function_count; k++)
        if (c->functions[k].ref == ref)
            return &c->functions[k];
    return NULL;
}

static uint64_t
array_size(struct contexts *c, V alloca)
{
    uint64_t size = LLVMABISizeOfType(c->layout, LLVMGetAllocatedType(alloca));

    return (size * LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0)) + ALIGN - 1) / ALIGN * ALIGN;
}

/* Callees behind their callers: again, until nothing moves. */
static uint64_t
place_functions(struct contexts *c)
{
    uint64_t end = 0;

    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t k = 0; k < c->function_count; k++) {
            struct function *from = &c->functions[k];
            for (LLVMUseRef u = LLVMGetFirstUse(from->ref); u; u = LLVMGetNextUse(u)) {
                V caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(u)));
                const struct function *by = find_function(c, caller);
                if (by && by->start + by->size > from->start) {
                    from->start = by->start + by->size;
                    moved = true;
                }
            }
            end = from->start + from->size > end ? from->start + from->size : end;
        }
    }
    return end;
}

/* Out of the stack into the room. */
static void
move_arrays(struct contexts *c, const struct function *f)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->ref);
    uint64_t at = f->start;
    V room = NULL;

    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsAAllocaInst(i))
                continue;
            if (!room) {
                LLVMPositionBuilderBefore(c->l->builder, LLVMGetFirstInstruction(entry));
                room = answer(c, LLVMGetParam(f->ref, 0), LLVMTypeOf(LLVMGetParam(f->ref, 0)), 0);
            }
            LLVMPositionBuilderBefore(c->l->builder, LLVMGetNextInstruction(room));
            V place = word(c, room, at);
            if (LLVMTypeOf(i) != LLVMTypeOf(place))
                place = LLVMBuildAddrSpaceCast(c->l->builder, place, LLVMTypeOf(i), "");
            at += array_size(c, i);
            lw_replace(i, place);
        }
}

/* The room's size; 0: the arrays stay on the stack. */
static uint64_t
place_arrays(struct contexts *c)
{
    for (uint32_t k = 0; k < c->function_count; k++)
        for (V i = lw_first_instruction(c->functions[k].ref); i; i = lw_next_instruction(i))
            if (LLVMIsAAllocaInst(i))
                c->functions[k].size += array_size(c, i);
    uint64_t end = place_functions(c);
    if (end <= MOST_STACK)
        return 0;
    for (uint32_t k = 0; k < c->function_count; k++)
        move_arrays(c, &c->functions[k]);
    return end;
}

/* ---- the sub-group function ---- */

static V
allocate(struct contexts *c, uint64_t size, const char *name)
{
    V made = LLVMBuildAlloca(c->l->builder, LLVMArrayType2(LLVMInt8TypeInContext(c->l->context), size), name);

    LLVMSetAlignment(made, ALIGN);
    return made;
}

static void
store(struct contexts *c, V value, V context, uint64_t offset)
{
    unsigned align = LLVMABIAlignmentOfType(c->layout, LLVMTypeOf(value));

    LLVMSetAlignment(LLVMBuildStore(c->l->builder, value, word(c, context, offset)),
                     align > ALIGN ? ALIGN : align);
}

/* Makes the context where lw.subgroup begins. */
static void
fill_context(struct contexts *c, V subgroup, uint64_t room)
{
    V asked = LLVMGetNamedFunction(c->l->module, "lw.kept_context");

    LLVMPositionBuilderBefore(c->l->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(subgroup)));
    V context = allocate(c, c->size, "kept.context");
    if (room)
        store(c, allocate(c, room, LW_KEPT_ROOM), context, 0);
    for (uint32_t n = 0; n < c->question_count; n++) {
        LLVMInsertIntoBuilder(c->l->builder, c->questions[n].call);
        store(c, c->questions[n].call, context, c->questions[n].offset);
    }
    for (LLVMUseRef use; asked && (use = LLVMGetFirstUse(asked));) {
        V call = LLVMGetUser(use);
        lw_replace(call, context);
    }
    if (asked)
        LLVMDeleteFunction(asked);
}

static void
pass_contexts(lw_lanes *l, struct lw_arena *arena, void *data)
{
    struct contexts c = {.l = l, .layout = LLVMGetModuleDataLayout(l->module), .size = 8};
    uint32_t most = 0;

    (void)data;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        c.function_count += lw_is_kept_lanes(f);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && lw_is_kept_lanes(f);
             b = LLVMGetNextBasicBlock(b))
            for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                most += is_question(i);
    }
    if (!c.function_count)
        return;
    c.functions = LW_ARENA_NEW(arena, struct function, c.function_count);
    c.questions = LW_ARENA_NEW(arena, struct question, most + 1);
    c.function_count = 0;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        if (!lw_is_kept_lanes(f))
            continue;
        c.functions[c.function_count++].ref = f;
        for (V i = lw_first_instruction(f); i; i = lw_next_instruction(i))
            if (is_question(i) && number_of(&c, i) == c.question_count)
                add_question(&c, i);
    }
    V *answers = LW_ARENA_NEW(arena, V, c.question_count);
    for (uint32_t k = 0; k < c.function_count; k++)
        answer_questions(&c, answers, c.functions[k].ref);
    uint64_t room = place_arrays(&c);
    fill_context(&c, LLVMGetNamedFunction(l->module, "lw.subgroup"), room);
}

bool
lw_pass_contexts(LLVMModuleRef module)
{
    return lw_run_pass(module, LW_ISA_AUTO, pass_contexts, NULL);
}
