/* SPDX-License-Identifier: MIT */
/* Forms work-group functions of hand-written sub-group functions, runs them and compares with plain C. */
#include <check.h>
#include <inttypes.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "../work_group.h"
#include "../../jit/jit.h"
#include "../../vectorizer/workgroup/workgroup.h"
#include "kernels.h"

#define W 8
#define MOST 1024 /* work-items of a work-group */

static const int64_t input[] = {1, 2, 2, 1, 3, 1, 0, 0};

/* ---- expectations: phase by phase over the work-items ---- */

static void
expect_ids(const struct group *g, int64_t *out)
{
    uint64_t enqueued = g->launch.local_size[0] * g->launch.local_size[1] * g->launch.local_size[2];
    for (uint64_t l = 0; l < g->n; l++) {
        uint64_t x = l % g->size[0], y = l / g->size[0] % g->size[1], z = l / (g->size[0] * g->size[1]);
        uint64_t sg = l / W, count = (g->n + W - 1) / W, rest = g->n - sg * W;
        uint64_t u = count * 11 + (enqueued + W - 1) / W * 13 + (rest < W ? rest : W) * 17;
        u += (g->id[0] * g->launch.local_size[0] + g->launch.global_offset[0]) * 19;
        u += (g->id[1] * g->launch.local_size[1] + g->launch.global_offset[1]) * 23;
        u += g->launch.global_size[0] * 29 + (sg == 0) * 31 + (sg + 1 == count) * 37;
        u += g->launch.work_dim * 41 + g->arg + g->launch.local_size[1] * 43;
        out[l] = (int64_t)(x + 100 * y + 10000 * z + 1000000 * u);
    }
}

static void
expect_reverse(const struct group *g, int64_t *out)
{
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (int64_t)(5 * (g->n - 1 - l) + g->arg);
}

static void
expect_loop(const struct group *g, int64_t *out)
{
    int64_t loc[MOST];
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (int64_t)l;
    for (uint32_t i = 0; i < g->arg; i++) {
        for (uint64_t l = 0; l < g->n; l++)
            loc[l] = out[l] + i;
        for (uint64_t l = 0; l < g->n; l++)
            out[l] = 3 * out[l] + loc[(l + 1) % g->n];
    }
}

static void
expect_flag(const struct group *g, int64_t *out)
{
    int64_t loc[MOST], ones = 0;
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (int64_t)l;
    for (int i = 0; input[i]; i++) {
        memcpy(loc, out, g->n * sizeof *out);
        ones += input[i] == 1;
        for (uint64_t l = 0; l < g->n; l++) {
            bool low = (uint64_t)out[l] < 40;
            out[l] = input[i] == 1 ? out[l] + loc[g->n - 1 - l] : out[l] * 3 + 1;
            out[l] += (low ? 7 : 0) + (input[i] > 1);
        }
    }
    for (uint64_t l = 0; l < g->n; l++)
        out[l] += ones * 1000000007;
}

static void
expect_private(const struct group *g, int64_t *out)
{
    static _Thread_local int64_t arrays[MOST][4];
    int64_t loc[MOST];
    for (uint64_t l = 0; l < g->n; l++)
        for (int i = 0; i < 4; i++)
            arrays[l][i] = (int64_t)l + i;
    for (uint32_t i = 0; i < g->arg; i++) {
        for (uint64_t l = 0; l < g->n; l++)
            loc[l] = arrays[l][i & 3];
        for (uint64_t l = 0; l < g->n; l++)
            arrays[l][i & 3] += 3 * loc[(l + 2) % g->n];
    }
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = arrays[l][0] + arrays[l][1] + arrays[l][3];
}

static void
expect_scratch(const struct group *g, int64_t *out)
{
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (int64_t)(l + 100 * (l / W * W) + 10000 * g->n + 5);
}

static void
expect_split(const struct group *g, int64_t *out)
{
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (int64_t)l + (g->arg != 3 ? 3 : l < W ? 1 : 2);
}

