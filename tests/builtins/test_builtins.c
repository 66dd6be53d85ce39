/* SPDX-License-Identifier: MIT */
/* Every row of builtins.def, in every type, at every ISA level of this machine, against libm and wide
 * integers.
 *
 * `test_builtins --table` prints the largest errors as a markdown table instead (docs/builtins.md). */
#include "../run_suite.h"
#include "builtins/builtins.h"
#include "tests/builtins/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 15000
#define NEVER 1e30

static const lw_isa levels[3] = {LW_ISA_SSE42, LW_ISA_AVX2, LW_ISA_AVX512};
static const char *const level_names[3] = {"sse4.2", "avx2", "avx512"};

static bool
runs_here(int level)
{
    __builtin_cpu_init();
    if (level == 0)
        return __builtin_cpu_supports("sse4.2");
    if (level == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
}

static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static int
digits_of(const char *type)
{
    return type[1] == '1' ? 11 : type[1] == '3' ? 24 : 53;
}

static int
least_of(const char *type)
{
    return type[1] == '1' ? -14 : type[1] == '3' ? -126 : -1022;
}

/* ---- Raw values
 * ---------------------------------------------------------------------------------------------- */

static uint64_t
load(const void *array, int64_t i, unsigned size)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * size, size);
    return bits;
}

static int64_t
sign_extend(uint64_t bits, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(bits << shift) >> shift;
}

static long double
float_value(uint64_t bits, unsigned size)
{
    if (size == 8) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (size == 4) {
        float f;
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, 4);
        return f;
    }
    int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
    long double r = e == 31 ? (m ? NAN : INFINITY) : ldexpl(e ? m + 1024 : m, (e ? e : 1) - 25);
    return bits >> 15 ? -r : r;
}

static uint64_t
float_bits(long double x, unsigned size)
{
    if (size == 8) {
        double d = (double)x;
        uint64_t bits;
        memcpy(&bits, &d, 8);
        return bits;
    }
    if (size == 4) {
        float f = (float)x;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        return bits;
    }
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    long double a = fabsl(round_to(x, 11, -14, 15));
    if (isnan(x) || a == 0 || isinf(a))
        return sign | (isnan(x) ? 0x7e00 : a == 0 ? 0 : 0x7c00);
    int e = ilogbl(a) < -14 ? -15 : ilogbl(a);
    uint64_t exponent = e < -14 ? 0 : (uint64_t)(e + 14) << 10;
    return sign | (exponent + (uint64_t)ldexpl(a, e < -14 ? 24 : 10 - e));
}

/* ---- Inputs
 * -------------------------------------------------------------------------------------------------- */

static const long double edges[] = {0,
                                    1,
                                    0.5,
                                    2,
                                    3,
                                    1.5,
                                    2.5,
                                    0.25,
                                    0.75,
                                    4,
                                    7,
                                    10,
                                    100,
                                    1e4,
                                    65504,
                                    1e10,
                                    1.5707963267948966L,
                                    3.1415927L,
                                    0.1,
                                    0.7853981633974483L,
                                    2.718281828L,
                                    88.72,
                                    89,
                                    103.97,
                                    104.1,
                                    709.78,
                                    745.2,
                                    127,
                                    128,
                                    149,
                                    150,
                                    1023.5,
                                    1074.5,
                                    38.5,
                                    45.2,
                                    308.3,
                                    171.62,
                                    35.04,
                                    33,
                                    262143,
                                    262144,
                                    8388607.5,
                                    8388608,
                                    16777215,
                                    4503599627370495.5L,
                                    1e-3,
                                    1e-5,
                                    1e-8,
                                    1e-20,
                                    0.49999997,
                                    0.9999999,
                                    1.0000001,
                                    0.70710677,
                                    1.4142135,
                                    6.103515625e-05,
                                    1e30,
                                    3.4e38,
                                    1e300,
                                    11,
                                    16,
                                    24,
                                    9.0,
                                    0.33333334,
                                    1024,
                                    2048.5};
#define EDGES (sizeof edges / sizeof *edges)
#define SPECIALS (2 * EDGES + 12)

