/* SPDX-License-Identifier: MIT */
/* Work-item functions, spec/000 and spec/001. */
#include "language.h"

#define THREE(f) (uint)f(0), (uint)f(1), (uint)f(2)

static uint mix(uint h, ulong v)
{
    return (h ^ (uint)v ^ (uint)(v >> 32)) * 16777619u;
}

kernel void items_global(global uint *out, global const uint *in, uint n)
{
    uint v[] = {get_work_dim(), THREE(get_global_size), THREE(get_global_id), THREE(get_global_offset),
                THREE(get_num_groups), THREE(get_group_id)};
    for (int k = 0; k < 16; k++)
        out[ITEM * 16 + k] = v[k];
}

kernel void items_local(global uint *out, global const uint *in, uint n)
{
    uint v[] = {THREE(get_local_size), THREE(get_enqueued_local_size), THREE(get_local_id), LID, ITEM};
    for (int k = 0; k < 11; k++)
        out[ITEM * 16 + k] = v[k];
}

kernel void items_sub_group(global uint *out, global const uint *in, uint n)
{
    global uint *o = out + ITEM * 8;
    o[0] = get_sub_group_size();
    o[1] = get_max_sub_group_size();
    o[2] = get_num_sub_groups();
    o[3] = get_enqueued_num_sub_groups();
    o[4] = get_sub_group_id();
    o[5] = get_sub_group_local_id();
    o[6] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id() == LID;
}

/* Constant dimensions out of range, one function to a word. */
kernel void items_beyond(global uint *out, global const uint *in, uint n)
{
    uint v[] = {get_global_size(3), get_global_size(5), get_global_id(3), get_global_id(5), get_local_size(3),
                get_enqueued_local_size(7), get_local_id(3), get_num_groups(3), get_group_id(4),
                get_global_offset(3), get_global_offset(0xffffffffu), get_local_size(0xffffffffu)};
    for (int k = 0; k < 12; k++)
        out[ITEM * 16 + k] = v[k];
}

/* Variable dimensions: uniform, then different in every work-item. */
kernel void items_variable(global uint *out, global const uint *in, uint n)
{
    uint h = 2166136261u;
    for (uint d = 0; d < 6; d++) {
        h = mix(h, get_global_size(d));
        h = mix(h, get_global_id(d));
        h = mix(h, get_local_size(d));
        h = mix(h, get_enqueued_local_size(d));
        h = mix(h, get_local_id(d));
        h = mix(h, get_num_groups(d));
        h = mix(h, get_group_id(d));
        h = mix(h, get_global_offset(d));
    }
    out[ITEM] = h;
}

kernel void items_varying(global uint *out, global const uint *in, uint n)
{
    uint d = in[ITEM] % 7, h = 2166136261u;
    if (d == 6)
        d = 0x80000000u;
    h = mix(h, get_global_size(d));
    h = mix(h, get_global_id(d));
    h = mix(h, get_local_size(d));
    h = mix(h, get_enqueued_local_size(d));
    h = mix(h, get_local_id(d));
    h = mix(h, get_num_groups(d));
    h = mix(h, get_group_id(d));
    h = mix(h, get_global_offset(d));
    out[ITEM] = h;
}

kernel void items_argument(global uint *out, global const uint *in, uint n)
{
    uint h = mix(1, get_global_size(n));
    h = mix(h, get_global_id(n % 3));
    h = mix(h, get_local_id(n % 5));
    h = mix(h, get_local_size((n + 1) % 5));
    h = mix(h, get_group_id((n + 2) % 4));
    out[ITEM] = h;
}

/* Each work-item exactly once: the sum counts. The ids follow spec/001's formula. */
kernel void items_once(global uint *out, global const uint *in, uint n)
{
    uint g[3], ok = 1;
    for (int d = 0; d < 3; d++) {
        g[d] = (uint)(get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d) + get_global_offset(d));
        ok = ok && g[d] == get_global_id(d) && get_local_id(d) < get_local_size(d);
    }
    atomic_add((volatile global int *)&out[ITEM], (int)(ok + 2));
}

/* Ids under divergent flow, and sub-group facts where sub-groups have retired lanes. */
kernel void items_divergent(global uint *out, global const uint *in, uint n)
{
    uint v = 0;
    if (in[ITEM] & 1)
        v = get_local_size(0) * 100 + (uint)get_global_id(0);
    else if (in[ITEM] & 2)
        return;
    else
        v = get_sub_group_size() * 10 + get_sub_group_local_id();
    out[ITEM] = v + (uint)get_global_id(1) + get_sub_group_id();
}

/* 64-bit ids in arithmetic of several widths. */
kernel void items_widths(global uint *out, global const uint *in, uint n)
{
    size_t g = get_global_id(0), l = get_local_id(0);
    short s = (short)g;
    uchar c = (uchar)(l * 3);
    long back = (long)get_global_size(0) - 1 - (long)g;
    out[ITEM * 4] = (uint)(s * 7 + c);
    out[ITEM * 4 + 1] = (uint)(back * back >> 3);
    out[ITEM * 4 + 2] = (uint)((g - 1000000) >> 20) ^ (uint)(l << 31);
    out[ITEM * 4 + 3] = (uint)(g / get_local_size(0) * 1000 + g % get_local_size(0));
}