static void
expect_shared(const struct group *g, int64_t *out)
{
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (int64_t)l + 5;
}

static const struct kernel {
    const char *name, *text;
    void (*expect)(const struct group *g, int64_t *out);
} kernels[] = {
    {"ids", ids_kernel, expect_ids},
    {"reverse", reverse_kernel, expect_reverse},
    {"loop", loop_kernel, expect_loop},
    {"flag", flag_kernel, expect_flag},
    {"private", private_kernel, expect_private},
    {"scratch", scratch_kernel, expect_scratch},
    {"split", split_kernel, expect_split},
    {"shared", shared_kernel, expect_shared},
    {"fenced", fenced_kernel, expect_shared},
};
#define KERNEL_COUNT ((int)(sizeof kernels / sizeof kernels[0]))

static const struct range ranges[] = {
    {1, {5, 1, 1}, {1, 1, 1}, {3, 0, 0}},       {1, {10, 1, 1}, {3, 1, 1}, {0, 0, 0}},
    {1, {64, 1, 1}, {64, 1, 1}, {0, 0, 0}},     {1, {200, 1, 1}, {60, 1, 1}, {7, 0, 0}},
    {1, {24, 1, 1}, {8, 1, 1}, {0, 0, 0}},      {2, {17, 11, 1}, {7, 5, 1}, {2, 9, 0}},
    {2, {16, 16, 1}, {8, 4, 1}, {0, 0, 0}},     {3, {9, 8, 11}, {4, 4, 5}, {1, 2, 3}},
    {1, {1024, 1, 1}, {1024, 1, 1}, {0, 0, 0}},
};
#define RANGE_COUNT ((int)(sizeof ranges / sizeof ranges[0]))

/* ---- the pipeline's last part ---- */

static struct lw_kernel_arg arg_table[] = {
    {.info = {.kind = LW_ARG_POINTER, .size = 8}, .offset = 0, .slot = 8},
    {.info = {.kind = LW_ARG_POINTER, .size = 8}, .offset = 8, .slot = 8},
    {.info = {.kind = LW_ARG_LOCAL}, .offset = 16, .slot = 8},
    {.info = {.kind = LW_ARG_VALUE, .size = 8}, .offset = 24, .slot = 8},
    {.info = {.kind = LW_ARG_VALUE, .size = 4}, .offset = 32, .slot = 4},
};
static const struct lw_kernel_desc desc = {
    .name = "test", .args = arg_table, .arg_count = 5, .arg_bytes = 36};

struct built {
    lw_group_function *run;
    struct lw_frame frame;
    void *tracker;
    uint32_t sub_group_bytes;
};

static LLVMModuleRef
parse(LLVMContextRef context, const char *text)
{
    LLVMModuleRef module = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "kernel");
    if (LLVMParseIRInContext2(context, buffer, &module, &message))
        ck_abort_msg("%s", message);
    LLVMDisposeMemoryBuffer(buffer); /* still ours after LLVMParseIRInContext2 */
    return module;
}

static void
check_module(LLVMModuleRef module)
{
    char *message = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        ck_abort_msg("%s\n%s", message, LLVMPrintModuleToString(module));
    LLVMDisposeMessage(message);
}

