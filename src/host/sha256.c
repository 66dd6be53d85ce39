/* SPDX-License-Identifier: MIT */
/* SHA-256, in portable C and with the processor's instructions where it has them. */
#include "sha256.h"

#include <immintrin.h>
#include <string.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define LW_HAS_PLATFORM_X86
#endif

static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t
rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static void
add_block(uint32_t state[8], const uint8_t *data)
{
    uint32_t w[64], s[8];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)data[4 * i] << 24 | (uint32_t)data[4 * i + 1] << 16 |
               (uint32_t)data[4 * i + 2] << 8 | data[4 * i + 3];
    for (unsigned i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
#define S(k) s[(k - i) & 7] /* the eight words move up by one each round; their names move instead */
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = S(0), e = S(4);
        uint32_t t = S(7) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & S(5)) ^ (~e & S(6))) +
                     constants[i] + w[i];
        S(3) += t;
        S(7) = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & S(1)) ^ (a & S(2)) ^ (S(1) & S(2)));
    }
#undef S
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

/* The processor holds the state as ABEF and CDGH and does two rounds at a time. */
__attribute__((target("sha,sse4.1"))) static void
add_blocks_sha(uint32_t state[8], const uint8_t *data, size_t blocks)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; blocks; blocks--, data += 64) {
        __m128i w[4], old_abef = abef, old_cdgh = cdgh;
        for (unsigned i = 0; i < 16; i++) {
            __m128i *now = &w[i % 4];
            if (i < 4)
                *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(data + 16 * i)), order);
            else /* w[t-16] + s0(w[t-15]) + w[t-7], then + s1(w[t-2]) */
                *now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) % 4]),
                                                          _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4)),
                                            w[(i + 3) % 4]);
            __m128i k = _mm_add_epi32(*now, _mm_load_si128((const __m128i *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

static void
add_blocks(struct lw_sha256 *hash, const uint8_t *data, size_t blocks)
{
    if (hash->fast && blocks) {
        add_blocks_sha(hash->state, data, blocks);
        return;
    }
    for (; blocks; blocks--, data += 64)
        add_block(hash->state, data);
}

/* By what the C library has found out: asking the processor is slow in a virtual machine. */
static bool
has_instructions(void)
{
#ifdef LW_HAS_PLATFORM_X86
    return __x86_get_cpuid_feature_leaf(CPUID_INDEX_7)->active_array[1] >> 29 & 1;
#else
    return false;
#endif
}

void
lw_sha256_begin(struct lw_sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->bytes = 0;
    hash->fast = has_instructions();
}

void
lw_sha256_add(struct lw_sha256 *hash, const void *data, size_t size)
{
    const uint8_t *at = data;
    size_t held = hash->bytes % 64;
    hash->bytes += size;
    if (held) {
        size_t take = size < 64 - held ? size : 64 - held;
        memcpy(hash->block + held, at, take);
        at += take;
        size -= take;
        if (held + take < 64)
            return;
        add_blocks(hash, hash->block, 1);
    }
    add_blocks(hash, at, size / 64);
    if (size % 64)
        memcpy(hash->block, at + size / 64 * 64, size % 64);
}

void
lw_sha256_end(struct lw_sha256 *hash, uint8_t digest[32])
{
    uint64_t bits = hash->bytes * 8;
    uint8_t padding[72] = {0x80}, length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    lw_sha256_add(hash, padding, (119 - hash->bytes % 64) % 64 + 1);
    lw_sha256_add(hash, length, sizeof length);
    for (unsigned i = 0; i < 32; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - i % 4 * 8));
}
