/* SPDX-License-Identifier: MIT */
/* What opencl-latency enqueues. */
kernel void
empty(void)
{
}

/* A store a work-item, of what only its work-group's own ids tell. */
kernel void
group_ids(global uint *out)
{
    out[get_global_id(0)] = (uint)get_group_id(0) + (uint)get_local_id(0);
}

/* `steps` steps of dependent arithmetic a work-item. */
kernel void
spin(global uint *out, uint steps)
{
    uint x = (uint)get_global_id(0);
    for (uint i = 0; i < steps; i++)
        x = (x ^ x >> 7) * 1664525u + 1013904223u;
    out[get_global_id(0)] = x;
}
