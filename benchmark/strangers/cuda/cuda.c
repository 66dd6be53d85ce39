/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

LIMIT_LOOP(layernorm_shuffle)
{
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(const float, weight);
    LIMIT_BUFFER(const float, bias);
    LIMIT_VALUE(int, C);

#pragma omp parallel for
    for (size_t row = 0; row < limit->size; row++) {
        const float *x = in + row * (size_t)C;
        float mean = 0, variance = 0, scale;
        for (int i = 0; i < C; i++)
            mean += x[i];
        mean /= (float)C;
        for (int i = 0; i < C; i++)
            variance += (x[i] - mean) * (x[i] - mean);
        scale = 1 / sqrtf(variance / (float)C + 1e-5f);
        for (int i = 0; i < C; i++)
            out[row * (size_t)C + (size_t)i] = (x[i] - mean) * scale * weight[i] + bias[i];
    }
}

LIMIT_LOOP(attention_scores)
{
    LIMIT_BUFFER(float, preatt);
    LIMIT_BUFFER(const float, inp);
    LIMIT_VALUE(int, B);
    LIMIT_VALUE(int, T);
    LIMIT_VALUE(int, C);
    LIMIT_VALUE(int, NH);

#pragma omp parallel for collapse(2)
    for (int bh = 0; bh < B * NH; bh++)
        for (int t = 0; t < T; t++)
            for (int t2 = 0; t2 < T; t2++) {
                int b = bh / NH, h = bh % NH, hs = C / NH;
                const float *q = inp + (b * T + t) * C * 3 + h * hs,
                            *k = inp + (b * T + t2) * C * 3 + h * hs + C;
                union {
                    uint32_t bits;
                    float value;
                } minus_infinity = {0xff800000};
                float sum = 0;
                for (int i = 0; i < hs && t2 <= t; i++)
                    sum += q[i] * k[i];
                sum /= sqrtf((float)hs);
                memcpy(preatt + (bh * T + t) * T + t2, t2 <= t ? &sum : &minus_infinity.value, 4);
            }
}

LIMIT_LOOP(embedding_grad)
{
    LIMIT_BUFFER(const int, ids);
    LIMIT_BUFFER(const float, grad);
    LIMIT_BUFFER(float, table);
    LIMIT_VALUE(int, dim);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++)
        for (int k = 0; k < dim; k++)
#pragma omp atomic
            table[ids[i] * dim + k] += grad[i * (size_t)dim + (size_t)k];
}

#define HALF_TOO
#define WITH_REALS "cuda/cuda_real.h"
#include "strangers/each_real.h"
