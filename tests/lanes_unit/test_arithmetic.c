/* SPDX-License-Identifier: MIT */
/* Division, half conversion and atomics of lanes. */
#include "tests.h"

#include <math.h>
#include <string.h>

/* ---- division: a at in, b at in + 512 ---- */

static void
build_divide(struct unit *u, const struct unit_case *c)
{
    V b = c->b ? lane_splat(&u->l, LLVMConstInt(unit_type(u, c->t), (uint64_t)c->b, false))
               : unit_in(u, c->t, 512);

    unit_out(u, lane_divide(&u->l, (LLVMOpcode)c->a, unit_in(u, c->t, 0), b, u->mask), 0);
}

/* By the first of b for all lanes. */
static void
build_divide_by(struct unit *u, const struct unit_case *c)
{
    V b = unit_in_scalar(u, c->t, 512);
    unit_out(u, lane_divide_by(&u->l, (LLVMOpcode)c->a, unit_in(u, c->t, 0), b, u->mask), 0);
}

static uint64_t
low_bits(enum type t)
{
    return type_size(t) < 8 ? (1ull << (8 * type_size(t))) - 1 : ~0ull;
}

static uint64_t
quotient(LLVMOpcode op, enum type t, uint64_t a, uint64_t b)
{
    uint64_t low = low_bits(t);
    int64_t x = value_signed(t, a), y = value_signed(t, b);

    switch (op) {
    case LLVMUDiv:
        return a / b;
    case LLVMURem:
        return a % b;
    case LLVMSDiv:
        return (uint64_t)(x / y) & low;
    default:
        return (uint64_t)(x % y) & low;
    }
}

static bool
divisible(LLVMOpcode op, enum type t, uint64_t a, uint64_t b)
{
    uint64_t low = low_bits(t);

    if ((op == LLVMSDiv || op == LLVMSRem) && b == low && a == (low >> 1) + 1)
        return false;
    return b != 0;
}

static uint64_t
draw_divisor(enum type t, unsigned round)
{
    uint64_t b = random_value(t), r = random_bits();

    if (round % 4 == 1)
        b = r % 9; /* with zeros */
    if (round % 4 == 2)
        b = r % 7 == 0 ? ~0ull : (b | 1) >> (r >> 8) % (8 * type_size(t));
    if (t == T_I64 && round & 8)
        b >>= 12 + r % 40;
    return b & low_bits(t);
}

static uint64_t
draw_dividend(enum type t, unsigned round, uint64_t b)
{
    uint64_t a = random_value(t), r = random_bits();

    if (t == T_I64 && round & 8)
        a >>= 12 + r % 8;
    if (round % 4 && b) /* around exact quotients */
        a = a / b * b + (r >> 8) % 3 - 1;
    return (round & 16 ? 0 - a : a) & low_bits(t);
}

static bool
check_divide(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, out[512];
    bool shared = c->build == build_divide_by;

    for (unsigned round = 0; round < (shared ? 640 : 64); round++) {
        uint64_t all = draw_divisor(c->t, round);
        for (unsigned i = 0; i < n; i++) {
            uint64_t b = c->b ? (uint64_t)c->b : shared ? all : draw_divisor(c->t, round);
            value_set(in, c->t, i, draw_dividend(c->t, round, b));
            value_set(in + 512, c->t, i, b);
        }
        f(in, mask, out);
        for (unsigned i = 0; i < n; i++) {
            uint64_t a = value_get(in, c->t, i), b = value_get(in + 512, c->t, i);
            if (mask >> i & 1 && divisible((LLVMOpcode)c->a, c->t, a, b) &&
                value_get(out, c->t, i) != quotient((LLVMOpcode)c->a, c->t, a, b))
                return false;
        }
    }
    return true;
}

START_TEST(divide)
{
    static const LLVMOpcode ops[] = {LLVMUDiv, LLVMSDiv, LLVMURem, LLVMSRem};
    struct unit_case cases[64];
    unsigned count = 0;

    for (int t = T_I8; t <= T_I64; t++)
        for (unsigned op = 0; op < 4; op++) {
            cases[count++] =
                (struct unit_case){build_divide, check_divide, "division", (enum type)t, (int)ops[op], 0};
            cases[count++] = (struct unit_case){build_divide_by, check_divide, "division by one for all",
                                                (enum type)t,    (int)ops[op], 0};
            if (t == T_I32)
                cases[count++] = (struct unit_case){build_divide, check_divide, "division by a constant",
                                                    (enum type)t, (int)ops[op], 7};
        }
    unit_run_cases(cases, count);
}
END_TEST