static struct built
build(const char *text, const struct lw_shape *shape, bool clean)
{
    static atomic_int number;
    struct built built = {0};
    lw_error error = {0};
    char symbol[32], *message = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, text);
    LLVMTargetMachineRef machine = lw_target_create((lw_isa)shape->isa, shape->local_size[0] == 0, &error);
    LLVMMemoryBufferRef object = NULL;

    lw_target_set(module, machine);
    lw_mark_subgroup_calls(module);
    if (clean)
        ck_assert_msg(lw_optimize(module, machine, LW_CLEAN_SUBGROUP, &error), "%s", error.text);
    ck_assert_msg(lw_form_workgroup(module, &desc, shape, &built.frame, &error), "%s", error.text);
    check_module(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        ck_assert_msg(strncmp(LLVMGetValueName(f), "lw.", 3) != 0, "%s is left", LLVMGetValueName(f));
    lw_target_attributes(module, machine, (lw_isa)shape->isa);
    ck_assert(lw_optimize(module, machine, shape->local_size[0] ? LW_OPTIMIZE_SPECIAL : LW_OPTIMIZE_MASKED,
                          &error));
    check_module(module);
    snprintf(symbol, sizeof symbol, "lw_run.%d", number++);
    LLVMSetValueName2(LLVMGetNamedFunction(module, "lw_run"), symbol, strlen(symbol));
    ck_assert(!LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object));
    built.run = (lw_group_function *)(uintptr_t)lw_jit_add(lw_jit_get(&error), object, symbol, &built.tracker,
                                                           &error);
    ck_assert_msg(built.run != NULL, "%s", error.text);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return built;
}

/* ---- running ---- */

#define STRIDE (MOST + 16) /* results, and a guard after them */
#define GUARD INT64_C(0x5a5a5a5a5a5a5a5a)

struct args {
    int64_t *out;
    const int64_t *in;
    uint64_t local_offset, stride;
    uint32_t k;
};

static void
compare(const struct kernel *kernel, const struct group *g, const int64_t *got, const char *what)
{
    static _Thread_local int64_t want[MOST];
    kernel->expect(g, want);
    for (uint64_t l = 0; l < STRIDE; l++) {
        int64_t expected = l < g->n ? want[l] : GUARD;
        if (got[l] != expected)
            ck_abort_msg("%s, %s: group %" PRIu64 " of %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", item %" PRIu64
                         ": %" PRId64 " instead of %" PRId64,
                         kernel->name, what, g->linear, g->size[0], g->size[1], g->size[2], l, got[l],
                         expected);
    }
}

/* All work-groups in one run where the code takes any size, else the full ones, one by one. */
static void
run_range(const struct kernel *kernel, const struct built *b, const struct range *r, bool fixed,
          const char *what)
{
    struct group g = {.arg = kernel->expect == expect_split && r->dims != 2 ? 3 : 5};
    set_group(&g, r, 0);
    uint64_t groups = g.launch.num_groups[0] * g.launch.num_groups[1] * g.launch.num_groups[2];
    uint64_t items = r->local[0] * r->local[1] * r->local[2], sub_groups = (items + W - 1) / W;
    size_t frame_bytes = (b->frame.fixed + sub_groups * b->frame.per_sub_group + 255) / 128 * 128;
    int64_t *out = malloc(groups * STRIDE * sizeof *out);
    char *frame = aligned_alloc(128, frame_bytes + 128),
         *local = aligned_alloc(128, (MOST + 32) * sizeof *out);
    struct args args = {out, input, 128, STRIDE, g.arg};

    for (uint64_t k = 0; k < groups * STRIDE; k++)
        out[k] = GUARD;
    memset(frame, 0xee, frame_bytes + 128);
    if (!fixed) {
        uint64_t first = groups / 2; /* in two runs */
        b->run(&g.launch, &args, 0, first, local, frame);
        b->run(&g.launch, &args, first, groups - first, local, frame);
        b->run(&g.launch, &args, 0, 0, local, frame);
    }
    for (uint64_t k = 0; k < groups; k++) {
        set_group(&g, r, k);
        if (fixed && g.n != items)
            continue;
        if (fixed)
            b->run(&g.launch, &args, k, 1, local, frame);
        compare(kernel, &g, out + k * STRIDE, what);
    }
    for (size_t k = b->frame.fixed + sub_groups * b->frame.per_sub_group; k < frame_bytes + 128; k++)
        ck_assert_msg((unsigned char)frame[k] == 0xee, "%s, %s: wrote past the frame", kernel->name, what);
    free(local);
    free(frame);
    free(out);
}

