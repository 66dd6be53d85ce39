/* SPDX-License-Identifier: MIT */
/* vectors.cl on every instruction set, sub-group size and in every tier: fmax and its like with NaN that
 * signal, lengths and directions of vectors over the whole range, half_ and native_ functions of huge
 * arguments, fma of halves. */
#include <check.h>
#include <lanewise/lanewise.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"

#define VARIANTS 18

static const char *module_path;
static lw_device *device;
static lw_program *program;
static uint32_t lanes;
static lw_error e;

/* Loop index: ISA level, sub-group size and tier. */
static void
open_variant(int variant)
{
    static const char *const tiers[] = {"masked", "specialised"};
    static const uint32_t sizes[] = {4, 16, 64};
    lw_isa isa = (lw_isa)(variant % 3 + 1);
    setenv("LANEWISE_TIER", tiers[variant / 9], 1);
    isa = isa > lw_isa_host() ? lw_isa_host() : isa;
    lanes = sizes[variant / 3 % 3];
    device = lw_device_create(&(lw_device_options){.threads = 2, .isa = isa}, &e);
    ck_assert_msg(device, "%s", e.text);
    program = lw_program_load_file(device, module_path, &e);
    ck_assert_msg(program, "%s", e.text);
}

static void
close_variant(void)
{
    lw_program_release(program);
    lw_device_release(device);
}

/* `arrays[k]` of `sizes[k]` bytes, for `items` work-items. */
static void
run(const char *name, void *const *arrays, const size_t *sizes, uint32_t count, size_t items)
{
    lw_kernel *kernel = lw_kernel_create(program, name, &e);
    ck_assert_msg(kernel, "%s", e.text);
    lw_ndrange range = {1, {items}, {64}, {0}};
    bool good = lw_kernel_set_sub_group_size(kernel, lanes, &e);
    for (uint32_t k = 0; k < count; k++)
        good = good && lw_kernel_set_arg_pointer(kernel, k, arrays[k], sizes[k], &e);
    good = good && lw_kernel_run(kernel, &range, &e);
    ck_assert_msg(good, "%s", e.text);
    lw_kernel_release(kernel);
}

/* ---- Numbers as bits ---- */

static double
number(const void *array, size_t i, unsigned size)
{
    if (size > 2) { /* NaN quiet: glibc's fmax makes a NaN of one that signals */
        double d = size == 8 ? ((const double *)array)[i] : (double)((const float *)array)[i];
        return isnan(d) ? NAN : d;
    }
    uint16_t h = ((const uint16_t *)array)[i];
    int exponent = h >> 10 & 31, m = h & 1023;
    double v = exponent == 31 ? (m ? NAN : INFINITY)
                              : ldexp(exponent ? 1024 + m : m, (exponent ? exponent : 1) - 25);
    return h & 0x8000 ? -v : v;
}

static int
digits_of(unsigned size)
{
    return size == 2 ? 11 : size == 4 ? 24 : 53;
}

static int
least_of(unsigned size)
{
    return size == 2 ? -14 : size == 4 ? -126 : -1022;
}

/* The distance in units of the last place of `want`, infinity counting as the power of two behind the
 * greatest. */
static double
error_of(double got, long double want, unsigned size)
{
    long double top = ldexpl(1, 2 - least_of(size));
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    long double value = isinf(got) ? copysignl(top, got) : got;
    want = fabsl(want) > top ? copysignl(top, want) : want;
    int exponent = want == 0 || ilogbl(want) < least_of(size) ? least_of(size) : ilogbl(want);
    return (double)ldexpl(fabsl(value - want), digits_of(size) - 1 - exponent);
}

/* ---- fmax and its like ---- */

#define VALUES 12
static const uint64_t values[3][VALUES] = {
    {0x7d01, 0xfc01, 0x7e00, 0x3c00, 0xc100, 0x0001, 0x8000, 0x7bff, 0x7c00, 0xfc00, 0x4200, 0x83ff},
    {0x7fa00001, 0xff800001, 0x7fc00000, 0x3f800000, 0xc0200000, 1, 0x80000000, 0x7f7fffff, 0x7f800000,
     0xff800000, 0x40400000, 0x807fffff},
    {0x7ff4000000000001, 0xfff0000000000001, 0x7ff8000000000000, 0x3ff0000000000000, 0xc004000000000000, 1,
     0x8000000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x4008000000000000,
     0x800fffffffffffff}};

