/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), for names that nobody can make collide. No library's: OpenSSL's libcrypto would be
 * loaded into every host program, whose own may be another version, and what is small enough to be linked
 * statically (libmd) is portable C, without the processor's instructions: a fifth of the speed, in front of
 * each program's first kernel. */
#ifndef LW_SRC_SHA256_H
#define LW_SRC_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lw_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
    bool fast;
};

/* The digest of all bytes added between the two others; `hash` is no more to be used behind its end. */
void lw_sha256_begin(struct lw_sha256 *hash);
void lw_sha256_add(struct lw_sha256 *hash, const void *data, size_t size);
void lw_sha256_end(struct lw_sha256 *hash, uint8_t digest[32]);

#endif
