/* SPDX-License-Identifier: MIT */
/* What the files of far rounds share: far_rounds.c, far_rounds_write.c. */
#ifndef LW_VECTORIZER_FAR_ROUNDS_INTERNAL_H
#define LW_VECTORIZER_FAR_ROUNDS_INTERNAL_H

#include "../facts/uniformity.h"
#include "explain.h"
#include "far_rounds.h"
#include "twice.h"

#define MOST_PHIS 16

/* A phi of the loop's header; a counter goes on by the same step in the whole work-group. */
struct carried {
    LLVMValueRef phi, first, next;
    LLVMValueRef step;      /* NULL: no counter */
    LLVMValueRef now, done; /* in the copy: the phi, of a counter how far it has come; that behind a round */
    LLVMValueRef rest;      /* what the loop begins with behind the copy */
};

struct march {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    struct lw_report *report;
    const struct lw_model *m;
    const struct lw_uniformity *u;
    const struct lw_loop *loop;
    uint32_t guard;          /* the block that decides about the first round */
    uint32_t deciding;       /* that about the next one, and */
    LLVMBasicBlockRef on;    /* where it goes on */
    struct carried *counter; /* that is compared: */
    LLVMValueRef first, step, bound;
    bool is_signed;
    uint64_t far; /* as many steps of 1 are FAR bytes */
    struct carried carried[MOST_PHIS];
    unsigned carried_count;
    struct lw_twice twice, rest; /* rounds of all together; the loop behind them */
    bool changed;
};

static inline bool
in_loop(const struct march *s, LLVMValueRef v)
{
    return lw_loop_computes(s->m, (uint32_t)(s->loop - s->m->loops), v);
}

/* far_rounds_write.c: the copies. `twice` and `rest` have room for the whole kernel. */
void lw_march_write(struct march *s);

#endif
