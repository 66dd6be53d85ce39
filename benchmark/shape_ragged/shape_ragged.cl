/* SPDX-License-Identifier: MIT */
/* Brightness and contrast with a rounded corner left dark, over a range that no local size divides. */
kernel void
shape_ragged(float gain, float offset, float radius, global const float *in, global float *out)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;
    float dx = x, dy = y;
    float value = clamp(in[i] * gain + offset, 0.0f, 1.0f);

    out[i] = dx * dx + dy * dy < radius * radius ? 0 : sqrt(value);
}
