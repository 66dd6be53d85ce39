/* SPDX-License-Identifier: MIT */
/* The rules for strided values against every value of 8-bit operands that agrees with what is claimed of
 * them. */
#include <check.h>

#include "random_ir.h"
#include "vectorizer/facts/offsets.h"

#define LANES 4
#define CLAIM(holds, ...)                                                                                    \
    do {                                                                                                     \
        if (!(holds))                                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)

static const LLVMOpcode ops[] = {LLVMAdd,  LLVMSub,  LLVMMul,  LLVMShl, LLVMLShr, LLVMAShr, LLVMUDiv,
                                 LLVMSDiv, LLVMURem, LLVMSRem, LLVMAnd, LLVMOr,   LLVMXor};

static struct lw_fact
random_fact(struct lw_offsets *o, uint64_t *seed, unsigned width)
{
    int64_t table[LANES] = {0}, stride = 1 << random_below(seed, 4);
    uint32_t kind = random_below(seed, 8), half = 1u << (width - 1);
    if (kind < 2)
        return lw_fact_constant(
            o, width, random_below(seed, 2) ? random_below(seed, 18) : random_below(seed, 2 * half));
    struct lw_fact f = lw_fact_uniform(o, width, false);
    for (unsigned i = 1; i < LANES && kind > 2; i++)
        table[i] = kind > 4 ? stride * i : (int64_t)random_below(seed, 17) - 6;
    f.offsets = lw_offsets_intern(o, table);
    f.exact_signed = f.exact_unsigned = LW_NOT_PROVED;
    f.known = (uint8_t)(random_below(seed, 2) ? random_below(seed, width + 1) : 0);
    f.residue = random_below(seed, 3) ? 0 : random_below(seed, 2 * half);
    if (random_below(seed, 2)) {
        f.lo = random_below(seed, 2) ? 0 : (int64_t)random_below(seed, half) - half / 2;
        f.hi = f.lo + random_below(seed, half - (uint32_t)(f.lo > 0 ? f.lo : 0));
    }
    lw_fact_finish(o, &f, width);
    return f;
}

static uint64_t
low_bits(unsigned count)
{
    return count ? UINT64_MAX >> (64 - count) : 0;
}