static uint64_t
special(unsigned k, const char *type, unsigned size)
{
    int p = digits_of(type), least = least_of(type);
    if (k < 2 * EDGES)
        return float_bits(k & 1 ? -edges[k / 2] : edges[k / 2], size);
    k -= 2 * EDGES;
    long double values[6] = {INFINITY,
                             ldexpl(1, least),
                             ldexpl(1, least) - ldexpl(1, least - p + 1),
                             ldexpl(1, least - p + 1),
                             ldexpl(2, -least + 1) * (0.5L - ldexpl(1, -p - 1)),
                             NAN};
    return float_bits(k & 1 ? -values[k / 2] : values[k / 2], size);
}

static uint64_t
sample(uint64_t *state, const char *type, unsigned size)
{
    uint64_t u = next_random(state);
    long double unit = (long double)(next_random(state) >> 1) / 0x1p63L, sign = u & 16 ? -1 : 1;
    int least = least_of(type);
    switch (u & 7) {
    case 0:
    case 1:
        return u >> 8 & (size == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * size) - 1);
    case 2:
        return float_bits(sign * unit * 10, size);
    case 3:
        return float_bits(sign * unit, size);
    case 4:
        return float_bits(sign * ldexpl(1 + unit, (int)(u >> 8 & 31) - 16), size);
    case 5: /* half numbers, and their neighbours */
        return float_bits(sign * (float)(int)(u >> 8 & 1023) / 2, size) + ((u >> 20 & 3) == 3);
    case 6:
        return float_bits(1 + sign * unit * ldexpl(1, -(int)(u >> 8 & 31)), size);
    default: /* the whole range where exponentials live */
        return float_bits(sign * unit * -least * 1.2L, size);
    }
}

static int64_t
integer_sample(uint64_t *state, unsigned size)
{
    static const int64_t corners[] = {0,         1,         -1,        2,          3,         7,
                                      8,         31,        32,        63,         64,        INT8_MIN,
                                      INT8_MAX,  INT16_MIN, INT16_MAX, INT32_MIN,  INT32_MAX, INT64_MIN,
                                      INT64_MAX, 255,       65535,     0xffffffff, 127};
    uint64_t u = next_random(state), v = next_random(state);
    int64_t x =
        u & 1 ? corners[(u >> 8) % (sizeof corners / sizeof *corners)] : (int64_t)(v >> (u >> 8 & 63));
    x = u & 2 && x != INT64_MIN ? -x : x;
    return sign_extend((uint64_t)x, size);
}

/* ---- One row, one type
 * --------------------------------------------------------------------------------------- */

struct trial {
    const struct lw_builtin_row *row;
    const char *type;
    unsigned operands, sizes[3], result_size, second_size; /* second_size 0: no pointer operand */
    char second;                                           /* P or Q */
    bool raw;                                              /* a float row that only moves bits */
    bool unknown;                                          /* reference.c lacks it */
    int64_t count;
    void *in[3], *out, *out2;
    struct element *expected;
};

static void
fill_operands(struct trial *t)
{
    uint64_t state = 12345;
    bool pairs = t->operands > 1, small = t->operands == 1 && t->sizes[0] == 2;
    int64_t specials = t->type[0] != 'f' ? 0 : pairs ? SPECIALS * SPECIALS : SPECIALS;
    t->count = small ? 65536 : specials + SAMPLES;
    for (unsigned k = 0; k < t->operands; k++) {
        char letter = t->row->signature[k + 1];
        unsigned size = t->sizes[k];
        t->in[k] = malloc((size_t)t->count * size);
        for (int64_t i = 0; i < t->count; i++) {
            uint64_t bits;
            if (small)
                bits = (uint64_t)i;
            else if (letter != 'T' || t->type[0] != 'f')
                bits = (uint64_t)integer_sample(&state, size);
            else if (i < specials && k < 2)
                bits = special((unsigned)(k ? i / (int64_t)SPECIALS : i % (int64_t)SPECIALS), t->type, size);
            else
                bits = sample(&state, t->type, size);
            if (strstr(t->row->name, "24") && k < 2)
                bits = t->row->name[0] == 'u' ? bits & 0xffffff : (uint64_t)((int64_t)(bits << 40) >> 40);
            memcpy((char *)t->in[k] + i * size, &bits, size);
        }
    }
}

