/* SPDX-License-Identifier: MIT */
/* What the uniformity analysis must find, value by value: it is sound by test_uniformity.c, here it is
 * useful. */
#include <check.h>
#include <time.h>

#include "random_ir.h"
#include "vectorizer/flow/explain.h"
#include "vectorizer/facts/doubts.h"
#include "vectorizer/facts/uniformity.h"

#define DECLARATIONS                                                                                         \
    "declare i64 @lw.global_id(i32)\ndeclare i64 @lw.local_id(i32)\ndeclare i64 @lw.sub_group_local_id()\n"  \
    "declare i64 @lw.group_id(i32)\ndeclare i64 @lw.sub_group_id()\ndeclare i32 "                            \
    "@lw.sg.reduce.iadd.i32(i32)\n"                                                                          \
    "declare i32 @lw.wg.reduce.iadd.i32(i32)\ndeclare i32 @lw.sg.broadcast.i32(i32, i32)\ndeclare i1 "       \
    "@lw.sg.elect()\n"                                                                                       \
    "declare i32 @lw.sg.shuffle.i32(i32, i32)\ndeclare void @take(ptr)\ndeclare float "                      \
    "@llvm.sqrt.f32(float)\n"
#define KERNEL(body)                                                                                         \
    DECLARATIONS "define void @lw.kernel(ptr addrspace(1) %p, ptr addrspace(2) %k, i32 %n, i64 %m) {\n" body \
                 "\n}\n"

/* Forms, as NAME=FORM: g group-uniform, u uniform, v varying, sN linear with stride N, t any other table,
 * with a ! where it is assumed; block masks as #NAME=0 or 1. */
