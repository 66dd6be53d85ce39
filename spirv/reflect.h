/* SPDX-License-Identifier: MIT */
/* Kernels, their arguments and execution modes, read off a checked module. Shared by runtime and compiler:
 * both must agree on the argument buffer's and the local memory's layout. No LLVM. */
#ifndef LW_SPIRV_REFLECT_H
#define LW_SPIRV_REFLECT_H

#include "module.h"

struct lw_kernel_arg {
    lw_arg_info info;     /* strings owned by the lw_kernel_desc */
    uint32_t offset;      /* in the argument buffer */
    uint32_t slot; /* bytes there: info.size; 8 for a local pointer (holds its offset in local memory) */
    uint32_t type;        /* the parameter's type id */
    uint32_t
        value_type; /* LW_ARG_STRUCT passed by pointer (FuncParamAttr ByVal): the pointee's type id, else 0 */
    bool is_const, is_restrict, is_volatile; /* pointers, as far as the module tells */
    bool is_write_only, is_read_write; /* a pipe, an image; neither: read only */
    uint8_t image_kind;   /* LW_ARG_IMAGE: enum lw_image_kind */
    bool is_depth;        /* LW_ARG_IMAGE */
    uint32_t align_decoration; /* Alignment decoration of a pointer, 1 where none */
};

struct lw_local_variable {
    uint32_t id;      /* OpVariable Workgroup, used by the kernel or a function it reaches */
    uint64_t offset;  /* in the work-group's local memory */
    uint64_t size, align;
};

/* Between guarded local variables; a multiple of the page's size. Wide enough that a wrong row still lands in
 * it. */
#define LW_GUARD_PAGE ((uint64_t)4096)
#define LW_GUARD_BYTES ((uint64_t)16 << 20)

/* How a kernel accesses memory (reflect_columns.c). */
struct lw_columns {
    bool any;              /* accesses by columns */
    uint64_t lane_cost[3]; /* with lanes along each dimension */
    uint64_t beside[3];    /* accesses whose neighbours along it lie beside each other */
    uint64_t shared[3][3]; /* loads in loops: far apart along the first dimension, one along the second */
    uint64_t work;         /* instructions, counted like accesses: those in loops more often */
};

/* A kernel that is one loop whose rounds any work-item may run (reflect_grid_stride.c). */
struct lw_grid_stride {
    uint32_t latch;    /* index of the branch that goes back, 0: it is no such kernel */
    uint32_t bound;    /* id of the integer that the index is below, which the arguments tell */
    uint32_t scale;    /* times the bound: what is to have 31 bits */
    bool back_if_true; /* the branch */
};

struct lw_kernel_desc {
    const char *name;
    uint32_t entry_point;
    uint32_t function;            /* index into module->functions */
    struct lw_kernel_arg *args;
    uint32_t arg_count;
    uint32_t arg_bytes;           /* of the packed buffer */
    struct lw_local_variable *locals;
    uint32_t local_count;
    bool guarded_locals;          /* see lw_guard_locals */
    lw_kernel_info info; /* info.local_bytes: module-scope local memory, padded to 128; arguments follow */
    uint64_t private_bytes;       /* of all private variables of the functions that it reaches, each once */
    bool uses_only_global_ids;    /* of the id functions: neither local ids nor group ids, sizes, counts */
    bool knows_group; /* a work-item may learn its place in the work-group, or the group's size or number */
    bool has_collective;          /* sub-group or work-group */
    bool has_ordered_scan;        /* of floats over a work-group: its width decides how it rounds */
    bool has_atomics;
    bool may_take_lock;           /* an atomic operation of it is like one that takes a lock */
    bool looks;                   /* an operation tells of what others write: a loop may wait by it */
    bool adds, takes_away;        /* by atomic operations; of what is not known: both */
    bool asks, begins_anew;       /* for what such an operation found; stores a number */
    bool prints;                  /* calls printf */
    bool names_blocks;            /* to have them enqueued, or to ask about them */
    bool unnamed;                 /* a block, of a module that asks about blocks without telling which */
    bool enqueues;                /* kernels or markers, or makes or sets events */
    bool contraction_off;
    uint32_t
        widest_access; /* bits of what is loaded and stored at once outside of private memory; 0: unknown */
    uint32_t widest_element;      /* bits of a component of it */
    bool has_texels;              /* reads or writes images: four numbers of 32 bits at once */
    bool has_wide_values;         /* floating-point numbers, or vectors of 32 bits and more to a component */
    uint32_t instruction_count;   /* of the functions that the kernel reaches */
    bool has_loop;
    bool has_waiting_loop;        /* a loop with one access to memory, or none */
    uint32_t slow_count;          /* divisions and roots of floating-point numbers */
    struct lw_columns columns;
    bool has_slow_loop;           /* such a loop that loads, divides or takes roots */
    bool has_chain;               /* whose next round needs what it loaded, or divides or takes roots */
    struct lw_grid_stride grid_stride;
};

/* Reflects an entry point of a read module; does not need lw_kernel_check. NULL on bad input. */
struct lw_kernel_desc *lw_reflect_kernel(const lw_module *module, uint32_t entry_point, lw_error *error);
/* Other places for the local variables: each ends, as near as its alignment allows, at a page's end, with
 * LW_GUARD_BYTES behind it that nothing is in. false: there are too many. */
bool lw_guard_locals(struct lw_kernel_desc *desc, lw_error *error);
void lw_kernel_desc_free(struct lw_kernel_desc *desc);

/* reflect_columns.c: adds what one of its functions accesses, by index, where the arguments whose bits are
 * set in `ones` are 1. */
void lw_reflect_columns(const lw_module *module, uint32_t function, const struct lw_kernel_desc *desc,
                        uint64_t ones, struct lw_columns *out);

/* reflect_grid_stride.c: desc->grid_stride. */
void lw_reflect_grid_stride(const lw_module *module, struct lw_kernel_desc *desc);
/* The bound of a kernel that is such a loop, its packed arguments lying at `args`. */
bool lw_grid_stride_bound(const lw_module *module, const struct lw_kernel_desc *desc, const void *args,
                          int64_t *bound);

#define LW_MOST_STRIDES 8 /* of a kernel: each doubles the shapes that it may have */

/* reflect_strides.c: may it be asked of this argument whether it is 1? An integer of 32 or 64 bits, of the
 * first 63 arguments. */
bool lw_may_be_stride(const struct lw_kernel_desc *desc, uint32_t index);
/* Which arguments, a bit each, are multiplied by what differs from work-item to work-item or round to round,
 * on the way to an address: at most LW_MOST_STRIDES, the first ones. */
uint64_t lw_find_strides(const lw_module *module, const struct lw_kernel_desc *desc);

/* reflect_order.c: may what it writes depend on the order of its work-items, by atomics that tell it or
 * round? */
bool lw_depends_on_order(const lw_module *module, const struct lw_kernel_desc *desc);

/* Lists the functions reachable from `function` (itself first), as indices; returns how many. `out` has room
 * for module->function_count. */
uint32_t lw_reachable_functions(const lw_module *module, uint32_t function, uint32_t *out);

uint32_t lw_module_spec_constant_count(const lw_module *module);
bool lw_module_spec_constant(const lw_module *module, uint32_t index, lw_spec_constant *out);

#endif
