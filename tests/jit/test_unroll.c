/* SPDX-License-Identifier: MIT */
/* Loops over private arrays: written out where that fits, in the kernel as a whole, and left alone where it
 * does not. The kernels are made as text; a volatile store in the innermost loop tells how often it was
 * written.
 */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "ir.h"
#include "jit/jit.h"

struct text {
    char *at, all[1 << 16];
};

static void __attribute__((format(printf, 2, 3))) put(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->at += vsnprintf(t->at, (size_t)(t->all + sizeof t->all - t->at), format, args);
    va_end(args);
    ck_assert(t->at < t->all + sizeof t->all - 1);
}

/* What a round does, and how the loop is closed. */
enum shape { STRAIGHT, BRANCHES, BARRIER, TRIANGLE };

/* Loops of `rounds` each, `depth` within each other, number `id`; from block e<id> to block e<id + 1>. */
static void
put_nest(struct text *t, enum shape shape, unsigned id, unsigned depth, unsigned rounds)
{
    put(t, "  br label %%h%u_0\n", id);
    for (unsigned k = 0; k < depth; k++) {
        bool from_outer = k > 0 && shape == TRIANGLE;
        char first[32] = "0", before[32];
        if (from_outer)
            snprintf(first, sizeof first, "%%n%u_%u", id, k - 1);
        snprintf(before, sizeof before, k ? "%%h%u_%u" : "%%e%u", id, k - 1);
        put(t, "h%u_%u:\n  %%i%u_%u = phi i32 [ %s, %s ], [ %%n%u_%u, %%l%u_%u ]\n", id, k, id, k, first,
            before, id, k, id, k);
        put(t, "  %%n%u_%u = add i32 %%i%u_%u, 1\n", id, k, id, k);
        if (k + 1 < depth)
            put(t, "  br label %%h%u_%u\n", id, k + 1);
    }
    unsigned in = depth - 1;
    put(t, "  %%p%u = getelementptr i32, ptr %%a, i32 %%i%u_%u\n  %%v%u = load i32, ptr %%p%u\n", id, id, in,
        id, id);
    put(t,
        "  %%s%u = add i32 %%v%u, %%x\n  store i32 %%s%u, ptr %%p%u\n  store volatile i32 %%s%u, ptr %%g\n",
        id, id, id, id, id);
    if (shape == BRANCHES)
        put(t,
            "  %%c%u = icmp eq i32 %%v%u, 3\n  br i1 %%c%u, label %%y%u, label %%z%u\ny%u:\n"
            "  store i32 %%x, ptr %%p%u\n  br label %%z%u\nz%u:\n",
            id, id, id, id, id, id, id, id, id);
    if (shape == BARRIER)
        put(t, "  call void @lw.barrier()\n");
    for (unsigned k = depth; k-- > 0;) {
        put(t, "  br label %%l%u_%u\nl%u_%u:\n", id, k, id, k);
        put(t, "  %%d%u_%u = icmp ult i32 %%n%u_%u, %u\n", id, k, id, k, rounds);
        put(t, "  br i1 %%d%u_%u, label %%h%u_%u, label %%x%u_%u\nx%u_%u:\n", id, k, id, k, id, k, id, k);
    }
    put(t, "  br label %%e%u\ne%u:\n", id + 1, id + 1);
}

/* How many volatile stores are left behind unrolling. */
static unsigned
count_stores(const struct text *t)
{
    LLVMContextRef context = LLVMContextCreate();
    uint32_t room = LW_MOST_WRITTEN_OUT;
    LLVMModuleRef module = parse_ir(context, t->all);
    lw_error error = {0};
    char *message = NULL;
    unsigned stores = 0;

    ck_assert(lw_optimize(module, NULL, LW_CLEAN_SSA, &error));
    lw_unroll_collectives(module, &room);
    ck_assert(room <= LW_MOST_WRITTEN_OUT);
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    ck_assert(lw_optimize(module, NULL, LW_CLEAN_ROUNDS, &error));
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            stores += LLVMIsAStoreInst(i) && LLVMGetVolatile(i);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return stores;
}

static unsigned
count_written(enum shape shape, unsigned nests, unsigned depth, unsigned rounds)
{
    static struct text t;

    t.at = t.all;
    put(&t,
        "declare void @lw.barrier() convergent noduplicate\n"
        "define i32 @lw.kernel(i32 %%x, i32 %%y, ptr addrspace(1) %%out, ptr %%g) {\n"
        "  %%a = alloca [%u x i32]\n  %%w = getelementptr i32, ptr %%a, i32 %%y\n"
        "  store i32 %%x, ptr %%w\n  br label %%e0\ne0:\n",
        shape == TRIANGLE ? rounds + depth : rounds);
    for (unsigned k = 0; k < nests; k++)
        put_nest(&t, shape, k, depth, rounds);
    put(&t, "  %%q = getelementptr i32, ptr %%a, i32 %%y\n  %%r = load i32, ptr %%q\n  ret i32 %%r\n}\n");
    return count_stores(&t);
}

