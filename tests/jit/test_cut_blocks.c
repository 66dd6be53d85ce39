/* SPDX-License-Identifier: MIT */
/* Long blocks in pieces: a loop of one block, variables in the middle of the first, what comes out of it. */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm-c/IRReader.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "jit/jit.h"

enum { STEPS = 9000, ROUNDS = 3, MOST_LEFT = 1100 };

static uint32_t
step(uint32_t x, uint32_t k)
{
    return (x ^ k) * (2 * k + 3);
}

static uint32_t
wanted(uint32_t x)
{
    for (uint32_t k = 0; k < STEPS; k++)
        x = step(x, k);
    uint32_t first = x;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t k = 0; k < STEPS; k++)
            x = step(x + (k == STEPS / 2 ? first + round : 0), k);
    return x;
}

/* STEPS of them, the first of `from`, the last %<name><STEPS>; `middle` is written half way. */
static size_t
write_steps(char *at, const char *name, const char *from, const char *middle, const char *added)
{
    char *to = at;

    to += sprintf(to, "  %%%s0 = add i32 %s, 0\n", name, from);
    for (unsigned k = 0; k < STEPS; k++) {
        const char *more = k == STEPS / 2 ? added : "0";
        if (k == STEPS / 2)
            to += sprintf(to, "%s", middle);
        to += sprintf(to, "  %%%sa%u = add i32 %%%s%u, %s\n  %%%sx%u = xor i32 %%%sa%u, %u\n", name, k, name,
                      k,
                      more, name, k, name, k, k);
        to += sprintf(to, "  %%%s%u = mul i32 %%%sx%u, %u\n", name, k + 1, name, k, 2 * k + 3);
    }
    return (size_t)(to - at);
}

static LLVMModuleRef
parse(LLVMContextRef context)
{
    char *text = malloc((size_t)STEPS * 400), *at = text, *message = NULL;
    LLVMModuleRef module;

    at += sprintf(at, "define i32 @lw_run(i32 %%x) {\nentry:\n");
    at += write_steps(at, "e", "%x", "  %kept = alloca i32\n  %other = alloca [9 x i32]\n", "0");
    at += sprintf(at,
                  "  store i32 %%e%u, ptr %%kept\n  br label %%loop\nloop:\n"
                  "  %%in = phi i32 [ %%e%u, %%entry ], [ %%l%u, %%loop ]\n"
                  "  %%round = phi i32 [ 0, %%entry ], [ %%next, %%loop ]\n",
                  STEPS, STEPS, STEPS);
    at += write_steps(at, "l", "%in", "  %first = load i32, ptr %kept\n  %plus = add i32 %first, %round\n",
                      "%plus");
    at += sprintf(at,
                  "  %%next = add i32 %%round, 1\n  %%more = icmp ult i32 %%next, %u\n"
                  "  br i1 %%more, label %%loop, label %%end\nend:\n  %%r = phi i32 [ %%l%u, %%loop ]\n"
                  "  ret i32 %%r\n}\n",
                  ROUNDS, STEPS);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)(at - text), "test");
    ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
    free(text);
    return module;
}

static unsigned
longest(LLVMValueRef function)
{
    unsigned most = 0, n;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        n = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            ck_assert(!LLVMIsAAllocaInst(i) || b == LLVMGetEntryBasicBlock(function));
            n++;
        }
        most = n > most ? n : most;
    }
    return most;
}

START_TEST(long_blocks)
{
    static const enum lw_effort efforts[] = {LW_EFFORT_LEAST, LW_EFFORT_LESS, LW_EFFORT_FULL};
    lw_error error = {0};
    char *message = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context);
    LLVMTargetMachineRef machine = lw_target_create(LW_ISA_SSE42, efforts[_i], &error);
    LLVMMemoryBufferRef object;
    void *tracker;

    lw_target_set(module, machine);
    LLVMValueRef function = LLVMGetNamedFunction(module, "lw_run");
    ck_assert_uint_gt(longest(function), 3 * STEPS);
    lw_cut_blocks(module, true, true);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    ck_assert_uint_le(longest(function), MOST_LEFT);
    char name[20];
    snprintf(name, sizeof name, "lw_run%d", _i);
    LLVMSetValueName2(function, name, strlen(name));
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object);
    ck_assert_msg(!failed, "%s", message);
    uint32_t (*run)(uint32_t) =
        (uint32_t(*)(uint32_t))(uintptr_t)lw_jit_add(lw_jit_get(&error), object, name, &tracker, &error);
    ck_assert_msg(run != NULL, "%s", error.text);
    for (uint32_t x = 1; x < 100; x += 7)
        ck_assert_uint_eq(run(x), wanted(x));
    lw_jit_remove(lw_jit_get(&error), tracker);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* Before sroa: a branch ends each piece, and simplifycfg joins them. */
START_TEST(joined_again)
{
    lw_error error = {0};
    char *message = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context);
    LLVMTargetMachineRef machine = lw_target_create(LW_ISA_SSE42, LW_EFFORT_LESS, &error);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

    LLVMValueRef function = LLVMGetNamedFunction(module, "lw_run");
    unsigned blocks = LLVMCountBasicBlocks(function);
    lw_cut_blocks(module, false, true);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    ck_assert_uint_le(longest(function), MOST_LEFT);
    LLVMErrorRef failed = LLVMRunPasses(module, "function(simplifycfg)", machine, options);
    ck_assert(!failed);
    ck_assert_uint_eq(LLVMCountBasicBlocks(function), blocks);
    ck_assert_uint_gt(longest(function), 3 * STEPS);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* In modules that are not large: blocks of very many registers' worth of loads are cut, others are not. */
START_TEST(loads)
{
    enum { FEW = 400, MANY = 3000 };
    char *text = malloc(MANY * 200), *at = text, *message = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;

    at += sprintf(at, "define <8 x i64> @lw_run(ptr %%p) {\n  %%s0 = load <8 x i64>, ptr %%p\n");
    for (unsigned k = 1; k < (_i ? MANY : FEW); k++) {
        at += sprintf(at, "  %%p%u = getelementptr i64, ptr %%p, i64 %u\n", k, 8 * k);
        at += sprintf(at, "  %%v%u = load <8 x i64>, ptr %%p%u\n", k, k);
        at += sprintf(at, "  %%s%u = add <8 x i64> %%s%u, %%v%u\n", k, k - 1, k);
    }
    at += sprintf(at, "  ret <8 x i64> %%s%u\n}\n", (_i ? MANY : FEW) - 1);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)(at - text), "test");
    ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
    free(text);
    LLVMValueRef function = LLVMGetNamedFunction(module, "lw_run");
    unsigned before = longest(function);
    lw_cut_blocks(module, true, false);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    if (_i)
        ck_assert_uint_le(longest(function), MOST_LEFT);
    else
        ck_assert_uint_eq(longest(function), before);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("cut_blocks");
    TCase *cases = tcase_create("cut_blocks");

    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, long_blocks, 0, 3);
    tcase_add_test(cases, joined_again);
    tcase_add_loop_test(cases, loads, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
