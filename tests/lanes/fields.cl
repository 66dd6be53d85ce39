/* SPDX-License-Identifier: MIT */
/* Words of two and four fields: see test_fields.py. */
kernel void
blend(global const uchar4 *p, global const uchar4 *q, global uchar4 *out)
{
    size_t i = get_global_id(0);
    uchar4 u = p[i], o = q[i];
    ushort4 b = (ushort4)(u.x, u.y, u.z, u.w), a = (ushort4)(o.x, o.y, o.z, o.w);
    ushort4 mixed = a * a.w + b * (ushort)(255 - a.w) + (ushort)128;

    mixed = (mixed + (mixed >> (ushort4)8)) >> (ushort4)8;
    out[i] = (uchar4)(mixed.x, mixed.y, mixed.z, mixed.w);
}

kernel void
scaled(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    out[i] = p[i] * (ushort2)(3, 60000) + q[i] * (ushort)7 - (p[i] >> (ushort2)(3, 5));
}

kernel void
limited(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    out[i] = add_sat(max(p[i], q[i]) - min(p[i], q[i]), p[i]) ^ sub_sat(q[i], (ushort2)1000);
}

kernel void
signed_limited(global const short2 *p, global const short2 *q, global short2 *out)
{
    size_t i = get_global_id(0);
    out[i] = add_sat(max(p[i], q[i]) >> (short2)3, q[i]) * (short)-5 + min(p[i], (short2)-9);
}

kernel void
crossed(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    ushort2 a = p[i], b = q[i];
    out[i] = (ushort2)(a.y * 3 + 1, a.x * 3 + 1) ^ b;
}

kernel void
turned(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    ushort2 a = p[i], b = q[i], s = a ^ (b * (ushort)5), t = b ^ (a * (ushort)7);
    out[i] = (ushort2)(s.x - t.x, t.y - s.y);
}

kernel void
swapped(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    ushort2 a = p[i], b = q[i], s = a * (ushort)5, t = b * (ushort)9;
    out[i] = (ushort2)(s.x + t.x, t.y + s.y) * a;
}

kernel void
used_elsewhere(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    ushort2 s = p[i] * q[i] + (ushort)77;
    out[i] = s * (ushort)3;
    if (s.x & 1)
        out[i].y = s.x;
}

kernel void
bytes(global const uchar2 *p, global const uchar2 *q, global uchar2 *out)
{
    size_t i = get_global_id(0);
    out[i] = (p[i] & (uchar2)(60, 255)) + q[i] - (uchar)200;
}

kernel void
sometimes(global const ushort2 *p, global const ushort2 *q, global ushort2 *out)
{
    size_t i = get_global_id(0);
    ushort2 a = p[i];
    if (a.x % 3 == 0)
        a = a * q[i] + a;
    for (ushort k = 0; k < (a.y & 3); k++)
        a = a * (ushort)5 + q[i];
    out[i] = a;
}

kernel void
kept(global const uchar4 *p, global const uchar4 *q, global uchar4 *out)
{
    size_t i = get_global_id(0);
    uchar4 a = p[i];
    ushort4 w = (ushort4)(a.x, a.y, a.z, 0) * (ushort)(q[i].w) >> (ushort4)8;
    out[i] = (uchar4)(w.x, w.y, w.z, a.w);
}
