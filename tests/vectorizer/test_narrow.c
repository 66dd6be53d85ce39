/* SPDX-License-Identifier: MIT */
/* Which masked loads become shorter: those that neither load upper lanes nor make them more than zero. */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <string.h>

#include "vectorizer/lanes/lanes.h"

/* What becomes of a load of 8 lanes with this mask, what it passes through being `passed`. */
static char *
narrowed(const char *mask, const char *passed)
{
    char text[1024], *message = NULL;
    int length =
        snprintf(text, sizeof text,
                 "declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, <8 x i1>, <8 x i32>)\n"
                 "define <8 x i32> @f(ptr %%p) {\n"
                 "  %%x = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %%p, <8 x i1> %s,"
                 " <8 x i32> %s)\n"
                 "  ret <8 x i32> %%x\n}\n",
                 mask, passed);
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)length, "narrow");
    LLVMModuleRef module;
    ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
    lw_narrow_masks(module, LW_ISA_SSE42);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *result = LLVMPrintValueToString(LLVMGetNamedFunction(module, "f"));
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return result;
}

#define LOW_FOUR "<i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>"
#define SOME_OF_FOUR "<i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>"
#define ZERO_ABOVE "<i32 poison, i32 poison, i32 poison, i32 poison, i32 0, i32 0, i32 0, i32 undef>"
#define SEVEN_ABOVE "<i32 poison, i32 poison, i32 poison, i32 poison, i32 0, i32 0, i32 7, i32 0>"
#define SEVEN_BELOW "<i32 7, i32 7, i32 7, i32 7, i32 0, i32 0, i32 0, i32 0>"

static const struct {
    const char *mask, *passed, *wanted;
} loads[] = {
    {LOW_FOUR, "zeroinitializer", " load <4 x i32>"},
    {LOW_FOUR, "poison", " load <4 x i32>"},
    {LOW_FOUR, ZERO_ABOVE, " load <4 x i32>"},
    {LOW_FOUR, SEVEN_BELOW, " load <4 x i32>"},
    {LOW_FOUR, SEVEN_ABOVE, "masked.load.v8i32"},
    {SOME_OF_FOUR, SEVEN_BELOW, "<4 x i32> splat (i32 7)"},
    {SOME_OF_FOUR, SEVEN_ABOVE, "masked.load.v8i32"},
};

START_TEST(upper_lanes_are_left_out)
{
    char *result = narrowed(loads[_i].mask, loads[_i].passed);
    ck_assert_msg(strstr(result, loads[_i].wanted), "no `%s` in %s", loads[_i].wanted, result);
    LLVMDisposeMessage(result);
}
END_TEST

Suite *
narrow_suite(void)
{
    Suite *suite = suite_create("narrow");
    TCase *cases = tcase_create("narrow");
    tcase_add_loop_test(cases, upper_lanes_are_left_out, 0, sizeof loads / sizeof *loads);
    suite_add_tcase(suite, cases);
    return suite;
}
