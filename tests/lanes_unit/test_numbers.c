/* SPDX-License-Identifier: MIT */
/* Classes of numbers (late/classes.c), doubles that become 64-bit integers and the other way round
 * (late/conversions.c), products and quotients of these (late/words.c), floats that become bytes
 * (late/rounding.c): the results, and what is left to code generation. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "tests.h"
#include "vectorizer/lanes/internal.h"

/* llvm.is.fpclass's bits */
enum {
    NANS = 3,
    NEGATIVE = 0x1c,
    NEGATIVE_NORMAL = 8,
    SUBNORMAL = 0x90,
    ZEROS = 0x60,
    POSITIVE = 0x380,
    NORMAL = 0x108,
    INFINITIES = 0x204,
    ALL = 0x3ff
};

/* Those of which comparisons are made, and those of which none can be. */
static const unsigned tested[] = {
    POSITIVE,
    POSITIVE & ~INFINITIES,
    POSITIVE & ~SUBNORMAL,
    NEGATIVE | ZEROS,
    NEGATIVE | NANS,
    POSITIVE &NORMAL,
    (POSITIVE & NORMAL) | NANS,
    ALL & ~(POSITIVE &NORMAL),
    NORMAL,
    NORMAL | NANS,
    ALL & ~NORMAL,
    ALL & ~NORMAL & ~NANS,
    SUBNORMAL,
    INFINITIES,
    ALL & ~INFINITIES & ~NANS,
    ZEROS,
    ZEROS | SUBNORMAL | NANS,
    ZEROS | (SUBNORMAL & POSITIVE),
    ALL & ~ZEROS,
    NEGATIVE_NORMAL,
};
static const unsigned left[] = {1,
                                2,
                                POSITIVE | 1,
                                NORMAL | 2,
                                0x20,
                                0x40,
                                POSITIVE | 0x40,
                                NORMAL | SUBNORMAL | 0x20,
                                NEGATIVE_NORMAL | 0x200,
                                (SUBNORMAL & POSITIVE) | (INFINITIES & NEGATIVE)};

enum { TESTED = sizeof tested / sizeof *tested, LEFT = sizeof left / sizeof *left };

static unsigned
class_of(enum type t, uint64_t raw)
{
    double x = value_real(t, raw);
    bool negative = raw >> (type_size(t) * 8 - 1) & 1;

    if (isnan(x))
        return raw >> (t == T_FLOAT ? 22 : 51) & 1 ? 2 : 1;
    if (isinf(x))
        return negative ? 4 : 0x200;
    if (x == 0)
        return negative ? 0x20 : 0x40;
    if (fabs(x) < (t == T_FLOAT ? 0x1p-126 : 0x1p-1022))
        return negative ? 0x10 : 0x80;
    return negative ? 8 : 0x100;
}

