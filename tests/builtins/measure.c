/* SPDX-License-Identifier: MIT */
/* measure_builtins [-i ISA] [-e EVERY] [NAME...]: the largest error of the float operations of one operand,
 * over all 2^32 arguments, or every so many; of atan2 and atan2pi over a 64th as many pairs of about the
 * same size. Not a test: it takes minutes for each. The reference is double, by the vector functions of libm;
 * where that says that an error is larger than those before, libm's long double has the last word. */
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins/table.h"
#include "tests/builtins/harness.h"

#define CHUNK 4096

typedef __m256d (*vector_function)(__m256d);

#define LIBMVEC(name) __m256d _ZGVdN4v_##name(__m256d);
LIBMVEC(acos)
LIBMVEC(acosh) LIBMVEC(asin) LIBMVEC(asinh) LIBMVEC(atan) LIBMVEC(atanh) LIBMVEC(cbrt) LIBMVEC(cos)
    LIBMVEC(cosh) LIBMVEC(erf) LIBMVEC(erfc) LIBMVEC(exp) LIBMVEC(exp10) LIBMVEC(exp2) LIBMVEC(expm1)
        LIBMVEC(log) LIBMVEC(log10) LIBMVEC(log1p) LIBMVEC(log2) LIBMVEC(sin) LIBMVEC(sinh) LIBMVEC(tan)
            LIBMVEC(tanh)

    /* Those of libm that have vector forms; `turn`: of an argument in half turns, reduced before; `by`: times
       this. */
    static const struct reference {
    const char *name;
    vector_function vector;
    double (*scalar)(double);
    double by;
} references[] = {
    {"acos", _ZGVdN4v_acos, NULL, 1},
    {"acosh", _ZGVdN4v_acosh, NULL, 1},
    {"acospi", _ZGVdN4v_acos, NULL, 1 / M_PI},
    {"asin", _ZGVdN4v_asin, NULL, 1},
    {"asinh", _ZGVdN4v_asinh, NULL, 1},
    {"asinpi", _ZGVdN4v_asin, NULL, 1 / M_PI},
    {"atan", _ZGVdN4v_atan, NULL, 1},
    {"atanh", _ZGVdN4v_atanh, NULL, 1},
    {"atanpi", _ZGVdN4v_atan, NULL, 1 / M_PI},
    {"cbrt", _ZGVdN4v_cbrt, NULL, 1},
    {"cos", _ZGVdN4v_cos, NULL, 1},
    {"cosh", _ZGVdN4v_cosh, NULL, 1},
    {"erf", _ZGVdN4v_erf, NULL, 1},
    {"erfc", _ZGVdN4v_erfc, NULL, 1},
    {"exp", _ZGVdN4v_exp, NULL, 1},
    {"exp10", _ZGVdN4v_exp10, NULL, 1},
    {"exp2", _ZGVdN4v_exp2, NULL, 1},
    {"expm1", _ZGVdN4v_expm1, NULL, 1},
    {"log", _ZGVdN4v_log, NULL, 1},
    {"log10", _ZGVdN4v_log10, NULL, 1},
    {"log1p", _ZGVdN4v_log1p, NULL, 1},
    {"log2", _ZGVdN4v_log2, NULL, 1},
    {"sin", _ZGVdN4v_sin, NULL, 1},
    {"sinh", _ZGVdN4v_sinh, NULL, 1},
    {"tan", _ZGVdN4v_tan, NULL, 1},
    {"tanh", _ZGVdN4v_tanh, NULL, 1},
    {"half_cos", _ZGVdN4v_cos, NULL, 1},
    {"half_sin", _ZGVdN4v_sin, NULL, 1},
    {"half_tan", _ZGVdN4v_tan, NULL, 1},
    {"lgamma", NULL, lgamma, 1},
    {"tgamma", NULL, tgamma, 1},
};

/* ---- References ---- */

/* Sine, cosine and tangent of pi x by those of the nearest quarter: the rest of the reduction is exact. */
static double
turns(const char *name, double x)
{
    struct element e = {.x = {x}};
    reference_float(name, "f32", &e);
    return (double)e.r;
}

static void
refer(const char *name, const float *in, const float *in2, double *out)
{
    for (int i = 0; i < CHUNK && !strncmp(name, "atan2", 5); i++)
        out[i] = atan2((double)in[i], (double)in2[i]) * (name[5] ? 1 / M_PI : 1);
    if (!strncmp(name, "atan2", 5))
        return;
    for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
        const struct reference *r = &references[k];
        if (strcmp(r->name, name))
            continue;
        for (int i = 0; i < CHUNK; i += 4) {
            if (r->vector)
                _mm256_storeu_pd(out + i, r->vector(_mm256_cvtps_pd(_mm_loadu_ps(in + i))));
            for (int j = i; j < i + 4; j++)
                out[j] = (r->vector ? out[j] : r->scalar((double)in[j])) * r->by;
        }
        return;
    }
    for (int i = 0; i < CHUNK; i++)
        out[i] = turns(name, (double)in[i]);
}

