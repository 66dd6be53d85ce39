/* SPDX-License-Identifier: MIT */
/* Small helpers of the vectorizer's tests: seeded numbers, growing text, IR from text. */
#ifndef LW_TESTS_VECTORIZER_RANDOM_IR_H
#define LW_TESTS_VECTORIZER_RANDOM_IR_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>

struct text {
    char *bytes;
    size_t length, room;
};

__attribute__((format(printf, 2, 3))) static inline void
text_add(struct text *t, const char *format, ...)
{
    va_list args;
    if (t->room - t->length < 4096) {
        t->room = 2 * t->room + 8192;
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes)
            abort();
    }
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->bytes + t->length, t->room - t->length, format, args);
    va_end(args);
}

static inline uint32_t
random_below(uint64_t *state, uint32_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % bound);
}

/* Aborts with the reason where the text is not valid IR: a defect of the test. */
static inline LLVMModuleRef
parse_ir(LLVMContextRef context, const char *ir)
{
    LLVMModuleRef module = NULL;
    char *why = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "test");
    if (LLVMParseIRInContext(context, buffer, &module, &why) ||
        LLVMVerifyModule(module, LLVMReturnStatusAction, &why)) {
        fprintf(stderr, "%s\n%s\n", why, ir);
        abort();
    }
    LLVMDisposeMessage(why);
    return module;
}

static inline void
run_passes(LLVMModuleRef module, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        fprintf(stderr, "%s\n", LLVMGetErrorMessage(error));
        abort();
    }
}

#endif
