/* SPDX-License-Identifier: MIT */
/* One source for the hand-written versions on AVX2 and AVX-512: vectors of LANES floats or 32-bit integers,
 * on which clang's operators work, and intrinsics where there is no operator. A mask (`vm`) is a mask
 * register with AVX-512, a vector of zeros and ones otherwise. */
#ifndef LANEWISE_BENCHMARK_VEC_H
#define LANEWISE_BENCHMARK_VEC_H

#include <immintrin.h>
#include <stdint.h>

#define LANES (LIMIT_SIMD / 32)
#define VEC_BYTES (LIMIT_SIMD / 8)
#define INLINE static inline __attribute__((always_inline, unused))

typedef float vf __attribute__((vector_size(VEC_BYTES)));
typedef double vd __attribute__((vector_size(VEC_BYTES)));
typedef int32_t vi __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t vu __attribute__((vector_size(VEC_BYTES)));
typedef int16_t vs __attribute__((vector_size(VEC_BYTES)));
typedef uint16_t vus __attribute__((vector_size(VEC_BYTES)));
typedef int8_t vc __attribute__((vector_size(VEC_BYTES)));
typedef uint8_t vuc __attribute__((vector_size(VEC_BYTES)));

#if LIMIT_SIMD == 512
typedef __m512i vraw;
typedef __mmask16 vm;
#define VEC(name) _mm512_##name
#else
typedef __m256i vraw;
typedef vi vm;
#define VEC(name) _mm256_##name
#endif

/* clang-format off */
#define VEC_MEMORY(letter, vector, element) \
    INLINE vector load_##letter(const element *p) { vector v; memcpy(&v, p, sizeof v); return v; } \
    INLINE void store_##letter(element *p, vector v) { memcpy(p, &v, sizeof v); } \
    INLINE vector splat_##letter(element x) { return x - (vector){0}; }
VEC_MEMORY(f, vf, float)
VEC_MEMORY(d, vd, double)
VEC_MEMORY(i, vi, int32_t)
VEC_MEMORY(u, vu, uint32_t)
VEC_MEMORY(s, vs, int16_t)
VEC_MEMORY(c, vc, int8_t)
VEC_MEMORY(uc, vuc, uint8_t)

INLINE vf fma_f(vf a, vf b, vf c) { return (vf)VEC(fmadd_ps)(a, b, c); }
INLINE vf sqrt_f(vf a) { return (vf)VEC(sqrt_ps)(a); }
INLINE vf min_f(vf a, vf b) { return (vf)VEC(min_ps)(a, b); }
INLINE vf max_f(vf a, vf b) { return (vf)VEC(max_ps)(a, b); }
INLINE vf abs_f(vf a) { return (vf)((vi)a & 0x7fffffff); }
INLINE vi min_i(vi a, vi b) { return (vi)VEC(min_epi32)((vraw)a, (vraw)b); }
INLINE vi max_i(vi a, vi b) { return (vi)VEC(max_epi32)((vraw)a, (vraw)b); }
INLINE vf from_i(vi a) { return __builtin_convertvector(a, vf); }
INLINE vi to_i(vf a) { return (vi)VEC(cvttps_epi32)(a); }
INLINE vi round_i(vf a) { return (vi)VEC(cvtps_epi32)(a); }