static void
expect_all(struct trial *t)
{
    t->expected = calloc((size_t)t->count, sizeof *t->expected);
    for (int64_t i = 0; i < t->count; i++) {
        struct element *e = &t->expected[i];
        for (unsigned k = 0; k < t->operands; k++) {
            uint64_t bits = load(t->in[k], i, t->sizes[k]);
            e->i[k] = sign_extend(bits, t->sizes[k]);
            if (t->row->signature[k + 1] == 'T' && t->type[0] == 'f')
                e->x[k] = float_value(bits, t->sizes[k]);
        }
        if (t->row->signature[0] == 'F')
            continue;
        bool known = t->type[0] == 'f' && !t->raw ? reference_float(t->row->name, t->type, e)
                                                  : reference_integer(t->row->name, (int)t->sizes[0] * 8, e);
        t->unknown |= !known;
    }
}

static bool
trial_create(struct trial *t, const struct lw_builtin_row *row, const char *type)
{
    *t = (struct trial){.row = row, .type = type};
    if (!lw_builtin_cell_of(row, type) || lw_builtin_cell_of(row, type)->how == LW_HOW_SAME)
        return false;
    for (const char *s = row->signature + 1; *s; s++) {
        if (*s == 'P' || *s == 'Q')
            t->second = *s, t->second_size = letter_size(*s, type);
        else
            t->sizes[t->operands++] = letter_size(*s, type);
    }
    t->result_size = letter_size(row->signature[0], type);
    t->raw = type[0] == 'f' && (!strncmp(row->name, "select", 6) || !strcmp(row->name, "bitselect"));
    fill_operands(t);
    expect_all(t);
    t->out = calloc((size_t)t->count, t->result_size);
    t->out2 = calloc((size_t)t->count, 8);
    return true;
}

static void
trial_release(struct trial *t)
{
    for (int k = 0; k < 3; k++)
        free(t->in[k]);
    free(t->out);
    free(t->out2);
    free(t->expected);
}

/* ---- Judging
 * -------------------------------------------------------------------------------------------------- */

/* What the specification leaves open. */
static bool
undefined(const struct trial *t, const struct element *e)
{
    const char *name = t->row->name;
    if (!strcmp(name, "fclamp"))
        return !(e->x[1] <= e->x[2]);
    if (!strcmp(name, "s_clamp"))
        return e->i[1] > e->i[2];
    if (!strcmp(name, "u_clamp")) {
        unsigned shift = 64 - 8 * t->sizes[0];
        return (uint64_t)e->i[1] << shift > (uint64_t)e->i[2] << shift;
    }
    if (!strcmp(name, "smoothstep"))
        return !(e->x[0] < e->x[1]) || !isfinite(e->x[1] - e->x[0]) || !isfinite(e->x[2]) ||
               (double)fabsl(e->x[0]) > 1e4 || (double)fabsl(e->x[1]) > 1e4 || e->x[1] - e->x[0] < 1e-2 ||
               (double)fabsl(e->x[2]) > 1e4;
    if (!strcmp(name, "mix") || !strcmp(name, "mad")) /* intermediate overflow */
        for (int k = 0; k < 3; k++)
            if (!(fabsl(e->x[k]) < 200) || (e->x[k] != 0 && fabsl(e->x[k]) < 1e-2))
                return true;
    if (strstr(name, "min_common") || strstr(name, "max_common") || !strcmp(name, "step"))
        return isnan(e->x[0]) || isnan(e->x[1]);
    if (!strcmp(name, "half_sin") || !strcmp(name, "half_cos") || !strcmp(name, "half_tan"))
        return isfinite(e->x[0]) && fabsl(e->x[0]) > 65536;
    return false;
}

static bool
zero_sign_matters(const char *name)
{
    static const char *const any[] = {"fmin",        "fmax", "fclamp", "maxmag",     "minmag", "fmin_common",
                                      "fmax_common", "mad",  "mix",    "smoothstep", "lgamma", "lgamma_r"};
    for (size_t k = 0; k < sizeof any / sizeof *any; k++)
        if (!strcmp(any[k], name))
            return false;
    return true;
}

