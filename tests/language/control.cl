/* SPDX-License-Identifier: MIT */
/* Control flow: switches, multi-exit and irreducible loops, early returns, side effects, calls. */
#include "language.h"

kernel void flow_switch(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 1;
    for (uint k = 0; k < 3; k++) {
        switch (x % 11) {
        case 0: h += 5; break;
        case 3: h *= 3;
        case 4: h ^= 9;
        case 7: h += x; break;
        case 9:
            if (x & 64)
                break;
            h = ~h;
        default: h = h * 7 + 1;
        }
        switch (n % 3) {
        case 0: h += 1; break;
        case 1: h ^= x; break;
        }
        x = x / 3 + k;
    }
    out[ITEM] = h;
}

kernel void flow_exits(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] % 1000, h = 0;
    for (uint i = 0; i < 9; i++) {
        for (uint j = 0; j < x % 7; j++) {
            if ((i * j + x) % 13 == 5)
                continue;
            if ((i ^ j) == x % 8)
                break;
            h = h * 3 + i * 8 + j;
            if (h % 97 == 3) {
                out[ITEM] = h;
                return;
            }
        }
        if (h % 31 == 7)
            break;
        h += i;
    }
    out[ITEM] = h + 1;
}

kernel void flow_irreducible(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] % 10000 + 1, h = 0, guard = 0;
    if (x & 1)
        goto middle;
top:
    h += x;
    x = x / 2 + 1;
middle:
    h = h * 3 + 1;
    if (++guard > 20)
        goto done;
    if (x > 5 && x % 3)
        goto top;
    x -= x > 2 ? 2 : 0;
    if (x > 3)
        goto middle;
done:
    out[ITEM] = h + x;
}

kernel void flow_uniform_irreducible(global uint *out, global const uint *in, uint n)
{
    uint x = n + 77, h = in[ITEM];
    if (n & 2)
        goto middle;
top:
    h += x;
    x -= 3;
middle:
    h ^= h << 3;
    x /= 2;
    if (x > 9)
        goto top;
    if (x > 4)
        goto middle;
    out[ITEM] = h;
}

/* Guards of places that wrap around within a sub-group: below 0 and above the largest number, upwards and down,
 * with and without signs, in 8 to 64 bits; the first lane or the last one alone would say that all pass. */
kernel void flow_wrapped_guards(global uint *out, global const uint *in, uint n)
{
    uint h = in[ITEM], at = (uint)ITEM;
#define MIX(x) h = h * 3 + in[(uint)(x) & 1023] + in[(h ^ (uint)(x)) & 1023] % (h >> 20 | 1)
    for (uint k = 0; k < n % 50 + 30; k++) {
        uint up = at + (k - 25), down = 25 - at - k;
        if (up < 19)
            MIX(up);
        if (down < 19)
            MIX(down);
        if ((int)(at + 0x7ffffff0u + k) > 5)
            MIX(at + k);
        if ((int)(0x80000010u - at + k) < -5)
            MIX(at - k);
        if (ITEM + ((ulong)k - 25) < 12)
            MIX(ITEM + k - 25);
        if ((long)(ITEM + 0x7ffffffffffffff0ul + k) >= 3)
            MIX(3 * k);
        if ((ushort)(at + 0xfff0u + k) < 9)
            MIX(k);
        if ((char)(at + 100 + k) > 3)
            MIX(5 * k);
    }
    out[ITEM] = h;
}

/* Labels that jump to each other, and two loops between them: nobody jumps into the first, the second is jumped
 * into; a value that only one label takes along, and one of another type. */
kernel void flow_web(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0, y = n, left = 90, k = 3;
    float f = 1;
    if (x & 2)
        goto c;
a:
    if (--left == 0)
        goto done;
    x = x * 1664525u + 1013904223u;
    k = (x & 3) + 1;
    if (x >> 30 == 0)
        goto d;
    if (x >> 31)
        goto c;
b:
    h ^= x >> 3;
    for (uint k = 0; k < (h & 3); k++)
        h += k * y;
    if (h & 16)
        goto e;
c:
    y = h + left;
    x += 0x3c6ef35f;
    if (--left == 0)
        goto done;
    for (k = x >> 29; k > 0; k--) {
        h += k;
d:
        f += 0.5f;
        h = h * 5 + 1;
        if ((h & 7) == 3)
            goto b;
    }
    if (x & 1 << 20)
        goto a;
e:
    if (left < 4)
        goto done;
    left -= 3;
    h -= y;
    if (f < 9 && h & 2)
        goto b;
    f = h & 7;
    k = 2;
    goto d;
done:
    out[ITEM] = h + x + (uint)f;
}

