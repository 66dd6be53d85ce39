/* Work-groups that pass values on through local memory, at strides that are constants once the local size is. */
kernel void tree(global const int *a, global int *b, local int *t)
{
    uint l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[get_global_id(0)] = t[0];
}

kernel void scan(global const int *a, global int *b, local int *t)
{
    uint l = get_local_id(0);
    int x = a[get_global_id(0)];
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < get_local_size(0); d <<= 1) {
        int y = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        x += y;
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[get_global_id(0)] = x;
}

kernel void sort(global const int *a, global int *b, local int *t)
{
    uint l = get_local_id(0), n = get_local_size(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 2; k <= n; k <<= 1) {
        for (uint j = k >> 1; j > 0; j >>= 1) {
            uint p = l ^ j;
            if (p > l) {
                int x = t[l], y = t[p];
                if ((x > y) == ((l & k) == 0)) {
                    t[l] = y;
                    t[p] = x;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    b[get_global_id(0)] = t[l];
}

/* Rounds that the loop's count does not tell, with an exit that all items take together. */
kernel void rounds(global const int *a, global int *b, local int *t)
{
    uint l = get_local_id(0), n = get_local_size(0);
    int x = a[get_global_id(0)] & 255;
    for (int k = 0; k < 12; k++) {
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        int first = t[0], next = t[(l + 3) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((first & 15) == k)
            break;
        x = (x + next) & 255;
    }
    b[get_global_id(0)] = x;
}

/* The same with the local memory of the module. */
kernel void tree_inside(global const int *a, global int *b, local int *unused)
{
    local int t[1024];
    uint l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[get_global_id(0)] = t[0];
}

kernel void turned(global const int *a, global int *b)
{
    local int t[256];
    uint l = get_local_id(0), n = get_local_size(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[n - 1 - l] * 3 + t[(l + 1) % n];
}

/* What is kept moves together. */
kernel void filter(global const int *a, global int *b)
{
    size_t i = get_global_id(0), first = i - get_local_id(0);
    int v = a[i], keep = v % 3 != 0;
    b[i] = -1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int at = work_group_scan_exclusive_add(keep);
    if (keep)
        b[first + at] = v;
}

/* Looks like it, but there are holes. */
kernel void filter_holes(global const int *a, global int *b)
{
    size_t i = get_global_id(0), first = i - get_local_id(0);
    int v = a[i], keep = v % 3 != 0;
    b[i] = -1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint at = work_group_scan_exclusive_add(keep);
    if (keep && v % 4 != 1)
        b[(uint)first + at] = v;
}

/* A loop that all sub-groups go through alike, whose results live on behind a barrier. */
kernel void runs(global const int *a, global int *b, local int *t)
{
    uint l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n, rounds = get_num_groups(0);
    int sum = 0, mixed = a[first + l];
    for (uint i = 0; i < rounds; i++) {
        int x = a[first + (l + i) % n];
        sum += x;
        mixed = mixed * 3 ^ x;
    }
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[first + l] = t[(l + 1) % n] * 5 + sum + mixed;
}

/* The columns of a tile, which neighbouring sub-groups read side by side. */
kernel void columns(global const int *a, global int *b)
{
    local int t[16 * 17];
    uint l = get_local_id(0), n = get_local_size(0);
    for (uint i = l; i < 16 * 17; i += n)
        t[i] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l / 16 * 17 + l % 16] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[l % 16 * 17 + l / 16];
}

/* A network whose steps turn round: signed numbers, in both halves of 2 n, and how often they moved. */
kernel void network(global const int *a, global int *b, local int *t)
{
    local int keys[512];
    uint l = get_local_id(0), n = get_local_size(0);
    int moved = 0;
    keys[l] = a[get_global_id(0)];
    keys[l + n] = 500 - a[get_global_id(0)] * 7 % 911;
    for (uint size = 2; size <= 2 * n; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * l - (l & (stride - 1));
            int x = keys[low], y = keys[low + stride];
            bool swap = (x > y) == ((low & size) == 0);
            keys[low] = swap ? y : x;
            keys[low + stride] = swap ? x : y;
            moved += (uint)x * 3 < (uint)y == ((low & size) != 0) ? 5 : 2;
        }
    t[l] = moved;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = keys[l] * 3 + keys[l + n] + t[(l + 1) % n] * 10000;
}

/* Sums over tiles, in which each addition waits for the one before: sub-groups go together and share what they
 * load. Small numbers, so that float is exact. */
kernel void product(global const int *a, global int *b)
{
    local float left[256], right[256];
    uint l = get_local_id(0), n = get_local_size(0), x = l & 15, row = l & ~15u;
    int rounds = get_num_groups(0);
    float sum = 0;

    for (int round = 0; round < rounds; round++) {
        int v = a[get_global_id(0)];
        left[l] = (v + round) & 15;
        right[l] = (v >> 4) & 15;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++)
            sum += left[(row + k) & (n - 1)] * right[(16 * k + x) & (n - 1)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[get_global_id(0)] = (int)sum;
}

/* Rows that several sub-groups need, each for another of its sums. */
kernel void taps(global const int *a, global int *b)
{
    local float t[20 * 20];
    uint l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
    uint x = l & 15, y = l >> 4, size = ((n - 1) / 16 + 5) * 20;
    float sum = 0;

    for (uint i = l; i < size; i += n)
        t[i] = a[first + (i / 20 + i % 20) % n] & 63;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < 5; j++)
        for (uint i = 0; i < 5; i++)
            sum += (float)(j * 5 + i + 1) * t[(y + j) * 20 + x + i];
    b[get_global_id(0)] = (int)sum;
}

/* Counts as many rounds with all lanes as without some. */
kernel void counted(global const int *a, global int *b)
{
    local uint bins[64];
    uint l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;

    for (uint i = l; i < 64; i += n)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < n; i += (n + 3) / 4)
        atomic_inc(&bins[a[first + i] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = (int)bins[l & 63];
}

/* Counters of each work-item's own, whose sums are taken in runs of sixteen. */
#define DIGITS(name, first, waits, qualifier)                                                                \
    kernel void name(global const int *a, global int *b)                                                     \
    {                                                                                                        \
        qualifier local int counts[16 * 256], sums[256];                                                     \
        size_t l = get_local_id(0), n = get_local_size(0), at = get_group_id(0) * n;                         \
                                                                                                             \
        for (size_t k = 0; k < 16; k++)                                                                      \
            counts[k * n + l] = k < 15 ? 0 : first;                                                          \
        waits;                                                                                               \
        for (size_t k = 0; k < 3; k++)                                                                       \
            counts[(size_t)(a[at + (l + k) % n] & 15) * n + l] += (int)k + 1;                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        int sum = 0;                                                                                         \
        for (size_t i = 0; i < 16; i++)                                                                      \
            sum += counts[l * 16 + i];                                                                       \
        sums[l] = sum;                                                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        int before = sums[(l + 1) % n];                                                                      \
        for (size_t i = 0; i < 16; i++) {                                                                    \
            int count = counts[l * 16 + i];                                                                  \
            counts[l * 16 + i] = before;                                                                     \
            before += count;                                                                                 \
        }                                                                                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
        for (size_t k = 0; k < 2; k++)                                                                       \
            sum = sum * 7 + counts[(size_t)(a[at + (l + 5 * k) % n] & 15) * n + l]++;                        \
        b[get_global_id(0)] = sum;                                                                           \
    }

DIGITS(digits, 0, , )
DIGITS(digits_waiting, 0, barrier(CLK_LOCAL_MEM_FENCE), )
DIGITS(digits_numbered, (int)get_local_id(0), , )
DIGITS(digits_volatile, 0, , volatile)

/* Elements set two by two, to two different numbers. */
kernel void digits_in_pairs(global const int *a, global int *b)
{
    local int counts[16 * 256] __attribute__((aligned(8)));
    size_t l = get_local_id(0), n = get_local_size(0);
    int sum = 0;

    for (size_t i = 0; i < 8; i++)
        ((local int2 *)counts)[i * n + l] = (int2)(1, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = 0; i < 16; i++)
        sum += counts[l * 16 + i] * (int)(i * i);
    b[get_global_id(0)] = sum + a[get_global_id(0)];
}

/* The next round cannot begin before this one has loaded. */
kernel void list_lengths(global const int *next, global int *out)
{
    int length = 0;
    for (int at = get_global_id(0); at > 0; at = next[at])
        length++;
    out[get_global_id(0)] = length;
}

/* Each lane has its own row. */
#define ROW_SUMS(TYPE)                                                                                       \
    kernel void rows_of_##TYPE(global const TYPE *a, global TYPE *out, int n)                                \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        TYPE sum = 0;                                                                                        \
        for (int j = 0; j < n; j++)                                                                          \
            sum += a[i * n + j];                                                                             \
        out[i] = sum;                                                                                        \
    }
ROW_SUMS(float)
ROW_SUMS(double)

kernel void halving(global const float *a, global float *sums, local float *partial)
{
    int l = get_local_id(0), lane = l & 7;
    partial[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = 4; half_way; half_way /= 2) {
        if (lane < half_way)
            partial[l] += partial[l + half_way];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        sums[get_global_id(0) / 8] = partial[l];
}
