/* SPDX-License-Identifier: MIT */
/* Hashes and ciphers as password crackers and miners write them: state in private arrays, macros, tables. */
constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define rotr(x, n) rotate((uint)(x), (uint)(32 - (n)))
#define S0(x) (rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22))
#define S1(x) (rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25))
#define s0(x) (rotr(x, 7) ^ rotr(x, 18) ^ ((x) >> 3))
#define s1(x) (rotr(x, 17) ^ rotr(x, 19) ^ ((x) >> 10))

/* SHA-256 of one block, the schedule of 64 words in private memory. */
kernel void
sha256_block(global const uint *messages, global uint *digests)
{
    uint gid = get_global_id(0), W[64];
    uint A = 0x6a09e667, B = 0xbb67ae85, C = 0x3c6ef372, D = 0xa54ff53a, E = 0x510e527f, F = 0x9b05688c, G = 0x1f83d9ab,
         H = 0x5be0cd19;

    for (int i = 0; i < 16; i++) {
        uint w = messages[gid * 16 + i];
        W[i] = (rotate(w, 8u) & 0x00ff00ff) | (rotate(w, 24u) & 0xff00ff00);
    }
    for (int i = 16; i < 64; i++)
        W[i] = s1(W[i - 2]) + W[i - 7] + s0(W[i - 15]) + W[i - 16];
    for (int i = 0; i < 64; i++) {
        uint t1 = H + S1(E) + bitselect(G, F, E) + K[i] + W[i];
        uint t2 = S0(A) + bitselect(C, B, C ^ A);
        H = G;
        G = F;
        F = E;
        E = D + t1;
        D = C;
        C = B;
        B = A;
        A = t1 + t2;
    }
    digests[gid * 8 + 0] = A + 0x6a09e667;
    digests[gid * 8 + 1] = B + 0xbb67ae85;
    digests[gid * 8 + 2] = C + 0x3c6ef372;
    digests[gid * 8 + 3] = D + 0xa54ff53a;
    digests[gid * 8 + 4] = E + 0x510e527f;
    digests[gid * 8 + 5] = F + 0x9b05688c;
    digests[gid * 8 + 6] = G + 0x1f83d9ab;
    digests[gid * 8 + 7] = H + 0x5be0cd19;
}

/* AES-128 rounds by four tables in constant-like global memory, columns as words. */
kernel void
aes_tables(global const uint *T0, global const uint *T1, global const uint *T2, global const uint *T3,
           global const uint *keys, global const uint4 *in, global uint4 *out)
{
    int id = get_global_id(0);
    uint4 s = in[id] ^ (uint4)(keys[0], keys[1], keys[2], keys[3]);

    for (int r = 1; r < 10; r++) {
        uint4 t;
        t.x = T0[s.x & 255] ^ T1[(s.y >> 8) & 255] ^ T2[(s.z >> 16) & 255] ^ T3[s.w >> 24] ^ keys[4 * r];
        t.y = T0[s.y & 255] ^ T1[(s.z >> 8) & 255] ^ T2[(s.w >> 16) & 255] ^ T3[s.x >> 24] ^ keys[4 * r + 1];
        t.z = T0[s.z & 255] ^ T1[(s.w >> 8) & 255] ^ T2[(s.x >> 16) & 255] ^ T3[s.y >> 24] ^ keys[4 * r + 2];
        t.w = T0[s.w & 255] ^ T1[(s.x >> 8) & 255] ^ T2[(s.y >> 16) & 255] ^ T3[s.z >> 24] ^ keys[4 * r + 3];
        s = t;
    }
    out[id] = s;
}

/* Byte substitution and rows shifted, the state in uchar[16]. */
kernel void
substitute_bytes(global const uchar *box, global const uchar *in, global uchar *out)
{
    uchar state[16], turned[16];
    size_t id = get_global_id(0);

    for (int i = 0; i < 16; i++)
        state[i] = box[in[id * 16 + i]];
    for (int row = 0; row < 4; row++)
        for (int col = 0; col < 4; col++)
            turned[4 * col + row] = state[4 * ((col + row) & 3) + row];
    for (int i = 0; i < 16; i++)
        out[id * 16 + i] = turned[i];
}

/* Blowfish-like: each work-item walks four tables of its work-group in local memory. */
kernel void
table_walk(global const uint *boxes, global const uint2 *in, global uint2 *out, int rounds)
{
    local uint S[4][256];
    uint2 v = in[get_global_id(0)];

    for (uint i = get_local_id(0); i < 1024; i += get_local_size(0))
        S[i / 256][i % 256] = boxes[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < rounds; i++) {
        uint x = v.x;
        uint f = ((S[0][x >> 24] + S[1][(x >> 16) & 0xff]) ^ S[2][(x >> 8) & 0xff]) + S[3][x & 0xff];
        v = (uint2)(v.y ^ f, x);
    }
    out[get_global_id(0)] = v;
}

/* FNV over strings of unequal lengths, bytes from anywhere. */
kernel void
fnv_strings(global const uchar *text, global const uint *offsets, global ulong *hashes)
{
    uint i = get_global_id(0);
    ulong h = 0xcbf29ce484222325UL;

    for (uint at = offsets[i]; at != offsets[i + 1]; ++at) {
        h ^= text[at];
        h *= 0x100000001b3UL;
    }
    hashes[i] = h;
}

/* CRC-32 by nibbles, a block of 64 bytes a work-item. */
constant uint nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                             0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

kernel void
crc32_nibbles(global const uchar *data, global uint *crcs)
{
    int id = get_global_id(0);
    uint crc = ~0u;

    for (int i = 0; i < 64; i++) {
        uchar b = data[id * 64 + i];
        crc = nibbles[(crc ^ b) & 15] ^ (crc >> 4);
        crc = nibbles[(crc ^ (b >> 4)) & 15] ^ (crc >> 4);
    }
    crcs[id] = ~crc;
}

/* SipHash-like mixing of 64-bit words. */
#define ROUND                                                                                                \
    v0 += v1; v1 = rotate(v1, 13UL); v1 ^= v0; v0 = rotate(v0, 32UL);                                        \
    v2 += v3; v3 = rotate(v3, 16UL); v3 ^= v2;                                                               \
    v0 += v3; v3 = rotate(v3, 21UL); v3 ^= v0;                                                               \
    v2 += v1; v1 = rotate(v1, 17UL); v1 ^= v2; v2 = rotate(v2, 32UL)

kernel void
siphash_words(global const ulong *words, global ulong *out, ulong k0, ulong k1, int n)
{
    int g = get_global_id(0);
    ulong v0 = k0 ^ 0x736f6d6570736575UL, v1 = k1 ^ 0x646f72616e646f6dUL;
    ulong v2 = k0 ^ 0x6c7967656e657261UL, v3 = k1 ^ 0x7465646279746573UL;

    for (int i = 0; i < 4; i++) {
        ulong m = words[i * n + g];
        v3 ^= m;
        ROUND;
        ROUND;
        v0 ^= m;
    }
    v2 ^= 0xff;
    ROUND;
    ROUND;
    ROUND;
    ROUND;
    out[g] = v0 ^ v1 ^ v2 ^ v3;
}
