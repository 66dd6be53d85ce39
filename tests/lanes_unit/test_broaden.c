/* SPDX-License-Identifier: MIT */
/* Masks that go around loops: what lw_broaden_masks makes of them gives the same results, and has no mask of
 * i1 between blocks. */
#include "tests.h"

#include <stdlib.h>

static void
close_phi(V phi, V value, LLVMBasicBlockRef block)
{
    LLVMAddIncoming(phi, &value, &block, 1);
}

/* Lanes count down from their numbers; each leaves at zero, with its rounds. `seen` are those that passed a
 * multiple of three, `flips` goes by a uniform condition. */
static void
build_loop(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    LLVMContextRef context = u->l.context;
    LLVMBasicBlockRef round = LLVMAppendBasicBlockInContext(context, u->l.function, "round");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, u->l.function, "done");
    V zero = unit_splat(u, c->t, 0), one = unit_splat(u, c->t, 1), none = LLVMConstNull(LLVMTypeOf(u->mask));
    V start = LLVMBuildAnd(b, unit_in(u, c->t, 0), unit_splat(u, c->t, 15), "");

    LLVMBuildBr(b, round);
    LLVMPositionBuilderAtEnd(b, round);
    V alive = unit_phi(u, u->mask), seen = unit_phi(u, none), flips = unit_phi(u, none);
    V x = unit_phi(u, start), steps = unit_phi(u, zero),
      count = unit_phi(u, LLVMConstInt(unit_type(u, T_I32), 0, false));
    V more = LLVMBuildAdd(b, steps, LLVMBuildSelect(b, alive, one, zero, ""), "");
    V third = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildURem(b, x, unit_splat(u, c->t, 3), ""), zero, "");
    V next = LLVMBuildSub(b, x, one, ""), left = LLVMBuildICmp(b, LLVMIntSGT, next, zero, "");
    V now = LLVMBuildOr(b, seen, LLVMBuildAnd(b, alive, third, ""), "");
    V counted = LLVMBuildAdd(b, count, LLVMConstInt(unit_type(u, T_I32), 1, false), "");
    V uniform = LLVMBuildICmp(b, LLVMIntULT, counted, LLVMConstInt(unit_type(u, T_I32), 9, false), "");
    V flipped = LLVMBuildXor(b, flips, LLVMBuildSelect(b, lane_splat(&u->l, uniform), alive, third, ""), "");
    V goes = LLVMBuildSelect(b, alive, LLVMBuildFreeze(b, left, ""), none, "");
    close_phi(alive, goes, round);
    close_phi(seen, now, round);
    close_phi(flips, flipped, round);
    close_phi(x, next, round);
    close_phi(steps, more, round);
    close_phi(count, counted, round);
    LLVMBuildCondBr(b, lane_any(&u->l, goes), round, done);
    LLVMPositionBuilderAtEnd(b, done);
    unit_out(u, LLVMBuildSelect(b, now, more, LLVMBuildNeg(b, more, ""), ""), 0);
    unit_out(u, LLVMBuildSelect(b, flipped, one, zero, ""), 512);
    V whole = LLVMBuildSelect(b, lane_all(&u->l, flipped), one, zero, "");
    unit_out(u, whole, 1024);
}

static bool
check_loop(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) uint8_t in[512], out[1536];
    uint64_t x[64], steps[64] = {0};
    bool alive[64], seen[64] = {0}, flips[64] = {0}, any = true, all = true;
    unsigned bits = 8 * type_size(c->t);

    random_fill(in, c->t, n);
    for (unsigned i = 0; i < n; i++) {
        x[i] = value_get(in, c->t, i) & 15;
        alive[i] = mask >> i & 1;
    }
    for (unsigned count = 1; any; count++) {
        any = false;
        for (unsigned i = 0; i < n; i++) {
            uint64_t value = bits < 64 ? x[i] & ((1ull << bits) - 1) : x[i];
            bool third = value % 3 == 0, was = alive[i];
            steps[i] += was;
            seen[i] |= was && third;
            flips[i] ^= count < 9 ? was : third;
            x[i]--;
            alive[i] = was && (int64_t)(x[i] << (64 - bits)) > 0;
            any |= alive[i];
        }
    }
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        all &= flips[i];
    for (unsigned i = 0; i < n; i++) {
        uint64_t low = bits < 64 ? (1ull << bits) - 1 : ~0ull;
        uint64_t want = (seen[i] ? steps[i] : -steps[i]) & low;
        if ((value_get(out, c->t, i) & low) != want || (value_get(out + 512, c->t, i) & low) != flips[i] ||
            (value_get(out + 1024, c->t, i) & low) != all)
            return false;
    }
    return true;
}

