/* SPDX-License-Identifier: MIT */
/* Canonical form: each construct that it removes, and that what it writes still computes the same (by LLVM's
 * own folding of constant memory, where the test can see the result). */
#include <check.h>
#include <llvm-c/TargetMachine.h>

#include "random_ir.h"
#include "vectorizer/flow/addresses.h"
#include "vectorizer/flow/canonical.h"
#include "vectorizer/facts/model.h"

static LLVMModuleRef
canonical(LLVMContextRef context, const char *ir)
{
    lw_error error = {0};
    const char *why = NULL;
    LLVMModuleRef module = parse_ir(context, ir);
    ck_assert_msg(lw_canonicalize(module, NULL, NULL, &error), "%s\n%s", error.text, ir);
    char *bad = NULL;
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &bad), "%s", bad);
    LLVMDisposeMessage(bad);
    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
    ck_assert_msg(m != NULL, "%s", why);
    unsigned returns = 0;
    for (uint32_t b = 0; b < m->block_count; b++) {
        LLVMOpcode op = LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(m->blocks[b].ref));
        ck_assert(op == LLVMBr || op == LLVMRet);
        returns += op == LLVMRet;
        for (uint32_t k = 0; k < m->blocks[b].succ_count; k++)
            ck_assert(m->blocks[b].succ_count == 1 || m->blocks[m->blocks[b].succs[k]].pred_count == 1);
    }
    ck_assert_uint_eq(returns, 1);
    lw_model_free(m);
    return module;
}

static unsigned
count(LLVMModuleRef module, const char *what)
{
    char *text = LLVMPrintModuleToString(module);
    unsigned found = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        found++;
    LLVMDisposeMessage(text);
    return found;
}

#define KERNEL(body)                                                                                         \
    "define void @lw.kernel(i32 %q, i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %s) {\n" body "\n}\n"

static const char *const shapes[] = {
    /* several returns, a switch, unreachable */
    KERNEL("e: switch i32 %q, label %d [i32 1, label %a i32 2, label %b i32 7, label %a]\n"
           "a: ret void\nb: br i1 %c, label %d, label %u\nu: unreachable\nd: store i32 1, ptr addrspace(1) "
           "%p\n ret void"),
    /* nothing but unreachable */
    KERNEL("e: unreachable"),
    /* endless loops: alone, nested, one of two arms, with a conditional latch */
    KERNEL("e: br label %l\nl: br label %l"),
    KERNEL("e: br label %l\nl: %i = phi i32 [0, %e], [%j, %l]\n %j = add i32 %i, 1\n store i32 %j, ptr "
           "addrspace(1) %p\n"
           " br label %l"),
    KERNEL("e: br i1 %c, label %l, label %r\nl: br i1 %c, label %k, label %l\nk: br label %l\nr: ret void"),
    KERNEL("e: br label %l\nl: %i = phi i32 [0, %e], [%i, %x], [1, %y]\n br i1 %c, label %x, label %y\n"
           "x: br i1 %c, label %l, label %y\ny: br label %l"),
    /* irreducible, also inside an irreducible loop */
    KERNEL("e: br i1 %c, label %a, label %b\na: br i1 %c, label %b, label %r\nb: br i1 %c, label %a, label "
           "%r\nr: ret void"),
    KERNEL(
        "e: br i1 %c, label %a, label %b\na: br i1 %c, label %b, label %d\nb: br i1 %c, label %a, label %d\n"
        "d: br i1 %c, label %a, label %f\nf: br i1 %c, label %b, label %r\nr: ret void"),
    /* a loop with several latches and exits, critical edges */
    KERNEL(
        "e: br i1 %c, label %h, label %r\nh: %i = phi i32 [0, %e], [%j, %h], [%j, %k]\n %j = add i32 %i, 1\n"
        " br i1 %c, label %h, label %k\nk: %x = icmp eq i32 %j, %q\n br i1 %x, label %r, label %h\n"
        "r: %v = phi i32 [7, %e], [%j, %k]\n store i32 %v, ptr addrspace(1) %p\n ret void"),
};

START_TEST(control_flow)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMDisposeModule(canonical(context, shapes[_i]));
    LLVMContextDispose(context);
}
END_TEST

#define EITHER(block, x, y)                                                                                  \
    block ": %" block "1 = load volatile i1, ptr addrspace(1) %p\n"                                         \
          " br i1 %" block "1, label %" x ", label %" y "\n"
/* b and l: where these go, beside a and m. */
#define WEB(b, l)                                                                                            \
    KERNEL(EITHER("e", "a", "b") EITHER("a", "b", "d") EITHER("b", "a", b) "d: br label %l\n" EITHER(        \
        "l", l, "m") "k: store i32 1, ptr addrspace(1) %s\n br label %l\n" EITHER("m", "a",                \
                                                                                  "r") "r: ret void")

