/* SPDX-License-Identifier: MIT */
#include "limit.h"

static uint32_t
right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The constants are the fractions of the primes' cube roots, as the standard defines them. */
static void
make_k(uint32_t k[64])
{
    int n = 0;

    for (unsigned p = 2; n < 64; p++) {
        int prime = 1;
        unsigned __int128 low = 0, high = (unsigned __int128)8 << 32;
        for (unsigned d = 2; d * d <= p; d++)
            prime &= p % d != 0;
        if (!prime)
            continue;
        while (high - low > 1) { /* the largest x with (x / 2^32)^3 <= p */
            unsigned __int128 x = (low + high) / 2;
            if (x * x * x <= (unsigned __int128)p << 96)
                low = x;
            else
                high = x;
        }
        k[n++] = (uint32_t)low;
    }
}

LIMIT_LOOP(sha256_block)
{
    LIMIT_BUFFER(const uint32_t, messages);
    LIMIT_BUFFER(uint32_t, digests);
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t k[64];

    make_k(k);
#pragma omp parallel for
    for (size_t m = 0; m < limit->size; m++) {
        uint32_t w[64], h[8];
        for (int i = 0; i < 16; i++)
            w[i] = __builtin_bswap32(messages[m * 16 + (size_t)i]);
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + w[i - 7] + (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3) +
                   (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(h, start, sizeof h);
        for (int i = 0; i < 64; i++) {
            uint32_t e = h[4], a = h[0];
            uint32_t t1 =
                h[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & h[5]) ^ (~e & h[6])) + k[i] + w[i];
            uint32_t t2 =
                (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));
            memmove(h + 1, h, 7 * sizeof *h);
            h[4] += t1;
            h[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++)
            digests[m * 8 + (size_t)i] = h[i] + start[i];
    }
}

LIMIT_LOOP(aes_tables)
{
    LIMIT_BUFFER(const uint32_t, T0);
    LIMIT_BUFFER(const uint32_t, T1);
    LIMIT_BUFFER(const uint32_t, T2);
    LIMIT_BUFFER(const uint32_t, T3);
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(const uint32_t, in);
    LIMIT_BUFFER(uint32_t, out);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        uint32_t s[4], t[4];
        for (int c = 0; c < 4; c++)
            s[c] = in[4 * id + (size_t)c] ^ keys[c];
        for (int r = 1; r < 10; r++) {
            for (int c = 0; c < 4; c++)
                t[c] = T0[s[c] & 255] ^ T1[s[(c + 1) % 4] >> 8 & 255] ^ T2[s[(c + 2) % 4] >> 16 & 255] ^
                       T3[s[(c + 3) % 4] >> 24] ^ keys[4 * r + c];
            memcpy(s, t, sizeof s);
        }
        memcpy(out + 4 * id, s, sizeof s);
    }
}

LIMIT_LOOP(substitute_bytes)
{
    LIMIT_BUFFER(const uint8_t, box);
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size * 16; i++) {
        size_t row = i % 4, col = i / 4 % 4;
        out[i] = box[in[i / 16 * 16 + 4 * ((col + row) % 4) + row]];
    }
}

LIMIT_LOOP(table_walk)
{
    LIMIT_BUFFER(const uint32_t, boxes);
    LIMIT_BUFFER(const uint32_t, in);
    LIMIT_BUFFER(uint32_t, out);
    LIMIT_VALUE(int, rounds);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        uint32_t x = in[2 * id], y = in[2 * id + 1];
        for (int i = 0; i < rounds; i++) {
            uint32_t f = boxes[x >> 24] + boxes[256 + (x >> 16 & 255)], next;
            f = (f ^ boxes[512 + (x >> 8 & 255)]) + boxes[768 + (x & 255)];
            next = y ^ f;
            y = x;
            x = next;
        }
        out[2 * id] = x;
        out[2 * id + 1] = y;
    }
}

LIMIT_FILL(fnv_strings)
{
    LIMIT_BUFFER(uint32_t, offsets);

    offsets[0] = 0;
    for (size_t i = 0; i < limit->size; i++)
        offsets[i + 1] = offsets[i] + (uint32_t)(i * 2654435761u >> 8) % 41;
}

LIMIT_LOOP(fnv_strings)
{
    LIMIT_BUFFER(const uint8_t, text);
    LIMIT_BUFFER(const uint32_t, offsets);
    LIMIT_BUFFER(uint64_t, hashes);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        uint64_t h = 0xcbf29ce484222325;
        for (uint32_t at = offsets[i]; at < offsets[i + 1]; at++)
            h = (h ^ text[at]) * 0x100000001b3;
        hashes[i] = h;
    }
}

LIMIT_LOOP(crc32_nibbles)
{
    LIMIT_BUFFER(const uint8_t, data);
    LIMIT_BUFFER(uint32_t, crcs);
    uint32_t table[256];

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 : table[i] >> 1;
    }
#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        uint32_t crc = ~0u;
        for (size_t i = 0; i < 64; i++)
            crc = table[(crc ^ data[id * 64 + i]) & 255] ^ crc >> 8;
        crcs[id] = ~crc;
    }
}

static uint64_t
left(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static void
sip_round(uint64_t v[4])
{
    v[0] += v[1], v[2] += v[3];
    v[1] = left(v[1], 13) ^ v[0], v[3] = left(v[3], 16) ^ v[2];
    v[0] = left(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = left(v[1], 17) ^ v[2], v[3] = left(v[3], 21) ^ v[0];
    v[2] = left(v[2], 32);
}

LIMIT_LOOP(siphash_words)
{
    LIMIT_BUFFER(const uint64_t, words);
    LIMIT_BUFFER(uint64_t, out);
    LIMIT_VALUE(uint64_t, k0);
    LIMIT_VALUE(uint64_t, k1);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size; g++) {
        uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                         k1 ^ 0x7465646279746573};
        for (size_t i = 0; i < 4; i++) {
            uint64_t m = words[i * limit->size + g];
            v[3] ^= m;
            sip_round(v);
            sip_round(v);
            v[0] ^= m;
        }
        v[2] ^= 0xff;
        for (int i = 0; i < 4; i++)
            sip_round(v);
        out[g] = v[0] ^ v[1] ^ v[2] ^ v[3];
    }
}
