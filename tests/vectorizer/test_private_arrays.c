/* SPDX-License-Identifier: MIT */
/* Layouts of private arrays: byte offsets that loops count up keep the elements whole, others do not. */
#include <check.h>

#include "random_ir.h"
#include "vectorizer/facts/model.h"
#include "vectorizer/facts/private_arrays.h"

/* A loop whose byte offset %o begins at `first` and goes on as `next`; a float is loaded at %at. */
static const char pattern[] = "define void @f(i64 %%n, i1 %%p) {\n"
                              "entry:\n  %%a = alloca [8 x float], align 4\n  br label %%loop\n"
                              "loop:\n  %%o = phi i64 [ %s, %%entry ], [ %%next, %%loop ]\n"
                              "  %s\n  %s\n"
                              "  %%q = getelementptr i8, ptr %%a, i64 %%at\n"
                              "  %%v = load float, ptr %%q, align 4\n  store float %%v, ptr %%a, align 4\n"
                              "  br i1 %%p, label %%loop, label %%end\n"
                              "end:\n  ret void\n}\n";

static const struct {
    const char *first, *next, *at;
    int layout;
} loops[] = {
    {"0", "%next = add i64 %o, 4", "%at = add i64 %o, 0", LW_PRIVATE_LANE_MINOR},
    {"28", "%next = add i64 %o, -4", "%at = sub i64 %o, 8", LW_PRIVATE_LANE_MINOR},
    {"0", "%next = add i64 %o, 4", "%at = mul i64 %o, %n", LW_PRIVATE_LANE_MINOR},
    {"0", "%next = add i64 %o, 1", "%at = shl i64 %o, 2", LW_PRIVATE_LANE_MINOR},
    {"4", "%next = shl i64 %o, 1", "%at = select i1 %p, i64 %o, i64 12", LW_PRIVATE_LANE_MINOR},
    {"0", "%next = add i64 %o, 2", "%at = add i64 %o, 0", LW_PRIVATE_PER_LANE},
    {"2", "%next = add i64 %o, 4", "%at = add i64 %o, 0", LW_PRIVATE_PER_LANE},
    {"0", "%next = add i64 %o, 4", "%at = add i64 %o, 1", LW_PRIVATE_PER_LANE},
    {"0", "%next = add i64 %o, 4", "%at = lshr i64 %o, 1", LW_PRIVATE_PER_LANE},
    {"0", "%next = add i64 %o, %n", "%at = add i64 %o, 0", LW_PRIVATE_PER_LANE},
    {"4", "%next = mul i64 %o, 3", "%at = select i1 %p, i64 %o, i64 %n", LW_PRIVATE_PER_LANE},
    {"1", "%next = shl i64 %o, 2", "%at = add i64 %o, 0", LW_PRIVATE_PER_LANE},
};

START_TEST(byte_offsets)
{
    struct text t = {0};
    text_add(&t, pattern, loops[_i].first, loops[_i].next, loops[_i].at);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, t.bytes);
    free(t.bytes);
    LLVMValueRef f = LLVMGetNamedFunction(module, "f");
    const char *why = NULL;
    struct lw_model *m = lw_model_build(f, &why);
    ck_assert_ptr_nonnull(m);
    struct lw_arena *arena = lw_arena_create();
    struct lw_privates privates = lw_find_private_layouts(arena, m);
    uint32_t a = lw_value_id(m, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    ck_assert_int_eq(privates.arrays[a].layout, loops[_i].layout);
    lw_arena_free(arena);
    lw_model_free(m);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

Suite *
private_arrays_suite(void)
{
    Suite *suite = suite_create("private arrays");
    TCase *cases = tcase_create("private arrays");
    tcase_add_loop_test(cases, byte_offsets, 0, sizeof loops / sizeof *loops);
    suite_add_tcase(suite, cases);
    return suite;
}