static double
magnitude(double a, double b, bool greater)
{
    if (fabs(a) != fabs(b) && !isnan(a) && !isnan(b))
        return (fabs(a) > fabs(b)) == greater ? a : b;
    return greater ? fmax(a, b) : fmin(a, b);
}

/* The nine numbers, put in order by exchanges of neighbours: a NaN takes its neighbour's value. */
static void
order(double *p)
{
    for (int k = 0; k < 8; k++)
        for (int j = 0; j < 8 - k; j++) {
            double low = fmin(p[j], p[j + 1]), high = fmax(p[j], p[j + 1]);
            p[j] = low;
            p[j + 1] = high;
        }
}

static void
expect_extrema(double a, double b, double *o)
{
    double most = fmax(a, b), least = fmin(a, b), p[9];
    const double expected[23] = {most,
                                 least,
                                 magnitude(a, b, true),
                                 magnitude(a, b, false),
                                 most,
                                 most,
                                 a,
                                 b,
                                 least,
                                 least,
                                 least,
                                 magnitude(a, b, true),
                                 magnitude(a, b, true),
                                 magnitude(a, b, false),
                                 magnitude(a, b, false),
                                 least,
                                 b,
                                 fmax(a, 2),
                                 fmin(a, 2),
                                 fmax(most, 0),
                                 fmin(least, 1),
                                 fmin(fmax(a, -2), 3),
                                 fmax(most, -INFINITY)};
    memcpy(o, expected, sizeof expected);
    for (int k = 0; k < 9; k++)
        p[k] = k == 4 ? b : k == 7 ? a : k - 3;
    order(p);
    o[23] = p[4];
    o[24] = p[8];
    o[25] = p[0];
    o[26] = isnan(a) || isnan(b) ? NAN : a <= b ? 0 : a - b;
    o[27] = 1;
    o[28] = isinf(a) || isinf(b) ? INFINITY : isnan(a) || isnan(b) ? NAN : -1; /* -1: not compared */
    o[29] = isnan(a) || isnan(b) || isinf(a) || b == 0 ? NAN : -1;
    o[30] = isnan(a) || isnan(b) ? NAN : -1;
    o[31] = isnan(a) || isnan(b) ? NAN : -1;
}

START_TEST(signalling)
{
    static const char *const types[] = {"half", "float", "double"};
    open_variant(_i);
    for (int t = 0; t < 3; t++) {
        unsigned size = 2u << t;
        size_t items = 192, bytes = items * size;
        unsigned char *x = calloc(items, size), *y = calloc(items, size), *out = calloc(32 * items, size);
        for (size_t i = 0; i < items; i++) {
            memcpy(x + i * size, &values[t][i % VALUES], size);
            memcpy(y + i * size, &values[t][i / VALUES % VALUES], size);
        }
        char name[32];
        snprintf(name, sizeof name, "extrema_%s", types[t]);
        run(name, (void *[]){x, y, out}, (size_t[]){bytes, bytes, 32 * bytes}, 3, items);
        for (size_t i = 0; i < items; i++) {
            double a = number(x, i, size), b = number(y, i, size), want[32];
            expect_extrema(a, b, want);
            for (size_t k = 0; k < 32; k++) {
                double got = number(out, 32 * i + k, size);
                bool skipped = k >= 28 && want[k] == -1;
                double limit = k == 26 ? 0.5 : 0;
                ck_assert_msg(skipped || error_of(got, want[k], size) <= limit,
                              "%s, result %zu of %a and %a: %a, expected %a", name, k, a, b, got, want[k]);
            }
        }
        free(x);
        free(y);
        free(out);
    }
    close_variant();
}
END_TEST

/* ---- lengths ---- */

/* Component k of vector i: magnitudes from the least subnormal number to the greatest, in combinations. */
static void
store_component(void *array, size_t at, unsigned size, uint64_t *state)
{
    int least = least_of(size), digits = digits_of(size);
    const int exponents[] = {
        least - digits + 1, least - digits + 2, least - 5,  least - 1, least,      least + 1,
        least / 2 - 3,      least / 2,          -digits,    0,         1,          digits,
        -least / 2,         -least / 2 + 2,     -least - 9, -least,    -least + 1, 0};
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t u = *state >> 20;
    double m = 1 + (double)(u >> 12 & 1023) / 1024;
    double v = ldexp(m, exponents[u % (sizeof exponents / sizeof *exponents)]);
    v = (u >> 5 & 15) == 0 ? 0 : (u >> 5 & 63) == 17 ? INFINITY : v;
    v = u >> 11 & 1 ? -v : v;
    if (size == 8)
        ((double *)array)[at] = v;
    else if (size == 4)
        ((float *)array)[at] = (float)v;
    else
        ((_Float16 *)array)[at] = (_Float16)v;
}

