/* SPDX-License-Identifier: MIT */
/* What opencl-latency builds: one kernel as programs have them, with local memory, barriers and a tree. SEED becomes
 * another number for every program, in this text and in the module made of it: no two are equal. */
#ifndef SEED
#define SEED 0x5eedc0deu
#endif

kernel void
sums(global const float *in, global float *out, uint count, local float *part)
{
    uint item = (uint)get_local_id(0), size = (uint)get_local_size(0);
    float sum = 0;
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
        sum += in[i] * in[i];
    part[item] = sum;
    for (uint rest = size / 2; rest; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < rest)
            part[item] += part[item + rest];
    }
    if (item == 0)
        out[get_group_id(0)] = part[0] + (float)(count ^ SEED);
}
