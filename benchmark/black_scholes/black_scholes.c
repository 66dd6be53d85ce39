/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

static double
normal(double x)
{
    double k = 1 / (1 + 0.2316419 * fabs(x));
    double tail =
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double y = 0.39894228 * exp(-0.5 * x * x) * tail;

    return x > 0 ? 1 - y : y;
}

LIMIT_REFERENCE(black_scholes)
{
    LIMIT_VALUE(float, rate);
    LIMIT_VALUE(float, volatility);
    LIMIT_BUFFER(const float, price);
    LIMIT_BUFFER(const float, strike);
    LIMIT_BUFFER(const float, years);
    LIMIT_BUFFER(float, call);
    LIMIT_BUFFER(float, put);
    double r = (double)rate, v = (double)volatility;

    for (size_t i = 0; i < limit->size; i++) {
        double s = (double)price[i], x = (double)strike[i], t = (double)years[i];
        double width = v * sqrt(t), d1 = (log(s / x) + (r + 0.5 * v * v) * t) / width;
        double n1 = normal(d1), n2 = normal(d1 - width), discounted = x * exp(-r * t);
        call[i] = (float)(s * n1 - discounted * n2);
        put[i] = (float)(discounted * (1 - n2) - s * (1 - n1));
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 2048

LIMIT_PHASES(black_scholes, 1)

LIMIT_UNITS(black_scholes, phase)
{
    return limit_pieces(limit->size, PIECE);
}

INLINE vf
normal_f(vf x)
{
    vf k = 1.0f / fma_f(splat_f(0.2316419f), abs_f(x), splat_f(1)), p = splat_f(1.330274429f);

    p = fma_f(p, k, splat_f(-1.821255978f));
    p = fma_f(p, k, splat_f(1.781477937f));
    p = fma_f(p, k, splat_f(-0.356563782f));
    p = fma_f(p, k, splat_f(0.31938153f));
    vf y = 0.39894228f * exp_f(x * x * -0.5f) * (p * k);
    return select_f(lt_f(splat_f(0), x), 1.0f - y, y);
}

LIMIT_RUN(black_scholes, phase, begin, end)
{
    LIMIT_VALUE(float, rate);
    LIMIT_VALUE(float, volatility);
    LIMIT_BUFFER(const float, price);
    LIMIT_BUFFER(const float, strike);
    LIMIT_BUFFER(const float, years);
    LIMIT_BUFFER(float, call);
    LIMIT_BUFFER(float, put);

    FOR_PIECES(i, PIECE, LANES)
    {
        vf s = load_f(price + i), x = load_f(strike + i), t = load_f(years + i);
        vf width = volatility * sqrt_f(t);
        vf d1 = fma_f(splat_f(rate + 0.5f * volatility * volatility), t, log_f(s / x)) / width;
        vf n1 = normal_f(d1), n2 = normal_f(d1 - width), discounted = x * exp_f(t * -rate);
        store_f(call + i, s * n1 - discounted * n2);
        store_f(put + i, discounted * (1.0f - n2) - s * (1.0f - n1));
    }
}
#endif
