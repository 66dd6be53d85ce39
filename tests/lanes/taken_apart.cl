/* SPDX-License-Identifier: MIT */
/* Indices taken apart by divisors that are arguments, remainders as front ends leave them: i - i / d * d. */

/* Dimensions 1 and 2 of four exchanged. */
kernel void
exchanged(global int *out, global const int *in, int n, int a, int b, int c)
{
    int i = get_global_id(0);

    if (i < n) {
        int w = i / (a * b * c), rest = i - w * (a * b * c);
        int x = rest / (b * c);
        rest = rest - x * (b * c);
        int y = rest / c, z = rest - y * c;
        out[i] = in[((w * b + y) * a + x) * c + z];
    }
}

/* Of a divisor that may be zero: i then, whatever the quotient is. */
kernel void
left_over(global int *out, global const int *in, int n, int d)
{
    int i = get_global_id(0), q = i / d, rest = i - q * d;

    if (rest < n)
        out[i] = in[rest] + rest;
}

/* Short rows in long ones. */
kernel void
nested(global int *out, global const int *in, int n, int a, int b)
{
    int i = get_global_id(0), x = i % a, y = i / a % b, z = i / (a * b);

    if (i < n)
        out[i] = in[z] * 3 + in[(y + 1) * a - x];
}
