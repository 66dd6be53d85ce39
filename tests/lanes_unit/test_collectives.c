/* SPDX-License-Identifier: MIT */
/* Work-group collectives, each sub-group a coroutine: a cut yields, and the sub-groups go on in increasing
 * order, as workgroup.h has it. The collective stands in a loop, so that executions could mix.
 */
#include "tests.h"

#include <string.h>
#include <ucontext.h>

#include "vectorizer/subgroup/group_collectives.h"

enum { ROUNDS = 3, MAX_GROUPS = 5 };
enum { REDUCE, INCLUSIVE, EXCLUSIVE, ALL, ANY, BROADCAST, PARTS };

static struct {
    ucontext_t scheduler, contexts[MAX_GROUPS];
    unsigned current, count;
    bool done[MAX_GROUPS];
    unit_function *function;
    unsigned char in[MAX_GROUPS][ROUNDS * 512 + 64], out[MAX_GROUPS][ROUNDS * 512];
    uint64_t mask[MAX_GROUPS];
    /* a vector of the most and widest lanes, and one of these */
    _Alignas(64) unsigned char scratch[4][64 * 8 + 64];
} world;

static void
on_barrier(void)
{
    swapcontext(&world.contexts[world.current], &world.scheduler);
}

static bool
on_first(void)
{
    return world.current == 0;
}

static bool
on_last(void)
{
    return world.current == world.count - 1;
}

static uint64_t
on_sub_group_id(void)
{
    return world.current;
}

static void *
on_scratch(uint32_t piece, uint32_t bytes)
{
    return piece < 4 && bytes <= sizeof world.scratch[0] ? world.scratch[piece] : NULL;
}

static void
run_sub_group(void)
{
    unsigned g = world.current;

    world.function(world.in[g], world.mask[g], world.out[g]);
    world.done[g] = true;
}

/* Of its own: what calls getcontext has no locals that may be lost. */
static void
make_context(ucontext_t *context, unsigned char *stack, size_t size)
{
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = size;
    context->uc_link = &world.scheduler;
    makecontext(context, run_sub_group, 0);
}

static void
run_work_group(unit_function *f, unsigned count)
{
    static unsigned char stacks[MAX_GROUPS][1 << 16];
    bool more = true;

    world.function = f;
    world.count = count;
    memset(world.scratch, 0xcd, sizeof world.scratch);
    for (unsigned g = 0; g < count; g++) {
        world.done[g] = false;
        make_context(&world.contexts[g], stacks[g], sizeof stacks[g]);
    }
    while (more) {
        more = false;
        for (world.current = 0; world.current < count; world.current++) {
            if (!world.done[world.current])
                swapcontext(&world.scheduler, &world.contexts[world.current]);
            more = more || !world.done[world.current];
        }
    }
}

static V
collective(struct unit *u, const struct unit_case *c, V x, V linear)
{
    enum lw_group_op op = (enum lw_group_op)c->b;
    V two[2] = {x, x}, results[2];

    switch (c->a) {
    case PARTS:
        u->l.summed = u->l.n < 16 ? 4 * u->l.n : 64; /* falls through */
    case REDUCE:
        return lw_workgroup_reduce(&u->l, op, x, u->mask, 1);
    case INCLUSIVE:
        return lw_workgroup_scan(&u->l, op, x, u->mask, true, 1);
    case EXCLUSIVE:
        return lw_workgroup_scan(&u->l, op, x, u->mask, false, 1);
    case ALL:
        return lw_workgroup_all(&u->l, x, u->mask, 1);
    case ANY:
        return lw_workgroup_any(&u->l, x, u->mask, 1);
    default:
        lw_workgroup_broadcast(&u->l, two, 2, linear, 1, results);
        return results[1];
    }
}

/* for (round = 0; round < ROUNDS; round++) *(out + 512 * round) = collective(*(in + 512 * round)); linear:
 * behind in. */
static void
build(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    LLVMTypeRef i64 = unit_type(u, T_I64), i8 = unit_type(u, T_I8);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(u->l.context, u->l.function, "round");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(u->l.context, u->l.function, "done");
    V linear = unit_in_scalar(u, T_I64, ROUNDS * 512), in = u->in, out = u->out,
      zero = LLVMConstInt(i64, 0, false);

    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    V round = LLVMBuildPhi(b, i64, "");
    LLVMAddIncoming(round, &zero, &before, 1);
    V offset = LLVMBuildMul(b, round, LLVMConstInt(i64, 512, false), "");
    u->in = LLVMBuildGEP2(b, i8, in, &offset, 1, "");
    u->out = LLVMBuildGEP2(b, i8, out, &offset, 1, "");
    unit_out(u, collective(u, c, unit_in(u, c->t, 0), linear), 0);
    V next = LLVMBuildAdd(b, round, LLVMConstInt(i64, 1, false), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMAddIncoming(round, &next, &latch, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, LLVMConstInt(i64, ROUNDS, false), ""), loop, done);
    LLVMPositionBuilderAtEnd(b, done);
}

