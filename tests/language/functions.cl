/* SPDX-License-Identifier: MIT */
/* Functions: what they take, what they give back, where they are called; inlined, and kept as calls. */
#include "language.h"

#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define FENCE() barrier(CLK_LOCAL_MEM_FENCE)

/* ---- uniform and varying arguments of one function ---- */

static NOINLINE uint mix_of(uint a, uint b, uint rounds)
{
    for (uint k = 0; k < rounds; k++)
        a = (a ^ a >> 7) * 0x9e3779b9u + b + k;
    return a;
}
static NOINLINE uint mix_twice(uint a, uint b)
{
    return mix_of(a, b, b % 5) ^ mix_of(b, a, 3);
}

kernel void fn_uniform(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], u = mix_of(n, 7, 4), s = 0;
    for (uint k = 0; k < u % 6 + 1; k++) /* the result decides a loop */
        s += mix_of(x, u, k) + mix_of(u, k, x % 3) + mix_of(x, x + 1, 2);
    if (mix_of(n + 1, n, 2) & 1)
        s ^= mix_twice(x, n);
    else
        s ^= mix_twice(n, x);
    out[ITEM] = s + mix_twice(n, n) + in[mix_of(n, n, 1) % 4096] + mix_of(ITEM, n, 2);
}

/* ---- called where some lanes are gone, or all ---- */

static NOINLINE uint leave(uint x, global const uint *in)
{
    if (x % 7 == 0)
        return x * 3;
    for (uint k = 0; k < x % 11; k++) {
        x += in[(x + k) % 4096];
        if (x % 5 == 1)
            return x ^ k;
        if (x % 13 == 2)
            continue;
        if (x % 17 == 3)
            break;
        x = x * 31 + k;
    }
    return x % 2 ? x + 1 : x - 1;
}
static NOINLINE void note(global uint *out, uint i, uint v)
{
    out[i] = out[i] * 5 + v;
}

kernel void fn_divergent(global uint *out, global const uint *in, uint n)
{
    uint i = ITEM, x = in[i];
    out[i] = 1;
    for (uint k = 0; k < x % 6; k++) {
        if ((x >> k) % 3 == 0) {
            x = leave(x, in);
            note(out, i, k);
        } else if (x % 4 == 1) {
            note(out, i, leave(x + k, in));
            if (x % 8 == 5)
                break;
        } else {
            x++;
        }
    }
    if (i == 3 || i > 1u << 30)
        note(out, i, leave(x, in));
    if (i >= n - 3)
        return;
    note(out, i, leave(x * 3, in));
}

/* Its loop would not end for lanes that are not there. */
static NOINLINE uint steps_to_one(uint x)
{
    uint steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    return steps;
}

kernel void fn_endless(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] % 100, s = 0;
    if (x > 0)
        s = steps_to_one(x);
    for (uint k = 0; k < 3; k++)
        if (x % 5 == k && x)
            s += steps_to_one(x * 2 + k + 1);
    out[ITEM] = s + (n ? steps_to_one(n % 9 + 1) : 0);
}

/* ---- arrays and structures of their own, and of who calls ---- */

struct state {
    uint w[9];
    uchar c[5];
    double d;
    ulong2 v;
};

static NOINLINE void fill(uint *w, uint count, uint x)
{
    for (uint k = 0; k < count; k++)
        w[k] = x * (k + 1);
}
static NOINLINE void stir(struct state *s, uint x)
{
    uint own[7];
    fill(own, 7, x ^ s->w[x % 9]);
    fill(s->w + 2, 3, own[x % 7]);
    s->w[own[3] % 9] += own[(x >> 3) % 7];
    s->c[x % 5] ^= (uchar)own[2];
    s->d += own[1] % 100;
    s->v += (ulong2)(own[0], s->c[4]);
}
static NOINLINE struct state turned(struct state s)
{
    uint w = s.w[0];
    for (uint k = 0; k < 8; k++)
        s.w[k] = s.w[k + 1];
    s.w[8] = w;
    stir(&s, w);
    return s;
}

kernel void fn_private(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    struct state s, t;
    fill(s.w, 9, n);
    for (uint k = 0; k < 5; k++)
        s.c[k] = (uchar)(k + x);
    s.d = 0.5;
    s.v = (ulong2)(x, n);
    stir(&s, x);
    if (x & 1)
        stir(&s, n);
    t = turned(s);
    for (uint k = 0; k < x % 3; k++)
        t = turned(t);
    uint h = (uint)t.d + (uint)s.d * 3 + (uint)t.v.x + (uint)(t.v.y >> 3) + (uint)s.v.y;
    for (uint k = 0; k < 9; k++)
        h = h * 31 + s.w[k] + t.w[k] * 7;
    for (uint k = 0; k < 5; k++)
        h = h * 31 + s.c[k] + t.c[k];
    out[ITEM] = h;
}

