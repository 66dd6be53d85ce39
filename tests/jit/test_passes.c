/* SPDX-License-Identifier: MIT */
/* Passes of jit/ on LLVM IR: that they do what they are for, and keep their hands off the rest. */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "jit/jit.h"
#include "vectorizer/lanes/lanes.h"
#include "vectorizer/workgroup/spaces.h"

static LLVMModuleRef
parse(LLVMContextRef context, const char *text)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    LLVMModuleRef module = NULL;
    char *message = NULL;

    ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
    return module;
}

static unsigned
count(LLVMModuleRef module, LLVMOpcode opcode)
{
    unsigned found = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                found += LLVMGetInstructionOpcode(i) == opcode;
    return found;
}

/* The pass, then LLVM's: does the array become values? */
static void
check_pass(bool (*pass)(LLVMModuleRef), const char *text, bool taken)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, text);
    lw_error error = {0};

    ck_assert_int_eq(pass(module), taken);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL), "%s", text);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    ck_assert_msg((count(module, LLVMAlloca) == 0) == taken, "%s", printed);
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
    LLVMModuleRef module = parse(context, text);
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
    LLVMModuleRef module = parse(context, text);
    ck_assert_int_eq(lw_take_all_variables(module), taken);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    ck_assert_msg(!taken || count(module, LLVMAlloca) == 0, "%s", printed);
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
    LLVMModuleRef module = parse(context, text);
    unsigned loads = count(module, LLVMLoad);
    char *message = NULL;

    uint32_t room = 1000;
    ck_assert_int_eq(lw_write_bounded_loops_out(module, &room), written);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert_msg(count(module, LLVMLoad) == (written ? 15 * loads : loads), "%s", printed);
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

/* A network of `count` pairs over two vectors in a loop of one block: how many operations are free of NaN
 * behind the pass, and how many blocks there are. Of halves where they are computed with. */
static void
check_network(unsigned pairs, lw_isa isa, bool soon, unsigned fast, unsigned blocks, unsigned ranges)
{
    bool halves = isa == LW_ISA_AVX512_FP16;
    static char text[4000];
    LLVMContextRef context = LLVMContextCreate();
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "declare <8 x float> @llvm.minimumnum.v8f32(<8 x float>, <8 x float>)\n"
                                 "declare <8 x float> @llvm.maximumnum.v8f32(<8 x float>, <8 x float>)\n"
                                 "define i32 @lw_run(ptr %%p, i32 %%n) {\nentry:\n  br label %%loop\nloop:\n"
                                 "  %%k = phi i32 [ 0, %%entry ], [ %%next, %%loop ]\n"
                                 "  %%low0 = phi <8 x float> [ zeroinitializer, %%entry ], [ %%low1, %%loop "
                                 "]\n  %%q = getelementptr i8, ptr %%p, i32 %%k\n"
                                 "  %%high0 = load <8 x float>, ptr %%q\n");
    for (unsigned k = 0; k < pairs; k++)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "  %%low%u = call <8 x float> @llvm.minimumnum.v8f32(<8 x float> %%low%u, <8 x float> %%high%u)\n"
            "  %%high%u = call <8 x float> @llvm.maximumnum.v8f32(<8 x float> %%low%u, <8 x float> "
            "%%high%u)\n"
            "%s",
            k + 1, k, k, k + 1, k, k, k == 1 ? "  store <8 x float> %low1, ptr %q\n" : "");
    snprintf(text + at, sizeof text - at,
             "  store <8 x float> %%high%u, ptr %%p\n  %%next = add i32 %%k, 1\n"
             "  %%more = icmp slt i32 %%next, %%n\n  br i1 %%more, label %%loop, label %%end\nend:\n"
             "  %%out = phi i32 [ %%next, %%loop ]\n  ret i32 %%out\n}\n",
             pairs);
    for (char *p = text; halves && (p = strstr(p, "float")); p++)
        memcpy(p, " half", 5);
    for (char *p = text; halves && (p = strstr(p, "f32")); p++)
        memcpy(p, "f16", 3);
    LLVMModuleRef module = parse(context, text);
    char *message = NULL;
    unsigned nnan = 0, found = 0;

    lw_settle_min_max(module, isa, soon);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    const char *fast_one = halves ? "call nnan nsz <8 x half>" : "call nnan nsz <8 x float>";
    const char *by_range =
        halves ? "fcmp ord <8 x half>" : "call <8 x float> @llvm.x86.avx512.mask.range.ps.256";
    for (const char *p = printed; (p = strstr(p, fast_one)); p++)
        nnan++;
    for (const char *p = printed; (p = strstr(p, by_range)); p++)
        found++;
    ck_assert_msg(nnan == fast && found == ranges, "%s", printed);
    ck_assert_uint_eq(LLVMCountBasicBlocks(LLVMGetNamedFunction(module, "lw_run")), blocks);
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

