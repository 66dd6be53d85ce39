/* SPDX-License-Identifier: MIT */
/* What follows each transformation of a compilation: the module is verified, and the transformation named
 * that broke it; the budget ends what has grown beyond it.
 */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "ir.h"
#include "jit/job.h"

static const char text[] = "define i32 @lw.kernel(i32 %x, ptr %p, i1 %c) {\nentry:\n  %a = add i32 %x, 1\n"
                           "  %m = freeze i32 %x\n  br i1 %c, label %one, label %end\none:\n"
                           "  %b = mul i32 %a, %m\n  store i32 %b, ptr %p\n  br label %end\n"
                           "end:\n  %r = phi i32 [ %b, %one ], [ %a, %entry ]\n  ret i32 %r\n}\n";

static struct lw_compile_request request = {.kernel = "broken"};

static struct job
begin(lw_error *error)
{
    struct job j = {.request = &request, .error = error, .row = "scalar", .masked = true};

    j.context = LLVMContextCreate();
    j.module = parse_ir(j.context, text);
    setenv("LANEWISE_VERIFY", "1", 1);
    lw_begin_steps(&j);
    return j;
}

static void
end(struct job *j)
{
    LLVMDisposeModule(j->module);
    LLVMContextDispose(j->context);
}

static void
do_nothing(LLVMModuleRef module)
{
    (void)module;
}

/* The product moves in front of what it is computed of. */
static void
break_dominance(LLVMModuleRef module)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "lw.kernel"));
    LLVMValueRef product = LLVMGetFirstInstruction(LLVMGetNextBasicBlock(entry));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    LLVMInstructionRemoveFromParent(product);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMInsertIntoBuilder(b, product);
    LLVMDisposeBuilder(b);
}

START_TEST(the_transformation_is_named)
{
    lw_error error = {0};
    struct job j = begin(&error);

    ck_assert((do_nothing(j.module), lw_step(&j, "do_nothing")));
    ck_assert(lw_run_passes(&j, LW_CLEAN_FIRST));
    end(&j);
    j = begin(&error);
    ck_assert(!(break_dominance(j.module), lw_step(&j, "break_dominance")));
    ck_assert_int_eq(error.status, LW_INTERNAL);
    ck_assert_ptr_nonnull(strstr(error.text, "kernel broken: broken IR after scalar, break_dominance: "));
    ck_assert_ptr_nonnull(strstr(error.text, "does not dominate all uses"));
    end(&j);
}
END_TEST

struct names {
    unsigned count, last;
    char all[2000];
};

static bool
note(void *data, const char *pass)
{
    struct names *n = data;

    strcat(strcat(n->all, pass), ";");
    return ++n->count != n->last;
}

START_TEST(llvm_pass_by_pass)
{
    lw_error error = {0};
    struct job j = begin(&error);
    struct names n = {0};

    ck_assert(lw_optimize_each(j.module, NULL, LW_CLEAN_LOOPS, false, note, &n, &error));
    ck_assert_ptr_nonnull(
        strstr(n.all, ";function(loop(loop-deletion,loop-unroll-full));function(sroa<modify-cfg>);"));
    ck_assert_ptr_nonnull(strstr(n.all, ";globaldce;"));
    ck_assert_uint_ge(n.count, 8);
    n = (struct names){.last = 3};
    ck_assert(!lw_optimize_each(j.module, NULL, LW_CLEAN_LOOPS, false, note, &n, &error));
    ck_assert_uint_eq(n.count, 3);
    end(&j);
}
END_TEST

START_TEST(the_budget)
{
    lw_error error = {0};
    struct job j = begin(&error);

    ck_assert_uint_eq(j.most, 0); /* masked code has none */
    j.most = 8;
    ck_assert(lw_step(&j, "as large as it may be"));
    j.most = 7;
    ck_assert(!lw_step(&j, "one more"));
    ck_assert_int_eq(error.status, LW_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "8 instructions after scalar (one more), and its budget is 7"));
    j.most = 1000;
    j.began -= 1e6;
    ck_assert(!lw_step(&j, "too late"));
    ck_assert_ptr_nonnull(strstr(error.text, "after scalar (too late), and its budget is 4.0 s"));
    end(&j);
}
END_TEST

/* Large modules: instcombine sees no freeze and no condition, and they are back behind it. */
START_TEST(what_instcombine_does_not_see)
{
    lw_error error = {0};
    struct job j = begin(&error);

    lw_hide_from_instcombine(j.module);
    char *hidden = LLVMPrintModuleToString(j.module);
    ck_assert_msg(!strstr(hidden, "freeze i32 ") && strstr(hidden, "call i32 @lw.hidden.freeze.i32(i32 %x)"),
                  "%s", hidden);
    LLVMDisposeMessage(hidden);
    lw_show_again(j.module);
    j.large = true;
    ck_assert(lw_run_passes(&j, LW_CLEAN_SUBGROUP));
    char *shown = LLVMPrintModuleToString(j.module);
    ck_assert_msg(strstr(shown, "freeze i32 %x") && strstr(shown, "br i1 %c,") && !strstr(shown, "call "),
                  "%s", shown);
    LLVMDisposeMessage(shown);
    end(&j);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("steps");
    TCase *cases = tcase_create("steps");

    tcase_add_test(cases, the_transformation_is_named);
    tcase_add_test(cases, llvm_pass_by_pass);
    tcase_add_test(cases, the_budget);
    tcase_add_test(cases, what_instcombine_does_not_see);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
