/* SPDX-License-Identifier: MIT */
/* Kernels of the corpus, by both front ends at -O0 and -O2, run as scalar code against the same thing written
 * in C. test_kernels DIRECTORY CRAFTED.spv */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../run_suite.h"
#include "jit.h"

static const char *directory, *crafted;
static const char *const routes[] = {"22-O0", "22-O2", "15-O0", "15-O2"};

static void *
kernel(const char *file, int route, const char *name, const struct lw_emit_facts *facts)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.spv", directory, file, routes[route]);
    void *address = jit_kernel(path, name, facts);
    ck_assert_msg(address != NULL, "%s of %s", name, path);
    return address;
}

/* One work-item of a 1-D range. */
static void
at(uint64_t i)
{
    memset(&item, 0, sizeof item);
    item.work_dim = 1;
    item.sub_group_size = 16;
    for (int d = 0; d < 3; d++)
        item.global_size[d] = item.local_size[d] = item.num_groups[d] = 1;
    item.global_size[0] = 64;
    item.local_size[0] = 64;
    item.global_id[0] = item.local_id[0] = i;
}

static uint32_t
rotate(uint32_t x, uint32_t by)
{
    return by % 32 ? x << by % 32 | x >> (32 - by % 32) : x;
}

START_TEST(ints)
{
    static const int a[] = {0, 1, -1, 12345, -98765, INT32_MIN, INT32_MAX, 77, -13, 40};
    static const int b[] = {3, -1, 7, 33, -5, 5, 31, 0, 64, -2};
    int o[160] = {0};
    void (*run)(int *, const int *, const int *) = kernel("arithmetic", _i, "ints", NULL);
    for (int i = 0; i < 10; i++) {
        at(i);
        run(o, a, b);
        int x = a[i], y = b[i], *r = o + i * 16;
        uint32_t u = x, v = y;
        ck_assert_int_eq(r[0], (int)(u + v));
        ck_assert_int_eq(r[1], (int)(u - v));
        ck_assert_int_eq(r[2], (int)(u * v));
        ck_assert_int_eq(r[3], (int)((int64_t)x / (y | 1)));
        ck_assert_int_eq(r[4], (int)((int64_t)x % (y | 3)));
        ck_assert_uint_eq((uint32_t)r[5], u / (v | 1));
        ck_assert_uint_eq((uint32_t)r[6], u % (v | 5));
        ck_assert_uint_eq((uint32_t)r[7], u << (v & 31));
        ck_assert_int_eq(r[8], x >> (v & 31));
        ck_assert_uint_eq((uint32_t)r[9], u >> (v & 31));
        ck_assert_int_eq(r[10], (x & y) ^ (x | ~y));
        ck_assert_int_eq(r[11], __builtin_popcount(u) + (u ? __builtin_clz(u) : 32) * 64);
        ck_assert_int_eq(r[12], x < y ? (int)-u : y);
        ck_assert_int_eq(r[13], u < v && x != y);
        ck_assert_int_eq(r[14], (int)((uint32_t)((int64_t)x * y >> 32) + rotate(u, v)));
        ck_assert_int_eq(
            r[15], (int)(uint32_t)((uint64_t)((int64_t)x * y >> 7) + (int64_t)((int16_t)x * (int8_t)y)));
    }
}
END_TEST

static void
same_float(float got, float expected)
{
    ck_assert_msg(got == expected || (isnan(got) && isnan(expected)), "%a, expected %a", got, expected);
}

