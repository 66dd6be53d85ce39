/* SPDX-License-Identifier: MIT */
/* Inclusive prefix sum over many work-groups in one pass: each work-group publishes its own total, then
 * its prefix, and looks back over its predecessors until it meets a prefix. Relies on work-groups being
 * started in order. `flags` (zeroed) and `totals`, `prefixes`: one element per work-group. */
#define TOTAL_READY 1u
#define PREFIX_READY 2u

kernel void
prefix_sum(uint n, global const uint *in, global uint *out, global atomic_uint *flags, global uint *totals,
           global uint *prefixes)
{
    local uint before;
    uint i = get_global_id(0), group = get_group_id(0), last = get_local_size(0) - 1;
    uint scan = work_group_scan_inclusive_add(i < n ? in[i] : 0);

    if (get_local_id(0) == last) {
        uint sum = 0;
        if (group > 0) {
            totals[group] = scan;
            atomic_store_explicit(&flags[group], TOTAL_READY, memory_order_release, memory_scope_device);
            for (uint look = group - 1;; look--) {
                uint flag;
                do {
                    flag = atomic_load_explicit(&flags[look], memory_order_acquire, memory_scope_device);
                } while (flag == 0);
                if (flag == PREFIX_READY) {
                    sum += prefixes[look];
                    break;
                }
                sum += totals[look];
            }
        }
        prefixes[group] = sum + scan;
        atomic_store_explicit(&flags[group], PREFIX_READY, memory_order_release, memory_scope_device);
        before = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = before + scan;
}
