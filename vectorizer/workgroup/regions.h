/* SPDX-License-Identifier: MIT */
/* What the files that form the work-group function share: queries.c, slots.c, group_uniform.c, early_loads.c,
 * regions.c, region_cost.c, idle.c, copies.c, workgroup.c. */
#ifndef LW_VECTORIZER_REGIONS_H
#define LW_VECTORIZER_REGIONS_H

#include <llvm-c/Target.h>
#include "cuts.h"
#include "workgroup.h"

/* The lw.* calls of a sub-group function (workgroup.h). */
enum lw_query {
    LW_Q_NONE,
    /* Equal over the work-group. */
    LW_Q_GLOBAL_SIZE,
    LW_Q_GLOBAL_OFFSET,
    LW_Q_LOCAL_SIZE,
    LW_Q_ENQUEUED_LOCAL_SIZE,
    LW_Q_GROUP_ID,
    LW_Q_NUM_GROUPS,
    LW_Q_MEMORY_BEGIN,
    LW_Q_MEMORY_END,
    LW_Q_GROUP_BASE,
    LW_Q_WORK_DIM,
    LW_Q_MAX_SUB_GROUP_SIZE,
    LW_Q_NUM_SUB_GROUPS,
    LW_Q_ENQUEUED_NUM_SUB_GROUPS,
    LW_Q_LOCAL_BASE,
    LW_Q_GROUP_SCRATCH,
    LW_Q_PROGRAM_BASE,
    LW_Q_PRINTER,
    LW_Q_SERVER,
    LW_Q_WAITER,
    /* The sub-group's own. */
    LW_Q_SUB_GROUP_SIZE,
    LW_Q_SUB_GROUP_ID,
    LW_Q_ENTRY_MASK,
    LW_Q_ENTRY_LANE,
    LW_Q_LOCAL_IDS,
    LW_Q_SUB_GROUP_FIRST,
    LW_Q_SUB_GROUP_LAST,
    LW_Q_BARRIER,
    LW_Q_UNKNOWN, /* lw.* of another name */
    LW_Q_COUNT
};

#define LW_Q_LAST_OF_GROUP LW_Q_WAITER

/* How a value reaches the regions that do not compute it. */
enum lw_carrier {
    LW_CARRY_SLOT,    /* its place in the sub-group's part of the frame */
    LW_CARRY_GROUP,   /* one variable: it is equal over the work-group */
    LW_CARRY_COMPUTE, /* computed again from what is at hand */
    LW_CARRY_ROOM     /* an alloca: its address is known everywhere */
};

enum lw_room { LW_ROOM_STACK, LW_ROOM_FIXED, LW_ROOM_SUB_GROUP };

/* Sub-groups that may go through a region together. */
#define LW_JAM 16

struct lw_carried {
    LLVMValueRef ref;
    uint32_t region;
    uint8_t query;            /* enum lw_query */
    uint8_t carrier;          /* enum lw_carrier */
    uint8_t cost;             /* instructions to compute it again; LW_DEAR: not to be */
    uint8_t room;             /* allocas: enum lw_room */
    bool uniform;             /* equal over the work-group, whenever it is executed */
    bool fixed;               /* a constant once the sub-group's number is one */
    bool external;            /* wanted in another region */
    bool cut_phi;             /* a phi of its region's cut */
    bool as_bits;             /* a mask: other regions want nothing but its bits */
    uint64_t offset;          /* slot or room, in its part of the frame */
    LLVMValueRef variable;    /* LW_CARRY_GROUP: alloca of lw_run; LW_ROOM_STACK: the room */
    LLVMValueRef incoming;    /* cut_phi, uniform: alloca that the edges store to */
    LLVMValueRef now[LW_JAM]; /* in the region instance being written, by copy */
    /* copies.c: */
    uint32_t step_stamp; /* found for the instance that has this stamp */
    bool steps;          /* the copies differ by constants: */
    bool exact;          /* first copy and step add up without wrapping, as unsigned numbers */
    uint8_t zeros;       /* lowest bits of the first copy that are 0 */
    int64_t *step;       /* by copy: how far it is from the first one */
    uint16_t depth;      /* region_cost.c: sums that wait for each other up to this one */
};

#define LW_DEAR 255

