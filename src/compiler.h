/* SPDX-License-Identifier: MIT */
/* The border between the runtime (liblanewise, no LLVM) and the compiler (liblanewise-compiler, LLVM inside).
 *
 * In: a module, a kernel, a shape. Out: machine code ready to call, and its facts. The runtime loads the
 * compiler with dlopen on the first cache miss and asks it for the table below; nothing else crosses.
 */
#ifndef LW_COMPILER_H
#define LW_COMPILER_H

#include <lanewise/lanewise.h>
#include "../spirv/image.h"

#define LW_COMPILER_ABI 22
#define LW_MAX_LANES 64

/* How a program wants to be compiled (OpenCL API 5.8.6). */
enum lw_build_flag {
    LW_MATH_FINITE = 1, /* neither NaNs nor infinities */
    LW_MATH_NO_SIGNED_ZEROS = 2,
    LW_MATH_CONTRACT = 4,        /* a * b + c may be rounded once */
    LW_MATH_UNSAFE = 8,          /* regroup, multiply by reciprocals */
    LW_MATH_EXACT_DIVISION = 16, /* float division and square root correctly rounded, whatever else */
    LW_BUILD_UNOPTIMIZED = 32,
    LW_MATH_FLUSH = 64,   /* subnormal numbers may become zero: the dispatch's affair, never in a shape */
    LW_BUILD_FIRST = 128, /* for a first run, which is to begin soon: in shapes only */
    LW_BUILD_NO_PROGRESS =
        256 /* sub-groups need not make progress independently: `yields` says so in shapes */
};

/* The most that code asks to read from the begin of a buffer on; buffers of our own are aligned to it, so
 * that each of them has it. A power of two, at most a page. */
#define LW_HEAD 512

/* Bytes of the stack on which code of shapes with `yields` runs, printf included. */
#define LW_WAITING_STACK (1u << 20)

/* lw_error.word, of LW_OUT_OF_MEMORY: what the kernel itself needs is too much, and will be. */
#define LW_NEEDS_TOO_MUCH UINT32_MAX

#define LW_MOST_VALUES 16 /* of arguments that code knows */
#define LW_FAR_ROUNDS 16  /* from so many on a work-group goes through them together (far_rounds.c) */

/* What code is specialised on. Two equal shapes (memcmp, zeroed padding) share code. */
struct lw_shape {
    uint32_t work_dim;       /* 1..3 */
    uint32_t local_size[3];  /* constants folded into the code, or all 0: the masked instance, any local size,
                                any remainder work-group. Never partly 0. Code with constants serves full
                                work-groups only */
    uint32_t lanes;          /* W: lanes of the code, 1 (scalar code) or 4 to 64. Equal to sub_group_size
                                where the kernel observes it */
    uint32_t sub_group_size; /* N as queries answer it */
    uint32_t isa;            /* enum lw_isa, never AUTO */
    uint8_t offset_zero;     /* global offset is zero in every dimension */
    uint8_t index31;         /* every global id, with offset, is below 2^31 - 2^16: i + 2 does not wrap */
    uint8_t buffers_4g;      /* every buffer argument spans less than 2^32 - 2^28 bytes */
    uint8_t buffers_apart;   /* no two buffer arguments have a byte in common. Of specialised shapes only */
    uint8_t row_multiple;    /* local_size[0] is a multiple of `lanes`, in remainder work-groups too */
    uint8_t flat; /* local_size[1] and [2] are 1: no sub-group wraps from row to row. Tells of masked
                     shapes what constants tell of others */
    uint8_t build; /* of enum lw_build_flag */
    uint8_t lanes_dimension; /* the kernel's dimension that is 0 here, and the other way round: sizes, ids and
                                facts are in this order. Not 0 for kernels that only know their global ids */
    uint8_t guarded; /* local variables have the places that lw_guard_locals gives them, and keep them */
    uint8_t yields;  /* a sub-group that waits in a loop for what others write lets them go on. lanes ==
                        sub_group_size then, unless other code has shown that none waits (lw_code.turns) */
    uint8_t slow_gathers; /* the processor gathers slower than it loads one element after the other */
    uint8_t stretched; /* the range is as long as a grid-stride loop (reflect.h): one round a work-item */
    uint8_t few_rounds; /* no buffer argument has LW_FAR_ROUNDS times as many words as there are work-items:
                           loops by the size of the range have fewer rounds. Of specialised code only */
    uint64_t known; /* arguments, a bit each, that are integers and have these values, in their order. Of
                       specialised code that lasts only */
    uint64_t values[LW_MOST_VALUES];
    uint16_t heads; /* from each buffer argument on so many bytes may be read, the buffer's or not: 0, 64, 256
                       or LW_HEAD. Of specialised code only */
    uint16_t images[LW_SHAPE_IMAGES]; /* facts of images and samplers, spirv/image.h */
};

/* One printf for the lanes whose bits are set, in increasing order. Word n of lane l is columns[n * width +
 * l]: word 0 is the address of the format, the others are the arguments' components, zero-extended. `types`
 * has three characters for each argument: `i` integer, `f` floating point, `p` pointer; '0' + bytes of a
 * component; '@' + components. Returns the lanes for which it failed. */
