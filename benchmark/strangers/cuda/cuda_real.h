/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(softmax_online))
{
    LIMIT_BUFFER(REAL, out);
    LIMIT_BUFFER(const REAL, inp);
    LIMIT_VALUE(int, C);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        const REAL *row = inp + i * (size_t)C;
        REAL *to = out + i * (size_t)C, most = row[0], sum = 0;
        for (int j = 1; j < C; j++)
            most = row[j] > most ? row[j] : most;
        for (int j = 0; j < C; j++)
            sum += to[j] = EXP(row[j] - most);
        for (int j = 0; j < C; j++)
            to[j] /= sum;
    }
}

LIMIT_LOOP(NAME(conv2d_direct))
{
    LIMIT_BUFFER(const REAL, x);
    LIMIT_BUFFER(const REAL, w);
    LIMIT_BUFFER(const REAL, b);
    LIMIT_BUFFER(REAL, y);

#pragma omp parallel for collapse(2)
    for (int n = 0; n < (int)limit->size; n++)
        for (int f = 0; f < 16; f++)
            for (int oy = 0; oy < 30; oy++)
                for (int ox = 0; ox < 30; ox++) {
                    REAL sum = b[f];
                    for (int c = 0; c < 8; c++)
                        for (int k = 0; k < 9; k++)
                            sum +=
                                x[((n * 8 + c) * 32 + oy + k / 3) * 32 + ox + k % 3] * w[(f * 8 + c) * 9 + k];
                    y[((n * 16 + f) * 30 + oy) * 30 + ox] = sum > 0 ? sum : 0;
                }
}

LIMIT_LOOP(NAME(adamw_update))
{
    LIMIT_BUFFER(REAL, params);
    LIMIT_BUFFER(const REAL, grads);
    LIMIT_BUFFER(REAL, m_memory);
    LIMIT_BUFFER(REAL, v_memory);
    LIMIT_VALUE(REAL, rate);
    LIMIT_VALUE(REAL, beta1);
    LIMIT_VALUE(REAL, beta2);
    LIMIT_VALUE(REAL, correction1);
    LIMIT_VALUE(REAL, correction2);
    LIMIT_VALUE(REAL, eps);
    LIMIT_VALUE(REAL, decay);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++) {
        REAL m = beta1 * m_memory[i] + (1 - beta1) * grads[i];
        REAL v = beta2 * v_memory[i] + (1 - beta2) * grads[i] * grads[i];
        m_memory[i] = m;
        v_memory[i] = v;
        params[i] -= rate * (m / correction1 / (SQRT(v / correction2) + eps) + decay * params[i]);
    }
}

LIMIT_LOOP(NAME(maxpool_index))
{
    LIMIT_BUFFER(const REAL, in);
    LIMIT_BUFFER(REAL, out);
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

LIMIT_LOOP(NAME(permute_4d))
{
    LIMIT_BUFFER(REAL, q);
    LIMIT_BUFFER(const REAL, inp);
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

LIMIT_LOOP(NAME(im2col))
{
    LIMIT_BUFFER(const REAL, data_im);
    LIMIT_BUFFER(REAL, data_col);

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