/* The k-th test's answer is bit k of the lane's. */
static void
build_classes(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    V x = unit_in(u, c->t, 0), answers = unit_splat(u, T_I32, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    const unsigned *classes = c->a ? left : tested;

    for (int k = 0; k < c->b; k++) {
        V args[] = {x, lane_int(&u->l, 32, classes[k])};
        V answer = lw_lane_call(&u->l, "llvm.is.fpclass", &type, 1, args, 2);
        answer = LLVMBuildZExt(b, answer, LLVMTypeOf(answers), "");
        answer = LLVMBuildShl(b, answer, unit_splat(u, T_I32, (uint64_t)k), "");
        answers = LLVMBuildOr(b, answers, answer, "");
    }
    unit_out(u, answers, 0);
}

static bool
check_classes(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    static const double reals[] = {0, 1, 1e-310, 1e-40, 0x1p-126, 0x1p-1022, 3e38, 1e308, INFINITY, NAN};
    _Alignas(64) unsigned char in[512] = {0}, out[512];
    const unsigned *classes = c->a ? left : tested;

    for (unsigned i = 0; i < n; i++) {
        double x = reals[random_bits() % (sizeof reals / sizeof *reals)];
        uint64_t raw = value_from_real(c->t, x), sign = 1ull << (type_size(c->t) * 8 - 1);
        if (isnan(x) && random_bits() % 2) /* one that signals */
            raw = (c->t == T_FLOAT ? 0x7f800000 : 0x7ff0000000000000) + 1;
        value_set(in, c->t, i, random_bits() % 2 ? raw | sign : raw);
    }
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        for (int k = 0; k < c->b; k++)
            if ((value_get(out, T_I32, i) >> k & 1) !=
                ((class_of(c->t, value_get(in, c->t, i)) & classes[k]) != 0))
                return false;
    return true;
}

START_TEST(classes)
{
    struct unit_case cases[4];
    unsigned count = 0;

    for (int what = 0; what < 2; what++)
        for (int t = T_FLOAT; t <= T_DOUBLE; t++)
            cases[count++] = (struct unit_case){build_classes, check_classes, "class",
                                                (enum type)t,  what,          what ? LEFT : TESTED};
    unit_run_cases(cases, count);
}
END_TEST

enum { TO_LONG, TO_ULONG, FROM_LONG };

static void
build_conversion(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    V x = unit_in(u, c->a == FROM_LONG ? T_I64 : c->t, 0);
    LLVMTypeRef to = lane_type(&u->l, unit_type(u, c->a == FROM_LONG ? c->t : T_I64));

    unit_out(u,
             c->a == TO_LONG    ? LLVMBuildFPToSI(b, x, to, "")
             : c->a == TO_ULONG ? LLVMBuildFPToUI(b, x, to, "")
                                : LLVMBuildSIToFP(b, x, to, ""),
             0);
}

/* A number of any size that the integer has. */
static double
random_number(enum type t, bool is_signed)
{
    double x = ldexp((double)(random_bits() >> 11), -(int)(random_bits() % 70) + (is_signed ? 10 : 11));

    x = value_real(t, value_from_real(t, x));
    if (x >= (is_signed ? 0x1p63 : 0x1p64))
        x /= 2;
    if (random_bits() % 4 == 0)
        x = nearbyint(x) * 0.5;
    return is_signed ? (random_bits() % 2 ? -x : x) : random_bits() % 16 ? x : -0.75;
}

static bool
check_conversion(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[512];

    for (unsigned i = 0; i < n; i++) {
        if (c->a == FROM_LONG) {
            uint64_t shift = random_bits() % 64, number = random_value(T_I64);
            value_set(in, T_I64, i,
                      random_bits() % 2 ? (uint64_t)((int64_t)number >> shift) : number >> shift);
        } else {
            value_set(in, c->t, i, value_from_real(c->t, random_number(c->t, c->a == TO_LONG)));
        }
    }
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++) {
        double x = c->a == FROM_LONG ? 0 : value_real(c->t, value_get(in, c->t, i));
        int64_t number = (int64_t)value_get(in, T_I64, i);
        uint64_t wanted = c->a == TO_LONG    ? (uint64_t)(int64_t)x
                          : c->a == TO_ULONG ? (x <= -1 ? 0 : (uint64_t)fmax(x, 0))
                          : c->t == T_FLOAT  ? value_from_real(T_FLOAT, (double)(float)number)
                                             : value_from_real(T_DOUBLE, (double)number);
        if (value_get(out, c->a == FROM_LONG ? c->t : T_I64, i) != wanted)
            return false;
    }
    return true;
}

START_TEST(conversions)
{
    struct unit_case cases[6];
    unsigned count = 0;

    for (int what = TO_LONG; what <= FROM_LONG; what++)
        for (int t = T_FLOAT; t <= T_DOUBLE; t++)
            cases[count++] =
                (struct unit_case){build_conversion, check_conversion, "conversion", (enum type)t, what, 0};
    unit_run_cases(cases, count);
}
END_TEST

static const uint64_t divisors[] = {2,
                                    3,
                                    7,
                                    10,
                                    14,
                                    28,
                                    641,
                                    1000000007,
                                    0xffffffff,
                                    0x100000001,
                                    (1ull << 40) - 24,
                                    (1ull << 62) + 1,
                                    INT64_MAX,
                                    1ull << 50};

