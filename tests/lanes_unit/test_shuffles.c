/* SPDX-License-Identifier: MIT */
/* Shuffles, rotations, broadcasts and all_equal against indexing in C. */
#include "tests.h"

#include <math.h>
#include <string.h>

enum { SHUFFLE, XOR, UP, DOWN, XOR_UNIFORM, UP_UNIFORM, DOWN_UNIFORM, CONSTANT, ROTATE, ROTATE_4, KINDS };

/* in: values at 0, lanes (i32) at 512. */
static void
build(struct unit *u, const struct unit_case *c)
{
    lw_lanes *l = &u->l;
    V x = unit_in(u, c->t, 0), lanes = unit_in(u, T_I32, 512), one = unit_in_scalar(u, T_I32, 512), result;

    switch (c->a) {
    case SHUFFLE: result = lw_subgroup_shuffle(l, x, lanes); break;
    case XOR: result = lw_subgroup_shuffle_xor(l, x, lanes); break;
    case UP: result = lw_subgroup_shuffle_up(l, x, lanes); break;
    case DOWN: result = lw_subgroup_shuffle_down(l, x, lanes); break;
    case XOR_UNIFORM: result = lw_subgroup_shuffle_xor(l, x, one); break;
    case UP_UNIFORM: result = lw_subgroup_shuffle_up(l, x, one); break;
    case DOWN_UNIFORM: result = lw_subgroup_shuffle_down(l, x, one); break;
    case CONSTANT: result = lw_subgroup_shuffle_xor(l, x, lane_int(l, 32, 3)); break;
    case ROTATE: result = lw_subgroup_rotate(l, x, one, l->n); break;
    default: result = lw_subgroup_rotate(l, x, one, 4); break;
    }
    unit_out(u, result, 0);
}

static unsigned
source(int kind, unsigned i, uint32_t own, uint32_t first, unsigned n)
{
    switch (kind) {
    case SHUFFLE: return own % n;
    case XOR: return (i ^ own) % n;
    case UP: return (i - own) % n;
    case DOWN: return (i + own) % n;
    case XOR_UNIFORM: return (i ^ first) % n;
    case UP_UNIFORM: return (i - first) % n;
    case DOWN_UNIFORM: return (i + first) % n;
    case CONSTANT: return i ^ 3;
    case ROTATE: return (i + first) % n;
    default: return i / 4 * 4 + (i + first) % 4;
    }
}

static bool
same_bits(const void *a, unsigned i, const void *b, unsigned j, enum type t)
{
    return value_get(a, t, i) == value_get(b, t, j);
}

static bool
check(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, out[512];
    uint32_t lanes[64];

    random_fill(in, c->t, n);
    for (unsigned i = 0; i < n; i++)
        lanes[i] = (uint32_t)(random_bits() % (i % 7 ? 2 * n : 1u << 31));
    memcpy(in + 512, lanes, n * 4);
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        if (!same_bits(out, i, in, source(c->a, i, lanes[i], lanes[0], n), c->t))
            return false;
    return true;
}

START_TEST(shuffle)
{
    struct unit_case cases[KINDS * TYPE_COUNT];
    unsigned count = 0;

    for (int kind = 0; kind < KINDS; kind++)
        for (int t = 0; t < TYPE_COUNT; t++)
            if (kind < 2 || t == T_I1 || t == T_I16 || t == T_FLOAT || t == T_I64)
                cases[count++] = (struct unit_case){build, check, "shuffle", (enum type)t, kind, 0};
    unit_run_cases(cases, count);
}
END_TEST

static void
build_broadcast(struct unit *u, const struct unit_case *c)
{
    lw_lanes *l = &u->l;
    V x = unit_in(u, c->t, 0), lane = unit_in_scalar(u, T_I32, 512);

    unit_out(u, lw_subgroup_broadcast(l, x, lane), 0);
    unit_out(u, lw_subgroup_broadcast(l, x, lane_int(l, 32, 2)), 8);
    unit_out(u, lw_subgroup_broadcast_first(l, x, u->mask), 16);
    unit_out(u, lw_subgroup_broadcast_first(l, x, NULL), 24);
    unit_out(u, lane_extract(l, x, unit_in_scalar(u, T_I64, 512)), 32);
}

static bool
check_broadcast(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, out[512];
    uint32_t lane = (uint32_t)(random_bits() % (2 * n));
    unsigned first = mask ? (unsigned)__builtin_ctzll(mask) : 0;

    random_fill(in, c->t, n);
    memcpy(in + 512, &lane, 4);
    f(in, mask, out);
    return same_bits(out, 0, in, lane % n, c->t) && same_bits(out + 8, 0, in, 2, c->t) &&
           same_bits(out + 16, 0, in, first, c->t) && same_bits(out + 24, 0, in, 0, c->t) &&
           same_bits(out + 32, 0, in, lane % n, c->t);
}

static void
build_all_equal(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lw_subgroup_all_equal(&u->l, unit_in(u, c->t, 0), u->mask), 0);
    unit_out(u, lw_subgroup_all_equal(&u->l, unit_in(u, c->t, 0), NULL), 1);
}

static bool
all_equal(const void *in, enum type t, unsigned n, uint64_t mask)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            uint64_t a = value_get(in, t, i), b = value_get(in, t, j);
            if (mask >> i & mask >> j & 1)
                if (type_float(t) ? value_real(t, a) != value_real(t, b) : a != b)
                    return false;
        }
    return true;
}

static bool
check_all_equal(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, out[2];

    for (unsigned round = 0; round < 6; round++) {
        uint64_t value = random_value(c->t);
        for (unsigned i = 0; i < n; i++)
            value_set(in, c->t, i, round < 2 || mask >> i & 1 ? value : random_value(c->t));
        if (round == 1 || round == 3)
            value_set(in, c->t, (unsigned)(random_bits() % n), random_value(c->t));
        if (type_float(c->t) && round == 4)
            value_set(in, c->t, n - 1, value_from_real(c->t, NAN));
        f(in, mask, out);
        if ((mask && out[0] != all_equal(in, c->t, n, mask)) || out[1] != all_equal(in, c->t, n, ~0ull))
            return false;
    }
    return true;
}

START_TEST(broadcast)
{
    struct unit_case cases[2 * TYPE_COUNT];
    unsigned count = 0;

    for (int t = 0; t < TYPE_COUNT; t++) {
        cases[count++] =
            (struct unit_case){build_broadcast, check_broadcast, "broadcast", (enum type)t, 0, 0};
        if (t != T_PTR)
            cases[count++] =
                (struct unit_case){build_all_equal, check_all_equal, "all_equal", (enum type)t, 0, 0};
    }
    unit_run_cases(cases, count);
}
END_TEST

void
add_shuffles(TCase *tests)
{
    tcase_add_test(tests, shuffle);
    tcase_add_test(tests, broadcast);
}
