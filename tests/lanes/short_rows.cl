/* SPDX-License-Identifier: MIT */
/* Ranges of short rows: what is worth a row to itself, and what is not. */
#define PITCH 32
#define PLANE (PITCH * 32)

kernel void
beside(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = z * PLANE + y * PITCH + x;
    out[at] = in[at] * 3 + in[at + 1] - z;
}

/* What is loaded lies beside each other, two work-items each; what is stored does not. */
kernel void
halved(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[x * PLANE + y * PITCH + z] = in[z * PLANE + y * PITCH + (x >> 1)] + in[y * PITCH + (x >> 2)];
}

/* Computes long, and what idle lanes compute is lost. */
kernel void
computes(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = z * PLANE + y * PITCH + x;
    uint a = in[at], b = in[0];
    for (int k = 0; k < 40; k++) {
        uint t = a * a - b * (b >> 3) + k;
        b = (a ^ b) * 5 + (t >> 7);
        a = t ^ (b << 3) ^ (b >> 2);
    }
    out[at] = a;
}

/* Nothing lies beside each other. */
kernel void
apart(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = x * PLANE + y * PITCH + z * 9;
    out[at] = in[at] - y;
}
