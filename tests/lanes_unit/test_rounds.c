/* SPDX-License-Identifier: MIT */
/* Rounds of divergent loops: what lw_settle_rounds and lw_halve_masks make of them gives the same results,
 * with the conditions in the branch, lanes that count, and masks in parts. */
#include "tests.h"

#include <stdlib.h>

/* What a case varies. */
#define BEGINS 1  /* all lanes take part in the first round */
#define LATE 2    /* the counter is read before it goes up */
#define WHOLE 4   /* the mask is read behind the loop too */
#define BY_AND 8  /* conditions meet by `and`, not by select */
#define LEAVES 16 /* the branch asks whether no lane is left */

#define STEP(t) ((t) == T_I8 ? 1 : 3)
#define FIRST 5
#define MOST 11 /* rounds */

struct loop {
    LLVMBasicBlockRef round, done;
    V alive, x, kept, count, next, number, left, goes;
};

static V
meet(struct unit *u, int how, V a, V b)
{
    if (how & BY_AND)
        return LLVMBuildAnd(u->l.builder, a, b, "");
    return LLVMBuildSelect(u->l.builder, a, b, LLVMConstNull(LLVMTypeOf(a)), "");
}

/* Lanes count down from their numbers, and leave at zero or after MOST rounds; `kept` is the counter of their
 * last. */
static void
build_round(struct unit *u, const struct unit_case *c, struct loop *p)
{
    LLVMBuilderRef b = u->l.builder;
    V one = unit_splat(u, c->t, 1), zero = unit_splat(u, c->t, 0);
    V first = LLVMConstInt(unit_type(u, c->t), FIRST, false),
      step = LLVMConstInt(unit_type(u, c->t), STEP(c->t), false);
    V start = LLVMBuildAnd(b, unit_in(u, c->t, 0), unit_splat(u, c->t, 15), "");

    p->round = LLVMAppendBasicBlockInContext(u->l.context, u->l.function, "round");
    p->done = LLVMAppendBasicBlockInContext(u->l.context, u->l.function, "done");
    LLVMBuildBr(b, p->round);
    LLVMPositionBuilderAtEnd(b, p->round);
    p->alive = unit_phi(u, c->a & BEGINS ? lane_all_true(&u->l) : u->mask);
    p->x = unit_phi(u, start);
    p->kept = unit_phi(u, unit_splat(u, c->t, c->b));
    p->count = unit_phi(u, first);
    p->next = LLVMBuildAdd(b, p->count, step, "");
    p->number =
        LLVMBuildSelect(b, p->alive, lane_splat(&u->l, c->a & LATE ? p->count : p->next), p->kept, "");
    p->left = LLVMBuildSub(b, p->x, one, "");
    V last = LLVMConstInt(unit_type(u, c->t), FIRST + MOST * STEP(c->t), false);
    V more = LLVMBuildICmp(b, LLVMIntSGT, p->left, zero, "");
    V before = lane_splat(&u->l, LLVMBuildICmp(b, LLVMIntNE, p->next, last, ""));
    p->goes = LLVMBuildAnd(b, p->alive, LLVMBuildFreeze(b, meet(u, c->a, more, before), ""), "");
}

static void
build(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    struct loop p;
    V zero = unit_splat(u, c->t, 0), one = unit_splat(u, c->t, 1);

    build_round(u, c, &p);
    V bits = lane_mask_bits(&u->l, p.goes), none = LLVMConstNull(LLVMTypeOf(bits));
    LLVMAddIncoming(p.alive, &p.goes, &p.round, 1);
    LLVMAddIncoming(p.x, &p.left, &p.round, 1);
    LLVMAddIncoming(p.kept, &p.number, &p.round, 1);
    LLVMAddIncoming(p.count, &p.next, &p.round, 1);
    if (c->a & LEAVES)
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bits, none, ""), p.done, p.round);
    else
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, bits, none, ""), p.round, p.done);
    LLVMPositionBuilderAtEnd(b, p.done);
    unit_out(u, p.number, 0);
    unit_out(u, LLVMBuildSelect(b, p.alive, one, zero, ""), 512);
    unit_out(u, c->a & WHOLE ? LLVMBuildSelect(b, p.goes, one, zero, "") : zero, 1024);
}

