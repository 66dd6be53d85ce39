/* SPDX-License-Identifier: MIT */
/* The disk cache: compiled objects by content, for this process and the next ones.
 *
 * There is no state beside the directory: every call opens it, checks that it is ours alone and closes it, so
 * that forks, threads and other processes do not matter. No call ever fails in a way that the caller must
 * tell anyone: what is not there, or damaged, is compiled.
 */
#ifndef LW_SRC_OBJECT_CACHE_H
#define LW_SRC_OBJECT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LW_OBJECT_SYMBOL_BYTES 32

/* SHA-256 of all that decides about the code, see src/tiers/code.c. */
struct lw_object_key {
    uint8_t bytes[32];
};

/* One entry. `object` is malloc'd, the holder's. */
struct lw_cached_object {
    uint64_t frame_fixed, frame_per_sub_group, code_bytes;
    uint32_t turns, doubt;
    double milliseconds; /* that compiling took */
    char symbol[LW_OBJECT_SYMBOL_BYTES];
    void *object;
    size_t object_bytes;
};

/* The directory by the environment and what `asked` names (NULL: nothing), malloc'd; NULL where there is none
 * to be had. */
char *lw_object_cache_folder(const char *asked);
/* True where an undamaged entry is there; it counts as used now. A damaged one is removed. */
bool lw_object_cache_find(const char *folder, const struct lw_object_key *key, struct lw_cached_object *out);
/* Makes the folder where it is missing, and room for the entry: the least recently used go first. `limit`:
 * bytes that the folder's entries may have together. */
void lw_object_cache_store(const char *folder, const struct lw_object_key *key,
                           const struct lw_cached_object *entry, uint64_t limit);
/* So that of several processes that miss an entry at once one makes it: waits while another has the claim and
 * the entry is not there, but not for ever. -1: there is no claim to be had, which stops nobody. What dies
 * gives up its claim. */
int lw_object_cache_claim(const char *folder, const struct lw_object_key *key);
void lw_object_cache_disclaim(int claim);
/* For an entry that turned out to be useless. */
void lw_object_cache_drop(const char *folder, const struct lw_object_key *key);

#endif
