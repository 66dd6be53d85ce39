/* SPDX-License-Identifier: MIT */
/* The frame around passes over a module, see module_pass.h.
 *
 * Enters: a module, and the pass's function. Leaves: what the pass left; also where memory ran out, so a pass
 * that must not stop half-way allocates before it changes anything. Never: leaves a builder or an arena.
 */
#include "module_pass.h"

#include <string.h>

struct frame {
    lw_lanes l;
    void (*pass)(lw_lanes *l, struct lw_arena *arena, void *data);
    void *data;
};

static lw_lanes
begin(LLVMModuleRef module, lw_isa isa)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    return (lw_lanes){
        .context = context, .module = module, .isa = isa, .builder = LLVMCreateBuilderInContext(context)};
}

static void
run(struct lw_arena *arena, void *data)
{
    struct frame *frame = data;
    frame->pass(&frame->l, arena, frame->data);
}

bool
lw_run_pass(LLVMModuleRef module, lw_isa isa, void (*pass)(lw_lanes *l, struct lw_arena *arena, void *data),
            void *data)
{
    struct frame frame = {.l = begin(module, isa), .pass = pass, .data = data};
    bool done = lw_with_arena(run, &frame);
    LLVMDisposeBuilder(frame.l.builder);
    return done;
}

void
lw_visit_instructions(LLVMModuleRef module, lw_isa isa, void (*visit)(lw_lanes *l, V instruction))
{
    lw_lanes l = begin(module, isa);

    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (V i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                visit(&l, i);
            }
    LLVMDisposeBuilder(l.builder);
}

void
lw_delete_functions(LLVMModuleRef module, const char *prefix)
{
    for (V f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (strncmp(LLVMGetValueName(f), prefix, strlen(prefix)) == 0)
            LLVMDeleteFunction(f);
    }
}

void
lw_erase_together(V *instructions, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (instructions[k])
            LLVMReplaceAllUsesWith(instructions[k], LLVMGetPoison(LLVMTypeOf(instructions[k])));
    for (uint32_t k = 0; k < count; k++)
        if (instructions[k])
            LLVMInstructionEraseFromParent(instructions[k]);
}

LLVMBasicBlockRef
lw_part_block(LLVMBuilderRef builder, V first)
{
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(first);
    LLVMValueRef function = LLVMGetBasicBlockParent(tail);
    LLVMBasicBlockRef before = LLVMInsertBasicBlockInContext(LLVMGetValueContext(first), tail, "");

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        V end = LLVMGetBasicBlockTerminator(b);
        for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
            if (LLVMGetSuccessor(end, k) == tail)
                LLVMSetSuccessor(end, k, before);
    }
    LLVMPositionBuilderAtEnd(builder, before);
    for (V i = LLVMGetFirstInstruction(tail), next; i != first; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(builder, i);
    }
    return before;
}