static const struct {
    const char
        *shape; /* local sizes (0: dynamic) / lanes / flags: z offset zero, 3 index31, r row multiple */
    const char *ir, *expected;
} cases[] = {
    {"0/16/3",
     KERNEL("%g = call i64 @lw.global_id(i32 0)\n %t = trunc i64 %g to i32\n %x = sext i32 %t to i64\n"
            " %s = shl i64 %g, 32\n %i = ashr i64 %s, 30\n"
            " %a = getelementptr float, ptr addrspace(1) %p, i64 %x\n"
            " %b = getelementptr i8, ptr addrspace(1) %p, i64 %i\n %l = load float, ptr addrspace(1) %a\n "
            "ret void"),
     "p=g n=g g=s1 t=s1 x=s1 i=s4 a=s4 b=s4 l=v"},
    {"0/16/",
     KERNEL("%g = call i64 @lw.global_id(i32 0)\n %t = trunc i64 %g to i32\n %x = sext i32 %t to i64\n"
            " %y = add nsw i32 %n, 1\n %l = call i64 @lw.local_id(i32 0)\n %lt = trunc i64 %l to i32\n"
            " %z = add nsw i32 %lt, %y\n %w = sext i32 %z to i64\n %e = zext i32 %z to i64\n ret void"),
     "g=s1 t=s1 x=v y=g l=s1 lt=s1 z=s1 w=s1! e=v"},
    {"0/16/",
     KERNEL("%l = call i64 @lw.sub_group_local_id()\n %t = trunc i64 %l to i32\n %m4 = mul i32 %t, 4\n"
            " %r = urem i32 %t, 4\n %d = udiv i32 %t, 3\n %x = xor i32 %t, 5\n %e = and i32 %t, 12\n"
            " %h = lshr i32 %t, 4\n %y = mul i32 %t, %n\n %c = icmp ult i32 %t, %n\n %eq = icmp eq i32 %m4, "
            "%m4\n ret void"),
     "t=s1 m4=s4 r=t d=t x=t e=t h=g y=v c=v eq=u"},
    {"8,8,1/16/z3",
     KERNEL("%x = call i64 @lw.local_id(i32 0)\n %y = call i64 @lw.local_id(i32 1)\n"
            " %z = call i64 @lw.local_id(i32 2)\n %m8 = mul i64 %y, 8\n %s = add i64 %m8, %x\n"
            " %o = or i64 %m8, %x\n %gx = call i64 @lw.global_id(i32 0)\n"
            " %gy = call i64 @lw.global_id(i32 1)\n %row = mul i64 %gy, %m\n ret void"),
     "x=t y=t z=g s=s1 o=s1 gx=t gy=t row=v"},
    {"32,4,1/16/z3",
     KERNEL("%x = call i64 @lw.global_id(i32 0)\n %y = call i64 @lw.global_id(i32 1)\n"
            " %row = mul i64 %y, %m\n %s = add i64 %row, %x\n %al = and i64 %x, -16\n %lo = and i64 %x, 15\n"
            " %h = lshr i64 %x, 3\n %u = icmp eq i64 %y, 3\n ret void"),
     "x=s1 y=u row=u s=s1 al=u lo=s1 h=t u=u"},
    {"7,5,1/16/z3",
     KERNEL("%x = call i64 @lw.local_id(i32 0)\n %z = call i64 @lw.local_id(i32 2)\n ret void"), "x=v z=g"},
    {"0/8/r",
     KERNEL("%x = call i64 @lw.local_id(i32 0)\n %y = call i64 @lw.local_id(i32 1)\n %g = call i64 "
            "@lw.group_id(i32 0)\n"
            " %s = call i64 @lw.sub_group_id()\n ret void"),
     "x=s1 y=u g=g s=u"},
    /* a uniform and a divergent if */
    {"0/8/",
     KERNEL("e: %l = call i64 @lw.sub_group_local_id()\n %c = icmp eq i64 %l, 3\n %d = icmp eq i32 %n, 3\n"
            " br i1 %d, label %a, label %b\na: br label %b\nb: %x = phi i32 [1, %e], [2, %a]\n"
            " br i1 %c, label %f, label %h\nf: br label %h\nh: %y = phi i32 [1, %b], [2, %f]\n"
            " %same = phi i32 [%x, %b], [%x, %f]\n ret void"),
     "x=g y=v #a=0 #b=0 #f=1 #h=0"},
    /* an arm of a uniform if holds a divergent one whose join is the outer join */
    {"0/8/",
     KERNEL("e: %l = call i64 @lw.sub_group_local_id()\n %c = icmp eq i64 %l, 3\n %d = icmp eq i32 %n, 3\n"
            " br i1 %d, label %a, label %o\na: br i1 %c, label %b, label %j\nb: store i32 0, ptr "
            "addrspace(1) %p\n"
            " br label %j\no: %q = icmp eq i32 %n, 4\n br i1 %q, label %j, label %z\n"
            "j: %x = phi i32 [1, %a], [2, %b], [3, %o]\n store i32 %x, ptr addrspace(1) %p\n br label %z\n"
            "z: %y = phi i32 [5, %o], [6, %j]\n ret void"),
     "x=v y=g #a=0 #b=1 #o=0 #j=0 #z=0"},
    /* a loop that lanes leave at different times; one that they do not */
    {"0/8/",
     KERNEL("e: %l = call i64 @lw.sub_group_local_id()\n br label %h\n"
            "h: %i = phi i64 [0, %e], [%j, %h]\n %s = phi i64 [%l, %e], [%t, %h]\n %j = add i64 %i, 1\n"
            " %t = add i64 %s, 1\n %c = icmp ult i64 %j, %l\n br i1 %c, label %h, label %x\n"
            "x: %o = phi i64 [%i, %h]\n br label %h2\nh2: %i2 = phi i64 [0, %x], [%j2, %h2]\n"
            " %j2 = add i64 %i2, 1\n %c2 = icmp ult i64 %j2, %m\n br i1 %c2, label %h2, label %x2\n"
            "x2: %o2 = phi i64 [%i2, %h2]\n ret void"),
     "i=g s=s1 t=s1 j=g o=v i2=g o2=g #h=1 #x=0 #h2=0 #x2=0"},
    /* an early return in one arm masks the rest */
    {"0/8/",
     KERNEL("e: %l = call i64 @lw.sub_group_local_id()\n %c = icmp ult i64 %l, %m\n br i1 %c, label %a, "
            "label %r\n"
            "a: %q = load i32, ptr addrspace(1) %p\n %d = icmp eq i32 %q, 0\n br i1 %d, label %b, label %r\n"
            "b: store i32 1, ptr addrspace(1) %p\n br label %r\nr: ret void"),
     "q=u d=u #a=1 #b=1 #r=0"},
    {"0/8/",
     KERNEL("%l = call i64 @lw.sub_group_local_id()\n %t = trunc i64 %l to i32\n"
            " %r = call i32 @lw.sg.reduce.iadd.i32(i32 %t)\n %w = call i32 @lw.wg.reduce.iadd.i32(i32 %t)\n"
            " %b = call i32 @lw.sg.broadcast.i32(i32 %t, i32 %n)\n %s = call i32 @lw.sg.shuffle.i32(i32 %t, "
            "i32 %n)\n"
            " %e = call i1 @lw.sg.elect()\n %f = uitofp i32 %r to float\n %q = call float "
            "@llvm.sqrt.f32(float %f)\n"
            " %k0 = load i32, ptr addrspace(2) %k\n %p0 = load i32, ptr addrspace(1) %p\n ret void"),
     "r=u w=g b=u s=v e=v f=u q=u k0=g p0=u"},
    /* private memory: shared, with lanes' values, with a masked store, escaping */
    {"0/8/",
     KERNEL(
         "e: %a = alloca [4 x i32]\n %b = alloca [4 x i32]\n %c = alloca [4 x i32]\n %d = alloca [4 x i32]\n"
         " %l = call i64 @lw.sub_group_local_id()\n %t = trunc i64 %l to i32\n %i = and i32 %n, 3\n"
         " %ai = getelementptr i32, ptr %a, i32 %i\n store i32 %n, ptr %ai\n %al = load i32, ptr %a\n"
         " %bi = getelementptr i32, ptr %b, i32 %i\n store i32 %t, ptr %bi\n %bl = load i32, ptr %b\n"
         " call void @take(ptr %d)\n %dl = load i32, ptr %d\n store i32 0, ptr %c\n"
         " %q = icmp eq i64 %l, 3\n br i1 %q, label %f, label %h\nf: store i32 1, ptr %c\n br label %h\n"
         "h: %cl = load i32, ptr %c\n %at = getelementptr i32, ptr %a, i64 %l\n %atl = load i32, ptr %at\n "
         "ret void"),
     "al=u bl=v cl=v dl=v a=u at=s4 atl=v bi=u d=v"},
};