static double
float_error(const char *name, const char *type, double limit, long double want, long double got,
            long double slack)
{
    int p = digits_of(type), least = least_of(type), most = 1 - least;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : NEVER;
    long double rounded = round_to(want, p, least, most);
    if (got == rounded && limit == 0)
        return got == 0 && zero_sign_matters(name) && signbit(got) != signbit(rounded) ? NEVER : 0;
    if (isinf(want))
        return got == want ? 0 : NEVER;
    if (want == 0 && got == 0)
        return zero_sign_matters(name) && signbit(want) != signbit(got) ? NEVER : 0;
    long double top = ldexpl(1, most + 1);
    want = fabsl(want) > top ? copysignl(top, want) : want;
    got = isinf(got) ? copysignl(top, got) : got;
    if (fabsl(want - got) <= slack)
        return 0;
    int e = want == 0 || ilogbl(want) < least ? least : ilogbl(want);
    return (double)ldexpl(fabsl(want - got), p - 1 - e);
}

static double
second_error(const struct trial *t, int64_t i, double limit)
{
    const struct element *e = &t->expected[i];
    const char *name = t->row->name;
    uint64_t bits = load(t->out2, i, t->second_size);
    if (t->second == 'P')
        return float_error(name, t->type, limit, e->r2, float_value(bits, t->second_size), 0);
    int64_t got = sign_extend(bits, 4);
    if (!isfinite(e->x[0]) || !isfinite(e->r) || (e->x[0] == 0 && !strcmp(name, "lgamma_r")))
        return 0;
    if (!strcmp(name, "remquo"))
        got = got < 0 ? -(-got & 127) : got & 127;
    return got == e->ri2 ? 0 : NEVER;
}

static double
error_at(const struct trial *t, int64_t i, double limit)
{
    const struct element *e = &t->expected[i];
    uint64_t bits = load(t->out, i, t->result_size);
    if (undefined(t, e))
        return 0;
    if (t->row->signature[0] == 'F')
        return isnan(float_value(bits, t->result_size)) ? 0 : NEVER;
    if (t->row->signature[0] == 'I')
        return sign_extend(bits, 4) == e->ri ? 0 : NEVER;
    if (t->type[0] != 'f' || t->raw)
        return sign_extend(bits, t->result_size) == sign_extend((uint64_t)e->ri, t->result_size) ? 0 : NEVER;
    double first =
        float_error(t->row->name, t->type, limit, e->r, float_value(bits, t->result_size), e->slack);
    double second = t->second ? second_error(t, i, limit) : 0;
    return first > second ? first : second;
}

/* The largest error of the row at one level; the text of the first that is not permitted is printed. */
static double
judge(const struct trial *t, const char *level, int *failures)
{
    double limit = t->raw || t->type[0] != 'f' ? 0 : lw_builtin_cell_of(t->row, t->type)->ulp;
    double allowed = limit < 0 ? 64 : limit, worst = 0;
    int shown = 0;
    for (int64_t i = 0; i < t->count; i++) {
        double error = error_at(t, i, limit);
        worst = error > worst ? error : worst;
        if (error <= allowed)
            continue;
        (*failures)++;
        if (shown++ < 3) {
            const struct element *e = &t->expected[i];
            fprintf(stderr,
                    "%s.%s at %s: operands %La %La %La (%lld %lld %lld): got %#llx = %La, want %La or %lld",
                    t->row->name, t->type, level, e->x[0], e->x[1], e->x[2], (long long)e->i[0],
                    (long long)e->i[1], (long long)e->i[2],
                    (unsigned long long)load(t->out, i, t->result_size),
                    float_value(load(t->out, i, t->result_size), t->result_size), e->r, (long long)e->ri);
            if (t->second)
                fprintf(stderr, "; second %#llx, want %La or %lld",
                        (unsigned long long)load(t->out2, i, t->second_size), e->r2, (long long)e->ri2);
            fprintf(stderr, ", %g ULP\n", error);
        }
    }
    return worst;
}

struct worst {
    double ulp[3];
};