START_TEST(floats)
{
    static const float a[] = {1, -2.5f, 0, -0.0f, INFINITY, NAN, 1e-41f, 3e38f, -7.25f, 100};
    static const float b[] = {3, 0.75f, -1, 0, -INFINITY, 1, 2, 3e38f, 2, -6};
    float o[120] = {0};
    void (*run)(float *, const float *, const float *) = kernel("arithmetic", _i, "floats", NULL);
    for (int i = 0; i < 10; i++) {
        at(i);
        run(o, a, b);
        float x = a[i], y = b[i], *r = o + i * 12;
        int32_t flipped;
        memcpy(&flipped, &x, 4);
        flipped ^= 1;
        float near;
        memcpy(&near, &flipped, 4);
        same_float(r[0], x + y);
        same_float(r[1], x - y);
        same_float(r[2], x * y);
        same_float(r[3], x / y);
        same_float(r[4], fmodf(x, y));
        same_float(r[5],
                   isnan(x) + 2 * !!isinf(x) + 4 * !!isfinite(x) + 8 * !!isnormal(x) + 16 * !!signbit(x));
        same_float(r[6], (x < y) + 2 * (x < y || x > y) + 4 * (isnan(x) || isnan(y)) +
                             8 * (!isnan(x) && !isnan(y)));
        same_float(r[7], (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x > y) + 32 * (x >= y));
        same_float(r[8], x > y ? x : -y);
        same_float(r[9], near);
        same_float(r[10], (float)((double)x * y));
        same_float(r[11], !(x < y) + 2 * !(x == y));
    }
}
END_TEST

START_TEST(vectors)
{
    int a[8] = {1, -2, 3, -4, 5, 6, 7, 8}, o[8] = {0};
    float f[8] = {1, 2, 3, 99, -1, 0.5f, 2, 98};
    void (*run)(int *, const int *, float *) = kernel("arithmetic", _i, "vectors", NULL);
    for (int i = 0; i < 2; i++) {
        float g[3] = {f[4 * i], f[4 * i + 1], f[4 * i + 2]}, d = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        int any = 0, all = 1;
        for (int k = 0; k < 4; k++) {
            any |= a[4 * i + k] < 0;
            all &= a[4 * i + k] < 0;
        }
        at(i);
        run(o, a, f);
        for (int k = 0; k < 4; k++)
            ck_assert_int_eq(o[4 * i + k], (a[4 * i + 3 - k] + k + 1) * abs(a[4 * i + k]) + any + 2 * all);
        for (int k = 0; k < 3; k++)
            same_float(f[4 * i + k], g[(k + 2) % 3] * 2 + d);
    }
}
END_TEST

struct inner { int8_t c; int16_t s[3]; };
struct item_struct { int8_t a; int32_t b; _Alignas(16) float v[4]; struct inner in[2]; uint64_t z; };
struct __attribute__((packed)) tight { int8_t a; int32_t b; double d; };

START_TEST(structs)
{
    struct item_struct s = {1, 20, {1, 2, 3, 77}, {{4, {5, 6, 7}}, {8, {9, 10, 11}}}, 12}, kept = s, out[2];
    float o[4] = {0};
    void (*by_value)(float *, struct item_struct *, int) = kernel("memory", _i, "by_value", NULL);
    at(0);
    by_value(o, &s, 5);
    same_float(o[0], 25 + 3 + 2 + 9 + 11);
    ck_assert_mem_eq(&s, &kept, sizeof s);
    struct item_struct in[2] = {s, s};
    struct tight t[2] = {{1, 70, 0}, {2, 71, 0}};
    memset(out, 0x5a, sizeof out);
    in[1].z = 99;
    void (*copies)(struct item_struct *, const struct item_struct *, struct tight *) =
        kernel("memory", _i, "copies", NULL);
    for (int i = 0; i < 2; i++) {
        at(i);
        copies(out, in, t);
        ck_assert_int_eq(out[i].in[i].s[2], 70 + i);
        ck_assert_int_eq(out[i].in[1 - i].s[2], in[i].in[1 - i].s[2]);
        ck_assert_int_eq(out[i].b, 20);
        same_float(out[i].v[2], 3);
        ck_assert_uint_eq(out[i].z, i ? 99 : 12);
        ck_assert(t[i].d == (i ? 99 : 12) && t[i].a == 1 + i && t[i].b == 70 + i);
    }
}
END_TEST

