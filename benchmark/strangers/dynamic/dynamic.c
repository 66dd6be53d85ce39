/* SPDX-License-Identifier: MIT */
#include "limit.h"

static int
least(int a, int b)
{
    return a < b ? a : b;
}

static int
most(int a, int b)
{
    return a > b ? a : b;
}

LIMIT_LOOP(path_halo)
{
    LIMIT_BUFFER(const int, wall);
    LIMIT_BUFFER(const int, source);
    LIMIT_BUFFER(int, target);
    LIMIT_VALUE(int, cols);
    LIMIT_VALUE(int, steps);
    int *rows[2] = {malloc(sizeof(int) * (size_t)cols), malloc(sizeof(int) * (size_t)cols)};

    memcpy(rows[0], source, sizeof(int) * (size_t)cols);
    for (int i = 0; i < steps; i++) {
        const int *restrict from = rows[i % 2];
        int *restrict to = i == steps - 1 ? target : rows[(i + 1) % 2];
#pragma omp parallel for simd
        for (int x = 0; x < cols; x++)
            to[x] = least(from[x], least(from[most(x - 1, 0)], from[least(x + 1, cols - 1)])) +
                    wall[i * cols + x];
    }
    free(rows[0]);
    free(rows[1]);
}

LIMIT_LOOP(align_pair)
{
    LIMIT_BUFFER(const int, first);
    LIMIT_BUFFER(const int, second);
    LIMIT_BUFFER(int, score);
    LIMIT_VALUE(int, penalty);

#pragma omp parallel for
    for (size_t pair = 0; pair < limit->size; pair++) {
        int table[65][65];
        for (int i = 0; i <= 64; i++)
            table[0][i] = table[i][0] = -i * penalty;
        for (int y = 1; y <= 64; y++)
            for (int x = 1; x <= 64; x++) {
                int match = first[pair * 64 + (size_t)y - 1] == second[pair * 64 + (size_t)x - 1] ? 5 : -3;
                table[y][x] =
                    most(table[y - 1][x - 1] + match, most(table[y][x - 1], table[y - 1][x]) - penalty);
                score[(pair * 64 + (size_t)y - 1) * 64 + (size_t)x - 1] = table[y][x];
            }
    }
}

LIMIT_LOOP(smith_waterman_private)
{
    LIMIT_BUFFER(const uint8_t, queries);
    LIMIT_BUFFER(const uint8_t, targets);
    LIMIT_BUFFER(int, best);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        int table[33][33] = {{0}}, high = 0;
        for (int y = 1; y <= 32; y++)
            for (int x = 1; x <= 32; x++) {
                int match = queries[id * 32 + (size_t)x - 1] == targets[id * 32 + (size_t)y - 1] ? 3 : -2;
                int score = most(table[y - 1][x - 1] + match, most(table[y - 1][x], table[y][x - 1]) - 2);
                table[y][x] = most(score, 0);
                high = most(high, score);
            }
        best[id] = high;
    }
}

LIMIT_LOOP(lcs_interleaved)
{
    LIMIT_BUFFER(const int8_t, a);
    LIMIT_BUFFER(const int8_t, b);
    LIMIT_BUFFER(int, length);
    LIMIT_VALUE(int, n);
    LIMIT_VALUE(int, letters);

#pragma omp parallel for
    for (int id = 0; id < n; id++) {
        uint16_t rows[2][64] = {{0}};
        for (int i = 0; i < letters; i++)
            for (int j = 0; j < letters; j++)
                rows[(i + 1) % 2][j + 1] = a[i * n + id] == b[j * n + id]
                                               ? rows[i % 2][j] + 1
                                               : (uint16_t)most(rows[i % 2][j + 1], rows[(i + 1) % 2][j]);
        length[id] = rows[letters % 2][letters];
    }
}
