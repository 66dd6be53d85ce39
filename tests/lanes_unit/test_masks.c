/* SPDX-License-Identifier: MIT */
/* Masks: any, all, first, last, bits, prefixes, select; constant masks fold away. */
#include "tests.h"

#include <string.h>

enum {
    BITS = 0,
    BITS64 = 8,
    ANY = 16,
    ALL,
    FIRST = 20,
    LAST = 24,
    BELOW32 = 64,
    BELOW64 = 128,
    AND = 192,
    ROUND = 256
};

static void
build(struct unit *u, const struct unit_case *c)
{
    lw_lanes *l = &u->l;
    V other = unit_in(u, T_I1, 16);

    (void)c;
    unit_out(u, LLVMBuildZExt(l->builder, lane_mask_bits(l, u->mask), unit_type(u, T_I64), ""), BITS);
    unit_out(u, lane_mask_bits64(l, u->mask), BITS64);
    unit_out(u, lane_any(l, u->mask), ANY);
    unit_out(u, lane_all(l, u->mask), ALL);
    unit_out(u, lane_first(l, u->mask), FIRST);
    unit_out(u, lane_last(l, u->mask), LAST);
    unit_out(u, lane_mask_below(l, unit_in_scalar(u, T_I32, 0)), BELOW32);
    unit_out(u, lane_mask_below(l, unit_in_scalar(u, T_I64, 8)), BELOW64);
    unit_out(u, lane_and(l, u->mask, other), AND);
    unit_out(u, lane_mask_from_bits(l, u->bits), ROUND);
}

static bool
check(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    static const int64_t counts[] = {0,  1,  3,         4,         17,        63,          64,
                                     65, -1, INT32_MAX, INT32_MIN, 1ll << 40, -(1ll << 40)};
    uint64_t all = n < 64 ? (1ull << n) - 1 : ~0ull;

    (void)c;
    for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++) {
        unsigned char in[80] = {0}, out[320];
        uint32_t first, last;
        int32_t low = (int32_t)counts[k];
        memcpy(in, &low, 4);
        memcpy(in + 8, &counts[k], 8);
        random_fill(in + 16, T_I1, n);
        f(in, mask, out);
        memcpy(&first, out + FIRST, 4);
        memcpy(&last, out + LAST, 4);
        if (value_get(out, T_I64, 0) != mask || value_get(out, T_I64, 1) != mask || out[ANY] != (mask != 0) ||
            out[ALL] != (mask == all) || first != (mask ? (unsigned)__builtin_ctzll(mask) : 0) ||
            last != (mask ? 63u - (unsigned)__builtin_clzll(mask) : 0))
            return false;
        for (unsigned i = 0; i < n; i++)
            if (out[BELOW32 + i] != ((int64_t)i < low) || out[BELOW64 + i] != ((int64_t)i < counts[k]) ||
                out[AND + i] != ((mask >> i & 1) && in[16 + i]) || out[ROUND + i] != (mask >> i & 1))
                return false;
    }
    return true;
}

START_TEST(masks)
{
    struct unit_case c = {build, check, "masks", T_I1, 0, 0};
    unit_run_cases(&c, 1);
}
END_TEST

START_TEST(full_masks_fold)
{
    struct unit u;

    unit_begin(&u, LW_ISA_AVX2, 8);
    unit_define(&u, "f");
    lw_lanes *l = &u.l;
    V x = unit_in(&u, T_I32, 0), all = lane_all_true(l);
    ck_assert(lane_mask_is_all(NULL) && lane_mask_is_all(all) && !lane_mask_is_all(u.mask));
    ck_assert(lane_select(l, all, x, LLVMConstNull(LLVMTypeOf(x))) == x);
    ck_assert(lane_select(l, NULL, x, LLVMConstNull(LLVMTypeOf(x))) == x);
    ck_assert(lane_and(l, all, u.mask) == u.mask && lane_and(l, u.mask, NULL) == u.mask);
    ck_assert(LLVMIsAConstantInt(lane_any(l, all)) && LLVMIsAConstantInt(lane_first(l, NULL)));
    ck_assert(LLVMIsALoadInst(lane_load_contiguous(l, unit_type(&u, T_I32), u.in, all, 4)));
    ck_assert(LLVMIsALoadInst(lane_load_uniform(l, unit_type(&u, T_I32), u.in, NULL, 4, false)));
    ck_assert(lane_extract(l, lane_splat(l, unit_in_scalar(&u, T_I32, 0)), lane_int(l, 32, 3)) != NULL);
    ck_assert_uint_eq(u.serialised, 0);
    unit_finish(&u);
    unit_end(&u);
}
END_TEST

static V
lane_number(lw_lanes *l, V lane, void *data)
{
    struct unit *u = data;
    V slot = u->in;

    (void)slot;
    return LLVMBuildMul(l->builder, lane, lane_int(l, 32, 3), "");
}

static V
lane_odd(lw_lanes *l, V lane, void *data)
{
    (void)data;
    return LLVMBuildTrunc(l->builder, lane, LLVMInt1TypeInContext(l->context), "");
}

static void
build_serial(struct unit *u, const struct unit_case *c)
{
    (void)c;
    unit_out(u, lane_serialise(&u->l, "test", u->mask, unit_type(u, T_I32), lane_number, u), 0);
    unit_out(u, lane_serialise(&u->l, "test", u->mask, unit_type(u, T_I1), lane_odd, u), 256);
    ck_assert(!lane_serialise(&u->l, "test", u->mask, NULL, lane_number, u));
}

static bool
check_serial(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    unsigned char out[320];

    (void)c;
    f(NULL, mask, out);
    for (unsigned i = 0; i < n; i++)
        if (value_get(out, T_I32, i) != (mask >> i & 1 ? 3 * i : 0) || out[256 + i] != (mask >> i & i & 1))
            return false;
    return true;
}

START_TEST(serialised)
{
    struct unit_case c = {build_serial, check_serial, "serialise", T_I32, 0, 0};
    unit_run_cases(&c, 1);
}
END_TEST

void
add_masks(TCase *tests)
{
    tcase_add_test(tests, masks);
    tcase_add_test(tests, full_masks_fold);
    tcase_add_test(tests, serialised);
}
