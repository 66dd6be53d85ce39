/* SPDX-License-Identifier: MIT */
/* Reductions, scans and clustered reductions against loops over the lanes. */
#include "tests.h"

#include <math.h>
#include <string.h>

/* Sums of small integers and products of small powers of two are exact in any order. */
static uint64_t
operand(enum lw_group_op op, enum type t)
{
    uint64_t r = random_bits();

    if (op == LW_GROUP_FADD)
        return value_from_real(t, (double)(int64_t)(r % 17) - 8.0);
    if (op == LW_GROUP_FMUL)
        return value_from_real(t, (r & 1 ? 1.0 : -1.0) * (r % 20 == 0 ? 2.0 : r % 20 == 1 ? 0.5 : 1.0));
    return random_value(t);
}

static uint64_t
apply(enum lw_group_op op, enum type t, uint64_t a, uint64_t b)
{
    uint64_t low = type_size(t) < 8 ? (1ull << (8 * type_size(t))) - 1 : ~0ull;
    int64_t x = value_signed(t, a), y = value_signed(t, b);
    double d = type_float(t) ? value_real(t, a) : 0, e = type_float(t) ? value_real(t, b) : 0;

    switch (op) {
    case LW_GROUP_IADD: return (a + b) & low;
    case LW_GROUP_IMUL: return (a * b) & low;
    case LW_GROUP_SMIN: return x < y ? a : b;
    case LW_GROUP_SMAX: return x > y ? a : b;
    case LW_GROUP_UMIN: return a < b ? a : b;
    case LW_GROUP_UMAX: return a > b ? a : b;
    case LW_GROUP_AND:
    case LW_GROUP_LAND: return a & b;
    case LW_GROUP_OR:
    case LW_GROUP_LOR: return a | b;
    case LW_GROUP_XOR:
    case LW_GROUP_LXOR: return a ^ b;
    case LW_GROUP_FADD: return value_from_real(t, d + e);
    case LW_GROUP_FMUL: return value_from_real(t, d * e);
    case LW_GROUP_FMIN: return value_from_real(t, fmin(d, e));
    default: return value_from_real(t, fmax(d, e));
    }
}

static uint64_t
identity(enum lw_group_op op, enum type t)
{
    uint64_t low = type_size(t) < 8 ? (1ull << (8 * type_size(t))) - 1 : ~0ull;

    switch (op) {
    case LW_GROUP_IMUL: return 1;
    case LW_GROUP_SMIN: return low >> 1;
    case LW_GROUP_SMAX: return (low >> 1) + 1;
    case LW_GROUP_UMIN:
    case LW_GROUP_AND: return low;
    case LW_GROUP_LAND: return 1;
    case LW_GROUP_FMUL: return value_from_real(t, 1);
    case LW_GROUP_FMIN: return value_from_real(t, INFINITY);
    case LW_GROUP_FMAX: return value_from_real(t, -INFINITY);
    default: return 0;
    }
}

/* NaN survives where nothing but NaN was there; the identity of an idle lane may take its place. */
static bool
same(enum lw_group_op op, enum type t, uint64_t got, uint64_t expected)
{
    if (value_same(t, got, expected))
        return true;
    return type_float(t) && isnan(value_real(t, expected)) && value_same(t, got, identity(op, t));
}

enum { REDUCE, INCLUSIVE, EXCLUSIVE, CLUSTERED };

static void
build(struct unit *u, const struct unit_case *c)
{
    enum lw_group_op op = (enum lw_group_op)c->a;
    V x = unit_in(u, c->t, 0);

    switch (c->b & 3) {
    case REDUCE: unit_out(u, lw_subgroup_reduce(&u->l, op, x, u->mask), 0); break;
    case INCLUSIVE: unit_out(u, lw_subgroup_scan_inclusive(&u->l, op, x, u->mask), 0); break;
    case EXCLUSIVE: unit_out(u, lw_subgroup_scan_exclusive(&u->l, op, x, u->mask), 0); break;
    default: unit_out(u, lw_subgroup_clustered(&u->l, op, x, u->mask, (unsigned)c->b >> 2), 0); break;
    }
}

static void
build_unmasked(struct unit *u, const struct unit_case *c)
{
    u->mask = c->b & 4 ? lane_all_true(&u->l) : NULL;
    build(u, c);
}

static bool
compare(const struct unit_case *c, const void *in, const void *out, unsigned n, uint64_t mask)
{
    enum lw_group_op op = (enum lw_group_op)c->a;
    unsigned cluster = (unsigned)c->b >> 2 && (c->b & 3) == CLUSTERED ? (unsigned)c->b >> 2 : n;

    cluster = cluster > n ? n : cluster;
    for (unsigned base = 0; base < n; base += cluster) {
        uint64_t sum = identity(op, c->t);
        bool nothing = true;
        for (unsigned i = base; i < base + cluster; i++) {
            bool active = mask >> i & 1;
            if ((c->b & 3) == EXCLUSIVE && active && !same(op, c->t, value_get(out, c->t, i), sum))
                return false;
            if (active)
                sum = nothing ? value_get(in, c->t, i) : apply(op, c->t, sum, value_get(in, c->t, i));
            nothing = nothing && !active;
            if ((c->b & 3) == INCLUSIVE && active && !same(op, c->t, value_get(out, c->t, i), sum))
                return false;
        }
        for (unsigned i = base; i < base + cluster; i++)
            if (((c->b & 3) == REDUCE && i == 0) || ((c->b & 3) == CLUSTERED && mask >> i & 1))
                if (!same(op, c->t, value_get(out, c->t, i), sum))
                    return false;
    }
    return true;
}