enum { DIVISORS = sizeof divisors / sizeof *divisors };

/* c->a: the instruction; c->b: the divisor's index */
static void
build_quotient(struct unit *u, const struct unit_case *c)
{
    V x = unit_in(u, T_I64, 0), d = unit_splat(u, T_I64, divisors[c->b]);

    unit_out(u, LLVMBuildBinOp(u->l.builder, (LLVMOpcode)c->a, x, d, ""), 0);
}

static uint64_t
quotient_of(LLVMOpcode opcode, uint64_t x, uint64_t d)
{
    return opcode == LLVMUDiv   ? x / d
           : opcode == LLVMURem ? x % d
           : opcode == LLVMSDiv ? (uint64_t)((int64_t)x / (int64_t)d)
                                : (uint64_t)((int64_t)x % (int64_t)d);
}

static bool
check_quotient(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[512];
    uint64_t d = divisors[c->b];

    for (unsigned i = 0; i < n; i++) {
        uint64_t x = random_value(T_I64) >> random_bits() % 64; /* multiples, and their neighbours */
        if (random_bits() % 4)
            x = (random_bits() % 2 ? UINT64_MAX - x : x) / d * d + random_bits() % 3 - 1;
        value_set(in, T_I64, i, random_bits() % 16 ? x : random_bits() % 2 ? 1ull << 63 : UINT64_MAX);
    }
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        if (value_get(out, T_I64, i) != quotient_of((LLVMOpcode)c->a, value_get(in, T_I64, i), d))
            return false;
    return true;
}

START_TEST(quotients)
{
    static const LLVMOpcode opcodes[] = {LLVMUDiv, LLVMURem, LLVMSDiv, LLVMSRem};
    struct unit_case cases[4 * DIVISORS];
    unsigned count = 0;

    for (int k = 0; k < 4; k++)
        for (int d = 0; d < DIVISORS; d++)
            cases[count++] =
                (struct unit_case){build_quotient, check_quotient, "quotient", T_I64, (int)opcodes[k], d};
    unit_run_cases(cases, count);
}
END_TEST

/* A product of the lower half, which takes part in another of 64 bits. */
static void
build_product(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    V x = unit_in(u, T_I64, 0), words = LLVMBuildTrunc(b, x, lane_type(&u->l, unit_type(u, T_I32)), "");

    words = LLVMBuildMul(b, words, unit_splat(u, T_I32, 0x88888889), "");
    V product = LLVMBuildZExt(b, words, LLVMTypeOf(x), "");
    if (c->a)
        product = LLVMBuildXor(b, product, x, "");
    unit_out(u, LLVMBuildMul(b, product, c->a ? product : unit_splat(u, T_I64, 0x178000001), ""), 0);
}

static bool
check_product(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[512];

    for (unsigned i = 0; i < n; i++)
        value_set(in, T_I64, i, random_value(T_I64));
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++) {
        uint64_t x = value_get(in, T_I64, i), product = (uint32_t)x * 0x88888889u;
        product = c->a ? (product ^ x) * (product ^ x) : product * 0x178000001;
        if (value_get(out, T_I64, i) != product)
            return false;
    }
    return true;
}

START_TEST(products)
{
    const struct unit_case cases[] = {{build_product, check_product, "product", T_I64, 0, 0},
                                      {build_product, check_product, "product, xor", T_I64, 1, 0}};

    unit_run_cases(cases, 2);
}
END_TEST

enum { BYTES, OF_WORDS, OF_BOUNDED_WORDS };

