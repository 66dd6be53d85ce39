/* SPDX-License-Identifier: MIT */
/* Memory: address spaces, generic pointers, structs, punning, vectors, strides, rows, every element type, atomics. */
#include "language.h"

#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define FENCE() barrier(CLK_LOCAL_MEM_FENCE)

constant int numbers[8] = {5, -3, 1000000, 7, INT_MIN, 0, 42, 9};
constant uchar bytes[5] = {1, 200, 3, 255, 7};
constant float floats[4] = {1.5f, -0.0f, 1e10f, 3.25f};
constant uint4 quads[2] = {(uint4)(1, 2, 3, 4), (uint4)(5, 6, 7, 8)};
constant struct { char c; int i; ushort s[3]; } records[2] = {{1, -2, {3, 4, 5}}, {6, 7, {8, 9, 10}}};

kernel void mem_constant(global uint *out, global const uint *in, constant uint *c, uint n)
{
    uint x = in[ITEM], h = numbers[x % 8] + bytes[x % 5];
    h = h * 31 + as_uint(floats[x % 4]) + numbers[3] + numbers[n % 8];
    h = h * 31 + quads[x & 1].y + quads[n & 1].w;
    h = h * 31 + records[x & 1].i + records[x & 1].s[x % 3] + records[1].c;
    h = h * 31 + c[x % 100] + c[n % 100];
    out[ITEM] = h;
}

/* A pointer that may be into any of three spaces. */
kernel void mem_generic(global uint *out, global uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], a[4] = {x, x + 1, x + 2, x + 3};
    l[LID] = x * 5;
    FENCE();
    uint *p = x % 3 == 0 ? (uint *)&in[x % 1000] : x % 3 == 1 ? (uint *)&l[LID] : (uint *)&a[x >> 8 & 3];
    uint *q = n & 1 ? (uint *)l : (uint *)in;
    uint v = *p + q[LID % SIZE % 7];
    FENCE();
    if (x % 3 != 0)
        *p = v + 1;
    FENCE();
    out[ITEM] = v + a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + l[LID];
}

static NOINLINE uint sum_of(const uint *p, uint n)
{
    uint s = 0;
    for (uint k = 0; k < n; k++)
        s = s * 3 + p[k];
    return s;
}
static NOINLINE void bump(uint *p, uint v)
{
    *p += v;
    p[1] ^= v;
}

kernel void mem_escape(global uint *out, global uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], a[6] = {x, 1, 2, 3, 4, 5};
    l[LID] = x;
    FENCE();
    bump(a + x % 5, x);
    if (x & 1)
        bump(&a[1], 9);
    uint s = sum_of(a, 6) + sum_of((const uint *)in + x % 64, x % 4) + sum_of(l, 1);
    out[ITEM] = s;
}

/* Which space a pointer points into, as the built-in functions say; the reference is told. */
#ifdef REFERENCE
#define SPACE(p, global_, local_) ((global_) ? 1u : (local_) ? 18u : 4u)
#else
#define SPACE(p, global_, local_) space_of(p)
static NOINLINE uint space_of(uint *p)
{
    uint is_local = get_fence(p) == CLK_LOCAL_MEM_FENCE;
    return (to_global(p) != NULL) + (to_local(p) != NULL) * 2u + (to_private(p) != NULL) * 4u + is_local * 16u;
}
#endif

/* Pointers chosen, carried round a loop, and read from memory of their own. */
kernel void mem_spaces(global uint *out, global uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], a[4] = {x, x + 1, x + 2, x + 3};
    l[LID] = x;
    FENCE();
    uint *p = x % 3 == 0 ? (uint *)&in[x % 100] : x % 3 == 1 ? (uint *)&l[LID] : (uint *)&a[x >> 8 & 3];
    uint s = SPACE(p, x % 3 == 0, x % 3 == 1) + (*p & 15);
    uint *t[4] = {in + 5, a + 1, l + LID, a + (x & 3)};
    for (uint k = 0; k < (x >> 4) % 6; k++) {
        uint at = (x + k) % 4;
        p = t[at];
        s = s * 3 + SPACE(p, at == 0, at == 2) + (*p & 7);
    }
    uint *q = in;
    bool global_ = true, local_ = false;
    for (uint k = 0; k < x % 5; k++) {
        s = s * 3 + SPACE(q, global_, local_);
        global_ = false;
        local_ = k & 1;
        q = k & 1 ? (uint *)l : (uint *)a;
    }
#ifndef REFERENCE
    private uint *own = to_private(t[1 + (x & 2)]);
    if (own)
        *own += 3;
#else
    t[1 + (x & 2)][0] += 3;
#endif
    out[ITEM] = s + a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7;
}

struct inner { short a[3]; char b; };
struct outer { struct inner in[2]; float f; uint3 v; double d; uchar tail; };

