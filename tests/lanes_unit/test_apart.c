/* SPDX-License-Identifier: MIT */
/* Addresses made lane by lane (late/apart.c): what lands in memory, and that no vector of addresses is left.
 */
#include <check.h>
#include <string.h>

#include "tests.h"
#include "vectorizer/lanes/internal.h"

#define CELLS 1024 /* the base is in the middle */

enum { UPDATE, ATOMIC, SCATTER };
enum { FROM_VECTOR, FROM_SCALARS, OF_ROWS };

/* Indices at in, values at in + 512. */
static V
addresses(struct unit *u, const struct unit_case *c, enum type t)
{
    LLVMBuilderRef b = u->l.builder;
    LLVMTypeRef i64 = lw_lane_int_type(&u->l, 64), i32 = lw_lane_int_type(&u->l, 32);
    V index = unit_in(u, t, 0), base = u->out;

    if (c->a == FROM_SCALARS) {
        V vector = LLVMGetPoison(LLVMTypeOf(index));
        for (unsigned i = 0; i < u->l.n; i++)
            vector = LLVMBuildInsertElement(b, vector, unit_in_scalar(u, t, i * type_size(t)),
                                            lane_int(&u->l, 32, i), "");
        index = vector;
    }
    if (t != T_I64)
        index = c->b % 2 ? LLVMBuildSExt(b, index, lane_type(&u->l, i64), "")
                         : LLVMBuildZExt(b, index, lane_type(&u->l, i64), "");
    if (c->a != OF_ROWS)
        return LLVMBuildGEP2(b, i32, base, &index, 1, "");
    int64_t columns[64];
    for (int i = 0; i < 64; i++)
        columns[i] = i % 2;
    V lanes = lw_lane_const_vector(i64, columns, u->l.n);
    base = LLVMBuildGEP2(b, i32, base, &lanes, 1, "");
    return LLVMBuildGEP2(b, LLVMArrayType2(i32, 2), base, &index, 1, "");
}

static void
build_apart(struct unit *u, const struct unit_case *c)
{
    static const LLVMAtomicRMWBinOp add = LLVMAtomicRMWBinOpAdd;
    int what = c->b / 2;
    V pointers = addresses(u, c, c->t), value = unit_in(u, T_I32, 512),
      all = LLVMConstAllOnes(LLVMTypeOf(u->mask));

    if (what == UPDATE)
        lane_update(&u->l, add, pointers, value, false);
    else if (what == ATOMIC)
        lane_atomic_rmw(&u->l, add, pointers, value, all, LLVMAtomicOrderingMonotonic, false);
    else
        lane_scatter(&u->l, value, pointers, all, 4);
}

static bool
check_apart(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    int what = c->b / 2;
    _Alignas(64) unsigned char in[1024];
    uint32_t cells[CELLS], expected[CELLS];

    random_fill(in + 512, T_I32, 64);
    for (unsigned i = 0; i < CELLS; i++)
        cells[i] = expected[i] = (uint32_t)random_bits();
    for (unsigned i = 0; i < n; i++) {
        int64_t index = (int64_t)(random_bits() % 250);
        if (c->b % 2)
            index = index % 127 - (random_bits() % 2 ? 126 : 0);
        value_set(in, c->t, i, (uint64_t)index);
        int64_t cell = CELLS / 2 + (c->a == OF_ROWS ? 2 * index + i % 2 : index);
        uint32_t value = (uint32_t)value_get(in + 512, T_I32, i);
        expected[cell] = what == SCATTER ? value : expected[cell] + value;
    }
    f(in, mask, cells + CELLS / 2);
    return !memcmp(cells, expected, sizeof cells);
}

START_TEST(addresses_apart)
{
    struct unit_case cases[128];
    unsigned count = 0;

    for (int what = UPDATE; what <= SCATTER; what++)
        for (int from = FROM_VECTOR; from <= OF_ROWS; from++)
            for (int t = T_I8; t <= T_I64; t++)
                for (int sign = 0; sign < 2; sign++)
                    cases[count++] = (struct unit_case){build_apart,  check_apart, "address",
                                                        (enum type)t, from,        2 * what + sign};
    unit_run_cases(cases, count);
}
END_TEST

/* Moves out of vectors in the code of an update: whole words, but for the lower halves of them before
 * AVX2, and none where there never was a vector. */
START_TEST(words_move)
{
    static const struct {
        lw_isa isa;
        enum type t;
        int from;
        unsigned extractions, wide;
    } cases[] = {{LW_ISA_SSE42, T_I8, FROM_VECTOR, 8, 8},
                 {LW_ISA_SSE42, T_I32, FROM_VECTOR, 8, 4},
                 {LW_ISA_AVX2, T_I32, FROM_VECTOR, 8, 8},
                 {LW_ISA_SSE42, T_I32, FROM_SCALARS, 0, 0},
                 {LW_ISA_SSE42, T_I32, OF_ROWS, 8, 4}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u;
        unsigned found = 0, wide = 0;
        struct unit_case c = {build_apart, check_apart, "", cases[i].t, cases[i].from, 0};
        unit_begin(&u, cases[i].isa, 8);
        unit_define(&u, "f");
        V one = lane_splat(&u.l, lane_int(&u.l, 32, 1));
        lane_update(&u.l, LLVMAtomicRMWBinOpAdd, addresses(&u, &c, c.t), one, false);
        unit_finish(&u);
        lw_settle_lanes(u.l.module, cases[i].isa);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(u.l.function); b; b = LLVMGetNextBasicBlock(b))
            for (V x = LLVMGetFirstInstruction(b); x; x = LLVMGetNextInstruction(x)) {
                if (!LLVMIsAExtractElementInst(x))
                    continue;
                found++;
                wide += LLVMTypeOf(x) == lw_lane_int_type(&u.l, 64);
            }
        ck_assert_uint_eq(found, cases[i].extractions);
        ck_assert_uint_eq(wide, cases[i].wide);
        unit_end(&u);
    }
}
END_TEST

void
add_apart(TCase *tests)
{
    tcase_add_test(tests, addresses_apart);
    tcase_add_test(tests, words_move);
}