#define LW_SCRATCH_ALIGN 64
#define LW_FRAME_ALIGN 128 /* of the frame itself (compiler.h), and the most that a type of OpenCL C wants */

/* Work-group memory of a collective: an alloca, which becomes a value that goes from sub-group to sub-group.
 */
struct lw_scratch {
    uint64_t size, offset; /* bytes; in the frame, where it is not on the stack */
    bool on_stack;
    LLVMValueRef made; /* ptr */
};

struct lw_former {
    struct lw_arena *arena;
    lw_error *error;
    const struct lw_kernel_desc *kernel;
    const struct lw_shape *shape;
    struct lw_frame frame;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMTypeRef i1, i8, i32, i64, ptr;
    LLVMValueRef source; /* lw.subgroup */
    LLVMValueRef run;    /* lw_run */

    /* The plan. */
    bool fixed_size;    /* the shape has constant local sizes */
    uint64_t size;      /* then: work-items of a work-group */
    uint64_t unrolled;  /* instructions of regions that are written once for each sub-group */
    uint64_t folded;    /* region_cost.c: that are none once a sub-group's number is a constant, */
    uint64_t divisions; /* divisions by constants */
    enum lw_turn_kind turns; /* who takes turns: the code is one turn */
    bool bounded;       /* lw.memory_begin and lw.memory_end are asked: memory stays where it is */
    bool loops;         /* some are not: they are loops over the sub-groups */
    bool parted;        /* each sub-group says where it goes (parting.c), */
    uint64_t want;      /* here, in its part of the frame: a key of lw_exit_key */
    struct lw_cuts *cuts;
    struct lw_carried *values; /* instructions in the order of pieces */
    uint32_t value_count;
    uint32_t *piece_values;     /* first value of each piece; piece_count + 1 entries */
    struct lw_value_map *numbers;     /* instruction -> value */
    bool *straight;             /* by region: each of its branches goes the same way in all sub-groups */
    uint64_t *busy;             /* by region: so many of the full sub-groups go through it (idle.c) */
    struct lw_scratch *scratch; /* pieces of lw.group_scratch */
    uint32_t scratch_count;

    /* Positions that dominate all regions: the prologue, the start of each work-group. Terminated last. */
    LLVMBuilderRef top, group;
    LLVMValueRef launch, args, first, count, local, memory; /* lw_run's parameters */
    LLVMValueRef *params;                                   /* of the kernel, by index */
    struct lw_value_map *param_numbers;
    LLVMValueRef group_ids[3];
    LLVMValueRef group_queries[LW_Q_LAST_OF_GROUP + 1][3]; /* made where first asked */
    LLVMValueRef launch_fields[5][3];
    LLVMValueRef total; /* i64 work-items of this work-group */
    LLVMValueRef next;  /* alloca i32: the region that follows; parted: the least key that is wanted */
    LLVMValueRef now;   /* parted: i32, the key whose region is being run */

    /* The region instance being written. */
    LLVMBuilderRef head, body; /* head: before its first piece */
    uint32_t region;
    uint32_t copies; /* sub-groups that go through it together */
    uint32_t copy;   /* the one whose code is being written */
    LLVMValueRef sub_groups[LW_JAM];
    LLVMValueRef sub_group; /* i64: sub_groups[copy] */
    LLVMValueRef lane;      /* i64: where work-items take turns, whose it is */
    enum lw_instance { LW_INSTANCE_FULL, LW_INSTANCE_TAIL, LW_INSTANCE_ANY } instance;
    LLVMValueRef mine[LW_JAM]; /* ptr: the sub-group's part of the frame */
    LLVMValueRef own_queries[LW_JAM][LW_Q_SUB_GROUP_LAST + 1][3];
    LLVMBasicBlockRef done; /* where it leaves to */
    uint32_t *fetched;      /* values of other regions at hand in this instance */
    uint32_t fetched_count;
    uint32_t *places;         /* by piece: its place in its region */
    bool *reached;            /* by place: some edge that is written leads there */
    LLVMBasicBlockRef *exits; /* by target region: the exit of the piece at hand, */
    uint32_t *exit_stamp;     /* where this is the stamp */
    uint32_t stamp;           /* one for each piece written */
    uint32_t step_stamp;      /* one for each instance, and for each time that its cost is found */
};

