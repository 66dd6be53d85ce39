/* SPDX-License-Identifier: MIT */
/* Passes behind LLVM's last one that folds, on LLVM IR: that they do what they are for, and keep their hands
 * off the rest. */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <string.h>

#include "../run_suite.h"
#include "ir.h"
#include "jit/jit.h"
#include "vectorizer/lanes/lanes.h"
#include "vectorizer/workgroup/spaces.h"

/* It is valid, and gone. */
static void
verify_and_dispose(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    char *message = NULL;

    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

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
    LLVMModuleRef module = parse_ir(context, text);
    unsigned nnan = 0, found = 0;

    lw_settle_min_max(module, isa, soon);
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
    verify_and_dispose(module);
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
    LLVMModuleRef module = parse_ir(context, text);
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "f"));
    lw_mark_spaces(module, false);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if ((LLVMIsALoadInst(i) && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) == 0) ||
            (LLVMIsAStoreInst(i) && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 1))) == 0))
            lw_mark_slot(i);
    lw_settle_slots(module);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); !LLVMIsALoadInst(i); i = LLVMGetNextInstruction(i))
        stores += LLVMIsAStoreInst(i) != NULL;
    if (stores)
        ck_assert_uint_eq(count_opcode(module, LLVMLoad), 2);
    verify_and_dispose(module);
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
    LLVMModuleRef module = parse_ir(context, text);
    lw_part_wide_stores(module, isa);
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
    verify_and_dispose(module);
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
    LLVMModuleRef module = parse_ir(context, text);
    lw_load_halves_alone(module, isa);
    unsigned found = count_opcode(module, LLVMZExt);
    verify_and_dispose(module);
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

/* How many lines a round of `length` more instructions asks for, that loads `type` at `index`; the counter
 * goes on by `step`. */
static unsigned
lines_asked_for(const char *type, const char *space, const char *step, const char *index, unsigned length)
{
    static char text[40000];
    LLVMContextRef context = LLVMContextCreate();
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "define i32 @lw_run(ptr addrspace(%s) %%p, i64 %%n, i64 %%end) {\nentry:\n"
                                 "  br label %%loop\nloop:\n"
                                 "  %%i = phi i64 [ 5, %%entry ], [ %%next, %%loop ]\n"
                                 "  %%s = phi i32 [ 0, %%entry ], [ %%s%u, %%loop ]\n  %%j = %s\n"
                                 "  %%q = getelementptr i32, ptr addrspace(%s) %%p, i64 %%j\n"
                                 "  %%x = load %s, ptr addrspace(%s) %%q\n  %%s0 = add i32 %%s, 1\n",
                                 space, length, index, space, type, space);
    for (unsigned k = 0; k < length; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "  %%s%u = mul i32 %%s%u, %%s\n", k + 1, k);
    snprintf(text + at, sizeof text - at,
             "  %%next = add i64 %%i, %s\n  %%more = icmp slt i64 %%next, %%end\n"
             "  br i1 %%more, label %%loop, label %%out\nout:\n  ret i32 %%s\n}\n",
             step);
    LLVMModuleRef module = parse_ir(context, text);
    ck_assert(lw_ask_ahead(module, LW_ISA_AVX512));
    unsigned found = count_opcode(module, LLVMCall);
    verify_and_dispose(module);
    return found;
}

START_TEST(loads_that_go_far)
{
    static const char same[] = "or i64 %i, 0", column[] = "mul i64 %i, %n", two[] = "shl i64 %i, 1";

    ck_assert_uint_eq(lines_asked_for("i32", "1", "%n", same, 50), 1);
    ck_assert_uint_eq(lines_asked_for("i32", "2", "1", column, 50), 1);
    ck_assert_uint_eq(lines_asked_for("<32 x i32>", "1", "%n", same, 50), 2);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "512", same, 50), 1);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "256", two, 50), 1);
    /* Near; in local memory; not at once to be seen where; few and many other instructions; many lines. */
    ck_assert_uint_eq(lines_asked_for("i32", "1", "256", same, 50), 0);
    ck_assert_uint_eq(lines_asked_for("i32", "3", "%n", same, 50), 0);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "%n", "xor i64 %i, %n", 50), 0);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "%n", "mul i64 %i, %i", 50), 0);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "%n", "mul i64 %n, 3", 50), 0);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "%n", same, 5), 0);
    ck_assert_uint_eq(lines_asked_for("i32", "1", "%n", same, 600), 0);
    ck_assert_uint_eq(lines_asked_for("<256 x i32>", "1", "%n", same, 50), 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("late");
    TCase *networks = tcase_create("networks");
    tcase_add_test(networks, networks_twice);
    suite_add_tcase(suite, networks);
    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, lanes_of_slots);
    tcase_add_test(memory, stores_of_several_registers);
    tcase_add_test(memory, halves_that_are_loaded);
    tcase_add_test(memory, loads_that_go_far);
    suite_add_tcase(suite, memory);
    return run_suite(suite);
}
