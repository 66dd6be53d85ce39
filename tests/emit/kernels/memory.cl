/* SPDX-License-Identifier: MIT */
struct inner { char c; short s[3]; };
struct item { char a; int b; float3 v; struct inner in[2]; ulong z; };
struct __attribute__((packed)) tight { char a; int b; double d; };
constant int table[4] = {3, 1, 4, 1};
constant struct item first = {1, 2, (float3)(1, 2, 3), {{4, {5, 6, 7}}, {8, {9, 10, 11}}}, 12};
constant int *constant pointers[2] = {&table[1], &table[3]};
float pick(struct item s, int i) { s.in[0].s[i & 1] = 9; return s.v.y + s.in[0].s[i & 1]; }
kernel void by_value(global float *o, struct item s, int i) { s.b += i; o[0] = s.b + s.v.z + pick(s, i) + s.in[1].s[2]; }
kernel void copies(global struct item *o, global const struct item *a, global struct tight *t)
{
    size_t i = get_global_id(0);
    struct item s = a[i];
    s.in[i & 1].s[2] = t[i].b;
    o[i] = s;
    t[i].d = s.z;
}
kernel void constants(global float *o, int i) { o[0] = table[i & 3] + first.in[1].s[i] + first.v.y + *pointers[i & 1]; }
kernel void arrays(global int *o, int n)
{
    int a[8][4];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = i * n + j;
    o[get_global_id(0)] = a[n & 7][o[0] & 3];
}
kernel void locals(global int *o, local int *l, local float4 *l4)
{
    local int shared[64];
    local char bytes[7];
    shared[get_local_id(0)] = l[0];
    bytes[get_local_id(0) % 7] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = shared[63 - get_local_id(0)] + (int)l4[0].y + bytes[2];
}
void set(int *p, int v) { *p = v; }
kernel void generic_pointers(global int *o, local int *l, int n)
{
    int mine = 1;
    set(&mine, n);
    set(l, n);
    int *some = o;
    if (n > 2)
        some = l;
    set(some, 3);
    o[1] = mine;
    int *g = o;
    if (n > 3)
        g = &mine;
    o[2] = to_global((int *)o) != 0;
    o[3] = *g;
}
kernel void vec3(global char3 *c, global float3 *f, volatile global int *v)
{
    size_t i = get_global_id(0);
    c[i] = c[i].zyx;
    f[i].y = 3;
    *v = *v + 1;
    ((global int *)f)[9] = (int)((global char *)f - (global char *)c);
}
