/* SPDX-License-Identifier: MIT */
/* Passes of jit/ on LLVM IR: that they do what they are for, and keep their hands off the rest. */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "ir.h"
#include "jit/jit.h"
#include "vectorizer/flow/moved_vectors.h"
#include "vectorizer/workgroup/spaces.h"

/* The pass, then LLVM's: does the array become values? */
static void
check_pass(bool (*pass)(LLVMModuleRef), const char *text, bool taken)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, text);
    lw_error error = {0};

    ck_assert_int_eq(pass(module), taken);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL), "%s", text);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    ck_assert_msg((count_opcode(module, LLVMAlloca) == 0) == taken, "%s", printed);
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

static void
check_places(const char *text, bool taken)
{
    check_pass(lw_take_few_places, text, taken);
}

#define ARRAY(body)                                                                                          \
    "declare void @other(ptr)\n"                                                                             \
    "define i32 @lw.kernel(i32 %x, i1 %c) {\n"                                                               \
    "  %t = alloca [8 x i32], align 4\n  %one = getelementptr i8, ptr %t, i64 4\n"                           \
    "  store i32 1, ptr %t\n  store i32 2, ptr %one\n" body "}\n"

START_TEST(bit_of_an_index)
{
    check_places(ARRAY("  %b = and i32 %x, 4\n  %i = xor i32 %b, 5\n  %w = zext i32 %i to i64\n"
                       "  %p = getelementptr [4 x i32], ptr %t, i64 0, i64 %w\n  store i32 %x, ptr %p\n"
                       "  %v = load i32, ptr %one\n  ret i32 %v\n"),
                 true);
}
END_TEST

START_TEST(addresses_by_branch)
{
    check_places(ARRAY("  br i1 %c, label %a, label %b\na:\n  store i32 3, ptr %one\n  br label %b\n"
                       "b:\n  %p = phi ptr [ %one, %a ], [ %t, %0 ]\n  store i32 %x, ptr %p\n"
                       "  %v = load i32, ptr %t\n  ret i32 %v\n"),
                 true);
}
END_TEST

START_TEST(more_than_two_places)
{
    check_places(ARRAY("  %i = and i32 %x, 3\n  %p = getelementptr i32, ptr %t, i32 %i\n"
                       "  %v = load i32, ptr %p\n  ret i32 %v\n"),
                 false);
    check_places(ARRAY("  %b = and i32 %x, 1\n  %d = and i32 %x, 2\n  %i = or i32 %b, %d\n"
                       "  %p = getelementptr i32, ptr %t, i32 %i\n  %v = load i32, ptr %p\n  ret i32 %v\n"),
                 false);
}
END_TEST

START_TEST(outside_or_seen_by_others)
{
    check_places(ARRAY("  %i = and i32 %x, 8\n  %p = getelementptr i32, ptr %t, i32 %i\n"
                       "  %v = load i32, ptr %p\n  ret i32 %v\n"),
                 false);
    check_places(ARRAY("  %i = and i32 %x, 4\n  %p = getelementptr i32, ptr %t, i32 %i\n"
                       "  call void @other(ptr %t)\n  %v = load i32, ptr %p\n  ret i32 %v\n"),
                 false);
    check_places(ARRAY("  %i = and i32 %x, 4\n  %p = getelementptr i32, ptr %t, i32 %i\n"
                       "  %v = load volatile i32, ptr %p\n  ret i32 %v\n"),
                 false);
    check_places(ARRAY("  %i = and i32 %x, 1\n  %p = getelementptr i32, ptr %t, i32 %i\n"
                       "  %v = load i32, ptr %p, align 8\n  ret i32 %v\n"),
                 false);
}
END_TEST

/* The place of the first, second or `last` number that is so. */
#define FIND(third, is, last)                                                                                \
    "  %two = getelementptr i8, ptr %t, i64 8\n  store i32 " third ", ptr %two\n"                            \
    "  %v0 = load i32, ptr %t\n  %v1 = load i32, ptr %one\n  %a = icmp " is " i32 %v1, %v0\n"                \
    "  %m = zext i1 %a to i32\n  %mw = zext i32 %m to i64\n  %p = getelementptr i32, ptr %t, i64 %mw\n"      \
    "  %v = load i32, ptr %p\n  %v2 = load i32, ptr %two\n  %b = icmp " is " i32 %v2, %v\n"                  \
    "  %n = select i1 %b, i32 " last ", i32 %m\n  %nw = zext i32 %n to i64\n"                                \
    "  %q = getelementptr i32, ptr %t, i64 %nw\n"
