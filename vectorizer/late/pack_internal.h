/* SPDX-License-Identifier: MIT */
/* What the files that pack sub-groups share: pack.c, pack_plan.c, pack_write.c,
 * pack_memory.c, pack_gathers.c. */
#ifndef LW_VECTORIZER_PACK_INTERNAL_H
#define LW_VECTORIZER_PACK_INTERNAL_H

#include <llvm-c/Target.h>

#include "../../spirv/arena.h"
#include "../lanes/internal.h"
#include "../subgroup/reduce.h"
#include "../facts/memory_effects.h"
#include "pack.h"
#include "../facts/value_map.h"

#define ROWS 16
#define NODES 64
#define DEPTH 24
#define TERMS 6
#define MOST_LANES 64

enum kind {
    LEAF, /* rows put together one by one */
    SAME, /* one value in all rows */
    CONSTANT,
    LOAD,
    ELEMENTWISE,
    SHUFFLE,
    INSERT, /* a scalar into lane 0 of nothing */
    EXTRACT,
    REDUCTION
};

struct node {
    V rows[ROWS], packed;
    LLVMOpcode opcode;
    enum kind kind;
    enum lw_group_op op; /* REDUCTION */
    uint8_t count;       /* of rows */
    uint8_t operand_count;
    uint8_t operands[ROWS];
};

struct address {
    V base;
    V terms[TERMS];         /* or'd */
    V others[TERMS];        /* with these, where not NULL, without their lowest bits, */
    unsigned shifts[TERMS]; /* so many, */
    int64_t factors[TERMS];
    unsigned count;
    int64_t constant;
};

struct packer {
    lw_lanes l;
    struct lw_arena *arena;
    LLVMTargetDataRef layout;
    unsigned register_bits;
    LLVMBasicBlockRef block;
    struct lw_value_map *places; /* instruction of the block -> its place */
    V *instructions;             /* by place */
    uint32_t *writes;            /* by place: how many instructions before it may write memory */
    uint32_t *accesses;          /* ... may read or write memory */
    uint32_t *inside;            /* by place: the plan that it goes away with, 0: none */
    uint32_t count, plan;
    struct node nodes[NODES];
    unsigned node_count;
};

/* ---- pack_memory.c ---- */
bool lw_pack_address(LLVMTargetDataRef layout, V pointer, struct address *a);
/* Is `b` so many bytes behind `a`? */
bool lw_pack_follows(const struct address *a, const struct address *b, int64_t distance);
void lw_pack_read_block(struct packer *p, LLVMBasicBlockRef block, uint32_t count);
uint32_t lw_pack_place(struct packer *p, V value); /* UINT32_MAX: not of this block */
uint32_t lw_pack_last_place(struct packer *p, V *rows, unsigned count);

/* ---- pack_plan.c ---- */
/* The node of these rows; negative: too much. Recursion: `depth` deep. */
int lw_pack_plan(struct packer *p, V *rows, unsigned count, unsigned depth);
/* Do the nodes from `first` on, and one store for these, save instructions? */
bool lw_pack_saves(struct packer *p, unsigned first, V *stores, unsigned count);
/* "llvm.smin", of a call that works on each lane alone; NULL: none. */
const char *lw_pack_elementwise(V call, char *name, size_t size);

/* ---- pack_gathers.c ---- */
/* Did the block change? It was read then; what is dead is there still. */
bool lw_pack_gathers(struct packer *p, LLVMBasicBlockRef block);

/* ---- late/stores.c ---- */
/* The register of AVX2 that `v` is half of; NULL: it is none. */
V lw_pack_half(V v, bool *upper);

/* ---- pack_write.c ---- */
/* The rows of a node as one vector. */
V lw_pack_write(struct packer *p, struct node *node);

#endif
