// SPDX-License-Identifier: MIT
// printf in every place where a kernel may call it. Every line begins with the global id.
#define LONG long
#define ULONG ulong
#define ID ((int)get_global_id(0))

kernel void conversions(int which)
{
    int x = ID;
    switch (which) {
#define CASE(number, format, ...) \
    case number: printf("%d " format "\n", x, ##__VA_ARGS__); break;
#include "cases.h"
#undef CASE
    }
}

// Calls that random_cases.py made.
kernel void random_conversions(int which)
{
    int x = ID;
    switch (which) {
#define IN_KERNEL(format, ...) printf("%d " format "\n", x, ##__VA_ARGS__)
#define CASE(number, condition, in_kernel, in_c) \
    case number: if (condition) in_kernel; break;
#include "random_cases.h"
#undef CASE
    }
}

kernel void vectors(global const float *in)
{
    int x = ID;
    float4 f = vload4(0, in) + x;
    printf("%d f4 = %2.2v4hlf\n", x, f);
    printf("%d uc = %#v4hhx\n", x, (uchar4)(0xFA, 0xFB, 0xFC, 0xFD));
    printf("%d c2 = %v2hhd c3 = %v3hhd c16 = %v16hhu\n", x, (char2)(-1, x), (char3)(1, -2, 3),
           (uchar16)(200 + x));
    printf("%d s8 = %v8hd us2 = %v2hu\n", x, (short8)(x, -1, -2, -3, 4, 5, 6, 7), (ushort2)(65535, x));
    printf("%d i4 = %v4hld u3 = %v3hlX\n", x, (int4)(x, -x, 3, 4), (uint3)(x + 10, 11, 12));
    printf("%d l2 = %v2ld ul4 = %v4lu\n", x, (long2)(-x, 1), (ulong4)(x, 2, 3, 18446744073709551615ul));
    printf("%d f2 = %5.1v2hle d3 = %v3lg\n", x, (float2)(x, 0.5f), (double3)(x, 0.25, 1e100));
    printf("%d mixed %d %v2hld %s %c\n", x, x, (int2)(x, 7), "and", 'c');
    printf("%d p = %p %p\n", x, (global void *)0, (local void *)0);
}

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global const half *in)
{
    int x = ID;
    printf("%d h4 = %v4hf h2 = %.1v2he\n", x, vload4(0, in), vload2(0, in));
}
#endif

kernel void divergent(global int *out)
{
    int x = ID, sum = 0;
    if (x % 3 == 0)
        sum += printf("%d third\n", x);
    else if (x % 3 == 1)
        sum += printf("%d other %d\n", x, x * x);
    for (int k = 0; k < x % 4; k++) {
        if ((k + x) % 2)
            continue;
        sum += printf("%d round %d\n", x, k);
    }
    if (x == 7)
        printf("%d only\n", x);
    out[x] = sum + 1;
}

static void __attribute__((noinline)) deeper(int x, int depth)
{
    printf("%d depth %d\n", x, depth);
}

void called(int x)
{
    for (int k = 0; k < 2; k++)
        deeper(x, k);
}

kernel void functions(void)
{
    called(ID);
    deeper(ID, 9);
}

kernel void barriers(local int *shared, global int *out)
{
    int l = get_local_id(0), n = get_local_size(0);
    printf("%d before %d\n", ID, l);
    shared[l] = ID * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = shared[(l + 1) % n];
    printf("%d neighbour %d\n", ID, next);
    for (int k = 0; k < 2; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] = next + k;
        printf("%d step %d\n", ID, k);
        barrier(CLK_LOCAL_MEM_FENCE);
        next = shared[(l + 1) % n];
    }
    out[ID] = next;
}

// Formats that are not valid, or do not fit: the call fails, the text stands as it is written.
kernel void invalid(global int *out)
{
    int x = ID;
    out[4 * x] = printf("%d bad %y\n", x);
    out[4 * x + 1] = printf("%d missing %d\n", x);
    out[4 * x + 2] = printf("%d kind %f\n", x, x);
    out[4 * x + 3] = printf("%d fine\n", x);
}

kernel void quiet(global int *out)
{
    int x = ID;
    if (out[x] < 0)
        printf("never\n");
    out[x] += 1;
}