/* for (i = 0; i < 8; i++) for (j = i + 1; j < 8; j++), in which something is loaded at `from` and stored at
 * `to`, in a row of memory that `whose` tells. As front ends leave it: the last i passes by. */
enum { ROUNDS = 28, STORES = 21 };

static unsigned
count_rows(const char *whose, const char *from, const char *to)
{
    static struct text t;

    t.at = t.all;
    put(&t,
        "declare i64 @lw.global_id(i32) nounwind willreturn memory(none)\n"
        "define void @lw.kernel(ptr addrspace(1) %%out, ptr %%g, i64 %%n) {\n"
        "  %%id = call i64 @lw.global_id(i32 0)\n  %%begin = mul i64 %s, 100\n"
        "  %%row = getelementptr i32, ptr addrspace(1) %%out, i64 %%begin\n  br label %%h\n"
        "h:\n  %%i = phi i64 [ 0, %%0 ], [ %%i1, %%l ]\n  %%first = add i64 %%i, 1\n"
        "  %%some = icmp ult i64 %%i, 7\n  br i1 %%some, label %%p, label %%l\n"
        "p:\n  br label %%b\n"
        "b:\n  %%j = phi i64 [ %%first, %%p ], [ %%j1, %%b ]\n  %%k = sub i64 100, %%j\n"
        "  %%from = getelementptr i32, ptr addrspace(1) %%row, i64 %s\n"
        "  %%to = getelementptr i32, ptr addrspace(1) %%row, i64 %s\n"
        "  %%v = load i32, ptr addrspace(1) %%from\n  %%w = mul i32 %%v, 3\n"
        "  store i32 %%w, ptr addrspace(1) %%to\n",
        whose, from, to);
    for (unsigned k = 0; k < STORES; k++) /* more than LLVM unrolls by itself */
        put(&t, "  store volatile i64 %%j, ptr %%g\n");
    put(&t, "  %%j1 = add i64 %%j, 1\n  %%end = icmp eq i64 %%j1, 8\n  br i1 %%end, label %%l, label %%b\n"
            "l:\n  %%i1 = add i64 %%i, 1\n  %%again = icmp ult i64 %%i1, 8\n"
            "  br i1 %%again, label %%h, label %%x\nx:\n  ret void\n}\n");
    return count_stores(&t);
}

START_TEST(rows_that_are_revisited)
{
    ck_assert_uint_eq(count_rows("%id", "%j", "%i"), ROUNDS * STORES);
    ck_assert_uint_eq(count_rows("%id", "%k", "%j"), ROUNDS * STORES);
    /* of all work-items; each element once */
    ck_assert_uint_lt(count_rows("%n", "%j", "%i"), ROUNDS * STORES);
    ck_assert_uint_lt(count_rows("%id", "%k", "%k"), ROUNDS * STORES);
}
END_TEST

START_TEST(what_fits)
{
    for (enum shape s = STRAIGHT; s <= BARRIER; s++) {
        ck_assert_uint_eq(count_written(s, 1, 1, 100), 100);
        ck_assert_uint_eq(count_written(s, 1, 2, 12), 144);
        ck_assert_uint_eq(count_written(s, 3, 1, 60), 180);
    }
    unsigned stores = 0;
    for (unsigned i = 0; i < 20; i++) {
        unsigned j = i + 1;
        do
            stores++;
        while (++j < 20);
    }
    ck_assert_uint_eq(count_written(TRIANGLE, 1, 2, 20), stores);
}
END_TEST

START_TEST(too_many_rounds)
{
    for (enum shape s = STRAIGHT; s <= BARRIER; s++) {
        ck_assert_uint_eq(count_written(s, 1, 1, 4096), 1);
        ck_assert_uint_eq(count_written(s, 1, 1, 100000), 1);
    }
}
END_TEST

/* Each loop fits, all of them do not. */
START_TEST(too_many_in_all)
{
    for (enum shape s = STRAIGHT; s <= TRIANGLE; s++) {
        for (unsigned depth = 2; depth <= 4; depth++)
            ck_assert_uint_le(count_written(s, 1, depth, 60), 600);
        unsigned written = count_written(s, 60, 1, 60);
        ck_assert_uint_ge(written, 200);
        ck_assert_uint_le(written, LW_MOST_WRITTEN_OUT / 4);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("unroll");
    TCase *cases = tcase_create("unroll");

    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, what_fits);
    tcase_add_test(cases, rows_that_are_revisited);
    tcase_add_test(cases, too_many_rounds);
    tcase_add_test(cases, too_many_in_all);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
