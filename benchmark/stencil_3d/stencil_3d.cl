/* SPDX-License-Identifier: MIT */
/* One step of heat flow in a block: seven points in three dimensions, the outermost layer stays. */
kernel void
stencil_3d(float rate, global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int width = get_global_size(0), height = get_global_size(1), depth = get_global_size(2);
    int row = width, layer = width * height, i = z * layer + y * row + x;
    float middle = in[i], result = middle;

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1)
        result += rate * (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - layer] + in[i + layer] -
                          6.0f * middle);
    out[i] = result;
}