START_TEST(networks_twice)
{
    /* Of the fast ones the first pair is left: the others find their operands in order. */
    check_network(5, LW_ISA_AVX2, false, 2, 6, 0);
    check_network(5, LW_ISA_AVX2, true, 2, 6, 0);
    check_network(5, LW_ISA_SSE42, false, 2, 6, 0);
    check_network(3, LW_ISA_AVX2, false, 0, 3, 0); /* too small */
    /* One more, which makes what was loaded quiet; what the loop carries is. */
    check_network(5, LW_ISA_AVX512, false, 2, 6, 11);
    check_network(5, LW_ISA_AVX512, true, 0, 3, 11);
    check_network(3, LW_ISA_AVX512, false, 0, 3, 7);
    /* Halves, by comparisons; one more asks for all. */
    check_network(5, LW_ISA_AVX512_FP16, false, 2, 6, 11);
    check_network(3, LW_ISA_AVX512_FP16, false, 0, 3, 6);
}
END_TEST

/* Where each lane of a value comes from: 100 * (number of the leaf) + lane. */
static void
evaluate(LLVMValueRef v, LLVMValueRef *leaves, unsigned *leaf_count, int *lanes)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(v)), leaf = 0;
    int a[16], b[16];

    if (LLVMIsAShuffleVectorInst(v)) {
        evaluate(LLVMGetOperand(v, 0), leaves, leaf_count, a);
        if (!LLVMIsConstant(LLVMGetOperand(v, 1)))
            evaluate(LLVMGetOperand(v, 1), leaves, leaf_count, b);
        for (unsigned k = 0; k < n; k++) {
            unsigned from = (unsigned)LLVMGetMaskValue(v, k);
            lanes[k] = from < n ? a[from] : b[from - n];
        }
        return;
    }
    if (LLVMIsASelectInst(v)) {
        LLVMValueRef mask = LLVMGetOperand(v, 0);
        mask = LLVMIsAFreezeInst(mask) ? LLVMGetOperand(mask, 0) : mask;
        evaluate(LLVMGetOperand(v, 1), leaves, leaf_count, a);
        evaluate(LLVMGetOperand(v, 2), leaves, leaf_count, b);
        for (unsigned k = 0; k < n; k++)
            lanes[k] = LLVMIsNull(LLVMGetAggregateElement(mask, k)) ? b[k] : a[k];
        return;
    }
    while (leaf < *leaf_count && leaves[leaf] != v)
        leaf++;
    leaves[leaf] = v;
    *leaf_count += leaf == *leaf_count;
    for (unsigned k = 0; k < n; k++)
        lanes[k] = (int)(100 * leaf + k);
}

/* What is stored comes from the same lanes behind the pass, by so many shuffles and selects. */
static void
check_exchange(const char *text, unsigned shuffles, unsigned selects)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, text);
    LLVMValueRef leaves[8];
    unsigned leaf_count = 0, used = 0;
    char *message = NULL;
    int lanes[2][2][16] = {0};

    for (unsigned round = 0; round < 2; round++) {
        unsigned stores = 0;
        LLVMValueRef f = LLVMGetNamedFunction(module, "lw_run");
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMIsAStoreInst(i))
                    evaluate(LLVMGetOperand(i, 0), leaves, &leaf_count, lanes[round][stores++]);
                used += round && LLVMIsAShuffleVectorInst(i) && LLVMGetFirstUse(i);
            }
        if (round == 0)
            lw_settle_blends(module);
    }
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    char *printed = LLVMPrintModuleToString(module);
    ck_assert_msg(used == shuffles && count(module, LLVMSelect) == selects, "%s", printed);
    ck_assert_msg(!memcmp(lanes[0], lanes[1], sizeof *lanes), "%s", printed);
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

/* clang-format off */
#define EXCHANGE(body)                                                                                       \
    "declare <16 x i32> @llvm.smin.v16i32(<16 x i32>, <16 x i32>)\n"                                         \
    "declare <16 x i32> @llvm.smax.v16i32(<16 x i32>, <16 x i32>)\n"                                         \
    "define void @lw_run(ptr %p, ptr %q, <16 x i32> %a, <16 x i32> %b) {\n"                                  \
    "entry:\n  br label %next\nnext:\n" body                                                                 \
    "  store <16 x i32> %x, ptr %p\n  store <16 x i32> %y, ptr %q\n  ret void\n}\n"
