/* SPDX-License-Identifier: MIT */
/* What a loop may wait by (wait_sources.c). */
#ifndef LW_VECTORIZER_WAIT_SOURCES_H
#define LW_VECTORIZER_WAIT_SOURCES_H

#include "../../src/compiler.h"
#include "../facts/model.h"

enum lw_wait_answer { LW_NOT_ASKED, LW_NO, LW_YES };

struct lw_wait_loop {
    const struct lw_model *m;
    const struct lw_shape *shape;
    enum lw_wait_answer *answers; /* by value, of exchanges and additions; room for all */
    struct lw_meanwhile *meanwhile;
    /* lw_look_at_wait_loop sets: */
    uint32_t loop;
    bool fenced; /* any load may tell of others */
    bool meets;  /* each round has a barrier */
};

/* Before questions about this loop; answers of another one are forgotten. */
void lw_look_at_wait_loop(struct lw_wait_loop *w, uint32_t loop);

typedef bool lw_wait_question(const struct lw_wait_loop *w, LLVMValueRef v);
/* Is the answer yes for any instruction of the loop? */
bool lw_any_in_loop(const struct lw_wait_loop *w, lw_wait_question *is);

/* Do others decide what it finds, so that the loop may wait for them by it? */
lw_wait_question lw_is_wait_source;
/* An addition of something: those of others change what it finds, too, but it always gets on. */
lw_wait_question lw_counts_on;
/* As `while (atomic_inc(lock) != 0)` does: others must take away again what they have added. */
lw_wait_question lw_awaits_a_number;
/* A compare-exchange of what the loop has read there, in this round or the last one; did it succeed? */
lw_wait_question lw_is_fresh_exchange;
lw_wait_question lw_asks_for_success;

/* Does an atomic addition take back what the other has added, wherever that is? */
bool lw_takes_back(LLVMValueRef v, LLVMValueRef what);
/* Calls that begin and end a reservation in a pipe. */
bool lw_is_pipe_reservation(LLVMValueRef v);
bool lw_is_pipe_commit(LLVMValueRef v);

/* May a loop wait by it: is its outcome up to others, or is it a fence? A guess by the instruction alone. */
bool lw_may_be_waited_for(LLVMValueRef instruction);

#endif
