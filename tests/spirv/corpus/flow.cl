/* SPDX-License-Identifier: MIT */
/* Control flow: loops with several exits, switches, gotos into no order, private arrays, sums in closed form. */
__attribute__((noinline)) int
collatz(int n)
{
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (++steps > 1000)
            return -1;
    }
    return steps;
}

kernel void
loops(global int *out, global const int *in, uint n)
{
    int i = get_global_id(0);
    int sum = 0, table[16];
    for (int j = 0; j < 16; j++)
        table[j] = in[j] * j;
    for (int j = 0; j < (int)n; j++) {
        if (in[j] == 7)
            continue;
        if (in[j] < 0)
            break;
        for (int k = 0; k < in[j]; k++)
            sum += k + table[k & 15];
    }
    out[i] = sum + collatz(i + 1);
}

kernel void
switches(global long *out, global const uint *in)
{
    size_t i = get_global_id(0);
    switch (in[i]) {
    case 0: out[i] = 5; break;
    case 1:
    case 900: out[i] = in[i + 1]; /* falls through */
    case 7: out[i] += 2; break;
    case 0xfffffff0u: return;
    default: out[i] = -1;
    }
    switch (out[i]) {
    case 5000000000L: out[i] = 1; break;
    case -3: out[i] = 2; break;
    }
}

kernel void
gotos(global int *out, int n)
{
    int i = 0;
    if (n & 1)
        goto middle;
top:
    i += 3;
middle:
    i += n;
    if (i < 100)
        goto top;
    out[get_global_id(0)] = i;
}

kernel void
closed_form(global ulong *out, uint n)
{
    uint sum = 0;
    for (uint i = 0; i < n; i++)
        sum += i;
    out[0] = sum;
}