static NOINLINE struct outer make(uint x)
{
    struct outer o;
    for (int j = 0; j < 2; j++) {
        for (int k = 0; k < 3; k++)
            o.in[j].a[k] = (short)(x + 10 * j + k);
        o.in[j].b = (char)(x >> j);
    }
    o.f = (float)(x & 0xff);
    o.v = (uint3)(x, x + 1, x + 2);
    o.d = (double)x * 0.5;
    o.tail = (uchar)x;
    return o;
}
static NOINLINE uint fold(struct outer o, uint k)
{
    return (uint)(o.in[k & 1].a[k % 3] * 7 + o.in[1].b) + (uint)o.f + o.v.y * 3 + o.v.z + (uint)o.d + o.tail;
}

/* Not at 32 and 64 work-items: private structs of mixed members are copied lane by lane, and LLVM's code generation
 * takes 8 s for these copies at 64 on SSE4.2. */
kernel void mem_structs_small(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    struct outer a = make(x);
    a.in[0].a[x % 3] += 5;
    a.v.y = x;
    out[ITEM] = fold(a, x);
}

/* A struct by value among the arguments; the reference has its address. */
struct argument { uint a; uchar b[3]; ulong c; float4 d; };
#ifdef REFERENCE
kernel void mem_argument(global uint *out, global const uint *in, global const struct argument *p, global const long *q, uint n)
#define V (*p)
#define Q (*q)
#else
kernel void mem_argument(global uint *out, global const uint *in, struct argument p, long q, uint n)
#define V p
#define Q q
#endif
{
    uint x = in[ITEM];
    uint4 bits = as_uint4(V.d);
    out[ITEM] = V.a + V.b[x % 3] + (uint)(V.c >> (x & 31)) + (x & 1 ? bits.x : bits.w) + (uint)(Q >> (x % 40)) + n;
}
#ifdef REFERENCE
kernel void mem_vector_argument(global uint *out, global const uint *in, global const short8 *p, global const double *q, uint n)
#else
kernel void mem_vector_argument(global uint *out, global const uint *in, short8 p, double q, uint n)
#endif
{
    uint x = in[ITEM];
    short a[8] = {V.s0, V.s1, V.s2, V.s3, V.s4, V.s5, V.s6, V.s7};
    out[ITEM] = (uint)a[x % 8] + as_uint2(Q).x + n;
}

union pun { uint u; float f; uchar b[4]; ushort h[2]; };

kernel void mem_pun(global uint *out, global const uint *in, uint n)
{
    union pun a, b;
    uint x = in[ITEM];
    a.u = x;
    b.f = (float)(x & 0xffff);
    a.b[x % 4] ^= b.b[3];
    b.h[1] += a.h[0];
    uint words[4] = {1, 2, 3, 4};
    uchar *raw = (uchar *)words;
    *(uint *)(raw + 4) = x;
    *(ushort *)(raw + 8) = (ushort)(x >> 5);
    raw[6] = 77;
    raw[11 - x % 3] += 3;
    *(uint *)raw = *(ushort *)(raw + 10) + x;
    out[ITEM] = a.u ^ b.u ^ *(uint *)(raw + (x & 4)) ^ raw[6];
}

/* Triangles of a private matrix: front ends count their bytes. */
kernel void mem_private_matrix(global uint *out, global const uint *in, uint n)
{
    uint a[4][5], x = in[ITEM], h = 0;
    for (uint r = 0; r < 4; r++)
        for (uint c = 0; c < 5; c++)
            a[r][c] = in[ITEM + r] * (c + 1) + (r == c ? n : 0);
    for (uint k = 0; k < 4; k++) {
        uint scale = a[k][k] | 1;
        for (uint c = k; c < 5; c++)
            a[k][c] *= scale;
        for (uint r = 0; r < 4; r++)
            if (r != k && (x >> r & 1)) {
                uint factor = a[r][k];
                for (uint c = k; c < 5; c++)
                    a[r][c] -= factor * a[k][c];
            }
    }
    for (uint r = 0; r < 4; r++)
        for (uint c = 0; c < 5; c++)
            h = h * 31 + a[r][c];
    out[ITEM] = h;
}

