/* SPDX-License-Identifier: MIT */
/* Depth of a scene of spheres and a floor by sphere tracing: a ray steps by the distance to what is
 * nearest until it is there or leaves. */
/* Without contraction: rays that just miss a sphere end elsewhere by the smallest difference. */
#pragma OPENCL FP_CONTRACT OFF

float
distance_to_scene(float3 p)
{
    float3 q = (float3)(fabs(p.x - floor(p.x / 4) * 4 - 2), p.y - 0.5f, fabs(p.z - floor(p.z / 4) * 4 - 2));
    float ball = sqrt(q.x * q.x + q.y * q.y + q.z * q.z) - 1;
    return fmin(ball, p.y + 0.5f);
}

kernel void
ray_march(float step_x, float step_y, global float *depth)
{
    uint x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    float dx = ((float)x - 0.5f * width) * step_x, dy = (0.5f * height - (float)y) * step_y;
    float scale = 1 / sqrt(dx * dx + dy * dy + 1);
    float3 origin = (float3)(0, 1.5f, 0), direction = (float3)(dx, dy, 1) * scale;
    float t = 0;

    for (uint i = 0; i < 96; i++) {
        float d = distance_to_scene(origin + direction * t);
        if (d < 1e-3f * t || t > 60)
            break;
        t += 0.9f * d;
    }
    depth[y * width + x] = fmin(t, 60.0f);
}