#define LEAST(last) FIND("%x", "ult", last)

/* What is found, what is there when 7 is stored, and all three numbers then. */
static void
check_found(const char *text, unsigned expected)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, text);
    lw_error error = {0};

    ck_assert(lw_take_few_places(module));
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "lw.kernel"));
    LLVMValueRef result = LLVMGetOperand(LLVMGetBasicBlockTerminator(entry), 0);
    ck_assert(LLVMIsAConstantInt(result));
    ck_assert_uint_eq(LLVMConstIntGetZExtValue(result), expected);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

#define FOUND(third, is)                                                                                     \
    ARRAY(FIND(third, is,                                                                                    \
               "2") "  %r = load i32, ptr %q\n  store i32 7, ptr %q\n  %s = load i32, ptr %q\n"              \
                    "  %w0 = load i32, ptr %t\n  %w1 = load i32, ptr %one\n  %w2 = load i32, ptr %two\n"     \
                    "  %d0 = mul i32 %r, 10\n  %d1 = add i32 %d0, %s\n  %d2 = mul i32 %d1, 10\n"             \
                    "  %d3 = add i32 %d2, %w0\n  %d4 = mul i32 %d3, 10\n  %d5 = add i32 %d4, %w1\n"          \
                    "  %d6 = mul i32 %d5, 10\n  %d7 = add i32 %d6, %w2\n  ret i32 %d7\n")

START_TEST(values_at_the_place)
{
    check_found(FOUND("5", "ult"), 17725);
    check_found(FOUND("0", "ugt"), 27170);
    check_found(FOUND("0", "ult"), 7127);
    check_found(FOUND("5", "ugt"), 57127);
}
END_TEST

START_TEST(place_of_the_least)
{
    check_places(ARRAY(LEAST("2") "  %r = load i32, ptr %q\n  store i32 7, ptr %q\n"
                                  "  %s = load i32, ptr %q\n  %d = sub i32 %r, %s\n  ret i32 %d\n"),
                 true);
    check_places(ARRAY(LEAST("8") "  %r = load i32, ptr %q\n  ret i32 %r\n"), false);
    check_places(ARRAY(LEAST("-1") "  %r = load i32, ptr %q\n  ret i32 %r\n"), false);
    check_places(ARRAY(LEAST("2") "  call void @other(ptr %t)\n  %r = load i32, ptr %q\n  ret i32 %r\n"),
                 false);
    check_places(ARRAY(LEAST("2") "  %r = load volatile i32, ptr %q\n  ret i32 %r\n"), false);
    check_places(ARRAY(LEAST("2") "  %r = load i32, ptr %q, align 8\n  ret i32 %r\n"), false);
    check_places(ARRAY(LEAST("2") "  %w = zext i32 %x to i64\n  %o = getelementptr i32, ptr %t, i64 %w\n"
                                  "  %r = load i32, ptr %o\n  ret i32 %r\n"),
                 false);
    check_places(ARRAY(LEAST("2") "  br i1 %c, label %d, label %e\n"
                                  "d:\n  %r = load i32, ptr %q\n  ret i32 %r\n"
                                  "e:\n  %s = load i32, ptr %q\n  ret i32 %s\n"),
                 true);
}
END_TEST