#define ELEMENTS(T)                                                                                                \
    kernel void mem_private_##T(global uint *out, global const uint *in, uint n)                                   \
    {                                                                                                              \
        T a[9];                                                                                                    \
        uint x = in[ITEM];                                                                                         \
        for (uint k = 0; k < 9; k++)                                                                               \
            a[k] = (T)((x >> k) & 127);                                                                            \
        a[x % 9] = (T)3;                                                                                           \
        a[n % 9] += (T)2;                                                                                          \
        if (x & 64)                                                                                                \
            a[(x >> 7) % 9] = a[(x >> 11) % 9];                                                                    \
        uint h = 0;                                                                                                \
        for (uint k = 0; k < 9; k++)                                                                               \
            h = h * 31 + (uint)(int)a[(k * 5 + x) % 9];                                                            \
        out[ITEM] = h;                                                                                             \
    }                                                                                                              \
    kernel void mem_access_##T(global uint *out, global const uint *in, local uint *l, uint n)                     \
    {                                                                                                              \
        global const T *g = (global const T *)in;                                                                  \
        local T *s = (local T *)l;                                                                                 \
        uint x = in[ITEM], h = 0, i = (uint)get_global_id(0) % 500;                                                \
        h = h * 31 + BITS_##T(g[i]);                                                                               \
        h = h * 31 + BITS_##T(g[2 * i]);                                                                           \
        h = h * 31 + BITS_##T(g[3 * i + 1]);                                                                       \
        h = h * 31 + BITS_##T(g[600 - i]);                                                                         \
        h = h * 31 + BITS_##T(g[x % 1000]);                                                                        \
        h = h * 31 + BITS_##T(g[n]);                                                                               \
        h = h * 31 + BITS_##T(g[(get_local_id(1) * 40 + get_local_id(0)) % 1000]);                                 \
        s[LID] = g[i];                                                                                             \
        FENCE();                                                                                                   \
        h = h * 31 + BITS_##T(s[SIZE - 1 - LID]);                                                                  \
        h = h * 31 + BITS_##T(s[x % SIZE]);                                                                        \
        if (x & 8)                                                                                                 \
            h = h * 31 + BITS_##T(g[i + 1]);                                                                       \
        FENCE();                                                                                                   \
        if (x & 16)                                                                                                \
            s[LID ^ 0] = g[x % 77];                                                                                \
        FENCE();                                                                                                   \
        h = h * 31 + BITS_##T(s[LID]);                                                                             \
        out[ITEM] = h;                                                                                             \
    }                                                                                                              \
    kernel void mem_store_##T(global uint *out, global const uint *in, uint n)                                     \
    {                                                                                                              \
        global T *g = (global T *)out;                                                                             \
        T x = ((global const T *)in)[ITEM % 500];                                                                  \
        g[ITEM] = x;                                                                                               \
        if (in[ITEM] & 1)                                                                                          \
            g[4000 - ITEM] = x;                                                                                    \
        g[4100 + 2 * ITEM] = x;                                                                                    \
        if (ITEM & 2)                                                                                              \
            g[5000 + 3 * ITEM + 1] = x;                                                                            \
        if (ITEM == n)                                                                                             \
            g[6500] = x;                                                                                           \
        g[6600 + (ITEM ^ 5)] = x;                                                                                  \
    }
#define BITS_char(v) (uint)(v)
#define BITS_uchar(v) (uint)(v)
#define BITS_short(v) (uint)(v)
#define BITS_ushort(v) (uint)(v)
#define BITS_int(v) (uint)(v)
#define BITS_long(v) ((uint)(v) ^ (uint)((v) >> 32))
#define BITS_half(v) (uint)as_ushort(v)
#define BITS_float(v) as_uint(v)
#define BITS_double(v) (as_uint2(v).x ^ as_uint2(v).y)
ELEMENTS(char)
ELEMENTS(uchar)
ELEMENTS(short)
ELEMENTS(ushort)
ELEMENTS(int)
ELEMENTS(long)
ELEMENTS(half)
ELEMENTS(float)
ELEMENTS(double)

#define FOLD4(h, v) (h = h * 31 + (uint)(v).x + (uint)(v).y * 3 + (uint)(v).z * 5 + (uint)(v).w * 7)

kernel void mem_vectors(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], h = 0, i = ITEM % 200;
    uint4 a = ((global const uint4 *)in)[i];
    uchar4 b = ((global const uchar4 *)in)[i];
    ushort8 c = ((global const ushort8 *)in)[x % 50];
    long2 d = ((global const long2 *)in)[i];
    uint3 e = ((global const uint3 *)in)[i];
    FOLD4(h, a);
    FOLD4(h, b);
    FOLD4(h, c.lo);
    FOLD4(h, c.odd);
    h += (uint)d.x ^ (uint)(d.y >> 20) ^ e.x ^ e.y ^ e.z;
    a.yw = (uint2)(b.x > 3 ? 1 : 2, b.z);
    a.s0 = b.s3;
    ((local uint4 *)l)[LID] = a;
    FENCE();
    FOLD4(h, ((local uint4 *)l)[(LID + 1) % SIZE]);
    FOLD4(h, a.wzyx + a.xxyy);
    uint4 v = (uint4)(x, h, x >> 3, 9);
    if (x & 1)
        v.z = h;
    v[x & 3] += 11;
    FOLD4(h, v);
    ((global uint4 *)out)[ITEM] = v + h;
    ((global uchar4 *)out)[20000 + ITEM] = b.wxyz;
    if (x & 2)
        ((global ushort2 *)out)[30000 + ITEM] = c.s07;
    vstore3(e.zyx, ITEM, out + 36000); /* a store of a uint3 may write its padding, or not */
}