START_TEST(memory)
{
    float o[16] = {0};
    int n[128] = {0}, local[64] = {41};
    void (*constants)(float *, int) = kernel("memory", _i, "constants", NULL);
    void (*arrays)(int *, int) = kernel("memory", _i, "arrays", NULL);
    void (*generic)(int *, int *, int) = kernel("memory", _i, "generic_pointers", NULL);
    static const int table[4] = {3, 1, 4, 1};
    at(0);
    for (int i = 0; i < 3; i++) {
        constants(o, i);
        same_float(o[0], table[i] + 9 + i + 2 + 1);
    }
    n[0] = 2;
    arrays(n, 5);
    ck_assert_int_eq(n[0], 5 * 5 + 2);
    generic(n, local, 7);
    ck_assert(n[1] == 7 && n[2] == 1 && n[3] == 7 && local[0] == 3);
    generic(n, local, 2);
    ck_assert(n[0] == 3 && n[1] == 2 && n[2] == 1 && n[3] == 3 && local[0] == 2);
    int8_t c[4] = {1, 2, 3, 44};
    float f[40] = {0};
    int v = 6;
    void (*vec3)(int8_t *, float *, volatile int *) = kernel("memory", _i, "vec3", NULL);
    vec3(c, f, &v);
    ck_assert(c[0] == 3 && c[1] == 2 && c[2] == 1 && v == 7 && f[1] == 3);
    int32_t difference;
    memcpy(&difference, &f[9], 4);
    ck_assert_int_eq(difference, (int)((char *)f - (char *)c));
    float l4[4] = {0, 17, 0, 0};
    void (*locals)(int *, int *, float *) = kernel("memory", _i, "locals", NULL);
    memset(local_memory, 0, sizeof local_memory);
    at(63);
    locals(n, local, l4);
    at(0);
    local[0] = 1000;
    locals(n, local, l4);
    ck_assert_int_eq(n[0], 2 + 17 + 0);
}
END_TEST

START_TEST(control)
{
    static const int a[] = {1, 2, 15, -3, 9, 0, 4};
    static const uint64_t k[] = {0x123456789abcul, 2, 3, 4, 0x9abc};
    static const uint8_t b[] = {255, 1, 7, 9, 0};
    void (*switches)(int *, const int *, uint64_t, uint8_t) = kernel("control", _i, "switches", NULL);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 25; j++) {
            int o[10] = {31, 5, 3}, x = a[i],
                r = x == 1 || x == 2 || x == 15 ? 31
                    : x == -3                   ? -2
                    : x == 9                    ? 20
                                                : -1;
            uint64_t q = k[j % 5];
            uint8_t p = b[j / 5];
            at(i);
            r = q == k[0] ? r + 1 : q == 2 ? r + 2 : q == 3 ? r + 5 : q == 4 ? r ^ 5 : r;
            r = p == 255 ? r + 100 : p == 1 ? r + 200 : p == 7 ? r - 2 : p == 9 ? r * 3 : r;
            int copy[10] = {31, 5, 3};
            memcpy(o, copy, sizeof o);
            switches(o, a, q, p);
            ck_assert_int_eq(o[i], r);
        }
    void (*loops)(int *, int) = kernel("control", _i, "loops", NULL);
    for (int n = 0; n < 130; n += 3) {
        int o[4] = {1, 20, -3, 4}, sum = 0;
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
        at(2);
        loops(o, n);
        ck_assert_int_eq(o[2], sum);
    }
}
END_TEST

static void
check_ids(int route, const struct lw_emit_facts *facts)
{
    void (*ids)(uint64_t *, uint32_t) = kernel("control", route, "ids", facts);
    static uint64_t all[24 * 1000];
    item = (struct item){.work_dim = 3, .global_id = {13, 4, 1}, .local_id = {5, 0, 1}, .group_id = {1, 2, 0},
        .global_size = {21, 8, 2}, .local_size = {7, 2, 2}, .num_groups = {3, 4, 1}, .offset = {1, 0, 0},
        .sub_group_size = 16};
    uint64_t linear = (13 - 1) + 21 * (4 + 8 * 1), *o = all + linear * 24;
    for (uint32_t d = 0; d < 6; d++) {
        bool in = d < 3;
        ids(all, d);
        ck_assert_uint_eq(o[0], 13 + 12 + 5);
        ck_assert_uint_eq(o[1], in ? item.global_id[d] : 0);
        ck_assert_uint_eq(o[2], 0);
        ck_assert_uint_eq(o[3],
                          in ? item.global_size[d] + item.local_size[d] * 3 + item.num_groups[d] * 5 : 9);
        ck_assert_uint_eq(o[4], 9);
        ck_assert_uint_eq(o[5], in ? item.local_id[d] + item.group_id[d] + item.offset[d] : 0);
        ck_assert_uint_eq(o[6], 3 + (1 * 2 + 0) * 7 + 5);
        ck_assert_uint_eq(o[7], 2 + (in ? item.local_size[d] : 1) + 1);
    }
}

