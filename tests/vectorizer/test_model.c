/* SPDX-License-Identifier: MIT */
/* The model against brute force: dominators by removal of a block, loops by reachability, on random
 * functions. */
#include <check.h>
#include <time.h>

#include "random_ir.h"
#include "vectorizer/facts/model.h"
#include "vectorizer/flow/webs.h"

#define MAX 160

/* A function of `n` blocks with random branches, one of them sometimes the return. */
static LLVMModuleRef
random_function(LLVMContextRef context, uint64_t *seed, uint32_t n, uint32_t distance)
{
    struct text t = {0};
    text_add(&t, "define void @f(i1 %%p, i32 %%q) {\nentry:\n  br label %%b0\n");
    for (uint32_t b = 0; b < n; b++) {
        uint32_t low = b > distance / 3 ? b - distance / 3 : 0, kind = random_below(seed, 6);
        uint32_t to[2];
        for (int k = 0; k < 2; k++) {
            to[k] = low + random_below(seed, distance + 1);
            to[k] = to[k] >= n ? n - 1 : to[k];
        }
        text_add(&t, "b%u:\n  %%v%u = add i32 %%q, %u\n", b, b, b);
        if (b == n - 1)
            text_add(&t, "  ret void\n");
        else if (kind == 0)
            text_add(&t, "  br label %%b%u\n", to[0]);
        else
            text_add(&t, "  br i1 %%p, label %%b%u, label %%b%u\n", kind < 3 ? b + 1 : to[0], to[1]);
    }
    text_add(&t, "}\n");
    LLVMModuleRef module = parse_ir(context, t.bytes);
    free(t.bytes);
    return module;
}

/* Blocks reached from `from` without entering `removed`; `back`: against the edges. */
static void
reach(const struct lw_model *m, uint32_t from, uint32_t removed, int back, char *seen)
{
    uint32_t stack[MAX], depth = 0;
    memset(seen, 0, MAX);
    if (from == removed)
        return;
    seen[from] = 1;
    stack[depth++] = from;
    while (depth) {
        const struct lw_vblock *b = &m->blocks[stack[--depth]];
        uint32_t count = back ? b->pred_count : b->succ_count;
        const uint32_t *to = back ? b->preds : b->succs;
        for (uint32_t k = 0; k < count; k++)
            if (to[k] != removed && !seen[to[k]]) {
                seen[to[k]] = 1;
                stack[depth++] = to[k];
            }
    }
}

static void
check_edges(const struct lw_model *m)
{
    for (uint32_t b = 0; b < m->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(m->blocks[b].ref);
        ck_assert_uint_eq(lw_block_id(m, m->blocks[b].ref), b);
        ck_assert_uint_eq(m->blocks[b].succ_count, LLVMGetNumSuccessors(end));
        for (uint32_t k = 0; k < m->blocks[b].succ_count; k++) {
            uint32_t to = m->blocks[b].succs[k], found = 0;
            ck_assert_ptr_eq(m->blocks[to].ref, LLVMGetSuccessor(end, k));
            for (uint32_t j = 0; j < m->blocks[to].pred_count; j++)
                found += m->blocks[to].preds[j] == b;
            ck_assert_uint_eq(found, 1);
            if (to <= b) { /* a back edge */
                uint32_t l = m->blocks[to].loop;
                ck_assert_uint_ne(l, LW_NONE);
                ck_assert_uint_eq(m->loops[l].header, to);
                ck_assert_uint_eq(m->loops[l].latch, b);
            }
        }
    }
}

static void
check_dominators(const struct lw_model *m)
{
    char seen[MAX];
    for (uint32_t a = 0; a < m->block_count; a++) {
        reach(m, 0, a, 0, seen);
        for (uint32_t b = 0; b < m->block_count; b++) {
            int dominates = a == b || !seen[b];
            uint32_t loop = m->blocks[a].loop;
            ck_assert_int_eq(lw_dominates(m, a, b), dominates);
            if (dominates && a != b)
                ck_assert(lw_dominates(m, a, m->blocks[b].idom));
            if (loop == LW_NONE || lw_loop_contains(m, loop, b)) /* contiguous inside the loop */
                ck_assert_int_eq(a <= b && b < m->blocks[a].dom_end, dominates);
        }
        if (a) {
            ck_assert_uint_ne(m->blocks[a].idom, a);
            ck_assert(lw_dominates(m, m->blocks[a].idom, a));
        }
    }
    ck_assert_uint_eq(m->blocks[0].idom, LW_NONE);
}