static struct lw_shape
shape_for(lw_isa isa, const struct range *r, bool fixed)
{
    struct lw_shape s = {.work_dim = r->dims, .lanes = W, .sub_group_size = W, .isa = isa};
    for (int d = 0; d < 3 && fixed; d++)
        s.local_size[d] = (uint32_t)r->local[d];
    s.offset_zero = fixed && !r->offset[0] && !r->offset[1] && !r->offset[2];
    return s;
}

static void
test_level(const struct kernel *kernel, lw_isa isa)
{
    struct lw_jit *jit = lw_jit_get(&(lw_error){0});

    if (!lw_target_runs(isa)) {
        fprintf(stderr, "not run: level %d is above this machine\n", (int)isa);
        return;
    }
    for (int clean = 0; clean < 2; clean++) {
        for (uint32_t dims = 1; dims <= 3; dims++) {
            struct lw_shape any = shape_for(isa, &(struct range){.dims = dims}, false);
            struct built b = build(kernel->text, &any, clean);
            for (int r = 0; r < RANGE_COUNT; r++)
                if (ranges[r].dims == dims)
                    run_range(kernel, &b, &ranges[r], false, clean ? "any size, clean" : "any size");
            lw_jit_remove(jit, b.tracker);
        }
    }
    for (int r = 0; r < RANGE_COUNT; r++) {
        struct lw_shape fixed = shape_for(isa, &ranges[r], true);
        struct built b = build(kernel->text, &fixed, r & 1);
        run_range(kernel, &b, &ranges[r], true, "fixed size");
        lw_jit_remove(jit, b.tracker);
    }
}

START_TEST(sse42)
{
    test_level(&kernels[_i], LW_ISA_SSE42);
}
END_TEST

START_TEST(avx2)
{
    test_level(&kernels[_i], LW_ISA_AVX2);
}
END_TEST

START_TEST(avx512)
{
    test_level(&kernels[_i], LW_ISA_AVX512);
}
END_TEST

/* What crosses barriers and what does not, as the frame's size tells. */
START_TEST(frames)
{
    const struct range *r = &ranges[2];
    struct lw_shape fixed = shape_for(LW_ISA_SSE42, r, true), one = fixed, many = fixed;

    struct built short_loop = build(loop_kernel, &fixed, true);
    ck_assert_uint_eq(short_loop.frame.per_sub_group, 0); /* each sub-group written out: variables */
    many.local_size[0] = 50 * W;
    many.local_size[1] = many.local_size[2] = 1;
    struct built loop = build(loop_kernel, &many, true);
    ck_assert_uint_eq(loop.frame.per_sub_group, 64); /* acc; the counter and the ids take nothing */
    ck_assert_uint_eq(loop.frame.fixed, 0);
    struct built shared = build(shared_kernel, &many, true), fenced = build(fenced_kernel, &many, true);
    ck_assert_uint_eq(shared.frame.per_sub_group, 0);
    ck_assert_uint_eq(fenced.frame.per_sub_group, 64);
    struct built array = build(private_kernel, &fixed, true);
    ck_assert_uint_ge(array.frame.per_sub_group, 4 * 64);
    ck_assert_uint_eq(array.frame.fixed, 400 * 64);
    one.local_size[0] = W;
    struct built alone = build(loop_kernel, &one, true); /* barriers are free */
    ck_assert_uint_eq(alone.frame.per_sub_group, 0);
}
END_TEST