static int64_t
number(uint64_t bits, unsigned width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static uint64_t
lane_bits(const struct lw_fact *f, uint64_t base, unsigned lane, unsigned width)
{
    return (base + (uint64_t)f->offsets[lane]) & (low_bits(width));
}

/* Can `base` be the base of a value of which this is claimed? */
static bool
agrees(const struct lw_fact *f, uint64_t base, unsigned width)
{
    unsigned known = f->known < width ? f->known : width;
    if ((base ^ f->residue) & low_bits(known))
        return false;
    for (unsigned i = 0; i < LANES; i++) {
        int64_t n = number(lane_bits(f, base, i, width), width);
        if (n < f->lo || n > f->hi)
            return false;
    }
    return true;
}

static bool
compute(LLVMOpcode op, uint64_t a, uint64_t b, unsigned width, int64_t *exact_signed, int64_t *exact_unsigned)
{
    int64_t sa = number(a, width), sb = number(b, width), ua = (int64_t)a, ub = (int64_t)b;
    bool divides = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
    bool shifts = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
    if ((divides && b == 0) || (shifts && b >= width))
        return false;
    switch (op) {
    case LLVMAdd:
        *exact_signed = sa + sb;
        *exact_unsigned = ua + ub;
        return true;
    case LLVMSub:
        *exact_signed = sa - sb;
        *exact_unsigned = ua - ub;
        return true;
    case LLVMMul:
        *exact_signed = sa * sb;
        *exact_unsigned = ua * ub;
        return true;
    case LLVMShl:
        *exact_signed = sa * (1 << b);
        *exact_unsigned = ua << b;
        return true;
    case LLVMLShr:
        *exact_signed = *exact_unsigned = ua >> b;
        return true;
    case LLVMAShr:
        *exact_signed = *exact_unsigned = sa >> b;
        return true;
    case LLVMUDiv:
        *exact_signed = *exact_unsigned = ua / ub;
        return true;
    case LLVMSDiv:
        *exact_signed = *exact_unsigned = sa / sb;
        return true;
    case LLVMURem:
        *exact_signed = *exact_unsigned = ua % ub;
        return true;
    case LLVMSRem:
        *exact_signed = *exact_unsigned = sa % sb;
        return true;
    case LLVMAnd:
        *exact_signed = *exact_unsigned = ua & ub;
        return true;
    case LLVMOr:
        *exact_signed = *exact_unsigned = ua | ub;
        return true;
    default:
        *exact_signed = *exact_unsigned = ua ^ ub;
        return true;
    }
}

/* What is claimed of `r` against the lanes' values. `assumed`: no lane wrapped where flags say so. */
static void
check_result(const struct lw_fact *r, const uint64_t *lanes, unsigned width, bool nsw_holds, bool nuw_holds,
             unsigned round)
{
    uint64_t mask = low_bits(width);
    unsigned known = r->known < width ? r->known : width;
    for (unsigned i = 0; i < LANES; i++) {
        int64_t n = number(lanes[i], width), first = number(lanes[0], width);
        CLAIM(n >= r->lo && n <= r->hi, "round %u: %lld outside %lld..%lld", round, (long long)n,
              (long long)r->lo, (long long)r->hi);
        if (r->level == LW_LEVEL_VARYING)
            continue;
        CLAIM(((lanes[i] - lanes[0] - (uint64_t)r->offsets[i]) & mask) == 0, "round %u: offset of lane %u",
              round, i);
        CLAIM((r->level == LW_LEVEL_UNIFORM) ==
                  (r->offsets[LANES - 1] == 0 && r->offsets[1] == 0 && r->offsets[2] == 0),
              "round %u: level", round);
        if (r->exact_signed == LW_PROVED || (r->exact_signed == LW_ASSUMED && nsw_holds))
            CLAIM(n - first == r->offsets[i], "round %u: not exact as signed", round);
        if (r->exact_unsigned == LW_PROVED || (r->exact_unsigned == LW_ASSUMED && nuw_holds))
            CLAIM((int64_t)(lanes[i] - lanes[0]) == r->offsets[i], "round %u: not exact as unsigned", round);
    }
    if (r->level != LW_LEVEL_VARYING)
        CLAIM(((lanes[0] ^ r->residue) & low_bits(known)) == 0, "round %u: known bits", round);
}

/* Both return whether the result is strided. */
static bool
try_binary(struct lw_arena *arena, unsigned round)
{
    uint64_t seed = round * 31337 + 5;
    struct lw_offsets *o = lw_offsets_create(arena, LANES);
    struct lw_fact a = random_fact(o, &seed, 8), b = random_fact(o, &seed, 8);
    LLVMOpcode op = ops[random_below(&seed, sizeof ops / sizeof *ops)];
    bool flags = random_below(&seed, 2);
    struct lw_fact r = lw_fact_binary(o, op, a, b, 8, flags, flags);
    for (unsigned pair = 0; pair < 65536; pair += b.known >= 8 ? 256 : 1 + random_below(&seed, 64)) {
        uint64_t x = pair >> 8, y = b.known >= 8 ? b.residue : pair & 255, lanes[LANES];
        bool defined = agrees(&a, x, 8) && agrees(&b, y, 8), nsw = true, nuw = true;
        for (unsigned i = 0; i < LANES && defined; i++) {
            int64_t s, u;
            defined = compute(op, lane_bits(&a, x, i, 8), lane_bits(&b, y, i, 8), 8, &s, &u);
            lanes[i] = (uint64_t)u & 255;
            nsw &= s >= -128 && s <= 127;
            nuw &= u >= 0 && u <= 255;
        }
        if (defined)
            check_result(&r, lanes, 8, nsw, nuw, round);
    }
    return r.level == LW_LEVEL_STRIDED;
}

static bool
try_conversion(struct lw_arena *arena, unsigned round)
{
    static const unsigned widths[] = {16, 64, 4, 1, 7};
    uint64_t seed = round * 7121 + 3;
    struct lw_offsets *o = lw_offsets_create(arena, LANES);
    struct lw_fact a = random_fact(o, &seed, 8);
    unsigned to = widths[random_below(&seed, 5)];
    LLVMOpcode op = to < 8 ? LLVMTrunc : random_below(&seed, 2) ? LLVMSExt : LLVMZExt;
    struct lw_fact r = lw_fact_cast(o, op, a, 8, to, false);
    CLAIM(!r.assumes, "round %u: nothing was assumed", round);
    for (uint64_t x = 0; x < 256; x++) {
        uint64_t lanes[LANES];
        if (!agrees(&a, x, 8))
            continue;
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t bits = lane_bits(&a, x, i, 8);
            lanes[i] = (op == LLVMSExt ? (uint64_t)number(bits, 8) : bits) & (low_bits(to));
        }
        check_result(&r, lanes, to, true, true, round);
    }
    return r.level == LW_LEVEL_STRIDED;
}

struct trial {
    bool (*try)(struct lw_arena *arena, unsigned round);
    unsigned round;
    bool strided;
};

static void
do_trial(struct lw_arena *arena, void *data)
{
    struct trial *trial = data;
    trial->strided = trial->try(arena, trial->round);
}

static bool
with_arena(bool (*try)(struct lw_arena *arena, unsigned round), unsigned round)
{
    struct trial trial = {.try = try, .round = round};
    if (!lw_with_arena(do_trial, &trial))
        ck_abort_msg("no memory");
    return trial.strided;
}

START_TEST(binary_operations)
{
    unsigned strided = 0;
    for (unsigned round = 0; round < 60000; round++)
        strided += with_arena(try_binary, round);
    ck_assert_uint_gt(strided, 5000); /* the rules are not merely silent */
}
END_TEST

START_TEST(conversions)
{
    unsigned strided = 0;
    for (unsigned round = 0; round < 20000; round++)
        strided += with_arena(try_conversion, round);
    ck_assert_uint_gt(strided, 1000);
}
END_TEST

Suite *
offsets_suite(void)
{
    Suite *suite = suite_create("offsets");
    TCase *cases = tcase_create("offsets");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, binary_operations);
    tcase_add_test(cases, conversions);
    suite_add_tcase(suite, cases);
    return suite;
}
