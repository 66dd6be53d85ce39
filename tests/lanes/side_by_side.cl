/* SPDX-License-Identifier: MIT */
/* Members of small records, and elements at small strides, of which each work-item reads its own. */
typedef struct {
    int a, b;
} Pair;
typedef struct {
    int a, b, c;
} Triple;
typedef struct {
    int a, b, c, d;
} Quad;

kernel void
pairs(global int *out, global const Pair *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i].a * 3 + in[i].b;
}

kernel void
backwards(global int *out, global const Pair *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[n - 1 - i].a * 3 + in[n - 1 - i].b;
}

kernel void
triples(global int *out, global const Triple *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i].a * 3 + in[i].b * 5 + in[i].c;
}

/* Not all of a record. */
kernel void
two_of_four(global int *out, global const Quad *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i].b * 3 + in[i].c;
}

kernel void
elements(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[2 * i] * 3 + in[2 * i + 1];
}