kernel void flow_zero_trips(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    for (uint k = 0; k < (x & 1 ? 0 : x % 5); k++)
        h += k + 1;
    for (int k = (int)(x % 4) - 2; k > 0; k--)
        h ^= x >> k;
    uint k = x % 6;
    do {
        h = h * 5 + k;
    } while (k-- > 3);
    while (k != 0 && k < 9)
        k--;
    out[ITEM] = h + k;
}

/* Counters of 32 bits that go by the size of the range, up, down and around. */
kernel void flow_range_strides(global uint *out, global const uint *in, uint n)
{
    uint h = 1, size = (uint)get_global_size(0), step = 3 + n % 5;
    for (uint i = get_global_id(0); i < 600; i += size)
        h = h * 31 + in[i];
    for (int i = get_global_id(0); i < 600; i += get_global_size(0))
        h = h * 31 + in[i];
    for (int i = 599 - (int)get_global_id(0); i >= 0; i -= (int)size)
        h = h * 31 + in[i];
    for (uint i = get_global_id(0) + 0xffffffe0u; i - 0xffffffe0u < 90; i += step) /* wraps */
        h = h * 31 + in[i + 64] + i;
    for (uint i = in[ITEM] % 50, k = get_global_id(0); i < 50; i += step, k += size)
        h = h * 31 + in[k % 500] + k;
    out[ITEM] = h;
}

kernel void flow_effects(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], y = x, h = 0;
    h += x & 1 ? ++y : y--;
    h += (x & 2) && (y++ & 4) && (h += 3);
    h += (x & 8) || (y += 5) > 100 || (h ^= 7);
    h = x & 16 ? (h++, y += 2, h + y) : (x & 32 ? y-- : (y ^= 3));
    out[ITEM] = h * 31 + y;
}

kernel void flow_returns(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM];
    if (ITEM >= n)
        return;
    out[ITEM] = 1;
    if (x % 3 == 0)
        return;
    if (x & 1) {
        for (uint k = 0; k < x % 9; k++)
            if ((x >> k & 3) == 3) {
                out[ITEM] = k + 100;
                return;
            }
        out[ITEM] = 2;
        if (x & 2)
            return;
    }
    if (x > 0x80000000u) {
        if (x & 4)
            return;
        out[ITEM] += 5;
    }
    out[ITEM] += 7;
}

static NOINLINE uint collatz(uint x, uint *steps)
{
    while (x != 1) {
        if (++*steps > 40)
            return x;
        x = x & 1 ? 3 * x + 1 : x / 2;
    }
    return 0;
}
static NOINLINE uint twice(uint x, uint n)
{
    uint steps = 0, a = collatz(x % 100 + 1, &steps);
    if (n & 1)
        return a + steps;
    return collatz(x % 50 + 2, &steps) * 7 + steps;
}

kernel void flow_calls(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    if (x & 1)
        h = twice(x, n);
    h += twice(x >> 3, x);
    for (uint k = 0; k < x % 3; k++)
        h ^= twice(h + k, k);
    out[ITEM] = h;
}

kernel void flow_deep(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 0;
    if (x & 1) { h++; if (x & 2) { h += 2; if (x & 4) { h += 3; if (x & 8) { h += 4; if (x & 16) { h += 5;
    if (x & 32) { h += 6; if (x & 64) { h += 7; if (x & 128) h += 8; else h ^= 1; } else h ^= 2; } else h ^= 3; }
    else h ^= 4; } else h ^= 5; } else h ^= 6; } else h ^= 7; } else h ^= 8;
    for (uint a = 0; a < x % 3; a++)
        for (uint b = 0; b < (x >> 2) % 3; b++)
            for (uint c = 0; c < (x >> 4) % 3; c++)
                for (uint d = 0; d < n % 3; d++)
                    h = h * 3 + (a ^ b ^ c ^ d);
    out[ITEM] = h;
}