/* More than the stack is for, in a chain of calls. */
static NOINLINE ulong deep2(ulong x, uint at)
{
    ulong table[300];
    for (uint k = 0; k < 300; k++)
        table[k] = x * k + (k ^ at);
    return table[at % 300] + table[x % 300];
}
static NOINLINE ulong deep1(ulong x, uint at)
{
    ulong table[200];
    for (uint k = 0; k < 200; k++)
        table[k] = k % 50 == at % 50 ? deep2(x + k, at) : x ^ k;
    return table[at % 200] + deep2(table[x % 200], at) + table[199];
}

kernel void fn_deep(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM];
    ulong v = deep1(x, n);
    l[LID] = (uint)v;
    FENCE();
    v += deep1(l[(LID + 1) % SIZE], x) + deep2(n, n);
    FENCE();
    l[LID] = (uint)(v >> 3);
    FENCE();
    if (x & 4)
        v ^= deep1(x + 1, l[SIZE - 1 - LID]);
    out[ITEM] = (uint)v ^ (uint)(v >> 32);
}

/* ---- types ---- */


static NOINLINE bool is_odd(uint x)
{
    return x % 2 == 1;
}
static NOINLINE bool either(bool a, bool b, uint x)
{
    return x % 3 ? a || b : a && b;
}
static NOINLINE half4 halves(half a, half4 b, char c)
{
    return b * a + (half)c;
}
static NOINLINE double3 doubles(double3 a, float b, short s)
{
    return a * (double)b - (double)s;
}
static NOINLINE char16 chars(char16 a, uchar b, ulong c)
{
    return (char16)(a.s0123, a.hi.s0246, a.lo.s7654, a.sffff) + (char)(b + (uint)c);
}
static NOINLINE global const uint *choose(global const uint *a, global const uint *b, bool first)
{
    return first ? a + 3 : b + 5;
}

kernel void fn_types(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    bool odd = is_odd(x), all = either(odd, is_odd(n), x), none = either(is_odd(n), is_odd(n + 1), n);
    half4 a = halves((half)(x % 16), (half4)(1, 2, 3, (half)(n % 8)), (char)(x % 5));
    double3 b = doubles((double3)(x, n, 3), 0.5f, (short)x);
    char16 c = chars(as_char16((uint4)(x, n, x * 3, 7)), (uchar)x, x * 77ul);
    h = odd + all * 2 + none * 4 + convert_uint(a.x + a.y * 2) + (uint)a.w * 5 + (uint)a.z;
    h = h * 31 + (uint)(int)(b.x * 2) + (uint)(int)b.y * 3 + (uint)(int)(b.z * 4);
    h = h * 31 + as_uint4(c).x + as_uint4(c).y * 3 + as_uint4(c).z * 5 + as_uint4(c).w * 7;
    h += *choose(in, in + 7, odd) + choose(in, in + n % 9, n % 2 == 1)[2] + choose(in + x % 50, in, all)[x % 20];
    out[ITEM] = h;
}

/* More parameters than registers. */
static NOINLINE uint many(uchar a, ushort b, uint c, ulong d, float e, double f, uint4 g, bool h, uint i, uint j, uint k,
                          ulong l, double m, float n, uint8 o, uint p, uint q, char r, short2 s, ulong t, double4 u)
{
    uint w = a + b * 3 + c * 5 + (uint)d * 7 + (uint)e + (uint)f + g.x + g.w * 9 + h + i * 11 + j * 13 + k * 17;
    return w + (uint)l * 19 + (uint)m + (uint)n + o.s7 * 23 + o.s1 + p + q * 29 + (uint)r + (uint)s.y + (uint)t +
           (uint)u.x + (uint)u.w * 3;
}

kernel void fn_many(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = x % 1000;
    uint h = many((uchar)x, (ushort)x, x, x * 3ul, y, n, (uint4)x, x % 2 == 1, n, x, 3, n, y, y, (uint8)(n), x, n, (char)(x % 50),
                  (short2)(1, 2), x, (double4)(y, 1, 2, 3));
    if (x % 3)
        h ^= many(1, (ushort)n, n, x, n, y, (uint4)(x, n, 1, 2), n % 2 == 1, x, 1, n, x, n, n, (uint8)x, n, x, 3, (short2)3, n,
                  (double4)(n, 1, 2, y));
    out[ITEM] = h;
}

