/* SPDX-License-Identifier: MIT */
/* A loop whose length differs from lane to lane without order: Collatz steps until a number falls below its
 * start, at most 500. */
kernel void
random_loops(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint start = in[i], x = start, steps = 0;

    do {
        x = x & 1 ? (3 * x + 1) >> 1 : x >> 1;
        steps++;
    } while (x > start && steps < 500);
    out[i] = steps;
}
