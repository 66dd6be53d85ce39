/* SPDX-License-Identifier: MIT */
/* What a module for a message-passing library offers spirv-run (mpi.c): ranks that send each other bytes. */
#ifndef LW_RANKS_H
#define LW_RANKS_H

#include <stdbool.h>
#include <stddef.h>

struct cli_ranks {
    unsigned rank, count;
    bool (*send)(unsigned to, const void *bytes, size_t size);
    bool (*receive)(unsigned from, void *bytes, size_t size);
    void (*leave)(void);
};
/* The module's only name, "lw_ranks_join". `why`: the sentence where it fails. */
typedef bool cli_ranks_join_function(struct cli_ranks *out, char why[200]);

#endif
