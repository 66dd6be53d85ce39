/* SPDX-License-Identifier: MIT */
/* Seeded mutations of SPIR-V modules. */
#ifndef LW_TESTS_FUZZ_MUTATION_H
#define LW_TESTS_FUZZ_MUTATION_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_random {
    uint64_t state;
};

/* FUZZ_INSIDE: sizes, endianness and header stay, so that a part of the mutants is valid. */
enum fuzz_kind { FUZZ_ANY, FUZZ_INSIDE };

void fuzz_seed(struct fuzz_random *random, uint64_t seed);
/* 0 where `limit` is 0. */
uint32_t fuzz_below(struct fuzz_random *random, uint32_t limit);
/* One mutation in place; returns the new size in bytes, never larger. */
size_t fuzz_mutate(struct fuzz_random *random, enum fuzz_kind kind, uint32_t *words, size_t bytes);
/* Some instructions of another module over some of this one that are as long together. Returns the size. */
size_t fuzz_splice(struct fuzz_random *random, uint32_t *words, size_t bytes, const uint32_t *other,
                   size_t other_bytes);
/* NULL where the file cannot be read. */
uint32_t *fuzz_read(const char *path, size_t *bytes);

#endif
