/* SPDX-License-Identifier: MIT */
/* Small tables, indexed by what varies: test_tables.py computes what comes out. */
#define KERNEL(name, type, statement)                                                                        \
    kernel void name(global const type *t, global const uchar *in, global type *out, int k)                  \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        uint x = in[i];                                                                                      \
        statement;                                                                                           \
    }

constant uchar letters[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constant int primes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
typedef struct {
    int a, b, c;
} triple;

KERNEL(bytes, uchar, out[i] = t[x])
KERNEL(bytes_few, uchar, out[i] = t[x & 15])
KERNEL(bytes_64, uchar, out[i] = t[x & 63])
KERNEL(shorts, short, out[i] = t[x & 31])
KERNEL(shorts_128, short, out[i] = t[x & 127])
KERNEL(ints, int, out[i] = t[x >> 4])
KERNEL(ints_64, int, out[i] = t[x & 63])
KERNEL(floats, float, out[i] = t[x & 15] + t[x >> 4])
KERNEL(longs, long, out[i] = t[x >> 5])
KERNEL(doubles, double, out[i] = t[x & 31])
KERNEL(colours, uchar4, out[i] = t[x & 15])
KERNEL(pairs, int2, out[i] = t[x & 15])
KERNEL(every_other, int, out[i] = t[(x & 7) * 2 + 1])
KERNEL(members, int, out[i] = ((global const triple *)t)[x & 3].b)
KERNEL(narrow, uchar, out[i] = t[(uchar)(x + 200)])
KERNEL(from_end, int, out[i] = t[15 - (x & 15)])
KERNEL(letter, uchar, out[i] = letters[x & 63])
KERNEL(prime, int, out[i] = primes[x % 10])
KERNEL(below, uchar, out[i] = x < 40 ? t[x] : 7)
KERNEL(behind, uchar, if (x >= 16) out[i] = t[x - 16])
KERNEL(chosen, int, out[i] = x & 1 ? t[x & 14] : k)
KERNEL(moved, int, out[i] = t[k + (x & 7)])
KERNEL(spread, uchar, out[i] = t[x * k])
KERNEL(spread_shorts, short, out[i] = t[x * k + 1])
KERNEL(walked, int, int sum = 0;
       for (int j = 0; j < k; j++, x = x * 5 + 1) sum = sum * 3 + t[x & 15];
       out[i] = sum)

/* In local memory, which others fill and change. */
kernel void
shared(global const int *t, global const uchar *in, global int *out, int k)
{
    local int s[2][16];
    size_t i = get_global_id(0), l = get_local_id(0);
    uint x = in[i];
    int sum = 0;

    for (int round = 0; round < k; round++) {
        for (size_t j = l; j < 16; j += get_local_size(0))
            s[round & 1][j] = t[j] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 3 + s[round & 1][x & 15];
        x = x * 5 + 1;
    }
    out[i] = sum;
}
