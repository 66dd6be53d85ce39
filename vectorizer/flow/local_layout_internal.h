/* SPDX-License-Identifier: MIT */
/* What local_layout.c and local_accesses.c share. */
#ifndef LW_VECTORIZER_LOCAL_LAYOUT_INTERNAL_H
#define LW_VECTORIZER_LOCAL_LAYOUT_INTERNAL_H

#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include "module_pass.h"
#include "../facts/value_map.h"

#define MOST_ACCESSES 512
#define MOST_TERMS 3
#define MOST_KNOWN 512 /* instructions looked at as functions of the local id */
#define DEPTH 12

struct term {
    V value; /* i64; less its lowest bits, which are zero: */
    unsigned shift;
    int64_t scale, low, high;
};

struct access {
    V instruction, pointer;
    int64_t first, stride; /* bytes: first + stride * lid + terms */
    bool affine;
    struct term terms[MOST_TERMS];
    unsigned count;
    int64_t low, high; /* of the bytes that it may touch */
    unsigned size;
    bool clears;
};

/* Of one array: its bytes [start, end). */
struct array {
    int64_t start, end;
    unsigned size, step; /* of an element; K */
    int64_t rows;
    V last_clear;
};

struct layout {
    const struct lw_kernel_desc *kernel;
    struct lw_report *report;
    struct lw_arena *arena;
    LLVMBuilderRef builder;
    LLVMTargetDataRef data;
    V function, base, lid; /* base, lid: in the entry block, of this pass */
    V a_base, a_lid, barrier;
    uint32_t items;
    struct access *accesses;
    unsigned count;
    int64_t *sums; /* by local id: of the address being read */
    struct lw_value_map *numbers;
    uint64_t **tables; /* of values known for each local id */
    uint32_t known;
};

/* ---- local_accesses.c ---- */
/* Adds all accesses through an address to l->accesses; false: it gets away, or one is not understood. */
bool lw_local_read_users(struct layout *l, V address, int depth);

#endif