kernel void mem_vload(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], h = 0, i = ITEM % 150;
    uint3 a = vload3(i, in);
    uchar3 b = vload3(i, (global const uchar *)in + 1);
    short4 c = vload4(x % 60, (global const short *)in + 3);
    uint2 d = vload2(n % 10, in + 1);
    char16 e = vload16(i, (global const char *)in);
    h = a.x + a.y * 3 + a.z * 5 + b.x * 7 + b.y * 9 + b.z + d.x + d.y * 2;
    FOLD4(h, c);
    FOLD4(h, e.s048c);
    FOLD4(h, e.hi.lo);
    vstore3(a.zxy, LID, l);
    FENCE();
    h += vload3((LID + 1) % SIZE, l).y;
    vstore3(a, ITEM, out);
    if (x & 1)
        vstore3(b, ITEM, (global uchar *)out + 40001);
    vstore2((ushort2)((ushort)h, (ushort)x), ITEM, (global ushort *)out + 30003);
    vstore8((uint8)(a.x, a.y, a.z, h, x, d.x, d.y, 1), ITEM, out + 20001);
}

kernel void mem_half(global uint *out, global const uint *in, uint n)
{
    global const half *g = (global const half *)in;
    uint i = ITEM % 700;
    float f = vload_half(i, g);
    float4 v = vload_half4(i % 100, g);
    if (!(f == f) || fabs(f) > 60000.0f) /* the sign and bits of a NaN are free */
        f = 1.0f;
    v = select(v, (float4)(2.0f), isnan(v));
    out[ITEM * 4] = as_uint(f * 2.0f);
    out[ITEM * 4 + 1] = as_uint(v.x) ^ as_uint(v.y) ^ as_uint(v.z) ^ as_uint(v.w);
    vstore_half(f * 0.3f, ITEM * 2, (global half *)(out + 40000));
    vstore_half4((float4)(f, f * 0.7f, 1e-7f, 7e4f), ITEM, (global half *)(out + 50000));
}
kernel void mem_rows(global uint *out, global const uint *in, uint n)
{
    uint w = (uint)get_global_size(0), x = (uint)(get_global_id(0) - get_global_offset(0));
    uint y = (uint)(get_global_id(1) - get_global_offset(1)), z = (uint)(get_global_id(2) - get_global_offset(2));
    uint row = y * w + x, up = y > 0 ? in[row - w] : 0, right = x + 1 < w ? in[row + 1] : 1;
    uint t = in[x * 37 % 500 + y] + in[(y * 64 + x) % 4096];
    uint v = ((global const uchar *)in)[row] + ((global const ushort *)in)[y * (w + 3) + x];
    out[ITEM] = up * 3 + right * 5 + t * 7 + v + z;
    out[20000 + (get_global_size(1) * x + y) + z * 1000] = t;
}

#define ATOMICS(name, T, A, op)                                                                                    \
    kernel void mem_atomic_##name(global T *out, global const uint *in, local uint *slots, uint n)                 \
    {                                                                                                              \
        local T *l = (local T *)slots;                                                                             \
        uint x = in[ITEM];                                                                                         \
        if (LID == 0)                                                                                              \
            for (int k = 0; k < 32; k++)                                                                           \
                l[k] = (T)in[k + 5];                                                                               \
        FENCE();                                                                                                   \
        A##_##op;                                                                                                  \
        FENCE();                                                                                                   \
        if (LID < 32)                                                                                              \
            out[200 + LID + 32 * ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +    \
                                  get_group_id(0))] = l[LID];                                                      \
    }
/* Order does not show: commuting operations, results not used, or of an address that one work-item has. */
#define ALL_OF(P)                                                                                                  \
    P##_add(&out[0], x);                                                                                           \
    P##_sub(&out[1 + x % 3], x);                                                                                   \
    P##_inc(&out[4]);                                                                                              \
    if (x & 1)                                                                                                     \
        P##_dec(&out[5 + n % 2]);                                                                                  \
    P##_min(&out[7], x);                                                                                           \
    P##_max(&out[8 + x % 5], x);                                                                                   \
    if (x & 2) {                                                                                                   \
        P##_and(&out[13], x | 0xff);                                                                               \
        P##_or(&out[14], x & 0xff00);                                                                              \
    }                                                                                                              \
    P##_xor(&out[15 + x % 7], x);                                                                                  \
    P##_add(&l[0], 1);                                                                                             \
    P##_xor(&l[1 + x % 5], x);                                                                                     \
    P##_max(&l[6], x);                                                                                             \
    P##_min(&l[7 + x % 3], x);                                                                                     \
    P##_or(&l[10], x);                                                                                             \
    if (x & 4)                                                                                                     \
        P##_sub(&l[11], x);                                                                                        \
    P##_inc(&l[12 + x % 9]);                                                                                       \
    for (uint k = 0; k < x % 4; k++)                                                                               \
    P##_add(&l[22 + k], x)
#define atomic_all ALL_OF(atomic)
#define atom_all ALL_OF(atom)
ATOMICS(int, int, atomic, all)
ATOMICS(uint, uint, atomic, all)
ATOMICS(long, long, atom, all)
ATOMICS(ulong, ulong, atom, all)