static double
number(enum type t, uint64_t raw)
{
    return type_float(t) ? value_real(t, raw) : (double)value_signed(t, raw);
}

/* Small integers: sums and minima are exact as doubles, but for the wrap of i8. */
static double
step(const struct unit_case *c, double a, double b)
{
    double sum = c->t == T_I8 ? (double)(int8_t)(int)(a + b) : a + b;

    return c->b == LW_GROUP_IADD || c->b == LW_GROUP_FADD ? sum : a < b ? a : b;
}

static bool
check_round(const struct unit_case *c, unsigned round, unsigned n, unsigned count, uint64_t linear)
{
    bool add = c->b == LW_GROUP_IADD || c->b == LW_GROUP_FADD, all = true, any = false, good = true;
    double sum = add ? 0 : 100;

    for (unsigned id = 0; id < n * count; id++) {
        const unsigned char *out = world.out[id / n] + round * 512;
        uint64_t raw = value_get(world.in[id / n] + round * 512, c->t, id % n);
        if (!(world.mask[id / n] >> id % n & 1))
            continue;
        if (c->a == EXCLUSIVE && (id || add))
            good = good && (sum == 100 || number(c->t, value_get(out, c->t, id % n)) == sum);
        sum = step(c, sum, number(c->t, raw));
        all = all && raw & 1;
        any = any || raw & 1;
        if (c->a == INCLUSIVE)
            good = good && number(c->t, value_get(out, c->t, id % n)) == sum;
    }
    for (unsigned g = 0; g < count; g++) {
        const unsigned char *out = world.out[g] + round * 512;
        if (c->a == REDUCE || c->a == PARTS)
            good = good && number(c->t, value_get(out, c->t, 0)) == sum;
        if (c->a == ALL || c->a == ANY)
            good = good && out[0] == (c->a == ALL ? all : any);
        if (c->a == BROADCAST)
            good = good && value_get(out, c->t, 0) ==
                               value_get(world.in[linear / n] + round * 512, c->t, (unsigned)(linear % n));
    }
    return good;
}

static bool
check(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    for (unsigned count = 1; count <= MAX_GROUPS; count += 2) {
        uint64_t linear = random_bits() % (n * count);
        for (unsigned g = 0; g < count; g++) {
            world.mask[g] = g + 1 < count ? ~0ull : mask;
            for (unsigned i = 0; i < ROUNDS * n; i++) {
                uint64_t r = random_bits(),
                         v = c->t == T_I1 ? (c->a == ANY ? r % 200 == 0 : r % 200 != 0) : r % 6;
                value_set(world.in[g] + i / n * 512, c->t, i % n,
                          type_float(c->t) ? value_from_real(c->t, (double)v) : v);
            }
            memcpy(world.in[g] + ROUNDS * 512, &linear, 8);
        }
        run_work_group(f, count);
        for (unsigned round = 0; round < ROUNDS && mask; round++)
            if (!check_round(c, round, n, count, linear))
                return false;
    }
    return true;
}

START_TEST(collectives)
{
    static const char *const names[] = {"lw.wg.barrier",   "lw.sub_group_first", "lw.sub_group_last",
                                        "lw.sub_group_id", "lw.group_scratch",   NULL};
    void *const addresses[] = {(void *)on_barrier, (void *)on_first, (void *)on_last, (void *)on_sub_group_id,
                               (void *)on_scratch};
    static const enum type types[] = {T_I8, T_I16, T_I32, T_I64, T_HALF, T_FLOAT, T_DOUBLE};
    struct unit_case cases[64];
    unsigned count = 0;

    for (unsigned t = 0; t < 7; t++)
        for (int kind = REDUCE; kind <= BROADCAST; kind++) {
            bool real = type_float(types[t]);
            if (kind == ALL || kind == ANY)
                continue;
            cases[count++] = (struct unit_case){build,    check, "collective",
                                                types[t], kind,  real ? LW_GROUP_FADD : LW_GROUP_IADD};
            if (kind != BROADCAST && t % 2)
                cases[count++] = (struct unit_case){build,    check, "collective",
                                                    types[t], kind,  real ? LW_GROUP_FMIN : LW_GROUP_SMIN};
        }
    for (unsigned t = 4; t < 7; t++)
        cases[count++] = (struct unit_case){build, check, "sum of parts", types[t], PARTS, LW_GROUP_FADD};
    for (int kind = ALL; kind <= ANY; kind++)
        cases[count++] = (struct unit_case){build, check, "collective", T_I1, kind, 0};
    unit_run_cases_with(cases, count, names, addresses);
}
END_TEST

void
add_collectives(TCase *tests)
{
    tcase_add_test(tests, collectives);
}
