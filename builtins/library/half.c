/* SPDX-License-Identifier: MIT */
/* The half operations that do not simply go through float. */
#include "library.h"

#define TOP 0x8000

f16
lw_fabs_f16(f16 x)
{
    return as_f16(bits_f16(x) & 0x7fff);
}

f16
lw_copysign_f16(f16 x, f16 y)
{
    return as_f16((uint16_t)((bits_f16(x) & 0x7fff) | (bits_f16(y) & TOP)));
}

f16
lw_fract_f16(f16 h, f16 *whole)
{
    float x = (float)h, f = __builtin_floorf(x), d = x - f;
    *whole = (f16)f;
    d = d < 0x1.ffcp-1f ? d : 0x1.ffcp-1f; /* the last half below 1 */
    d = x != x ? x : d;
    d = x == 0 ? x : d;
    return (f16)(fabs32(x) == INF32 ? copysign32(0.0f, x) : d);
}

f16
lw_modf_f16(f16 h, f16 *whole)
{
    float x = (float)h, t = __builtin_truncf(x);
    *whole = (f16)t;
    return (f16)copysign32(fabs32(x) == INF32 ? 0.0f : x - t, x);
}

f16
lw_nextafter_f16(f16 x, f16 y)
{
    int bx = bits_f16(x), by = bits_f16(y);
    int ix = bx & TOP ? TOP - bx : bx, iy = by & TOP ? TOP - by : by;
    int moved = ix < iy ? ix + 1 : ix - 1;
    uint16_t r = (uint16_t)(moved < 0 || ix == -1 ? TOP - moved : moved);
    /* the least negative number's neighbour is -0 */
    r = ix == iy ? (uint16_t)by : r;
    r = (bx & 0x7fff) > 0x7c00 ? (uint16_t)(bx | 0x200) : r;
    return as_f16((by & 0x7fff) > 0x7c00 ? (uint16_t)(by | 0x200) : r);
}

f16
lw_bitselect_f16(f16 a, f16 b, f16 c)
{
    return as_f16((uint16_t)((bits_f16(a) & ~bits_f16(c)) | (bits_f16(b) & bits_f16(c))));
}

f16
lw_select_f16(f16 a, f16 b, int16_t c)
{
    return c ? b : a;
}

f16
lw_select_msb_f16(f16 a, f16 b, int16_t c)
{
    return c < 0 ? b : a;
}