/* Results used: places of one work-item each, and tickets whose sum is known. */
kernel void mem_atomic_used(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM];
    volatile global uint *p = &out[8000 + ITEM];
    uint a = atomic_add(p, x), b = atomic_sub(p, 7), c = atomic_inc(p), d = atomic_dec(p);
    uint e = atomic_xchg(p, x ^ 99), f = atomic_cmpxchg(p, x & 1 ? x ^ 99 : 5, 1234);
    uint g = atomic_min(p, 77), h = atomic_max(p, x), i = atomic_and(p, 0xf0f0), j = atomic_or(p, 15);
    uint k = x & 8 ? atomic_xor(p, 3) : 0;
    out[ITEM] = a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 9 ^ f * 11 ^ g * 13 ^ h * 15 ^ i * 17 ^ j * 19 ^ k * 21;
    l[LID % 1024] = 0;
    if (LID == 0)
        l[2000] = l[2001] = 0;
    FENCE();
    uint ticket = atomic_inc(&l[2000]);
    uint other = x & 1 ? atomic_add(&l[2001], 3) : 0;
    atomic_add(&l[ticket % 1024], 1);
    FENCE();
    atomic_add(&out[20000], ticket + other);
    out[21000 + ITEM] = l[LID % 1024] + l[2000];
}

kernel void mem_atomic_used_long(global ulong *out, global const uint *in, uint n)
{
    ulong x = (ulong)in[ITEM] << 17 | in[ITEM];
    volatile global ulong *p = &out[8000 + ITEM];
    ulong a = atom_add(p, x), b = atom_sub(p, 7), c = atom_inc(p), d = atom_dec(p);
    ulong e = atom_xchg(p, x ^ 99), f = atom_cmpxchg(p, x & 1 ? x ^ 99 : 5, 1234);
    ulong g = atom_min(p, 77), h = atom_max(p, x), i = atom_and(p, 0xf0f0), j = atom_or(p, 15);
    ulong k = x & 8 ? atom_xor(p, 3) : 0;
    out[ITEM] = a ^ b * 3 ^ c * 5 ^ d * 7 ^ e * 9 ^ f * 11 ^ g * 13 ^ h * 15 ^ i * 17 ^ j * 19 ^ k * 21;
}

kernel void mem_atomic_generic(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM];
    volatile atomic_uint *g = (volatile atomic_uint *)&out[8000 + ITEM];
    volatile atomic_uint *s = (volatile atomic_uint *)&l[LID];
    volatile atomic_uint *p = x & 1 ? g : s;
    l[LID] = x;
    uint a = atomic_fetch_add_explicit(p, x, memory_order_relaxed, memory_scope_device);
    uint b = atomic_fetch_xor(p, 5), c = atomic_exchange(s, x * 3), d = atomic_load(p), e = x;
    bool same = atomic_compare_exchange_strong(g, &e, 17);
    atomic_store(s, b);
    out[ITEM] = a + b * 3 + c * 5 + d * 7 + e * 9 + same + l[LID];
}

/* Indices that go up with the items but for the bounds they are held in: rows, but at the edges. */
kernel void mem_bounded(global uint *out, global const uint *in, uint n)
{
    global const uchar *bytes_in = (global const uchar *)in;
    global const ushort *shorts_in = (global const ushort *)in;
    global const ulong *longs_in = (global const ulong *)in;
    int x = ITEM, end = 40 + n % 900;
    uint u = ITEM, h = in[clamp(x + 1, 0, 900)];
    h = h * 31 + in[clamp(x - 3, 0, end)] + in[min(u, 700u)] + in[max(x - 20, 5) % 1000];
    h = h * 31 + bytes_in[clamp(x - 2, 0, end)] + bytes_in[clamp(x + 2, 3, end)] * 7;
    h = h * 31 + shorts_in[min(u + 9, 800u)] + (uint)longs_in[clamp(x - 5, 0, 400)];
    h = h * 31 + in[(x + 5) % 37] + in[(u + n) % 513] + in[(x > 0 ? x - 1 : x) & 1023];
    h = h * 31 + in[(uchar)(min(u, 180u) + 230)] + in[(ushort)min(u + 65530u, 66000u) & 1023];
    h = h * 31 + in[x < end ? x % 1000 : 7] + in[u + 60 < 300 ? u + 60 : 3];
    if (h & 1)
        h += in[clamp(x + 2, 0, 800)] + bytes_in[min(u + 1, 990u)];
    else if (x > 10)
        h ^= in[clamp(x - 1, 0, end)];
    out[ITEM] = h;
}

kernel void mem_bounded_rows(global uint *out, global const uint *in, uint n)
{
    int width = 16 + n % 8, x = get_global_id(0) % width, y = get_global_id(1) % 16;
    uint h = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -2; i <= 2; i++)
            h = h * 5 + in[clamp(y + j, 0, 15) * width + clamp(x + i, 0, width - 1)];
    for (int i = -2; i <= 2; i++) {
        int at = (int)get_global_id(0) + i;
        if (at >= 0 && at < 900)
            h += in[at];
        h += in[at < 0 ? -at : at > 600 ? 600 : at];
    }
    out[ITEM] = h;
}