#define SHUFFLE(x, a, b, lanes)                                                                              \
    "  " x " = shufflevector <16 x i32> " a ", <16 x i32> " b ", <16 x i32> <" lanes ">\n"
#define FOUR(a, b, c, d) "i32 " #a ", i32 " #b ", i32 " #c ", i32 " #d
#define LANES(a, b, c, d) a ", " b ", " c ", " d
#define EVERY_OTHER_PAIR                                                                                     \
    LANES(FOUR(0, 1, 18, 19), FOUR(4, 5, 22, 23), FOUR(8, 9, 26, 27), FOUR(12, 13, 30, 31))
#define LOWER_UPPER                                                                                          \
    "  %s = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %a, <16 x i32> %b)\n"                               \
    "  %t = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %a, <16 x i32> %b)\n"                               \
    SHUFFLE("%x", "%s", "%t", LANES(FOUR(0, 17, 18, 3), FOUR(4, 21, 22, 7), FOUR(8, 25, 26, 11),             \
                                    FOUR(12, 29, 30, 15)))

START_TEST(steps_of_transposes)
{
    check_exchange(EXCHANGE(
        SHUFFLE("%t", "%a", "%b", LANES(FOUR(2, 3, 16, 17), FOUR(6, 7, 20, 21), FOUR(10, 11, 24, 25),
                                        FOUR(14, 15, 28, 29)))
        SHUFFLE("%x", "%t", "%b", EVERY_OTHER_PAIR)
        SHUFFLE("%y", "%a", "%t", EVERY_OTHER_PAIR)), 2, 0);
}
END_TEST

START_TEST(steps_of_sorting)
{
    check_exchange(EXCHANGE(LOWER_UPPER
        SHUFFLE("%y", "%t", "%s", LANES(FOUR(2, 19, 16, 1), FOUR(6, 23, 20, 5), FOUR(10, 27, 24, 9),
                                        FOUR(14, 31, 28, 13)))), 1, 1);
    /* The second is no order of the first: it stays. */
    check_exchange(EXCHANGE(LOWER_UPPER
        SHUFFLE("%y", "%t", "%s", LANES(FOUR(0, 19, 16, 1), FOUR(6, 23, 20, 5), FOUR(10, 27, 24, 9),
                                        FOUR(14, 31, 28, 13)))), 2, 0);
}
END_TEST
/* clang-format on */

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
    LLVMModuleRef module = parse(context, text);
    lw_mark_spaces(module, false);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    unsigned left = count(module, LLVMLoad);
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

/* Where does the first load of a lane stand, counted in stores before it? The vector comes from a slot. */
static int
stores_before_lanes(const char *between)
{
    LLVMContextRef context = LLVMContextCreate();
    char text[32 << 10];
    int stores = 0;

    snprintf(text, sizeof text,
             "define void @f(ptr %%slot, ptr addrspace(3) %%a, i32 %%x) {\n"
             "  %%v = load <4 x i32>, ptr %%slot\n  %%l = extractelement <4 x i32> %%v, i64 1\n"
             "  %%m = extractelement <4 x i32> %%v, i64 3\n  store i32 %%x, ptr addrspace(3) %%a\n%s"
             "  %%n = add i32 %%l, %%m\n  store i32 %%n, ptr addrspace(3) %%a\n  ret void\n}\n",
             between);
    LLVMModuleRef module = parse(context, text);
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "f"));
    lw_mark_spaces(module, false);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if ((LLVMIsALoadInst(i) && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) == 0) ||
            (LLVMIsAStoreInst(i) && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 1))) == 0))
            lw_mark_slot(i);
    lw_settle_slots(module);
    ck_assert(!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL));
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); !LLVMIsALoadInst(i); i = LLVMGetNextInstruction(i))
        stores += LLVMIsAStoreInst(i) != NULL;
    if (stores)
        ck_assert_uint_eq(count(module, LLVMLoad), 2);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return stores;
}

