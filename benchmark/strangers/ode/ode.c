/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

#define CHEMISTRY(name, real)                                                                                \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, y);                                                                         \
        LIMIT_BUFFER(const real, k);                                                                         \
        LIMIT_BUFFER(real, dy);                                                                              \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for") for (size_t id = 0; id < n; id++)                                        \
        {                                                                                                    \
            real d[24] = {0};                                                                                \
            for (size_t r = 0; r < 200; r++) {                                                               \
                size_t a = r % 24, b = (7 * r + 3) % 24, c = (11 * r + 5) % 24;                              \
                real q = k[r] * y[a * n + id] * y[b * n + id] - (real)0.125 * k[r] * y[c * n + id];          \
                d[a] -= q;                                                                                   \
                d[b] -= q;                                                                                   \
                d[c] += q;                                                                                   \
            }                                                                                                \
            for (size_t s = 0; s < 24; s++)                                                                  \
                dy[s * n + id] = d[s];                                                                       \
        }                                                                                                    \
    }
CHEMISTRY(chemistry_rhs, double)
CHEMISTRY(chemistry_rhs_float, float)

LIMIT_LOOP(van_der_pol_rk4)
{
    LIMIT_BUFFER(double, x);
    LIMIT_BUFFER(double, v);
    LIMIT_BUFFER(const double, mu);
    LIMIT_VALUE(double, dt);
    LIMIT_VALUE(int, steps);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        double a = x[i], b = v[i];
        for (int s = 0; s < steps; s++) {
            double da = 0, db = 0, p = a, q = b;
            for (int stage = 0; stage < 4; stage++) {
                double f = q, g = mu[i] * (1 - p * p) * q - p, weight = stage == 0 || stage == 3 ? 1 : 2;
                double h = stage == 2 ? dt : dt / 2;
                da += weight * f;
                db += weight * g;
                p = a + h * f;
                q = b + h * g;
            }
            a += dt / 6 * da;
            b += dt / 6 * db;
        }
        x[i] = a;
        v[i] = b;
    }
}

static void
lorenz(const double s[3], double d[3])
{
    d[0] = 10 * (s[1] - s[0]);
    d[1] = s[0] * (28 - s[2]) - s[1];
    d[2] = s[0] * s[1] - 2.6666666666666667 * s[2];
}

LIMIT_LOOP(lorenz_adaptive)
{
    LIMIT_BUFFER(const double, start);
    LIMIT_BUFFER(double, end);
    LIMIT_BUFFER(int, taken);
    LIMIT_VALUE(double, until);
    LIMIT_VALUE(double, tolerance);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        double s[3], d[3], e[3], to[3], t = 0, h = 0.01;
        int count = 0;
        memcpy(s, start + 3 * i, sizeof s);
        for (; t < until && count < 1000; count++) {
            double error = 0;
            lorenz(s, d);
            for (int k = 0; k < 3; k++)
                to[k] = s[k] + h * d[k];
            lorenz(to, e);
            for (int k = 0; k < 3; k++)
                error = fmax(error, fabs(e[k] - d[k]) * h / 2);
            if (error > tolerance) {
                h *= 0.5;
                continue;
            }
            for (int k = 0; k < 3; k++)
                s[k] += h / 2 * (d[k] + e[k]);
            t += h;
            if (error < tolerance / 4)
                h *= 2;
        }
        memcpy(end + 3 * i, s, sizeof s);
        taken[i] = count;
    }
}