static void
check_postdominators(const struct lw_model *m)
{
    char seen[MAX];
    uint32_t end = LW_NONE;
    for (uint32_t b = 0; b < m->block_count; b++)
        if (m->blocks[b].succ_count == 0)
            end = b;
    if (end == LW_NONE)
        return;
    reach(m, end, LW_NONE, 1, seen);
    for (uint32_t b = 0; b < m->block_count; b++)
        if (!seen[b])
            return; /* a loop that never ends: where it leads is our own convention */
    for (uint32_t a = 0; a < m->block_count; a++) {
        reach(m, end, a, 1, seen);
        for (uint32_t b = 0; b < m->block_count; b++) {
            int after = a == b || !seen[b];
            ck_assert_int_eq(lw_postdominates(m, a, b), after);
            if (after && a != b)
                ck_assert(m->blocks[b].ipdom != LW_NONE && lw_postdominates(m, a, m->blocks[b].ipdom));
        }
    }
    ck_assert_uint_eq(m->blocks[end].ipdom, LW_NONE);
}

static void
check_loops(const struct lw_model *m)
{
    uint32_t inner[MAX], size[MAX], loops = 0, exits = 0;
    char seen[MAX];
    for (uint32_t b = 0; b < m->block_count; b++)
        inner[b] = LW_NONE;
    for (uint32_t b = 0; b < m->block_count; b++)
        for (uint32_t k = 0; k < m->blocks[b].succ_count; k++) {
            uint32_t header = m->blocks[b].succs[k], count = 0;
            if (header > b || (k && header == m->blocks[b].succs[0]))
                continue;
            loops++;
            uint32_t l = m->blocks[header].loop;
            reach(m, b, header, 1, seen);
            seen[header] = 1;
            for (uint32_t c = 0; c < m->block_count; c++) {
                ck_assert_int_eq(lw_loop_contains(m, l, c), seen[c]);
                count += seen[c];
            }
            for (uint32_t c = 0; c < m->block_count; c++)
                if (seen[c] && (inner[c] == LW_NONE || count < size[inner[c]]))
                    inner[c] = l;
            size[l] = count;
            uint32_t pre = m->loops[l].preheader;
            ck_assert(!seen[pre]);
            ck_assert_uint_eq(m->blocks[pre].succ_count, 1);
            ck_assert_uint_eq(m->blocks[pre].succs[0], header);
            exits = 0;
            for (uint32_t c = 0; c < m->block_count; c++)
                for (uint32_t j = 0; j < m->blocks[c].succ_count; j++)
                    exits += seen[c] && !seen[m->blocks[c].succs[j]] &&
                             !(j && m->blocks[c].succs[j] == m->blocks[c].succs[0]);
            ck_assert_uint_eq(m->loops[l].exit_count, exits);
            for (uint32_t e = 0; e < exits; e++)
                ck_assert(seen[m->loops[l].exit_edges[2 * e]] && !seen[m->loops[l].exit_edges[2 * e + 1]]);
        }
    ck_assert_uint_eq(loops, m->loop_count);
    for (uint32_t b = 0; b < m->block_count; b++)
        ck_assert_uint_eq(m->blocks[b].loop, inner[b]);
    for (uint32_t l = 0; l < m->loop_count; l++) {
        uint32_t up = m->loops[l].parent;
        ck_assert(up == LW_NONE || up < l);
        ck_assert_uint_eq(m->loops[l].depth, up == LW_NONE ? 1 : m->loops[up].depth + 1);
        if (up != LW_NONE)
            ck_assert(lw_loop_contains(m, up, m->loops[l].header));
    }
}

static void
check_values(const struct lw_model *m)
{
    uint32_t at = m->param_count;
    for (uint32_t v = 0; v < m->value_count; v++)
        ck_assert_uint_eq(lw_value_id(m, m->values[v]), v);
    for (uint32_t b = 0; b < m->block_count; b++) {
        ck_assert_uint_eq(m->blocks[b].first_value, at);
        at = m->blocks[b].value_end;
        ck_assert_uint_eq(lw_value_id(m, LLVMBasicBlockAsValue(m->blocks[b].ref)), LW_NONE);
    }
    ck_assert_uint_eq(at, m->value_count);
    ck_assert_uint_eq(
        lw_value_id(m,
                    LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(m->function))), 5, 0)),
        LW_NONE);
}