static struct lw_shape
parse_shape(const char *text)
{
    unsigned x = 0, y = 0, z = 0, lanes = 0;
    const char *flags = strrchr(text, '/') + 1;
    if (sscanf(text, "%u,%u,%u/%u", &x, &y, &z, &lanes) != 4)
        sscanf(text, "0/%u", &lanes);
    bool rows = strchr(flags, 'r') != NULL;
    return (struct lw_shape){.work_dim = x || rows ? 3 : 1,
                             .local_size = {x, y, z},
                             .lanes = lanes,
                             .sub_group_size = lanes,
                             .isa = 2,
                             .offset_zero = strchr(flags, 'z') != NULL,
                             .index31 = strchr(flags, '3') != NULL,
                             .row_multiple = rows};
}

static void
describe(const struct lw_vinfo *v, char *out)
{
    if (v->form == LW_VARYING)
        strcpy(out, "v");
    else if (v->form == LW_UNIFORM)
        strcpy(out, v->group_uniform ? "g" : "u");
    else if (v->linear)
        sprintf(out, "s%lld%s", (long long)v->stride, v->assumes_no_wrap ? "!" : "");
    else
        strcpy(out, v->assumes_no_wrap ? "t!" : "t");
}

static LLVMValueRef
named_value(const struct lw_model *m, const char *name, size_t length)
{
    for (uint32_t v = 0; v < m->value_count; v++) {
        size_t size;
        const char *other = LLVMGetValueName2(m->values[v], &size);
        if (size == length && memcmp(other, name, length) == 0)
            return m->values[v];
    }
    ck_abort_msg("no value %.*s", (int)length, name);
    return NULL;
}

static uint32_t
named_block(const struct lw_model *m, const char *name, size_t length)
{
    for (uint32_t b = 0; b < m->block_count; b++) {
        const char *other = LLVMGetBasicBlockName(m->blocks[b].ref);
        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return b;
    }
    ck_abort_msg("no block %.*s", (int)length, name);
    return 0;
}

