/* SPDX-License-Identifier: MIT */
/* One operation of one type: its operands, the expected results, and the judgement of those that came. */
#include "tests/builtins/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool
trial_create(struct trial *t, const struct lw_builtin_row *row, const char *type,
             void (*fill)(struct trial *))
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
    fill(t);
    expect_all(t);
    t->out = calloc((size_t)t->count, t->result_size);
    t->out2 = calloc((size_t)t->count, 8);
    return true;
}

void
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

/* What docs/builtins.md promises of float functions beside the specification: 1.5 ULP, of some more, as of
 * powers of constants (test_constants.c). */
static double
promised(const char *name, const char *level)
{
    if (!strncmp(name, "pow", 3) && strstr(level, "constant"))
        return 8;
    bool near = !strncmp(level, "sse", 3); /* without fma */
    bool wide = strstr(level, "512");
    const struct {
        const char *name;
        double ulp;
    } others[] = {{"atan2", near ? 1.75 : 1.5},
                  {"atan2pi", near ? 2.25 : 1.6},
                  {"atanpi", near ? 1.9 : 1.55},
                  {"cosh", near ? 1.62 : 1.5},
                  {"sinh", near ? 1.62 : 1.55},
                  {"log2", near ? 1.52 : 1.5},
                  {"expm1", near ? 1.56 : 1.5},
                  {"erfc", 6.6},
                  {"lgamma", 64},
                  {"lgamma_r", 64},
                  {"tanh", 2.5},
                  {"mad", 64},
                  {"log10", wide ? 1.8 : 1.5},
                  {"pow", wide ? 2.5 : 1.5},
                  {"powr", wide ? 2.5 : 1.5},
                  {"half_powr", 8192},
                  {"mix", 64},
                  {"half_sin", 4},
                  {"half_cos", 4},
                  {"half_tan", 4},
                  {"smoothstep", 64}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (!strcmp(name, others[k].name))
            return others[k].ulp;
    return 1.5;
}

double
judge(const struct trial *t, const char *level, int *failures)
{
    double limit = t->raw || t->type[0] != 'f' ? 0 : lw_builtin_cell_of(t->row, t->type)->ulp;
    double allowed = limit < 0 ? 64 : limit, worst = 0;
    if (!strcmp(t->type, "f32"))
        allowed = fmin(allowed, promised(t->row->name, level));
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