START_TEST(ids)
{
    const struct lw_emit_facts facts = {
        .work_dim = 3, .local_size = {7, 2, 2}, .sub_group_size = 16, .index31 = true};
    check_ids(_i, NULL);
    check_ids(_i, &facts);
}
END_TEST

START_TEST(atomics)
{
    int o[24] = {10, 11, 12, 13, 14, 1, 16, -17, 31, 16, 5};
    uint32_t l[4] = {7, 9, 0, 0}, u[4] = {0, 2, 0xffffffff, 0};
    void (*old)(int *, uint32_t *, uint32_t *) = kernel("atomics", _i, "old", NULL);
    at(0);
    old(o, l, u);
    static const int after[] = {15, 8, 13, 12, 9, 77, -4, 4, 12, 19, 3};
    for (int i = 0; i < 11; i++)
        ck_assert_int_eq(o[i], after[i]);
    ck_assert(o[16] == 10 + 11 + 12 + 13 && o[17] == 14 + 1 + 16 - 17 && o[18] == 31 + 16 + 5);
    ck_assert(u[1] == 3 && u[2] == 0xfffffff0 && u[0] == 1 && l[1] == 9 && l[0] == 16);
    int a[8] = {0, 5, 7, 4}, flag = 0, out[4] = {0};
    float f = 0;
    void (*new)(int *, int *, float *, int *) = kernel("atomics", _i, "new", NULL);
    new(a, out, &f, &flag);
    ck_assert(a[0] == 8 && a[1] == 7 && a[2] == 9 && a[3] == 2 && f == 1.5f && flag == 0);
    ck_assert(out[0] == 8 && out[1] == 11 && out[2] == 4 && out[3] == 0);
}
END_TEST

static void
near(double got, double expected, double tolerance)
{
    ck_assert_msg(fabs(got - expected) <= tolerance * fabs(expected), "%.17g, expected %.17g", got, expected);
}

START_TEST(geometric)
{
    float a[8] = {3e30f, -4e30f, 1e30f, 2e30f, 0.5f, -1.5f, 0.25f, 2}, o[32] = {0};
    double d[8] = {3e200, 4e200};
    void (*run)(float *, const float *, double *) = kernel("builtins", _i, "geometric", NULL);
    at(0);
    run(o, a, d);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        near(o[i], (double)a[j] * a[4 + k] - (double)a[k] * a[4 + j], 1e-6);
    }
    double length = sqrt(9 + 16 + 1 + 4) * 1e30, dot = 0, y = sqrt(0.25 + 2.25 + 0.0625);
    for (int i = 0; i < 4; i++) {
        dot += (double)a[i] * a[4 + i];
        near(o[8 + i], a[i] / length, 2e-7);
    }
    ck_assert(o[3] == 0);
    near(o[4], dot, 1e-6);
    near(o[5], length, 2e-7);
    near(o[6], length, 2e-7);
    near(o[18], 3e30, 1e-7);
    for (int i = 0; i < 3; i++)
        near(o[21 + i], a[4 + i] / y, 2e-7);
    near(d[2], 5e200, 1e-15);
    near(d[4], 0.6, 1e-15);
    near(d[5], 0.8, 1e-15);
}
END_TEST

