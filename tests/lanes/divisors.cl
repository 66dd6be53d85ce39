/* SPDX-License-Identifier: MIT */
/* Divisors of zero: the quotient is any value, and whoever asks for zero before or after is answered. */
#define KERNELS(T)                                                                                           \
    kernel void asked_##T(global T *out, global const T *x, T same, global const T *divisors)                \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        T q = x[i] / same, r = x[i] % same, own = divisors[i], s = x[i] / own, t = x[i] % own;               \
        out[4 * i] = same == 0 ? 77 : q;                                                                     \
        out[4 * i + 1] = same == 0 ? 78 : r;                                                                 \
        out[4 * i + 2] = own == 0 ? 79 : s;                                                                  \
        out[4 * i + 3] = own == 0 ? 80 : t;                                                                  \
    }
KERNELS(char)
KERNELS(ushort)
KERNELS(int)
KERNELS(uint)
KERNELS(long)
KERNELS(ulong)

kernel void
asked_int4(global int4 *out, global const int4 *x, int same, global const int4 *divisors)
{
    size_t i = get_global_id(0);
    int4 q = x[i] / same, r = x[i] % same, s = x[i] / divisors[i], t = x[i] % divisors[i];
    out[4 * i] = same == 0 ? (int4)77 : q;
    out[4 * i + 1] = same == 0 ? (int4)78 : r;
    out[4 * i + 2] = divisors[i] == 0 ? (int4)79 : s;
    out[4 * i + 3] = divisors[i] == 0 ? (int4)80 : t;
}

/* clang-22 makes one division of both, in front of the first question. */
kernel void
moved(global int *out, global const int *x, int same, int rounds)
{
    size_t i = get_global_id(0);
    int sum = 1;
    for (int k = 0; k < rounds; k++) {
        if (same != 0)
            sum += k / same;
        for (int j = 0; j < (x[i] > 5 ? rounds : 2); j++)
            if (same != 0)
                sum *= k / same;
    }
    out[i] = sum;
}
