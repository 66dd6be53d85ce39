/* SPDX-License-Identifier: MIT */
/* Prices of European options; the normal distribution by the polynomial of Abramowitz and Stegun 26.2.17. */
float
normal(float x)
{
    float k = 1 / (1 + 0.2316419f * fabs(x));
    float tail =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float y = 0.39894228f * exp(-0.5f * x * x) * tail;

    return x > 0 ? 1 - y : y;
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
    float n1 = normal(d1), n2 = normal(d2);
    float discounted = x * exp(-rate * t);

    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - s * (1 - n1);
}
