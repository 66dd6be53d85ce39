/* SPDX-License-Identifier: MIT */
/* Modules of text, and what is in them. */
#ifndef LW_TESTS_IR_H
#define LW_TESTS_IR_H

#include <check.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <string.h>

static inline LLVMModuleRef
parse_ir(LLVMContextRef context, const char *text)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    LLVMModuleRef module = NULL;
    char *message = NULL;

    ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
    return module;
}

static inline unsigned
count_opcode(LLVMModuleRef module, LLVMOpcode opcode)
{
    unsigned found = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                found += LLVMGetInstructionOpcode(i) == opcode;
    return found;
}

#endif