/* What the specification says of infinite components: they count as one, the others as zero. */
static void
expect_direction(const double *v, int n, long double length, long double *want)
{
    int infinite = 0;
    for (int k = 0; k < n; k++)
        infinite += isinf(v[k]) != 0;
    for (int k = 0; k < n; k++) {
        want[k] = length == 0 ? v[k] : v[k] / length;
        if (infinite)
            want[k] = isinf(v[k]) ? copysignl(1 / sqrtl(infinite), v[k]) : 0;
    }
}

static void
check_vectors(const char *name, int n, unsigned size, double ulp)
{
    size_t items = 2048, bytes = items * (size_t)n * size, out_bytes = items * (size_t)(n + 2) * size;
    unsigned char *x = calloc(1, bytes), *out = calloc(1, out_bytes);
    uint64_t state = (uint64_t)n * size;
    for (size_t i = 0; i < items * (size_t)n; i++)
        store_component(x, i, size, &state);
    run(name, (void *[]){x, out}, (size_t[]){bytes, out_bytes}, 2, items);
    bool fast = ulp > 1000;
    for (size_t i = 0; i < items; i++) {
        long double square = 0, want[4];
        double v[4];
        for (int k = 0; k < n; k++) {
            v[k] = number(x, i * (size_t)n + (size_t)k, size);
            square += (long double)v[k] * v[k];
        }
        /* fast_: a sum of squares outside the range is the implementation's, one below it may give the
         * vector. */
        if (fast && (!(square < 0x1p127L) || (square < 0x1p-126L && square != 0)))
            continue;
        expect_direction(v, n, sqrtl(square), want);
        for (int k = 0; k < n + 2; k++) {
            double got = number(out, i * (size_t)(n + 2) + (size_t)k, size);
            long double expected = k < 2 ? sqrtl(square) : want[k - 2];
            ck_assert_msg(error_of(got, expected, size) <= ulp,
                          "%s of (%a, %a, %a, %a), result %d: %a, expected %La", name, v[0], n > 1 ? v[1] : 0,
                          n > 2 ? v[2] : 0, n > 3 ? v[3] : 0, k, got, expected);
        }
    }
    free(x);
    free(out);
}

START_TEST(lengths)
{
    static const char *const types[] = {"half", "float", "double"};
    char name[32];
    open_variant(_i);
    for (int t = 0; t < 3; t++)
        for (int n = 1; n <= 4; n++) {
            snprintf(name, sizeof name, n > 1 ? "geometry_%s%d" : "geometry_%s", types[t], n);
            check_vectors(name, n, 2u << t, 3 + n);
        }
    for (int n = 1; n <= 4; n++) {
        snprintf(name, sizeof name, n > 1 ? "fast_float%d" : "fast_float", n);
        check_vectors(name, n, 4, 8192);
    }
    close_variant();
}
END_TEST

/* ---- angles ---- */

