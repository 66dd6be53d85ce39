/* SPDX-License-Identifier: MIT */
/* The work-group function becomes an object, and the object code of this process where the runtime cannot
 * load it itself.
 *
 * Enters: a module that every pass has left, with one `lw_run`. Leaves: job->object, then code->object. */
#include "job.h"
#include "../spirv/attributes.h"
#include "../vectorizer/facts/instructions.h"

#include <llvm-c/Object.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* LLVM ends the process where it meets what it cannot select: nothing unknown may get there. */
static bool
check_calls(struct job *j)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || !LLVMGetFirstUse(f) || lw_jit_knows(name))
            continue;
        return lw_jit_fail(j->error, LW_INTERNAL, "kernel %s: nothing defines %s", j->request->kernel, name);
    }
    return true;
}

#define MOST_STACK (64u << 10)
#define LARGE_CODE 10000 /* instructions */

/* With the least effort whatever is alive between blocks, or does not fit the registers, has a place of its
 * own on the stack, and the stack is that of whoever runs the kernel. */
static bool
may_fill_the_stack(struct job *j)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(j->module);
    uint64_t bytes = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f))
        for (LLVMValueRef i = lw_first_instruction(f); i; i = lw_next_instruction(i))
            if (LLVMTypeIsSized(LLVMTypeOf(i)))
                bytes += LLVMABISizeOfType(layout, LLVMTypeOf(i));
    return bytes > MOST_STACK;
}

/* Other code generation than the passes before were told of. */
static bool
change_effort(struct job *j, enum lw_effort effort)
{
    lw_target_give(j->machine, (lw_isa)j->request->shape.isa, j->effort);
    j->effort = effort;
    j->machine = lw_target_take((lw_isa)j->request->shape.isa, effort, j->error);
    return j->machine != NULL;
}

/* In a large kernel's masked code each instruction is selected by itself, and no pass looks for something
 * better; registers are allocated as ever. That takes half the time or less, without what grows faster than
 * the code: the scheduler, machine-cse and machine-sink look at all uses of a mask again and again. The code
 * mostly takes up to a tenth longer to run: what LLVM would find was found before, or nearly all. */
void
lw_select_plainly(struct job *j)
{
    if (j->instructions <= LARGE_CODE)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            lw_add_attributes(f, "optnone noinline");
}

#define PRINT_STACK (64u << 10) /* what the runtime takes below compiled code */
#define NESTED_CALLS 4u

/* Code that waits runs on a stack of the runtime's making, other code on the thread's: LLVM says of a frame
 * what would not fit (a warning, which take_diagnostic takes for an error), and code of less effort or fewer
 * lanes serves. */
static void
limit_stack(struct job *j)
{
    unsigned functions = 0;
    char bytes[16];
    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f))
        functions += !LLVMIsDeclaration(f);
    snprintf(bytes, sizeof bytes, "%u",
             (LW_WAITING_STACK - PRINT_STACK) / (functions > 1 ? NESTED_CALLS : 1));
    LLVMAttributeRef limit = LLVMCreateStringAttribute(j->context, LW_STACK_LIMIT, sizeof LW_STACK_LIMIT - 1,
                                                       bytes, (unsigned)strlen(bytes));
    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, limit);
}

bool
lw_generate(struct job *j)
{
    static atomic_uint number; /* names must differ in the host's one linker, whichever processes compiled */
    char *message = NULL;

    if (!check_calls(j) || (j->first && may_fill_the_stack(j) && !change_effort(j, LW_EFFORT_LESS)))
        return false;
    LLVMValueRef run = LLVMGetNamedFunction(j->module, "lw_run");
    snprintf(j->code->symbol, sizeof j->code->symbol, "lw_run.%x.%x", (unsigned)getpid(),
             atomic_fetch_add(&number, 1));
    LLVMSetValueName2(run, j->code->symbol, strlen(j->code->symbol));
    j->diagnostic[0] = '\0';
    if (j->code->turns)
        limit_stack(j);
    if (LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->module, LLVMObjectFile, &message, &j->object)) {
        lw_jit_fail(j->error, LW_INTERNAL, "kernel %s: code generation: %s", j->request->kernel, message);
        LLVMDisposeMessage(message);
        return false;
    }
    const char *said = strstr(j->diagnostic, LW_STACK_SAID);
    if (said) {
        lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "kernel %s: its work-items wait for others, and their %s",
                    j->request->kernel, said);
        j->error->word = LW_NEEDS_TOO_MUCH;
        return false;
    }
    return !j->diagnostic[0] || lw_jit_fail(j->error, LW_INTERNAL, "kernel %s: code generation: %s",
                                            j->request->kernel, j->diagnostic);
}

static uint64_t
code_size(LLVMMemoryBufferRef object)
{
    char *message = NULL;
    uint64_t size = 0;
    LLVMBinaryRef binary = LLVMCreateBinary(object, NULL, &message);

    if (!binary) {
        LLVMDisposeMessage(message);
        return 0;
    }
    LLVMSectionIteratorRef s = LLVMObjectFileCopySectionIterator(binary);
    for (; !LLVMObjectFileIsSectionIteratorAtEnd(binary, s); LLVMMoveToNextSection(s)) {
        const char *name = LLVMGetSectionName(s);
        if (name && (strncmp(name, ".text", 5) == 0 || strncmp(name, ".rodata", 7) == 0))
            size += LLVMGetSectionSize(s);
    }
    LLVMDisposeSectionIterator(s);
    LLVMDisposeBinary(binary);
    return size;
}

bool
lw_keep_object(struct job *j)
{
    struct lw_code *code = j->code;

    code->code_bytes = code_size(j->object);
    code->object_bytes = LLVMGetBufferSize(j->object);
    code->object = malloc(code->object_bytes);
    if (!code->object)
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory for the code of kernel %s",
                           j->request->kernel);
    memcpy(code->object, LLVMGetBufferStart(j->object), code->object_bytes);
    return true;
}

bool
lw_link_object(struct lw_code *code, lw_error *error)
{
    struct lw_jit *jit = lw_jit_get(error);

    if (!jit)
        return false;
    /* The linker takes a copy. */
    LLVMMemoryBufferRef object =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(code->object, code->object_bytes, code->symbol);
    void *address = lw_jit_add(jit, object, code->symbol, &code->private_data, error);
    code->run = (lw_group_function *)(uintptr_t)address;
    return address != NULL;
}
