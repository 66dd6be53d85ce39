/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define ONE(to, from, n) kernel void to##_from_##from(global to *o, global const from *a) \
    { size_t i = get_global_id(0); n }
#define INTO(to, from) o[i * 10] = convert_##to(a[i]); o[i * 10 + 1] = convert_##to##_sat(a[i]); \
    o[i * 10 + 2] = convert_##to##_rte(a[i]); o[i * 10 + 3] = convert_##to##_rtz(a[i]); \
    o[i * 10 + 4] = convert_##to##_rtp(a[i]); o[i * 10 + 5] = convert_##to##_rtn(a[i]); \
    o[i * 10 + 6] = convert_##to##_sat_rte(a[i]); o[i * 10 + 7] = convert_##to##_sat_rtz(a[i]); \
    o[i * 10 + 8] = convert_##to##_sat_rtp(a[i]); o[i * 10 + 9] = convert_##to##_sat_rtn(a[i]);
#define FLOAT(to, from) o[i * 5] = convert_##to(a[i]); o[i * 5 + 1] = convert_##to##_rte(a[i]); \
    o[i * 5 + 2] = convert_##to##_rtz(a[i]); o[i * 5 + 3] = convert_##to##_rtp(a[i]); \
    o[i * 5 + 4] = convert_##to##_rtn(a[i]);
#define TO(to) ONE(to, char, INTO(to, char)) ONE(to, uchar, INTO(to, uchar)) ONE(to, short, INTO(to, short)) \
    ONE(to, ushort, INTO(to, ushort)) ONE(to, int, INTO(to, int)) ONE(to, uint, INTO(to, uint)) \
    ONE(to, long, INTO(to, long)) ONE(to, ulong, INTO(to, ulong)) ONE(to, float, INTO(to, float)) \
    ONE(to, double, INTO(to, double))
#define TOF(to) ONE(to, char, FLOAT(to, char)) ONE(to, uchar, FLOAT(to, uchar)) ONE(to, short, FLOAT(to, short)) \
    ONE(to, ushort, FLOAT(to, ushort)) ONE(to, int, FLOAT(to, int)) ONE(to, uint, FLOAT(to, uint)) \
    ONE(to, long, FLOAT(to, long)) ONE(to, ulong, FLOAT(to, ulong)) ONE(to, float, FLOAT(to, float)) \
    ONE(to, double, FLOAT(to, double))
TO(char) TO(uchar) TO(short) TO(ushort) TO(int) TO(uint) TO(long) TO(ulong) TOF(float) TOF(double)
