/* SPDX-License-Identifier: MIT */
/* Floats rounded to integers, and integers that become floats; test_rounding.py computes the same. */
#define ME get_global_id(0)

kernel void
bytes(global const float *x, global uint *out)
{
    float a = x[ME];
    uchar4 c = convert_uchar4_sat_rte((float4)(a, a * 2, a + 0.5f, a - 3));
    out[ME] = c.x | c.y << 8 | c.z << 16 | (uint)c.w << 24;
}

kernel void
shorts(global const float *x, global uint *out)
{
    out[ME] = (uint)(int)convert_short_sat_rte(x[ME] * 1000);
}

kernel void
doubles(global const float *x, global uint *out)
{
    out[ME] = convert_ushort_sat_rte((double)x[ME] * 500);
}

kernel void
bounded_first(global const float *x, global uint *out)
{
    float y = x[ME];
    y = y > -3 ? y : -3;
    y = y < 77 ? y : 77;
    out[ME] = convert_int_rte(y) & 255;
}

/* The bounds are no whole numbers. */
kernel void
halves(global const float *x, global uint *out)
{
    float y = rint(x[ME]);
    y = y > 1.5f ? y : 1.5f;
    y = y < 99.5f ? y : 99.5f;
    out[ME] = (int)y;
}

/* No bound: what is too small becomes something else. */
kernel void
replaced(global const float *x, global uint *out)
{
    float y = rint(x[ME]);
    y = y > 1 ? y : 9;
    y = y < 99 ? y : 99;
    out[ME] = (int)y;
}

kernel void
used_twice(global const float *x, global uint *out)
{
    float y = rint(x[ME]), z = y;
    z = z > 0 ? z : 0;
    z = z < 9 ? z : 9;
    out[ME] = (uint)(int)z | (y > -5 && y < 5 ? (as_uint(y) >> 16) << 8 : 1u << 30);
}

/* Less is left of it than the bounds leave. */
kernel void
masked(global const float *x, global uint *out)
{
    out[ME] = (convert_uchar_sat_rte(x[ME]) & 127u) | (convert_uchar_sat_rte(x[ME] * 3) << 9 & 0x1fc00u);
}

/* clang makes a test of the number's class of it. */
kernel void
classes(global const float *x, global uint *out)
{
    double y = x[ME] * 1e300;
    out[ME] = (y > 0 && y < INFINITY) | (isfinite(x[ME]) << 1);
}

/* By 64 bits, and back. */
kernel void
longs(global const float *x, global uint *out)
{
    double y = fabs(x[ME]) < 1000 ? x[ME] * 1e15 : 1.5;
    long n = (long)y;
    ulong u = (ulong)(fabs(y) * 9);
    out[ME] = (uint)n ^ (uint)(n >> 32) * 3 ^ (uint)u * 5 ^ (uint)(u >> 32) * 7 ^
              (uint)(as_ulong((double)(n * 9 + 1)) >> 20);
}

kernel void
ids(global const float *x, global uint *out)
{
    out[ME] = as_uint((float)get_global_id(0) * 0.5f) ^ (uint)x[0];
}

kernel void
words(global const float *x, global uint *out)
{
    ulong big = (ulong)as_uint(x[ME]) * 2;
    out[ME] = as_uint((float)(big & 0xffffffff)) ^ as_uint((float)(big & 0x7fffffff)) * 3 ^
              as_uint((float)(long)as_int(x[ME])) * 5 ^ as_uint((float)(as_uint(x[ME]) >> 1)) * 7 ^
              as_uint((float)as_uint(x[ME])) * 9 ^ as_uint((float)((long)as_int(x[ME]) - 1)) * 11;
}