/* ---- half ---- */

static void
build_half(struct unit *u, const struct unit_case *c)
{
    (void)c;
    unit_out(u, lane_half_to_float(&u->l, unit_in(u, T_HALF, 0)), 0);
    unit_out(u, lane_float_to_half(&u->l, unit_in(u, T_FLOAT, 512)), 512);
    unit_out(u, lane_float_to_half(&u->l, unit_in_scalar(u, T_FLOAT, 512)), 1024);
    unit_out(u, lane_half_to_float(&u->l, unit_in_scalar(u, T_HALF, 0)), 1032);
}

static bool
check_half(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, out[1040];

    (void)c;
    for (unsigned base = 0; mask == 1 && base < 65536; base += n) {
        for (unsigned i = 0; i < n; i++) {
            /* Every half; floats at a half, its neighbours and the middle to the next. */
            uint64_t h = base + i, f32 = value_from_real(T_FLOAT, value_real(T_HALF, h));
            value_set(in, T_HALF, i, h);
            value_set(in + 512, T_FLOAT, i, f32 + random_bits() % 3 * 0x800 + random_bits() % 4 * 0xfff);
        }
        f(in, mask, out);
        for (unsigned i = 0; i < n; i++) {
            float x;
            memcpy(&x, in + 512 + 4 * i, 4);
            uint64_t h = base + i, to = value_from_real(T_HALF, x);
            if (!value_same(T_FLOAT, value_get(out, T_FLOAT, i),
                            value_from_real(T_FLOAT, value_real(T_HALF, h))) ||
                !value_same(T_HALF, value_get(out + 512, T_HALF, i), to))
                return false;
            /* zeros keep their sign */
            if (!isnan(x) && value_get(out + 512, T_HALF, i) >> 15 != to >> 15)
                return false;
        }
        if (!value_same(T_HALF, value_get(out + 1024, T_HALF, 0), value_get(out + 512, T_HALF, 0)) ||
            !value_same(T_FLOAT, value_get(out + 1032, T_FLOAT, 0), value_get(out, T_FLOAT, 0)))
            return false;
    }
    return true;
}

START_TEST(half)
{
    struct unit_case c = {build_half, check_half, "conversion", T_HALF, 0, 0};
    unit_run_cases(&c, 1);
}
END_TEST

/* ---- atomics: values at in, pointers at in + 512, expected at in + 1024; old values to out + 64 ---- */

enum { AT_UNIFORM, AT_UNIFORM_UNUSED, AT_VARYING };

static void
build_rmw(struct unit *u, const struct unit_case *c)
{
    V pointer = c->b == AT_VARYING ? unit_in(u, T_PTR, 512) : u->out;
    V old = lane_atomic_rmw(&u->l, (LLVMAtomicRMWBinOp)c->a, pointer, unit_in(u, c->t, 0), u->mask,
                            LLVMAtomicOrderingMonotonic, c->b != AT_UNIFORM_UNUSED);

    if (c->b != AT_UNIFORM_UNUSED)
        unit_out(u, old, 64);
}

static uint64_t
rmw(LLVMAtomicRMWBinOp op, enum type t, uint64_t a, uint64_t b)
{
    uint64_t low = low_bits(t);
    int64_t x = value_signed(t, a), y = value_signed(t, b);

    switch (op) {
    case LLVMAtomicRMWBinOpXchg:
        return b;
    case LLVMAtomicRMWBinOpAdd:
        return (a + b) & low;
    case LLVMAtomicRMWBinOpSub:
        return (a - b) & low;
    case LLVMAtomicRMWBinOpAnd:
        return a & b;
    case LLVMAtomicRMWBinOpOr:
        return a | b;
    case LLVMAtomicRMWBinOpXor:
        return a ^ b;
    case LLVMAtomicRMWBinOpMax:
        return x > y ? a : b;
    case LLVMAtomicRMWBinOpMin:
        return x < y ? a : b;
    case LLVMAtomicRMWBinOpUMax:
        return a > b ? a : b;
    case LLVMAtomicRMWBinOpUMin:
        return a < b ? a : b;
    default:
        return value_from_real(t, value_real(t, a) + value_real(t, b));
    }
}