static bool
check(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[512];

    for (unsigned i = 0; i < n; i++)
        value_set(in, c->t, i, operand((enum lw_group_op)c->a, c->t));
    memset(out, 0xee, sizeof out);
    f(in, mask, out);
    return compare(c, in, out, n, mask);
}

static bool
check_unmasked(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    (void)mask;
    return check(c, f, n, ~0ull);
}

static unsigned
add_cases(struct unit_case *cases, int kind)
{
    unsigned count = 0;

    for (int op = 0; op < LW_GROUP_OP_COUNT; op++) {
        bool real = op == LW_GROUP_FADD || op == LW_GROUP_FMUL || op == LW_GROUP_FMIN || op == LW_GROUP_FMAX;
        bool logical = op == LW_GROUP_LAND || op == LW_GROUP_LOR || op == LW_GROUP_LXOR;
        int first = real ? T_HALF : logical ? T_I1 : T_I8, last = real ? T_DOUBLE : logical ? T_I1 : T_I64;
        for (int t = first; t <= last; t++)
            cases[count++] = (struct unit_case){build,        check, lw_group_op_name((enum lw_group_op)op),
                                                (enum type)t, op,    kind};
    }
    for (int t = T_I8; t <= T_DOUBLE; t++)
        cases[count++] = (struct unit_case){build_unmasked, check_unmasked, "unmasked add", (enum type)t,
                                            type_float((enum type)t) ? LW_GROUP_FADD : LW_GROUP_IADD, kind};
    return count;
}

START_TEST(reduce)
{
    struct unit_case cases[128];
    unit_run_cases(cases, add_cases(cases, REDUCE));
}
END_TEST

START_TEST(inclusive)
{
    struct unit_case cases[128];
    unit_run_cases(cases, add_cases(cases, INCLUSIVE));
}
END_TEST

START_TEST(exclusive)
{
    struct unit_case cases[128];
    unit_run_cases(cases, add_cases(cases, EXCLUSIVE));
}
END_TEST

START_TEST(clustered)
{
    struct unit_case cases[128];
    unit_run_cases(cases, add_cases(cases, CLUSTERED | 4 << 2));
}
END_TEST

START_TEST(clustered_other_sizes)
{
    struct unit_case cases[16];
    unsigned count = 0;

    for (int size = 1; size <= 64; size *= 2) {
        cases[count++] =
            (struct unit_case){build, check, "clustered", T_I32, LW_GROUP_IADD, CLUSTERED | size << 2};
        cases[count++] =
            (struct unit_case){build, check, "clustered", T_HALF, LW_GROUP_FMAX, CLUSTERED | size << 2};
    }
    unit_run_cases(cases, count);
}
END_TEST

/* Random floats round differently in another order: the bits must not depend on the ISA level. */
static void
build_order(struct unit *u, const struct unit_case *c)
{
    enum lw_group_op op = (enum lw_group_op)c->a;
    V x = unit_in(u, c->t, 0);

    unit_out(u, lw_subgroup_reduce(&u->l, op, x, u->mask), 0);
    unit_out(u, lw_subgroup_scan_inclusive(&u->l, op, x, u->mask), 512);
    unit_out(u, lw_subgroup_clustered(&u->l, op, x, u->mask, 8), 1024);
}

START_TEST(order_is_the_same_everywhere)
{
    static const enum type types[] = {T_HALF, T_FLOAT, T_DOUBLE};
    _Alignas(64) unsigned char in[512] = {0}, out[3][1536];

    for (unsigned k = 0; k < 5; k++) {
        for (unsigned t = 0; t < 3; t++) {
            unsigned n = unit_sizes[k];
            bool have_first = false;
            uint64_t mask = random_bits() | 1;
            for (unsigned i = 0; i < n; i++)
                value_set(in, types[t], i,
                          value_from_real(types[t], 1.0 + (double)(random_bits() % 100003) / 9973));
            for (unsigned i = 0; i < 3; i++) {
                struct unit_case c = {build_order, NULL, "order", types[t], LW_GROUP_FADD, 0};
                struct unit u;
                if (!unit_runs(unit_isas[i]))
                    continue;
                unit_begin(&u, unit_isas[i], n);
                unit_define(&u, "f");
                build_order(&u, &c);
                unit_finish(&u);
                unit_compile(&u, NULL);
                memset(out[i], 0, sizeof out[i]);
                unit_lookup(&u, "f")(in, mask, out[i]);
                unit_end(&u);
                for (unsigned part = 0; have_first && part < 3; part++)
                    for (unsigned lane = 0; lane < n; lane++)
                        ck_assert(!(mask >> lane & 1) ||
                                  value_get(out[0] + part * 512, types[t], lane) ==
                                      value_get(out[i] + part * 512, types[t], lane));
                have_first = true;
            }
        }
    }
}
END_TEST

void
add_groups(TCase *tests)
{
    tcase_add_test(tests, reduce);
    tcase_add_test(tests, inclusive);
    tcase_add_test(tests, exclusive);
    tcase_add_test(tests, clustered);
    tcase_add_test(tests, clustered_other_sizes);
    tcase_add_test(tests, order_is_the_same_everywhere);
}