/* ---- ids, local memory, atomics, work-groups ---- */

static NOINLINE uint who_am_i(uint d)
{
    uint h = 0;
    for (uint k = 0; k <= d; k++)
        h = h * 31 + (uint)(get_global_id(k) + get_local_id(k) * 3 + get_group_id(k) * 5 + get_global_size(k) * 7 +
                            get_local_size(k) * 11 + get_num_groups(k) * 13 + get_global_offset(k) * 17 +
                            get_enqueued_local_size(k) * 19);
    h = h * 31 + (uint)(get_global_linear_id() + get_local_linear_id() * 3 + get_work_dim());
    return h * 31 + get_sub_group_id() + get_sub_group_local_id() * 3 + get_sub_group_size() * 5 +
           get_max_sub_group_size() * 7 + get_num_sub_groups() * 11 + get_enqueued_num_sub_groups() * 13;
}
static NOINLINE uint row_of(global const uint *in, uint step)
{
    return in[(get_global_id(0) * step + get_local_id(0)) % 4096] + in[get_group_id(0) % 4096];
}

kernel void fn_ids(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], h = who_am_i(n % 3) + row_of(in, 1) + row_of(in, n % 7);
    l[LID] = h;
    FENCE();
    if (x % 3 == 1)
        h += who_am_i(x % 3);
    h ^= l[SIZE - 1 - LID] + row_of(in, 2);
    FENCE();
    if (LID >= SIZE / 2)
        h = h * 3 + who_am_i(2);
    out[ITEM] = h;
}

static NOINLINE void count(local uint *l, uint at, uint by)
{
    atomic_add(&l[at], by);
}
static NOINLINE uint exchange(local uint *l, uint k)
{
    uint before = l[(LID + k) % SIZE];
    return before * 3 + k;
}

/* Calls in all regions, in loops around barriers, and by work-items that others wait for. */
kernel void fn_regions(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], y = 0;
    l[LID] = 0;
    FENCE();
    count(l, x % SIZE, x % 9 + 1);
    if (x & 1)
        count(l, 0, 1);
    FENCE();
    for (uint k = 0; k < n % 3 + 2; k++) {
        y += exchange(l, k);
        FENCE();
        if ((x + k) % 3)
            count(l, (LID + k) % SIZE, k);
        FENCE();
        if (LID == 0)
            l[0] = mix_of(l[0], k, 2);
        FENCE();
    }
    out[ITEM] = y + l[LID] + mix_of(l[SIZE - 1], n, 1);
}

/* ---- operations of the sub-group ---- */

static NOINLINE uint sum_below(uint x, uint k)
{
    return sub_group_scan_exclusive_add(x) * 3 + sub_group_reduce_max(x ^ k);
}
static NOINLINE bool most_are(uint x)
{
    return sub_group_reduce_add(x & 1u) * 2 > get_sub_group_size();
}

kernel void fn_lanes(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], s = 0;
    for (uint k = 0; k < n % 4 + 1; k++) {
        s += sum_below(x + s, k);
        if (most_are(x >> k))
            s = s * 5 + sum_below(k, n);
    }
    out[ITEM] = s + sub_group_broadcast(s, 0);
}

/* ---- generic pointers ---- */

static NOINLINE uint add_all(uint *p, const uint *q, uint count)
{
    uint s = 0;
    for (uint k = 0; k < count; k++) {
        s = s * 3 + q[k];
        p[k % 2] += s;
    }
    return s;
}

kernel void fn_generic(global uint *out, global const uint *in, local uint *l, uint n)
{
    uint x = in[ITEM], a[5] = {x, n, 1, 2, 3}, b[2] = {0, x};
    l[LID] = x;
    FENCE();
    uint s = add_all(b, (const uint *)in + x % 100, x % 4);
    s += add_all(b, l + LID % SIZE / 2, 1);
    s ^= add_all(a + x % 3, x & 1 ? (const uint *)a : (const uint *)in, 2 + n % 2);
    out[ITEM] = s + a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + b[0] + b[1];
}

/* ---- mathematics: bodies of built-in functions are functions, too ---- */

kernel void fn_math_near(global float *out, global const uint *in, uint n)
{
    float x = (float)(in[ITEM] % 1000) * 0.01f, y = (float)(n % 50) * 0.1f;
    float s = sin(x) + cos(y) + pow(x + 1.0f, 1.5f);
    if (in[ITEM] & 1)
        s += exp(x * 0.1f) + log(y + 1.0f) + pow(y + 0.5f, 2.5f) + cos(x);
    out[ITEM] = s;
}
