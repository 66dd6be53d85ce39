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

LIMIT_LOOP(softmax_online)
{
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, inp);
    LIMIT_VALUE(int, C);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        const float *row = inp + i * (size_t)C;
        float *to = out + i * (size_t)C, most = row[0], sum = 0;
        for (int j = 1; j < C; j++)
            most = row[j] > most ? row[j] : most;
        for (int j = 0; j < C; j++)
            sum += to[j] = expf(row[j] - most);
        for (int j = 0; j < C; j++)
            to[j] /= sum;
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
                const float *q = inp + (b * T + t) * C * 3 + h * hs, *k = inp + (b * T + t2) * C * 3 + h * hs + C;
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

LIMIT_LOOP(permute_4d)
{
    LIMIT_BUFFER(float, q);
    LIMIT_BUFFER(const float, inp);
    LIMIT_VALUE(int, B);
    LIMIT_VALUE(int, N);
    LIMIT_VALUE(int, NH);
    LIMIT_VALUE(int, d);

#pragma omp parallel for collapse(2)
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int n = 0; n < N; n++)
                for (int i = 0; i < d; i++)
                    q[((b * NH + h) * N + n) * d + i] = inp[((b * N + n) * NH + h) * d + i];
}

LIMIT_LOOP(adamw_update)
{
    LIMIT_BUFFER(float, params);
    LIMIT_BUFFER(const float, grads);
    LIMIT_BUFFER(float, m_memory);
    LIMIT_BUFFER(float, v_memory);
    LIMIT_VALUE(float, rate);
    LIMIT_VALUE(float, beta1);
    LIMIT_VALUE(float, beta2);
    LIMIT_VALUE(float, correction1);
    LIMIT_VALUE(float, correction2);
    LIMIT_VALUE(float, eps);
    LIMIT_VALUE(float, decay);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        float m = beta1 * m_memory[i] + (1 - beta1) * grads[i];
        float v = beta2 * v_memory[i] + (1 - beta2) * grads[i] * grads[i];
        m_memory[i] = m;
        v_memory[i] = v;
        params[i] -= rate * (m / correction1 / (sqrtf(v / correction2) + eps) + decay * params[i]);
    }
}

LIMIT_LOOP(conv2d_direct)
{
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(const float, w);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(float, y);

#pragma omp parallel for collapse(2)
    for (int n = 0; n < (int)limit->size; n++)
        for (int f = 0; f < 16; f++)
            for (int oy = 0; oy < 30; oy++)
                for (int ox = 0; ox < 30; ox++) {
                    float sum = b[f];
                    for (int c = 0; c < 8; c++)
                        for (int k = 0; k < 9; k++)
                            sum += x[((n * 8 + c) * 32 + oy + k / 3) * 32 + ox + k % 3] * w[(f * 8 + c) * 9 + k];
                    y[((n * 16 + f) * 30 + oy) * 30 + ox] = sum > 0 ? sum : 0;
                }
}

LIMIT_LOOP(im2col)
{
    LIMIT_BUFFER(const float, data_im);
    LIMIT_BUFFER(float, data_col);

#pragma omp parallel for
    for (int c = 0; c < (int)limit->size; c++)
        for (int k = 0; k < 9; k++)
            for (int y = 0; y < 56; y++)
                for (int x = 0; x < 56; x++) {
                    int h = y + k / 3 - 1, w = x + k % 3 - 1;
                    data_col[((c * 9 + k) * 56 + y) * 56 + x] =
                        h >= 0 && w >= 0 && h < 56 && w < 56 ? data_im[(c * 56 + h) * 56 + w] : 0;
                }
}

LIMIT_LOOP(maxpool_index)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(int, where);

#pragma omp parallel for
    for (int k = 0; k < (int)limit->size; k++)
        for (int i = 0; i < 28; i++)
            for (int j = 0; j < 28; j++) {
                int best = (k * 56 + 2 * i) * 56 + 2 * j, first = best;
                for (int m = 1; m < 4; m++)
                    if (in[first + m / 2 * 56 + m % 2] > in[best])
                        best = first + m / 2 * 56 + m % 2;
                out[(k * 28 + i) * 28 + j] = in[best];
                where[(k * 28 + i) * 28 + j] = best;
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
