/* SPDX-License-Identifier: MIT */
/* One RGBA image laid over another, by the alpha of the upper. (No convert_ushort4: clang-22
 * writes it as a conversion of signed numbers.) */
kernel void
uchar4_blend(global const uchar4 *under, global const uchar4 *over, global uchar4 *out)
{
    size_t i = get_global_id(0);
    uchar4 u = under[i], o = over[i];
    ushort4 b = (ushort4)(u.x, u.y, u.z, u.w), a = (ushort4)(o.x, o.y, o.z, o.w);
    ushort alpha = a.w;
    ushort4 mixed = a * alpha + b * (ushort)(255 - alpha) + (ushort)128;

    mixed = (mixed + (mixed >> (ushort4)8)) >> (ushort4)8;
    out[i] = (uchar4)(mixed.x, mixed.y, mixed.z, mixed.w);
}
