/* SPDX-License-Identifier: MIT */
/* Expected results by libm's long double functions and by wide integers. */
#include "tests/builtins/harness.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L

long double
round_to(long double x, int digits, int least, int most)
{
    if (x == 0 || !isfinite(x))
        return x;
    int e = ilogbl(x) < least ? least : ilogbl(x);
    long double r = ldexpl(rintl(ldexpl(x, digits - 1 - e)), e - digits + 1);
    return fabsl(r) >= ldexpl(1, most + 1) ? copysignl(INFINITY, x) : r;
}

static long double
round_type(long double x, const char *type)
{
    return type[1] == '1' ? round_to(x, 11, -14, 15) : type[1] == '3' ? (float)x : (double)x;
}

static long double
acospi_(long double x)
{
    return acosl(x) / PI;
}
static long double
asinpi_(long double x)
{
    return asinl(x) / PI;
}
static long double
atanpi_(long double x)
{
    return atanl(x) / PI;
}
static long double
rsqrt_(long double x)
{
    return 1 / sqrtl(x);
}
static long double
recip_(long double x)
{
    return 1 / x;
}
static long double
degrees_(long double x)
{
    return x * (180 / PI);
}
static long double
radians_(long double x)
{
    return x * (PI / 180);
}
static long double
sign_(long double x)
{
    return isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x;
}

/* r = x - n / 2 within a quarter; n modulo 4 */
static long double
half_turns(long double x, int *n)
{
    long double w = fmodl(x, 2), k = rintl(2 * w);
    *n = isfinite(x) ? (int)k & 3 : 0;
    return (w - k / 2) * PI;
}

static long double
sinpi_(long double x)
{
    int n;
    long double r = half_turns(x, &n), y = n & 1 ? cosl(r) : sinl(r);
    y = n & 2 ? -y : y;
    return y == 0 ? copysignl(0, x) : y;
}

static long double
cospi_(long double x)
{
    int n;
    long double r = half_turns(x, &n), y = n & 1 ? -sinl(r) : cosl(r);
    y = n & 2 ? -y : y;
    return y == 0 ? 0 : y;
}

static long double
tanpi_(long double x)
{
    int n;
    long double r = half_turns(x, &n);
    if (!isfinite(x))
        return NAN;
    bool odd = fmodl(floorl(fabsl(x)), 2) != 0; /* of x, or of the whole number below x = n + 0.5 */
    if (r == 0 && !(n & 1))
        return copysignl(0, odd ? -x : x);
    if (r == 0) /* + infinity for n + 0.5 with n even, so that tanpi(-0.5), n = -1, is - infinity */
        return fmodl(floorl(x), 2) == 0 ? INFINITY : -INFINITY;
    return n & 1 ? -cosl(r) / sinl(r) : tanl(r);
}

static long double
atan2pi_(long double y, long double x)
{
    return atan2l(y, x) / PI;
}
static long double
divide_(long double x, long double y)
{
    return x / y;
}
static long double
min_common(long double x, long double y)
{
    return y < x ? y : x;
}
static long double
max_common(long double x, long double y)
{
    return x < y ? y : x;
}
static long double
step_(long double edge, long double x)
{
    return x < edge ? 0 : 1;
}

static long double
maxmag_(long double x, long double y)
{
    return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y);
}

static long double
minmag_(long double x, long double y)
{
    return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y);
}

static long double
powr_(long double x, long double y)
{
    if (x < 0 || isnan(x) || isnan(y) || (x == 0 && y == 0) || (x == 1 && isinf(y)) || (isinf(x) && y == 0))
        return NAN;
    return powl(fabsl(x), y);
}

/* libm takes the 64-bit whole number -2^63 for an odd one. */
static long double
pow_(long double x, long double y)
{
    return isinf(x) && fabsl(y) >= 0x1p60L ? powl(fabsl(x), y) : powl(x, y);
}

