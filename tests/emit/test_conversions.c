/* SPDX-License-Identifier: MIT */
/* Every conversion between 8 integer and 3 floating types, saturated or not, in every rounding mode, against
 * the reference below: exact values as long double or 128-bit integers, rounded by search among the target's
 * values. test_conversions MODULE.spv TABLE.txt */
#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../run_suite.h"
#include "jit.h"

static const char *module_path, *table_path;

struct row {
    char kernel[16], from[8], to[8], rounding[16];
    int saturated, offset;
};

static int
width(const char *type)
{
    return atoi(type + 1);
}

static long double
half_value(unsigned bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    long double v = exponent ? ldexpl(1024 + fraction, exponent - 25) : ldexpl(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

/* A positive value to half: the neighbours below and above by search. */
static unsigned
to_half(long double x, const char *rounding)
{
    unsigned sign = signbit(x) ? 0x8000 : 0, low = 0, high = 0x7c00;
    long double m = fabsl(x);
    if (isnan(x))
        return 0x7e00;
    if (isinf(x))
        return sign | 0x7c00;
    while (high - low > 1) { /* half_value(low) <= m < half_value(high), infinity counting as 65536 */
        unsigned middle = (low + high) / 2;
        if (half_value(middle) <= m)
            low = middle;
        else
            high = middle;
    }
    if (half_value(low) == m)
        return sign | low;
    if (!strcmp(rounding, "rtz") || !strcmp(rounding, sign ? "rtp" : "rtn"))
        return sign | low;
    if (!strcmp(rounding, "rtn") || !strcmp(rounding, "rtp"))
        return sign | high;
    long double middle = (half_value(low) + half_value(high)) / 2;
    bool up = m > middle || (m == middle && (low & 1));
    return sign | (up ? high : low);
}

static int
mode(const char *rounding)
{
    return !strcmp(rounding, "rtz") ? FE_TOWARDZERO : !strcmp(rounding, "rtp") ? FE_UPWARD
           : !strcmp(rounding, "rtn") ? FE_DOWNWARD : FE_TONEAREST;
}

static long double
source_value(const char *type, uint64_t bits, bool *is_nan)
{
    float f;
    double d;
    *is_nan = false;
    switch (type[0] == 'f' ? width(type) : 0) {
    case 16:
        *is_nan = (bits & 0x7fff) > 0x7c00;
        return (bits & 0x7fff) == 0x7c00 ? (bits & 0x8000 ? -INFINITY : INFINITY)
                                         : half_value((unsigned)bits & 0xffff);
    case 32: memcpy(&f, &bits, 4); *is_nan = isnan(f); return f;
    case 64: memcpy(&d, &bits, 8); *is_nan = isnan(d); return d;
    default: break;
    }
    int shift = 64 - width(type);
    return type[0] == 'u' ? (long double)(bits << shift >> shift)
                          : (long double)((int64_t)(bits << shift) >> shift);
}

/* The expected low bits of an integer; false where the result is undefined. */
static bool
to_int(const struct row *row, long double x, bool is_nan, uint64_t *out)
{
    int bits = width(row->to);
    bool is_signed = row->to[0] == 'i';
    long double low = is_signed ? -ldexpl(1, bits - 1) : 0, high = ldexpl(1, is_signed ? bits - 1 : bits) - 1;
    if (is_nan) {
        *out = 0;
        return row->saturated;
    }
    fesetround(!strcmp(row->rounding, "default") ? FE_TOWARDZERO : mode(row->rounding));
    volatile long double rounded = isinf(x) ? x : rintl(x);
    fesetround(FE_TONEAREST);
    bool outside = rounded < low || rounded > high;
    if (outside && !row->saturated && row->from[0] == 'f')
        return false;
    if (outside && row->saturated)
        rounded = rounded < low ? low : high;
    *out = (uint64_t)(__int128)rounded;
    return true;
}

static void
check_row(const struct row *row, uint64_t bits, const uint8_t *result)
{
    bool is_nan;
    long double x = source_value(row->from, bits, &is_nan);
    uint64_t expected = 0, got = 0;
    int size = width(row->to) / 8;
    memcpy(&got, result, size);
    if (row->to[0] != 'f') {
        if (!to_int(row, x, is_nan, &expected))
            return;
    } else if (size == 2) {
        if (is_nan && (got & 0x7fff) > 0x7c00)
            return;
        expected = to_half(x, row->rounding);
    } else {
        fesetround(mode(row->rounding));
        volatile long double exact = x;
        volatile float f = (float)exact;
        volatile double d = (double)exact;
        fesetround(FE_TONEAREST);
        memcpy(&expected, size == 4 ? (void *)&f : (void *)&d, size);
        double back = 0;
        float back32;
        memcpy(&back32, result, 4);
        memcpy(&back, result, size == 8 ? 8 : 0);
        if (is_nan && isnan(size == 4 ? back32 : back))
            return;
    }
    expected = size == 8 ? expected : expected & ((1ull << 8 * size) - 1);
    ck_assert_msg(got == expected, "%s to %s%s %s of %#llx: %#llx, expected %#llx", row->from, row->to,
                  row->saturated ? " sat" : "", row->rounding, (unsigned long long)bits,
                  (unsigned long long)got, (unsigned long long)expected);
}

static uint64_t
sample(const char *type, unsigned i, uint64_t *seed)
{
    /* clang-format off */
    static const double values[] = {
        0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 127.5, 128, 255.5, -128.5, -129,
        32767.5, 65535.5, 65504, 65519.9, 65520, 65536, -65520, 2147483647.5, 2147483648.0,
        -2147483649.0, 4294967295.5, 4294967296.0, 9223372036854775807.0, -9223372036854775808.0,
        18446744073709551615.0, 1e20, -1e20, 1e-8, 2e-8, 3e-8, 6.1e-5, -6.1e-5, 1e-40, 1e-46,
        -1e-46, 1e39, -1e39, 3.4028235677973366e38, 1e300, 5e-324, INFINITY, -INFINITY, NAN,
        16777217, 2049, 2051, 0.1
    };
    /* clang-format on */
    static const uint64_t ints[] = {0,
                                    1,
                                    127,
                                    128,
                                    129,
                                    255,
                                    256,
                                    2049,
                                    2051,
                                    32767,
                                    32768,
                                    65504,
                                    65519,
                                    65520,
                                    65535,
                                    65536,
                                    16777217,
                                    16777219,
                                    33554434,
                                    2147483520,
                                    2147483583,
                                    2147483584,
                                    2147483647,
                                    2147483648,
                                    4294967295,
                                    4294967296,
                                    9007199254740993,
                                    9007199254740995,
                                    0x7fffffffffffffff,
                                    0x7ffffffffffffc00,
                                    0x7ffffffffffffdff,
                                    0x8000000000000000,
                                    0xfffffffffffffbff,
                                    0xfffffffffffff7ff,
                                    0xffffffffffffffff,
                                    0xffffff0000000000,
                                    0xffffff7fffffffff,
                                    0xffffff8000000001,
                                    0xff00000080000001};
    uint64_t bits = 0;
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    if (type[0] != 'f')
        return i < 39 ? ints[i] : i < 78 ? -ints[i - 39] : (*seed ^ *seed >> 29) >> (i % 61);
    if (i >= sizeof values / sizeof *values)
        return i < 256 ? *seed >> (64 - width(type)) : *seed;
    float f = (float)values[i];
    if (width(type) == 16)
        return to_half(values[i], "rte");
    memcpy(&bits, width(type) == 32 ? (void *)&f : (void *)&values[i], width(type) / 8);
    return bits;
}

static void
call(void *kernel, const char *type, uint8_t *out, uint64_t bits)
{
    float f;
    double d;
    memcpy(&f, &bits, 4);
    memcpy(&d, &bits, 8);
    switch (type[0] == 'f' ? width(type) : 0) {
    case 16: {
        _Float16 h;
        memcpy(&h, &bits, 2);
        ((void (*)(void *, _Float16))kernel)(out, h);
        break;
    }
    case 32: ((void (*)(void *, float))kernel)(out, f); break;
    case 64: ((void (*)(void *, double))kernel)(out, d); break;
    default: ((void (*)(void *, uint64_t))kernel)(out, bits); break;
    }
}

START_TEST(all)
{
    static struct row rows[2000];
    unsigned count = 0;
    FILE *file = fopen(table_path, "r");
    ck_assert_ptr_nonnull(file);
    while (count < 2000 &&
           fscanf(file, "%15s %7s %7s %d %15s %d", rows[count].kernel, rows[count].from, rows[count].to,
                  &rows[count].saturated, rows[count].rounding, &rows[count].offset) == 6)
        count++;
    fclose(file);
    ck_assert_uint_gt(count, 400);
    for (unsigned first = 0, end; first < count; first = end) {
        for (end = first; end < count && !strcmp(rows[end].kernel, rows[first].kernel);)
            end++;
        void *kernel = jit_kernel(module_path, rows[first].kernel, NULL);
        ck_assert_ptr_nonnull(kernel);
        uint64_t seed = first;
        for (unsigned i = 0; i < 2000; i++) {
            _Alignas(8) uint8_t out[1600] = {0};
            uint64_t bits = sample(rows[first].from, i, &seed);
            call(kernel, rows[first].from, out, bits);
            for (unsigned r = first; r < end; r++)
                check_row(&rows[r], bits, out + rows[r].offset);
        }
    }
    jit_close();
}
END_TEST

int
main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    module_path = argv[1];
    table_path = argv[2];
    Suite *suite = suite_create("conversions");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, all);
    suite_add_tcase(suite, tests);
    return run_suite_here(suite);
}