struct atomics {
    _Alignas(64) unsigned char in[1536], out[1024], cells[256], expected[256];
    unsigned char *place[64]; /* in `expected` */
};

static void
set_up(struct atomics *a, enum type t, unsigned n, uint64_t mask, bool varying)
{
    for (unsigned i = 0; i < n; i++)
        value_set(a->in, t, i,
                  type_float(t) ? value_from_real(t, (double)(random_bits() % 64)) : random_value(t));
    for (unsigned i = 0; i < 16; i++)
        value_set(a->cells, t, i, type_float(t) ? value_from_real(t, i) : random_value(t));
    memset(a->out, 0, sizeof a->out);
    memcpy(a->out, a->cells, 8);
    memcpy(a->expected, a->cells, sizeof a->cells);
    for (unsigned i = 0; i < n; i++) {
        unsigned cell = varying ? (unsigned)(random_bits() % 16) : 0;
        unsigned char *p = mask >> i & 1 ? a->cells + cell * type_size(t) : (unsigned char *)8;
        memcpy(a->in + 512 + 8 * i, &p, 8);
        a->place[i] = a->expected + cell * type_size(t);
    }
}

/* In lane order; of those that look first, the ones that change nothing of what was there at the start come
 * before. */
static bool
is_changed(struct atomics *a, const struct unit_case *c, unsigned n, uint64_t mask, bool look_first)
{
    LLVMAtomicRMWBinOp op = (LLVMAtomicRMWBinOp)c->a;
    uint64_t first = 0;

    for (unsigned i = 0; i < n; i++) {
        uint64_t start = value_get(a->place[i], c->t, 0);
        first |= (uint64_t)(look_first && rmw(op, c->t, start, value_get(a->in, c->t, i)) == start) << i;
    }
    for (unsigned k = 0; k < 2 * n; k++) {
        unsigned i = k % n;
        uint64_t before = value_get(a->place[i], c->t, 0);
        if (!(mask >> i & 1) || (first >> i & 1) != (k < n))
            continue;
        value_set(a->place[i], c->t, 0, rmw(op, c->t, before, value_get(a->in, c->t, i)));
        if (c->b != AT_UNIFORM_UNUSED && value_get(a->out + 64, c->t, i) != before)
            return false;
    }
    return !memcmp(c->b == AT_VARYING ? a->cells : a->out, a->expected,
                   c->b == AT_VARYING ? 256 : type_size(c->t));
}

static bool
check_rmw(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    struct atomics a = {0};
    unsigned char start[sizeof a.expected];

    set_up(&a, c->t, n, mask, c->b == AT_VARYING);
    memcpy(start, a.expected, sizeof start);
    f(a.in, mask, a.out);
    if (is_changed(&a, c, n, mask, false))
        return true;
    memcpy(a.expected, start, sizeof start);
    return c->b == AT_VARYING && is_changed(&a, c, n, mask, true);
}

static void
build_cmpxchg(struct unit *u, const struct unit_case *c)
{
    V pointer = c->b == AT_VARYING ? unit_in(u, T_PTR, 512) : u->out, old, swapped;

    lane_atomic_cmpxchg(&u->l, pointer, unit_in(u, c->t, 1024), unit_in(u, c->t, 0), u->mask,
                        LLVMAtomicOrderingSequentiallyConsistent, LLVMAtomicOrderingMonotonic, &old,
                        &swapped);
    unit_out(u, old, 64);
    unit_out(u, swapped, 768);
}

/* In lane order; of those that look first, the ones that fail by what was there at the start come before. */
static bool
is_exchanged(struct atomics *a, const struct unit_case *c, unsigned n, uint64_t mask, bool look_first)
{
    uint64_t first = 0;

    for (unsigned i = 0; i < n; i++)
        if (look_first && value_get(a->place[i], c->t, 0) != value_get(a->in + 1024, c->t, i))
            first |= 1ull << i;
    for (unsigned k = 0; k < 2 * n; k++) {
        unsigned i = k % n;
        uint64_t before = value_get(a->place[i], c->t, 0);
        bool swaps = before == value_get(a->in + 1024, c->t, i);
        if (!(mask >> i & 1) || (first >> i & 1) != (k < n))
            continue;
        if (swaps)
            value_set(a->place[i], c->t, 0, value_get(a->in, c->t, i));
        if (value_get(a->out + 64, c->t, i) != before || a->out[768 + i] != swaps)
            return false;
    }
    return !memcmp(c->b == AT_VARYING ? a->cells : a->out, a->expected,
                   c->b == AT_VARYING ? 256 : type_size(c->t));
}

