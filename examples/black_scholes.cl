/* SPDX-License-Identifier: MIT */
/* Prices of European options: exp, log, sqrt and erf on every lane. */
float
normal(float x)
{
    return 0.5f * erfc(-x * M_SQRT1_2_F);
}

kernel void
black_scholes(float rate, float volatility, global const float *price, global const float *strike,
              global const float *years, global float *call, global float *put)
{
    size_t i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float width = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / width;
    float d2 = d1 - width;
    float discounted = x * exp(-rate * t);

    call[i] = s * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - s * normal(-d1);
}