/* Records LW_INTERNAL or the given status and leaves by arena->out. */
_Noreturn void lw_former_fail(struct lw_former *f, lw_status status, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- queries.c ---- */
enum lw_query lw_query_of(LLVMValueRef instruction);
/* The value that replaces the call; in lw.group or at the instance's head. */
LLVMValueRef lw_answer_query(struct lw_former *f, enum lw_query query, LLVMValueRef call);
/* Where sub-groups take turns: the barrier, in the instance's body. */
void lw_write_meeting(struct lw_former *f);
LLVMValueRef lw_group_sub_groups(struct lw_former *f); /* i64, of the code's lanes */
LLVMValueRef lw_launch_field(struct lw_former *f, unsigned field, unsigned dimension);
enum { LW_F_GLOBAL_SIZE, LW_F_GLOBAL_OFFSET, LW_F_NUM_GROUPS, LW_F_LOCAL_SIZE, LW_F_WORK_DIM };
LLVMValueRef lw_c64(struct lw_former *f, uint64_t value); /* a constant i64 */

/* ---- slots.c: decides, and lays out the frame ---- */
void lw_plan_values(struct lw_former *f);
/* The type that a value has in memory. */
LLVMTypeRef lw_stored_type(struct lw_former *f, const struct lw_carried *v);
struct lw_carried *lw_find_carried(struct lw_former *f, LLVMValueRef ref); /* NULL: not of the function */
/* The region that the edge from `block` leaves; LW_NONE where the block is unreachable. */
uint32_t lw_edge_region(struct lw_former *f, LLVMBasicBlockRef block);

/* ---- group_uniform.c ---- */
void lw_find_group_uniform(struct lw_former *f);

/* ---- parting.c ---- */
bool lw_sub_groups_part(struct lw_former *f);
/* Where an edge from `piece` leads: to joins, then past barriers, each in the order of regions; at last the
 * kernel's end (target region_count). */
uint32_t lw_exit_key(const struct lw_former *f, uint32_t piece, uint32_t target);

/* ---- idle.c ---- */
/* f->busy: by region, how many of `full` sub-groups have to go through it; the others find nothing to do. */
void lw_find_busy(struct lw_former *f, uint64_t full);

/* ---- early_loads.c ---- */
void lw_find_early_loads(struct lw_former *f);

/* ---- regions.c ---- */
/* Writes one instance of region `r` for the f->copies sub-groups of f->sub_groups; returns its first block.
 * It ends in `f->done`. */
LLVMBasicBlockRef lw_write_region(struct lw_former *f, uint32_t r);

/* Parted sub-groups: the address of what sub-group `number` wants; and it wants this, next. */
LLVMValueRef lw_want_address(struct lw_former *f, LLVMBuilderRef b, LLVMValueRef number);
void lw_want(struct lw_former *f, LLVMBuilderRef b, LLVMValueRef key);

/* ---- copies.c ---- */
/* How far f->copies copies of `x` are from the first; NULL: not by constants. Found steps stay in f->values.
 */
const int64_t *lw_find_steps(struct lw_former *f, LLVMValueRef x);
/* `v` for f->copy, as the first copy and a constant; NULL: it is no such value. */
LLVMValueRef lw_write_step(struct lw_former *f, LLVMBuilderRef b, struct lw_carried *v);

/* ---- region_cost.c ---- */
/* Instructions that are left of region `r` once sub-group `number` is written alone; stops past `most`. What
 * is equal over the work-group counts once, an address as part of its access. Adds what folds to f->folded
 * and f->divisions.
 */
uint64_t lw_count_written(struct lw_former *f, uint32_t r, uint64_t number, uint64_t most);
/* Does region `r`, for sub-group `number`, do anything but compute values? */
bool lw_region_acts(struct lw_former *f, uint32_t r, uint64_t number);
/* How many sub-groups had better go through region `r` together. */
uint32_t lw_region_copies(struct lw_former *f, uint32_t r, uint64_t sub_groups);
bool lw_some_in_region(struct lw_former *f, uint32_t r, bool (*is)(const struct lw_carried *v));
/* No two sub-groups can tell in which order they went through it. */
bool lw_region_has_no_order(struct lw_former *f, uint32_t r);

#endif