START_TEST(forms)
{
    struct lw_shape shape = parse_shape(cases[_i].shape);
    const char *why = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, cases[_i].ir);
    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
    ck_assert_msg(m != NULL, "%s", why);
    struct lw_uniformity *u = lw_find_uniformity(m, &shape);
    ck_assert_ptr_nonnull(u);
    for (const char *at = cases[_i].expected; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, "="), end = strcspn(at, " ");
        char found[32];
        if (*at == '#') {
            strcpy(found, u->masked[named_block(m, at + 1, length - 1)] ? "1" : "0");
        } else {
            struct lw_vinfo v = lw_form_of(u, m, named_value(m, at, length));
            describe(&v, found);
        }
        ck_assert_msg(strlen(found) == end - length - 1 && memcmp(found, at + length + 1, strlen(found)) == 0,
                      "case %d: %.*s, found %s", _i, (int)end, at, found);
        at += end;
    }
    lw_uniformity_free(u);
    lw_model_free(m);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* Every lane accesses an element beside its neighbours': of which two types, and is the width in doubt? */
static const struct {
    const char *loaded, *stored;
    bool doubts;
} sizes[] = {{"i8", "i8", false},   {"i32", "i32", false}, {"i8", "i32", true},
             {"i32", "i16", true},  {"i8", "i64", false},  {"float", "half", true}};

static enum lw_doubt
doubt_of(const char *ir)
{
    const char *why = NULL;
    struct lw_shape shape = parse_shape("64,1,1/16z3r");
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, ir);
    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
    ck_assert_msg(m != NULL, "%s", why);
    struct lw_uniformity *u = lw_find_uniformity(m, &shape);
    ck_assert_ptr_nonnull(u);
    enum lw_doubt doubt = lw_find_doubt(m, u);
    lw_uniformity_free(u);
    lw_model_free(m);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return doubt;
}

START_TEST(doubts)
{
    struct text t = {0};
    text_add(&t, DECLARATIONS "define void @lw.kernel(ptr %%a, ptr %%b, %s %%x) {\ne: %%i = call i64 "
                              "@lw.global_id(i32 0)\n %%p = getelementptr %s, ptr %%a, i64 %%i\n"
                              " %%q = getelementptr %s, ptr %%b, i64 %%i\n %%v = load %s, ptr %%p\n"
                              " store %s %%x, ptr %%q\n ret void\n}\n",
             sizes[_i].stored, sizes[_i].loaded, sizes[_i].stored, sizes[_i].loaded, sizes[_i].stored);
    ck_assert_msg(doubt_of(t.bytes) == (sizes[_i].doubts ? LW_DOUBT : LW_NO_DOUBT), "%s and %s",
                  sizes[_i].loaded, sizes[_i].stored);
    free(t.bytes);
}
END_TEST

/* So many rounds as the kernel is told, and as each lane finds in a buffer. */
START_TEST(lanes_stray)
{
    for (int each = 0; each < 2; each++) {
        struct text t = {0};
        text_add(&t, DECLARATIONS "define void @lw.kernel(ptr %%a, i32 %%n) {\ne: %%i = call i64 "
                                  "@lw.global_id(i32 0)\n %%p = getelementptr i32, ptr %%a, i64 %%i\n"
                                  " %%v = load i32, ptr %%p\n br label %%l\nl: %%k = phi i32 [0, %%e], "
                                  "[%%m, %%l]\n %%m = add i32 %%k, 1\n store i32 %%m, ptr %%p\n"
                                  " %%c = icmp ult i32 %%m, %%%c\n br i1 %%c, label %%l, label %%x\n"
                                  "x: ret void\n}\n",
                 each ? 'v' : 'n');
        ck_assert_int_eq(doubt_of(t.bytes), each ? LW_LANES_STRAY : LW_DOUBT);
        free(t.bytes);
    }
}
END_TEST