/* Every row of one type. `table` may be NULL. */
static int
run_type(const char *type, struct worst *table)
{
    struct jit *jits[3] = {NULL};
    int failures = 0;
    for (int level = 0; level < 3; level++) {
        if (!runs_here(level)) {
            fprintf(stderr, "%s at %s: not run, this machine lacks it\n", type, level_names[level]);
            continue;
        }
        jits[level] = jit_create(type, levels[level]);
        failures += !jits[level];
    }
    for (size_t r = 0; r < lw_builtin_row_count; r++) {
        struct trial t;
        if (!trial_create(&t, &lw_builtin_rows[r], type))
            continue;
        if (t.unknown)
            fprintf(stderr, "%s.%s has no reference\n", t.row->name, type), failures++;
        for (int level = 0; level < 3 && !t.unknown; level++) {
            loop_function loop = jits[level] ? jit_loop(jits[level], t.row) : NULL;
            failures += jits[level] && !loop;
            if (!loop)
                continue;
            memset(t.out, 0xaa, (size_t)t.count * t.result_size);
            loop((const void *const *)t.in, t.out, t.out2, t.count);
            double worst = judge(&t, level_names[level], &failures);
            if (table)
                table[r].ulp[level] = worst;
        }
        trial_release(&t);
    }
    for (int level = 0; level < 3; level++)
        if (jits[level])
            jit_release(jits[level]);
    return failures;
}

static const char *const types[7] = {"f16", "f32", "f64", "i8", "i16", "i32", "i64"};

START_TEST(test_type)
{
    ck_assert_int_eq(run_type(types[_i], NULL), 0);
}
END_TEST

/* The operations that are another one: none may stay unresolved. */
START_TEST(test_same)
{
    for (int level = 0; level < 3; level++)
        for (int k = 0; k < 3; k++)
            ck_assert(jit_resolves_same(types[k], levels[level]));
}
END_TEST

START_TEST(test_half)
{
    for (int level = 0; level < 3; level++)
        if (runs_here(level))
            ck_assert_int_eq(test_soften(levels[level]), 0);
}
END_TEST

/* Calls that a damaged module may lead to are errors, not crashes. */
START_TEST(test_unknown)
{
    static const char *const bad[3] = {"declare i32 @lw.cl.exp.i32(i32)\ndefine i32 @f(i32 %x) {\n"
                                       "  %y = call i32 @lw.cl.exp.i32(i32 %x)\n  ret i32 %y\n}\n",
                                       "declare float @lw.cl.pow.f32(float)\ndefine float @f(float %x) {\n"
                                       "  %y = call float @lw.cl.pow.f32(float %x)\n  ret float %y\n}\n",
                                       "declare float @lw.cl.floor.f32(i32)\ndefine float @f(i32 %x) {\n"
                                       "  %y = call float @lw.cl.floor.f32(i32 %x)\n  ret float %y\n}\n"};
    for (int k = 0; k < 3; k++)
        ck_assert_ptr_null(jit_from_text(bad[k], LW_ISA_AVX2, NULL, NULL, 0));
    ck_assert(lw_builtin_known("exp", "f32"));
    ck_assert(lw_builtin_known("s_max", "i8"));
    ck_assert(!lw_builtin_known("exp", "i32"));
    ck_assert(!lw_builtin_known("s_mul24", "i64"));
    ck_assert(!lw_builtin_known("ex", "f32"));
    ck_assert(!lw_builtin_known("printf", "f32"));
}
END_TEST

static void
print_table(void)
{
    struct worst *w = calloc(lw_builtin_row_count * 3, sizeof *w);
    for (int k = 0; k < 3; k++)
        run_type(types[k], w + (size_t)k * lw_builtin_row_count);
    printf("| operation | half: permitted, found | float | double |\n| --- | --- | --- | --- |\n");
    for (size_t r = 0; r < lw_builtin_row_count; r++) {
        const struct lw_builtin_row *row = &lw_builtin_rows[r];
        if (row->types || row->cell[1].how == LW_HOW_SAME)
            continue;
        printf("| %s ", row->name);
        for (int k = 0; k < 3; k++) {
            const double *u = w[(size_t)k * lw_builtin_row_count + r].ulp;
            double worst = fmax(u[0], fmax(u[1], u[2]));
            if (row->cell[k].ulp < 0)
                printf("| any, %.2f ", worst);
            else
                printf("| %g, %.2f ", row->cell[k].ulp, worst);
        }
        printf("|\n");
    }
    free(w);
}

int
main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--table"))
        return print_table(), 0;
    Suite *suite = suite_create("builtins");
    TCase *tests = tcase_create("operations");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, test_type, 0, 7);
    tcase_add_test(tests, test_same);
    tcase_add_test(tests, test_half);
    tcase_add_test(tests, test_unknown);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
