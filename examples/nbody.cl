/* SPDX-License-Identifier: MIT */
/* One step of n bodies under gravity, all pairs; x, y, z and mass in a float4. Each work-group walks over
 * the bodies in tiles that it loads to local memory together; `tile` has one float4 per work-item of a
 * work-group. */
kernel void
nbody(uint n, float dt, float softening, global const float4 *bodies, global const float4 *velocities,
      global float4 *new_bodies, global float4 *new_velocities, local float4 *tile)
{
    uint i = get_global_id(0), lid = get_local_id(0), width = get_local_size(0);
    float4 me = bodies[min(i, n - 1)];
    float3 force = 0;

    for (uint first = 0; first < n; first += width) {
        if (first + lid < n)
            tile[lid] = bodies[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint count = min(width, n - first);
        for (uint j = 0; j < count; j++) {
            float3 d = tile[j].xyz - me.xyz;
            float r = rsqrt(dot(d, d) + softening);
            force += d * (tile[j].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i >= n)
        return;
    float4 velocity = velocities[i];
    velocity.xyz += force * dt;
    new_velocities[i] = velocity;
    new_bodies[i] = (float4)(me.xyz + velocity.xyz * dt, me.w);
}
