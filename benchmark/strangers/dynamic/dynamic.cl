/* SPDX-License-Identifier: MIT */
/* Dynamic programming in local memory, as ports of CUDA benchmarks write it: halos that shrink, anti-diagonals. */
#define MIN3(a, b, c) min(min(a, b), c)

/* Cheapest way down a grid: a block computes `steps` rows, loses a column on each side in every row, and writes
 * only what is left. */
kernel void
path_halo(int steps, global const int *wall, global const int *source, global int *target, int cols, int first,
          local int *before, local int *after)
{
    int bx = get_group_id(0), tx = get_local_id(0), block = get_local_size(0);
    int small_block = block - steps * 2;
    int column = small_block * bx - steps + tx;
    bool inside = column >= 0 && column < cols, computed = false;
    int valid_min = max(0, -(small_block * bx - steps));
    int valid_max = min(block - 1, cols - 1 - (small_block * bx - steps));
    int west = max(tx - 1, valid_min), east = min(tx + 1, valid_max);

    if (inside)
        before[tx] = source[column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= block - i - 2 && inside) {
            computed = true;
            after[tx] = MIN3(before[west], before[tx], before[east]) + wall[cols * (first + i) + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1)
            break;
        if (computed)
            before[tx] = after[tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        target[column] = after[tx];
}

/* Global alignment of two sequences: every work-group aligns a pair of 64 letters, cells of an anti-diagonal at a
 * time, the whole table in local memory. */
#define PAIR 64

kernel void
align_pair(global const int *first, global const int *second, global int *score, int penalty)
{
    local int table[(PAIR + 1) * (PAIR + 1)];
    local int a[PAIR], b[PAIR];
    int t = get_local_id(0), pair = get_group_id(0);

    a[t] = first[pair * PAIR + t];
    b[t] = second[pair * PAIR + t];
    table[t + 1] = -(t + 1) * penalty;
    table[(t + 1) * (PAIR + 1)] = -(t + 1) * penalty;
    if (t == 0)
        table[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < PAIR; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            int match = a[y - 1] == b[x - 1] ? 5 : -3;
            table[y * (PAIR + 1) + x] = max(table[(y - 1) * (PAIR + 1) + x - 1] + match,
                                            max(table[y * (PAIR + 1) + x - 1] - penalty,
                                                table[(y - 1) * (PAIR + 1) + x] - penalty));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = PAIR - 2; m >= 0; m--) {
        if (t <= m) {
            int x = t + PAIR - m, y = PAIR - t;
            int match = a[y - 1] == b[x - 1] ? 5 : -3;
            table[y * (PAIR + 1) + x] = max(table[(y - 1) * (PAIR + 1) + x - 1] + match,
                                            max(table[y * (PAIR + 1) + x - 1] - penalty,
                                                table[(y - 1) * (PAIR + 1) + x] - penalty));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 1; y <= PAIR; y++)
        score[(pair * PAIR + y - 1) * PAIR + t] = table[y * (PAIR + 1) + t + 1];
}

/* Local alignment, one pair a work-item, a row of scores in private memory. */
#define SHORT 32

kernel void
smith_waterman_private(global const uchar *queries, global const uchar *targets, global int *best)
{
    int id = get_global_id(0);
    int row[SHORT + 1];
    int most = 0;

    for (int i = 0; i <= SHORT; i++)
        row[i] = 0;
    for (int y = 0; y < SHORT; y++) {
        uchar letter = targets[id * SHORT + y];
        int diagonal = 0;
        for (int x = 1; x <= SHORT; x++) {
            int score = diagonal + (queries[id * SHORT + x - 1] == letter ? 3 : -2);
            score = max(score, max(row[x] - 2, row[x - 1] - 2));
            score = max(score, 0);
            diagonal = row[x];
            row[x] = score;
            most = max(most, score);
        }
    }
    best[id] = most;
}

/* Longest common subsequence, letters of both strings interleaved over work-items, rows in global memory. */
kernel void
lcs_interleaved(global const char *a, global const char *b, global ushort *rows, global int *length, int n, int letters)
{
    int id = get_global_id(0);

    for (int i = 0; i <= letters; i++)
        rows[i * n + id] = 0;
    for (int i = 0; i < letters; i++) {
        ushort diagonal = 0;
        char c = a[i * n + id];
        for (int j = 0; j < letters; j++) {
            ushort up = rows[(j + 1) * n + id];
            ushort value = c == b[j * n + id] ? diagonal + 1 : max(up, rows[j * n + id]);
            rows[(j + 1) * n + id] = value;
            diagonal = up;
        }
    }
    length[id] = rows[letters * n + id];
}
