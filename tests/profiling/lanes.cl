/* SPDX-License-Identifier: MIT */
/* Variables of several kinds, one value for each lane or one for all, before and behind a barrier. */
kernel void
lanes(uint n, global const float4 *in, global float *out, local float *room)
{
    int l = get_local_id(0);
    float4 v = in[l];
    uint rounds = 0;

    room[l] = v.x + v.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    float other = room[n - 1 - l];
    if (l & 1)
        other = -other;
    for (int k = 0; k < l; k++)
        rounds += n;
    out[n + l] = rounds;
    out[l] = other;
}