static const struct {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
} plain[] = {
    {"acos", acosl},
    {"acosh", acoshl},
    {"acospi", acospi_},
    {"asin", asinl},
    {"asinh", asinhl},
    {"asinpi", asinpi_},
    {"atan", atanl},
    {"atanh", atanhl},
    {"atanpi", atanpi_},
    {"cbrt", cbrtl},
    {"ceil", ceill},
    {"cos", cosl},
    {"cosh", coshl},
    {"cospi", cospi_},
    {"erfc", erfcl},
    {"erf", erfl},
    {"exp", expl},
    {"exp2", exp2l},
    {"exp10", exp10l},
    {"expm1", expm1l},
    {"fabs", fabsl},
    {"floor", floorl},
    {"lgamma", lgammal},
    {"log", logl},
    {"log2", log2l},
    {"log10", log10l},
    {"log1p", log1pl},
    {"logb", logbl},
    {"rint", rintl},
    {"round", roundl},
    {"rsqrt", rsqrt_},
    {"near_rsqrt", rsqrt_},
    {"near_sqrt", sqrtl},
    {"sin", sinl},
    {"sinh", sinhl},
    {"sinpi", sinpi_},
    {"sqrt", sqrtl},
    {"tan", tanl},
    {"tanh", tanhl},
    {"tanpi", tanpi_},
    {"tgamma", tgammal},
    {"trunc", truncl},
    {"recip", recip_},
    {"degrees", degrees_},
    {"radians", radians_},
    {"sign", sign_},
    {"atan2", NULL, atan2l},
    {"atan2pi", NULL, atan2pi_},
    {"copysign", NULL, copysignl},
    {"fdim", NULL, fdiml},
    {"fmax", NULL, fmaxl},
    {"fmin", NULL, fminl},
    {"fmod", NULL, fmodl},
    {"hypot", NULL, hypotl},
    {"maxmag", NULL, maxmag_},
    {"minmag", NULL, minmag_},
    {"pow", NULL, pow_},
    {"powr", NULL, powr_},
    {"remainder", NULL, remainderl},
    {"divide", NULL, divide_},
    {"fmin_common", NULL, min_common},
    {"fmax_common", NULL, max_common},
    {"step", NULL, step_},
};

/* The half fma exactly: halves are multiples of 2^-24, their products of 2^-48, below 2^32. */
static long double
fma_half(long double a, long double b, long double c)
{
    if (!isfinite(a) || !isfinite(b) || !isfinite(c))
        return a * b + c;
    __int128 product = (__int128)ldexpl(a, 24) * (__int128)ldexpl(b, 24);
    __int128 sum = product + (__int128)ldexpl(c, 48);
    if (sum == 0)
        return a * b + c;
    unsigned __int128 m = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
    int top = 127;
    while (!(m >> top))
        top--;
    int drop = top - 10 > 24 ? top - 10 : 24; /* the least half is 2^-24 */
    unsigned __int128 q = m >> drop, rest = m - (q << drop), tie = (unsigned __int128)1 << (drop - 1);
    q += rest > tie || (rest == tie && (q & 1));
    return copysignl(ldexpl((long double)(uint64_t)q, drop - 48), sum < 0 ? -1.0L : 1.0L);
}

static long double
rootn_(long double x, int n)
{
    if (n == 0 || (x < 0 && !(n & 1)))
        return NAN;
    if (x == 0)
        return n & 1 ? (n < 0 ? copysignl(INFINITY, x) : x) : n < 0 ? INFINITY : 0;
    return copysignl(powl(fabsl(x), 1.0L / n), x);
}

/* nextafter in the format: the neighbours are one unit in the last place away, except below a power of two.
 */
static long double
nextafter_(long double x, long double y, const char *type)
{
    if (type[1] == '6')
        return nextafter((double)x, (double)y);
    if (type[1] == '3')
        return nextafterf((float)x, (float)y);
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return y;
    if (x == 0)
        return copysignl(0x1p-24L, y);
    if (isinf(x))
        return copysignl(65504, x);
    int e = ilogbl(x) < -14 ? -14 : ilogbl(x);
    bool inward = (y < x) == (x > 0);
    bool edge = inward && e > -14 && fabsl(x) == ldexpl(1, e);
    long double r = fabsl(x) + (inward ? -1 : 1) * ldexpl(1, e - 10 - (edge ? 1 : 0));
    return copysignl(r > 65504 ? INFINITY : r, x);
}