#if LIMIT_SIMD == 512
INLINE vi iota(void) { return (vi){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
INLINE vf floor_f(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
INLINE vf round_f(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE vm lt_f(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
INLINE vm le_f(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
INLINE vm gt_i(vi a, vi b) { return _mm512_cmpgt_epi32_mask((__m512i)a, (__m512i)b); }
INLINE vm and_m(vm a, vm b) { return a & b; }
INLINE vm or_m(vm a, vm b) { return a | b; }
INLINE vm andnot_m(vm a, vm b) { return ~a & b; }
INLINE vm all_m(void) { return 0xffff; }
INLINE int any(vm m) { return m != 0; }
INLINE unsigned bits(vm m) { return m; }
INLINE vf select_f(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }
INLINE vi select_i(vm m, vi a, vi b) { return (vi)_mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a); }
INLINE vi add_where(vm m, vi a, int x)
{
    return (vi)_mm512_mask_add_epi32((__m512i)a, m, (__m512i)a, _mm512_set1_epi32(x));
}
INLINE vf gather_f(const float *p, vi i) { return _mm512_i32gather_ps((__m512i)i, p, 4); }
INLINE vi gather_i(const void *p, vi i) { return (vi)_mm512_i32gather_epi32((__m512i)i, p, 4); }
INLINE vf scale_f(vf a, vf n) { return _mm512_scalef_ps(a, n); }
INLINE float sum_f(vf a) { return _mm512_reduce_add_ps(a); }
INLINE float top_f(vf a) { return _mm512_reduce_max_ps(a); }
INLINE uint32_t sum_i(vi a) { return (uint32_t)_mm512_reduce_add_epi32((__m512i)a); }
INLINE void stream_f(float *p, vf a) { _mm512_stream_ps(p, a); }
#else
INLINE vi iota(void) { return (vi){0, 1, 2, 3, 4, 5, 6, 7}; }
INLINE vf floor_f(vf a) { return _mm256_floor_ps(a); }
INLINE vf round_f(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE vm lt_f(vf a, vf b) { return (vm)_mm256_cmp_ps(a, b, _CMP_LT_OQ); }
INLINE vm le_f(vf a, vf b) { return (vm)_mm256_cmp_ps(a, b, _CMP_LE_OQ); }
INLINE vm gt_i(vi a, vi b) { return (vm)_mm256_cmpgt_epi32((__m256i)a, (__m256i)b); }
INLINE vm and_m(vm a, vm b) { return a & b; }
INLINE vm or_m(vm a, vm b) { return a | b; }
INLINE vm andnot_m(vm a, vm b) { return ~a & b; }
INLINE vm all_m(void) { return (vm){-1, -1, -1, -1, -1, -1, -1, -1}; }
INLINE unsigned bits(vm m) { return (unsigned)_mm256_movemask_ps((__m256)m); }
INLINE int any(vm m) { return !_mm256_testz_si256((__m256i)m, (__m256i)m); }
INLINE vf select_f(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, (__m256)m); }
INLINE vi select_i(vm m, vi a, vi b) { return (vi)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m); }
INLINE vi add_where(vm m, vi a, int x) { return a + (m & x); }
INLINE vf gather_f(const float *p, vi i) { return _mm256_i32gather_ps(p, (__m256i)i, 4); }
INLINE vi gather_i(const void *p, vi i) { return (vi)_mm256_i32gather_epi32(p, (__m256i)i, 4); }
INLINE vf scale_f(vf a, vf n) { return (vf)((vi)a + (round_i(n) << 23)); }
INLINE float sum_f(vf a)
{
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
INLINE float top_f(vf a)
{
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
INLINE uint32_t sum_i(vi a)
{
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128((__m256i)a), _mm256_extracti128_si256((__m256i)a, 1));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1)));
}
INLINE void stream_f(float *p, vf a) { _mm256_stream_ps(p, a); }
#endif
/* clang-format on */

/* e^x to about 1 ULP, for x in [-87, 88]; beyond, the ends. */
INLINE vf
exp_f(vf x)
{
    x = min_f(max_f(x, splat_f(-87.0f)), splat_f(88.0f));
    vf n = round_f(x * 1.44269504f);
    vf r = fma_f(n, splat_f(-1.42860677e-6f), fma_f(n, splat_f(-0.693145752f), x));
    vf p = splat_f(0.00138146086f);

    p = fma_f(p, r, splat_f(0.00836871057f));
    p = fma_f(p, r, splat_f(0.0416683875f));
    p = fma_f(p, r, splat_f(0.166665207f));
    p = fma_f(p, r, splat_f(0.499999935f));
    return scale_f(fma_f(p, r * r, r) + 1.0f, n);
}

/* The natural logarithm to about 1 ULP of normal positive numbers. */
INLINE vf
log_f(vf x)
{
    vi exponent = ((vi)x - 0x3f3504f3) >> 23;
    vf f = (vf)((vi)x - (exponent << 23)) - 1.0f;
    vf n = from_i(exponent), p = splat_f(0.0674655987f);

    p = fma_f(p, f, splat_f(-0.116756427f));
    p = fma_f(p, f, splat_f(0.118881947f));
    p = fma_f(p, f, splat_f(-0.124055926f));
    p = fma_f(p, f, splat_f(0.142195483f));
    p = fma_f(p, f, splat_f(-0.166679955f));
    p = fma_f(p, f, splat_f(0.200021189f));
    p = fma_f(p, f, splat_f(-0.250000096f));
    p = fma_f(p, f, splat_f(0.333333126f));
    vf low = fma_f(n, splat_f(-2.12194440e-4f), f * f * fma_f(p, f, splat_f(-0.5f)));
    return fma_f(n, splat_f(0.693359375f), f + low);
}

/* Rows become columns. */
INLINE void
transpose(vi *v)
{
    vi t[LANES];

    /* Neighbours within pairs, then pairs within quarters, of each 16 bytes. */
    for (int i = 0; i < LANES; i += 4) {
        vraw a = VEC(unpacklo_epi32)((vraw)v[i], (vraw)v[i + 1]),
             b = VEC(unpackhi_epi32)((vraw)v[i], (vraw)v[i + 1]);
        vraw c = VEC(unpacklo_epi32)((vraw)v[i + 2], (vraw)v[i + 3]);
        vraw d = VEC(unpackhi_epi32)((vraw)v[i + 2], (vraw)v[i + 3]);
        t[i] = (vi)VEC(unpacklo_epi64)(a, c);
        t[i + 1] = (vi)VEC(unpackhi_epi64)(a, c);
        t[i + 2] = (vi)VEC(unpacklo_epi64)(b, d);
        t[i + 3] = (vi)VEC(unpackhi_epi64)(b, d);
    }
#if LIMIT_SIMD == 512
    for (int i = 0; i < 4; i++) {
        __m512i a = (__m512i)t[i], b = (__m512i)t[i + 4], c = (__m512i)t[i + 8], d = (__m512i)t[i + 12];
        __m512i e = _mm512_shuffle_i32x4(a, b, 0x88), f = _mm512_shuffle_i32x4(a, b, 0xdd);
        __m512i g = _mm512_shuffle_i32x4(c, d, 0x88), h = _mm512_shuffle_i32x4(c, d, 0xdd);
        v[i] = (vi)_mm512_shuffle_i32x4(e, g, 0x88);
        v[i + 4] = (vi)_mm512_shuffle_i32x4(f, h, 0x88);
        v[i + 8] = (vi)_mm512_shuffle_i32x4(e, g, 0xdd);
        v[i + 12] = (vi)_mm512_shuffle_i32x4(f, h, 0xdd);
    }
#else
    for (int i = 0; i < 4; i++) {
        v[i] = (vi)_mm256_permute2x128_si256((__m256i)t[i], (__m256i)t[i + 4], 0x20);
        v[i + 4] = (vi)_mm256_permute2x128_si256((__m256i)t[i], (__m256i)t[i + 4], 0x31);
    }
#endif
}

/* Inclusive scan of the lanes. */
INLINE vi
scan_i(vi x)
{
#if LIMIT_SIMD == 512
    __m512i v = (__m512i)x, zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
    return (vi)_mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
#else
    __m256i v = (__m256i)x;
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
    return (vi)_mm256_add_epi32(v, _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, v, 0x08), 0xff));
#endif
}

