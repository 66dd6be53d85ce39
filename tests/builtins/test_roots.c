/* SPDX-License-Identifier: MIT */
/* Which divisions by a root are made multiplications, and that no divisor makes more of them than it has
 * parts. What comes out is tests/lanes/test_roots.py's. */
#include "tests/builtins/harness.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>

#include "builtins/builtins.h"

struct left {
    unsigned divisions, all;
};

/* In a function whose values are written by `body`: %x and %y are floats, %v and %w four. */
static struct left
invert(const char *body)
{
    char *text = NULL, *message = NULL;
    size_t size;
    struct left left = {0, 0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    FILE *f = open_memstream(&text, &size);

    fprintf(f,
            "declare float @lw.cl.sqrt.f32(float)\ndeclare float @lw.cl.native_sqrt.f32(float)\n"
            "declare float @lw.cl.exp.f32(float)\n"
            "define <4 x float> @f(float %%x, float %%y, <4 x float> %%v, <4 x float> %%w) {\n%s}\n",
            body);
    fclose(f);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, size, "test");
    if (LLVMParseIRInContext(context, buffer, &module, &message)) {
        printf("%s\n", message);
        abort();
    }
    free(text);
    lw_builtins_invert_roots(module);
    if (LLVMVerifyModule(module, LLVMPrintMessageAction, NULL))
        abort();
    LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "f"));
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), left.all++)
        left.divisions += LLVMGetInstructionOpcode(i) == LLVMFDiv;
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return left;
}

#define SCALAR(divisor)                                                                                      \
    "  %r = call float @lw.cl.sqrt.f32(float %y)\n  %n = call float @lw.cl.native_sqrt.f32(float %y)\n"      \
    "  %e = call float @lw.cl.exp.f32(float %y)\n  %s = fadd float %r, 1.0\n"                                \
    "  %q = fdiv float %x, " divisor "\n  %o = insertelement <4 x float> poison, float %q, i32 0\n"          \
    "  ret <4 x float> %o\n"

/* An element of a vector is the root; `depth` shuffles; divided by that. */
static struct left
invert_shuffled(unsigned depth, const char *second)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    fprintf(f, "  %%r = call float @lw.cl.sqrt.f32(float %%y)\n"
               "  %%s0 = insertelement <4 x float> zeroinitializer, float %%r, i32 0\n");
    for (unsigned k = 0; k < depth; k++) {
        char same[16];
        snprintf(same, sizeof same, "%%s%u", k);
        fprintf(f, "  %%s%u = shufflevector <4 x float> %%s%u, <4 x float> %s, <4 x i32> zeroinitializer\n",
                k + 1, k, second ? second : same);
    }
    fprintf(f, "  %%q = fdiv <4 x float> %%v, %%s%u\n  ret <4 x float> %%q\n", depth);
    fclose(f);
    struct left left = invert(text);
    free(text);
    return left;
}

static int
expect(const char *what, struct left left, unsigned divisions)
{
    if (left.divisions == divisions && left.all <= 120)
        return 0;
    printf("%s: %u divisions of %u instructions\n", what, left.divisions, left.all);
    return 1;
}

int
test_roots(void)
{
    return expect("a root", invert(SCALAR("%r")), 0) + expect("a native root", invert(SCALAR("%n")), 0) +
           expect("no root", invert(SCALAR("%e")), 1) + expect("a sum", invert(SCALAR("%s")), 1) +
           expect("the same for all", invert_shuffled(1, "poison"), 0) +
           expect("mixed with another", invert_shuffled(1, "%w"), 1) +
           expect("of itself", invert_shuffled(2, NULL), 0) +
           expect("of itself, deeply", invert_shuffled(60, NULL), 1);
}