typedef uint64_t lw_print_function(const char *types, uint64_t lanes, uint32_t width,
                                   const uint64_t *columns);

/* One service (enum lw_service) for the lanes whose bits are set, in increasing order. Word n of lane l is
 * columns[n * width + l]; the result takes the place of word 0. */
typedef void lw_service_function(uint32_t service, uint64_t lanes, uint32_t width, uint64_t *columns);

/* So often who waits looks at memory until others have their turn. A power of two. */
#define LW_LOOKS 8u

/* Called by code whose sub-groups or work-items take turns (lw_code.turns): returns when the caller is to go
 * on. */
enum lw_wait {
    LW_WAIT_LOOK,   /* of LW_LOOKS at memory, the last one as LW_WAIT_MEMORY, the others not at all */
    LW_WAIT_MEMORY, /* until others have had their turn */
    LW_WAIT_GROUP   /* until all of the work-group are here, or done */
};
typedef void lw_wait_function(uint32_t what); /* enum lw_wait */

/* Constant for a dispatch; the generated code reads it by these offsets (vectorizer/workgroup/workgroup.c has
 * them too, checked by static assertion). Unused dimensions: sizes 1, ids and offsets 0. */
struct lw_launch {
    uint64_t global_size[3];
    uint64_t global_offset[3];
    uint64_t num_groups[3];
    uint64_t local_size[3]; /* enqueued */
    uint64_t work_dim;
    lw_print_function *print;
    lw_service_function *serve;
    lw_wait_function *wait;
    void *
        program; /* the program-scope variables that kernels write, as program_variables.c places them */
};

/* Runs `count` consecutive work-groups in increasing order, from linear index `first` (dimension 0 fastest).
 * `args`: the packed arguments (reflect.h: offsets; a local pointer is the byte offset of its memory inside
 * `local`). `local`: the work-group's local memory, module-scope variables at offset 0, 128-byte aligned.
 * `frame`: lw_code.frame_fixed + sub-groups * lw_code.frame_per_sub_group bytes, 128-byte aligned; contents
 * undefined. Both are private to the calling thread.
 *
 * Where lw_code.turns is not LW_TURNS_NOT: runs one sub-group or work-item of work-group `first`, the one of
 * number `count`, on a stack of its own; `local` and `frame` are the work-group's. The frame has
 * frame_per_sub_group bytes for each that takes turns. */
typedef void lw_group_function(const struct lw_launch *launch, const void *args, uint64_t first,
                               uint64_t count, void *local, void *frame);

/* What takes turns in a work-group, in increasing order, each until it calls lw_launch.wait or is done. */
enum lw_turn_kind { LW_TURNS_NOT, LW_TURNS_SUB_GROUPS, LW_TURNS_WORK_ITEMS };

/* What the compiler cannot tell about the width (vectorizer/facts/doubts.c). */
enum lw_doubt {
    LW_NO_DOUBT,
    LW_DOUBT,
    LW_LANES_STRAY /* they leave a loop in different rounds, so that scalar code has branches to be learnt */
};

/* Compiled code. Owned by the compiler, freed by `release`. (The runtime makes its own of cached objects.) */
struct lw_code {
    lw_group_function *run; /* NULL: `object` is not linked yet */
    uint64_t frame_fixed;
    uint64_t frame_per_sub_group;
    uint64_t code_bytes;
    uint32_t turns;     /* enum lw_turn_kind */
    uint32_t doubt;     /* enum lw_doubt: may code of another width be faster? */
    char *report;       /* JSON of the vectorizer, NULL unless asked for */
    void *private_data; /* the compiler's: the resource tracker */
    void *object;       /* the relocatable object, malloc'd; the runtime may free it and set it to NULL */
    size_t object_bytes;
    char symbol[32]; /* of the function in it */
};

struct lw_spec_value {
    uint32_t id; /* SpecId */
    uint32_t size;
    uint64_t value;
};

struct lw_compile_request {
    const uint32_t *words; /* the module as loaded, checked by the runtime, native endianness */
    size_t word_count;
    const char *kernel;
    const struct lw_spec_value *spec;
    size_t spec_count;
    struct lw_shape shape;
    const char *dump; /* stages to print, or NULL */
    const char *skip; /* transformations to leave out, or NULL */
    bool explain;
    bool lines;     /* the object has DWARF of the source's lines */
    bool variables; /* and of its variables, which the code keeps in memory for that */
    bool unlinked; /* the object is enough: the caller loads it, or calls `link` */
};

/* All functions are safe to call from several threads at once. */
struct lw_compiler {
    uint32_t abi; /* LW_COMPILER_ABI */
    /* NULL and `error` filled on failure. */
    struct lw_code *(*compile)(const struct lw_compile_request *request, lw_error *error);
    void (*release)(struct lw_code *code);
    /* Sets `run` from `object`. False and `error` filled on failure; the code is released as usual. */
    bool (*link)(struct lw_code *code, lw_error *error);
};

/* The one exported symbol of liblanewise-compiler.so; NULL where the host has not even SSE4.2. */
#define LW_COMPILER_ENTRY "lw_compiler_entry"
typedef const struct lw_compiler *lw_compiler_entry_function(void);

#endif