/* Private arrays of few elements, at indices of each item's own. */
kernel void mem_few_bytes(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    uchar count[16] = {0};
    char order[5];
    for (uint k = 0; k < 5; k++)
        order[k] = (char)(x >> k);
    for (uint k = 0; k < 9 + n % 4; k++) {
        uint v = in[(ITEM * 3 + k * 7) % 1000];
        count[v & 15]++;
        if (v & 16)
            count[v >> 5 & 15] -= (uchar)k;
        if (v % 3 == 0)
            count[(v >> 9 & 7) + 4] ^= order[v % 5];
        char old = order[(v >> 3) % 5];
        order[(int)(v % 3) + 2] = (char)(old - order[4 - (v >> 8) % 3]);
        uchar kept = count[v >> 7 & 15];
        count[(v >> 7 & 15) ^ (v & 1)] = 100; /* between a load and the store of its sum */
        count[v >> 7 & 15] = kept + 3;
    }
    for (uint k = 0; k < 16; k++)
        h = h * 31 + count[k];
    for (uint k = 0; k < 5; k++)
        h = h * 31 + (uint)order[k];
    out[ITEM] = h;
}

kernel void mem_few_rows(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    ushort pairs[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    short triples[2][3] = {{-1, -2, -3}, {-4, -5, -6}};
    uchar4 quads[3] = {(uchar4)(x), (uchar4)(1, 2, 3, 4), (uchar4)(n)};
    uint words[7] = {x, 1, 2, 3, 4, 5, 6};
    float sums[8] = {0};
    long wide[3] = {1, x, -7};
    for (uint k = 0; k < 6 + n % 3; k++) {
        uint v = in[(ITEM * 5 + k * 11) % 1000];
        pairs[v & 3][1] += (ushort)v;
        pairs[3 - (v >> 4 & 3)][0] = pairs[v >> 2 & 3][1] | 1;
        triples[v >> 8 & 1][v % 3] -= (short)k;
        if (v & 32)
            quads[v % 3] += quads[(v >> 5) % 3].yxwz;
        words[v % 7] = words[(v >> 3) % 6 + 1] + words[n % 7];
        words[(uchar)v % 5 + 2] &= ~k;
        sums[v & 7] += (float)(v & 63) * 0.5f;
        sums[v >> 4 & 7] = 3.0f - sums[v >> 4 & 7];
        if (v % 5 < 3)
            wide[v % 3] += wide[(v >> 4) % 3] ^ v;
    }
    for (uint k = 0; k < 4; k++)
        h = h * 31 + pairs[k][0] * 3u + pairs[k][1];
    for (uint k = 0; k < 6; k++)
        h = h * 31 + (uint)triples[k / 3][k % 3];
    for (uint k = 0; k < 3; k++)
        h = h * 31 + quads[k].x + quads[k].y * 3u + quads[k].z * 5u + quads[k].w * 7u + (uint)wide[k];
    for (uint k = 0; k < 7; k++)
        h = h * 31 + words[k] + as_uint(sums[k]);
    out[ITEM] = h;
}

/* Addresses that are chosen among elements and variables: loops whose ends differ, written out, and branches. */
kernel void mem_chosen(global uint *out, global const uint *in, uint n)
{
    uint t[8], h = 0, first = in[ITEM], second = ITEM, *p = &first, *q = &second;
    for (uint k = 0; k < 8; k++)
        t[k] = in[(ITEM * 8 + k * 5) % 1000];
    for (int k = 1; k < 8; k++) {
        uint v = t[k];
        int j = k - 1;
        while (j >= 0 && t[j] > v) {
            t[j + 1] = t[j];
            j--;
        }
        t[j + 1] = v;
    }
    for (uint k = 0; k < 4 + n % 3; k++) {
        if (t[k] & 1) {
            uint *r = p;
            p = q;
            q = r;
        }
        *p += t[k + 1];
        *q ^= *(t[k] & 2 ? p : q) * 3;
    }
    for (uint k = 0; k < 8; k++)
        h = h * 31 + t[k];
    out[ITEM] = h + first * 5 + second * 7 + (p == &first);
}

/* One component of a vector in memory: clang reads a vector of one component. */
kernel void mem_component(global uint *out, global const uint *in, uint n)
{
    global const uint4 *v = (global const uint4 *)in;
    uint4 x = v[ITEM % 200], y = v[(ITEM * 3 + n) % 200], z = x * 3 + y.x;
    z = z * v[(ITEM * 5 + 1) % 200].x + v[n % 200].x;
    out[ITEM] = z.x + z.y * 3 + z.z * 5 + z.w * 7;
}

/* The array's value is at module scope: llvm-spirv-15 has it in private memory there. */
struct filled {
    uint first, rest[8];
};

static uint filled_again(uint x)
{
    struct filled f = {x, {2, 3, 5, 7, 11, 13, 17, 19}};
    f.rest[x & 7] *= 3;
    return f.first + f.rest[0] + f.rest[(x >> 3) & 7];
}

kernel void mem_initialised(global uint *out, global const uint *in, uint n)
{
    struct filled f = {in[ITEM % 4096], {3, 4, 5, 6, 7, 8, 9, 10}};
    f.rest[f.first & 7] += ITEM;
    uint sum = f.first;
    for (uint k = 0; k < 8; k++)
        sum = sum * 3 + f.rest[k];
    out[ITEM] = sum + filled_again(f.rest[2] ^ n);
}

/* A pointer into a private array that is made before a divergent loop and used behind it. */
kernel void memory_kept_pointer(global uint *out, global const uint *in, uint n)
{
    uint a = in[ITEM & 4095u], t[8], s = 0;
    ushort u[8];
    for (uint k = 0; k < 8; k++)
        t[k] = a + k, u[k] = (ushort)(a - k);
    size_t at = get_global_linear_id() & 7u, there = in[ITEM & 4095u] >> 1 & 7u;
    uint *p = t + at;
    ushort *q = u + there;
    *p += 3;
    *q += 7;
    for (uint k = 0; k < (in[(ITEM + 1) & 4095u] & 7u); k++)
        a = a * 3 + n;
    t[1] = a;
    u[2] = (ushort)a;
    *p += 5;
    *q ^= 9;
    for (uint k = 1; k < 8; k++)
        s = s * 3 + t[k] + u[k];
    out[ITEM] = s + (uint)(at * 5 + there);
}

/* What a guard takes, and replaces: LLVM 22 puts the load behind the store. */
kernel void memory_taken(global uint *out, global const uint *in, uint n, local uint *shared)
{
    uint a = in[ITEM & 4095u], old = a * 3u, kept = n;
    uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    shared[items - 1u - LID] = a ^ 85u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (a & 1u) {
        old = shared[LID];
        shared[LID] = 5u;
    }
    if (a & 2u) {
        kept = shared[LID];
        shared[LID] = a + 7u;
    }
    out[ITEM] = old * 5u + kept + shared[LID];
}

struct three { uint a, b, c; };

/* Three components of each lane's own: 12 bytes of 16, 12 packed, 24; guarded and not. */
kernel void memory_threes(global uint *out, global const uint *in, local uint *shared, uint n)
{
    uint x = in[ITEM & 4095u], y = x >> 4, at = SIZE - 1 - LID;
    global const struct three *packed = (global const struct three *)in;
    uint3 a = ((global const uint3 *)in)[x % 1000u];
    struct three b = packed[y % 1300u];
    ulong3 c = ((global const ulong3 *)in)[y & 255u];
    if (x & 1u) {
        a += ((global const uint3 *)in)[y % 900u];
        b.a ^= packed[x % 1201u].c;
        b.c += packed[x % 1201u].a + packed[x % 1201u].b;
        c ^= ((global const ulong3 *)in)[x & 127u];
    }
    local struct three *mine = (local struct three *)shared;
    mine[at] = (struct three){a.x ^ b.a, a.y + b.b, a.z - b.c};
    FENCE();
    if (y & 1u) {
        mine[LID].a += n, mine[LID].b ^= x, mine[LID].c *= 5u;
    }
    b = mine[LID];
    FENCE();
    local uint3 *wide = (local uint3 *)shared;
    wide[at] = a;
    FENCE();
    if (y & 2u) {
        uint3 t = wide[LID];
        t.y = x;
        wide[LID] = t.zyx;
    }
    a += wide[LID];
    FENCE();
    local ulong3 *pairs = (local ulong3 *)shared;
    if (SIZE <= 2000u) {
        pairs[at] = c;
        FENCE();
        if (y & 4u)
            pairs[LID].z -= c.x, pairs[LID].x += c.y, pairs[LID].y ^= c.z;
        c += pairs[LID];
    }
    uint h = a.x + a.y * 3u + a.z * 5u + b.a * 7u + b.b * 11u + b.c * 13u;
    c ^= c >> 32;
    out[ITEM] = h + (uint)c.x * 17u + (uint)c.y * 19u + (uint)c.z * 23u;
}

/* Bytes and shorts side by side, from anywhere: two to seven of them; with gaps, guarded, over stores. */
kernel void memory_bytes(global uint *out, global const uint *in, local uint *shared, uint n)
{
    uint x = in[ITEM & 4095u], y = x >> 5, h = n, at = SIZE - 1 - LID;
    global const uchar *b = (global const uchar *)in + x % 16000u;
    global const ushort *s = (global const ushort *)in + y % 8000u;
    h += b[0] | b[1] << 8;
    h = h * 5 + (b[2] | b[3] << 8 | b[4] << 16);
    h = h * 5 + (s[0] ^ s[1] * 3u ^ s[2] * 7u);
    if (x & 1u) {
        b = (global const uchar *)in + y % 16001u;
        h ^= (uint)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
        h += b[5] * 3u + b[7] * 5u + b[8] * 7u + b[11] + b[12];
        h ^= s[5] + s[4] * 9u;
    }
    local uchar *mine = (local uchar *)shared + 4u * at;
    mine[0] = (uchar)x, mine[3] = (uchar)y, mine[1] = (uchar)h, mine[2] = (uchar)(h >> 8);
    FENCE();
    mine = (local uchar *)shared + 4u * LID;
    if (y & 1u) {
        uchar t = mine[1];
        mine[2] += 3u;
        h += t * 3u + mine[2] * 5u + mine[0];
        mine[0] = t;
        h ^= mine[0] * 7u + mine[1] * 9u + mine[3] * 11u;
    }
    local ushort *pair = (local ushort *)shared + 2u * LID;
    if (y & 2u)
        pair[1] = (ushort)h, pair[0] = (ushort)(x >> 3);
    out[ITEM] = h + ((uint)pair[0] << 16) + pair[1];
}

/* Bytes as indices begin anew within the buffer, each lane at another round. */
kernel void memory_begins_anew_people(global uint *out, global const uint *in, uint n)
{
    uint a = n, i = ITEM * 7u + n;
    for (uchar k = (uchar)LID, end = (uchar)(k + 9u); k != end; k += 1)
        a += in[k] + (k > 3);
    a = a * 3u + in[(uchar)(i + 1u)];
    a = a * 3u + in[(uchar)(i + 2u)];
    a = a * 3u + in[(uchar)(i + 3u)];
    out[ITEM] = a * 3u + in[(uchar)(i + 4u)];
}

/* Vectors are loaded and stored as they lie, at an address of another block. */
kernel void memory_as_they_lie_people(global uint *out, global const uint *in, uint n)
{
    global short4 *own = (global short4 *)(out + 20000) + ITEM;
    *own = (short4)((short)in[ITEM & 4095u], (short)n, 3, (short)ITEM);
    if (in[ITEM & 4095u] & 1u)
        out[ITEM] = n;
    *own = *own + *own;
    if (in[ITEM & 4095u] & 2u)
        out[ITEM] = n + 1u;
    *own = *own * (short4)(3, 5, 7, 9);
}

/* Rows of pointers, of which clang-22 declares one only at -O0; what some are compared with has another type
 * than they. */
struct links { uint a; uint *p; uint b; uint *q; uint **r; };

uint follow(struct links *s, uint x)
{
    uint same = (&s->q == (void *)0) + (s->r == &s->q) * 2u + ((x & 1u ? &s->p : &s->q) == s->r) * 4u;
    return same + *s->p * 3u + **s->r * 5u;
}

/* A member whose address has the type of what it is compared with, in clang-22's modules at -O0. */
kernel void memory_compared_member(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM & 4095u];
    struct links l = {n, &x, x, 0, 0}, *s = &l;
    uint h = (void *)0 == (s->r = &s->p);
    h = h * 2u + ((void *)0 != (s->q = &s->b));
    out[ITEM] = h * 3u + **s->r + *s->q;
}