/* A web is one loop, however many labels jump to each other; a loop in it stays one where none of them leads
 * into its midst. */
START_TEST(webs)
{
    static const struct {
        const char *ir;
        uint32_t loops;
    } cases[] = {{WEB("d", "l"), 2}, {WEB("l", "l"), 2}, {WEB("d", "k"), 2}, {WEB("k", "k"), 1}};
    const char *why;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = canonical(context, cases[_i].ir);
    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
    ck_assert_uint_eq(m->loop_count, cases[_i].loops);
    lw_model_free(m);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

START_TEST(hints)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = canonical(
        context,
        "declare void @llvm.assume(i1)\ndeclare i1 @llvm.expect.i1(i1, i1)\n"
        "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @f(ptr)\n" KERNEL(
            "e: %a = alloca i32\n call void @llvm.lifetime.start.p0(ptr %a)\n call void @llvm.assume(i1 %c)\n"
            " call void @f(ptr %a)\n %x = call i1 @llvm.expect.i1(i1 %c, i1 true)\n br i1 %x, label %a1, "
            "label %b1\n"
            "a1: store i32 1, ptr addrspace(1) %p\n br label %b1\nb1: ret void"));
    ck_assert_uint_eq(count(module, "call void @llvm"), 0);
    ck_assert_uint_eq(count(module, "call i1 @llvm"), 0);
    ck_assert_uint_eq(count(module, "call void @f"), 1);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* What poison flags promise does not hold for lanes behind a guard. */
START_TEST(negative_lanes)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = canonical(context, KERNEL("e: %x = zext nneg i32 %q to i64\n"
                                                     " store i64 %x, ptr addrspace(1) %p\n ret void"));
    ck_assert_uint_eq(count(module, "zext"), 0);
    ck_assert_uint_eq(count(module, "sext i32"), 1);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

#define MEMORY                                                                                               \
    "declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n"                     \
    "declare void @llvm.memmove.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i1)\n"                    \
    "declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)\n"                                      \
    "declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)\n"

START_TEST(memory)
{
    static const struct {
        const char *call, *loads;
        unsigned expected, loops;
    } cases[] = {
        {"call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 8 %p, ptr addrspace(1) align 8 %s, i64 24, "
         "i1 false)",
         "load i64, ptr addrspace(1)", 3, 0},
        {"call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 8 %p, ptr addrspace(1) align 4 %s, i64 24, "
         "i1 false)",
         "load i32, ptr addrspace(1)", 6, 0},
        {"call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %s, i64 5, i1 false)",
         "load i8, ptr addrspace(1)", 5, 0},
        {"call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 %s, i64 0, "
         "i1 false)",
         "load", 0, 0},
        {"call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 %s, i64 "
         "4000, i1 false)",
         "load i32, ptr addrspace(1)", 1, 1},
        {"call void @llvm.memmove.p1.p1.i32(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 %s, i32 "
         "%q, i1 false)",
         "load i8, ptr addrspace(1)", 1, 1},
        {"call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %p, i8 7, i64 8, i1 false)",
         "store i32 117901063", 2, 0},
        {"call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %p, i8 1, i64 800, i1 false)",
         "store i32 16843009", 1, 1},
        {"call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 7, i64 8, i1 false)",
         "store i64 506381209866536711, ptr addrspace(1) %p, align 1", 1, 0},
        {"%w = zext i32 %q to i64\n %n = shl i64 %w, 2\n"
         " call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 1, i64 %n, i1 false)",
         "store i32 16843009", 1, 1},
        {"%o = or i32 %q, 2\n %t = mul i32 %o, 6\n %n = zext i32 %t to i64\n"
         " call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 1, i64 %n, i1 false)",
         "store i16 257", 1, 1},
        {"%n = zext i32 %q to i64\n"
         " call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 1, i64 %n, i1 false)",
         "store i8 1", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        LLVMContextRef context = LLVMContextCreate();
        text_add(&t,
                 MEMORY
                 "define void @lw.kernel(i32 %%q, ptr addrspace(1) %%p, ptr addrspace(1) %%s) {\n  %s\n"
                 "  ret void\n}\n",
                 cases[i].call);
        LLVMModuleRef module = canonical(context, t.bytes);
        const char *why;
        ck_assert_uint_eq(count(module, "call void"), 0);
        ck_assert_msg(count(module, cases[i].loads) == cases[i].expected, "case %zu: %s", i,
                      LLVMPrintModuleToString(module));
        struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
        ck_assert_uint_eq(m->loop_count, cases[i].loops);
        lw_model_free(m);
        free(t.bytes);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
}
END_TEST

/* A private array of floats keeps whole elements, though the alignment would allow more. */
START_TEST(private_elements)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module =
        canonical(context, MEMORY KERNEL("e: %a = alloca [8 x float], align 16\n"
                                         " call void @llvm.memcpy.p0.p1.i64(ptr align 16 %a, ptr "
                                         "addrspace(1) align 16 %s, i64 32, i1 false)\n"
                                         " %g = getelementptr float, ptr %a, i32 %q\n %v = load float, ptr "
                                         "%g\n store float %v, ptr addrspace(1) %p\n ret void"));
    ck_assert_uint_eq(count(module, "load i32, ptr addrspace(1)"), 8);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* A loop that counts in 64 bits and reads 32 of them counts in 32; one whose upper half is read does not. */
#define COUNTER(reads)                                                                                       \
    KERNEL("e: %f = zext i32 %q to i64\n br label %l\nl:\n %i = phi i64 [ %f, %e ], [ %n, %l ]\n " reads   \
           "\n %g = getelementptr i32, ptr addrspace(1) %p, i64 %r\n store i32 1, ptr addrspace(1) %g\n"    \
           " %n = add i64 %r, 77\n %t = trunc i64 %n to i32\n %b = icmp ult i32 %t, 5000\n"                 \
           " br i1 %b, label %l, label %x\nx: ret void")

START_TEST(counters)
{
    static const struct {
        const char *text;
        bool narrow;
    } cases[] = {
        {COUNTER("%r = and i64 %i, 4294967295"), true},
        {COUNTER("%w = shl i64 %i, 32\n %r = ashr exact i64 %w, 32"), true},
        {COUNTER("%w = shl i64 %i, 32\n %v = sub i64 %w, 12884901888\n %r = ashr exact i64 %v, 32"), true},
        {COUNTER("%w = shl i64 %i, 32\n %v = sub i64 12884901888, %w\n %r = ashr exact i64 %v, 32"), true},
        {COUNTER("%w = shl i64 %i, 32\n %v = sub i64 %w, 2147483648\n %r = ashr i64 %v, 32"), false},
        {COUNTER("%r = and i64 %i, 8589934591"), false},
        {COUNTER("%w = shl i64 %i, 31\n %r = ashr exact i64 %w, 31"), false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = canonical(context, cases[k].text);
        ck_assert_uint_eq(count(module, "phi i32"), cases[k].narrow);
        ck_assert_uint_eq(count(module, "phi i64"), !cases[k].narrow);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
}
END_TEST

/* A masked index shows its low half; a limb of a long product, only computed with, stays as it is. */
START_TEST(low_halves)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(
        context, "define void @lw.kernel(i64 %a, i64 %b, ptr addrspace(1) %p) {\n"
                 "%i = and i64 %a, 4294967295\n %four = shl i64 %i, 2\n"
                 "%at = getelementptr i8, ptr addrspace(1) %p, i64 %four\n"
                 "%x = and i64 %b, 4294967295\n %y = mul i64 %x, %x\n %z = lshr i64 %y, 32\n"
                 "store i64 %z, ptr addrspace(1) %at\n ret void\n}\n");
    lw_expose_extensions(LLVMGetNamedFunction(module, "lw.kernel"));
    ck_assert_uint_eq(count(module, "trunc i64 %a to i32"), 1);
    ck_assert_uint_eq(count(module, "and i64 %a"), 0);
    ck_assert_uint_eq(count(module, "and i64 %b"), 1);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

START_TEST(refused)
{
    static const char *const cases[][2] = {
        {"define internal void @helper() noinline {\n ret void\n}\n" KERNEL(
             "e: call void @helper()\n ret void"),
         "helper"},
        {KERNEL("e: %f = inttoptr i32 %q to ptr\n call void %f()\n ret void"), "pointer to a function"},
        {"define void @other() {\n ret void\n}\n", "no lw.kernel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lw_error error = {0};
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = parse_ir(context, cases[i][0]);
        ck_assert(!lw_canonicalize(module, NULL, NULL, &error));
        ck_assert_msg(strstr(error.text, cases[i][1]) != NULL, "%s", error.text);
        ck_assert_int_ne(error.status, LW_OK);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
}
END_TEST

/* Two pointers that start at one index from memory share a counter of 32 bits, which is of the index's
 * buffer; a pointer that starts at a lane's id stays. */
START_TEST(walks)
{
    static const char ir[] =
        "declare i64 @lw.global_id(i32)\n"
        "define void @lw.kernel(ptr %starts, ptr %columns, ptr %values, ptr %out) {\n"
        "entry:\n"
        "  %id = call i64 @lw.global_id(i32 0)\n"
        "  %at = getelementptr i32, ptr %starts, i64 %id\n"
        "  %x = load i32, ptr %at\n"
        "  %m = load i32, ptr %at\n"
        "  %wide = zext i32 %x to i64\n"
        "  %bytes = shl i64 %wide, 2\n"
        "  %p0 = getelementptr i8, ptr %columns, i64 %bytes\n"
        "  %q0 = getelementptr float, ptr %values, i64 %wide\n"
        "  %r0 = getelementptr i32, ptr %out, i64 %id\n"
        "  %n0 = zext i32 %m to i64\n"
        "  br label %loop\n"
        "loop:\n"
        "  %n = phi i64 [ %n0, %entry ], [ %n1, %loop ]\n"
        "  %p = phi ptr [ %p0, %entry ], [ %p1, %loop ]\n"
        "  %q = phi ptr [ %q0, %entry ], [ %q1, %loop ]\n"
        "  %r = phi ptr [ %r0, %entry ], [ %r1, %loop ]\n"
        "  %c = load i32, ptr %p\n"
        "  %v = load i32, ptr %q\n"
        "  %s = add i32 %c, %v\n"
        "  store i32 %s, ptr %r\n"
        "  %p1 = getelementptr i8, ptr %p, i64 4\n"
        "  %q1 = getelementptr i8, ptr %q, i64 4\n"
        "  %r1 = getelementptr i8, ptr %r, i64 4\n"
        "  %n1 = add i64 %n, -1\n"
        "  %end = icmp eq i64 %n1, 0\n"
        "  br i1 %end, label %done, label %loop\n"
        "done:\n"
        "  ret void\n"
        "}\n";
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, ir);
    char *bad = NULL;
    ck_assert_uint_eq(count(module, "phi ptr"), 3);
    lw_index_walks(module, LLVMGetNamedFunction(module, "lw.kernel"));
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &bad), "%s", bad);
    LLVMDisposeMessage(bad);
    ck_assert_uint_eq(count(module, "phi ptr"), 1);
    ck_assert_uint_eq(count(module, "phi i64"), 0);
    ck_assert_uint_eq(count(module, "phi i32"), 2);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* What a branch found equal to a constant is that constant in the phi behind it, which is the index itself
 * where the arithmetic of the other way gives the same; and stays where it does not. */
START_TEST(constants)
{
    static const struct {
        const char *test, *arithmetic, *ways;
        unsigned phis;
    } cases[] = {
        {"eq i32 %k, 2", "shl nuw i32 %k, 2", "[8, %g], [%w, %o]", 0},
        {"eq i32 %k, 2", "shl nuw i32 %k, 2", "[2, %g], [%w, %o]", 1},
        {"eq i32 %k, 2", "shl nuw i32 %k, 2", "[%w, %o], [0, %g]", 1},
        {"eq i32 %k, -1", "add nsw i32 %k, 4", "[%w, %o], [3, %g]", 0},
        {"eq i32 %k, -1", "sub i32 %q, %k", "[%w, %o], [0, %g]", 1},
        {"ne i32 %k, 2", "shl i32 %k, 2", "[8, %g], [%w, %o]", 1},
        {"sge i32 %k, 2", "shl i32 %k, 2", "[8, %g], [%w, %o]", 1},
    };
    LLVMContextRef context = LLVMContextCreate();
    char ir[512], *bad = NULL;
    snprintf(ir, sizeof ir,
             "define void @lw.kernel(i32 %%q, ptr addrspace(1) %%p) {\n"
             "e: %%k = mul i32 %%q, 3\n %%t = icmp %s\n br i1 %%t, label %%g, label %%o\n"
             "g: br label %%m\no: %%w = %s\n br label %%m\nm: %%x = phi i32 %s\n"
             " store i32 %%x, ptr addrspace(1) %%p\n ret void\n}\n",
             cases[_i].test, cases[_i].arithmetic, cases[_i].ways);
    LLVMModuleRef module = parse_ir(context, ir);
    lw_expose_extensions(LLVMGetNamedFunction(module, "lw.kernel"));
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &bad), "%s", bad);
    LLVMDisposeMessage(bad);
    ck_assert_uint_eq(count(module, "phi i32"), cases[_i].phis);
    ck_assert_uint_eq(count(module, "nuw") + count(module, "nsw"), /* the copy promises nothing */
                      strstr(cases[_i].arithmetic, " n") ? 1 : 0);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

Suite *
canonical_suite(void)
{
    Suite *suite = suite_create("canonical");
    TCase *cases = tcase_create("canonical");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, control_flow, 0, (int)(sizeof shapes / sizeof *shapes));
    tcase_add_loop_test(cases, webs, 0, 4);
    tcase_add_test(cases, hints);
    tcase_add_test(cases, negative_lanes);
    tcase_add_test(cases, memory);
    tcase_add_test(cases, private_elements);
    tcase_add_test(cases, counters);
    tcase_add_test(cases, low_halves);
    tcase_add_test(cases, walks);
    tcase_add_loop_test(cases, constants, 0, 7);
    tcase_add_test(cases, refused);
    suite_add_tcase(suite, cases);
    return suite;
}
