/* SPDX-License-Identifier: MIT */
/* Fourier transforms of 64 complex numbers each, one to a sub-group: each lane holds four of them. One
 * radix-4 step within the lane, then log2(16) radix-2 steps by shuffles; out in natural order. */
constant uint reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

__attribute__((intel_reqd_sub_group_size(16))) kernel void
subgroup_fft(global const float2 *in, global float2 *out, constant float2 *twiddles)
{
    uint lane = get_sub_group_local_id();
    size_t base = get_global_id(0) / 16 * 64;
    float2 a = in[base + lane], b = in[base + lane + 16], c = in[base + lane + 32], d = in[base + lane + 48];
    float2 x[4];

    float2 s = a + c, t = a - c, u = b + d, v = (float2)(b.y - d.y, d.x - b.x);
    x[0] = s + u;
    x[1] = t + v;
    x[2] = s - u;
    x[3] = t - v;
    for (uint k = 1; k < 4; k++) {
        float2 w = twiddles[lane * k];
        x[k] = (float2)(x[k].x * w.x - x[k].y * w.y, x[k].x * w.y + x[k].y * w.x);
    }
#pragma unroll
    for (uint step = 8; step > 0; step /= 2) {
        bool high = lane & step;
        float2 w = high ? twiddles[(lane & (step - 1)) * (32 / step)] : (float2)(1, 0);
#pragma unroll
        for (uint k = 0; k < 4; k++) {
            float2 other = (float2)(sub_group_shuffle_xor(x[k].x, step), sub_group_shuffle_xor(x[k].y, step));
            float2 r = high ? other - x[k] : other + x[k];
            x[k] = (float2)(r.x * w.x - r.y * w.y, r.x * w.y + r.y * w.x);
        }
    }
    uint place = reversed[lane];
    for (uint k = 0; k < 4; k++)
        out[base + place * 4 + k] = x[k];
}