static bool
check_cmpxchg(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    struct atomics a = {0};
    unsigned char start[sizeof a.expected];

    set_up(&a, c->t, n, mask, c->b == AT_VARYING);
    memcpy(start, a.expected, sizeof start);
    for (unsigned i = 0; i < n; i++)
        value_set(a.in + 1024, c->t, i, i % 3 ? value_get(a.place[i], c->t, 0) : random_value(c->t));
    f(a.in, mask, a.out);
    if (is_exchanged(&a, c, n, mask, false))
        return true;
    memcpy(a.expected, start, sizeof start);
    return c->b == AT_VARYING && is_exchanged(&a, c, n, mask, true);
}

static void
build_atomic_load(struct unit *u, const struct unit_case *c)
{
    V pointer = c->b == AT_VARYING ? unit_in(u, T_PTR, 512) : u->out;

    unit_out(u,
             lane_atomic_load(&u->l, unit_type(u, c->t), pointer, u->mask, LLVMAtomicOrderingAcquire,
                              type_size(c->t)),
             64);
}

static void
build_atomic_store(struct unit *u, const struct unit_case *c)
{
    V pointer = c->b == AT_VARYING ? unit_in(u, T_PTR, 512) : u->out;

    lane_atomic_store(&u->l, unit_in(u, c->t, 0), pointer, u->mask, LLVMAtomicOrderingRelease,
                      type_size(c->t));
}

static bool
check_atomic_load(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    struct atomics a = {0};

    set_up(&a, c->t, n, mask, c->b == AT_VARYING);
    f(a.in, mask, a.out);
    for (unsigned i = 0; i < n; i++)
        if (mask >> i & 1 && value_get(a.out + 64, c->t, i) != value_get(a.place[i], c->t, 0))
            return false;
    return true;
}

static bool
check_atomic_store(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    struct atomics a = {0};

    set_up(&a, c->t, n, mask, c->b == AT_VARYING);
    f(a.in, mask, a.out);
    for (unsigned i = 0; i < n; i++)
        if (mask >> i & 1)
            value_set(a.place[i], c->t, 0, value_get(a.in, c->t, i));
    return !memcmp(c->b == AT_VARYING ? a.cells : a.out, a.expected,
                   c->b == AT_VARYING ? 256 : type_size(c->t));
}

START_TEST(atomics)
{
    struct unit_case cases[256];
    unsigned count = 0;

    for (int place = AT_UNIFORM; place <= AT_VARYING; place++) {
        for (int t = T_I32; t <= T_I64; t++)
            for (int op = LLVMAtomicRMWBinOpXchg; op <= LLVMAtomicRMWBinOpUMin; op++)
                if (op != LLVMAtomicRMWBinOpNand)
                    cases[count++] =
                        (struct unit_case){build_rmw, check_rmw, "atomic", (enum type)t, op, place};
        cases[count++] =
            (struct unit_case){build_rmw, check_rmw, "atomic", T_FLOAT, LLVMAtomicRMWBinOpFAdd, place};
        cases[count++] =
            (struct unit_case){build_rmw, check_rmw, "atomic", T_DOUBLE, LLVMAtomicRMWBinOpFAdd, place};
        for (int t = T_I32; t <= T_DOUBLE && place != AT_UNIFORM_UNUSED; t++) {
            cases[count++] = (struct unit_case){
                build_atomic_load, check_atomic_load, "atomic load", (enum type)t, 0, place};
            cases[count++] = (struct unit_case){
                build_atomic_store, check_atomic_store, "atomic store", (enum type)t, 0, place};
            if (!type_float((enum type)t))
                cases[count++] =
                    (struct unit_case){build_cmpxchg, check_cmpxchg, "cmpxchg", (enum type)t, 0, place};
        }
    }
    unit_run_cases(cases, count);
}
END_TEST

void
add_arithmetic(TCase *tests)
{
    tcase_add_test(tests, divide);
    tcase_add_test(tests, half);
    tcase_add_test(tests, atomics);
}
