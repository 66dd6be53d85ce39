/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

LIMIT_LOOP(philox_pi)
{
    LIMIT_BUFFER(uint32_t, hits);
    LIMIT_VALUE(uint32_t, seed);
    LIMIT_VALUE(int, rounds);

#pragma omp parallel for simd
    for (size_t id = 0; id < limit->size; id++) {
        uint32_t inside = 0;
        for (int i = 0; i < rounds; i++) {
            uint32_t a = (uint32_t)id, b = (uint32_t)i, key = seed;
            for (int r = 0; r < 10; r++) {
                uint64_t product = (uint64_t)a * 0xD256D193u;
                a = (uint32_t)(product >> 32) ^ key ^ b;
                b = (uint32_t)product;
                key += 0x9E3779B9u;
            }
            float x = (float)(a >> 8) * 0x1p-24f, y = (float)(b >> 8) * 0x1p-24f;
            inside += x * x + y * y < 1;
        }
        hits[id] = inside;
    }
}

LIMIT_LOOP(xorshift128)
{
    LIMIT_BUFFER(uint32_t, states);
    LIMIT_BUFFER(uint32_t, numbers);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size; g++) {
        uint32_t *s = states + 4 * g;
        for (size_t i = 0; i < 16; i++) {
            uint32_t t = s[0] ^ s[0] << 11, w = s[3];
            s[0] = s[1], s[1] = s[2], s[2] = w;
            s[3] = numbers[i * limit->size + g] = w ^ w >> 19 ^ t ^ t >> 8;
        }
    }
}

LIMIT_LOOP(box_muller)
{
    LIMIT_BUFFER(const float, uniform_numbers);
    LIMIT_BUFFER(float, normal);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        float r = sqrtf(-2 * logf(uniform_numbers[2 * i])), phi = 6.28318530718f * uniform_numbers[2 * i + 1];
        normal[2 * i] = r * cosf(phi);
        normal[2 * i + 1] = r * sinf(phi);
    }
}

LIMIT_LOOP(option_paths)
{
    LIMIT_BUFFER(const uint64_t, seeds);
    LIMIT_BUFFER(double, payoffs);
    LIMIT_VALUE(double, s0);
    LIMIT_VALUE(double, strike);
    LIMIT_VALUE(double, drift);
    LIMIT_VALUE(double, vol);
    LIMIT_VALUE(int, steps);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        uint64_t state = seeds[i];
        double s = s0, sum = 0;
        for (int t = 0; t < steps; t++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            s *= 1 + drift + vol * ((double)(state >> 11) * 0x1p-53 - 0.5) * 3.4641016151377544;
            sum += s;
        }
        payoffs[i] = sum / steps > strike ? sum / steps - strike : 0;
    }
}

LIMIT_FILL(resample_search)
{
    LIMIT_BUFFER(float, cumulated);

    for (size_t i = 0; i < limit->size; i++)
        cumulated[i] = (float)(i + 1) / (float)(limit->size + 2);
}

LIMIT_LOOP(resample_search)
{
    LIMIT_BUFFER(const float, cumulated);
    LIMIT_BUFFER(const float, u);
    LIMIT_BUFFER(const float, particles);
    LIMIT_BUFFER(float, resampled);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        size_t at = 0;
        while (at < limit->size - 1 && cumulated[at] < u[i])
            at++;
        memcpy(resampled + 2 * i, particles + 2 * at, 8);
    }
}

LIMIT_FILL(particle_likelihood)
{
    LIMIT_BUFFER(int, disk);

    for (int i = 0; i < 49; i++) {
        disk[2 * i] = i % 7 - 3;
        disk[2 * i + 1] = i / 7 - 3;
    }
}

LIMIT_LOOP(particle_likelihood)
{
    LIMIT_BUFFER(const float, xs);
    LIMIT_BUFFER(const float, ys);
    LIMIT_BUFFER(const int, disk);
    LIMIT_BUFFER(const uint8_t, image);
    LIMIT_BUFFER(float, likelihood);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        int x = (int)nearbyintf(xs[i]), y = (int)nearbyintf(ys[i]);
        float sum = 0;
        for (int k = 0; k < 49; k++) {
            int at = abs((y + disk[2 * k + 1]) * 128 + x + disk[2 * k]);
            float v = image[at >= 128 * 128 ? 0 : at];
            sum += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50;
        }
        likelihood[i] = sum / 49;
    }
}

LIMIT_FILL(ising_half)
{
    LIMIT_BUFFER(int8_t, spins);

    for (size_t i = 0; i < limit->size * limit->size; i++)
        spins[i] = (i * 2654435761u >> 9) % 3 ? 1 : -1;
}

LIMIT_LOOP(ising_half)
{
    LIMIT_BUFFER(int8_t, spins);
    LIMIT_BUFFER(const float, chances);
    LIMIT_BUFFER(const float, uniform_numbers);
    LIMIT_VALUE(int, n);
    LIMIT_VALUE(int, colour);

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = (y + colour) % 2; x < n; x += 2) {
            int sum = spins[y * n + (x + 1) % n] + spins[y * n + (x + n - 1) % n] +
                      spins[(y + 1) % n * n + x] + spins[(y + n - 1) % n * n + x];
            if (uniform_numbers[y * n + x] < chances[(sum * spins[y * n + x] + 4) / 2])
                spins[y * n + x] = (int8_t)-spins[y * n + x];
        }
}

LIMIT_FILL(cross_sections)
{
    LIMIT_BUFFER(double, grid);

    for (int i = 0; i < 2048; i++)
        grid[i] = (i + 0.3 * (i % 3)) / 2047;
}

LIMIT_LOOP(cross_sections)
{
    LIMIT_BUFFER(const double, energies);
    LIMIT_BUFFER(const double, grid);
    LIMIT_BUFFER(const double, xs);
    LIMIT_BUFFER(double, macro);
    LIMIT_VALUE(int, points);
    LIMIT_VALUE(int, nuclides);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        double sum[4] = {0}, f;
        size_t low = 0, high = (size_t)points - 1;
        while (high - low > 1) {
            size_t mid = (low + high) / 2;
            if (grid[mid] > energies[i])
                high = mid;
            else
                low = mid;
        }
        f = (grid[low + 1] - energies[i]) / (grid[low + 1] - grid[low]);
        for (int n = 0; n < nuclides; n++)
            for (size_t k = 0; k < 4; k++) {
                const double *a = xs + ((size_t)(n * points) + low) * 4 + k;
                sum[k] += (a[4] - f * (a[4] - a[0])) * (1 + n);
            }
        memcpy(macro + 4 * i, sum, sizeof sum);
    }
}
