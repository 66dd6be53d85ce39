/* SPDX-License-Identifier: MIT */
/* Device-side enqueue (OpenCL C 6.15.17), as generated code and the runtime's services see it. No LLVM.
 *
 * A block is a function that kernels name: it is one of the module's kernels (lw_block_of), which no host
 * sees. What it captured goes to the runtime by value. Queues and events are 64 bits, zero is none. */
#ifndef LW_SPIRV_ENQUEUE_H
#define LW_SPIRV_ENQUEUE_H

#include "module.h"

#define LW_MAX_CAPTURED 4096u /* bytes of a block's literal */

/* An NDRange in memory: 32 bits of dimensions, then offset, global and local size of three words each. */
#define LW_NDRANGE_WORDS 10u
#define LW_NDRANGE_BYTES 80u

enum lw_ndrange_word {
    LW_NDRANGE_DIMENSIONS,
    LW_NDRANGE_OFFSET,
    LW_NDRANGE_GLOBAL = 4,
    LW_NDRANGE_LOCAL = 7
};

/* One of the module's blocks, which one is not told: the answer is what holds for all of them, which so have
 * one sub-group size (lw_kernel_desc.unnamed); where that is none, the kernel fails. */
#define LW_ANY_BLOCK 0xfffffffeu

/* Services beside those of pipe.h. Columns as of lw_service_function (src/compiler.h); the result takes the
 * first one's place. */
enum lw_enqueue_service {
    LW_SERVICE_ENQUEUE = 64,
    LW_SERVICE_BLOCK_WORK_GROUP_SIZE = LW_SERVICE_ENQUEUE, /* block -> work-items of its largest work-group */
    LW_SERVICE_BLOCK_SUB_GROUP_SIZE,                       /* block -> N */
    LW_SERVICE_BLOCK_MAX_SUB_GROUPS,                       /* block -> of a work-group */
    LW_SERVICE_BLOCK_LOCAL_SIZE_FOR_COUNT, /* block, sub-groups -> work-items; 0: it cannot have so many */
    LW_SERVICE_BLOCK_SUB_GROUP_COUNT, /* block, NDRange -> of a full work-group; 0: there is no such range */
    LW_SERVICE_ENQUEUE_KERNEL,        /* enum lw_enqueue_column -> event or 0, else a negative error */
    LW_SERVICE_ENQUEUE_MARKER,        /* queue, list of events, whether an event is wanted -> the same */
    LW_SERVICE_EVENT_LIST,            /* list, event -> list with that event, which takes the list's place */
    LW_SERVICE_DEFAULT_QUEUE,         /* 0 -> queue */
    LW_SERVICE_USER_EVENT,            /* 0 -> event */
    LW_SERVICE_EVENT_IS_VALID,        /* event -> 0 or 1 */
    LW_SERVICE_EVENT_RETAIN,          /* event */
    LW_SERVICE_EVENT_RELEASE,         /* event */
    LW_SERVICE_EVENT_SET,             /* user event, status */
    LW_SERVICE_EVENT_PROFILE          /* event, what, address in global memory */
};

/* Of LW_SERVICE_ENQUEUE_KERNEL. Behind them the sizes of local memory, then what the block captured. */
enum lw_enqueue_column {
    LW_ENQUEUE_QUEUE,
    LW_ENQUEUE_FLAGS,
    LW_ENQUEUE_LIST,       /* of events to be waited for; 0: none, LW_BAD_EVENT_LIST: no valid one */
    LW_ENQUEUE_WANT_EVENT,
    LW_ENQUEUE_BLOCK,
    LW_ENQUEUE_LOCALS,     /* how many sizes of local memory */
    LW_ENQUEUE_CAPTURED,   /* bytes */
    LW_ENQUEUE_ALIGN,      /* of what was captured */
    LW_ENQUEUE_RANGE,      /* LW_NDRANGE_WORDS */
    LW_ENQUEUE_REST = LW_ENQUEUE_RANGE + LW_NDRANGE_WORDS
};

#define LW_BAD_EVENT_LIST 1u
#define LW_PROFILE_EXEC_TIME 1u /* CLK_PROFILING_COMMAND_EXEC_TIME */

/* What kernels are answered (OpenCL C 6.15.17). */
enum lw_enqueue_error {
    LW_CLK_OUT_OF_RESOURCES = -5,
    LW_CLK_INVALID_ARG_SIZE = -51,
    LW_CLK_INVALID_EVENT_WAIT_LIST = -57,
    LW_CLK_EVENT_ALLOCATION_FAILURE = -100,
    LW_CLK_ENQUEUE_FAILURE = -101,
    LW_CLK_INVALID_QUEUE = -102,
    LW_CLK_INVALID_NDRANGE = -160,
    LW_CLK_DEVICE_QUEUE_FULL = -161
};

/* The block that a function is, by its number among the entry points; LW_NO_INST: it is none. */
uint32_t lw_block_of(const lw_module *m, uint32_t function_id);
/* The word of an instruction that names a block's function, 0: it names none. */
uint32_t lw_block_word(uint32_t op);
/* The block that a query names, an instruction or a call of what clang-22 leaves as an import and tells no
 * function for: there the only block of the module, or LW_ANY_BLOCK. LW_NO_INST: there is none. */
uint32_t lw_block_asked(const lw_module *m, const struct lw_inst *inst);
/* One of the instructions of device-side enqueue, queries of blocks included. */
bool lw_is_enqueue_op(uint32_t op);
/* Of them, one that only asks or builds an NDRange. */
bool lw_is_block_query(uint32_t op);

#endif