/* A chain of `count` loops with barriers: the code must grow with it, not with its square. */
static size_t
chained_size(int count)
{
    size_t room = 4096 + (size_t)count * 512, n;
    char *text = malloc(room);
    struct lw_shape any = shape_for(LW_ISA_SSE42, &ranges[2], false);
    struct lw_frame frame;
    lw_error error;

    n = (size_t)snprintf(text, room, "%sbr label %%h0\n", BEGIN);
    for (int i = 0; i < count; i++) {
        char from[16] = "entry";
        if (i)
            snprintf(from, sizeof from, "h%d", i - 1);
        n += (size_t)snprintf(
            text + n, room - n,
            "h%d:\n%%i%d = phi i32 [0, %%%s], [%%j%d, %%b%d]\n%%c%d = icmp ult i32 %%i%d, %%k\n"
            "br i1 %%c%d, label %%b%d, label %%h%d\nb%d:\n" BARRIER
            "%%j%d = add i32 %%i%d, 1\nbr label %%h%d\n",
            i, i, from, i, i, i, i, i, i, i + 1, i, i, i, i);
    }
    snprintf(text + n, room - n, "h%d:\n%s", count, END("%lin"));
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, text);
    ck_assert(lw_form_workgroup(module, &desc, &any, &frame, &error));
    check_module(module);
    n = 0;
    LLVMValueRef run = LLVMGetNamedFunction(module, "lw_run");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(run); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n++;
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    free(text);
    return n;
}

START_TEST(linear)
{
    size_t small = chained_size(50), large = chained_size(500);
    ck_assert_msg(large < 11 * small, "%zu instructions for 50 barriers, %zu for 500", small, large);
}
END_TEST

/* Compiles, runs and removes, while others do the same. */
static void *
work(void *data)
{
    struct lw_jit *jit = lw_jit_get(&(lw_error){0});

    for (int i = 0; i < KERNEL_COUNT; i++) {
        int k = (i + *(int *)data) % KERNEL_COUNT, r = i % RANGE_COUNT;
        struct lw_shape fixed = shape_for(LW_ISA_SSE42, &ranges[r], true);
        struct built b = build(kernels[k].text, &fixed, true);
        run_range(&kernels[k], &b, &ranges[r], true, "in threads");
        lw_jit_remove(jit, b.tracker);
    }
    return NULL;
}

START_TEST(threads)
{
    pthread_t thread[4];
    int numbers[4] = {0, 1, 2, 3};

    for (int t = 0; t < 4; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &numbers[t]), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
}
END_TEST

static void
expect_failure(const char *text, const char *part)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, text);
    struct lw_shape any = shape_for(LW_ISA_SSE42, &ranges[2], false);
    struct lw_frame frame;
    lw_error error = {0};

    ck_assert(!lw_form_workgroup(module, &desc, &any, &frame, &error));
    ck_assert_msg(strstr(error.text, part) != NULL, "%s", error.text);
    ck_assert_ptr_null(LLVMGetNamedFunction(module, "lw_run"));
    check_module(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

START_TEST(failures)
{
    expect_failure("define void @other() {\nret void\n}\n", "no sub-group function");
    expect_failure("define void @lw.subgroup() {\nret void\n}\n", "0 parameters for 5 arguments");
    expect_failure("declare void @lw.sg.barrier()\n" BEGIN "call void @lw.sg.barrier()\n" END("%lin"),
                   "lw.sg.barrier is left");
    expect_failure(BEGIN "%x = alloca i64, i64 %n\nstore volatile i64 0, ptr %x\n" END("%lin"),
                   "variable size");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("workgroup");
    TCase *run = tcase_create("run"), *plan = tcase_create("plan");

    tcase_add_loop_test(run, sse42, 0, KERNEL_COUNT);
    tcase_add_loop_test(run, avx2, 0, KERNEL_COUNT);
    tcase_add_loop_test(run, avx512, 0, KERNEL_COUNT);
    tcase_set_timeout(run, 120);
    tcase_add_test(plan, frames);
    tcase_add_test(plan, linear);
    tcase_add_test(plan, failures);
    tcase_add_test(plan, threads);
    tcase_set_timeout(plan, 120);
    suite_add_tcase(suite, run);
    suite_add_tcase(suite, plan);
    return run_suite(suite);
}