/* Floats that become bytes, at once or by words. */
static void
build_bytes(struct unit *u, const struct unit_case *c)
{
    LLVMBuilderRef b = u->l.builder;
    V x = unit_in(u, T_FLOAT, 0), zero = LLVMConstNull(LLVMTypeOf(x));
    V most = lane_splat(&u->l, LLVMConstReal(unit_type(u, T_FLOAT), 255));
    LLVMTypeRef bytes = lane_type(&u->l, unit_type(u, T_I8));

    if (c->a == OF_BOUNDED_WORDS) {
        x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, zero, ""), x, zero, "");
        x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, most, ""), x, most, "");
    }
    V words = c->a == BYTES ? NULL : LLVMBuildFPToSI(b, x, lane_type(&u->l, unit_type(u, T_I32)), "");
    unit_out(u, words ? LLVMBuildTrunc(b, words, bytes, "") : LLVMBuildFPToUI(b, x, bytes, ""), 0);
}

static bool
check_bytes(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[512];

    for (unsigned i = 0; i < n; i++) {
        double x = (double)(random_bits() % 2560) / 10;
        if (c->a != BYTES && random_bits() % 4 == 0)
            x = x * 100 - 9000;
        value_set(in, T_FLOAT, i, value_from_real(T_FLOAT, x));
    }
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++) {
        double x = value_real(T_FLOAT, value_get(in, T_FLOAT, i));
        if (value_get(out, T_I8, i) != (uint8_t)(int)(c->a == OF_BOUNDED_WORDS ? fmin(fmax(x, 0), 255) : x))
            return false;
    }
    return true;
}

START_TEST(bytes)
{
    struct unit_case cases[3];

    for (int what = BYTES; what <= OF_BOUNDED_WORDS; what++)
        cases[what] = (struct unit_case){build_bytes, check_bytes, "bytes", T_FLOAT, what, 0};
    unit_run_cases(cases, 3);
}
END_TEST

/* Tests of classes, conversions of 64-bit integers, their quotients, and extensions, behind the passes. */
static unsigned
instructions_left(const struct unit_case *c)
{
    struct unit u;
    unsigned found = 0;

    unit_begin(&u, LW_ISA_AVX2, 8);
    unit_define(&u, "f");
    c->build(&u, c);
    unit_finish(&u);
    lw_settle_classes(u.l.module);
    lw_settle_conversions(u.l.module);
    lw_settle_words(u.l.module, u.l.isa);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(u.l.function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            found += LLVMIsAFPToSIInst(i) || LLVMIsAFPToUIInst(i) || LLVMIsASIToFPInst(i) ||
                     (LLVMIsAZExtInst(i) && lw_lane_bits(lw_lane_element(i)) == 64) ||
                     LLVMGetInstructionOpcode(i) == LLVMUDiv ||
                     LLVMGetInstructionOpcode(i) == LLVMSRem ||
                     (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
                      !strncmp(LLVMGetValueName(LLVMGetCalledValue(i)), "llvm.is.fpclass", 15));
    unit_end(&u);
    return found;
}

START_TEST(nothing_left)
{
    static const struct {
        struct unit_case c;
        unsigned left;
    } cases[] = {
        {{build_classes, NULL, "", T_DOUBLE, 0, TESTED}, 0},
        {{build_classes, NULL, "", T_FLOAT, 1, LEFT}, LEFT},
        {{build_conversion, NULL, "", T_DOUBLE, TO_LONG, 0}, 0},
        {{build_conversion, NULL, "", T_FLOAT, TO_ULONG, 0}, 0},
        {{build_conversion, NULL, "", T_DOUBLE, FROM_LONG, 0}, 0},
        {{build_conversion, NULL, "", T_FLOAT, FROM_LONG, 0}, 1},
        {{build_quotient, NULL, "", T_I64, LLVMUDiv, 2}, 0},
        {{build_quotient, NULL, "", T_I64, LLVMSRem, 4}, 0},
        {{build_product, NULL, "", T_I64, 0, 0}, 0},
        {{build_product, NULL, "", T_I64, 1, 0}, 1},
    };

    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        ck_assert_uint_eq(instructions_left(&cases[k].c), cases[k].left);
}
END_TEST

void
add_numbers(TCase *tests)
{
    tcase_add_test(tests, classes);
    tcase_add_test(tests, conversions);
    tcase_add_test(tests, quotients);
    tcase_add_test(tests, products);
    tcase_add_test(tests, bytes);
    tcase_add_test(tests, nothing_left);
}
