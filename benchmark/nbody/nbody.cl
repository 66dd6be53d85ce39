/* SPDX-License-Identifier: MIT */
/* One step of n bodies under gravity, all pairs; x, y, z and mass in a float4. Work-groups walk over the
 * bodies in tiles that they load to local memory together; n is a multiple of the local size. */
kernel void
nbody(uint n, float dt, float softening, global const float4 *bodies, global const float4 *velocities,
      global float4 *new_bodies, global float4 *new_velocities, local float4 *tile)
{
    uint i = get_global_id(0), lid = get_local_id(0), width = get_local_size(0);
    float4 me = bodies[i];
    float3 force = 0;

    for (uint first = 0; first < n; first += width) {
        tile[lid] = bodies[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < width; j++) {
            float3 d = tile[j].xyz - me.xyz;
            float r = rsqrt(dot(d, d) + softening);
            force += d * (tile[j].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 velocity = velocities[i];
    velocity.xyz += force * dt;
    new_velocities[i] = velocity;
    new_bodies[i] = (float4)(me.xyz + velocity.xyz * dt, me.w);
}
