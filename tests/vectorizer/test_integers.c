/* SPDX-License-Identifier: MIT */
/* lw_int_operate against LLVM's own folding of constants. */
#include <check.h>

#include "vectorizer/facts/integers.h"

/* NULL: LLVM does not fold it to a number. */
static LLVMValueRef
fold(LLVMBuilderRef b, LLVMOpcode op, LLVMTypeRef to, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef made =
        lw_is_int_cast(op) ? LLVMBuildCast(b, op, x, to, "") : LLVMBuildBinOp(b, op, x, y, "");
    return LLVMIsAConstantInt(made);
}

START_TEST(operations)
{
    static const LLVMOpcode ops[] = {LLVMAdd, LLVMSub, LLVMMul,  LLVMShl,  LLVMLShr,  LLVMAShr, LLVMAnd,
                                     LLVMOr,  LLVMXor, LLVMUDiv, LLVMURem, LLVMTrunc, LLVMZExt, LLVMSExt};
    static const unsigned widths[] = {1, 7, 8, 32, 63, 64};
    LLVMContextRef context = LLVMContextCreate();
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    uint64_t x = 5, none = 0, result;

    for (unsigned round = 0; round < 40000; round++) {
        LLVMOpcode op = ops[round % 14];
        unsigned from = widths[round / 14 % 6], to = widths[round / 84 % 6];
        uint64_t values[2];
        for (unsigned k = 0; k < 2; k++) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            values[k] = (x >> 33 ^ x << 31) & (round % 3 && k ? 7 : ~UINT64_C(0));
            values[k] = from < 64 ? values[k] % (UINT64_C(1) << from) : values[k];
        }
        if (lw_is_int_cast(op) && (op == LLVMTrunc ? to >= from : to <= from))
            continue;
        if (!lw_is_int_cast(op))
            to = from;
        LLVMTypeRef type = LLVMIntTypeInContext(context, from);
        LLVMValueRef want = fold(b, op, LLVMIntTypeInContext(context, to),
                                 LLVMConstInt(type, values[0], false), LLVMConstInt(type, values[1], false));
        bool done = lw_int_operate(op, from, to, values[0], values[1], &result);
        ck_assert_msg(done == (want != NULL), "round %u", round);
        ck_assert_msg(!done || result == LLVMConstIntGetZExtValue(want), "round %u", round);
        none += !done;
    }
    ck_assert_uint_gt(none, 100); /* shifts by too much, divisions by zero */
    LLVMDisposeBuilder(b);
    LLVMContextDispose(context);
}
END_TEST

Suite *
integers_suite(void)
{
    Suite *suite = suite_create("integers");
    TCase *cases = tcase_create("integers");
    tcase_add_test(cases, operations);
    suite_add_tcase(suite, cases);
    return suite;
}
