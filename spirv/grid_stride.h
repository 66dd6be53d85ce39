/* SPDX-License-Identifier: MIT */
/* The steps of finding out whether a kernel is one loop over what its global ids stride through
 * (reflect_grid_stride.c). */
#ifndef LW_SPIRV_GRID_STRIDE_H
#define LW_SPIRV_GRID_STRIDE_H

#include "reflect.h"

/* What a value is to the loop: `times` what its kind tells, and `plus`. Dimension 0 is meant. */
enum lw_stride_kind {
    LW_STRIDE_PLAIN,  /* none of these: whoever runs the round computes the same */
    LW_STRIDE_INDEX,  /* i */
    LW_STRIDE_ID,     /* the global id */
    LW_STRIDE_SIZE,   /* the global size */
    LW_STRIDE_GROUP,  /* the group id */
    LW_STRIDE_GROUPS, /* how many there are */
    LW_STRIDE_LOCAL_ID,
    LW_STRIDE_LOCAL_SIZE,
    LW_STRIDE_ORIGIN, /* group id * local size */
    LW_STRIDE_NEXT,   /* the next i; where that is displaced: what the phi `of` is then */
    LW_STRIDE_AGAIN,  /* is the next i below the bound? `times` 0: is it not? */
    LW_STRIDE_VECTOR, /* a built-in variable's; `of`: what its component 0 is */
    LW_STRIDE_OTHER   /* made of ids or sizes in another way: no such kernel */
};

struct lw_stride_value {
    uint8_t kind;
    bool displaced; /* and something that is the same in all rounds, which nobody knows */
    uint32_t of;
    uint64_t times, plus;
};

struct lw_stride_search {
    const lw_module *m;
    const struct lw_kernel_desc *desc;
    const struct lw_spirv_function *function;
    struct lw_stride_value *at; /* by id */
    bool *in_loop;              /* by block of the function */
    uint32_t header, latch;     /* labels */
    uint32_t guard;             /* what ids are compared with before the loop, 0: nothing */
    struct lw_grid_stride found;
};

/* ---- grid_stride_integers.c ---- */

static inline bool
lw_stride_is_harmless(struct lw_stride_value v)
{
    return v.kind == LW_STRIDE_PLAIN || v.kind == LW_STRIDE_INDEX;
}

/* What an instruction of integers makes of what its operands are. False: it is none that is known, and as
 * good as its operands. */
bool lw_stride_compute(struct lw_stride_search *s, const struct lw_inst *inst, struct lw_stride_value *out);

/* The value is used at more bits than it has: it is the same unless it has more than 31, which the dispatch
 * is to know. */
void lw_stride_widen(struct lw_stride_search *s, struct lw_stride_value v);

/* ---- grid_stride_loop.c ---- */

/* Sets header, latch and in_loop. */
bool lw_stride_find_loop(struct lw_stride_search *s);
/* Is the instruction in one of the loop's blocks? */
bool lw_stride_is_in_loop(const struct lw_stride_search *s, const struct lw_inst *inst);
/* Is it a phi of the header? */
bool lw_stride_is_phi(const struct lw_stride_search *s, uint32_t id);

/* ---- grid_stride_values.c ---- */

/* Which built-in variable the load is of; SpvBuiltInMax: none. */
uint32_t lw_stride_builtin(const lw_module *m, const struct lw_inst *load);
/* Sets at, guard and found. False: something is done with ids or sizes, or has effects, that the loop must
 * not have. */
bool lw_stride_follow_values(struct lw_stride_search *s);

/* ---- grid_stride_memory.c ---- */

/* Do no two rounds meet in the memory of one argument? Asked when all values are known. */
bool lw_stride_rounds_are_apart(struct lw_stride_search *s);

/* ---- grid_stride_bound.c ---- */

/* Which of the kernel's arguments a parameter of it is, or of the function that it is a name for. */
uint32_t lw_stride_argument(const lw_module *m, uint32_t parameter);

/* What an integer of conversions and elementary arithmetic is, the kernel's arguments lying at `args`. false:
 * it is made of something else. `args` NULL: may it be asked? */
bool lw_stride_evaluate(const lw_module *m, const struct lw_kernel_desc *desc, uint32_t id, const void *args,
                        int64_t *out);
/* The integer that others are no more than conversions of, where these do not change its value unless it is
 * negative. */
uint32_t lw_stride_unconverted(const lw_module *m, uint32_t id);

#endif