/* The same for variables that addresses are chosen among. */
static void
check_variables(const char *body, bool taken)
{
    static const char head[] = "declare void @other(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n"
                               "define i32 @lw.kernel(i32 %x, i1 %c) {\n"
                               "  %s = alloca i32\n  %t = alloca i32\n  %u = alloca i32\n  %h = alloca i16\n"
                               "  store i32 1, ptr %s\n  store i32 2, ptr %t\n  store i32 3, ptr %u\n"
                               "  store i16 4, ptr %h\n";
    char text[2048];
    LLVMContextRef context = LLVMContextCreate();
    lw_error error = {0};
    char *message = NULL;

    snprintf(text, sizeof text, "%s%s}\n", head, body);
    LLVMModuleRef module = parse_ir(context, text);
    ck_assert_int_eq(lw_take_all_variables(module), taken);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    ck_assert_msg(!taken || count_opcode(module, LLVMAlloca) == 0, "%s", printed);
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

START_TEST(variables_by_branch)
{
    check_variables("  br label %loop\nloop:\n  %p = phi ptr [ %s, %0 ], [ %q, %loop ]\n"
                    "  %q = select i1 %c, ptr %p, ptr %t\n  %r = select i1 %c, ptr %q, ptr %u\n"
                    "  store i32 %x, ptr %q\n  %v = load i32, ptr %r\n  store i32 %v, ptr %p\n"
                    "  %d = icmp eq i32 %v, %x\n  br i1 %d, label %loop, label %end\nend:\n"
                    "  %a = load i32, ptr %s\n  %b = load i32, ptr %u\n  %w = sub i32 %a, %b\n"
                    "  call void @llvm.lifetime.end.p0(ptr %s)\n  ret i32 %w\n",
                    true);
}
END_TEST

START_TEST(variables_used_otherwise)
{
    static const char *const uses[] = {
        "  call void @other(ptr %p)\n  store i32 %x, ptr %p\n", /* the choice, one of them, the size */
        "  store i32 %x, ptr %p\n  call void @other(ptr %t)\n",
        "  store i8 5, ptr %p\n",
        "  store volatile i32 %x, ptr %p\n",
        "  store ptr %p, ptr %q\n",
    };
    char body[512];

    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        snprintf(body, sizeof body,
                 "  %%q = alloca ptr\n  %%p = select i1 %%c, ptr %%s, ptr %%t\n%s"
                 "  %%v = load i32, ptr %%t\n  ret i32 %%v\n",
                 uses[k]);
        check_variables(body, false);
    }
    check_variables("  %p = select i1 %c, ptr %s, ptr %h\n  store i16 5, ptr %p\n"
                    "  %v = load i32, ptr %s\n  ret i32 %v\n",
                    false);
    check_variables("  %p = select i1 %c, ptr %s, ptr null\n  store i32 5, ptr %p\n"
                    "  %v = load i32, ptr %s\n  ret i32 %v\n",
                    false);
}
END_TEST

/* How many of the loops of `text` are written out. */
static void
check_bounded(const char *text, bool written)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, text);
    unsigned loads = count_opcode(module, LLVMLoad);
    char *message = NULL;

    uint32_t room = 1000;
    ck_assert_int_eq(lw_write_bounded_loops_out(module, &room), written);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert_msg(count_opcode(module, LLVMLoad) == (written ? 15 * loads : loads), "%s", printed);
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

#define BOUNDED(id, guard, inside, last)                                                                     \
    "declare i64 @" id "(i32)\n"                                                                             \
    "define i32 @lw.kernel(ptr %p) {\n"                                                                      \
    "  %id = call i64 @" id "(i32 0)\n  %n = and i64 %id, 15\n  %t = trunc i64 %id to i32\n"                 \
    "  %m = and i32 %t, 15\n  %none = icmp eq i32 " guard ", 0\n"                                            \
    "  br i1 %none, label %end, label %before\nbefore:\n  br label %loop\nloop:\n"                           \
    "  %k = phi i64 [ 0, %before ], [ %next, %loop ]\n  %s = phi i32 [ 7, %before ], [ %sum, %loop ]\n"      \
    "  %q = getelementptr i32, ptr %p, i64 %k\n  %v = load i32, ptr %q\n  %sum = add i32 %s, %v\n" inside    \
    "  %next = add i64 %k, 1\n  %done = icmp eq i64 %next, " last "\n"                                       \
    "  br i1 %done, label %out, label %loop\nout:\n  %l = phi i32 [ %sum, %loop ]\n  br label %end\n"        \
    "end:\n  %r = phi i32 [ 7, %0 ], [ %l, %out ]\n  ret i32 %r\n}\n"

START_TEST(few_rounds)
{
    check_bounded(BOUNDED("lw.local_id", "%m", "", "%n"), true);
    check_bounded(BOUNDED("lw.sub_group_local_id", "%m", "", "%n"), true);
    check_bounded(BOUNDED("lw.group_id", "%m", "", "%n"), false); /* the same for all */
    check_bounded(BOUNDED("lw.local_id", "%t", "", "%n"), false); /* may be 0 */
    check_bounded(BOUNDED("lw.local_id", "%m", "", "%id"), false);
    check_bounded(BOUNDED("lw.local_id", "%m", "  store i32 %s, ptr %q\n", "%n"), false);
}
END_TEST

