/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

static const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

#define D2Q9(name, real)                                                                                     \
    LIMIT_FILL(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(uint8_t, solid);                                                                        \
        for (size_t y = 0; y < limit->size; y++)                                                             \
            for (size_t x = 0; x < limit->size; x++)                                                         \
                solid[y * limit->size + x] = (x - 40) * (x - 40) + (y - 60) * (y - 60) < 200;                \
    }                                                                                                        \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, f);                                                                         \
        LIMIT_BUFFER(real, g);                                                                               \
        LIMIT_BUFFER(const uint8_t, solid);                                                                  \
        LIMIT_VALUE(int, nx);                                                                                \
        LIMIT_VALUE(int, ny);                                                                                \
        LIMIT_VALUE(real, omega);                                                                            \
        _Pragma("omp parallel for") for (int y = 0; y < ny; y++) for (int x = 0; x < nx; x++)                \
        {                                                                                                    \
            real in[9], rho = 0, ux = 0, uy = 0;                                                             \
            for (int i = 0; i < 9; i++) {                                                                    \
                in[i] = f[i * nx * ny + (y - ey[i] + ny) % ny * nx + (x - ex[i] + nx) % nx];                 \
                rho += in[i], ux += in[i] * ex[i], uy += in[i] * ey[i];                                      \
            }                                                                                                \
            ux /= rho, uy /= rho;                                                                            \
            for (int i = 0; i < 9; i++) {                                                                    \
                real w = (real)(i == 0 ? 16 : i < 5 ? 4 : 1) / 36, eu = ex[i] * ux + ey[i] * uy;             \
                real to = w * rho * (1 + 3 * eu + (real)4.5 * eu * eu - (real)1.5 * (ux * ux + uy * uy));    \
                g[i * nx * ny + y * nx + x] =                                                                \
                    solid[y * nx + x] ? in[opposite[i]] : in[i] + omega * (to - in[i]);                      \
            }                                                                                                \
        }                                                                                                    \
    }
D2Q9(lbm_d2q9, float)
D2Q9(lbm_d2q9_double, double)

static const int c19[19][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                               {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                               {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                               {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};

LIMIT_LOOP(lbm_d3q19)
{
    LIMIT_BUFFER(const float, src);
    LIMIT_BUFFER(float, dst);
    LIMIT_VALUE(float, omega);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                const float *cell = src + 19 * ((z * n + y) * n + x);
                float rho = 0, u[3] = {0, 0, 0};
                for (int i = 0; i < 19; i++) {
                    rho += cell[i];
                    for (int k = 0; k < 3; k++)
                        u[k] += (float)c19[i][k] * cell[i];
                }
                for (int k = 0; k < 3; k++)
                    u[k] /= rho;
                for (int i = 0; i < 19; i++) {
                    const int *c = c19[i];
                    float w = (i == 0 ? 12.0f : i < 7 ? 2.0f : 1.0f) / 36;
                    float eu = (float)c[0] * u[0] + (float)c[1] * u[1] + (float)c[2] * u[2];
                    float to =
                        w * rho *
                        (1 + 3 * eu + 4.5f * eu * eu - 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
                    dst[19 * ((((z + c[2] + n) % n) * n + (y + c[1] + n) % n) * n + (x + c[0] + n) % n) + i] =
                        (1 - omega) * cell[i] + omega * to;
                }
            }
}

static int
clamped(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

LIMIT_FILL(srad_coefficients)
{
    LIMIT_BUFFER(int, north);
    LIMIT_BUFFER(int, south);
    LIMIT_BUFFER(int, west);
    LIMIT_BUFFER(int, east);
    int n = (int)limit->size;

    for (int i = 0; i < n; i++) {
        north[i] = west[i] = clamped(i - 1, n);
        south[i] = east[i] = clamped(i + 1, n);
    }
}

LIMIT_LOOP(srad_coefficients)
{
    LIMIT_BUFFER(const float, image);
    LIMIT_BUFFER(const int, north);
    LIMIT_BUFFER(const int, south);
    LIMIT_BUFFER(const int, west);
    LIMIT_BUFFER(const int, east);
    LIMIT_BUFFER(float, coefficient);
    LIMIT_VALUE(float, q0);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            float c = image[j * n + i], dn = image[j * n + north[i]] - c, ds = image[j * n + south[i]] - c;
            float dw = image[west[j] * n + i] - c, de = image[east[j] * n + i] - c;
            float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (c * c), l = (dn + ds + dw + de) / c;
            float den = 1 + l / 4, q = (g2 / 2 - l * l / 16) / (den * den);
            float k = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
            coefficient[j * n + i] = k < 0 ? 0 : k > 1 ? 1 : k;
        }
}

LIMIT_LOOP(life)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sum = -in[y * n + x];
            for (int dy = n - 1; dy <= n + 1; dy++)
                for (int dx = n - 1; dx <= n + 1; dx++)
                    sum += in[(y + dy) % n * n + (x + dx) % n];
            out[y * n + x] = sum == 3 || (sum == 2 && in[y * n + x]);
        }
}

#define HALF_TOO
#define WITH_REALS "lattice/lattice_real.h"
#include "strangers/each_real.h"