START_TEST(loops)
{
    static const struct unit_case cases[] = {{build_loop, check_loop, "loop", T_I32, 0, 0},
                                             {build_loop, check_loop, "loop", T_I64, 0, 0},
                                             {build_loop, check_loop, "loop", T_I16, 0, 0},
                                             {build_loop, check_loop, "loop", T_I8, 0, 0}};
    unit_run_cases(cases, 4);
}
END_TEST

static unsigned
count_mask_phis(LLVMValueRef function)
{
    unsigned count = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
            LLVMTypeRef type = LLVMTypeOf(i);
            count += LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
                     LLVMGetElementType(type) == LLVMInt1TypeInContext(LLVMGetTypeContext(type));
        }
    return count;
}

START_TEST(phis)
{
    struct unit_case c = {build_loop, check_loop, "loop", T_I32, 0, 0};

    for (unsigned n = 8; n <= 64; n *= 2) {
        struct unit u;
        unit_begin(&u, LW_ISA_AVX2, n);
        unit_define(&u, "f");
        build_loop(&u, &c);
        unit_finish(&u);
        ck_assert_uint_eq(count_mask_phis(u.l.function), 3);
        ck_assert(lw_broaden_masks(u.l.module, LW_ISA_AVX2));
        ck_assert_uint_eq(count_mask_phis(u.l.function), 0);
        free(unit_assembly(&u));
        unit_end(&u);
    }
}
END_TEST

/* The width of the integers that the block behind makes `mask` of. */
static unsigned
width_of_wide(V mask)
{
    for (LLVMUseRef use = LLVMGetFirstUse(mask); use; use = LLVMGetNextUse(use))
        if (LLVMIsASExtInst(LLVMGetUser(use)))
            return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetUser(use))));
    return 0;
}

/* More comparisons of 64 bits than of 32 in the function: a mask of 32-bit lanes stays one. */
START_TEST(webs)
{
    struct unit u;
    V masks[3];

    unit_begin(&u, LW_ISA_AVX2, 8);
    unit_define(&u, "f");
    LLVMBasicBlockRef behind = LLVMAppendBasicBlockInContext(u.l.context, u.l.function, "behind");
    for (unsigned k = 0; k < 3; k++) {
        V in = unit_in(&u, k ? T_I64 : T_I32, 512 * k);
        masks[k] = LLVMBuildICmp(u.l.builder, LLVMIntSGT, in, unit_splat(&u, k ? T_I64 : T_I32, k), "");
    }
    LLVMBuildBr(u.l.builder, behind);
    LLVMPositionBuilderAtEnd(u.l.builder, behind);
    for (unsigned k = 0; k < 3; k++) {
        enum type t = k ? T_I64 : T_I32;
        unit_out(&u, LLVMBuildSelect(u.l.builder, masks[k], unit_splat(&u, t, 5), unit_splat(&u, t, 6), ""),
                 512 * k);
    }
    unit_finish(&u);
    ck_assert(lw_broaden_masks(u.l.module, LW_ISA_AVX2));
    for (unsigned k = 0; k < 3; k++)
        ck_assert_uint_eq(width_of_wide(masks[k]), k ? 64 : 32);
    free(unit_assembly(&u));
    unit_end(&u);
}
END_TEST

void
add_broaden(TCase *tests)
{
    tcase_add_test(tests, webs);
    tcase_add_test(tests, loops);
    tcase_add_test(tests, phis);
}
