/* SPDX-License-Identifier: MIT */
/* Between uniformity.c, the fixpoint, and uniformity_facts.c, its steps. */
#ifndef LW_VECTORIZER_UNIFORMITY_INTERNAL_H
#define LW_VECTORIZER_UNIFORMITY_INTERNAL_H

#include "divergence.h"
#include "offsets_internal.h"
#include "uniformity.h"

/* A pointer that leads into different private objects. */
#define MIXED (LW_NONE - 1)

struct analysis {
    const struct lw_model *m;
    const struct lw_shape *shape;
    const struct lw_piece *piece; /* NULL: whole sub-groups */
    struct lw_arena *arena;
    struct lw_uniformity *u;
    struct lw_offsets *o;
    struct lw_fact *facts; /* by value */
    uint32_t *block_of;    /* by value; LW_NONE for parameters */
    struct lw_scope *sub_group, *group;
    bool *apart;        /* by value: uniform in each sub-group because of where the sub-group lies */
    uint32_t *barriers; /* by block: those in the blocks before */
    uint32_t *batches;  /* likewise, atomics of the work-group; NULL: there are none */
    bool *distrusted;   /* by value: what it means for addresses is not proved by the accesses after all */
    LLVMTargetDataRef layout;
    bool changed;
};

struct lw_fact lw_operand_fact(struct analysis *a, LLVMValueRef value);
/* What the result of `i`, in `block`, is by what is known now. */
struct lw_fact lw_instruction_fact(struct analysis *a, LLVMValueRef i, LLVMOpcode op, uint32_t block);
/* The private object that a pointer leads into; LW_NONE: none. */
uint32_t lw_alloca_of(const struct analysis *a, LLVMValueRef value);
/* This value differs between sub-groups that go through the code together. */
void lw_set_apart(struct analysis *a, uint32_t id);
/* An address that varies proves nothing about the extensions in it. */
void lw_distrust_operands(struct analysis *a, LLVMValueRef i, LLVMOpcode op);

#endif
