/* SPDX-License-Identifier: MIT */
/* Indices that are computed as vectors of two, three and four, and taken apart again. */
#define AT (int2)(get_global_id(0), get_global_id(1))

static int
held(int2 at, int2 size)
{
    at = clamp(at, (int2)(0), size - 1);
    return at.y * size.x + at.x;
}

/* A square of neighbours, the lanes beside each other. */
kernel void
square(global int *out, global const int *in, int2 size)
{
    int sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += in[held(AT + (int2)(i, j), size)] * (3 * i + j + 5);
    out[get_global_id(1) * size.x + get_global_id(0)] = sum;
}

/* Planes of colours, half as fine: y is the same for all lanes. */
kernel void
planes(global int *out, global const int *in, int2 size)
{
    int2 half_at = AT / 2, other = (AT + 6) >> 1;
    int4 p = (int4)(half_at, other) + (int4)(0, 1, 2, 0);
    p = select(p, (int4)(0, 0, 1, 1), (p & (int4)(64, 0, 0, 0)) != 0);
    out[get_global_id(1) * size.x + get_global_id(0)] = in[(p.y % 8) * size.x + p.x] * 3 + in[p.w % 8 * size.x + p.z];
}

/* What else goes into the vectors: bytes, memory, arguments, other orders, numbers that wrap. */
kernel void
mixed(global int *out, global const int *in, int2 size)
{
    int i = get_global_id(1) * size.x + get_global_id(0);
    uchar4 bytes = (uchar4)((uchar)i, (uchar)(i * 3), 250, (uchar)(i >> 4)) + (uchar4)(9);
    int4 wide = convert_int4(bytes) * (int4)(size, size.yx), from = vload4(i & 7, in);
    int4 sum = wide.wzyx * (int4)(65537, 3, 1 << 30, -5) + from - max(from, wide.xxyy);
    short2 low = convert_short2(sum.xy) << (short2)(3, 1);
    int2 signs = -(sum.zw < (int2)(100, i)) * (int2)(i, 7);
    out[i] = sum.x ^ (sum.y * 3) ^ (sum.z * 5) ^ (sum.w * 7) ^ (low.x + low.y * 11) ^ (signs.x - signs.y);
}

/* Vectors that are only moved; and bytes of one whose fourth is not stored, read again. */
kernel void
moved(global int *out, global const int *in, int2 size)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * size.x + x, from = (x * 37 + y * 5) % (size.x * size.y - 1);
    global const uchar4 *bytes = (global const uchar4 *)in;
    global uchar4 *to = (global uchar4 *)out;
    uchar4 v = (uchar4)(1, 2, 3, 4);
    if (in[from] > 100)
        v = bytes[from];
    else if (x > y * 8)
        v = bytes[from + 1];
    if (y & 4) {
        ((global uchar3 *)out)[i] = v.xyz ^ (uchar3)(x & 15);
        uchar4 w = to[i];
        to[i] = x & 2 ? w : bytes[i];
        ((global uchar *)out)[4 * i + 3] = 9;
    } else
        to[i] = v;
}