static bool
reference_rest(const char *n, const char *type, struct element *e)
{
    long double x = e->x[0], y = e->x[1], z = e->x[2];
    int digits = type[1] == '1' ? 11 : type[1] == '3' ? 24 : 53;
    int sign = 1;
    if (!strcmp(n, "fma"))
        e->r = digits == 11 ? fma_half(x, y, z) : digits == 24 ? fmaf(x, y, z) : fma(x, y, z);
    else if (!strcmp(n, "mad"))
        e->r = x * y + z, e->slack = 2 * ldexpl(fabsl(x * y) + fabsl(z), -digits);
    else if (!strcmp(n, "fclamp"))
        e->r = fminl(fmaxl(x, y), z);
    else if (!strcmp(n, "mix"))
        e->r = x + (y - x) * z, e->slack = 4 * ldexpl(fabsl(x) + fabsl(y) + fabsl((y - x) * z), -digits);
    else if (!strcmp(n, "smoothstep")) {
        long double t = fminl(fmaxl((z - x) / (y - x), 0), 1);
        e->r = t * t * (3 - 2 * t), e->slack = ldexpl(16, -digits);
    } else if (!strcmp(n, "nextafter"))
        e->r = nextafter_(x, y, type);
    else if (!strcmp(n, "ldexp"))
        e->r = ldexpl(x, (int)e->i[1]);
    else if (!strcmp(n, "pown"))
        e->r = powl(x, e->i[1]);
    else if (!strcmp(n, "rootn"))
        e->r = rootn_(x, (int)e->i[1]);
    else if (!strcmp(n, "ilogb"))
        e->result_bits = 32, e->ri = x == 0 ? INT32_MIN : isfinite(x) ? ilogbl(x) : INT32_MAX;
    else if (!strcmp(n, "sincos"))
        e->r = sinl(x), e->r2 = cosl(x);
    else if (!strcmp(n, "modf"))
        e->r = modfl(x, &e->r2);
    else if (!strcmp(n, "fract")) {
        e->r2 = floorl(x);
        long double below = 1 - ldexpl(1, -digits), d = round_type(x - e->r2, type);
        e->r = isnan(x) ? x : isinf(x) ? copysignl(0, x) : x == 0 ? x : d < below ? d : below;
    } else if (!strcmp(n, "frexp")) {
        int k = 0;
        e->r = frexpl(x, &k), e->ri2 = isfinite(x) ? k : 0;
    } else if (!strcmp(n, "lgamma_r")) {
        e->r = lgammal_r(x, &sign);
        e->ri2 = x <= 0 && truncl(x) == x ? 0 : sign;
    } else if (!strcmp(n, "remquo")) {
        /* libm promises three bits of the quotient, OpenCL seven. */
        e->r = remainderl(x, y);
        long double m = fmodl(fabsl(x), 128 * fabsl(y)) - remainderl(fabsl(x), fabsl(y));
        e->ri2 = isnan(e->r) || isinf(y) ? 0 : (int)rintl(m / fabsl(y)) & 127;
        e->ri2 = signbit(x) != signbit(y) ? -e->ri2 : e->ri2;
    } else
        return false;
    return true;
}

bool
reference_float(const char *name, const char *type, struct element *e)
{
    const char *n = !strncmp(name, "native_", 7) ? name + 7 : !strncmp(name, "half_", 5) ? name + 5 : name;
    e->slack = 0;
    e->result_bits = 0;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        if (strcmp(plain[k].name, n))
            continue;
        e->r = plain[k].one ? plain[k].one(e->x[0]) : plain[k].two(e->x[0], e->x[1]);
        if (!strcmp(n, "fdim") && type[1] == '6') /* one rounding, from the exact difference */
            e->r = fdim((double)e->x[0], (double)e->x[1]);
        if (!strcmp(n, "lgamma"))
            e->slack = ldexpl(16, type[1] == '1' ? -11 : type[1] == '3' ? -24 : -53);
        return true;
    }
    if (!strcmp(n, "lgamma_r"))
        return reference_rest(n, type, e) && (e->slack = ldexpl(16, type[1] == '1'   ? -11
                                                                    : type[1] == '3' ? -24
                                                                                     : -53),
                                              true);
    return reference_rest(n, type, e);
}