START_TEST(lanes_of_slots)
{
    static const char store[] = "  store i32 %x, ptr addrspace(3) %a\n";
    char far[sizeof store * 508] = "";

    ck_assert_int_eq(stores_before_lanes(""), 1);
    ck_assert_int_eq(stores_before_lanes("  store i32 %x, ptr %slot\n"), 0);
    ck_assert_int_eq(stores_before_lanes("  br label %b\nb:\n"), 0);
    /* As far as it looks: the second lane's user is farther once the first lane's load stands before it. */
    for (unsigned k = 0; k < 508; k++)
        memcpy(far + k * (sizeof store - 1), store, sizeof store);
    ck_assert_int_eq(stores_before_lanes(far), 509);
}
END_TEST

/* How many stores there are of a vector, and whether each lies above the one before. */
static unsigned
stores_upwards(const char *how, unsigned align, lw_isa isa)
{
    char text[400];
    LLVMContextRef context = LLVMContextCreate();
    unsigned found = 0;

    snprintf(text, sizeof text,
             "define void @lw.kernel(<32 x double> %%x, ptr addrspace(1) %%p) {\n"
             "  %%a = getelementptr i8, ptr addrspace(1) %%p, i64 16\n"
             "  store%s <32 x double> %%x, ptr addrspace(1) %%a, align %u\n  ret void\n}\n", how, align);
    LLVMModuleRef module = parse(context, text);
    lw_part_wide_stores(module, isa);
    ck_assert(!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL));
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "lw.kernel"));
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAStoreInst(i))
            continue;
        LLVMValueRef part = LLVMGetOperand(i, 0), offset = LLVMGetOperand(LLVMGetOperand(i, 1), 1);
        unsigned n = LLVMGetVectorSize(LLVMTypeOf(part));
        ck_assert_uint_eq(LLVMConstIntGetZExtValue(offset), 16 + found * n * 8);
        ck_assert(n == 32 || (unsigned)LLVMGetMaskValue(part, 0) == found * n);
        found++;
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return found;
}

START_TEST(stores_of_several_registers)
{
    ck_assert_uint_eq(stores_upwards("", 8, LW_ISA_AVX512), 4);
    ck_assert_uint_eq(stores_upwards("", 32, LW_ISA_AVX512), 4);
    ck_assert_uint_eq(stores_upwards("", 64, LW_ISA_AVX512), 1);
    ck_assert_uint_eq(stores_upwards("", 8, LW_ISA_AVX2), 8);
    ck_assert_uint_eq(stores_upwards("", 32, LW_ISA_AVX2), 1);
    ck_assert_uint_eq(stores_upwards(" volatile", 8, LW_ISA_AVX512), 1);
}
END_TEST

/* How many halves come by a word. */
static unsigned
halves_alone(const char *what, lw_isa isa)
{
    char text[400];
    LLVMContextRef context = LLVMContextCreate();

    snprintf(text, sizeof text,
             "define void @lw.kernel(ptr %%p, half %%y, float %%z) {\n"
             "  %%x = load i16, ptr %%p\n  %%h = bitcast i16 %%x to half\n  %s\n  ret void\n}\n", what);
    LLVMModuleRef module = parse(context, text);
    lw_load_halves_alone(module, isa);
    ck_assert(!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL));
    unsigned found = count(module, LLVMZExt);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return found;
}

START_TEST(halves_that_are_loaded)
{
    static const char sum[] = "%s = fadd half %h, %y", longer[] = "%f = fpext half %h to float";

    ck_assert_uint_eq(halves_alone(sum, LW_ISA_AVX2), 1);
    ck_assert_uint_eq(halves_alone(longer, LW_ISA_AVX512), 1);
    ck_assert_uint_eq(halves_alone(sum, LW_ISA_SSE42), 0);
    ck_assert_uint_eq(halves_alone(sum, LW_ISA_AVX512_FP16), 0);
    ck_assert_uint_eq(halves_alone("store half %h, ptr %p", LW_ISA_AVX2), 0);
    ck_assert_uint_eq(halves_alone("%s = fptrunc float %z to half\n  %t = fadd half %s, %y", LW_ISA_AVX2), 0);
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
    TCase *networks = tcase_create("networks");
    tcase_add_test(networks, networks_twice);
    suite_add_tcase(suite, networks);
    TCase *blends = tcase_create("blends");
    tcase_add_test(blends, steps_of_transposes);
    tcase_add_test(blends, steps_of_sorting);
    suite_add_tcase(suite, blends);
    TCase *spaces = tcase_create("spaces");
    tcase_add_test(spaces, stores_to_other_spaces);
    tcase_add_test(spaces, lanes_of_slots);
    tcase_add_test(spaces, stores_of_several_registers);
    tcase_add_test(spaces, halves_that_are_loaded);
    suite_add_tcase(suite, spaces);
    return run_suite(suite);
}
