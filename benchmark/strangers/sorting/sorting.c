/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_LOOP(bitonic_step)
{
    LIMIT_BUFFER(uint32_t, data);
    LIMIT_VALUE(uint32_t, stage);
    LIMIT_VALUE(uint32_t, pass);
    LIMIT_VALUE(uint32_t, direction);
    uint32_t distance = 1u << (stage - pass);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        uint32_t a = data[i], b;
        if (i & distance)
            continue;
        b = data[i + distance];
        if ((a > b) == ((i >> (stage + 1) & 1) != direction)) {
            data[i] = b;
            data[i + distance] = a;
        }
    }
}

static int
by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

LIMIT_LOOP(bitonic_local)
{
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(const uint32_t, values);
    LIMIT_BUFFER(uint32_t, out_keys);
    LIMIT_BUFFER(uint32_t, out_values);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size; g += 1024) {
        uint64_t pairs[1024];
        for (size_t i = 0; i < 1024; i++)
            pairs[i] = (uint64_t)keys[g + i] << 32 | values[g + i];
        qsort(pairs, 1024, sizeof *pairs, by_key);
        for (size_t i = 0; i < 1024; i++) {
            out_keys[g + i] = (uint32_t)(pairs[i] >> 32);
            out_values[g + i] = (uint32_t)pairs[i];
        }
    }
}

static int
by_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

LIMIT_LOOP(odd_even_local)
{
    LIMIT_BUFFER(float, data);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size; g += 128)
        qsort(data + g, 128, sizeof *data, by_float);
}

LIMIT_LOOP(rank_sort)
{
    LIMIT_BUFFER(const int, in);
    LIMIT_BUFFER(int, out);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        int rank = 0;
        for (size_t j = 0; j < limit->size; j++)
            rank += in[j] < in[i] || (in[j] == in[i] && j < i);
        out[rank] = in[i];
    }
}

LIMIT_FILL(merge_float4)
{
    LIMIT_BUFFER(float, in);
    uint32_t state = 3;

    for (size_t r = 0; r < limit->size * 2; r++) {
        uint32_t key = 0;
        for (size_t i = 0; i < 16; i++) {
            state = state * 1664525 + 1013904223;
            key += (state >> 8) % 50;
            for (size_t k = 0; k < 4; k++)
                in[(r * 16 + i) * 4 + k] = (float)(key + k * 1000 * (r % 7 + 1));
        }
    }
}

LIMIT_LOOP(merge_float4)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        const float *a = in + id * 128, *b = a + 64, *a_end = b, *b_end = b + 64;
        for (float *to = out + id * 128; a < a_end || b < b_end; to += 4)
            if (b == b_end || (a < a_end && a[0] <= b[0])) {
                memcpy(to, a, 16);
                a += 4;
            } else {
                memcpy(to, b, 16);
                b += 4;
            }
    }
}

LIMIT_LOOP(insertion_private)
{
    LIMIT_BUFFER(const int16_t, in);
    LIMIT_BUFFER(int16_t, out);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t g = 0; g < n; g++) {
        int16_t v[16];
        for (size_t i = 0; i < 16; i++) {
            size_t j = i;
            for (; j > 0 && v[j - 1] > in[i * n + g]; j--)
                v[j] = v[j - 1];
            v[j] = in[i * n + g];
        }
        for (size_t i = 0; i < 16; i++)
            out[i * n + g] = v[i];
    }
}

LIMIT_LOOP(radix_histogram)
{
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(uint32_t, counts);
    LIMIT_VALUE(int, shift);
    size_t groups = limit->size / 1024;

#pragma omp parallel for
    for (size_t g = 0; g < groups; g++) {
        uint32_t bins[16] = {0};
        for (size_t i = 0; i < 1024; i++)
            bins[keys[g * 1024 + i] >> shift & 15]++;
        for (size_t i = 0; i < 16; i++)
            counts[i * groups + g] = bins[i];
    }
}

LIMIT_LOOP(blelloch_scan)
{
    LIMIT_BUFFER(const int, in);
    LIMIT_BUFFER(int, out);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size; g += 512) {
        int sum = 0;
        for (size_t i = 0; i < 512; i++) {
            out[g + i] = sum;
            sum += in[g + i];
        }
    }
}

LIMIT_LOOP(hillis_steele)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size; g += 256) {
        float sum = 0;
        for (size_t i = 0; i < 256; i++)
            out[g + i] = sum += in[g + i];
    }
}

LIMIT_LOOP(compact_atomic)
{
    LIMIT_BUFFER(const int, in);
    LIMIT_BUFFER(int, out);
    LIMIT_BUFFER(int, count);
    LIMIT_VALUE(int, above);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        int at;
        if (in[i] <= above)
            continue;
#pragma omp atomic capture
        at = (*count)++;
        out[at] = in[i];
    }
}