/* The last lane, everywhere. */
INLINE vi
last_i(vi x)
{
#if LIMIT_SIMD == 512
    return (vi)_mm512_permutexvar_epi32(_mm512_set1_epi32(15), (__m512i)x);
#else
    return (vi)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_set1_epi32(7));
#endif
}

/* Stores the lanes of a mask, one after the other; writes a whole vector. Returns how many there are. */
INLINE unsigned
compress_i(int32_t *p, vm mask, vi x)
{
#if LIMIT_SIMD == 512
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi32(mask, (__m512i)x));
#else
    uint64_t bytes = _pdep_u64(bits(mask), 0x0101010101010101) * 0xff;
    __m128i order = _mm_cvtsi64_si128((int64_t)_pext_u64(0x0706050403020100, bytes));
    _mm256_storeu_si256((__m256i *)p, _mm256_permutevar8x32_epi32((__m256i)x, _mm256_cvtepu8_epi32(order)));
#endif
    return (unsigned)__builtin_popcount(bits(mask));
}

INLINE void
order(vi *a, vi *b)
{
    vi low = min_i(*a, *b);
    *b = max_i(*a, *b);
    *a = low;
}

/* Green's sorting network of sixteen vectors, lane by lane: sixty comparisons. */
/* clang-format off */
INLINE void
sort_16(vi *v)
{
#define ORDER(i, j) order(v + i, v + j);
    ORDER(0, 1) ORDER(2, 3) ORDER(4, 5) ORDER(6, 7) ORDER(8, 9)
    ORDER(10, 11) ORDER(12, 13) ORDER(14, 15) ORDER(0, 2) ORDER(1, 3)
    ORDER(4, 6) ORDER(5, 7) ORDER(8, 10) ORDER(9, 11) ORDER(12, 14)
    ORDER(13, 15) ORDER(0, 4) ORDER(1, 5) ORDER(2, 6) ORDER(3, 7)
    ORDER(8, 12) ORDER(9, 13) ORDER(10, 14) ORDER(11, 15) ORDER(0, 8)
    ORDER(1, 9) ORDER(2, 10) ORDER(3, 11) ORDER(4, 12) ORDER(5, 13)
    ORDER(6, 14) ORDER(7, 15) ORDER(5, 10) ORDER(6, 9) ORDER(3, 12)
    ORDER(13, 14) ORDER(4, 8) ORDER(7, 11) ORDER(1, 2) ORDER(1, 4)
    ORDER(7, 13) ORDER(2, 8) ORDER(11, 14) ORDER(2, 4) ORDER(5, 6)
    ORDER(9, 10) ORDER(11, 13) ORDER(3, 8) ORDER(7, 12) ORDER(6, 8)
    ORDER(10, 12) ORDER(3, 5) ORDER(7, 9) ORDER(3, 4) ORDER(5, 6)
    ORDER(7, 8) ORDER(9, 10) ORDER(11, 12) ORDER(6, 7) ORDER(8, 9)
#undef ORDER
}
/* clang-format on */

/* A unit's pieces of an array: LIMIT_RUN of most kernels walks over [begin * PIECE, end * PIECE). */
#define FOR_PIECES(i, piece, step)                                                                           \
    for (size_t i = begin * (piece), last_ = end * (piece); i < last_; i += (step))

#endif