START_TEST(angles)
{
    static const float some[] = {0x1p113f, -0x1p113f, 3.4028235e38f, 0x1p18f, 0x1.fffffep17f,
                                 0x1p31f,  0x1p32f,   0x1p52f,       0x1p53f, 0x1p64f,
                                 1e10f,    1e20f,     1e30f,         -7e37f,  65536.0f,
                                 0.5f,     -3,        0x1p-149f,     0,       0x1p-130f};
    size_t items = 4096;
    float *x = calloc(items, sizeof *x), *out = calloc(12 * items, sizeof *out);
    open_variant(_i);
    for (size_t i = 0; i < items; i++) {
        uint32_t bits = (uint32_t)(i * 2654435761u);
        memcpy(x + i, &bits, 4);
        x[i] = i < sizeof some / sizeof *some ? some[i] : isfinite(x[i]) ? x[i] : (float)i;
    }
    run("angles", (void *[]){x, out}, (size_t[]){items * sizeof *x, 12 * items * sizeof *out}, 2, items);
    for (size_t i = 0; i < items; i++) {
        const float *o = out + 12 * i;
        for (int k = 0; k < 9; k++) {
            bool tangent = k == 2 || k == 5;
            ck_assert_msg(tangent ? isfinite(o[k]) : fabsf(o[k]) <= 1, "result %d of %a: %a", k, (double)x[i],
                          (double)o[k]);
        }
        double a = (double)x[i];
        const double wanted[9] = {sin(a), cos(a), tan(a), sin(a), cos(a), tan(a), cos(a), cos(a), cos(a / 2)};
        for (int k = 0; k < 9 && fabs(a) <= 65536; k++)
            ck_assert_msg(error_of((double)o[k], wanted[k], 4) <= 8192, "result %d of %a: %a", k, a,
                          (double)o[k]);
        ck_assert(error_of((double)o[9], expl(a), 4) <= 8192 &&
                  error_of((double)o[10], sqrt(fabs(a)), 4) <= 8192 &&
                  error_of((double)o[11], 1 / a, 4) <= 8192);
    }
    close_variant();
    free(x);
    free(out);
}
END_TEST

/* ---- fma of halves ---- */

/* a * b + c by integers, multiples of 2^-48 below 2^34, rounded once. */
static double
fused(double a, double b, double c)
{
    double near = a * b + c;
    if (!isfinite(near) || near == 0)
        return near;
    __int128 exact = (__int128)ldexp(a * b, 48) + (__int128)ldexp(c, 48);
    unsigned __int128 m = exact < 0 ? (unsigned __int128)-exact : (unsigned __int128)exact, last = 1;
    int shift = 24; /* of the last place of subnormal numbers */
    while (m >> shift >= 2048)
        shift++;
    last <<= shift;
    unsigned __int128 rest = m % last, whole = m / last;
    whole += rest > last / 2 || (rest == last / 2 && whole % 2);
    double value = ldexp((double)whole, shift - 48);
    return copysign(value > 65504 ? INFINITY : value, near);
}

/* Every second product lies near half a last place of what is added. */
static void
draw_terms(uint16_t *t, uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t u = *state ^ *state >> 29;
    for (int k = 0; k < 3; k++)
        t[k] = (uint16_t)(u >> 16 * k);
    if (u >> 63)
        return;
    int exponent = (int)(u >> 60 & 7) + 15, other = exponent - 11 - (int)(u >> 58 & 1);
    t[0] = (uint16_t)((t[0] & 0x83ff & (u >> 57 & 1 ? 0x8000 : 0xffff)) | (other > 0 ? other : 0) << 10);
    t[1] = (uint16_t)((t[1] & 0x80ff & (u >> 56 & 1 ? 0x8001 : 0xffff)) | 15 << 10);
    t[2] = (uint16_t)((t[2] & 0x83ff) | exponent << 10);
}

START_TEST(fused_halves)
{
    enum { ITEMS = 1 << 16 };
    uint16_t *x = calloc(3 * ITEMS, 2), *out = calloc(ITEMS, 2);
    uint64_t state = 7;
    open_variant(_i);
    for (size_t i = 0; i < ITEMS; i++)
        draw_terms(x + 3 * i, &state);
    run("fused", (void *[]){x, out}, (size_t[]){ITEMS * 6, ITEMS * 2}, 2, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        double a = number(x, 3 * i, 2), b = number(x, 3 * i + 1, 2), c = number(x, 3 * i + 2, 2);
        double got = number(out, i, 2), want = fused(a, b, c);
        ck_assert_msg(got == want ? signbit(got) == signbit(want) : isnan(got) && isnan(want),
                      "fma(%a, %a, %a): %a, expected %a", a, b, c, got, want);
    }
    close_variant();
    free(x);
    free(out);
}
END_TEST

int
main(int count, char **words)
{
    if (count != 2)
        return 2;
    module_path = words[1];
    Suite *suite = suite_create("vectors");
    TCase *tests = tcase_create("vectors");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, signalling, 0, VARIANTS);
    tcase_add_loop_test(tests, lengths, 0, VARIANTS);
    tcase_add_loop_test(tests, angles, 0, VARIANTS);
    tcase_add_loop_test(tests, fused_halves, 0, VARIANTS);
    suite_add_tcase(suite, tests);
    return run_suite_here(suite);
}
