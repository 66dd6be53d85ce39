/* SPDX-License-Identifier: MIT */
/* A folder of the disk cache for each test, and entries in it by number. */
#ifndef LW_TESTS_CACHED_ENTRIES_H
#define LW_TESTS_CACHED_ENTRIES_H

#include <check.h>
#include <stdint.h>
#include <sys/types.h>
#include "../../src/native/object_cache.h"

#define LARGE ((uint64_t)1 << 30)

extern char base[64], folder[128]; /* the latter in the former, and not made */

void make_folder(void);
void remove_folder(void);
struct lw_object_key key_of(unsigned number);
char *path_of(unsigned number);
/* Contents that depend on the number and the size. */
void fill(uint8_t *out, size_t size, unsigned number);
void store(unsigned number, size_t size, uint64_t limit);
/* -1: not there, else its size; what is there must be what was stored. */
long find(unsigned number);
/* Files whose names begin like that, and their bytes. */
unsigned count_files(const char *prefix, uint64_t *bytes);
void set_age(const char *path, long seconds);
void wait_for(pid_t child);
/* An entry is written to again at `offset`. */
void poke(const char *path, off_t offset, const void *data, size_t size);
size_t slurp(const char *path, uint8_t *out, size_t room);

void add_places(TCase *cases); /* test_cache_places.c */

#endif
