/* SPDX-License-Identifier: MIT */
/* Sub-groups, or work-items, that take turns on a thread, so that one that waits lets the others go on. */
#ifndef LW_SRC_TURNS_H
#define LW_SRC_TURNS_H

#include "pool.h"

/* A work-group that has begun. */
struct lw_begun {
    uint64_t group;
    const struct lw_code *code;
    uint32_t count; /* that take turns */
    struct lw_thread_memory memory;
    /* turns.c: */
    struct lw_begun *next;
    uint32_t done, here; /* that wait for the others of the work-group */
    uint32_t room;
    struct lw_stack **stacks; /* by number: it has begun and is not done */
    uint8_t *states;
};

/* Where a thread gets its work-groups from. */
struct lw_giver {
    const struct lw_launch *launch;
    const void *args;
    size_t frame_offset, bytes; /* of a work-group's memory */
    /* The next one: group, code, count. false: there are no more. */
    bool (*begin)(struct lw_giver *giver, struct lw_begun *out);
    /* The next one in place of this one, which is done, if that is like it; false: `begin` will tell. */
    bool (*next)(struct lw_giver *giver, struct lw_begun *group);
    bool (*reserve)(struct lw_giver *giver, struct lw_thread_memory *memory);
    void (*enter)(struct lw_giver *giver, const struct lw_begun *group); /* it is run from now on */
    _Atomic bool *waited; /* one of them has waited for memory */
};

/* Runs all that the giver gives. `arena` keeps what this takes for the next time. false: there is no memory;
 * what was given may not have run. */
bool lw_take_turns(struct lw_thread_memory *arena, struct lw_giver *giver);
/* Where lw_take_turns was left by a jump: what was waiting is forgotten. */
void lw_turns_abandon(struct lw_thread_memory *arena);
/* lw_launch.wait of such code. */
void lw_wait(uint32_t what);
/* What the arena has kept. */
void lw_turns_free(struct lw_thread_memory *arena);

#endif