static bool
check(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) uint8_t in[512], out[1536];
    unsigned bits = 8 * type_size(c->t), step = STEP(c->t);
    uint64_t low = bits < 64 ? (1ull << bits) - 1 : ~0ull, kept[64];
    bool alive[64], was[64], any = true;
    int64_t x[64];

    random_fill(in, c->t, n);
    for (unsigned i = 0; i < n; i++) {
        x[i] = (int64_t)(value_get(in, c->t, i) & 15);
        alive[i] = c->a & BEGINS || mask >> i & 1;
        kept[i] = (uint64_t)(int64_t)c->b & low;
    }
    for (unsigned round = 0; any; round++) {
        any = false;
        for (unsigned i = 0; i < n; i++) {
            if (alive[i])
                kept[i] = FIRST + (c->a & LATE ? round : round + 1) * step;
            was[i] = alive[i];
            alive[i] = alive[i] && --x[i] > 0 && round + 1 != MOST;
            any |= alive[i];
        }
    }
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        if ((value_get(out, c->t, i) & low) != kept[i] || (value_get(out + 512, c->t, i) & low) != was[i] ||
            (value_get(out + 1024, c->t, i) & low) != 0)
            return false;
    return true;
}

START_TEST(results)
{
    static const enum type types[] = {T_I8, T_I16, T_I32, T_I64};
    struct unit_case cases[128];
    unsigned count = 0;

    for (unsigned t = 0; t < 4; t++)
        for (int how = 0; how < 32; how++)
            if (types[t] == T_I32 || how % 5 == (int)t)
                cases[count++] =
                    (struct unit_case){build, check, "rounds", types[t], how, how & 4 ? 9 : FIRST};
    unit_run_cases(cases, count);
}
END_TEST

/* Instructions of the function that `is` holds for. */
static unsigned
count_such(LLVMValueRef function, bool (*is)(V i, unsigned lanes), unsigned lanes)
{
    unsigned count = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            count += is(i, lanes);
    return count;
}

static bool
is_mask_phi(V i, unsigned lanes)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    return LLVMIsAPHINode(i) &&
           type == LLVMVectorType(LLVMInt1TypeInContext(LLVMGetTypeContext(type)), lanes);
}

/* A broadcast that anything reads. */
static bool
is_broadcast(V i, unsigned lanes)
{
    return LLVMIsAShuffleVectorInst(i) && LLVMGetNumMaskElements(i) == lanes && LLVMGetMaskValue(i, 1) == 0 &&
           LLVMGetFirstUse(i);
}

static void
begin_loop(struct unit *u, const struct unit_case *c, lw_isa isa, unsigned n)
{
    unit_begin(u, isa, n);
    unit_define(u, "f");
    build(u, c);
    unit_finish(u);
}

/* Neither conditions nor counters are broadcast; where the mask is read elsewhere, the condition stays in it,
 * and where lanes that never take part keep another number, so does the counter. */
START_TEST(scalars)
{
    static const struct {
        int how, kept;
        unsigned broadcasts;
    } cases[] = {{BEGINS, 0, 0},          {BEGINS | BY_AND | LATE, 0, 0},
                 {BEGINS | LEAVES, 0, 0}, {0, FIRST, 0},
                 {LATE, FIRST, 1},        {0, 9, 1},
                 {BEGINS | WHOLE, 0, 1}};

    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned i = 0; i < 3; i++) {
            struct unit_case c = {build, check, "rounds", T_I32, cases[k].how, cases[k].kept};
            struct unit u;
            begin_loop(&u, &c, unit_isas[i], 16);
            ck_assert_uint_eq(count_such(u.l.function, is_broadcast, 16), 2);
            lw_settle_rounds(u.l.module, unit_isas[i]);
            ck_assert_uint_eq(count_such(u.l.function, is_broadcast, 16), cases[k].broadcasts);
            free(unit_assembly(&u));
            unit_end(&u);
        }
}
END_TEST

START_TEST(parts)
{
    static const struct {
        enum type t;
        unsigned n, parts;
    } cases[] = {{T_I32, 16, 1}, {T_I32, 32, 2}, {T_I32, 64, 4}, {T_I64, 16, 2},
                 {T_I16, 32, 1}, {T_I16, 64, 2}, {T_I8, 64, 1}};

    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct unit_case c = {build, check, "rounds", cases[k].t, BEGINS, 0};
        struct unit u;
        begin_loop(&u, &c, LW_ISA_AVX512, cases[k].n);
        ck_assert_uint_eq(count_such(u.l.function, is_mask_phi, cases[k].n), 1);
        ck_assert(lw_halve_masks(u.l.module));
        ck_assert_uint_eq(count_such(u.l.function, is_mask_phi, cases[k].n / cases[k].parts), cases[k].parts);
        free(unit_assembly(&u));
        unit_end(&u);
    }
}
END_TEST

void
add_rounds(TCase *tests)
{
    tcase_add_test(tests, results);
    tcase_add_test(tests, scalars);
    tcase_add_test(tests, parts);
}
