// Arithmetic that options of a build change: each kernel's result tells whether the freedom was used.
#pragma OPENCL FP_CONTRACT OFF

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void product(global float *o, float a, float b) { o[get_global_id(0)] = a * b; }
kernel void product_sum(global float *o, float a, float b, float c) { o[get_global_id(0)] = a * b + c; }
kernel void through_half(global float *o, float a)
{
    half h = (half)a;
    o[get_global_id(0)] = h * (half)1.5f;
}
kernel void there_and_back(global float *o, float a, float b) { o[get_global_id(0)] = (a + b) - b; }
kernel void nothing(global float *o, float a) { o[get_global_id(0)] = a - a; }
kernel void add_zero(global float *o, float a) { o[get_global_id(0)] = a + 0.0f; }
kernel void quotient(global float *o, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    o[i] = a[i] / b[i];
}
kernel void quotient_by_root(global float *o, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    o[i] = a[i] / sqrt(b[i]);
}
kernel void raised(global float *o, float a, float b) { o[get_global_id(0)] = pow(a, b); }
kernel void positive_raised(global float *o, float a, float b) { o[get_global_id(0)] = powr(a, b); }
kernel void parts(global float *o, float a)
{
    int e;
    float m = frexp(a, &e);
    o[get_global_id(0)] = m + e;
}
kernel void exponent(global float *o, float a) { o[get_global_id(0)] = logb(a); }
kernel void whole_exponent(global float *o, float a) { o[get_global_id(0)] = ilogb(a); }
kernel void error(global float *o, float a) { o[get_global_id(0)] = erf(a); }
// How far the root of a^3 * 2^-1017 is from a * 2^-339, in parts of 2^-40.
kernel void cube_root(global float *o, float a)
{
    o[get_global_id(0)] = (float)(cbrt((double)a * a * a * 0x1p-1017) * 0x1p379 - a * 0x1p40);
}
kernel void down_to_half(global float *o, float a)
{
    o[get_global_id(0)] = convert_half_rtn((double)a * 0x1p-100);
}
kernel void logistic(global float *o, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    o[i] = a[i] / (1.0f + exp(-b[i]));
}
// Vectors that do not lie as their type would: next to each other, apart, for all, stored.
kernel void misplaced(global float *o, global const float *a, global const float *b)
{
    size_t i = get_global_id(0), k = i % 100;
    float8 x = *(global const float8 *)(a + 1 + 8 * k), z = *(global const float8 *)(b + 3);
    float4 y = *(global const float4 *)(b + 5 + 7 * k);
    if (i < 255)
        *(global float4 *)(o + 1 + 4 * i) = x.lo + x.hi * 2.0f + y * 4.0f + z.lo;
}
// By some lanes only, and as wide as a register.
kernel void misplaced_wide(global float *o, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    if (i < 60 && b[i] < 200.0f)
        *(global float16 *)(o + 1 + 16 * i) = *(global const float16 *)(a + 3 + 16 * i) * 2.0f;
}
