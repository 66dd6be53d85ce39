/* SPDX-License-Identifier: MIT */
/* Kernels that reach beyond their memory, by as much as they are told. */

kernel void
good(global int *out, local int *scratch, long step)
{
    int l = (int)get_local_id(0), n = (int)get_local_size(0);
    scratch[l] = (int)get_global_id(0) * (int)step;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[n - 1 - l];
}

/* Private arrays are in a frame: beside local memory. */
kernel void
argument(global int *out, local int *scratch, long step)
{
    int l = (int)get_local_id(0), mine[9];
    for (int i = 0; i < 9; i++)
        mine[i] = out[i] + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[l * step] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[(l ^ 1) * step] + mine[l % 9];
}

kernel void
variable(global int *out, local int *scratch, long step)
{
    local int small[16];
    int l = (int)get_local_id(0);
    scratch[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    small[l * step] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (small[(l ^ 1) * step] == l)
        out[get_global_id(0)] = l;
}

kernel void
pointer(global int *out, local int *scratch, long step)
{
    global int *nowhere = (global int *)(size_t)step; /* the first pages of an address space */
    scratch[0] = 0;
    nowhere[get_global_id(0) % 16] = 1;
    out[0] = 0;
}

/* Sub-groups take turns. */
kernel void
waiting(global int *out, local int *scratch, long step)
{
    local atomic_int flag;
    int l = (int)get_local_id(0);
    if (l == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        scratch[l * step] = 1;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else {
        while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 0)
            ;
    }
    out[get_global_id(0)] = scratch[0];
}

kernel void
place(global int *out, local int *scratch, long step)
{
    out[get_global_id(0)] = (int)((ulong)(scratch + step) & 4095);
}