/* ---- Errors ---- */

/* In units of the last place of `want` as a float, nearly; infinities as the power of two behind the
 * greatest. */
static double
error_of(double got, double want)
{
    double top = 0x1p128, a = fabs(want), unit;
    if (got != got || want != want)
        return (got != got) != (want != want) ? 1e30 : 0;
    a = a > top ? top : a;
    a = a < 0x1p-126 ? 0x1p-126 : a >= top ? 0x1p127 : a;
    uint64_t bits;
    memcpy(&bits, &a, 8);
    bits = (bits & 0x7ff0000000000000) - (UINT64_C(23) << 52);
    memcpy(&unit, &bits, 8);
    got = got > top ? top : got < -top ? -top : got;
    want = want > top ? top : want < -top ? -top : want;
    return fabs(got - want) / unit;
}

static double
exact_error(const char *name, float x, float y, float got)
{
    struct element e = {.x = {(long double)x, (long double)y}};
    if (!reference_float(name, "f32", &e) || (!strncmp(name, "half_", 5) && fabsf(x) > 65536))
        return 0;
    if (isnan(e.r) || isnan(got))
        return isnan(e.r) && isnan(got) ? 0 : 1e30;
    long double top = 0x1p128L, want = fabsl(e.r) > top ? copysignl(top, e.r) : e.r;
    long double value = isinf(got) ? copysignl(top, (long double)got) : (long double)got;
    int exponent = want == 0 || ilogbl(want) < -126 ? -126 : ilogbl(want) > 127 ? 127 : ilogbl(want);
    return (double)ldexpl(fabsl(value - want), 23 - exponent);
}

/* Numbers of about the same size, of either sign. */
static void
next_pair(float *x, float *y)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t a = (uint32_t)(state >> 32);
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t b = (uint32_t)(state >> 32), size = 120 + (a >> 28) / 2;
    a = (a & 0x807fffff) | size << 23;
    b = (b & 0x807fffff) | (size - 3 + (a >> 20 & 7)) << 23;
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
}

static void
measure(struct jit *jit, const struct lw_builtin_row *row, uint64_t every)
{
    static float in[CHUNK], in2[CHUNK], out[CHUNK], second[CHUNK];
    static double want[CHUNK], error[CHUNK];
    loop_function loop = jit_loop(jit, row);
    double worst = 0;
    float at = 0, at2 = 0;
    const void *operands[3] = {in, in2};
    bool pairs = !strcmp(row->signature, "TTT");
    if (!loop)
        return;
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32;) {
        for (int i = 0; i < CHUNK; i++, bits += every * (pairs ? 64 : 1)) {
            if (pairs)
                next_pair(&in[i], &in2[i]);
            uint32_t low = (uint32_t)bits; /* the last round begins again */
            if (!pairs)
                memcpy(&in[i], &low, 4);
        }
        loop(operands, out, second, CHUNK);
        refer(row->name, in, in2, want);
        for (int i = 0; i < CHUNK; i++)
            error[i] = error_of((double)out[i], want[i]);
        for (int i = 0; i < CHUNK; i++) {
            if (!(error[i] > worst))
                continue;
            double sure = exact_error(row->name, in[i], in2[i], out[i]);
            at = sure > worst ? in[i] : at;
            at2 = sure > worst ? in2[i] : at2;
            worst = sure > worst ? sure : worst;
        }
    }
    printf("%-10s %8.4f  at %a %a\n", row->name, worst, (double)at, (double)at2);
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    uint64_t every = 1;
    lw_isa isa = lw_isa_host();
    int next = 1;
    for (; next + 1 < argc && argv[next][0] == '-'; next += 2) {
        if (argv[next][1] == 'e')
            every = strtoull(argv[next + 1], NULL, 0);
        else if (argv[next][1] == 'i')
            isa = !strcmp(argv[next + 1], "sse4.2") ? LW_ISA_SSE42
                  : !strcmp(argv[next + 1], "avx2") ? LW_ISA_AVX2
                                                    : isa;
    }
    if (!every || (next < argc && argv[next][0] == '-')) {
        fprintf(stderr, "usage: measure_builtins [-i sse4.2|avx2|avx512] [-e EVERY] [NAME...]\n");
        return 2;
    }
    struct jit *jit = jit_create("f32", isa);
    for (size_t r = 0; jit && r < lw_builtin_row_count; r++) {
        const struct lw_builtin_row *row = &lw_builtin_rows[r];
        const struct lw_builtin_cell *cell = lw_builtin_cell_of(row, "f32");
        bool wanted = next == argc;
        for (int k = next; k < argc; k++)
            wanted |= !strcmp(argv[k], row->name);
        if (wanted && cell && cell->how != LW_HOW_SAME &&
            (!strcmp(row->signature, "TT") || !strncmp(row->name, "atan2", 5)))
            measure(jit, row, every);
    }
    return jit ? 0 : 1;
}
