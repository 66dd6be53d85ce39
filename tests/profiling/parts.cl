/* SPDX-License-Identifier: MIT */
/* Pointers, arrays and structures, before and behind a barrier. */
typedef struct {
    float mass;
    int kind;
    float2 place;
} body;

typedef struct {
    int step;
    float scale[2];
} setting;

kernel void
parts(uint n, global const body *in, global float *out, local float *room, setting s)
{
    int l = get_local_id(0);
    global float *mine = out + l;
    float row[4];
    struct { int count; float sums[2]; } found = {0, {0, 0}};

    for (int k = 0; k < 4; k++)
        row[k] = in[l].mass * k;
    row[in[l].kind & 3] += s.scale[1];
    for (int k = 0; k <= l; k++) {
        found.count += s.step;
        found.sums[k & 1] += k;
    }
    room[l] = in[l].place.y + row[l & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    float other = room[n - 1 - l];
    *mine = other + found.sums[n & 1] + found.count;
}