kernel void memory_rows_of_pointers(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM & 4095u], y = x >> 3, z = n;
    uint *rows[2][3] = {{&x, &y, 0}, {0, &y}};
    uint *all[2][2][3] = {{{0, &x, &y}, {&z}}, {{&z, 0}, {0, &y, &x}}};
    struct links s = {n, rows[1][1], x, all[0][1][0], 0};
    s.r = &s.q;
    uint h = (rows[1][1] != 0) + (rows[1][0] != 0) * 2u + (rows[1][2] != 0) * 4u + *all[1][1][2] * 7u;
    if (x & 2u)
        rows[1][1] = &z, s.p = rows[x >> 2 & 1][1];
    *rows[1][1] += 5u;
    out[ITEM] = h + x * 3u + y * 5u + z * 7u + follow(&s, x);
}

/* Variables whose address is compared with a pointer that was loaded: bytes in clang-22's modules at -O0. */
struct held { uint a; uchar **where; };

kernel void memory_compared_variable(global uint *out, global const uint *in, uint n)
{
    uchar x = (uchar)in[ITEM & 4095u], y = x >> 3, z = (uchar)n;
    uchar *a = &x, *b = &y, *c = &z;
    struct held h = {n, x & 1u ? &b : 0}, *s = &h;
    uint same = (&a == s->where) + (&b == s->where) * 2u + (&c == s->where) * 4u;
    b = &z;
    out[ITEM] = same + *a * 3u + *b * 5u + *c * 7u;
}

/* Zeros and other bytes over so many elements as only the run knows: producers make loops over bytes of them. */
kernel void memory_filled(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM & 4095u], from = x % 5u, many = x / 8u % 15u, h = 0;
    uint a[20];
    uchar b[40];
    ushort c[20];
    for (uint k = 0; k < 20u; k++)
        a[k] = x + k, c[k] = (ushort)(x * k + 1u);
    for (uint k = 0; k < 40u; k++)
        b[k] = (uchar)(x >> (k & 7u));
    l[LID] = x;
    FENCE();
    if (LID == 0u)
        for (uint k = 0; k < n % SIZE; k++)
            l[k] = 0;
    if (many)
        for (uint k = 0; k < many; k++)
            a[from + k] = 0;
    for (uint k = 0; k < many; k++)
        c[k] = 0xffff;
    for (uint k = 0; k < 2u * many + 1u; k++)
        b[from + k] = 3;
    FENCE();
    for (uint k = 0; k < 20u; k++)
        h = h * 31u + a[k] + c[k] * 3u;
    for (uint k = 0; k < 40u; k++)
        h = h * 31u + b[k];
    out[ITEM] = h + l[(LID + 1u) % SIZE];
}
