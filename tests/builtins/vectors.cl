/* SPDX-License-Identifier: MIT */
/* What vectors of each type make of NaN that signal, of the whole range of lengths, of huge angles: test_vectors.c. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Each operation for scalars and vectors, constants on either side, chains of it, and a median of nine, which is a
 * network of them. 32 results of each work-item. */
#define EXTREMA(T)                                                                                         \
    kernel void extrema_##T(global const T *x, global const T *y, global T *out) {                                     \
        size_t i = get_global_id(0);                                                                                   \
        global T *o = out + 32 * i;                                                                                    \
        T a = x[i], b = y[i];                                                                                          \
        o[0] = fmax(a, b);                                                                                             \
        o[1] = fmin(a, b);                                                                                             \
        o[2] = maxmag(a, b);                                                                                           \
        o[3] = minmag(a, b);                                                                                           \
        T##4 v = fmax((T##4)(a, b, a, b), (T##4)(b, a, a, b));                                                         \
        vstore4(v, 1, o);                                                                                              \
        vstore3(fmin((T##3)(a, b, a), (T##3)(b, a, b)), 0, o + 8);                                                     \
        vstore2(maxmag((T##2)(a, b), (T##2)(b, a)), 0, o + 11);                                                        \
        vstore2(minmag((T##2)(a, b), (T##2)(b, a)), 0, o + 13);                                                        \
        T##8 w = fmin((T##8)(a, b, a, b, a, b, a, b), b);                                                              \
        o[15] = w.s0;                                                                                                  \
        o[16] = w.s7;                                                                                                  \
        o[17] = fmax(a, (T)2);                                                                                         \
        o[18] = fmin((T)2, a);                                                                                         \
        o[19] = fmax(fmax(a, b), (T)0);                                                                                \
        o[20] = fmin(fmin(b, (T)1), a);                                                                                \
        o[21] = clamp(a, (T)-2, (T)3);                                                                                 \
        T m = -INFINITY, p[9];                                                                                         \
        for (int k = 0; k < 5; k++)                                                                                    \
            m = fmax(m, k & 1 ? x[i] : y[i]);                                                                          \
        o[22] = m;                                                                                                     \
        for (int k = 0; k < 9; k++)                                                                                    \
            p[k] = k == 4 ? b : k == 7 ? a : (T)(k - 3);                                                               \
        for (int k = 0; k < 8; k++)                                                                                    \
            for (int j = 0; j < 8 - k; j++) {                                                                          \
                T low = fmin(p[j], p[j + 1]), high = fmax(p[j], p[j + 1]);                                             \
                p[j] = low;                                                                                            \
                p[j + 1] = high;                                                                                       \
            }                                                                                                          \
        o[23] = p[4];                                                                                                  \
        o[24] = p[8];                                                                                                  \
        o[25] = p[0];                                                                                                  \
        o[26] = fdim(a, b);                                                                                            \
        o[27] = pow(a, (T)0);                                                                                          \
        o[28] = hypot(a, b);                                                                                           \
        o[29] = fmod(a, b);                                                                                            \
        o[30] = nextafter(a, b);                                                                                       \
        o[31] = fma(a, b, (T)1);                                                                                       \
    }
EXTREMA(half)
EXTREMA(float)
EXTREMA(double)

/* length, distance to zero from twice the vector's half, normalize: n + 2 numbers of a work-item. */
#define GEOMETRY(T, N, V, LOAD, STORE)                                                                                 \
    kernel void geometry_##V(global const T *x, global T *out) {                                                       \
        size_t i = get_global_id(0);                                                                                   \
        V v = LOAD;                                                                                                    \
        out[i * (N + 2)] = length(v);                                                                                  \
        out[i * (N + 2) + 1] = distance(v, (V)0);                                                                      \
        V u = normalize(v);                                                                                            \
        global T *o = out + i * (N + 2) + 2;                                                                           \
        STORE;                                                                                                         \
    }
#define GEOMETRIES(T)                                                                                                  \
    GEOMETRY(T, 1, T, x[i], o[0] = u)                                                                                  \
    GEOMETRY(T, 2, T##2, vload2(i, x), vstore2(u, 0, o))                                                               \
    GEOMETRY(T, 3, T##3, vload3(i, x), vstore3(u, 0, o))                                                               \
    GEOMETRY(T, 4, T##4, vload4(i, x), vstore4(u, 0, o))
GEOMETRIES(half)
GEOMETRIES(float)
GEOMETRIES(double)

#define FAST(N, V, LOAD, STORE)                                                                                        \
    kernel void fast_##V(global const float *x, global float *out) {                                                   \
        size_t i = get_global_id(0);                                                                                   \
        V v = LOAD;                                                                                                    \
        out[i * (N + 2)] = fast_length(v);                                                                             \
        out[i * (N + 2) + 1] = fast_distance(v, (V)0);                                                                 \
        V u = fast_normalize(v);                                                                                       \
        global float *o = out + i * (N + 2) + 2;                                                                       \
        STORE;                                                                                                         \
    }
FAST(1, float, x[i], o[0] = u)
FAST(2, float2, vload2(i, x), vstore2(u, 0, o))
FAST(3, float3, vload3(i, x), vstore3(u, 0, o))
FAST(4, float4, vload4(i, x), vstore4(u, 0, o))

/* 12 results: half_ and native_ of any argument. */
kernel void angles(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    global float *o = out + 12 * i;
    float a = x[i];
    o[0] = half_sin(a);
    o[1] = half_cos(a);
    o[2] = half_tan(a);
    o[3] = native_sin(a);
    o[4] = native_cos(a);
    o[5] = native_tan(a);
    vstore3(half_cos((float3)(a, -a, a / 2)), 0, o + 6);
    o[9] = native_exp(a);
    o[10] = native_sqrt(fabs(a));
    o[11] = native_recip(a);
}

kernel void fused(global const half *x, global half *out)
{
    size_t i = get_global_id(0);
    out[i] = fma(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}
