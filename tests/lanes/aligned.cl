/* SPDX-License-Identifier: MIT */
/* Variables of 128 bytes and of that alignment, which clang-22 writes as 4294967168. See test_aligned.py. */
constant long16 table[2] = {(long16)(1), (long16)(2)};
global long16 kept[64];

/* Each result is 100000 where an address is not a multiple of 128. */
static long
told(const void *address, long value)
{
    return (ulong)address % 128 ? 100000 : value;
}

kernel void variables(global long *out, long n)
{
    size_t i = get_global_id(0);
    volatile long16 one = (long16)(n + (long)i);
    volatile double16 many[3];
    local double16 shared[8];
    local char odd[3];
    char before = (char)n;
    odd[get_local_id(0) % 3] = 1;
    many[n % 3] = convert_double16(one) + 1.0;
    shared[get_local_id(0) % 8] = (double16)(5.0);
    barrier(CLK_LOCAL_MEM_FENCE);
    kept[i % 64] = one * 2;
    out[6 * i] = told((const void *)&one, one.s3);
    out[6 * i + 1] = told((const void *)&many[n % 3], (long)many[n % 3].sf);
    out[6 * i + 2] = told((const void *)&shared[i % 8], (long)shared[(i + 1) % get_local_size(0) % 8].s9);
    out[6 * i + 3] = told((const void *)&kept[i % 64], kept[i % 64].s7);
    out[6 * i + 4] = table[i & 1].sa;
    out[6 * i + 5] = odd[i % get_local_size(0) % 3] + before;
}
