// SPDX-License-Identifier: MIT
// Kernels of which crashing_compiler.c dies, or not, and one whose module is long.
#define KERNEL(name)                                                                                                   \
    kernel void name(global uint *out)                                                                                 \
    {                                                                                                                  \
        out[get_global_id(0)] = get_global_id(0) * 3 + get_local_id(0);                                                \
    }
#define KERNELS(what) KERNEL(what##_special) KERNEL(what##_optimised) KERNEL(what##_always)
KERNELS(segv)
KERNELS(abort)
KERNELS(exit)
KERNELS(deep)
KERNELS(hang)
KERNELS(eat)
KERNELS(kill)
KERNEL(good)
KERNEL(other)
KERNEL(another)

#define X4(x) (x), (x) + 1, (x) * 3, (x) ^ 5
#define X16(x) X4((x)), X4((x) + 16), X4((x) + 77), X4((x) * 5)
#define X64(x) X16((x)), X16((x) + 1001), X16((x) * 3), X16((x) + 9)
#define X256(x) X64((x)), X64((x) + 70001), X64((x) * 7), X64((x) + 31)
#define X1024(x) X256((x)), X256((x) + 900001), X256((x) * 11), X256((x) + 123)
#define X4096(x) X1024((x)), X1024((x) + 5000011), X1024((x) * 13), X1024((x) + 777)
constant uint table[16384] = {X4096(1u), X4096(1234567u), X4096(7654321u), X4096(99u)};

kernel void lengthy(global uint *out)
{
    out[get_global_id(0)] = table[get_global_id(0) % 16384] * 3 + get_local_id(0) - get_global_id(0) * 0;
}