static float
half_to_float(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e ? ldexpf(1024 + m, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

START_TEST(loads)
{
    float o[64] = {0};
    uint16_t h[16] = {0x3c00, 0xbc01, 0x7bff, 0x0001, 0x8400, 0x3555, 0x1234, 0x4321}, w[64] = {0};
    int n[64];
    for (int i = 0; i < 64; i++)
        n[i] = i;
    o[20] = 1.0002f; /* between 1 and 1 + 2^-10 */
    o[21] = -1.0002f;
    o[22] = 70000;
    o[23] = 2.5f;
    void (*run)(float *, const uint16_t *, uint16_t *, int *) = kernel("builtins", _i, "loads", NULL);
    at(0);
    run(o, h, w, n);
    same_float(o[0], half_to_float(h[1]));
    for (int i = 0; i < 4; i++)
        same_float(o[4 + i], half_to_float(h[i]));
    for (int i = 0; i < 3; i++) {
        if (_i >= 2) /* clang-22 makes a vload_half3 of vloada_half3 */
            same_float(o[12 + i], half_to_float(h[4 + i]));
        same_float(o[15 + i], half_to_float(h[3 + i]));
        ck_assert_int_eq(n[i], 3 + i + 1);
    }
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(n[32 + i], 16 + i);
    static const uint16_t words[] = {0x3c00, 0x3c00, 0x3c01, 0x3c00, 0x3c00, 0, 0xbc00, 0x7c00, 0x4100};
    for (int i = 0; i < 9; i++)
        ck_assert_uint_eq(w[i], words[i]);
    ck_assert(w[12] == 0xbc00 && w[13] == 0x7bff && w[14] == 0x4100 && w[15] == 0);
    ck_assert(w[16] == 0x3c00 && w[17] == 0xbc00 && w[18] == 0x7c00 && w[19] == 0x4100);
    uint16_t half[64];
    /* 1 + 2^-11 + 2^-40: nearest through float alone would lose the last bit and round to even, 1 */
    double d[3] = {1 + 0x1p-11 + 0x1p-40, -0x1p-25 - 0x1p-60, 65519.99999};
    void (*halves)(uint16_t *, const double *) = kernel("builtins", _i, "halves_from_double", NULL);
    static const uint16_t expected[] = {0x3c01, 0x3c01, 0x3c00, 0x3c01, 0x3c00, 0x8001, 0x8001, 0x8000,
                                        0x8000, 0x8001, 0x7bff, 0x7bff, 0x7bff, 0x7c00, 0x7bff};
    for (int i = 0; i < 3; i++) {
        at(i);
        halves(half, d);
    }
    for (int i = 0; i < 15; i++)
        ck_assert_msg(half[i] == expected[i], "%d: %#x, expected %#x", i, half[i], expected[i]);
}
END_TEST

START_TEST(shuffled)
{
    int a[12] = {10, 11, 12, 13, 20, 21, 22, 23, -1, 1, 0, INT32_MIN}, o[24] = {0};
    typedef uint32_t uint4 __attribute__((vector_size(16)));
    void (*run)(int *, const int *, uint4, int) = kernel("builtins", _i, "shuffled", NULL);
    at(0);
    run(o, a, (uint4){7, 0, 6, 9}, 6);
    static const int expected[] = {13, 10, 12, 11, 23, 10, 22, 11, 20, 11, 12, 23};
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(o[i], expected[i]);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(o[12 + i], (a[i] & ~a[8 + i]) | (a[4 + i] & a[8 + i]));
        ck_assert_int_eq(o[16 + i], i == 2 ? 5 : a[i]);
    }
    ck_assert_int_eq(o[20], 20);
}
END_TEST

START_TEST(odd)
{
    static const int32_t values[] = {0x12345678, -7, 7, 3, -3, 1 << 30, INT32_MIN, 1000003};
    void (*run)(uint32_t *, uint32_t, uint32_t, float, float) = jit_kernel(crafted, "odd", NULL);
    ck_assert_ptr_nonnull(run);
    for (int i = 0; i < 64; i++) {
        int32_t x = values[i / 8], y = values[i % 8];
        uint32_t u = x, v = y, o[18] = {0}, reversed = 0;
        float f = x / 1000.0f, g = y / 10000.0f, mod = fmodf(f, g);
        o[15] = 77;
        run(o, u, v, f, g);
        for (int k = 0; k < 32; k++)
            reversed |= (u >> k & 1) << (31 - k);
        if (mod != 0 && (mod < 0) != (g < 0))
            mod += g;
        int64_t smod = ((int64_t)x % y + y) % y;
        float got;
        memcpy(&got, &o[6], 4);
        ck_assert_uint_eq(o[0], u < v ? 100 : 200);
        ck_assert_uint_eq(o[1], (uint64_t)u + v > UINT32_MAX);
        ck_assert_uint_eq(o[2], u < v);
        ck_assert_uint_eq(o[3], (uint32_t)((uint64_t)u * v >> 32));
        ck_assert_uint_eq(o[4], (uint32_t)((uint64_t)((int64_t)x * y) >> 32));
        ck_assert_int_eq((int32_t)o[5], (int32_t)smod);
        same_float(got, mod);
        ck_assert_uint_eq(o[7], reversed);
        ck_assert_uint_eq(o[8], (u & ~0xff0u) | (v & 0xff) << 4);
        ck_assert_int_eq((int32_t)o[9], (int8_t)(u >> 4));
        ck_assert_uint_eq(o[10], u);
        ck_assert_uint_eq(o[11], 0);
        ck_assert(o[12] == 40 && o[13] == 42 && o[14] == 1 && o[15] == 77 && o[16] == 1);
    }
    void (*flow)(uint32_t *, uint32_t) = jit_kernel(crafted, "flow", NULL);
    ck_assert_ptr_nonnull(flow);
    for (uint32_t n = 0; n < 70; n++) {
        uint32_t q = 0;
        flow(&q, n);
        ck_assert_uint_eq(q, n == 1 || n == 2 || n == 4 ? 100 : n == 3 ? 3 : n << n % 32);
    }
    static const uint32_t wanted[8] = {100, 1, 40, 3, 9, 100, 84, 4100};
    uint32_t constants[8] = {0};
    void (*computed)(uint32_t *) = jit_kernel(crafted, "computed", NULL);
    ck_assert_ptr_nonnull(computed);
    computed(constants);
    ck_assert_mem_eq(constants, wanted, sizeof wanted);
}
END_TEST

/* Functions that set bytes, of which only the first is one that llvm.memset serves for. */
START_TEST(fills)
{
    static const char *const wanted[] = {"99999", "77777", ".9999", "9.9.9", "99..."};
    void (*run)(uint8_t *) = jit_kernel(crafted, "fills", NULL);
    uint8_t o[80] = {0};
    ck_assert_ptr_nonnull(run);
    run(o);
    for (unsigned k = 0; k < sizeof o; k++) {
        const char *row = wanted[k / 16];
        ck_assert_uint_eq(o[k], k % 16 < 5 && row[k % 16] != '.' ? row[k % 16] - '0' : 0);
    }
}
END_TEST

/* Vectors of one component are as that component. */
START_TEST(single)
{
    void (*run)(uint32_t *, uint32_t) = jit_kernel(crafted, "single", NULL);
    ck_assert_ptr_nonnull(run);
    for (uint32_t x = 0; x < 4; x++) {
        uint32_t o[3] = {0};
        run(o, x * 0x40000001);
        ck_assert(o[0] == 8 && o[1] == x * 0x40000001 + 8 && o[2] == 8);
    }
}
END_TEST

START_TEST(whole)
{
    uint64_t sum[4] = {0};
    void (*run)(uint64_t *) = jit_kernel(crafted, "whole", NULL);
    ck_assert_ptr_nonnull(run);
    for (int d = 0; d < 3; d++)
        item.global_id[d] = 5 + (uint64_t)d;
    run(sum);
    for (unsigned d = 0; d < 3; d++)
        ck_assert_uint_eq(sum[d], 10 + 2 * d);
}
END_TEST

int
main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    directory = argv[1];
    crafted = argv[2];
    Suite *suite = suite_create("kernels");
    TCase *tests = tcase_create("kernels");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, ints, 0, 4);
    tcase_add_loop_test(tests, floats, 0, 4);
    tcase_add_loop_test(tests, vectors, 0, 4);
    tcase_add_loop_test(tests, structs, 0, 4);
    tcase_add_loop_test(tests, memory, 0, 4);
    tcase_add_loop_test(tests, control, 0, 4);
    tcase_add_loop_test(tests, ids, 0, 4);
    tcase_add_loop_test(tests, atomics, 0, 4);
    tcase_add_loop_test(tests, geometric, 0, 4);
    tcase_add_loop_test(tests, loads, 0, 4);
    tcase_add_loop_test(tests, shuffled, 0, 4);
    tcase_add_test(tests, odd);
    tcase_add_test(tests, single);
    tcase_add_test(tests, fills);
    tcase_add_test(tests, whole);
    suite_add_tcase(suite, tests);
    int failed = run_suite(suite);
    jit_close();
    return failed;
}