#define S1 h = h * 31 + (x ^ h >> 5); if (h & 64) x += h; else x ^= in[h & 1023];
#define S2 S1 S1 S1 S1 S1
kernel void flow_long(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = n;
    S2 S2 S2 S2 S2 S2
    out[ITEM] = h ^ x;
}

/* A uniform value that leaves a divergent loop differs between work-items. */
kernel void flow_temporal(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM] % 17, k = 0, u = n;
    for (;; k++) {
        u = u * 3 + k;
        if (k >= x)
            break;
    }
    out[ITEM] = u + k;
}

/* Few rounds, and each work-item its own number of them. */
kernel void flow_bounded(global uint *out, global const uint *in, uint n)
{
    uint part = (uint)get_local_id(0) % 16, other = (uint)get_global_id(0) & 7, h = in[ITEM], g = n, last = 77;
    for (uint i = 0; i < part; i++)
        h += in[i * 3 + other];
    for (uint i = 0; i < other; i++) {
        g = g * 7 + (in[ITEM + i] ^ i);
        h ^= g;
    }
    for (uint i = other; i > 0; i--) {
        last = in[i + part];
        g += last * i;
    }
    for (uint i = 0; i < (h & 15); i++) /* not known from the lane alone */
        g = g * 3 + in[i];
    for (uint i = 0; i < (part & 4); i += 2)
        g = g * 5 + in[i];
    out[ITEM] = h ^ g + last;
}

/* The inner loops leave the outer ones for the kernel's end, where all work-items meet: who went round, and who
 * left? */
kernel void flow_leaves_both(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], m = x & 15, s = n & 1;
    bool first = x & 16;
    for (;;) {
        if (first)
            s += m;
        first = true;
        for (;;) {
            s *= 3;
            if (!m)
                goto end;
            m--;
            if (m & 2)
                break;
        }
    }
end:
    out[ITEM] = s;
}

kernel void flow_leaves_three(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], h = 1, k = 0;
    for (uint a = 0;; a++) {
        h += a;
        for (uint b = 0;; b++) {
            h = h * 3 + b;
            for (uint c = x & 3;; c++) {
                h ^= c << 4;
                if (++k > (x >> 2 & 31))
                    goto end;
                if ((h & 7) == (x & 7))
                    break;
                if (h % 5 == 1)
                    goto next;
            }
            if (b > (x >> 5 & 3))
                break;
        }
        h = ~h;
next:
        h += n;
    }
end:
    out[ITEM] = h;
}

kernel void flow_enters_inside(global uint *out, global const uint *in, uint n)
{
    uint x = in[ITEM], m = x & 31, s = n;
    if (x & 32)
        goto add;
    goto thrice;
add:
    s += m;
thrice:
    s *= 3;
    if (!m)
        goto end;
    m--;
    if (m & 2)
        goto add;
    goto thrice;
end:
    out[ITEM] = s;
}

/* A uniform condition leads out of two loops, of which lanes have left the outer one before: those that are in the
 * inner one leave it together, and wait. */
#define UNIFORM_LEAVES(name, odd)                                                                            \
    kernel void name(global uint *out, global const uint *in, uint n)                                        \
    {                                                                                                        \
        uint x = in[ITEM], s = x, left = 3 + n % 5;                                                          \
        for (;;) {                                                                                           \
            s = s * 5 + in[s & 1023];                                                                        \
            if (s & 4)                                                                                       \
                goto end;                                                                                    \
            for (;;) {                                                                                       \
                s -= x;                                                                                      \
                if (((n ^ odd) & 1) == 0)                                                                    \
                    break;                                                                                   \
                if (!left)                                                                                   \
                    goto end;                                                                                \
                left--;                                                                                      \
            }                                                                                                \
            if (!left)                                                                                       \
                goto end;                                                                                    \
            left--;                                                                                          \
        }                                                                                                    \
    end:                                                                                                     \
        out[ITEM] = s * 11 + left;                                                                           \
    }
UNIFORM_LEAVES(flow_uniform_leaves, 0)
UNIFORM_LEAVES(flow_uniform_leaves_other, 1)