/* Vectors of bytes, chosen in a diamond and stored: behind the pass there are so many accesses of i32. */
static void
check_moved(const char *kind, const char *loaded, const char *other, const char *used, unsigned words)
{
    char text[2000];
    LLVMContextRef context = LLVMContextCreate();
    char *message = NULL;
    unsigned found = 0;

    snprintf(text, sizeof text,
             "define void @lw.kernel(ptr addrspace(1) %%p, ptr addrspace(1) %%q, i1 %%c, i32 %%n) {\n"
             "entry:\n  %%a = alloca <4 x i8>\n  br i1 %%c, label %%then, label %%end\nthen:\n"
             "  %%x = load %s<4 x i8>, %s, align 4\n  br label %%end\nend:\n"
             "  %%v = phi <4 x i8> [ %%x, %%then ], [ %s, %%entry ]\n"
             "  %%w = select i1 %%c, <4 x i8> <i8 1, i8 poison, i8 3, i8 4>, <4 x i8> %%v\n%s"
             "  store <4 x i8> %%w, ptr addrspace(1) %%p, align 4\n  ret void\n}\n",
             kind, loaded, other, used);
    LLVMModuleRef module = parse_ir(context, text);
    lw_move_vectors_whole(module);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    for (const char *p = printed; (p = strstr(p, "load i32")); p++)
        found++;
    for (const char *p = printed; (p = strstr(p, "store i32")); p++)
        found++;
    ck_assert_msg(found == words, "%s", printed);
    ck_assert_msg(!words || (strstr(printed, "phi i32 [ %") && strstr(printed, "select i1 %c, i32 67305473")),
                  "%s", printed);
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

START_TEST(moved_vectors)
{
    const char *q = "ptr addrspace(1) %q", *add = "  %y = add <4 x i8> %v, %v\n";
    check_moved("", q, "zeroinitializer", "", 2);
    check_moved("", q, "<i8 9, i8 8, i8 7, i8 6>", "", 2);
    check_moved("volatile ", q, "zeroinitializer", "", 0);
    check_moved("", "ptr %a", "zeroinitializer", "", 0);
    check_moved("", q, "zeroinitializer", add, 0);
}
END_TEST

/* How many loads of `from` are left of two with a store between them, once LLVM knows the spaces? */
static unsigned
loads_across(const char *from, const char *to, const char *how)
{
    LLVMContextRef context = LLVMContextCreate();
    lw_error error = {0};
    char text[1024];

    snprintf(text, sizeof text,
             "define i32 @lw.kernel(ptr addrspace(%s) %%a, ptr addrspace(%s) %%b, i32 %%x) {\n"
             "  %%p = load i32, ptr addrspace(%s) %%a\n  store%s i32 %%x, ptr addrspace(%s) %%b%s\n"
             "  %%q = load i32, ptr addrspace(%s) %%a\n  %%s = mul i32 %%p, %%q\n  ret i32 %%s\n}\n",
             from, to, from, how, to, *how ? " release, align 4" : "", from);
    LLVMModuleRef module = parse_ir(context, text);
    lw_mark_spaces(module, false);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    unsigned left = count_opcode(module, LLVMLoad);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return left;
}

START_TEST(stores_to_other_spaces)
{
    ck_assert_uint_eq(loads_across("1", "3", ""), 1);
    ck_assert_uint_eq(loads_across("3", "1", ""), 1);
    ck_assert_uint_eq(loads_across("3", "3", ""), 2);
    ck_assert_uint_eq(loads_across("1", "1", ""), 2);
    /* Generic pointers lead anywhere; atomics order everything. */
    ck_assert_uint_eq(loads_across("1", "4", ""), 2);
    ck_assert_uint_eq(loads_across("4", "3", ""), 2);
    ck_assert_uint_eq(loads_across("1", "3", " atomic"), 2);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("passes");
    TCase *places = tcase_create("two places");

    tcase_add_test(places, bit_of_an_index);
    tcase_add_test(places, addresses_by_branch);
    tcase_add_test(places, more_than_two_places);
    tcase_add_test(places, outside_or_seen_by_others);
    tcase_add_test(places, place_of_the_least);
    tcase_add_test(places, values_at_the_place);
    tcase_add_test(places, variables_by_branch);
    tcase_add_test(places, variables_used_otherwise);
    suite_add_tcase(suite, places);
    TCase *bounded = tcase_create("bounded loops");
    tcase_add_test(bounded, few_rounds);
    suite_add_tcase(suite, bounded);
    TCase *spaces = tcase_create("spaces");
    tcase_add_test(spaces, stores_to_other_spaces);
    suite_add_tcase(suite, spaces);
    TCase *vectors = tcase_create("vectors");
    tcase_add_test(vectors, moved_vectors);
    suite_add_tcase(suite, vectors);
    return run_suite(suite);
}