typedef __int128 wide;

static wide
clamp_wide(wide x, wide lo, wide hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static wide
floor_half(wide x)
{
    return x >= 0 ? x / 2 : -((1 - x) / 2);
}

static int
count_bits(uint64_t x, int bits, int from, int step, bool stop)
{
    int count = 0;
    for (int k = 0; k < bits; k++) {
        bool set = x >> (from + k * step) & 1;
        if (stop && set)
            return count;
        count += stop ? 1 : set;
    }
    return count;
}

/* s_* on sign-extended, u_* on zero-extended operands, in 128 bits; the caller cuts the result. */
bool
reference_integer(const char *name, int bits, struct element *e)
{
    bool is_unsigned = name[0] == 'u' && name[1] == '_';
    const char *n = name[1] == '_' ? name + 2 : name;
    uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    uint64_t ux = (uint64_t)e->i[0] & mask, uy = (uint64_t)e->i[1] & mask, uz = (uint64_t)e->i[2] & mask;
    wide x = is_unsigned ? (wide)ux : e->i[0], y = is_unsigned ? (wide)uy : e->i[1];
    wide z = is_unsigned ? (wide)uz : e->i[2], one = 1, r;
    wide lo = is_unsigned ? 0 : -(one << (bits - 1)), hi = is_unsigned ? (wide)mask : (one << (bits - 1)) - 1;
    if (!strcmp(n, "abs"))
        r = x < 0 ? -x : x;
    else if (!strcmp(n, "abs_diff"))
        r = x > y ? x - y : y - x;
    else if (!strcmp(n, "add_sat"))
        r = clamp_wide(x + y, lo, hi);
    else if (!strcmp(n, "sub_sat"))
        r = clamp_wide(x - y, lo, hi);
    else if (!strcmp(n, "hadd"))
        r = floor_half(x + y);
    else if (!strcmp(n, "rhadd"))
        r = floor_half(x + y + 1);
    else if (!strcmp(n, "clamp"))
        r = x < y ? (y < z ? y : z) : (x < z ? x : z);
    else if (!strcmp(n, "clz"))
        r = count_bits(ux, bits, bits - 1, -1, true);
    else if (!strcmp(n, "ctz"))
        r = count_bits(ux, bits, 0, 1, true);
    else if (!strcmp(n, "popcount"))
        r = count_bits(ux, bits, 0, 1, false);
    else if (!strcmp(n, "rotate")) {
        int by = (int)(uy % (unsigned)bits);
        r = (wide)(by ? ux << by | ux >> (bits - by) : ux);
    } else if (!strcmp(n, "max"))
        r = x > y ? x : y;
    else if (!strcmp(n, "min"))
        r = x < y ? x : y;
    else if (!strcmp(n, "mul_hi"))
        r = is_unsigned ? (wide)(((unsigned __int128)x * (unsigned __int128)y) >> bits) : (x * y) >> bits;
    else if (!strcmp(n, "mad_hi"))
        r = (is_unsigned ? (wide)(((unsigned __int128)x * (unsigned __int128)y) >> bits) : (x * y) >> bits) +
            z;
    else if (!strcmp(n, "mad_sat") && is_unsigned) {
        unsigned __int128 p = (unsigned __int128)x * (unsigned __int128)y;
        r = p > mask || p + uz > mask ? (wide)mask : (wide)(p + uz);
    } else if (!strcmp(n, "mad_sat"))
        r = clamp_wide(x * y + z, lo, hi);
    else if (!strcmp(n, "mul24"))
        r = x * y;
    else if (!strcmp(n, "mad24"))
        r = x * y + z;
    else if (!strcmp(n, "upsample"))
        r = (wide)(ux << bits | uy);
    else if (!strcmp(n, "bitselect"))
        r = (wide)((ux & ~uz) | (uy & uz));
    else if (!strcmp(n, "select"))
        r = uz ? y : x;
    else if (!strcmp(n, "select_msb"))
        r = uz >> (bits - 1) ? y : x;
    else
        return false;
    e->ri = (int64_t)(uint64_t)r;
    return true;
}
