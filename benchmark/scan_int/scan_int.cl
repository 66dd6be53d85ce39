/* SPDX-License-Identifier: MIT */
kernel void
scan_int(global const int *in, global int *out)
{
    size_t i = get_global_id(0);

    out[i] = sub_group_scan_inclusive_add(in[i]);
}
