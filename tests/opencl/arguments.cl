/* Kernels with arguments of every kind, for test_launch.c. */
struct pair {
    char small;
    long large;
};

kernel void kinds(global long *out, char c, short s, int4 v, float3 f, struct pair p, constant int *k, local int *room)
{
    room[get_local_id(0)] = (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = c;
    out[1] = s;
    out[2] = v.x + v.y + v.z + v.w;
    out[3] = (long)(f.x + f.y + f.z);
    out[4] = p.small + p.large;
    out[5] = k ? k[1] : -1;
    out[6] = room[0];
}

kernel void nullable(global int *out, global const int *maybe)
{
    out[get_global_id(0)] = maybe ? maybe[get_global_id(0)] : 77;
}

kernel void count(global uint *counter)
{
    atomic_inc(counter);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void single(global int *out)
{
    out[0] = 5;
}