/* 40000 blocks in ifs, half of them divergent, with ways out to one far block: no sweep may be quadratic. */
START_TEST(large)
{
    struct text t = {0};
    text_add(&t, "%s",
             DECLARATIONS "define void @lw.kernel(i64 %m) {\ne: %l = call i64 @lw.sub_group_local_id()\n"
                          " br label %a0\n");
    for (unsigned i = 0; i < 10000; i++) {
        char before[16] = "e";
        if (i)
            sprintf(before, "x%u", i - 1);
        text_add(&t, "a%u: %%v%u = phi i64 [%u, %%%s]\n %%c%u = icmp ult i64 %s, %u\n", i, i, i, before, i,
                 i % 2 ? "%l" : "%m", i);
        text_add(&t, " br i1 %%c%u, label %%b%u, label %%x%u\nb%u: %%w%u = add i64 %%v%u, 1\n", i, i, i, i, i,
                 i);
        text_add(&t, " %%d%u = icmp eq i64 %%w%u, %%m\n br i1 %%d%u, label %%k%u, label %%end\n", i, i, i, i);
        text_add(&t, "k%u: br label %%x%u\nx%u: %%y%u = phi i64 [%%v%u, %%a%u], [%%w%u, %%k%u]\n", i, i, i, i,
                 i, i, i, i);
        text_add(&t, i == 9999 ? " br label %%end\n" : " br label %%a%u\n", i + 1);
    }
    text_add(&t, "end: ret void\n}\n");
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, t.bytes);
    const char *why = NULL;
    struct lw_shape shape = {.work_dim = 1, .lanes = 16, .sub_group_size = 16, .isa = 2};
    clock_t start = clock();
    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
    ck_assert_msg(m != NULL, "%s", why);
    struct lw_uniformity *u = lw_find_uniformity(m, &shape);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_ptr_nonnull(u);
    ck_assert_msg(seconds < 2.0, "%g seconds", seconds);
    lw_uniformity_free(u);
    lw_model_free(m);
    free(t.bytes);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

START_TEST(report)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(
        context, "define void @lw.kernel(ptr %p) !dbg !3 {\n store i32 1, ptr %p, !dbg !6\n store i32 2, ptr "
                 "%p, !dbg !5\n"
                 " store i32 3, ptr %p\n ret void\n}\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
                 "!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1)\n!1 = !DIFile(filename: \"a "
                 "\\22b.cl\", directory: \"/\")\n"
                 "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n!3 = distinct !DISubprogram(name: \"k\", "
                 "file: !1, unit: !0, type: !4)\n"
                 "!4 = !DISubroutineType(types: !{})\n!5 = !DILocation(line: 3, scope: !3)\n!6 = "
                 "!DILocation(line: 20, scope: !3)\n");
    LLVMValueRef a =
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "lw.kernel")));
    LLVMValueRef b = LLVMGetNextInstruction(a), c = LLVMGetNextInstruction(b);
    struct lw_report *r = lw_report_create();
    lw_report_note(r, a, "memory", "store: %s", "contiguous");
    lw_report_note(r, b, "memory", "x\ty");
    lw_report_note(r, a, "memory", "store: contiguous");
    lw_report_note(r, c, "loop", "unplaced");
    lw_report_note(NULL, c, "loop", "nowhere");
    lw_report_lanes(r, b, true);
    lw_report_lanes(r, b, true);
    lw_report_lanes(r, c, false);
    lw_report_lanes(NULL, c, true);
    char *json = lw_report_json(r, "k", 16, "avx2");
    ck_assert_str_eq(
        json, "{\"kernel\":\"k\",\"lanes\":16,\"isa\":\"avx2\",\"notes\":["
              "{\"file\":\"\",\"line\":0,\"kind\":\"loop\",\"text\":\"unplaced\",\"count\":1},"
              "{\"file\":\"a \\\"b.cl\",\"line\":3,\"kind\":\"memory\",\"text\":\"x\\u0009y\",\"count\":1},"
              "{\"file\":\"a \\\"b.cl\",\"line\":20,\"kind\":\"memory\",\"text\":\"store: "
              "contiguous\",\"count\":2}],\"lines\":["
              "{\"file\":\"\",\"line\":0,\"kind\":\"scalar\",\"count\":1},"
              "{\"file\":\"a \\\"b.cl\",\"line\":3,\"kind\":\"vector\",\"count\":2}]}");
    free(json);
    lw_report_free(r);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

Suite *
forms_suite(void)
{
    Suite *suite = suite_create("forms");
    TCase *tests = tcase_create("forms");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, forms, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tests, lanes_stray);
    tcase_add_loop_test(tests, doubts, 0, (int)(sizeof sizes / sizeof *sizes));
    tcase_add_test(tests, large);
    tcase_add_test(tests, report);
    suite_add_tcase(suite, tests);
    return suite;
}