START_TEST(random_functions)
{
    unsigned with_loops = 0, deep = 0;
    for (uint32_t round = 0; round < 400; round++) {
        uint64_t seed = round * 7919 + 1;
        LLVMContextRef context = LLVMContextCreate();
        uint32_t n = 2 + random_below(&seed, 26);
        LLVMModuleRef module = random_function(context, &seed, n, 3 + random_below(&seed, 10));
        const char *why = "";
        run_passes(module, "function(loop-simplify,reg2mem)");
        ck_assert(lw_flatten_webs(LLVMGetNamedFunction(module, "f")));
        run_passes(module, "function(lower-switch,loop-simplify)");
        struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "f"), &why);
        ck_assert_msg(m != NULL, "round %u: %s", round, why);
        if (m->block_count < MAX) {
            check_edges(m);
            check_dominators(m);
            check_postdominators(m);
            check_loops(m);
            check_values(m);
            with_loops += m->loop_count > 0;
            for (uint32_t l = 0; l < m->loop_count; l++)
                deep += m->loops[l].depth > 2;
        }
        lw_model_free(m);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
    ck_assert_uint_gt(with_loops, 100); /* the generator makes what is to be tested */
    ck_assert_uint_gt(deep, 20);
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *ir, *why;
    } cases[] = {
        {"define void @f(i1 %p) {\ne: br i1 %p, label %a, label %b\na: br label %b\nb: br label %a\n}",
         "irreducible control flow"},
        {"define void @f(i1 %p) {\ne: br i1 %p, label %a, label %b\na: ret void\nb: ret void\n}",
         "several returns"},
        {"define void @f(i1 %p) {\ne: br label %h\nh: br i1 %p, label %a, label %b\na: br label %h\n"
         "b: br i1 %p, label %h, label %c\nc: ret void\n}",
         "a loop with several latches"},
        {"define void @f(i1 %p) {\ne: br i1 %p, label %h, label %x\nh: br i1 %p, label %h, label %x\nx: ret "
         "void\n}",
         "a loop without a preheader"},
        {"declare void @f()", "a function without a body"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = NULL;
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = parse_ir(context, cases[i].ir);
        ck_assert_ptr_null(lw_model_build(LLVMGetNamedFunction(module, "f"), &why));
        ck_assert_str_eq(why, cases[i].why);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
}
END_TEST

/* Loops that never end, dead blocks. */
START_TEST(endless)
{
    const char *why = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module =
        parse_ir(context, "define void @f(i1 %p) {\ne: br i1 %p, label %h0, label %x\n"
                          "h0: br label %h\nh: br i1 %p, label %i0, label %l\ni0: br label %i\n"
                          "i: br label %i\nl: br label %h\ndead: br label %x\nx: ret void\n}");
    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "f"), &why);
    ck_assert_ptr_nonnull(m);
    ck_assert_uint_eq(m->block_count, 7);
    ck_assert_uint_eq(m->loop_count, 2);
    check_edges(m);
    check_dominators(m);
    check_loops(m);
    for (uint32_t b = 0; b < m->block_count; b++)
        ck_assert_uint_ne(m->blocks[b].ipdom, b);
    lw_model_free(m);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

/* 120000 blocks: a chain of loops in loops, each block with a way out to one far block. The chain of exits
 * makes a walk up the dominator tree per edge quadratic. */
START_TEST(large)
{
    enum { N = 40000 };
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("large", context);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(context);
    LLVMValueRef f =
        LLVMAddFunction(module, "f", LLVMFunctionType(LLVMVoidTypeInContext(context), &i1, 1, 0));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef *blocks = calloc(3 * N + 2, sizeof *blocks);
    for (uint32_t i = 0; i < 3 * N + 2; i++)
        blocks[i] = LLVMAppendBasicBlockInContext(context, f, "");
    LLVMBasicBlockRef end = blocks[3 * N + 1];
    for (uint32_t i = 0; i < N;
         i++) { /* preheader, header and latch in one, a block that may leave for the end */
        LLVMPositionBuilderAtEnd(builder, blocks[3 * i]);
        LLVMBuildBr(builder, blocks[3 * i + 1]);
        LLVMPositionBuilderAtEnd(builder, blocks[3 * i + 1]);
        LLVMBuildCondBr(builder, LLVMGetParam(f, 0), blocks[3 * i + 1], blocks[3 * i + 2]);
        LLVMPositionBuilderAtEnd(builder, blocks[3 * i + 2]);
        LLVMBuildCondBr(builder, LLVMGetParam(f, 0), end, blocks[3 * i + 3]);
    }
    LLVMPositionBuilderAtEnd(builder, blocks[3 * N]);
    LLVMBuildBr(builder, end);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMBuildRetVoid(builder);
    const char *why = NULL;
    clock_t start = clock();
    struct lw_model *m = lw_model_build(f, &why);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_ptr_nonnull(m);
    ck_assert_uint_eq(m->loop_count, N);
    ck_assert_uint_eq(m->blocks[lw_block_id(m, end)].idom, lw_block_id(m, blocks[2]));
    ck_assert_msg(seconds < 1.0, "%g seconds", seconds);
    lw_model_free(m);
    free(blocks);
    LLVMDisposeBuilder(builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

Suite *
model_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *cases = tcase_create("model");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, random_functions);
    tcase_add_test(cases, refusals);
    tcase_add_test(cases, endless);
    tcase_add_test(cases, large);
    suite_add_tcase(suite, cases);
    return suite;
}
