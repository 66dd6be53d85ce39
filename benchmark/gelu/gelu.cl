/* SPDX-License-Identifier: MIT */
/* The activation function GELU, by the hyperbolic tangent. */
kernel void
gelu(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float x = in[i];

    out[i] = 0.5f * x * (1 + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
