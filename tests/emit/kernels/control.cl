/* SPDX-License-Identifier: MIT */
int twice(int x) { return x > 3 ? 2 * x : x; }
kernel void switches(global int *o, global const int *a, ulong k, uchar b)
{
    size_t i = get_global_id(0);
    int r;
    switch (a[i]) {
    case 1: case 2: case 15: r = o[0]; break;
    case -3: r = 8; /* fall through */
    case 9: r = twice(a[i] + 1); break;
    default: r = -1;
    }
    switch (k) { case 0x123456789abcul: r += 1; break; case 2: r += 2; break; case 3: r += 5; break; case 4: r ^= o[1]; }
    switch (b) { case 255: r += 100; break; case 1: r += 200; break; case 7: r -= 2; break; case 9: r *= o[2]; }
    o[i] = r;
}
kernel void loops(global int *o, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == o[1])
            continue;
        for (int j = 0; j < i; j++) {
            if (j == 99)
                goto out;
            sum += o[j & 3] ^ j;
        }
        if (sum > 100000)
            break;
    }
out:
    o[get_global_id(0)] = sum;
}
kernel void ids(global ulong *o, uint d)
{
    size_t i = get_global_linear_id();
    o[i * 24 + 0] = get_global_id(0) + get_global_id(1) * 3 + get_global_id(2) * 5;
    o[i * 24 + 1] = get_global_id(d);
    o[i * 24 + 2] = get_global_id(5) + get_local_id(7) + get_group_id(3) + get_global_offset(9);
    o[i * 24 + 3] = get_global_size(d) + get_local_size(d) * 3 + get_num_groups(d) * 5;
    o[i * 24 + 4] = get_global_size(3) + get_local_size(17) * 3 + get_num_groups(4) * 5;
    o[i * 24 + 5] = get_local_id(d) + get_group_id(d) + get_global_offset(d);
    o[i * 24 + 6] = get_work_dim() + get_local_linear_id();
    o[i * 24 + 7] = get_enqueued_local_size(1) + get_enqueued_local_size(d) + get_enqueued_local_size(6);
}
